//! Which sentences are claims, of which type, and which are cited.

use aris_statements::feature::Feature;
use aris_statements::statement::{Statement, statements};

use crate::documents::{Document, documents, words};
use crate::interval::{ratio, with_interval};

/// Lower bounds for the second half. It has been used for development since the rules were first run on it.
const HELD_OUT_F1: f64 = 0.89;
const HELD_OUT_TYPE: f64 = 0.85;

/// A labelled sentence and its classification.
#[derive(Debug, Clone)]
struct Row {
    labelled: Option<String>,
    found: Option<String>,
    cited: (bool, bool),
}

/// Pairs each label with the statement that begins within a line of it and shares the most words.
fn rows(document: &Document) -> Vec<Row> {
    let prose = document.prose();
    let all = statements(&prose);
    let mut out = Vec::new();
    for label in &document.labels {
        let wanted = words(&label.text);
        let likeness = |statement: &&Statement| {
            let own = words(statement.text(&prose));
            own.intersection(&wanted).count() * 1_000 / (own.union(&wanted).count() + 1)
        };
        let found = all
            .iter()
            .filter(|statement| statement.line.abs_diff(label.line) <= 1)
            .max_by_key(likeness);
        let Some(statement) = found else {
            panic!(
                "{}: no sentence near line {}: {}",
                document.name, label.line, label.text
            );
        };
        let row = Row {
            labelled: label.kind.clone().filter(|_| label.claim),
            found: statement.claim_type().map(|kind| kind.to_string()),
            cited: (label.cited, statement.is_cited()),
        };
        if option_env!("ARIS_STATEMENTS_ROWS").is_some() {
            println!(
                "ROW {}",
                serde_json::json!({"doc": document.name, "type": row.labelled, "found": row.found,
                    "kind": statement.kind, "score": statement.score,
                    "cited": row.cited, "evidence": label.evidence, "features": statement.features.iter().map(Feature::name).collect::<Vec<_>>(),
                    "text": statement.text(&prose)})
            );
        }
        out.push(row);
    }
    out
}

fn count(rows: &[&Row], fits: &dyn Fn(&Row) -> bool) -> usize {
    rows.iter().filter(|row| fits(row)).count()
}

fn precision(rows: &[&Row]) -> f64 {
    let both = count(rows, &|row| row.labelled.is_some() && row.found.is_some());
    ratio(both, count(rows, &|row| row.found.is_some()))
}

fn recall(rows: &[&Row]) -> f64 {
    let both = count(rows, &|row| row.labelled.is_some() && row.found.is_some());
    ratio(both, count(rows, &|row| row.labelled.is_some()))
}

fn f1(rows: &[&Row]) -> f64 {
    let (p, r) = (precision(rows), recall(rows));
    if p + r == 0.0 {
        0.0
    } else {
        2.0 * p * r / (p + r)
    }
}

/// Accuracy of the type, among labelled claims that were found.
fn type_accuracy(rows: &[&Row]) -> f64 {
    let both = count(rows, &|row| row.labelled.is_some() && row.found.is_some());
    ratio(
        count(rows, &|row| {
            row.labelled.is_some() && row.labelled == row.found
        }),
        both,
    )
}

/// Accuracy of `cited`, among labelled claims.
fn citation_accuracy(rows: &[&Row]) -> f64 {
    let claims = count(rows, &|row| row.labelled.is_some());
    ratio(
        count(rows, &|row| {
            row.labelled.is_some() && row.cited.0 == row.cited.1
        }),
        claims,
    )
}

#[test]
fn claims_are_told_from_other_sentences() {
    let documents = documents();
    let (mut train, mut held_out) = (Vec::new(), Vec::new());
    for document in &documents {
        let half = if document.train {
            &mut train
        } else {
            &mut held_out
        };
        half.extend(rows(document));
    }
    assert!(train.len() + held_out.len() >= 450, "the corpus has shrunk");
    println!("\n| sentences | claims | precision | recall | F1 | type | citation |");
    for (name, rows) in [("first half", &train), ("second half, now", &held_out)] {
        let claims = rows.iter().filter(|row| row.labelled.is_some()).count();
        println!(
            "| {name} {} | {claims} | {} | {} | {} | {} | {} |",
            rows.len(),
            with_interval(rows, &precision),
            with_interval(rows, &recall),
            with_interval(rows, &f1),
            with_interval(rows, &type_accuracy),
            with_interval(rows, &citation_accuracy),
        );
    }
    // The second half's figures from the first run, before it influenced the rules. These are the only unbiased ones, and stay
    // fixed.
    println!(
        "| second half at first contact (unbiased) 397 | 218 | 0.939 | 0.849 | 0.892 | 0.870 | 0.936 |"
    );
    let all: Vec<&Row> = held_out.iter().collect();
    for (name, value, floor) in [
        ("F1", f1(&all), HELD_OUT_F1),
        ("type", type_accuracy(&all), HELD_OUT_TYPE),
    ] {
        assert!(value >= floor, "held-out {name} is {value:.3}");
    }
}
