//! The manifest of a queue: what to run, in which order, with which resources.
//!
//! JSON or YAML. Every manifest of the reference's programs is accepted; all keys that we add are optional. An unknown key is an error
//! unless it begins with `x_`. **Source**: queue design §3; the reference's `build_manifest` and its skill.

mod changes;
mod choices;
pub mod edit;
mod file;
mod graph;
mod joining;
mod read;
mod settings;
mod shared;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use aris_attempt::cards::CardId;

pub use changes::{differences, named};
pub use choices::{DoneWhen, Engine, OnDepFailure, OtherGpu};
pub use file::Positive;
pub(crate) use file::grid::Keys as GridKeys;
pub use file::slurm::{Extra, Gres, Slurm};
pub(crate) use file::{Common, Job as JobKeys, Phase as PhaseKeys, Top as TopKeys};
pub use joining::joining;
pub use read::{has_grid, parse, read, tree};
pub use settings::{Retry, Settings};

/// Schema id in our manifests; those of the reference have none.
pub const SCHEMA: &str = aris_contract::schema::id::QUEUE_MANIFEST;

/// A manifest that was read and checked: every name is resolved, every default applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Name of the project, for people.
    pub project: String,
    /// Working directory of the jobs, as written; a relative one is resolved against the manager's.
    pub cwd: PathBuf,
    /// The conda environment to activate; `None`: the manifest asks for none, or sets `setup` instead.
    pub conda: Option<Conda>,
    /// Cards that may be used, sorted; `None`: all.
    pub cards: Option<Vec<CardId>>,
    /// Most jobs with cards that run at the same time; `None`: as many as there are cards.
    pub max_parallel: Option<u32>,
    /// Most jobs without cards that run at the same time; `None`: half the CPUs.
    pub max_cpu_jobs: Option<u32>,
    /// A card counts as free if less memory than this is in use, in MiB. **Source**: the reference's default, 500.
    pub gpu_free_threshold_mib: u64,
    /// Whether a card is left alone as soon as any process of somebody else is on it.
    pub exclusive: bool,
    /// Milliseconds that a job waits for several cards before cards that become free are kept for it.
    pub reserve_after_ms: u64,
    /// After this many failed jobs, no new job is started; `None`: no limit.
    pub max_failures: Option<u32>,
    /// Shell command that is run for each job that has failed.
    pub on_failure: Option<String>,
    /// Shell command that is run when the queue is over.
    pub on_end: Option<String>,
    /// Whether each run leaves a record in the project's ledger.
    pub provenance: bool,
    /// Where jobs run.
    pub engine: Engine,
    /// Phases, in the manifest's order.
    pub phases: Vec<Phase>,
    /// Jobs of all phases, in the manifest's order.
    pub jobs: Vec<Job>,
}

/// The conda environment of the jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conda {
    /// Its name.
    pub env: String,
    /// Shell text that defines the `conda` function, or the path of a conda program; `None`: conda is looked for.
    pub hook: Option<String>,
    /// Whether jobs also run without conda: the reference's `build_manifest` writes `base` when no environment was named.
    pub if_there: bool,
}

/// A group of jobs that others can depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name, unique.
    pub name: String,
    /// Indices of phases that must be over before any job of this one starts.
    pub after: Vec<u32>,
    /// Indices of phases in `depends_on` with `match`: single jobs of theirs are parents, in [`Job::needs`].
    pub matched: Vec<u32>,
    /// What happens to its jobs when a dependency fails.
    pub on_dep_failure: OnDepFailure,
    /// Most jobs of this phase that run at the same time; `None`: no limit.
    pub max_parallel: Option<u32>,
    /// Its jobs are `jobs[first..end]`.
    pub first: u32,
    /// See `first`.
    pub end: u32,
}

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its id: at most [`MAX_ID`] bytes of UTF-8 without control characters, unique also when upper and lower case count as equal.
    pub id: Box<str>,
    /// Its command, shell text.
    pub cmd: Box<str>,
    /// Globs of files that it writes, relative to its working directory.
    pub outputs: Vec<Box<str>>,
    /// Index of its phase.
    pub phase: u32,
    /// Indices of jobs that must be completed before it starts, sorted.
    pub needs: Vec<u32>,
    /// The values of its grid cell: name and text.
    pub params: Vec<(Box<str>, Box<str>)>,
    /// Its settings, shared with other jobs that have the same.
    pub settings: Arc<Settings>,
}

/// Most bytes of a job's id.
pub const MAX_ID: usize = 200;

impl Manifest {
    /// The phase of a job.
    pub fn phase_of(&self, job: u32) -> Option<&Phase> {
        self.phases.get(self.jobs.get(job as usize)?.phase as usize)
    }

    /// The working directory of a job; a relative one is resolved against the manager's.
    pub fn cwd_of(&self, job: &Job) -> PathBuf {
        let own = job.settings.cwd.as_ref();
        own.map_or_else(|| self.cwd.clone(), |own| self.cwd.join(own))
    }

    /// Whether any job needs a card.
    pub fn wants_cards(&self) -> bool {
        self.jobs.iter().any(|job| job.settings.gpus > 0)
    }
}
