//! Any text is read without a panic, in linear time, with every place in bounds.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read files directly")]

use aris_latex::{Document, Holds, Loaded, ProblemKind};
use proptest::prelude::*;

fn read(text: &str) -> Document {
    let part = "part {\\bf 5 \\begin{tabular}{c} 1 & \\input{m} \\fi \\end{document";
    let mut files = |path: &str| match path {
        "m.tex" => Loaded::Text(text.into()),
        "part.tex" => Loaded::Text(part.into()),
        _ => Loaded::Absent,
    };
    let document = Document::read("m.tex", &mut files).expect("readable");
    check(&document);
    document
}

/// Places in bounds and on character boundaries; blocks begin in order within a file that is read once.
fn check(document: &Document) {
    for block in &document.blocks {
        assert_eq!(block.text, block.text.trim_matches(' '));
        for (at, _) in block.text.char_indices() {
            let place = block.place(at);
            assert!(
                document.files[place.file]
                    .text
                    .is_char_boundary(place.offset),
                "{block:?}"
            );
        }
        for mark in &block.marks {
            assert!(
                block.text.get(mark.range.clone()).is_some(),
                "{mark:?} {block:?}"
            );
        }
    }
    for place in document
        .problems
        .iter()
        .map(|problem| problem.place)
        .chain(document.citations.iter().map(|citation| citation.place))
        .chain(document.labels.iter().map(|label| label.place))
        .chain(document.includes.iter().map(|include| include.place))
    {
        assert!(
            document.files[place.file]
                .text
                .is_char_boundary(place.offset)
        );
    }
    for row in document.tables.iter().flat_map(|table| &table.rows) {
        assert!(row.cells.iter().all(|at| *at < document.blocks.len()));
    }
}

const PIECES: [&str; 96] = [
    "\\",
    "{",
    "}",
    "[",
    "]",
    "$",
    "$$",
    "&",
    "\\\\",
    "%",
    "#",
    "##",
    "#1",
    "^",
    "_",
    "~",
    " ",
    "\n",
    "\n\n",
    "a",
    "5",
    "84.7",
    "é",
    "±",
    "-",
    "--",
    "'",
    "`",
    "(",
    ")",
    "*",
    ",",
    "\\begin",
    "\\end",
    "{tabular}",
    "{ll}",
    "{equation}",
    "{document}",
    "{verbatim}",
    "{table}",
    "{itemize}",
    "{foo}",
    "\\begin{tabular}{lS}",
    "\\end{tabular}",
    "\\begin{longtable}{l}",
    "\\end{longtable}",
    "\\begin{align}",
    "\\end{align}",
    "\\multicolumn{2}{c}",
    "\\multirow{-2}{*}",
    "\\hline",
    "\\caption",
    "\\footnote",
    "\\section",
    "\\title",
    "\\item",
    "\\bibitem",
    "\\cite",
    "\\cites",
    "\\ref",
    "\\label",
    "\\url",
    "\\href",
    "\\verb",
    "\\lstinline",
    "\\input{part}",
    "\\input",
    "\\includegraphics",
    "\\bibliography",
    "\\newcommand{\\x}[2][d]",
    "\\x",
    "\\def\\y#1",
    "\\y",
    "\\let\\x\\y",
    "\\newif\\ifq",
    "\\ifq",
    "\\qtrue",
    "\\iffalse",
    "\\else",
    "\\fi",
    "\\ifnum",
    "\\ifx",
    "\\newenvironment{foo}[1]",
    "\\begin{foo}",
    "\\end{foo}",
    "\\num",
    "\\SI",
    "\\qty",
    "\\numlist",
    "\\ang",
    "\\frac",
    "\\sqrt",
    "\\,",
    "\\'",
    "\\pm",
    "\\textbf",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_string(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn any_pieces(pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..60), head in any::<bool>()) {
        let mut text = pieces.concat();
        if head {
            text.insert_str(0, "\\documentclass{a}\\begin{document}");
        }
        read(&text);
    }

    /// No style file prints text or hides text of the document.
    #[test]
    fn any_style(pieces in proptest::collection::vec(prop_oneof![proptest::sample::select(&PIECES[..]).prop_map(str::to_owned), any::<String>()], 0..40)) {
        let style = pieces.concat();
        let main = "\\documentclass{s}\\usepackage{s}\\begin{document}\\title{T}\\section{S}a 5 \\textbf{b} $\\frac{1}{2}$\\begin{tabular}{c}1 & 2\\end{tabular}\\end{document}";
        let mut files = |path: &str| match path {
            "m.tex" => Loaded::Text(main.into()),
            "s.sty" | "s.cls" => Loaded::Text(style.as_str().into()),
            _ => Loaded::Absent,
        };
        let document = Document::read("m.tex", &mut files).expect("readable");
        check(&document);
        let texts: Vec<_> = document.blocks.iter().map(|block| block.text.as_str()).collect();
        prop_assert_eq!(texts, ["T", "S", "a 5 b 1/2", "1", "2"]);
        prop_assert_eq!(document.problems, []);
    }

    #[test]
    fn mutated_document(cut in 0_usize..2000, length in 0_usize..40, with in proptest::sample::select(&PIECES[..])) {
        let text = include_str!("sample.tex");
        let from = text.floor_char_boundary(cut % text.len());
        let to = text.floor_char_boundary((from + length).min(text.len())).max(from);
        let mutated = [text.get(..from), Some(with), text.get(to..)].map(|part| part.expect("a boundary")).concat();
        read(&mutated);
    }
}

