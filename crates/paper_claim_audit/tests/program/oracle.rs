//! Compares with Python's sqlite3 running the same queries (`oracle.py`), also over damaged data, which both must notice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_testkit::{Helper, workspace_root};
use serde_json::{Value, json};

use crate::subject::{Subject, Tally, printed, rounds_to};
use crate::support::{ACCUSED, Key, Paper, agrees, status, text};

/// The rows of each query from Python's sqlite3; `None` without Python.
pub(crate) fn oracle(subject: &Subject, folder: &Path, queries: &[&str]) -> Option<Vec<Value>> {
    let root = folder.join(subject.claims["data"]["root"].as_str().unwrap_or("."));
    let views = subject.claims["data"]["view"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let script = workspace_root().join("crates/paper_claim_audit/tests/program/oracle.py");
    let asked = json!({ "root": root, "views": views, "queries": queries });
    let run = Helper::at("/usr/bin/env")
        .call(folder)
        .args(["python3".as_ref(), script.as_os_str()])
        .stdin(asked.to_string())
        .run();
    if run.code() == 127 {
        println!("skipped: there is no python3");
        return None;
    }
    Some(serde_json::from_str(run.stdout()).unwrap_or_else(|error| panic!("{error}: {run}")))
}

/// Each bound number by key: what is shown, the relation, and the oracle's value if there is one.
pub(crate) type Expected = BTreeMap<Key, (String, String, Option<f64>)>;

/// Asks the oracle for all bindings in `folder`, which contains the subject with other data.
pub(crate) fn expected(subject: &Subject, folder: &Path) -> Option<Expected> {
    let list = |value: &Value| match value {
        Value::Array(items) => items.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let (mut asked, mut found) = (Vec::new(), Expected::new());
    let of = |kind: &str| subject.claims[kind].as_array().into_iter().flatten();
    for claim in of("claim") {
        let holds = !claim["holds"].is_null();
        let values = list(if holds {
            &claim["holds"]
        } else {
            &claim["value"]
        });
        for (number, query) in values.iter().enumerate() {
            let key = (text(claim, "id").to_owned(), number);
            let sentence = subject
                .sentences
                .iter()
                .find(|sentence| sentence.id == key.0);
            let place =
                sentence.and_then(|sentence| Some((sentence, sentence.marks.get(number)?.clone())));
            let cell = subject.cells.iter().find(|cell| cell.key == key);
            let shown = match (place, cell) {
                (Some((sentence, place)), _) => subject.sources[&sentence.file][place].to_owned(),
                (None, Some(cell)) if !holds => cell.shown.clone(),
                _ => String::new(),
            };
            let relation = if holds {
                "holds".to_owned()
            } else {
                relation(claim, number)
            };
            asked.push((
                key,
                shown,
                relation,
                query.as_str().expect("SQL").to_owned(),
            ));
        }
    }
    for (key, table) in tables(subject) {
        asked.push((
            (key, 0),
            String::new(),
            relation(table, 0),
            text(table, "value").to_owned(),
        ));
    }
    let queries: Vec<&str> = asked.iter().map(|(.., query)| query.as_str()).collect();
    let answers = oracle(subject, folder, &queries)?;
    for ((key, shown, relation, _), rows) in asked.into_iter().zip(answers) {
        let rows = rows.as_array().cloned().unwrap_or_default();
        let three = rows
            .first()
            .and_then(Value::as_array)
            .is_some_and(|row| row.len() == 3);
        if !three {
            let value = if rows.len() == 1 {
                rows[0][0].as_f64()
            } else {
                None
            };
            found.insert(key, (shown, relation, value));
            continue;
        }
        for row in rows {
            let name = |value: &Value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            };
            let key = (format!("{}/{}/{}", key.0, name(&row[0]), name(&row[1])), 0);
            let cell = subject.cells.iter().find(|cell| cell.key == key);
            let shown = cell.map_or(String::new(), |cell| cell.shown.clone());
            found.insert(key, (shown, relation.clone(), row[2].as_f64()));
        }
    }
    Some(found)
}

/// Prefix of the ids of each `[[table]]`: its `id`, or the label with `#2` for cell 2 and `@2` for a second entry of that name.
pub(crate) fn tables(subject: &Subject) -> Vec<(String, &Value)> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let entries = subject.claims["table"].as_array().into_iter().flatten();
    let named = entries.map(|table| {
        let cell = table["cell"].as_u64().filter(|cell| *cell > 1);
        let label = text(table, "label");
        let name = cell.map_or_else(|| label.to_owned(), |cell| format!("{label}#{cell}"));
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count > 1 {
            format!("{name}@{count}")
        } else {
            name
        };
        (table["id"].as_str().map_or(name, str::to_owned), table)
    });
    named.collect()
}

fn relation(binding: &Value, number: usize) -> String {
    match &binding["relation"] {
        Value::Array(each) => each[number].as_str().unwrap_or("=").to_owned(),
        Value::String(one) => one.clone(),
        _ if binding["tolerance"].is_null() => "=".to_owned(),
        _ => "about".to_owned(),
    }
}

