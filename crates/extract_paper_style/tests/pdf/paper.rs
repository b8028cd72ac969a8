//! A PDF with the layout of a paper, and PDFs that are not papers.

use serde_json::{Value, json};

use aris_testkit::{Project, Run};

use super::{Span, document, drawn, file, page};
use crate::{assert_no_leak, call, helper, profile};

/// Whether poppler is installed; if not, prints that the test is skipped.
pub(crate) fn has_poppler() -> bool {
    let run = |name: &str| std::process::Command::new(name).arg("-v").output();
    let found = run("pdftotext").is_ok() && run("pdftohtml").is_ok();
    if !found {
        eprintln!("skipped: pdftotext and pdftohtml (poppler) are not installed");
    }
    found
}

/// What the manifest says of the PDF's outline.
pub(crate) fn outline(run: &Run) -> Value {
    let path = run.data()["manifest"].clone();
    let bytes = std::fs::read(path.as_str().expect("a path")).expect("a file");
    let manifest: Value = serde_json::from_slice(&bytes).expect("JSON");
    manifest["pdf_outline"].clone()
}

/// Left edges of the columns, in points.
const COLUMNS: [f64; 2] = [54.0, 318.0];

/// The contents of a column, from top to bottom.
enum Item {
    Heading(&'static str),
    Text(&'static [&'static str]),
    Caption(&'static [&'static str]),
    /// Rows of a table with two cells each.
    Cells(&'static [[&'static str; 2]]),
}
use Item::{Caption, Cells, Heading, Text};

/// 64 words in 2 sentences, in lines as wide as the column.
const FILL: Item = Text(&[
    "Every gadget of the row was put on a bench which",
    "does not move, and was then watched for as long",
    "as the night went on, so that no wobble was lost.",
    "What was seen went into a book at once, and was",
    "read by two of us who did not know the colour of",
    "the gadget that it belonged to at that time.",
]);

