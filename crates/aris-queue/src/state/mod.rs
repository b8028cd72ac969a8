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

use crate::words::words;

pub use apply::Illegal;
pub use event::{Event, Imported, Outcome, Verdict};
pub use queue::Queue;
pub(crate) use queue::Usage;
pub use ready::Group;
pub use run::{Attempt, Life, Run, Spent};

words! {
    /// Where a job stands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[derive(schemars::JsonSchema)]
    pub enum State {
        /// Something it depends on is not over.
        Waiting = "waiting",
        /// Only cards or a slot are missing.
        Ready = "ready",
        /// A person holds it back.
        Hold = "hold",
        /// It is being handed to an engine.
        Submitting = "submitting",
        /// An engine has it and has not started it.
        Queued = "queued",
        /// A runner is being started.
        Starting = "starting",
        /// Its command runs.
        Running = "running",
        /// It is being ended because a person asked.
        Cancelling = "cancelling",
        /// Nothing is heard of it; it may be running.
        Unknown = "unknown",
        /// It failed and waits for its next attempt.
        Backoff = "backoff",
        /// It is done.
        Completed = "completed",
        /// It failed and is not tried again.
        Failed = "failed",
        /// Something it depends on did not complete.
        Blocked = "blocked",
        /// A person ended it.
        Cancelled = "cancelled",
        /// Nobody knows how its last attempt ended.
        Lost = "lost",
    }
}

impl State {
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

words! {
    /// Why an attempt did not complete, or a job is final without one. **Source**: queue design §4, a closed list.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[derive(schemars::JsonSchema)]
    pub enum Reason {
        /// It exited with another status than 0.
        Exit = "exit",
        /// A signal ended it.
        Signal = "signal",
        /// It exited with 0, and a declared output is not there.
        NoOutput = "no_output",
        /// It exited with 0, and all declared outputs are from before its start.
        OutputUnchanged = "output_unchanged",
        /// A GPU's memory ran out.
        GpuOom = "gpu_oom",
        /// The machine's memory ran out.
        HostOom = "host_oom",
        /// Its time limit passed.
        TimeLimit = "time_limit",
        /// Its machine failed.
        NodeFail = "node_fail",
        /// An engine took its place away.
        Preempted = "preempted",
        /// Nobody knows how it ended.
        Lost = "lost",
        /// It never ran: working directory, setup, shell, cards.
        StartFailed = "start_failed",
        /// Something that must be there before it starts is not.
        Precondition = "precondition",
        /// Something it depends on did not complete.
        Dependency = "dependency",
        /// A person ended it.
        Cancelled = "cancelled",
        /// The engine refused it.
        EngineRejected = "engine_rejected",
        /// The reference's state file says so.
        Imported = "imported",
    }
}
