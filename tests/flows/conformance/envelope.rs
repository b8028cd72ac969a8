//! Checks the content of envelopes and of the JSON files that a run writes.

use std::path::Path;

use aris_contract::ErrorKind;
use aris_testkit::{Snapshot, assert_valid};
use serde_json::Value;

use super::for_every_helper;

/// Finds times that are not in UTC with `Z`; each with its JSON pointer.
fn foreign_times(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if is_moment(text) && !text.ends_with('Z') => {
            found.push(format!("{at}: {text}"));
        }
        Value::Array(list) => {
            for (index, item) in list.iter().enumerate() {
                foreign_times(item, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                foreign_times(item, &format!("{at}/{key}"), found);
            }
        }
        _ => {}
    }
}

/// Whether the whole string looks like `2026-11-20T10:41…`.
fn is_moment(text: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd";
    let fits = |(have, want): (char, char)| {
        if want == 'd' {
            have.is_ascii_digit()
        } else {
            have == want
        }
    };
    text.len() >= shape.len() && !text.contains(' ') && text.chars().zip(shape.chars()).all(fits)
}

/// JSON documents in a snapshot: whole files, and each line of `.jsonl` files.
fn documents(snapshot: &Snapshot) -> Vec<(String, Value)> {
    let mut documents = Vec::new();
    for path in snapshot.paths() {
        let Some(bytes) = snapshot.bytes(path) else {
            continue;
        };
        let extension = Path::new(path)
            .extension()
            .and_then(|extension| extension.to_str());
        if extension == Some("json") {
            if let Ok(value) = serde_json::from_slice(bytes) {
                documents.push((path.to_owned(), value));
            }
        } else if extension == Some("jsonl") {
            for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
                if let Ok(value) = serde_json::from_slice(line) {
                    documents.push((format!("{path}:{}", index + 1), value));
                }
            }
        }
    }
    documents
}

#[test]
fn times_of_other_zones_are_noticed() {
    let value = serde_json::json!({"a": ["2026-11-20T10:41:00Z", "2026-11-20T10:41:00+08:00", "2026-11-20"]});
    let mut found = Vec::new();
    foreign_times(&value, "", &mut found);
    assert_eq!(found, ["/a/1: 2026-11-20T10:41:00+08:00"]);
}

#[test]
fn envelopes_and_written_files_satisfy_their_schemas() {
    for_every_helper(|subject| {
        for call in subject.cases.calls {
            let project = (subject.cases.project)();
            let before = project.snapshot();
            let run = subject
                .run(&project, call, &["--json"])
                .expect_code(call.code);
            let envelope = run.envelope();
            let is_error =
                (1..10).contains(&call.code) && !subject.contract.signals().contains(&call.code);
            if is_error {
                let kind = ErrorKind::ALL
                    .into_iter()
                    .find(|kind| i32::from(kind.exit().code()) == call.code);
                assert_eq!(
                    run.error()["code"].as_str(),
                    kind.map(ErrorKind::word),
                    "{}: {run}",
                    call.what
                );
                assert!(run.stderr().contains(": error: "), "{}: {run}", call.what);
                assert!(run.error()["details"].is_object(), "{}: {run}", call.what);
            } else {
                let meta = &envelope["meta"];
                let id = meta["schema"]
                    .as_str()
                    .unwrap_or_else(|| panic!("{}: no schema: {run}", call.what));
                assert!(
                    subject.contract.schemas().contains(&id),
                    "{}: {id} is not in the contract",
                    call.what
                );
                assert_eq!(meta["helper"], subject.cases.helper);
                assert_eq!(meta["version"], subject.contract.text("version"));
                assert_valid(id, &envelope["data"], call.what);
                let count = envelope["data"].as_array().map(Vec::len);
                assert_eq!(
                    meta["count"].as_u64(),
                    count.map(|count| count as u64),
                    "{}",
                    call.what
                );
            }
            let mut foreign = Vec::new();
            foreign_times(&envelope, "", &mut foreign);
            let after = project.snapshot();
            let written = before.differences(&after);
            for (path, document) in documents(&after) {
                let file = path.split(':').next().unwrap_or(&path);
                if !written
                    .iter()
                    .any(|line| line.ends_with(&format!(" {file}")))
                {
                    continue;
                }
                foreign_times(&document, &path, &mut foreign);
                if let Some(id) = document["schema"]
                    .as_str()
                    .filter(|id| id.starts_with("aris."))
                {
                    assert_valid(id, &document, &path);
                }
            }
            assert!(
                foreign.is_empty(),
                "{}: times not in UTC: {foreign:?}",
                call.what
            );
        }
    });
}
