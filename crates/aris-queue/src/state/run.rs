//! The life of one job.

use std::sync::LazyLock;

use aris_attempt::cards::CardId;
use jiff::Timestamp;

use super::{Outcome, Reason, Verdict};

/// The life of one job.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Where it is in its life.
    pub life: Life,
    /// Whether a person holds it back.
    pub held: bool,
    /// Failures that count against the budgets of retries.
    pub spent: Spent,
    /// Its attempts, the first first. Of many that were made under another manager the first ones are left out.
    pub attempts: Vec<Attempt>,
    /// Why it is final without another attempt.
    pub(super) refused: Option<Box<Verdict>>,
    /// How the attempt before the last one ended, for the job itself.
    pub last_end: Option<&'static str>,
    /// When the next one is due, for people: [`Life::Backoff`] decides.
    pub retry_at: Option<Timestamp>,
    /// What the engine last said of it.
    pub engine_says: Option<Box<str>>,
}

/// One attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1; 0: there is none.
    pub number: u32,
    /// Cards it was given.
    pub cards: Vec<CardId>,
    /// When it was begun; `None`: nobody knows.
    pub begun: Option<Timestamp>,
    /// When its command started, as far as that is known, else when it was begun.
    pub started: Option<Timestamp>,
    /// When it was over; `None`: it is under way, or nobody saw its end.
    pub ended: Option<Timestamp>,
    /// What it came to; `None`: it is under way, or was withdrawn.
    pub verdict: Option<Box<Verdict>>,
    /// It was not started after all.
    pub withdrawn: bool,
    /// Process of the command.
    pub pid: Option<i32>,
    /// What the engine calls it.
    pub engine_ref: Option<Box<str>>,
    /// Its log.
    pub log: Option<Box<str>>,
    /// Digest of its command; `None`: another manager made it.
    pub command: Option<Box<str>>,
    /// Boot in which it was begun.
    pub boot: Option<Box<str>>,
}

/// The attempt of a job that has none.
static NONE: LazyLock<Attempt> = LazyLock::new(Attempt::default);

impl Attempt {
    /// Completed or not; `None`: it is under way.
    pub fn outcome(&self) -> Option<Outcome> {
        self.verdict.as_ref().map(|verdict| verdict.outcome)
    }

    /// Why not.
    pub fn reason(&self) -> Option<Reason> {
        self.verdict.as_ref()?.reason
    }

    /// Whether it failed because memory ran out.
    pub fn ran_out_of_memory(&self) -> bool {
        let memory = matches!(self.reason(), Some(Reason::GpuOom | Reason::HostOom));
        memory && self.outcome() == Some(Outcome::Failed)
    }

    /// Seconds it has taken until its end or `now`; `None` for one that never started or whose end nobody saw. 0 when a clock was set back.
    pub fn seconds(&self, now: Timestamp) -> Option<f64> {
        let now = Some(now).filter(|_| self.verdict.is_none());
        let took = self.ended.or(now)?.duration_since(self.started?);
        Some(took.as_secs_f64().max(0.0))
    }
}

impl Run {
    /// The last attempt; one with the number 0 where there is none.
    pub fn last(&self) -> &Attempt {
        self.attempts.last().unwrap_or(&NONE)
    }

    /// Number of the last attempt; 0: none yet.
    pub fn attempt(&self) -> u32 {
        self.last().number
    }

    /// What the job came to last; `None` while an attempt is under way.
    pub fn verdict(&self) -> Option<&Verdict> {
        let last = self.last().verdict.as_deref();
        self.refused.as_deref().or(last)
    }
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
    /// It is over, so.
    Over(Outcome),
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
