//! What facts alone find in a labelled set of real and invented references.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aris_paper::bib;
use aris_paper::facts::{self, FactKind, Month};
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
    // The one proof: an entry that a program's author made up, with the title `Paper title`.
    assert_eq!(
        proofs,
        [("InProceedings2015".to_owned(), "placeholder_title")]
    );
    // A reader tolerates about one false doubt in twenty entries.
    assert!(doubts * 20 < entries, "{doubts} of {entries}");
}

/// Writes a plain value as a field. Braces and backslashes would be read as LaTeX, so they are removed.
fn field(out: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        write!(
            out,
            ",\n  {name} = {{{}}}",
            value.replace(['{', '}', '\\'], "")
        )
        .unwrap();
    }
}

#[test]
fn references_of_real_papers() {
    let Some(root) = folder("citation_bench/bibliographies") else {
        return;
    };
    let (mut all, mut flagged, mut proved) = (0, 0, 0);
    let mut files: Vec<_> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for path in files {
        let references: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for reference in references {
            let text = |name: &str| reference[name].as_str().unwrap_or_default().to_owned();
            let authors: Vec<&str> = reference["authors"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let mut bibtex = String::from("@article{k");
            field(&mut bibtex, "author", &authors.join(" and "));
            for (name, value) in [
                ("title", text("title")),
                ("journal", text("venue")),
                ("url", text("url")),
                ("doi", text("doi")),
            ] {
                field(&mut bibtex, name, &value);
            }
            if let Some(year) = reference["year"].as_u64() {
                field(&mut bibtex, "year", &year.to_string());
            }
            bibtex.push_str("\n}\n");
            let facts = found(&bibtex);
            all += 1;
            flagged += usize::from(!facts.is_empty());
            proved += usize::from(facts.iter().any(|fact| fact.kind.proves_error()));
            // The lists come from printed pages, which shorten author lists.
            let other = facts.iter().find(|fact| fact.kind != FactKind::LiteralEtAl);
            assert_eq!(other, None, "{bibtex}");
        }
    }
    println!("{all} references: {flagged} flagged, {proved} proved");
    assert_eq!((all, proved), (406, 0));
}

#[test]
fn incidents() {
    let Some(root) = folder("hallmark") else {
        return;
    };
    let text = std::fs::read_to_string(root.join("real_world_incidents.jsonl")).unwrap();
    let (mut all, mut flagged) = (0, 0);
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let facts = found(&as_bibtex(&row));
        all += 1;
        flagged += usize::from(!facts.is_empty());
        let ids: Vec<&str> = facts.iter().map(|fact| fact.kind.id()).collect();
        println!("{} {} {ids:?}", row["label"], row["bibtex_key"]);
    }
    println!("{all} incidents: {flagged} flagged");
    assert!(flagged >= 5, "{flagged}");
}
