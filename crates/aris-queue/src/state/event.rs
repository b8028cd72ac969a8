//! What happened to a queue: one event is one line of its journal.

use aris_attempt::cards::CardId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Reason;

/// Something that happened. Jobs are named by their ids: their order may change with the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A manager took the queue up.
    Began {
        /// Project of the manifest.
        project: String,
        /// Its path.
        manifest: String,
        /// The machine's boot, `/proc/sys/kernel/random/boot_id`.
        boot: String,
        /// The manager's process.
        pid: u32,
        /// Its host.
        host: String,
    },
    /// An attempt is about to be started: written and synced before anything is done.
    Start {
        /// The job.
        id: String,
        /// Number of the attempt, one more than the last.
        attempt: u32,
        /// Cards given.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cards: Vec<CardId>,
        /// Its log.
        log: String,
        /// Digest of the command, so that a changed manifest is noticed.
        command: String,
        /// The machine's boot.
        boot: String,
        /// What the engine calls it, for other engines than this machine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        engine_ref: Option<String>,
    },
    /// An engine has taken a wave of attempts.
    Submitted {
        /// The wave's token.
        token: String,
        /// What the engine calls it.
        number: String,
    },
    /// The attempt was not started after all, and never will be; the job is as before.
    Withdrawn {
        /// The job.
        id: String,
        /// Number of the attempt.
        attempt: u32,
        /// Why.
        why: String,
        /// Whether its number is free again, because its folder is gone; else the number is spent.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        number_free: bool,
    },
    /// An attempt is over and judged.
    Ended {
        /// The job.
        id: String,
        /// Number of the attempt.
        attempt: u32,
        /// What it comes to.
        verdict: Verdict,
        /// Milliseconds until the next attempt; `None`: there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_in_ms: Option<u64>,
    },
    /// A job is final without an attempt: a precondition does not hold, an engine refused it.
    Refused {
        /// The job.
        id: String,
        /// What it comes to.
        verdict: Verdict,
    },
    /// A person asked for the end of a job.
    Cancel {
        /// The job.
        id: String,
    },
    /// A person asked for another attempt at a job that is final; its budgets are whole again.
    Retry {
        /// The job.
        id: String,
    },
    /// A person holds a job back, or no longer.
    Hold {
        /// The job.
        id: String,
        /// Whether it is held.
        held: bool,
    },
    /// A person wants nothing new started, or again.
    Pause {
        /// Whether nothing is to be started.
        paused: bool,
    },
    /// A person changed how many jobs run at once.
    MaxParallel {
        /// As many; `None`: what the manifest says.
        jobs: Option<u32>,
    },
    /// The reference's state file says how this job stood.
    Imported {
        /// The job.
        id: String,
        /// How.
        state: Imported,
        /// Its attempts there.
        attempts: u32,
        /// The card it had.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cards: Vec<CardId>,
        /// When its last attempt began.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started: Option<Timestamp>,
        /// When it was over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ended: Option<Timestamp>,
    },
    /// The manifest no longer has this job. Another one that gets its id begins anew; only the numbers of attempts go on.
    Removed {
        /// The job.
        id: String,
    },
}

/// What is taken over from the reference's state file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Imported {
    /// It was completed.
    Completed,
    /// It was stuck or had failed: a person must ask for another attempt.
    Stuck,
    /// It was running, and may still run: nobody here knows.
    Running,
    /// It ran out of memory and was to be tried again.
    OutOfMemory,
}

/// What an attempt comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Verdict {
    /// Completed or not.
    pub outcome: Outcome,
    /// Why not; also on a completed job that is worth a look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Status it exited with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What happened, one sentence with the facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What a person should look at although it completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Whether all declared outputs are there and new although it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub output_present: bool,
    /// When the command started, on the clock of its machine; `None`: it did not, or nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started: Option<Timestamp>,
    /// Milliseconds the command ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_ms: Option<u64>,
    /// The most memory of a card that it was seen to use, MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_peak_mib: Option<u64>,
}

/// Completed or not.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did what it was to do.
    #[default]
    Completed,
    /// It did not.
    Failed,
    /// A person ended it.
    Cancelled,
    /// Nobody knows.
    Lost,
}

impl Verdict {
    /// A failure for this reason.
    pub fn failed(reason: Reason, error: impl Into<String>) -> Self {
        Self {
            outcome: match reason {
                Reason::Cancelled => Outcome::Cancelled,
                Reason::Lost => Outcome::Lost,
                _ => Outcome::Failed,
            },
            reason: Some(reason),
            error: Some(error.into()),
            ..Self::default()
        }
    }

    /// A success, perhaps with something to look at.
    pub fn completed(warning: Option<String>) -> Self {
        Self {
            warning,
            ..Self::default()
        }
    }
}
