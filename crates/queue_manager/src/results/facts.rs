//! What a report is made from: the queue's state, its attempts' records, and the last lines of logs.

use aris_attempt::cards::CardId;
use jiff::Timestamp;
use serde::Serialize;

use super::words;
use crate::explain::listed;
use aris_queue::state::{Outcome, State};

/// A queue as it is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Project of the manifest.
    pub project: String,
    /// Path of the manifest.
    pub manifest: String,
    /// When the report is made.
    pub now: Timestamp,
    /// When the first manager took the queue up.
    pub started: Option<Timestamp>,
    /// Names of the phases, in the order of the manifest.
    pub phases: Vec<String>,
    /// All jobs, in the order of the manifest.
    pub jobs: Vec<JobFacts>,
    /// Declared outputs.
    pub results: Vec<ResultFiles>,
    /// What a person should look at.
    pub warnings: Vec<String>,
}

impl Facts {
    /// All attempts with their jobs.
    pub(super) fn attempts(&self) -> impl Iterator<Item = (&JobFacts, &AttemptFacts)> {
        let of_job = |job| move |attempt| (job, attempt);
        self.jobs
            .iter()
            .flat_map(move |job| job.attempts.iter().map(of_job(job)))
    }
}

/// One job.
#[derive(Clone, Debug)]
pub(crate) struct JobFacts {
    /// Its id, as the manifest writes it.
    pub id: String,
    /// Index of its phase.
    pub phase: usize,
    /// Its state.
    pub state: State,
    /// Reason of the closed list.
    pub reason: Option<String>,
    /// What happened or what it waits for, with the facts.
    pub why: Option<String>,
    /// Its attempts, the first first.
    pub attempts: Vec<AttemptFacts>,
    /// The last lines of its last log; only asked for of jobs that failed.
    pub tail: Option<Tail>,
}

/// One attempt.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttemptFacts {
    /// Its number, from 1.
    pub number: u32,
    /// Cards it was given.
    pub cards: Vec<CardId>,
    /// When the command started; `None`: it did not.
    pub started: Option<Timestamp>,
    /// When it ended; `None`: it runs, or nobody saw it.
    pub ended: Option<Timestamp>,
    /// What it came to; `None`: it runs.
    pub outcome: Option<Outcome>,
    /// Reason of the closed list.
    pub reason: Option<String>,
    /// Its log.
    pub log: Option<String>,
}

/// Kinds of jobs, those that need a look first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Over without being completed: failed, cancelled, lost.
    Failed,
    /// Waiting for a job that will not complete; it may still run.
    Blocked,
    /// Running, or about to.
    Running,
    /// Not yet begun, or between two attempts.
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

    /// The class of its row.
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

    /// What its last attempt has taken until its end or `now`, for people.
    pub(super) fn took(&self, now: &Timestamp) -> String {
        let seconds = self.attempts.last().and_then(|last| last.seconds(*now));
        seconds.map_or_else(String::new, words::duration)
    }
}

impl AttemptFacts {
    pub(super) fn ran_out_of_memory(&self) -> bool {
        self.outcome == Some(Outcome::Failed)
            && matches!(self.reason.as_deref(), Some("gpu_oom" | "host_oom"))
    }

    /// Seconds it has taken until its end or `now`; `None` for one that never started or whose end nobody saw.
    pub(super) fn seconds(&self, now: Timestamp) -> Option<f64> {
        let end = match self.outcome {
            None => self.ended.unwrap_or(now),
            Some(_) => self.ended?,
        };
        Some(words::seconds(self.started?, end))
    }
}

/// The end of a log.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Tail {
    /// Lines, the last last; what is not UTF-8 replaced.
    pub lines: Vec<String>,
    /// Whether lines stand before them.
    pub cut: bool,
}

/// One declared output.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ResultFiles {
    /// Its pattern, as the manifest writes it.
    pub pattern: String,
    /// Files that were there when their jobs completed.
    pub files: u64,
}
