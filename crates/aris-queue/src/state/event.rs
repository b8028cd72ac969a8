//! Events of a queue; each is a line of its journal.

use std::path::PathBuf;

use aris_attempt::cards::CardId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Reason;
use crate::manifest::{Job, Positive};

/// Something that happened. Jobs are named by id, because their indices change with the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A manager took over the queue.
    Began {
        /// Project of the manifest.
        project: String,
        /// Path of the manifest.
        manifest: String,
        /// The machine's boot, `/proc/sys/kernel/random/boot_id`.
        boot: String,
        /// The manager's process id.
        pid: u32,
        /// Its host.
        host: String,
    },
    /// An attempt is about to be started; written and synced before anything else is done.
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
        /// Digest of the command; a changed manifest has another one.
        command: String,
        /// The machine's boot.
        boot: String,
        /// What an engine other than this machine calls it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        engine_ref: Option<String>,
        /// What the manifest said of the job; absent: started by a version that did not record it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terms: Option<Box<Terms>>,
    },
    /// An engine accepted a wave of attempts.
    Submitted {
        /// The wave's token.
        token: String,
        /// The engine's number for it.
        number: String,
    },
    /// The attempt was not started after all, and never will be; the job is as it was before.
    Withdrawn {
        /// The job.
        id: String,
        /// Number of the attempt.
        attempt: u32,
        /// Why.
        why: String,
        /// Whether its number can be used again, because its folder was removed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        number_free: bool,
    },
    /// An attempt is over and was judged.
    Ended {
        /// The job.
        id: String,
        /// Number of the attempt.
        attempt: u32,
        /// Its result.
        verdict: Verdict,
        /// Milliseconds until the next attempt; `None`: there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_in_ms: Option<u64>,
    },
    /// A job is final without an attempt: a precondition does not hold, or an engine refused it.
    Refused {
        /// The job.
        id: String,
        /// Its result.
        verdict: Verdict,
    },
    /// A person cancelled a job.
    Cancel {
        /// The job.
        id: String,
    },
    /// A person asked for another attempt of a job that is final or waits for a retry; its budgets are reset.
    Retry {
        /// The job.
        id: String,
    },
    /// A person holds a job back, or lets it go.
    Hold {
        /// The job.
        id: String,
        /// Whether it is held.
        held: bool,
    },
    /// A person paused the queue, or let it continue.
    Pause {
        /// Whether no new job is started.
        paused: bool,
    },
    /// A person changed how many jobs run at once.
    MaxParallel {
        /// The number; `None`: as the manifest says.
        jobs: Option<u32>,
    },
    /// The state of this job was imported from the reference's state file.
    Imported {
        /// The job.
        id: String,
        /// Its state there.
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
    /// The manifest no longer has this job. Another job with this id starts afresh; only the numbers of attempts continue.
    Removed {
        /// The job.
        id: String,
    },
}

/// What the manifest said of a job when an attempt started. Later changes of the manifest do not affect the attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// Parameters of its grid cell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<(Box<str>, Box<str>)>,
    /// Number of cards.
    pub gpus: u32,
    /// MiB of each card, for jobs that share cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_mem_mib: Option<u64>,
    /// Processors; `None`: not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// MiB of main memory; `None`: not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem_mib: Option<u64>,
    /// Declared outputs; `None`: started by a version that did not record them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<Box<str>>>,
    /// Its own working directory, to which they are relative; `None`: that of the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
}

impl Terms {
    /// What the manifest says of a job.
    pub fn of(job: &Job) -> Self {
        Self {
            params: job.params.clone(),
            gpus: job.settings.gpus,
            gpu_mem_mib: job.settings.gpu_mem_mib,
            cpus: job.settings.cpus.map(Positive::get),
            mem_mib: job.settings.mem_mib,
            outputs: Some(job.outputs.clone()),
            cwd: job.settings.cwd.clone(),
        }
    }
}

/// A job's state in the reference's state file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Imported {
    /// It was completed.
    Completed,
    /// It was stuck or had failed: a person must ask for another attempt.
    Stuck,
    /// It was running, and may still run.
    Running,
    /// It ran out of memory and was to be tried again.
    OutOfMemory,
}

/// The result of an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Verdict {
    /// How it ended.
    pub outcome: Outcome,
    /// Why it did not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Its exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What happened, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What a person should look at although it completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Whether all declared outputs are there and new although it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub output_present: bool,
    /// When the command started, on its machine's clock; `None`: it did not start, or this is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started: Option<Timestamp>,
    /// Milliseconds that the command ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_ms: Option<u64>,
    /// The most memory of a card that it was seen using, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_peak_mib: Option<u64>,
}

/// How an attempt ended.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It completed.
    #[default]
    Completed,
    /// It failed.
    Failed,
    /// A person cancelled it.
    Cancelled,
    /// Its end is unknown.
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

    /// A success, perhaps with a warning.
    pub fn completed(warning: Option<String>) -> Self {
        Self {
            warning,
            ..Self::default()
        }
    }
}