type Columns = [&'static [Item]; 2];

const PAGES: [Columns; 3] = [
    [
        &[
            Heading("Abstract"),
            Text(&[
                "We measure purple gadgets for the first",
                "time, in the dark and without a proto-",
                "type. They turn out to wobble.",
            ]),
            Heading("1 Introduction"),
            Text(&[
                "Gadgets were long thought to be green [1].",
                "Nobody has looked at them at night, as far",
                "as we know today [2, 3]. Figure 1 shows one.",
            ]),
            FILL,
            FILL,
            FILL,
            FILL,
            Text(&["This paper changes that, and it does so with"]),
        ],
        &[
            Text(&["a machine that was built for the purpose."]),
            FILL,
            FILL,
            Heading("2 Related Work"),
            FILL,
            FILL,
            Text(&[
                "Smith measured green gadgets by day [4]. Brown",
                "did not measure any.",
            ]),
        ],
    ],
    [
        &[
            Caption(&["Figure 1: A gadget at night, seen from", "the left side."]),
            Heading("3 The Wobble Machine"),
            Text(&[
                "Our machine has two parts, which are shown",
                "below in the order of their weight.",
            ]),
            Heading("3.1 Lower Part"),
            Text(&["Theorem 1. Every gadget wobbles at least once."]),
            Text(&["Proof. It follows from the weight of the part."]),
            Heading("3.2 Upper Part"),
            Text(&["The upper part is lighter than the lower one."]),
            FILL,
            FILL,
            FILL,
        ],
        &[
            Caption(&["Table 1: Wobbles by hour"]),
            Cells(&[["Hour", "Wobbles"], ["1", "42"], ["2", "17"]]),
            Heading("4 Experiments"),
            FILL,
            FILL,
            FILL,
            FILL,
            Text(&[
                "We counted wobbles for two hours in a row.",
                "The result is in Table 1 above.",
            ]),
        ],
    ],
    [
        &[
            Heading("5 Conclusion"),
            Text(&["Gadgets wobble, and they are purple at night."]),
            FILL,
            FILL,
            Heading("Acknowledgements"),
            Text(&["We thank the whole crew of the ship."]),
            Heading("References"),
            Text(&["[1] D. Adams. A guide for those who travel."]),
            Text(&["[2] T. McMillan. Where nobody has gone before."]),
        ],
        &[
            Heading("A Proofs of the Wobble"),
            FILL,
            FILL,
            FILL,
            FILL,
            Text(&["Nothing is left to be proved here today."]),
        ],
    ],
];

/// Role, words, sentences, subsections, figures, tables, statements, in the appendix: counted by hand in the text above.
fn counted() -> Vec<Value> {
    vec![
        json!(["abstract", 20, 2, 0, null, null, null, false]),
        json!(["introduction", 428, 16, 0, null, null, null, false]),
        // A figure or table belongs to the section in which its caption stands.
        json!(["related_work", 140, 6, 0, 1, null, null, false]),
        json!(["body", 233, 12, 2, null, 1, 2, false]),
        json!(["experiments", 272, 10, 0, null, null, null, false]),
        json!(["conclusion", 136, 5, 0, null, null, null, false]),
        json!(["statements", 8, 1, 0, null, null, null, false]),
        json!(["references", 0, null, 0, null, null, null, false]),
        json!(["theory", 264, 9, 0, null, null, null, true]),
    ]
}

/// The paper as a PDF, and all its text.
fn paper() -> (Vec<u8>, String) {
    let mut all = Vec::new();
    let mut pages = Vec::new();
    for (index, columns) in PAGES.iter().enumerate() {
        let mut spans: Vec<Span<'_>> = vec![(54.0, 765.0, 8.0, false, "Gadget Letters, Volume 7")];
        let mut top = 730.0;
        if index == 0 {
            spans.push((180.0, 735.0, 17.0, true, "Purple Gadgets Considered"));
            spans.push((230.0, 710.0, 11.0, false, "Zaphod B. and Arthur D."));
            top = 660.0;
        }
        for (left, items) in COLUMNS.iter().zip(columns) {
            let mut y = top;
            for item in *items {
                match item {
                    Heading(title) => {
                        y -= 8.0;
                        spans.push((*left, y, 12.0, true, title));
                        y -= 16.0;
                    }
                    Text(lines) => {
                        for line in *lines {
                            spans.push((*left, y, 10.0, false, line));
                            y -= 12.0;
                        }
                    }
                    Caption(lines) => {
                        for line in *lines {
                            spans.push((*left, y, 9.0, false, line));
                            y -= 11.0;
                        }
                        y -= 14.0;
                    }
                    Cells(rows) => {
                        for [one, two] in *rows {
                            spans.push((*left + 20.0, y, 9.0, false, one));
                            spans.push((*left + 120.0, y, 9.0, false, two));
                            y -= 11.0;
                        }
                        y -= 14.0;
                    }
                }
            }
        }
        spans.push((303.0, 30.0, 9.0, false, ["1", "2", "3"][index]));
        all.extend(spans.iter().map(|span| span.4));
        pages.push(drawn(&spans));
    }
    (document(&pages), all.join("\n"))
}

fn rows(profile: &Value) -> Vec<Value> {
    let fields = "role words sentences/count subsections figures tables statements appendix";
    super::rows(profile, &fields.split(' ').collect::<Vec<_>>())
}

#[test]
fn a_paper_in_two_columns_has_the_structure_that_was_counted_by_hand() {
    if !has_poppler() {
        return;
    }
    let (bytes, text) = paper();
    let project = Project::new().file("ref.pdf", bytes);
    let run = call(&project, "ref.pdf").expect_code(0);
    let found = profile(&run);
    assert_eq!(rows(&found), counted());
    assert_eq!(
        (
            &found["figure_captions"]["mean"],
            &found["table_captions"]["mean"]
        ),
        (&json!(9.0), &json!(3.0))
    );
    assert_eq!(found["citation_style"], "numeric");
    assert_eq!(outline(&run), "absent");
    assert_no_leak(
        &run,
        &text,
        &["Purple", "Zaphod", "Wobble", "Adams", "Gadget", "Letters"],
    );
}

#[test]
fn the_line_numbers_of_a_manuscript_are_no_text() {
    if !has_poppler() {
        return;
    }
    let text = [
        "1 Introduction",
        "Gadgets wobble in the dark of the night, and nobody has ever looked at them.",
        "We look at them here.",
        "2 Method",
        "We measure their wobble with a machine that was built for this purpose alone.",
        "It is a good machine.",
        "3 Results",
        "They wobble less than was thought, and more than was hoped for by their makers.",
    ];
    let measured = |numbered: bool| {
        let mut spans = Vec::new();
        let numbers: Vec<String> = (21..).take(text.len()).map(|n| n.to_string()).collect();
        for ((row, line), number) in (0_u32..).zip(text).zip(&numbers) {
            let y = 700.0 - 20.0 * f64::from(row);
            spans.push((90.0, y, 12.0, false, line));
            if numbered {
                spans.push((60.0, y, 9.0, false, number.as_str()));
            }
        }
        let project = Project::new().file("paper.pdf", document(&[drawn(&spans)]));
        let profile = profile(&call(&project, "paper.pdf"));
        (profile["sections"].clone(), profile["words"].clone())
    };
    assert_eq!(measured(true), measured(false));
    assert_eq!(measured(true).0.as_array().map(Vec::len), Some(3));
}

#[test]
fn a_page_without_headings_is_measured_as_one_piece() {
    if !has_poppler() {
        return;
    }
    let lines = [
        "Gadgets were long thought to be green, and nobody has looked",
        "at them at night before us. We did, and found them purple.",
    ];
    let project = Project::new().file("ref.pdf", page(&lines));
    let run = call(&project, "ref.pdf").expect_code(0);
    assert_eq!(
        rows(&profile(&run)),
        [json!(["opening", 23, 2, 0, null, null, null, false])]
    );
    assert_no_leak(&run, &lines.join("\n"), &["purple"]);
}

/// The end of a paragraph stands alone on the next page; what does not go on with a sentence is not text. The file's name does not
/// say that it is a PDF.
#[test]
fn the_last_word_of_a_paragraph_counts_on_the_next_page() {
    if !has_poppler() {
        return;
    }
    let measured = |top: &str| {
        let first = [
            (72.0, 700.0, 12.0, true, "1 Introduction"),
            (
                72.0,
                670.0,
                10.0,
                false,
                "Gadgets were long thought to be green, and nobody has looked at the",
            ),
        ];
        let next = [
            (72.0, 700.0, 10.0, false, top),
            (72.0, 660.0, 12.0, true, "2 Method"),
            (
                72.0,
                630.0,
                10.0,
                false,
                "We looked at them at night, and found that they are purple.",
            ),
        ];
        let project = Project::new().file("paper", document(&[drawn(&first), drawn(&next)]));
        let run = call(&project, "paper");
        assert_eq!(run.data()["source_type"], "local_pdf");
        profile(&run)["sections"][0]["words"].clone()
    };
    assert_eq!(measured("gadgets."), 14);
    assert_eq!(measured("x axis"), 13);
    assert_eq!(measured("Title."), 13);
}

/// A page on which each character is drawn separately, in a font that has a character map but no widths.
fn letter_by_letter(text: &str, code: fn(u8) -> String, font: [String; 4]) -> Vec<u8> {
    let mut content = String::new();
    let mut x = 72.0;
    for byte in text.bytes() {
        if byte != b' ' {
            let code = code(byte - b'a' + 1);
            content += &["BT /F1 10 Tf ", &format!("{x} 700 Td <{code}> Tj ET\n")].concat();
        }
        // Half the font size for a letter, less for a space.
        x += if byte == b' ' { 3.0 } else { 5.0 };
    }
    let stream = |content: &str| {
        format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        )
    };
    let (low, high, most) = (code(1), code(26), code(255));
    let meaning = format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <{}> <{most}> \
         endcodespacerange 1 beginbfrange <{low}> <{high}> <0061> endbfrange endcmap end end",
        code(0)
    );
    let mut objects = vec![
        String::from("<< /Type /Catalog /Pages 2 0 R >>"),
        String::from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
        String::from(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 6 0 R >> >> >>",
        ),
        stream(&content),
        stream(&meaning),
    ];
    objects.extend(font);
    file(&objects)
}

