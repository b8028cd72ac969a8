//! Whole papers, if they lie beside the workspace.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read files directly")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use aris_latex::{BlockKind, Document, Loaded, MarkKind, ProblemKind};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/aris-latex")
        .to_owned()
}

fn read(dir: &Path, root: &str) -> Document {
    let mut asked = BTreeMap::new();
    let mut files = |path: &str| {
        *asked.entry(path.to_owned()).or_insert(0) += 1;
        assert_eq!(asked[path], 1, "{path} is asked for once");
        match std::fs::read_to_string(dir.join(path)) {
            Ok(text) => Loaded::Text(text.into()),
            Err(_) => Loaded::Absent,
        }
    };
    let document = Document::read(root, &mut files).expect("readable");
    check_places(&document);
    document
}

/// Every place lies in its file, on a character boundary; copied characters are the ones at their place.
fn check_places(document: &Document) {
    for block in &document.blocks {
        for (at, _) in block.text.char_indices() {
            let place = block.place(at);
            assert!(
                document.files[place.file]
                    .text
                    .is_char_boundary(place.offset)
            );
            assert!(place.offset <= document.files[place.file].text.len());
        }
        for mark in &block.marks {
            assert!(block.text.get(mark.range.clone()).is_some(), "{mark:?}");
        }
    }
}

#[test]
fn reads_the_emcee_papers() {
    let fixtures = workspace().join("../shared/fixtures/latex/emcee");
    if !fixtures.is_dir() {
        println!("skipped: {} is absent", fixtures.display());
        return;
    }
    let ms = read(&fixtures.join("document"), "ms.tex");
    assert_eq!(ms.problems, []);
    // Counted by hand: \section and \paragraph outside comments, \bibitem, \cite… keys after \begin{document}.
    assert_eq!(ms.headings.len(), 11);
    assert_eq!(
        ms.headings
            .iter()
            .filter(|heading| heading.appendix)
            .count(),
        3
    );
    assert_eq!(ms.bibitems.len(), 34);
    assert_eq!(ms.tables.len(), 0);
    let abstracts: Vec<_> = ms
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Abstract)
        .collect();
    assert_eq!(abstracts.len(), 1);
    assert!(
        abstracts[0]
            .text
            .contains("The algorithm behind emcee has several advantages")
    );
    assert!(
        abstracts[0]
            .text
            .contains("compared to ~N^2 for a traditional algorithm in an N-dimensional")
    );
    let first = &ms.citations[0];
    assert_eq!(
        (first.key.as_str(), first.command.as_str()),
        ("Dunkley:2005", "citep")
    );
    // Each cited key is among the entries.
    for citation in &ms.citations {
        assert!(
            ms.bibitems.iter().any(|item| item.key == citation.key),
            "{}",
            citation.key
        );
        let place = ms.position(citation.place);
        assert!(
            ms.quote(citation.place, 200).contains(&citation.key),
            "{place}"
        );
    }
    let joss = read(&fixtures.join("joss"), "paper.tex");
    assert_eq!(joss.problems, []);
    assert_eq!(
        joss.headings
            .iter()
            .map(|heading| heading.title.as_str())
            .collect::<Vec<_>>(),
        ["Summary", "References"]
    );
    assert_eq!(joss.citations.len(), 0);
    let authors = joss
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::FrontMatter)
        .count();
    assert_eq!(authors, 13);
    assert!(
        joss.blocks
            .iter()
            .any(|block| block.marks.iter().any(|mark| mark.kind == MarkKind::Code))
    );
    assert!(
        joss.problems
            .iter()
            .all(|problem| problem.kind != ProblemKind::Expansion)
    );
}
