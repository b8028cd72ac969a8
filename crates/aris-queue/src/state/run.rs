//! The life of one job.

use aris_attempt::cards::CardId;
use jiff::Timestamp;

use super::{Reason, Verdict};

/// The life of one job.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Where it is in its life.
    pub life: Life,
    /// Whether a person holds it back.
    pub held: bool,
    /// Number of the last attempt; 0: none yet.
    pub attempt: u32,
    /// Failures that count against the budgets of retries.
    pub spent: Spent,
    /// Cards of the last attempt.
    pub cards: Vec<CardId>,
    /// What the last attempt came to; `None` while one is under way.
    pub verdict: Option<Box<Verdict>>,
    /// How the attempt before the last one ended, for the job itself.
    pub last_end: Option<&'static str>,
    /// When the last attempt was begun.
    pub started: Option<Timestamp>,
    /// When each attempt was begun.
    pub starts: Vec<Timestamp>,
    /// When it was over.
    pub ended: Option<Timestamp>,
    /// When the next one is due, for people: [`Life::Backoff`] decides.
    pub retry_at: Option<Timestamp>,
    /// Process of the command.
    pub pid: Option<i32>,
    /// What the engine calls it.
    pub engine_ref: Option<Box<str>>,
    /// What the engine last said of it.
    pub engine_says: Option<Box<str>>,
    /// Log of the last attempt.
    pub log: Option<Box<str>>,
    /// Digest of the command of the last attempt.
    pub command: Option<Box<str>>,
    /// Boot in which the last attempt was begun.
    pub boot: Option<Box<str>>,
    /// The life before the last attempt, which an engine may still refuse.
    pub(super) before: Option<Box<Self>>,
}

/// The part of a job's state that is its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    /// Nothing is under way; whether it may start is another question.
    #[default]
    Idle,
    /// An attempt was begun; nobody has seen it run.
    Starting,
    /// An engine has it.
    Queued,
    /// Its command runs.
    Running,
    /// Nothing is heard of its attempt.
    Unknown,
    /// Its attempt is being ended because a person asked.
    Cancelling,
    /// It failed; the next attempt is due at this moment of [`Queue::tick`](super::Queue::tick)'s clock.
    Backoff(u64),
    /// Over.
    Completed,
    /// Over.
    Failed,
    /// Over.
    Cancelled,
    /// Over, nobody knows how.
    Lost,
}

/// Failures by the budget they count against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Out of memory.
    pub oom: u32,
    /// Node failures and preemptions.
    pub infra: u32,
    /// Its time limit.
    pub time_limit: u32,
    /// Everything else.
    pub other: u32,
    /// Ends that nobody knows.
    pub lost: u32,
}

impl Life {
    /// Whether an attempt is under way.
    pub const fn is_active(self) -> bool {
        matches!(
            self,
            Self::Starting | Self::Queued | Self::Running | Self::Unknown | Self::Cancelling
        )
    }

    pub(super) const fn is_over(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Cancelled | Self::Lost
        )
    }
}

impl Spent {
    pub(super) fn add(&mut self, reason: Option<Reason>) {
        match reason {
            Some(Reason::GpuOom | Reason::HostOom) => self.oom += 1,
            Some(Reason::NodeFail | Reason::Preempted) => self.infra += 1,
            Some(Reason::Lost) => self.lost += 1,
            Some(Reason::TimeLimit) => self.time_limit += 1,
            Some(Reason::Cancelled) | None => {}
            Some(_) => self.other += 1,
        }
    }
}
