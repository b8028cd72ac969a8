//! How far facts alone go on a labelled set of real and invented references.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aris_paper::bib;
use aris_paper::facts::{self, Month};
use serde_json::Value;

use crate::fixtures::{bib_files, folder};

const NOW: Month = Month {
    year: 2026,
    month: 11,
};

fn as_bibtex(row: &Value) -> String {
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let mut out = format!("@{}{{{}", text("bibtex_type"), text("bibtex_key"));
    for (name, value) in row["fields"].as_object().unwrap() {
        write!(out, ",\n  {name} = {{{}}}", value.as_str().unwrap()).unwrap();
    }
    out + "\n}\n"
}

fn found(text: &str) -> Vec<facts::Fact> {
    let read = bib::read(text);
    assert_eq!(read.entries.len(), 1, "{text}");
    let index = bib::Index::new([&read]);
    facts::facts(&index.resolve(&read.entries[0]), NOW)
}

#[test]
fn labelled_references() {
    let Some(root) = folder("hallmark") else {
        return;
    };
    let text = std::fs::read_to_string(root.join("dev_public.jsonl")).unwrap();
    let mut table: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    let mut by_fact: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    let (mut flagged, mut proved, mut false_alarms, mut false_proofs) = (0, 0, 0, 0);
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let real = row["label"] == "VALID";
        let kind = row["hallucination_type"]
            .as_str()
            .unwrap_or("(real)")
            .to_owned();
        let bibtex = as_bibtex(&row);
        let facts = found(&bibtex);
        let proof = facts.iter().any(|fact| fact.kind.proves_error());
        let line = table.entry(kind).or_default();
        line.0 += 1;
        line.1 += usize::from(!facts.is_empty());
        line.2 += usize::from(proof);
        for fact in &facts {
            *by_fact.entry((real, fact.kind.id())).or_default() += 1;
        }
        match (real, facts.is_empty()) {
            (true, false) => {
                println!("false alarm: {facts:?}\n{bibtex}");
                false_alarms += 1;
                false_proofs += usize::from(proof);
            }
            (false, false) => {
                flagged += 1;
                proved += usize::from(proof);
            }
            _ => {}
        }
    }
    for (kind, (all, flagged, proved)) in &table {
        println!("{kind:28} {all:4} rows {flagged:4} flagged {proved:4} proved");
    }
    println!("{by_fact:#?}");
    println!(
        "invented: {flagged} flagged, {proved} proved; real: {false_alarms} flagged, {false_proofs} proved"
    );
    assert!(flagged >= 60, "{flagged}");
    assert!(false_alarms <= 1, "{false_alarms}");
    assert_eq!(false_proofs, 0);
}

#[test]
fn nothing_is_proved_against_real_bibliographies() {
    let Some(root) = folder("bib") else { return };
    let (mut entries, mut doubts, mut proofs) = (0, 0, Vec::new());
    for path in bib_files(&root) {
        let Ok(read) = bib::read_bytes(&std::fs::read(&path).unwrap()) else {
            continue;
        };
        let index = bib::Index::new([&read]);
        for entry in &read.entries {
            entries += 1;
            for fact in facts::facts(&index.resolve(entry), NOW) {
                println!(
                    "{}:{} {} {}: {}",
                    path.display(),
                    fact.place,
                    entry.key,
                    fact.kind.id(),
                    fact.message
                );
                if fact.kind.proves_error() {
                    proofs.push((entry.key.clone(), fact.kind.id()));
                }
                doubts += 1;
            }
        }
    }
    println!("{entries} entries, {doubts} doubts");
    // An entry that a program's author made up: its title is `Paper title`.
    assert_eq!(proofs, [("InProceedings2015".to_owned(), "placeholder_title")]);
    // One in twenty is what a reader puts up with.
    assert!(doubts * 20 < entries, "{doubts} of {entries}");
}
