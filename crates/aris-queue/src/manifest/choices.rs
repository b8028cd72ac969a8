//! Keys whose value is one of a few words.

use crate::words::words;

words! {
    /// Where jobs run.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum Engine {
        /// On this machine.
        #[default]
        Local = "local",
        /// On a Slurm cluster.
        Slurm = "slurm",
        /// On the workers of a `HyperQueue` server that runs already.
        Hq = "hq",
    }
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Local, Self::Slurm, Self::Hq];
}

/// Who holds a phase back until its parents are completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Release {
    /// The manager.
    #[default]
    Manager,
    /// The engine, by its own dependencies.
    Engine,
}

/// What becomes of jobs whose dependency did not complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnDepFailure {
    /// They are blocked until it is retried.
    #[default]
    Block,
    /// They run once it is over, however it ended.
    Run,
}

/// What completes a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DoneWhen {
    /// Exit 0, and every declared output is there and new or changed.
    #[default]
    Strict,
    /// The declared outputs are there, whatever the exit status and however old they are.
    Output,
}

/// Which card a retry after out of memory takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OtherGpu {
    /// Another one when one is free.
    #[default]
    Prefer,
    /// Whichever is free.
    Any,
}