#[test]
fn blocks_begin_in_order() {
    let document = read(include_str!("sample.tex"));
    let kinds: Vec<_> = document
        .problems
        .iter()
        .map(|problem| problem.kind)
        .collect();
    assert_eq!(
        kinds,
        [ProblemKind::UnreadText(Holds::NUMBERS)],
        "the listing"
    );
    let starts: Vec<usize> = document
        .blocks
        .iter()
        .map(|block| block.start.offset)
        .collect();
    assert!(starts.is_sorted(), "{starts:?}");
}

#[test]
fn what_global_stands_before_may_end_the_group_of_a_definition() {
    for end in ["\\egroup", "\\endgroup", "\\end{center}"] {
        let text = format!("\\begin{{center}}\\bgroup\\def\\a{{1}}\\global{end} 84.7");
        let document = read(&text);
        assert_eq!(document.blocks[0].text, "84.7", "{end}");
    }
}

/// Quadratic work would take more than a day here.
#[test]
fn hostile_text_is_read_to_its_end() {
    let openers = [
        "{",
        "}",
        "[",
        "\\x{",
        "\\x[",
        "$",
        "$ {",
        "\\begin{a}",
        "\\begin{a}\n\nx",
        "\\begin{tabular}{c}",
        "\\begin{tabular}{c}{",
        "\\begin{verbatim}",
        "\\frac{",
        "\\cite[",
        "\\cite{",
        "\\cites[",
        "\\textbf{",
        "\\footnote{",
        "\\iffalse ",
        "\\iftrue ",
        "\\item[",
        "\\url{",
        "\\verb|",
        "\\y{",
        "\\y",
        "\\newcommand{\\z",
        "\\num{",
        "x^{",
        "\\ensuremath{$",
        "&",
        "\\\\[",
        "\\z{a}",
        "\\caption{",
        "\\section{",
        "\\multirow{2}{*}{",
        "\\begin{equation}",
        "\\end{a}",
        "{\\end{a}",
        "\\SI{1}{\\per",
        "\\left.",
        "\\'{",
        "\\begin{foo}{",
        "1\\,234\\,",
        "\\input{",
        "\\def\\q#1{",
        "\\skipme 5pt plus ",
        "\\begin{table}\\begin{tabular}{c}\\end{tabular}",
        "\\begin{tabular}{c}\\begin{tikzpicture} 1 & ",
        "\\excludecomment{a}\\begin{b}",
        "\\w",
        "\\label{\\w}",
        "\\begin{table}\\label{\\w}\\begin{tabular}{c}1\\end{tabular}",
    ];
    for opener in openers {
        let text = format!(
            "\\newcommand{{\\y}}[1]{{#1#1}}\\newcommand{{\\z}}[1]{{\\y{{#1}}}}\\newcommand{{\\w}}{{{}}}\\newenvironment{{foo}}[1]{{#1}}{{}}{}",
            "w".repeat(100_000),
            opener.repeat(20_000)
        );
        let mut files = |path: &str| match path {
            "m.tex" => Loaded::Text(text.as_str().into()),
            _ => Loaded::Absent,
        };
        let document = Document::read("m.tex", &mut files);
        let shown = |document: &Document| -> usize {
            let blocks = document.blocks.iter().map(|block| block.text.len());
            let labels = document.labels.iter().map(|label| label.key.len());
            let tables = document
                .tables
                .iter()
                .filter_map(|table| table.label.as_ref());
            blocks.chain(labels).chain(tables.map(String::len)).sum()
        };
        if let Ok(document) = document {
            assert!(shown(&document) < 100_000_000, "{opener:?}");
        }
    }
}

