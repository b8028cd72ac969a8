//! `cargo xtask bench`: what this project claims about speed and accuracy, measured beside a peer or a limit in the same run.
//!
//! Every figure is a whole process from start to end, min / median / max over the counted runs, and a ratio that is taken pair
//! by pair, because machines drift. Nothing here passes or fails: the numbers are printed for people to read.

mod claims;
mod coverage;
mod figures;
mod gate;
mod hash;
mod install;
mod launcher;
mod lint;
mod literature;
mod measure;
mod paper;
mod queue;
mod recipe;
mod startup;
mod surface;
mod tokens;
mod trace;
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
    /// The gate over 1 GiB in 400 files, beside the processor's hashing rate
    Hash,
    /// Installing all skills and looking after them, beside ln and cp
    Install,
    /// Launchers and shims, beside the binary itself
    Launcher,
    /// The linter over trees of 1,000 and 10,000 files, beside reading them
    Lint,
    /// Accuracy of reference checking on recorded answers
    Literature,
    /// 10, 1,000 and 10,000 trivial jobs, beside starting as many shells
    Queue,
    /// Validating recipes of 60 and 5,000 steps, beside `PyYAML` reading them
    Recipe,
    /// Start-up of every helper, beside the smallest program
    Startup,
    /// What makes a paper's surface: the style of 5 MB of LaTeX, beside wc; tokens in 2,000 commits, beside git log
    Surface,
    /// One trace record, beside the durable writes it consists of
    Trace,
    /// Changes of a wiki of 10,000 pages, beside the reference's program
    Wiki,
}

/// Builds the helpers that `topic` needs in release mode and measures it; `papers` are others than the shared ones.
pub(crate) fn run(workspace: &Workspace, topic: Topic, papers: Option<&Path>) -> Result<u8, Fault> {
    let wanted = |this: Topic| topic == Topic::All || topic == this;
    if wanted(Topic::Claims) {
        claims::run(workspace, papers)?;
    }
    if wanted(Topic::Literature) {
        literature::run(workspace)?;
    }
    if matches!(topic, Topic::Claims | Topic::Literature) {
        return Ok(0);
    }
    let helpers = match topic {
        Topic::Coverage => vec!["verify_wiki_coverage"],
        Topic::Figures => vec!["figure_renderer"],
        Topic::Gate | Topic::Hash => vec!["verify_paper_audits"],
        Topic::Lint => vec!["skill_lint"],
        Topic::Queue => vec!["queue_manager"],
        Topic::Recipe => vec!["recipe_runner"],
        Topic::Surface => vec!["extract_paper_style", "overleaf_audit"],
        Topic::Trace => vec!["save_trace"],
        Topic::Wiki => vec!["research_wiki"],
        Topic::All
        | Topic::Claims
        | Topic::Literature
        | Topic::Install
        | Topic::Launcher
        | Topic::Startup => workspace.rows.iter().map(|row| row.name.as_str()).collect(),
    };
    let folder = cargo::build(workspace, &helpers, "release")?;
    let binaries = Binaries { folder };
    if wanted(Topic::Startup) {
        startup::run(&binaries)?;
    }
    if wanted(Topic::Trace) {
        trace::run(&binaries)?;
    }
    if wanted(Topic::Launcher) {
        launcher::run(workspace, &binaries)?;
    }
    if wanted(Topic::Install) {
        install::run(workspace, &binaries)?;
    }
    if wanted(Topic::Lint) {
        lint::run(&binaries)?;
    }
    if wanted(Topic::Gate) {
        gate::run(&binaries)?;
    }
    if wanted(Topic::Figures) {
        figures::run(&binaries)?;
    }
    if wanted(Topic::Coverage) {
        coverage::run(&binaries)?;
    }
    if wanted(Topic::Wiki) {
        wiki::run(&binaries)?;
    }
    if wanted(Topic::Queue) {
        queue::run(&binaries)?;
    }
    if wanted(Topic::Recipe) {
        recipe::run(&binaries)?;
    }
    if wanted(Topic::Surface) {
        surface::run(&binaries)?;
        tokens::run(&binaries)?;
    }
    if wanted(Topic::Hash) {
        hash::run(&binaries)?;
    }
    Ok(0)
}

/// Where the built helpers lie.
struct Binaries {
    folder: PathBuf,
}

impl Binaries {
    fn path(&self, helper: &str) -> PathBuf {
        self.folder.join(helper)
    }
}
