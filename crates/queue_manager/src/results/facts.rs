//! The facts for a report: the state of each job, its attempts, and the last lines of its log.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::words;
use crate::explain::listed;
use aris_queue::state::{Attempt, State};

/// A job.
#[derive(Clone, Debug)]
pub(crate) struct JobFacts {
    /// Its id, as the manifest writes it.
    pub id: String,
    /// Index of its phase.
    pub phase: usize,
    /// Its state.
    pub state: State,
    /// Why it is in its state.
    pub reason: Option<&'static str>,
    /// What happened, or what it waits for.
    pub why: Option<String>,
    /// Its attempts, oldest first.
    pub attempts: Vec<Attempt>,
    /// The last lines of its last log; only for jobs that failed.
    pub tail: Option<Tail>,
}

/// Kinds of jobs; those that need attention come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// It ended without completing: failed, cancelled or lost.
    Failed,
    /// It waits for a job that will not complete unless it is retried.
    Blocked,
    /// Running, or about to.
    Running,
    /// It has not started, or is between two attempts.
    Waiting,
    Completed,
}

impl JobFacts {
    pub(super) fn kind(&self) -> Kind {
        match self.state {
            State::Completed => Kind::Completed,
            State::Failed | State::Cancelled | State::Lost => Kind::Failed,
            State::Blocked => Kind::Blocked,
            State::Starting | State::Running | State::Cancelling | State::Unknown => Kind::Running,
            _ => Kind::Waiting,
        }
    }

    /// The CSS class of its row.
    pub(super) fn tone(&self) -> &'static str {
        match self.kind() {
            Kind::Failed => "block",
            Kind::Blocked => "warn",
            Kind::Running => "info",
            Kind::Waiting => "none",
            Kind::Completed => "ok",
        }
    }

    /// Cards of its last attempt, for people.
    pub(super) fn cards(&self) -> String {
        let last = self.attempts.last();
        last.map_or_else(String::new, |last| listed(&last.cards, ", "))
    }

    /// How long its last attempt took until its end or `now`, for people.
    pub(super) fn took(&self, now: &Timestamp) -> String {
        let seconds = self.attempts.last().and_then(|last| last.seconds(*now));
        seconds.map_or_else(String::new, words::duration)
    }
}

/// The end of a log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Tail {
    /// The lines, in order; bytes that are not UTF-8 are replaced.
    pub lines: Vec<String>,
    /// Whether there are lines before them.
    pub cut: bool,
}

/// A declared output.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ResultFiles {
    /// Its pattern, as the manifest writes it.
    pub pattern: String,
    /// Number of files that existed when their jobs completed.
    pub files: u64,
}
