//! Accuracy that the tests of crates measure: what they print here are the figures that they hold against their floors.

use std::ffi::OsStr;
use std::time::Duration;

use super::Bench;
use super::measure::{heading, row};
use crate::cargo::cargo;
use crate::fault::Fault;

/// A cold build and the faults of many papers take some minutes.
const DEADLINE: Duration = Duration::from_hours(1);

/// What other tools reach on HALLMARK `dev_public` (1,119 references): name, detection rate, F1, rate of false alarms.
///
/// **Source**: the benchmark's leaderboard, rpatrik96.github.io/research-agora/benchmarks.html, as of November 2026.
const PUBLISHED: &str = "  | tool | detected | F1 | false alarms |
  | bibtex-updater | 0.946 | 0.908 | 0.179 |
  | GPT-5.1, asked without tools | 0.797 | 0.822 | 0.171 |
  | Qwen 3 235B, asked without tools | 0.832 | 0.737 | 0.551 |
  | Gemini 2.5 Flash, asked without tools | 0.482 | 0.617 | 0.101 |
  | DOI-only | 0.256 | 0.361 | 0.195 |
  | HaRC | 0.143 | 0.250 | 0.002 |
  | verify-citations | 0.300 | 0.240 | 0.133 |";

/// What is found of faults put into real references, what real references are wrongly flagged, and what the entries alone show.
pub(super) fn literature(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("references: faults put into 357 real references, served from recorded answers");
    figures(bench, "aris-verify", "bench", &[], &[])?;
    println!(
        "  flagged: an error or a doubt, or not found. refused: an error, or not found. The faults are those of HALLMARK\n  \
         (arXiv:2607.18360), put in by this program; they are not that benchmark, and its published scores are for\n  \
         other references: compare with care. Rules were tuned on these recordings: the figures are an upper bound."
    );
    heading("500 papers, each source answering after 100 ms, within every documented pace");
    let names = ["five_hundred_papers", "--ignored"];
    figures(bench, "verify_papers", "cli", &names, &[])?;
    heading(
        "published by others, on HALLMARK dev_public (rpatrik96.github.io/research-agora/benchmarks.html)",
    );
    println!("{PUBLISHED}");
    heading(
        "references: facts that need no source, on HALLMARK dev_public (513 real, 606 invented)",
    );
    figures(bench, "aris-paper", "paper", &["labelled_references"], &[])
}

/// Which headings of PDFs are found, where a folder of papers is named.
pub(super) fn style(bench: &Bench<'_>) -> Result<(), Fault> {
    heading(
        "extract_paper_style: headings of PDFs, beside those of the sources they were made from",
    );
    let Some(papers) = bench.papers else {
        row("not measured", "--papers names no folder");
        return Ok(());
    };
    let papers = bench.workspace.root.join(papers);
    let variables = [("ARIS_STYLE_PAPERS", papers.as_os_str())];
    figures(
        bench,
        "extract_paper_style",
        "cli",
        &["headings_of_real"],
        &variables,
    )
}

/// Runs tests of a package one after the other and shows the rows of tables and the summaries that they print.
pub(super) fn figures(
    bench: &Bench<'_>,
    package: &str,
    test: &str,
    names: &[&str],
    variables: &[(&str, &OsStr)],
) -> Result<(), Fault> {
    let command = cargo(bench.workspace)
        .args([
            "test",
            "--quiet",
            "--package",
            package,
            "--test",
            test,
            "--",
        ])
        .args(names)
        .args(["--nocapture", "--test-threads=1"]);
    let command = variables
        .iter()
        .fold(command, |command, (name, value)| command.env(name, value));
    let done = command.run(DEADLINE)?;
    for line in done.stdout.text().lines() {
        let is_summary =
            line.contains(" rows ") && line.contains(" flagged") || line.starts_with("invented: ");
        // The name of a test may stand before its first row.
        if let Some(shown) = line
            .find("| ")
            .or(is_summary.then_some(0))
            .and_then(|at| line.get(at..))
        {
            println!("  {shown}");
        }
    }
    if done.code()? != 0 {
        row("not all as it must be", done.stderr.text());
    }
    Ok(())
}
