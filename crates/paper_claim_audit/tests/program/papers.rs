//! Public papers with their data and hand-written bindings.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::oracle::{expected, tables};
use crate::subject::{Subject, Tally, claims, line_of, place, public};
use crate::support::{ACCUSED, Paper, agrees, number, status, text};

#[test]
fn every_labelled_binding_agrees_with_its_data() {
    let mut problems = Vec::new();
    for folder in public() {
        let name = folder
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let subject = Subject::read(&name, &folder);
        let mut tally = Tally::default();
        let bound = subject.audit.bound();
        for entry in bound.values() {
            tally.planted += 1;
            if agrees(status(entry)) {
                tally.found += 1;
            } else {
                tally.problems.push(format!("{name}: {entry}"));
            }
        }
        tally.print("bindings", &name);
        for claim in subject.claims["claim"].as_array().into_iter().flatten() {
            let numbers = claim["value"].as_array().map_or(1, Vec::len);
            let entries = subject.audit.of(text(claim, "id")).len();
            assert_eq!(entries, numbers, "{name}: {claim}");
        }
        for (table, _) in tables(&subject) {
            let below = format!("{table}/");
            assert!(
                bound.keys().any(|(id, _)| id.starts_with(&below)),
                "{name}: no cell of {table}"
            );
        }
        problems.extend(tally.problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_bound_number_stands_where_its_mark_stands() {
    for subject in Subject::all() {
        for sentence in &subject.sentences {
            let source = &subject.sources[&sentence.file];
            for (mark, entry) in sentence.marks.iter().zip(subject.audit.of(&sentence.id)) {
                assert_eq!(text(entry, "file"), sentence.file, "{entry}");
                let (_, offset) = place(entry, source);
                // A sign or a command may precede the digits.
                assert!(
                    mark.contains(&offset),
                    "{} of line {}: {entry}",
                    sentence.id,
                    line_of(source, mark.start)
                );
            }
        }
    }
}

#[test]
fn every_value_is_the_one_that_another_engine_calculates() {
    for subject in Subject::all() {
        let Some(expected) = expected(&subject, subject.folder()) else {
            return;
        };
        let bound = subject.audit.bound();
        for (key, (_, relation, value)) in &expected {
            let entry = bound
                .get(key)
                .unwrap_or_else(|| panic!("{}: {key:?} is absent", subject.name));
            let theirs = value
                .unwrap_or_else(|| panic!("{}: the oracle has no value of {key:?}", subject.name));
            if relation == "holds" {
                assert_eq!(agrees(status(entry)), theirs != 0.0, "{entry}");
                continue;
            }
            let ours = number(&entry["value"]).unwrap_or_else(|| panic!("no value: {entry}"));
            let close = (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1e-300);
            assert!(close, "{}: {key:?} gives {theirs}: {entry}", subject.name);
        }
        assert_eq!(
            expected.len(),
            bound.len(),
            "{}: {:?}",
            subject.name,
            bound.keys()
        );
    }
}

#[test]
fn every_labelled_contradiction_is_a_mismatch_and_no_other_label_is_accused() {
    let mut problems = Vec::new();
    for folder in public() {
        let name = folder
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text_of =
            |file: &str| std::fs::read_to_string(folder.join(file)).expect("a file of the paper");
        let labels: Value = serde_json::from_str(&text_of("labels.json")).expect("labels.json");
        let labels = labels["labels"].as_array().expect("labels").clone();
        let mut toml = text_of("claims.toml");
        let wrong: Vec<&Value> = labels
            .iter()
            .filter(|label| label["expect"] == "mismatch")
            .collect();
        for (number, label) in wrong.iter().enumerate() {
            let [anchor, query] = ["anchor", "query"].map(|field| text(label, field));
            let file = text(label, "file");
            let place = format!("id = \"label {number}\"\nin = '{file}'\ntext = '''{anchor}'''");
            toml = format!("{toml}\n[[claim]]\n{place}\nvalue = '''{query}'''\n");
        }
        let paper = Paper::copied(&folder);
        paper.write("claims.toml", toml);
        let audit = paper.audit();
        let mut tally = Tally::default();
        for (number, label) in wrong.iter().enumerate() {
            tally.planted += 1;
            let entries = audit.of(&format!("label {number}"));
            match entries.as_slice() {
                [entry] if status(entry) == "number_mismatch" => tally.found += 1,
                other => tally.problems.push(format!("{name}: {label}: {other:?}")),
            }
        }
        let mut sources = BTreeMap::new();
        for entry in audit
            .entries()
            .iter()
            .filter(|entry| ACCUSED.contains(&status(entry)))
        {
            if text(entry, "id").starts_with("label ") {
                continue;
            }
            // Only the contradictions may be accused, and never at the place of another label.
            let file = text(entry, "file").to_owned();
            let source = sources
                .entry(file.clone())
                .or_insert_with(|| text_of(&file));
            tally.problems.push(format!(
                "{name}: wrongly {:?} {entry}",
                place(entry, source)
            ));
        }
        if !wrong.is_empty() && !["FAIL", "ERROR"].contains(&audit.verdict()) {
            tally.problems.push(format!("{name}: {audit}"));
        }
        tally.print("contradictions", &name);
        problems.extend(tally.problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn numbers_that_nobody_bound_are_listed_and_not_accused() {
    for folder in public() {
        let paper = Paper::copied(&folder);
        let mut toml = String::from("version = 1\n[data]\n");
        for key in ["root", "include", "exclude"] {
            let value = &claims(&folder)["data"][key];
            if !value.is_null() {
                toml = format!("{toml}{key} = {value}\n");
            }
        }
        paper.write("claims.toml", toml);
        let audit = paper.audit();
        assert!(["WARN", "ERROR"].contains(&audit.verdict()), "{audit}");
        assert!(audit.bound().is_empty(), "{audit}");
        let unbound = audit.unbound();
        assert!(unbound.len() > 10, "{unbound:?}");
        assert!(
            audit
                .entries()
                .iter()
                .all(|entry| !text(entry, "kind").is_empty()),
            "{audit}"
        );
    }
}
