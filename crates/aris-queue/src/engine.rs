//! Where jobs run: this machine, or a cluster behind commands that may fail, hang, or answer after all.
//!
//! An engine only gives hints. Records in the attempts' folders are the truth; *not listed* is never an end.
//! **Source**: queue design §10, §11.

use std::os::fd::BorrowedFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::manifest::Slurm;

/// Attempts that are submitted together: one table, one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The name of this submission: unique in the run, `[a-z0-9-]` only. A submission whose answer was lost is found by it.
    pub token: String,
    /// The run's folder, where the table and the attempts are.
    pub run: PathBuf,
    /// Folders of the attempts, each with its `spec.json`; dense, the index is the array's.
    pub attempts: Vec<PathBuf>,
    /// Cards for each attempt.
    pub gpus: u32,
    /// Milliseconds an attempt may run; `None`: what the engine allows.
    pub time_limit_ms: Option<u64>,
    /// Attempts that may run at once; `None`: as many as there are.
    pub max_parallel: Option<u32>,
    /// The manifest's options.
    pub options: Slurm,
}

/// What an engine calls one attempt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EngineRef {
    /// The submission's number, as the engine writes it.
    pub job: String,
    /// Index in the wave.
    pub index: u32,
    /// The submission's token: numbers are used again.
    pub token: String,
}

/// What an engine knows about an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It waits; the engine's reason.
    Queued(String),
    /// It runs on this node.
    Running(String),
    /// The engine believes it is over; the text is its word for it.
    Ended(String),
    /// The engine does not list it: that says nothing.
    NotListed,
}

/// Whether a submission is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is, under these names, in the wave's order.
    Here(Vec<EngineRef>),
    /// Everyone who could know answered, and it is not.
    NotThere,
    /// Somebody who could know did not answer.
    CannotTell(String),
}

/// What an engine can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Attempts in one wave.
    pub wave: u32,
    /// Attempts that may be with the engine at once; `None`: unknown.
    pub window: Option<u32>,
}

/// Why a submission did not go through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The engine said no: it did not take it and never will as it is.
    #[error("the engine refused: {0}")]
    Rejected(String),
    /// Nobody knows whether it took it: look for the token before anything else.
    #[error("the engine's answer is missing: {0}")]
    Unclear(String),
    /// It was not reached: nothing was taken.
    #[error("the engine cannot be reached: {0}")]
    Unavailable(String),
}

/// Why a question was not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// It was not reached, or did not answer in time.
    #[error("the engine cannot be reached: {0}")]
    Unavailable(String),
    /// It answered what nobody understands.
    #[error("the engine's answer is not understood: {0}")]
    Garbled(String),
}

/// A place where waves run.
pub trait Engine {
    /// What it can take. **Errors**: [`EngineError`].
    fn limits(&mut self) -> Result<Limits, EngineError>;

    /// Hands a wave over; names in the wave's order. **Errors**: [`SubmitError`], each with another consequence.
    fn submit(&mut self, wave: &Wave) -> Result<Vec<EngineRef>, SubmitError>;

    /// Looks for a submission whose answer was lost. **Errors**: [`EngineError`].
    fn find(&mut self, token: &str) -> Result<Found, EngineError>;

    /// Asks about attempts, one answer each in the same order. **Errors**: [`EngineError`].
    fn observe(&mut self, refs: &[EngineRef]) -> Result<Vec<Seen>, EngineError>;

    /// Ends attempts; asking twice is no harm. **Errors**: [`EngineError`].
    fn cancel(&mut self, refs: &[EngineRef]) -> Result<(), EngineError>;

    /// Something to poll(2) on; `None`: only time tells.
    fn wake(&self) -> Option<BorrowedFd<'_>>;
}