/// The status that the program must give; `None` if it depends on the last bits or on a tolerance.
fn verdict(shown: &str, relation: &str, value: Option<f64>) -> Option<&'static str> {
    let Some(value) = value else {
        return Some("binding_error");
    };
    let holds = match relation {
        "holds" => {
            return Some(if value == 0.0 {
                "scope_overclaim"
            } else {
                "agrees"
            });
        }
        "<" => value < printed(shown)?.0,
        "<=" => value <= printed(shown)?.0,
        ">" => value > printed(shown)?.0,
        ">=" => value >= printed(shown)?.0,
        "=" => rounds_to(shown, value)?,
        _ => return None,
    };
    Some(if holds { "agrees" } else { "number_mismatch" })
}

/// One change of a CSV file: another value in a cell that some query reads, a removed row, or a repeated row.
fn damaged(text: &str, kind: usize, seed: usize, read: &BTreeSet<&str>) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = 1 + (seed * 31 + 17) % lines.len().checked_sub(1).filter(|rows| *rows > 0)?;
    match kind {
        0 => {
            let names: Vec<&str> = lines[0]
                .split(',')
                .map(|name| name.trim_matches('"'))
                .collect();
            let columns: Vec<usize> = (0..names.len())
                .filter(|column| read.contains(names[*column]))
                .collect();
            let mut cells: Vec<String> = lines[at].split(',').map(str::to_owned).collect();
            let column = columns.get(seed % columns.len().max(1))?;
            let number: f64 = cells.get(*column)?.parse().ok()?;
            cells[*column] = (number * 3.0 + 1.0).to_string();
            lines[at] = cells.join(",");
        }
        1 => drop(lines.remove(at)),
        _ => lines.insert(at, lines[at].clone()),
    }
    Some(lines.join("\n") + "\n")
}

#[test]
fn damaged_data_is_found_wherever_another_engine_gets_another_value() {
    let mut problems = Vec::new();
    for subject in Subject::all() {
        let Some(before) = expected(&subject, subject.folder()) else {
            return;
        };
        let sql = subject.claims.to_string();
        let read: BTreeSet<&str> = sql
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .collect();
        let mut files = BTreeSet::new();
        for entry in subject.audit.entries() {
            let evidence = entry["evidence"].as_array().into_iter().flatten();
            files.extend(evidence.map(|file| text(file, "path").to_owned()));
        }
        files.retain(|file| {
            Path::new(file)
                .extension()
                .is_some_and(|kind| kind == "csv")
        });
        assert!(!files.is_empty(), "{} names no evidence", subject.name);
        let mut tally = Tally::default();
        for (seed, (file, kind)) in files
            .iter()
            .flat_map(|file| [(file, 0), (file, 1), (file, 2)])
            .enumerate()
        {
            let paper = Paper::copied(subject.folder());
            let root = subject.claims["data"]["root"].as_str().unwrap_or(".");
            let file = format!("{root}/{file}");
            if let Some(text) = damaged(&paper.read(&file), kind, seed, &read) {
                paper.write(&file, text);
                data_fault(
                    &subject,
                    &paper,
                    &before,
                    &format!("{file} {kind}"),
                    &mut tally,
                );
            }
        }
        tally.print("data", &subject.name);
        problems.extend(tally.problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn data_fault(subject: &Subject, paper: &Paper, before: &Expected, what: &str, tally: &mut Tally) {
    let Some(after) = expected(subject, paper.project.path()) else {
        return;
    };
    let audit = paper.audit();
    let bound = audit.bound();
    // A new row of the result has no cell, and the whole table may then be lost.
    let unknown: BTreeSet<&str> = after
        .keys()
        .filter(|key| !before.contains_key(*key))
        .filter_map(|key| Some(key.0.split_once('/')?.0))
        .collect();
    for (key, (shown, relation, _)) in before {
        let said = bound.get(key).map_or("absent", |entry| status(entry));
        let table = key.0.split_once('/').map(|(table, _)| table);
        if table.is_some_and(|table| unknown.contains(table)) {
            continue;
        }
        let wanted = match after.get(key) {
            Some((.., value)) => verdict(shown, relation, *value),
            None => Some("absent"),
        };
        match wanted {
            Some("agrees") if ACCUSED.contains(&said) => {
                tally.problems.push(format!(
                    "{}, {what}: wrongly {key:?}: {:?}",
                    subject.name,
                    bound.get(key)
                ));
            }
            None | Some("agrees") => {}
            Some(wanted) => {
                tally.planted += 1;
                if said == wanted || (wanted == "absent" && !agrees(said)) {
                    tally.found += 1;
                } else {
                    tally.problems.push(format!(
                        "{}, {what}: {key:?} is {said}, not {wanted}: {:?}",
                        subject.name,
                        bound.get(key)
                    ));
                }
            }
        }
    }
}
