//! The state of each job of a queue, and why it is in it.
//!
//! ```text
//! waiting ──deps──▶ ready ──start──▶ starting ──▶ running ──judge──▶ completed
//!    │ dep failed     ▲ hold             │ engine: submitting ▶ queued ▶ running      failed (reason)
//!    ▼                └──── backoff ◀────┴──── a retry is due ◀───────────────────── lost, cancelled
//! blocked
//! ```
//!
//! A job's own life (started, ended, to be retried) follows from events in the journal. `waiting`, `ready`, `blocked` and the end of a
//! `backoff` are derived from the lives of other jobs and from the time. They have no lines in the journal, so none can contradict it: a
//! retried parent unblocks its children by itself. **Source**: queue design §4.

mod apply;
mod dependencies;
mod event;
mod queue;
mod ready;
mod run;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::words::words;

pub use apply::Illegal;
pub use event::{Event, Imported, Outcome, Terms, Verdict};
pub use queue::Queue;
pub(crate) use queue::Usage;
pub use ready::Group;
pub use run::{Attempt, Life, Run, Spent};

words! {
    /// The state of a job.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[derive(schemars::JsonSchema)]
    pub enum State {
        /// A dependency is not over.
        Waiting = "waiting",
        /// It only lacks cards or a slot.
        Ready = "ready",
        /// A person holds it back.
        Hold = "hold",
        /// It is being submitted to an engine.
        Submitting = "submitting",
        /// An engine has accepted it and not started it.
        Queued = "queued",
        /// Its runner is being started.
        Starting = "starting",
        /// Its command runs.
        Running = "running",
        /// It is being ended because a person cancelled it.
        Cancelling = "cancelling",
        /// Nothing is known of its attempt, which may be running.
        Unknown = "unknown",
        /// It failed and waits for its next attempt.
        Backoff = "backoff",
        /// It completed.
        Completed = "completed",
        /// It failed and is not retried.
        Failed = "failed",
        /// A dependency did not complete.
        Blocked = "blocked",
        /// A person cancelled it.
        Cancelled = "cancelled",
        /// How its last attempt ended is unknown.
        Lost = "lost",
    }
}

impl State {
    /// The word for this state in the reference's state file. For `backoff` it depends on why the last attempt failed.
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

    /// Whether nothing more happens unless a person asks for it.
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Blocked | Self::Cancelled | Self::Lost
        )
    }
}

words! {
    /// Why an attempt did not complete, or why a job is final without one. **Source**: queue design §4, a closed list.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[derive(schemars::JsonSchema)]
    pub enum Reason {
        /// It exited with a status other than 0.
        Exit = "exit",
        /// A signal ended it.
        Signal = "signal",
        /// It exited with 0, and a declared output is missing.
        NoOutput = "no_output",
        /// It exited with 0, and all declared outputs are older than its start.
        OutputUnchanged = "output_unchanged",
        /// A GPU's memory ran out.
        GpuOom = "gpu_oom",
        /// The machine's memory ran out.
        HostOom = "host_oom",
        /// Its time limit passed, or it exited to be continued in its next attempt.
        TimeLimit = "time_limit",
        /// Its machine failed.
        NodeFail = "node_fail",
        /// The engine preempted it.
        Preempted = "preempted",
        /// How it ended is unknown.
        Lost = "lost",
        /// It could not be started: working directory, setup, shell or cards.
        StartFailed = "start_failed",
        /// A file that must exist before it starts is missing.
        Precondition = "precondition",
        /// A dependency did not complete.
        Dependency = "dependency",
        /// A person cancelled it.
        Cancelled = "cancelled",
        /// The engine refused it.
        EngineRejected = "engine_rejected",
        /// The reference's state file says so.
        Imported = "imported",
    }
}
