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

/// What other tools reach on HALLMARK `dev_public` (1,119 references): name, detection rate, F1, rate of false alarms.
///
/// **Source**: the benchmark's leaderboard, rpatrik96.github.io/research-agora/benchmarks.html, as of November 2026.
const PUBLISHED: [(&str, f64, f64, f64); 7] = [
    ("bibtex-updater", 0.946, 0.908, 0.179),
    ("GPT-5.1, asked without tools", 0.797, 0.822, 0.171),
    ("Qwen 3 235B, asked without tools", 0.832, 0.737, 0.551),
    ("Gemini 2.5 Flash, asked without tools", 0.482, 0.617, 0.101),
    ("DOI-only", 0.256, 0.361, 0.195),
    ("HaRC", 0.143, 0.250, 0.002),
    ("verify-citations", 0.300, 0.240, 0.133),
];

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
        "published by others, on HALLMARK dev_public (rpatrik96.github.io/research-agora/benchmarks.html)",
    );
    println!("  | tool | detected | F1 | false alarms |");
    for (tool, rate, f1, alarms) in PUBLISHED {
        println!("  | {tool} | {rate:.3} | {f1:.3} | {alarms:.3} |");
    }
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
