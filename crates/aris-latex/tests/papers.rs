//! Whole papers: the labelled corpus of the workspace and, where they lie beside it, real papers.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read files directly")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use aris_latex::{BlockKind, Document, Loaded, MarkKind, ProblemKind, find_root};

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

fn tex_files(dir: &Path, below: &str, out: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(dir.join(below)).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("UTF-8");
        let path = if below.is_empty() {
            name
        } else {
            format!("{below}/{name}")
        };
        if entry.path().is_dir() {
            tex_files(dir, &path, out);
        } else if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "tex")
        {
            let text = std::fs::read_to_string(entry.path()).expect("UTF-8");
            out.push((path, text));
        }
    }
    out.sort();
}

/// Visible text by the source byte it comes from.
fn visible(document: &Document) -> BTreeMap<(String, usize), String> {
    let mut map: BTreeMap<(String, usize), String> = BTreeMap::new();
    for block in &document.blocks {
        for (at, c) in block.text.char_indices() {
            let place = block.place(at);
            map.entry((document.files[place.file].path.clone(), place.offset))
                .or_default()
                .push(c);
        }
    }
    map
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[test]
fn every_labelled_number_is_visible_at_its_place() {
    let corpus = workspace().join("tests/fixtures/claims");
    if !corpus.is_dir() {
        println!("skipped: {} is absent", corpus.display());
        return;
    }
    let (mut checked, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(&corpus).expect("a directory") {
        let tree = entry.expect("an entry").path();
        let paper = tree.join("paper");
        let Ok(labels) = std::fs::read_to_string(tree.join("labels.jsonl")) else {
            continue;
        };
        let mut files = Vec::new();
        tex_files(&paper, "", &mut files);
        let root = find_root(&files).expect("a root document");
        let document = read(&paper, &root);
        assert_eq!(document.problems, [], "{}", paper.display());
        let visible = visible(&document);
        let sources: BTreeMap<&str, &str> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        for line in labels.lines() {
            let label: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let (Some(file), Some(text)) = (label["file"].as_str(), label["text"].as_str()) else {
                continue;
            };
            let file = file.strip_prefix("paper/").expect("below paper/");
            let number = usize::try_from(label["line"].as_u64().expect("a line")).expect("small");
            let occurrence =
                usize::try_from(label["occurrence"].as_u64().expect("a count")).expect("small");
            let source = sources[file];
            let start: usize = source
                .split_inclusive('\n')
                .take(number - 1)
                .map(str::len)
                .sum();
            let source_line = source
                .get(start..)
                .expect("in bounds")
                .lines()
                .next()
                .expect("the line");
            let found: Vec<usize> = match label["column"].as_u64() {
                Some(column) => {
                    let skip = usize::try_from(column).expect("small") - 1;
                    let at = source_line
                        .char_indices()
                        .nth(skip)
                        .map_or(source_line.len(), |(at, _)| at);
                    vec![at]
                }
                None => source_line.match_indices(text).map(|(at, _)| at).collect(),
            };
            let at = if found.len() == 1 {
                found[0]
            } else {
                found[occurrence - 1]
            };
            let shown: String = (start + at..start + at + text.len())
                .filter_map(|offset| visible.get(&(file.to_owned(), offset)))
                .map(String::as_str)
                .collect();
            // Lengths, table preambles, listings and the like are labelled too, but nobody sees them.
            if shown.is_empty() && label["status"] == "not_a_claim" {
                let note = label["note"].as_str().unwrap_or_default();
                let hidden = [
                    "dimension",
                    "layout argument",
                    "verbatim",
                    "listing",
                    "equation number",
                ];
                assert!(hidden.iter().any(|word| note.contains(word)), "{label}");
                continue;
            }
            checked += 1;
            let shown = shown.replace(" × 10^{", "e");
            let expected = digits(&text.replace("\\times10^{", "e"));
            // A macro shows its own digits at the call, a word itself.
            let good = if text.starts_with('\\') && expected.is_empty() {
                !shown.is_empty()
            } else {
                digits(&shown) == expected
            };
            if !good || shown.is_empty() {
                wrong.push(format!("{}: {text:?} shown as {shown:?}", label["id"]));
            }
        }
    }
    println!("{checked} labels, {} wrong", wrong.len());
    assert!(checked > 0);
    assert!(
        wrong.is_empty(),
        "{} of {checked}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
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
