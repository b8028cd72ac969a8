//! Any text is read without a panic, in linear time, with every place in bounds.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read files directly")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use aris_latex::{Block, Document, Loaded, MarkKind};
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
    let mut files = |path: &str| match path {
        "m.tex" => Loaded::Whole(Arc::new(text.to_owned())),
        "part.tex" => Loaded::Whole(Arc::new(part.to_owned())),
        _ => Loaded::Absent,
    };
    let counted = Document::read_for_counting("m.tex", &mut files).expect("readable");
    assert_eq!(counted.blocks.len(), document.blocks.len());
    for (block, counted) in document.blocks.iter().zip(&counted.blocks) {
        let of = |block: &Block| {
            let marks = block.marks.iter().map(|mark| match &mark.kind {
                MarkKind::Cite { .. } => (mark.range.clone(), None),
                MarkKind::Ref { .. } => (mark.range.clone(), Some(MarkKind::Math)),
                kind => (mark.range.clone(), Some(kind.clone())),
            });
            let marks: Vec<_> = marks.collect();
            let kind = block.kind.clone();
            (kind, block.section, block.text.clone(), marks, block.start)
        };
        assert_eq!(of(block), of(counted));
        assert_eq!(counted.place(counted.text.len() / 2), counted.start);
    }
    let named = |document: &Document| {
        let includes = document.includes.iter();
        let names: Vec<_> = includes
            .map(|include| (include.target.clone(), include.outcome.clone()))
            .collect();
        let citations = (document.citations.clone(), document.refs.clone());
        (names, citations, document.problems.clone())
    };
    assert_eq!(named(&document), named(&counted));
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
        .chain(document.refs.iter().map(|reference| reference.place))
        .chain(document.labels.iter().map(|label| label.place))
        .chain(document.includes.iter().map(|include| include.place))
    {
        assert!(
            document.files[place.file]
                .text
                .is_char_boundary(place.offset)
        );
    }
    for table in &document.tables {
        for (number, row) in table.rows.iter().enumerate() {
            assert!(row.cells.iter().all(|at| *at < document.blocks.len()));
            for column in 0..3 {
                let cell = table.cell_at(&document.blocks, number, column);
                assert!(cell.is_none_or(|at| at < document.blocks.len()));
            }
        }
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
    assert_eq!(document.problems, []);
    let starts: Vec<usize> = document
        .blocks
        .iter()
        .map(|block| block.start.offset)
        .collect();
    assert!(starts.is_sorted(), "{starts:?}");
}

/// Four times the text may take about four times as long; quadratic work would take sixteen.
#[test]
fn hostile_text_takes_linear_time() {
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
    ];
    for opener in openers {
        let time = |count: usize| {
            let text = format!(
                "\\newcommand{{\\y}}[1]{{#1#1}}\\newcommand{{\\z}}[1]{{\\y{{#1}}}}\\newenvironment{{foo}}[1]{{#1}}{{}}{}",
                opener.repeat(count)
            );
            let start = Instant::now();
            let mut files = |path: &str| {
                if path == "m.tex" {
                    Loaded::Text(text.as_str().into())
                } else {
                    Loaded::Absent
                }
            };
            drop(Document::read("m.tex", &mut files));
            start.elapsed()
        };
        let (small, large) = (time(4_000), time(16_000));
        // The budget of expansion is a constant: a text that exhausts it may take that long at any size.
        assert!(
            large < small * 10 + Duration::from_millis(500),
            "{opener:?}: {small:?}, then {large:?}"
        );
    }
}

/// Reads 5 MB of ordinary text; the figure is printed, the bound is generous because machines are shared.
#[test]
fn five_megabytes() {
    let body = include_str!("sample.tex");
    let (head, rest) = body.split_once("\\begin{document}").expect("a preamble");
    let body = rest.replace("\\end{document}", "");
    let text: Arc<str> = format!(
        "{head}\\begin{{document}}{}\\end{{document}}",
        body.repeat(5_000_000 / body.len())
    )
    .into();
    let start = Instant::now();
    let mut files = |_: &str| Loaded::Text(text.clone());
    let document = Document::read("m.tex", &mut files).expect("readable");
    let took = start.elapsed();
    println!(
        "{} bytes, {} blocks in {took:?}",
        text.len(),
        document.blocks.len()
    );
    assert!(took < Duration::from_secs(20));
}

/// What a short text names, with the places.
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
        "{:?} {:?} {:?} {:?} {marks:?} {files:?} {environments:?}",
        document.citations, document.refs, document.labels, document.bibitems,
    )
}

proptest! {
    /// A word in braces is read without tokens; a comment before the closing brace, which says nothing, asks for them.
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
