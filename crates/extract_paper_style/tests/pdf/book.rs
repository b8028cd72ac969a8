//! A report with tables of contents, footnotes and headings without numbers, with an outline and without one.

use serde_json::{Value, json};

use aris_testkit::Project;

use super::paper::{has_poppler, outline};
use super::{Bookmark, Span, drawn, outlined};
use crate::{assert_no_leak, call, profile};

/// The contents of a page, from top to bottom.
#[derive(Clone, Copy)]
enum Item {
    Heading(&'static str),
    Text(&'static [&'static str]),
    /// An entry of the contents: title, whether points lead to the page number, page number.
    Entry(&'static str, bool, &'static str),
    /// A mark and lines.
    Note(&'static str, &'static [&'static str]),
}
use Item::{Entry, Heading, Note, Text};

/// 64 words in 2 sentences.
const FILL: Item = Text(&[
    "Every gadget of the row was put on a bench which does not move, and was then",
    "watched for as long as the night went on, so that no wobble was lost. What was",
    "seen went into a book at once, and was read by two of us who did not know the",
    "colour of the gadget that it belonged to at that time.",
]);

const PAGES: [&[Item]; 5] = [
    &[
        Heading("Contents"),
        Entry("1 Introduction", false, "1"),
        Entry("1.1 Old Gadgets", true, "1"),
        Entry("2 Method", false, "2"),
        Entry("2.1 The Machine", true, "2"),
        Entry("3 Results", false, "3"),
        Entry("References", false, "3"),
    ],
    &[
        Heading("List of Figures"),
        Entry("1.1 A gadget at night and what is left of it", true, "1"),
        Entry("2.1 The machine that sees it in the dark", true, "2"),
    ],
    &[
        Heading("1 Introduction"),
        // 8 words.
        Text(&["Gadgets were long thought to be purely green."]),
        FILL,
        Heading("1.1 Old Gadgets"),
        FILL,
        // A sentence of 13 words on two pages, with a word split between them.
        Text(&["Nobody has looked at them at night before us, which we won-"]),
        Note(
            "1",
            &[
                "See the book of gadgets, which is long and was",
                "never read by anybody.",
            ],
        ),
        Note("2", &["This one is short."]),
    ],
    &[
        Text(&["der at."]),
        Heading("2 Method"),
        FILL,
        Heading("Study Population"),
        FILL,
        FILL,
        Heading("2.1 The Machine"),
        Text(&["The machine has two parts and an eye for the dark."]),
        Note(
            "*",
            &["It was lent to us by a crew whose names are not known."],
        ),
    ],
    &[
        Heading("3 Results"),
        FILL,
        FILL,
        Heading("References"),
        Text(&["[1] D. Adams. A guide for those who travel by night."]),
    ],
];

const OUTLINE: [Bookmark<'_>; 7] = [
    (1, 2, "Introduction"),
    (2, 2, "Old Gadgets"),
    (1, 3, "Method"),
    (2, 3, "Study Population"),
    (2, 3, "The Machine"),
    (1, 4, "Results"),
    (1, 4, "References"),
];

/// The report with an outline as a PDF, and all its text.
fn report(outline: &[Bookmark<'_>]) -> (Vec<u8>, String) {
    let mut all = Vec::new();
    let mut pages = Vec::new();
    for (number, items) in PAGES.iter().enumerate() {
        let mut spans: Vec<Span<'_>> = Vec::new();
        let mut y = 740.0;
        let mut foot = 100.0;
        for item in *items {
            match item {
                Heading(title) => {
                    y -= 10.0;
                    spans.push((72.0, y, 14.0, true, title));
                    y -= 20.0;
                }
                Text(lines) => {
                    for line in *lines {
                        spans.push((72.0, y, 11.0, false, line));
                        y -= 13.0;
                    }
                }
                Entry(title, leads, page) => {
                    spans.push((72.0, y, 11.0, false, title));
                    if *leads {
                        spans.push((
                            330.0,
                            y,
                            11.0,
                            false,
                            ". . . . . . . . . . . . . . . . . . . . . . . . . .",
                        ));
                    }
                    spans.push((500.0, y, 11.0, false, page));
                    y -= 13.0;
                }
                Note(mark, lines) => {
                    spans.push((72.0, foot + 3.5, 6.0, false, mark));
                    for line in *lines {
                        spans.push((76.0, foot, 9.0, false, line));
                        foot -= 10.5;
                    }
                }
            }
        }
        spans.push((300.0, 40.0, 10.0, false, ["i", "ii", "1", "2", "3"][number]));
        all.extend(spans.iter().map(|span| span.4));
        pages.push(drawn(&spans));
    }
    (outlined(&pages, outline), all.join("\n"))
}

fn rows(profile: &Value) -> Vec<Value> {
    super::rows(
        profile,
        &["role", "words", "sentences/count", "subsections"],
    )
}

#[test]
fn contents_and_footnotes_are_neither_sections_nor_running_text() {
    if !has_poppler() {
        return;
    }
    let strange = [
        (1, 2, "Once Upon a Time"),
        (1, 3, "Method"),
        (1, 3, "The Middle"),
        (1, 4, "The End"),
    ];
    // A title without a number that the outline does not list is not a heading.
    for (bookmarks, used, subsections) in [
        (&OUTLINE[..], "used", 2),
        (&[], "absent", 1),
        (&strange, "unfit", 1),
    ] {
        let (bytes, text) = report(bookmarks);
        let project = Project::new().file("ref.pdf", bytes);
        let run = call(&project, "ref.pdf").expect_code(0);
        let found = profile(&run);
        let expected = [
            json!(["introduction", 149, 6, 1]),
            json!(["method", 203, 7, subsections]),
            json!(["results", 128, 4, 0]),
            json!(["references", 0, null, 0]),
        ];
        assert_eq!(
            (rows(&found), outline(&run)),
            (expected.to_vec(), json!(used))
        );
        assert_no_leak(
            &run,
            &text,
            &["Population", "Gadgets", "Machine", "Adams", "crew", "Study"],
        );
    }
}