#[test]
fn letters_that_are_drawn_one_by_one_become_words() {
    let text = "gadgets were long thought to be green by all of us";
    // Two kinds of fonts whose widths the reader would get wrong.
    let composite = letter_by_letter(
        text,
        |letter| format!("{letter:04x}"),
        [
            String::from(
                "<< /Type /Font /Subtype /Type0 /BaseFont /G /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 5 0 R >>",
            ),
            String::from(
                "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /G /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 8 0 R /DW 0 /W 9 0 R >>",
            ),
            String::from(
                "<< /Type /FontDescriptor /FontName /G /Flags 4 /FontBBox [0 0 500 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
            ),
            String::from("[0 [750] 1 26 500]"),
        ],
    );
    let names: Vec<String> = (b'a'..=b'z')
        .map(|letter| format!("/{}", char::from(letter)))
        .collect();
    let procedures: Vec<String> = names.iter().map(|name| format!("{name} 7 0 R")).collect();
    let drawn = letter_by_letter(
        text,
        |letter| format!("{letter:02x}"),
        [
            format!(
                "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 50 90] /FontMatrix [0.01 0 0 0.01 0 0] /FirstChar 1 /LastChar 26 /Widths 8 0 R /CharProcs << {} >> /Encoding << /Type /Encoding /Differences [1 {}] >> /Resources << >> /ToUnicode 5 0 R >>",
                procedures.join(" "),
                names.join(" ")
            ),
            String::from("<< /Length 7 >>\nstream\n50 0 d0\nendstream"),
            format!("[{}]", "50 ".repeat(26)),
            String::from("null"),
        ],
    );
    let project = Project::new()
        .file("composite.pdf", composite)
        .file("drawn.pdf", drawn);
    if !has_poppler() {
        return;
    }
    for name in ["composite.pdf", "drawn.pdf"] {
        let run = call(&project, name).expect_code(0);
        assert_eq!(profile(&run)["words"], 11, "{name}");
    }
}

