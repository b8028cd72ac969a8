use std::sync::LazyLock;

use aris_attempt::cards::CardId;
use jiff::Timestamp;

use super::{Outcome, Reason, Terms, Verdict};

/// The history of one job, and where it is in its life.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Where it is in its life.
    pub life: Life,
    /// Whether a person holds it back.
    pub held: bool,
    /// Failures that count against the budgets of retries.
    pub spent: Spent,
    /// Its attempts, oldest first. Of many imported ones only the last are kept.
    pub attempts: Vec<Attempt>,
    /// Number of the last attempt that belongs to an earlier, removed job with this id.
    pub before: u32,
    /// The result of a job that is final without another attempt.
    pub(super) refused: Option<Box<Verdict>>,
    /// How the attempt before the last one ended; passed to the job itself.
    pub last_end: Option<&'static str>,
    /// When the next attempt is due, for people; [`Life::Backoff`] decides.
    pub retry_at: Option<Timestamp>,
    /// What the engine last said about it.
    pub engine_says: Option<Box<str>>,
}

/// An attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1; 0 in the attempt of a job that has none.
    pub number: u32,
    /// Cards that it was given.
    pub cards: Vec<CardId>,
    /// When it was begun; `None`: unknown.
    pub begun: Option<Timestamp>,
    /// When its command started; if that is unknown, when it was begun.
    pub started: Option<Timestamp>,
    /// When it ended; `None`: it is running, was withdrawn, or its end is unknown.
    pub ended: Option<Timestamp>,
    /// Its result; `None`: it is running, or was withdrawn.
    pub verdict: Option<Box<Verdict>>,
    /// Whether it was withdrawn before it started.
    pub withdrawn: bool,
    /// Process id of the command.
    pub pid: Option<i32>,
    /// The engine's name for it.
    pub engine_ref: Option<Box<str>>,
    /// Its log.
    pub log: Option<Box<str>>,
    /// Digest of its command; `None`: it was imported.
    pub command: Option<Box<str>>,
    /// The machine's boot in which it was begun.
    pub boot: Option<Box<str>>,
    /// What the manifest said of the job when it started; `None`: not recorded.
    pub terms: Option<Box<Terms>>,
}

/// The last attempt of a job that has none.
static NONE: LazyLock<Attempt> = LazyLock::new(Attempt::default);

impl Attempt {
    /// How it ended; `None`: it is running, or was withdrawn.
    pub fn outcome(&self) -> Option<Outcome> {
        self.verdict.as_ref().map(|verdict| verdict.outcome)
    }

    /// Why it did not complete.
    pub fn reason(&self) -> Option<Reason> {
        self.verdict.as_ref()?.reason
    }

    /// Whether it failed with an out-of-memory error.
    pub fn ran_out_of_memory(&self) -> bool {
        let memory = matches!(self.reason(), Some(Reason::GpuOom | Reason::HostOom));
        memory && self.outcome() == Some(Outcome::Failed)
    }

    /// Seconds that it took until its end or until `now`; `None`: it never started, or its end is unknown. 0 if a clock was set back.
    pub fn seconds(&self, now: Timestamp) -> Option<f64> {
        let now = Some(now).filter(|_| self.verdict.is_none());
        let took = self.ended.or(now)?.duration_since(self.started?);
        Some(took.as_secs_f64().max(0.0))
    }
}

impl Run {
    /// The last attempt; if there is none, one with the number 0.
    pub fn last(&self) -> &Attempt {
        self.attempts.last().unwrap_or(&NONE)
    }

    /// Number of the last attempt; 0: none yet.
    pub fn attempt(&self) -> u32 {
        self.last().number
    }

    /// The last result of the job; `None` while an attempt is running.
    pub fn verdict(&self) -> Option<&Verdict> {
        let last = Some(self.last()).filter(|last| last.number > self.before);
        let last = last.and_then(|last| last.verdict.as_deref());
        self.refused.as_deref().or(last)
    }
}

/// The part of a job's state that does not depend on other jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    /// No attempt is running; whether one may start depends on other jobs.
    #[default]
    Idle,
    /// An attempt was begun, and was not seen running yet.
    Starting,
    /// An engine has accepted it.
    Queued,
    /// Its command runs.
    Running,
    /// Nothing is known of its attempt.
    Unknown,
    /// Its attempt is being ended because a person cancelled it.
    Cancelling,
    /// It failed, and is retried at this time of [`Queue::tick`](super::Queue::tick)'s clock.
    Backoff(u64),
    /// It is over, with this outcome.
    Over(Outcome),
}

/// Failures by the budget they count against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Out-of-memory errors.
    pub oom: u32,
    /// Node failures and preemptions.
    pub infra: u32,
    /// Time limits.
    pub time_limit: u32,
    /// All other failures.
    pub other: u32,
    /// Attempts whose end is unknown.
    pub lost: u32,
}

impl Life {
    /// Whether an attempt is running, or about to.
    pub const fn is_active(self) -> bool {
        matches!(
            self,
            Self::Starting | Self::Queued | Self::Running | Self::Unknown | Self::Cancelling
        )
    }

    pub(super) const fn is_over(self) -> bool {
        matches!(self, Self::Over(_))
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
