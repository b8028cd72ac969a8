//! Accuracy of the claim audit on the labelled corpus: the confusion table, recall and precision on contradictions.
//!
//! The corpus and its labels are described in `tests/fixtures/claims/README.md`. The comparison itself is the corpus test of
//! `aris-claims`, so that the figures here are the ones its floors are held against.

use std::time::Duration;

use super::measure::heading;
use crate::cargo::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

/// A cold build of the engine and its tests takes a minute or two.
const DEADLINE: Duration = Duration::from_mins(20);

/// Runs the corpus and shows its table.
pub(super) fn run(workspace: &Workspace) -> Result<(), Fault> {
    heading("claims: labelled status against reported status");
    let done = cargo(workspace)
        .args([
            "test",
            "--quiet",
            "--package",
            "aris-claims",
            "--test",
            "corpus",
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
            "the corpus test failed: {}",
            done.stderr.text()
        )))
    }
}

/// The lines of the confusion table and the summaries: `| …` and `name: recall …`.
fn is_figure(line: &str) -> bool {
    line.starts_with("| ") || line.contains(": recall ")
}
