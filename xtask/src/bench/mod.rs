//! `cargo xtask bench`: measures the project's claims about speed and accuracy, beside a peer or a limit in the same run.
//!
//! `cases.toml` lists the measurements, `make.sh` makes their files. Accuracy is measured by tests in the crates, whose tables are
//! printed.
//!
//! Every time is that of a whole process from start to end: min / median / max over the counted runs. Ratios are computed pair by pair,
//! because machines drift. Nothing passes or fails: the numbers are for people to read.

mod measure;
mod peers;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_proc::{End, Stdout};
use serde::Deserialize;

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::{Workspace, variable};
use measure::{Pair, row};

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Topic {
    /// Everything below
    All,
    /// The claim audit on papers with data: bindings, planted faults, proposals, time of 1,000 bindings
    Claims,
    /// The wiki's coverage over 300 MiB in 20,000 files, beside reading them
    Coverage,
    /// Figures of 500 and 5,000 nodes, beside reading and writing the same bytes
    Figures,
    /// The gate on 4 audits of 10 files, beside sha256sum and jq
    Gate,
    /// Installing all skills and looking after them, beside ln and cp
    Install,
    /// Launchers and shims, beside the binary itself
    Launcher,
    /// The linter over trees of 1,000 and 10,000 files, beside reading them
    Lint,
    /// Accuracy of reference checking on recorded answers, and the time that 500 papers take
    Literature,
    /// 10, 1,000 and 10,000 trivial jobs, beside starting as many shells
    Queue,
    /// Validating recipes of 60 and 5,000 steps, beside `PyYAML` reading them
    Recipe,
    /// A record of 100,000 files, and the way from one number to its run
    Runs,
    /// Headings found in PDFs, beside those of their sources; `--papers` has `x.pdf` beside `x.tex`
    Style,
    /// Start-up of every helper, beside the smallest program
    Startup,
    /// One trace record, beside the durable writes it consists of
    Trace,
    /// Changes of a wiki of 10,000 pages, beside the reference's program
    Wiki,
}

/// Time limit; a cold build and the planted faults of many papers take some minutes.
const DEADLINE: Duration = Duration::from_hours(1);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

/// A measurement in one folder, or by one test.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    topic: Topic,
    heading: String,
    /// Helpers that it needs; empty for all of them.
    #[serde(default)]
    helpers: Vec<String>,
    /// Arguments for `make.sh`, which fills the folder.
    #[serde(default)]
    make: String,
    /// Subfolder in which the pairs are run.
    #[serde(default)]
    folder: String,
    #[serde(default)]
    pair: Vec<Pair>,
    /// Package, target and filters of the tests that measure.
    #[serde(default)]
    test: String,
    /// Environment variables of the tests; `{papers}` stands for the folder of papers, `{built}` for that of the helpers.
    #[serde(default)]
    variables: BTreeMap<String, String>,
    /// Default folder of papers.
    #[serde(default)]
    papers: String,
    /// A note that readers of the numbers need.
    #[serde(default)]
    note: String,
}

fn cases() -> Result<Vec<Case>, Fault> {
    let table: Table =
        toml_edit::de::from_str(include_str!("cases.toml")).map_err(Fault::from_error)?;
    Ok(table.case)
}

/// Builds the helpers that `topic` needs in release mode and measures it; `papers` replaces the default folder of papers.
pub(crate) fn run(workspace: &Workspace, topic: Topic, papers: Option<&Path>) -> Result<u8, Fault> {
    let cases = cases()?;
    let all: Vec<&str> = workspace.rows.iter().map(|row| row.name.as_str()).collect();
    for case in cases
        .iter()
        .filter(|case| topic == Topic::All || topic == case.topic)
    {
        let named: Vec<&str> = case.helpers.iter().map(String::as_str).collect();
        let helpers = if named.is_empty() { &all } else { &named };
        let bench = Bench {
            workspace,
            built: cargo::build(workspace, helpers, "release")?,
            turn: Cell::new(0),
        };
        println!("\n{}; min / median / max", case.heading);
        if case.test.is_empty() {
            bench.time(case)?;
        } else {
            bench.test(case, papers)?;
        }
        print!("{}", case.note);
    }
    Ok(0)
}

/// The state of a measurement.
struct Bench<'a> {
    workspace: &'a Workspace,
    /// Folder of the built helpers.
    built: PathBuf,
    /// Number of the current run.
    turn: Cell<usize>,
}

