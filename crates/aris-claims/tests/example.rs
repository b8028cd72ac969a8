//! The example paper that ships with the skills: a real paper over real results, whose every number is right. Nothing in it may be
//! called wrong; a number that cannot be mapped is `missing_evidence` or `ambiguous_mapping`, never a mismatch.
//!
//! Lessons it holds: a spelled "one" or "two" is a claim only before a count noun; `\qty{256}{B}` is 256 bytes, not billions; a
//! caption "Median … Mean over 5 runs" says that the cell is the mean over runs of a median; "from 1 KiB to 64 KiB grows by
//! 8.0\%" compares the two rows that the sentence names; columns `mean`, `std`, `best`, `worst` are aggregates over the
//! runs; `\qty{1}{KiB}` names a condition, as in `#/1KiB/…`; a sentence start such as "100 repetitions" is configuration.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_claims::{EvidenceReader, Pins};
use aris_latex::{Document, Loaded};

fn files(below: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(below)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

#[test]
fn the_example_paper_is_not_accused() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills/paper-writing/assets/example");
    let mut found = Vec::new();
    files(&root.join("paper"), &mut found);
    let sources: BTreeMap<String, String> = found
        .iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "tex"))
        .map(|path| {
            let name = path
                .strip_prefix(root.join("paper"))
                .unwrap()
                .display()
                .to_string();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    let mut loader = |path: &str| {
        sources.get(path).map_or(Loaded::Absent, |text| {
            Loaded::Text(Arc::from(text.as_str()))
        })
    };
    let document = Document::read("main.tex", &mut loader).unwrap();
    let mut reader = EvidenceReader::default();
    let mut results = Vec::new();
    files(&root.join("results"), &mut results);
    for path in results {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        reader.add(&name, &std::fs::read(&path).unwrap()).unwrap();
    }
    let report = aris_claims::audit(&document, &reader.finish(), &Pins::default());
    let accused: Vec<String> = report
        .mismatches()
        .map(|claim| {
            format!(
                "{}:{} {} {}: {}",
                claim.place.file,
                claim.place.line,
                claim.text,
                claim.status.name(),
                claim.detail
            )
        })
        .collect();
    assert!(
        accused.is_empty(),
        "{} false accusations:\n{}",
        accused.len(),
        accused.join("\n")
    );
}