#[test]
fn a_scan_is_refused_with_a_hint() {
    if !has_poppler() {
        return;
    }
    let picture = "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q";
    let project = Project::new().file("scan.pdf", document(&[String::from(picture)]));
    let error = call(&project, "scan.pdf").expect_code(4).error();
    let said = |field: &str, wanted: &str| {
        let text = error[field].as_str().unwrap_or_default();
        assert!(text.contains(wanted), "{error}");
    };
    said("message", "no text");
    said("hint", "ocrmypdf");
}

#[test]
fn a_pdf_that_asks_for_a_password_is_refused_and_one_that_does_not_is_read() {
    if !has_poppler() {
        return;
    }
    // Two sections, encrypted with RC4 of 40 bits: with the user's password "user", and without one.
    let project = Project::new()
        .file("locked.pdf", include_bytes!("locked.pdf").as_slice())
        .file("open.pdf", include_bytes!("open.pdf").as_slice());
    let run = call(&project, "open.pdf").expect_code(0);
    assert_eq!(rows(&profile(&run)).len(), 2, "{run}");
    let error = call(&project, "locked.pdf").expect_code(4).error();
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("asks for a password"), "{error}");
}

/// A call that finds only these programs, given by name and text.
fn with_programs(programs: &[(&str, &str)]) -> Run {
    let project = Project::new().file("ref.pdf", page(&["1 Introduction", "We do."]));
    for (name, text) in programs {
        project.write(&format!("bin/{name}"), text);
        project.mode(&format!("bin/{name}"), 0o755);
    }
    helper()
        .call(project.path())
        .env("HOME", project.path())
        .env("PATH", project.at("bin"))
        .args([
            "--source",
            "ref.pdf",
            "--out",
            "styles",
            "--pdf-seconds",
            "1",
            "--json",
        ])
        .run()
}

#[test]
fn without_poppler_the_error_says_what_to_do() {
    for (programs, wanted) in [
        (&[][..], "which is not installed"),
        // The program of Xpdf.
        (
            &[(
                "pdftotext",
                "#!/bin/sh\necho 'Usage: pdftotext [options] <PDF-file>' >&2\nexit 99\n",
            )],
            "another program",
        ),
    ] {
        let run = with_programs(programs).expect_code(5);
        let error = run.error();
        assert!(error["message"].to_string().contains(wanted), "{run}");
        for way in [
            "apt install poppler-utils",
            "brew install poppler",
            "conda-forge poppler",
            "arXiv identifier",
        ] {
            assert!(error["hint"].to_string().contains(way), "{run}");
        }
    }
}

#[test]
fn a_reader_that_takes_too_long_or_crashes_is_told_so() {
    let run = with_programs(&[("pdftotext", "#!/bin/sh\n/bin/sleep 60\n")]).expect_code(6);
    let message = run.error()["message"].to_string();
    assert!(
        message.contains("ref.pdf: reading the PDF takes longer than 1 s"),
        "{run}"
    );
    let run = with_programs(&[("pdftotext", "#!/bin/sh\nkill -SEGV $$\n")]).expect_code(4);
    assert!(
        run.error()["message"].to_string().contains("crashed"),
        "{run}"
    );
    // The text is used even if the outline cannot be read.
    let xml = "<page a=\"1\"><block><line><word yMin=\"1\" yMax=\"9\">We</word><word>do</word><word>it.</word></line></block></page>";
    let text = format!("#!/bin/sh\necho '{xml}'\n");
    let run = with_programs(&[
        ("pdftotext", &text),
        ("pdftohtml", "#!/bin/sh\n/bin/sleep 60\n"),
    ]);
    assert_eq!(
        run.expect_code(0)
            .stderr()
            .matches("outline of the PDF could not be read")
            .count(),
        1
    );
}