impl Bench<'_> {
    /// Times the pairs of a case in a new folder.
    fn time(&self, case: &Case) -> Result<(), Fault> {
        let place = tempfile::tempdir().map_err(Fault::from_error)?;
        if !case.make.is_empty() {
            let make = self.variables().into_iter().fold(
                aris_proc::command("sh", place.path()),
                |command, (name, value)| command.env(name, value),
            );
            let make = make.arg(self.script()).args(case.make.split(' '));
            if make.run_attached(Stdout::Same, Some(DEADLINE))? != End::Exited(0) {
                return Err(Fault::new(format!(
                    "make.sh {}: why stands above",
                    case.make
                )));
            }
        }
        let folder = place.path().join(&case.folder);
        for pair in &case.pair {
            if !pair.ours.contains("{helper}") {
                self.compare(pair, &folder)?;
                continue;
            }
            for helper in &self.workspace.rows {
                self.compare(&pair.of_helper(&helper.name), &folder)?;
            }
        }
        Ok(())
    }

    fn script(&self) -> PathBuf {
        self.workspace.at("xtask/src/bench/make.sh")
    }

    /// Environment variables for scripts; the helpers come first on the `PATH`.
    fn variables(&self) -> [(&'static str, OsString); 4] {
        let mut path = OsString::from(&self.built);
        if let Some(others) = variable("PATH") {
            path.push(":");
            path.push(others);
        }
        [
            ("PATH", path),
            ("BUILT", self.built.clone().into()),
            ("ROOT", self.workspace.root.clone().into()),
            ("MAKE", self.script().into()),
        ]
    }

    /// Measures with tests; skips them if the folder of papers is missing.
    fn test(&self, case: &Case, papers: Option<&Path>) -> Result<(), Fault> {
        let papers = papers.unwrap_or(Path::new(&case.papers));
        let folder = self.workspace.root.join(papers);
        let asks = case.variables.values().any(|value| value == "{papers}");
        if asks && (papers.as_os_str().is_empty() || !folder.is_dir()) {
            row(
                "not measured",
                format!(
                    "--papers names no folder, and there is no {}",
                    folder.display()
                ),
            );
            return Ok(());
        }
        let variables = case.variables.iter().map(|(name, value)| {
            let value = value
                .replace("{papers}", &folder.to_string_lossy())
                .replace("{built}", &self.built.to_string_lossy());
            (name.as_str(), value)
        });
        measure(self.workspace, &case.test, variables)
    }
}

/// Runs tests, named by package, target and filters, and prints the table rows and summaries from their output.
fn measure<'a>(
    workspace: &Workspace,
    tests: &str,
    variables: impl IntoIterator<Item = (&'a str, String)>,
) -> Result<(), Fault> {
    let mut words = tests.split_whitespace();
    let mut command = cargo::cargo(workspace)
        .args(["test", "--quiet", "--package"])
        .args(words.next())
        .arg("--test")
        .args(words.next())
        .arg("--")
        .args(words)
        .args(["--nocapture", "--test-threads=1"]);
    for (name, value) in variables {
        command = command.env(name, value);
    }
    let done = command.run(DEADLINE)?;
    for line in done.stdout.text().lines() {
        let is_summary =
            line.contains(" rows ") && line.contains(" flagged") || line.starts_with("invented: ");
        // The name of a test may precede its first row on the same line.
        let at = line.find("| ").or(is_summary.then_some(0));
        if let Some(shown) = at.and_then(|at| line.get(at..)) {
            println!("  {shown}");
        }
    }
    if done.code()? != 0 {
        row("not all as it must be", done.stderr.text());
    }
    Ok(())
}

/// Measures crossings, bends, overlaps and other problems of the figures, to judge changes of the layout. Nothing fails, as above.
pub(crate) fn figures(workspace: &Workspace) -> Result<u8, Fault> {
    let test = "figure_renderer cli same_bytes::every_figure_is_measured";
    let count = [("ARIS_STORIES", "1000".to_owned())];
    measure(workspace, test, count)?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn every_topic_has_cases_and_every_case_measures_something() {
        let cases = cases().expect("the table");
        for topic in Topic::value_variants() {
            assert!(
                *topic == Topic::All || cases.iter().any(|case| case.topic == *topic),
                "{topic:?}"
            );
        }
        let workspace = Workspace::load(&crate::workspace::root()).expect("the helper table");
        for case in &cases {
            let measures = [
                !case.pair.is_empty(),
                !case.test.is_empty(),
                !case.make.is_empty(),
            ];
            assert!(measures.contains(&true), "{}", case.heading);
            for helper in &case.helpers {
                assert!(workspace.row(helper).is_some(), "{helper}");
            }
        }
    }
}
