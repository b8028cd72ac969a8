//! Measures the time for large data:
//! `cargo test -p aris-evidence --release --test throughput -- --ignored --nocapture --test-threads 1`.

#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use aris_evidence::{Limits, Question, Settings, evaluate};

/// Writes about `bytes` of CSV: a label, a counter, and eight columns of numbers.
fn write(path: &Path, bytes: usize, seed: u64) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let mut text = String::from("method,step,a,b,c,d,e,f,g,h\n");
    let (mut state, mut row, mut written) = (seed, 0, 0);
    while written < bytes {
        write!(text, "m{},{row}", row % 7).unwrap();
        for _ in 0..8 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let (whole, fraction) = ((state >> 60) % 10, (state >> 40) % 100_000);
            write!(text, ",{whole}.{fraction:05}").unwrap();
        }
        text.push('\n');
        file.write_all(text.as_bytes()).unwrap();
        (row, written) = (row + 1, written + text.len());
        text.clear();
    }
}

/// One of the column names for any number.
fn column(number: usize) -> char {
    "abcdefgh".chars().nth(number % 8).unwrap()
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.unwrap_or_default().to_owned()
}

fn measure(root: &Path, what: &str, questions: &[String]) {
    let root = root.canonicalize().unwrap();
    let settings = Settings {
        root: root.clone(),
        allowed: vec![root],
        ..Settings::default()
    };
    let questions: Vec<Question> = questions
        .iter()
        .map(|sql| Question {
            sql: sql.clone(),
            most_rows: 1000,
        })
        .collect();
    let start = Instant::now();
    let evaluation = evaluate(&settings, &questions, &Limits::default());
    let wall = start.elapsed();
    for answer in &evaluation.answers {
        assert!(answer.is_ok(), "{answer:?}");
    }
    let bytes: u64 = evaluation
        .files
        .values()
        .map(|facts| facts.as_ref().unwrap().bytes)
        .sum();
    println!(
        "{what}: {} questions, {} files, {bytes} bytes: {wall:?}, {}",
        questions.len(),
        evaluation.files.len(),
        peak()
    );
}

#[test]
#[ignore = "takes seconds and 200 MB of disk"]
fn throughput() {
    let folder = tempfile::tempdir().unwrap();
    for file in 0..100 {
        write(&folder.path().join(format!("{file}.csv")), 1 << 20, file);
    }
    write(&folder.path().join("large.csv"), 100 << 20, 1);
    let many: Vec<String> = (0..1000)
        .map(|at| {
            format!(
                "select avg({}) from \"{}.csv\" where method = 'm{}' and step >= {at}",
                column(at),
                at % 100,
                at % 7
            )
        })
        .collect();
    measure(folder.path(), "many files", &many);
    let one: Vec<String> = (0..20)
        .map(|at| {
            format!(
                "select 100 * avg({}) from \"large.csv\" where method = 'm{}'",
                column(at % 3),
                at % 7
            )
        })
        .collect();
    measure(folder.path(), "one file", &one);
    let mut file =
        std::io::BufWriter::new(std::fs::File::create(folder.path().join("list.json")).unwrap());
    file.write_all(b"[").unwrap();
    for row in 0..600_000 {
        let comma = if row == 0 { "" } else { "," };
        let value = f64::from(row) / 7.0;
        writeln!(file, "{comma}{{\"method\": \"m{}\", \"step\": {row}, \"eval\": {{\"accuracy\": {value:.5}, \"loss\": 0.25}}, \"value\": {value:.5}}}", row % 7).unwrap();
    }
    file.write_all(b"]").unwrap();
    file.flush().unwrap();
    let list = [
        "select avg(value), max(step) from \"list.json\"",
        "select avg(eval ->> '$.accuracy') from \"list.json\"",
    ];
    measure(folder.path(), "one list of JSON", &list.map(str::to_owned));
}