/// Large papers that are not hostile are read whole.
#[test]
fn large_papers_are_read_whole() {
    let numbers = |document: &Document| -> usize {
        let texts = document.blocks.iter().map(|block| block.text.as_str());
        texts
            .flat_map(|text| text.split(|c: char| !c.is_ascii_digit() && c != '.'))
            .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
            .count()
    };
    let each =
        |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<String>();
    let name = |number: usize| {
        each(number.to_string().len(), &|at| {
            let digit = number.to_string().as_bytes()[at] - b'0';
            char::from(b'a' + digit).to_string()
        })
    };
    let papers = [
        (each(1_000, &|n| format!("\\input{{p/{n}}} ")), 1_000, 1),
        (each(800, &|n| format!("{n}.5, ")), 800, 1),
        (
            format!(
                "\\begin{{tabular}}{{ll}}{}\\end{{tabular}}",
                each(20_000, &|n| format!("{n} & {n}.5\\\\"))
            ),
            40_000,
            40_000,
        ),
        (
            each(10_000, &|n| {
                format!("\\newcommand{{\\m{0}}}{{{n}.5}}\\m{0}{{}} ", name(n))
            }),
            10_000,
            1,
        ),
        (
            format!("{}5.5{}", "{".repeat(200_000), "}".repeat(200_000)),
            1,
            1,
        ),
        (
            format!(
                "{}5.5{}",
                "\\begin{quote}".repeat(20_000),
                "\\end{quote}".repeat(20_000)
            ),
            1,
            1,
        ),
        (
            each(1_000, &|n| format!("w\\footnote{{{n}.5}} ")),
            1_000,
            1_001,
        ),
        (each(5_000, &|n| format!("\\includegraphics{{f{n}}}")), 0, 0),
    ];
    for (body, count, blocks) in papers {
        let text = format!(
            "\\documentclass{{a}}\\graphicspath{{{}}}\\begin{{document}}{body}\\end{{document}}",
            "{fig/}".repeat(64)
        );
        let mut files = |path: &str| match path {
            "m.tex" => Loaded::Text(text.as_str().into()),
            _ if path.starts_with("p/") => Loaded::Text("We reach 5.5 here.".into()),
            _ => Loaded::Absent,
        };
        let document = Document::read("m.tex", &mut files).expect("readable");
        let start: String = body.chars().take(20).collect();
        assert_eq!(document.problems, [], "{start}");
        assert_eq!(
            (numbers(&document), document.blocks.len()),
            (count, blocks),
            "{start}"
        );
    }
}

/// Citations, labels, marks, includes and environments of a short text, with their places.
fn named(text: &str) -> String {
    let document = read(text);
    let marks: Vec<_> = document.blocks.iter().map(|block| &block.marks).collect();
    let files: Vec<_> = document
        .includes
        .iter()
        .map(|include| (&include.target, &include.candidates, include.place))
        .collect();
    let environments: Vec<_> = document
        .environments
        .iter()
        .map(|environment| (&environment.name, environment.place))
        .collect();
    format!(
        "{:?} {:?} {:?} {marks:?} {files:?} {environments:?}",
        document.citations, document.labels, document.bibitems,
    )
}

proptest! {
    /// A word in braces is read without tokens. An empty comment before the closing brace forces the way through tokens.
    #[test]
    fn a_comment_in_an_argument_changes_nothing(
        word in "([a-c]|[*.:;,/_~\\[\\]&^é -]|\u{a0}|\\{[a-c]\\}|\\\\x){1,8}",
        command in prop::sample::select(vec![
            "\\cite", "\\citep[see]", "\\citet*", "\\nocite", "\\ref", "\\cref", "\\crefrange{q}", "\\label", "\\bibitem",
            "\\bibitem[q]", "\\begin", "\\includegraphics", "\\includegraphics[width=2cm]", "\\cite ", "\\cite\n", "\\cite%\n ",
            "\\begin{figure}\\label", "\\def\\y#1{\\cite{#1}}\\y", "\\input",
        ]),
    ) {
        let start = "\\newcommand\\x{p,q}Text ";
        prop_assert_eq!(
            named(&format!("{start}{command}{{{word}}}")),
            named(&format!("{start}{command}{{{word}%\n}}"))
        );
    }
}
