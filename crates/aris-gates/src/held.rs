//! The data that rules compare reports with: raw results and a plan.

use std::path::PathBuf;

use aris_statements::disk::{Disk, DiskError};
use aris_statements::plan::Plan;
use aris_statements::results::Results;
use aris_statements::rules::Sources;

/// Flags of commands in which rules look at reports.
#[derive(Debug, clap::Args)]
pub struct HeldArgs {
    /// Raw results for the rules on samples and plans, a table or a folder of tables; may be repeated
    #[arg(long, value_name = "PATH")]
    results: Vec<PathBuf>,
    /// Column of the results that names repetitions, besides seed, run, fold, subject and the like; may be repeated
    #[arg(long, value_name = "NAME")]
    repetition: Vec<String>,
    /// What was planned, for the rules: JSON, YAML, or a text with front matter
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
}

/// What [`HeldArgs`] names, read.
pub struct Held<'a> {
    plan: Option<Plan>,
    /// The results; `None` without `--results`.
    pub results: Option<Vec<Results>>,
    repetition: &'a [String],
    /// What of the results cannot be read.
    pub problems: Vec<String>,
}

impl HeldArgs {
    /// Reads it.
    pub fn read(&self, disk: &Disk<'_>) -> Result<Held<'_>, DiskError> {
        let plan = self.plan.as_deref().map(|path| disk.plan(path));
        let mut problems = Vec::new();
        Ok(Held {
            plan: plan.transpose()?,
            results: disk.results(&self.results, &mut problems)?,
            repetition: &self.repetition,
            problems,
        })
    }
}

impl Held<'_> {
    /// These data as sources of the rules; all other sources are empty.
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            results: self.results.as_deref(),
            repetition: self.repetition,
            plan: self.plan.as_ref(),
            ..Sources::default()
        }
    }
}
