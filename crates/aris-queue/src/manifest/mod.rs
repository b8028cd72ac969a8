//! The manifest of a queue: what is to be run, in which order, with what.
//!
//! JSON or YAML. Every manifest of the reference's programs is accepted; what we add is optional. Keys that nobody knows are
//! mistakes unless they begin with `x_`. **Source**: queue design §3; the reference's `build_manifest` and its skill.

mod changes;
mod choices;
pub mod edit;
mod file;
mod graph;
mod read;
mod settings;
mod shared;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use aris_attempt::cards::CardId;

pub use changes::{differences, named};
pub use choices::{DoneWhen, Engine, OnDepFailure, OtherGpu, Release};
pub use file::Positive;
pub(crate) use file::grid::Keys as GridKeys;
pub use file::slurm::{Extra, Gres, Slurm};
pub(crate) use file::{Common, Job as JobKeys, Phase as PhaseKeys, Top as TopKeys};
pub use read::{has_grid, parse, read, tree};
pub use settings::{Retry, Settings};

/// Schema id that our manifests carry; the reference's carry none.
pub const SCHEMA: &str = aris_contract::schema::id::QUEUE_MANIFEST;

/// A queue, read and checked: every name resolved, every default applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Name of the project, for people.
    pub project: String,
    /// Working directory of the jobs, as written; relative ones count from the manager's.
    pub cwd: PathBuf,
    /// The conda environment to activate; `None` when `setup` is given in its place or nobody asked for one.
    pub conda: Option<Conda>,
    /// Indices of the cards that may be used, ascending; `None`: all there are.
    pub cards: Option<Vec<CardId>>,
    /// Jobs with cards that run at the same time; `None`: as many as there are cards.
    pub max_parallel: Option<u32>,
    /// Jobs without cards that run at the same time; `None`: half the processors.
    pub max_cpu_jobs: Option<u32>,
    /// MiB below which a card counts as free. **Source**: the reference's default, 500.
    pub gpu_free_threshold_mib: u64,
    /// Whether a card with any foreign process is left alone however little memory it uses.
    pub exclusive: bool,
    /// Milliseconds after which a waiting job with several cards keeps those that fall free.
    pub reserve_after_ms: u64,
    /// Jobs that may fail before nothing new is started; `None`: any number.
    pub max_failures: Option<u32>,
    /// Shell command that is told of each job that has failed.
    pub on_failure: Option<String>,
    /// Shell command that is told when the queue is over.
    pub on_end: Option<String>,
    /// Whether each run leaves a record in the project's ledger.
    pub provenance: bool,
    /// Where jobs run.
    pub engine: Engine,
    /// Whether the manager or Slurm releases a phase when its parents are through.
    pub release: Release,
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
    /// Shell text, or path of a conda program, that brings the `conda` function; `None`: looked for.
    pub hook: Option<String>,
    /// Whether a machine without conda is fine: the reference's `build_manifest` writes `base` when nobody named one.
    pub if_there: bool,
}

/// A group of jobs that others can depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name, unique.
    pub name: String,
    /// Phases that must be over before any job of this one starts; indices.
    pub after: Vec<u32>,
    /// Phases named in `depends_on` with `match`: their jobs are parents one by one ([`Job::needs`]); indices.
    pub matched: Vec<u32>,
    /// What becomes of its jobs when a dependency fails.
    pub on_dep_failure: OnDepFailure,
    /// Jobs of this phase that run at the same time.
    pub max_parallel: Option<u32>,
    /// Its jobs are `jobs[first..end]`.
    pub first: u32,
    /// See `first`.
    pub end: u32,
}

/// One thing to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Unique also after case folding; at most [`MAX_ID`] bytes of UTF-8 without control characters.
    pub id: Box<str>,
    /// Text for the shell.
    pub cmd: Box<str>,
    /// Globs of files the job is to write, relative to its working directory.
    pub outputs: Vec<Box<str>>,
    /// Index of its phase.
    pub phase: u32,
    /// Jobs that must be completed before it starts; indices, ascending.
    pub needs: Vec<u32>,
    /// The grid cell it came from.
    pub params: Vec<(Box<str>, Box<str>)>,
    /// Everything that jobs of a phase mostly share.
    pub settings: Arc<Settings>,
}

/// Bytes of a job's id.
pub const MAX_ID: usize = 200;

impl Manifest {
    /// The phase of a job.
    pub fn phase_of(&self, job: u32) -> Option<&Phase> {
        self.phases.get(self.jobs.get(job as usize)?.phase as usize)
    }

    /// The working directory of a job, as written; a relative one counts from the manager's.
    pub fn cwd_of(&self, job: &Job) -> PathBuf {
        let own = job.settings.cwd.as_ref();
        own.map_or_else(|| self.cwd.clone(), |own| self.cwd.join(own))
    }

    /// Whether any job wants a card.
    pub fn wants_cards(&self) -> bool {
        self.jobs.iter().any(|job| job.settings.gpus > 0)
    }
}
