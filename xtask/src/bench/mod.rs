//! `cargo xtask bench`: what this project claims about speed and accuracy, measured beside a peer or a limit in the same run.
//!
//! Every figure is a whole process from start to end, min / median / max over the counted runs, and a ratio that is taken pair
//! by pair, because machines drift. Nothing here passes or fails: the numbers are printed for people to read.

mod claims;
mod drawing;
mod gate;
mod measure;
mod queue;
mod runs;
mod skills;
mod start;
mod tests_of_crates;
mod wiki;

use std::path::{Path, PathBuf};

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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

/// One topic's helpers, none for all of them, and what measures it.
type Measure = (
    Topic,
    &'static [&'static str],
    fn(&Bench<'_>) -> Result<(), Fault>,
);

const MEASURES: [Measure; 15] = [
    (Topic::Claims, &["paper_claim_audit"], claims::run),
    (
        Topic::Literature,
        &["verify_papers"],
        tests_of_crates::literature,
    ),
    (
        Topic::Style,
        &["extract_paper_style"],
        tests_of_crates::style,
    ),
    (Topic::Startup, &[], start::startup),
    (Topic::Trace, &["save_trace"], start::trace),
    (Topic::Launcher, &[], skills::launcher),
    (Topic::Install, &[], skills::install),
    (Topic::Lint, &["skill_lint"], skills::lint),
    (
        Topic::Gate,
        &["verify_paper_audits", "paper_claim_audit", "citation_audit"],
        gate::run,
    ),
    (Topic::Figures, &["figure_renderer"], drawing::run),
    (Topic::Coverage, &["verify_wiki_coverage"], wiki::coverage),
    (Topic::Wiki, &["research_wiki"], wiki::run),
    (Topic::Queue, &["queue_manager"], queue::run),
    (Topic::Recipe, &["recipe_runner"], queue::recipes),
    (
        Topic::Runs,
        &["queue_manager", "paper_claim_audit"],
        runs::run,
    ),
];

/// Builds the helpers that `topic` needs in release mode and measures it; `papers` are others than the shared ones.
pub(crate) fn run(workspace: &Workspace, topic: Topic, papers: Option<&Path>) -> Result<u8, Fault> {
    for (this, helpers, measure) in MEASURES {
        if topic != Topic::All && topic != this {
            continue;
        }
        let all = || workspace.rows.iter().map(|row| row.name.as_str()).collect();
        let helpers = if helpers.is_empty() {
            all()
        } else {
            helpers.to_vec()
        };
        let folder = cargo::build(workspace, &helpers, "release")?;
        measure(&Bench {
            workspace,
            folder,
            papers,
        })?;
    }
    Ok(0)
}

/// What a measurement works with.
struct Bench<'a> {
    workspace: &'a Workspace,
    /// Where the built helpers lie.
    folder: PathBuf,
    papers: Option<&'a Path>,
}

impl Bench<'_> {
    fn path(&self, helper: &str) -> PathBuf {
        self.folder.join(helper)
    }
}
