//! The labelled corpus: every number of ten invented papers with its true status.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_claims::score::{Confusion, labels, score};
use aris_claims::{ClaimReport, EvidenceReader, Pins};
use aris_latex::{Document, Loaded};

fn files(root: &Path, below: &Path, out: &mut Vec<(String, PathBuf)>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(below).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(root, &path, out);
        } else {
            out.push((path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"), path));
        }
    }
}

fn corpus() -> PathBuf {
    let own = std::env!("CARGO_MANIFEST_DIR");
    let base = std::option_env!("ARIS_CLAIMS_CORPUS").map_or_else(|| Path::new(own).join("../../tests/fixtures/claims"), PathBuf::from);
    base.canonicalize().unwrap()
}

fn audit(tree: &Path) -> (ClaimReport, BTreeMap<String, String>) {
    let mut sources = Vec::new();
    files(&tree.join("paper"), &tree.join("paper"), &mut sources);
    let sources: BTreeMap<String, String> = sources
        .into_iter()
        .filter(|(name, _)| name.ends_with(".tex"))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect();
    let pairs: Vec<(&String, &String)> = sources.iter().collect();
    let root = aris_latex::find_root(&pairs).unwrap();
    let mut loader = |path: &str| sources.get(path).map_or(Loaded::Absent, |text| Loaded::Text(Arc::from(text.as_str())));
    let document = Document::read(&root, &mut loader).unwrap();
    let mut reader = EvidenceReader::default();
    let mut results = Vec::new();
    if tree.join("results").is_dir() {
        files(tree, &tree.join("results"), &mut results);
    }
    for (name, path) in results {
        reader.add(&name, &std::fs::read(path).unwrap()).unwrap();
    }
    let evidence = reader.finish();
    (aris_claims::audit(&document, &evidence, &Pins::default()), sources)
}

fn judge(tree: &Path) -> Confusion {
    let (report, sources) = audit(tree);
    let Ok(text) = std::fs::read_to_string(tree.join("labels.jsonl")) else { return Confusion::default() };
    let line = |file: &str, number: usize| {
        sources.get(file).and_then(|text| text.lines().nth(number - 1)).unwrap_or("").to_owned()
    };
    score(&labels(&text).unwrap(), &report, &line)
}

#[test]
fn the_corpus_is_judged_as_labelled() {
    let only = std::option_env!("ARIS_CLAIMS_TREES").map(|list| list.split(',').collect::<Vec<_>>());
    let mut all = Confusion::default();
    let mut trees: Vec<PathBuf> = std::fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    trees.sort();
    for tree in trees {
        let name = tree.file_name().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| !only.contains(&name.as_str())) {
            continue;
        }
        let confusion = judge(&tree);
        println!("{name}: recall {:?} precision {:?} accuracy {:?}", confusion.recall(), confusion.precision(), confusion.accuracy());
        all.add(&confusion);
    }
    for (expected, row) in &all.cells {
        println!("{expected}: {row:?}");
    }
    if std::option_env!("ARIS_CLAIMS_MISSES").is_some() {
        for miss in &all.misses {
            println!("MISS {} {:?} {} -> {} | {}", miss.id, miss.text, miss.expected, miss.reported, miss.detail);
        }
        for extra in &all.unlabelled {
            println!("EXTRA {extra}");
        }
    }
    println!("all: recall {:?} precision {:?} accuracy {:?}", all.recall(), all.precision(), all.accuracy());
}
