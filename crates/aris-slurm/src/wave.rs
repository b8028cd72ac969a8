//! What goes to Slurm and what it says, as values.

use std::path::PathBuf;

use aris_queue::manifest::Slurm;

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
    /// Milliseconds an attempt may run; `None`: what Slurm allows.
    pub time_limit_ms: Option<u64>,
    /// Attempts of this wave that may run at once; `None`: as many as there are.
    pub throttle: Option<u32>,
    /// The manifest's options.
    pub options: Slurm,
}

/// What Slurm calls one attempt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    /// The array's number.
    pub job: String,
    /// Index in the wave.
    pub index: u32,
    /// The submission's token: numbers are used again.
    pub token: String,
}

/// What Slurm says of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// It waits; Slurm's reason.
    Queued(String),
    /// It runs on this node.
    Running(String),
    /// Slurm believes it is over; the text is its word for it.
    Ended(String),
    /// Slurm does not list it: that says nothing.
    NotListed,
}

/// Whether a submission is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is, as these tasks, in the wave's order.
    Here(Vec<Task>),
    /// Everyone who could know answered, and it is not.
    NotThere,
    /// Somebody who could know did not answer.
    CannotTell(String),
}

/// Why a submission did not go through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// Slurm did not take it and never will as it is.
    #[error("Slurm refused: {0}")]
    Rejected(String),
    /// Slurm did not take it, in words that are not known here: it may be a passing trouble.
    #[error("Slurm refused: {0}")]
    Unknown(String),
    /// The account may have no more jobs at once: nothing was taken, and later it may be.
    #[error("the account's limit: {0}")]
    Full(String),
    /// Nobody knows whether it took it: look for the token before anything else.
    #[error("Slurm's answer is missing: {0}")]
    Unclear(String),
    /// It was not reached: nothing was taken.
    #[error("Slurm cannot be reached: {0}")]
    Unavailable(String),
}

/// Slurm was not reached, did not answer in time, or answered what nobody understands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Silent(pub String);
