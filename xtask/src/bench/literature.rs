//! Accuracy of reference checking on recorded answers: what is found of faults put into real references, what real references are
//! wrongly flagged, and what the entries alone show.
//!
//! The comparison itself is the test `bench` of `aris-verify`, and for facts that need no source `paper` of `aris-paper`, so that the
//! figures here are the ones their floors are held against.

use std::time::Duration;

use super::measure::heading;
use crate::cargo::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

/// A cold build of the engine and its tests takes some minutes.
const DEADLINE: Duration = Duration::from_mins(30);

/// Runs both and shows their tables.
pub(super) fn run(workspace: &Workspace) -> Result<(), Fault> {
    heading("references: faults put into 357 real references, served from recorded answers");
    figures(workspace, "aris-verify", "bench", "")?;
    println!(
        "  flagged: an error or a doubt, or not found. refused: an error, or not found. The faults are those of HALLMARK\n  \
         (arXiv:2607.18360), put in by this program; they are not that benchmark, and its published scores are for\n  \
         other references: compare with care. Rules were tuned on these recordings: the figures are an upper bound."
    );
    heading(
        "references: facts that need no source, on HALLMARK dev_public (513 real, 606 invented)",
    );
    figures(workspace, "aris-paper", "paper", "labelled_references")
}

fn figures(workspace: &Workspace, package: &str, test: &str, name: &str) -> Result<(), Fault> {
    let done = cargo(workspace)
        .args([
            "test",
            "--quiet",
            "--package",
            package,
            "--test",
            test,
            "--",
            name,
        ])
        .args(["--nocapture", "--test-threads=1"])
        .run(DEADLINE)?;
    let text = done.stdout.text();
    for line in text.lines().filter(|line| is_figure(line)) {
        println!("  {line}");
    }
    if done.code()? == 0 {
        Ok(())
    } else {
        Err(Fault::new(format!(
            "the test failed: {}",
            done.stderr.text()
        )))
    }
}

/// Lines of tables, and the summaries.
fn is_figure(line: &str) -> bool {
    line.starts_with("| ")
        || line.contains(" rows ") && line.contains(" flagged")
        || line.starts_with("invented: ")
}
