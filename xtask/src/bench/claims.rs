//! Accuracy of the claim audit on the labelled corpora, and time of the rule engine.
//!
//! The corpora and their labels are described in `tests/fixtures/claims/README.md` (numbers of papers) and
//! `tests/fixtures/claims/prose/README.md` (sentences). The comparisons themselves are the corpus tests of `aris-claims` and
//! `aris-statements`, so that the figures here are the ones their floors are held against.

use std::time::Duration;

use super::measure::{Call, heading, pair, row};
use crate::cargo::{build, cargo};
use crate::fault::Fault;
use crate::workspace::Workspace;

/// A cold build of an engine and its tests takes a minute or two.
const DEADLINE: Duration = Duration::from_mins(20);

/// Bytes of the documents that are timed.
const BYTES: usize = 100_000;

/// What the rule engine may take for as much, start and end of the process included.
const LIMIT: &str = "100 ms";

/// Counted runs.
const RUNS: usize = 21;

/// Documents of the corpus that are repeated until they are long enough.
const DOCUMENTS: [(&str, &str); 2] = [
    (
        "tests/fixtures/claims/prose/ml-latex-1/paper.tex",
        "paper.tex",
    ),
    (
        "tests/fixtures/claims/prose/systems-markdown-1/report.md",
        "report.md",
    ),
];

/// Runs the corpora and shows their tables, then times the rule engine.
pub(super) fn run(workspace: &Workspace) -> Result<(), Fault> {
    heading("claims: labelled status against reported status");
    corpus(workspace, "aris-claims", "corpus")?;
    heading(
        "claims in prose: labelled sentences, clean documents, seeded faults; 95 % bootstrap intervals",
    );
    corpus(workspace, "aris-statements", "prose")?;
    heading(
        "audit_claims extract: 100 kB of text, beside counting its words with tr, sort and uniq",
    );
    time(workspace)
}

/// Runs one corpus test and shows its figures.
fn corpus(workspace: &Workspace, package: &str, test: &str) -> Result<(), Fault> {
    let done = cargo(workspace)
        .args([
            "test",
            "--quiet",
            "--package",
            package,
            "--test",
            test,
            "--",
            "--nocapture",
            "--test-threads=1",
        ])
        .run(DEADLINE)?;
    let text = done.stdout.text();
    for line in text.lines().filter(|line| is_figure(line)) {
        println!("  {line}");
    }
    if done.code()? == 0 {
        Ok(())
    } else {
        Err(Fault::new(format!(
            "the {test} test of {package} failed: {}",
            done.stderr.text()
        )))
    }
}

/// The lines of the tables and the summaries: `| …` and `name: recall …`.
fn is_figure(line: &str) -> bool {
    line.starts_with("| ") || line.contains(": recall ")
}

fn time(workspace: &Workspace) -> Result<(), Fault> {
    let (folder, problem) = build(workspace, &["audit_claims"], "release")?;
    if let Some(problem) = problem {
        return Err(Fault::new(format!(
            "audit_claims does not build: {problem}"
        )));
    }
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    for (source, name) in DOCUMENTS {
        let text = aris_fs::read_text(&workspace.at(source))?;
        let path = temp.path().join(name);
        aris_fs::write_atomic(&path, long(&text).as_bytes()).map_err(Fault::from_error)?;
        let ours = Call::new(
            folder.join("audit_claims"),
            &["extract", "--file", name],
            temp.path(),
        );
        let script = format!("tr -cs '[:alnum:]' '\\n' < {name} | sort | uniq -c");
        let (ours, theirs) = pair(&ours, &Call::shell(&script, temp.path()), RUNS)?;
        row(&format!("{name}, limit {LIMIT}"), ours.millis());
        row("words counted by tr, sort, uniq", theirs.millis());
        row("ratio", ours.over(&theirs).ratio());
    }
    Ok(())
}

/// The body of a document, repeated until there are enough bytes.
fn long(text: &str) -> String {
    let (head, body, tail) = match (text.split_once("\\maketitle"), text.find("\\end{document}")) {
        (Some((head, _)), Some(end)) => {
            let body = text.get(head.len()..end).unwrap_or("");
            (head, body, text.get(end..).unwrap_or(""))
        }
        _ => ("", text, ""),
    };
    let mut out = head.to_owned();
    while !body.is_empty() && out.len() < BYTES {
        out.push_str(body);
        out.push_str("\n\n");
    }
    out + tail
}
