//! What state each job of a queue is in, and why.
//!
//! ```text
//! waiting ──deps──▶ ready ──start──▶ starting ──▶ running ──judge──▶ completed
//!    │ dep failed     ▲ hold             │ engine: submitting ▶ queued ▶ running      failed (reason)
//!    ▼                └──── backoff ◀────┴──── a retry is due ◀───────────────────── lost, cancelled
//! blocked
//! ```
//!
//! A job's own life (started, ended, to be retried) follows from events, which stand in the journal. `waiting`, `ready`, `blocked`
//! and the end of a `backoff` follow from the lives of others and from the time, so that no line is needed for them and none can
//! contradict: a retried teacher unblocks its students by itself. **Source**: queue design §4.

mod apply;
mod dependencies;
mod event;
mod queue;
mod ready;
mod run;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use apply::Illegal;
pub use event::{Event, Imported, Outcome, Verdict};
pub use queue::Queue;
pub use ready::Group;
pub use run::{Life, Run, Spent};

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Something it depends on is not over.
    Waiting,
    /// Only cards or a slot are missing.
    Ready,
    /// A person holds it back.
    Hold,
    /// It is being handed to an engine.
    Submitting,
    /// An engine has it and has not started it.
    Queued,
    /// A runner is being started.
    Starting,
    /// Its command runs.
    Running,
    /// It is being ended because a person asked.
    Cancelling,
    /// Nothing is heard of it; it may be running.
    Unknown,
    /// It failed and waits for its next attempt.
    Backoff,
    /// It is done.
    Completed,
    /// It failed and is not tried again.
    Failed,
    /// Something it depends on did not complete.
    Blocked,
    /// A person ended it.
    Cancelled,
    /// Nobody knows how its last attempt ended.
    Lost,
}

impl State {
    /// All states, in the order in which they are shown.
    pub const ALL: [Self; 15] = [
        Self::Waiting,
        Self::Ready,
        Self::Hold,
        Self::Submitting,
        Self::Queued,
        Self::Starting,
        Self::Running,
        Self::Cancelling,
        Self::Unknown,
        Self::Backoff,
        Self::Completed,
        Self::Failed,
        Self::Blocked,
        Self::Cancelled,
        Self::Lost,
    ];

    /// As files and people write it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Hold => "hold",
            Self::Submitting => "submitting",
            Self::Queued => "queued",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Cancelling => "cancelling",
            Self::Unknown => "unknown",
            Self::Backoff => "backoff",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }

    /// The state of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// The word of the reference's state file. `backoff` says there what the last attempt failed of.
    pub const fn status(self, reason: Option<Reason>) -> &'static str {
        match self {
            Self::Waiting | Self::Ready | Self::Hold | Self::Submitting | Self::Queued => "pending",
            Self::Starting | Self::Running | Self::Cancelling | Self::Unknown => "running",
            Self::Backoff => match reason {
                Some(Reason::GpuOom | Reason::HostOom) => "failed_oom",
                _ => "failed_other",
            },
            Self::Completed => "completed",
            Self::Failed | Self::Blocked | Self::Cancelled | Self::Lost => "stuck",
        }
    }

    /// Whether nothing happens any more unless a person asks for it.
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Blocked | Self::Cancelled | Self::Lost
        )
    }
}

/// Why an attempt did not complete, or a job is final without one. **Source**: queue design §4, a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It left with another status than 0.
    Exit,
    /// A signal ended it.
    Signal,
    /// It left with 0, and a declared output is not there.
    NoOutput,
    /// It left with 0, and all declared outputs are from before its start.
    OutputUnchanged,
    /// A GPU's memory ran out.
    GpuOom,
    /// The machine's memory ran out.
    HostOom,
    /// Its time limit passed.
    TimeLimit,
    /// Its machine failed.
    NodeFail,
    /// An engine took its place away.
    Preempted,
    /// Nobody knows how it ended.
    Lost,
    /// It never ran: working directory, setup, shell, cards.
    StartFailed,
    /// Something that must be there before it starts is not.
    Precondition,
    /// Something it depends on did not complete.
    Dependency,
    /// A person ended it.
    Cancelled,
    /// The engine refused it.
    EngineRejected,
    /// The reference's state file says so.
    Imported,
}

impl Reason {
    /// As files and people write it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Signal => "signal",
            Self::NoOutput => "no_output",
            Self::OutputUnchanged => "output_unchanged",
            Self::GpuOom => "gpu_oom",
            Self::HostOom => "host_oom",
            Self::TimeLimit => "time_limit",
            Self::NodeFail => "node_fail",
            Self::Preempted => "preempted",
            Self::Lost => "lost",
            Self::StartFailed => "start_failed",
            Self::Precondition => "precondition",
            Self::Dependency => "dependency",
            Self::Cancelled => "cancelled",
            Self::EngineRejected => "engine_rejected",
            Self::Imported => "imported",
        }
    }
}
