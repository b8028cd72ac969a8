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

/// What happens to jobs whose dependency did not complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnDepFailure {
    /// They are blocked until the dependency is retried and completes.
    #[default]
    Block,
    /// They run once the dependency is over, however it ended.
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

/// Which card a retry after an out-of-memory error takes.
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
