//! The report of a queue: what ran, what failed and why, and how much card time it used. It has three forms: JSON, `summary.md`, and a
//! single HTML page.
//!
//! A report states what is recorded. A job without a record does not count as completed, and the report of an unfinished queue says that it
//! is unfinished.

mod facts;
mod html;
mod markdown;
mod metrics;
#[cfg(test)]
mod tests;
mod timeline;
pub(crate) mod words;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use aris_queue::state::{Attempt, Outcome};

use facts::Kind;
pub(crate) use facts::{JobFacts, ResultFiles, Tail};
pub(crate) use html::page;
pub(crate) use markdown::summary;
pub(crate) use metrics::{MetricRow, Metrics, Missing};

/// The report of a queue.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Report {
    /// Project of the manifest.
    pub project: String,
    /// Path of the manifest.
    pub manifest: String,
    /// When the queue was first begun.
    #[schemars(with = "Option<String>")]
    pub started: Option<Timestamp>,
    /// When the last attempt ended; absent while jobs run or wait.
    #[schemars(with = "Option<String>")]
    pub ended: Option<Timestamp>,
    /// When the report was made.
    #[schemars(with = "String")]
    pub made: Timestamp,
    /// Number of jobs by kind.
    pub counts: Counts,
    /// Use of cards.
    pub cards: CardUse,
    /// Phases in the order of the manifest.
    pub phases: Vec<Phase>,
    /// Jobs that ended without completing, except blocked ones.
    pub failures: Vec<Failure>,
    /// Jobs that wait for one that will not complete.
    pub blocked: Vec<Blocked>,
    /// Declared outputs of completed jobs, with the number of their files.
    pub results: Vec<ResultFiles>,
    /// Warnings for people.
    pub warnings: Vec<String>,
    /// Metrics and parameters, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// All jobs, in the order of the manifest.
    #[serde(skip)]
    pub jobs: Vec<JobFacts>,
}

/// Number of jobs by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// All jobs.
    pub jobs: usize,
    /// Completed.
    pub completed: usize,
    /// Completed, in a later attempt than the first.
    pub completed_after_retry: usize,
    /// Of these, those with an attempt that ran out of memory.
    pub completed_after_oom: usize,
    /// Ended without completing: failed, cancelled or lost.
    pub failed: usize,
    /// Waiting for a job that will not complete.
    pub blocked: usize,
    /// Running, or about to.
    pub running: usize,
    /// Not started, or between two attempts.
    pub waiting: usize,
}

/// Use of cards, in seconds of one card. Jobs without a card are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CardUse {
    /// Number of cards that were used.
    pub cards: usize,
    /// Time in attempts.
    pub busy_s: f64,
    /// Time in attempts that did not complete.
    pub fruitless_s: f64,
}

/// A phase.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Phase {
    /// Its name.
    pub name: String,
    /// Number of its jobs.
    pub counts: Counts,
    /// Number of attempts after one that ran out of memory.
    pub oom_retries: usize,
    /// Number of other attempts after the first.
    pub other_retries: usize,
    /// Seconds from its first start to its last end; absent if no attempt ended.
    pub wall_s: Option<f64>,
    /// Seconds that completed attempts took.
    pub durations: Option<Durations>,
}

/// Seconds that completed attempts took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[expect(
    clippy::struct_field_names,
    reason = "a printed number of seconds says so in its name"
)]
pub(crate) struct Durations {
    /// Shortest.
    pub min_s: f64,
    /// The middle one, or the mean of the middle two.
    pub median_s: f64,
    /// Longest.
    pub max_s: f64,
}

/// A job that ended without completing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Failure {
    /// The job.
    pub id: String,
    /// Its phase.
    pub phase: String,
    /// `failed`, `cancelled` or `lost`.
    pub state: &'static str,
    /// Why it is in its state.
    pub reason: Option<&'static str>,
    /// What happened.
    pub error: Option<String>,
    /// Number of attempts.
    pub attempts: usize,
    /// Log of the last attempt.
    pub log: Option<Box<str>>,
    /// Its last lines.
    pub tail: Option<Tail>,
}

/// A job that waits for one that will not complete.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Blocked {
    /// The job.
    pub id: String,
    /// Its phase.
    pub phase: String,
    /// The job it waits for, and that job's state.
    pub cause: Option<String>,
}

impl Report {
    /// Fills in all that follows from the jobs. Of the phases, only the names must be set before.
    pub(crate) fn counted(mut self) -> Self {
        for (at, phase) in self.phases.iter_mut().enumerate() {
            let jobs = self.jobs.iter().filter(|job| job.phase == at);
            phase.count(&jobs.collect::<Vec<_>>());
        }
        self.counts = Counts::of(&mut self.jobs.iter());
        let over = self.counts.running + self.counts.waiting == 0;
        let ends = self.attempts().filter_map(|(_, attempt)| attempt.ended);
        self.ended = ends.max().filter(|_| over);
        self.cards = CardUse::of(&self);
        let phase = |job: &JobFacts| {
            let phase = self.phases.get(job.phase);
            phase.map_or_else(String::new, |phase| phase.name.clone())
        };
        for job in &self.jobs {
            match job.kind() {
                Kind::Failed => self.failures.push(Failure {
                    id: job.id.clone(),
                    phase: phase(job),
                    state: job.state.word(),
                    reason: job.reason,
                    error: job.why.clone(),
                    attempts: job.attempts.len(),
                    log: job.attempts.last().and_then(|it| it.log.clone()),
                    tail: job.tail.clone(),
                }),
                Kind::Blocked => self.blocked.push(Blocked {
                    id: job.id.clone(),
                    phase: phase(job),
                    cause: job.why.clone(),
                }),
                Kind::Running | Kind::Waiting | Kind::Completed => {}
            }
        }
        self
    }

    /// How long the queue has run, for people.
    fn wall_clock(&self) -> Option<String> {
        let end = self.ended.unwrap_or(self.made);
        let seconds = words::seconds(self.started?, end);
        Some(words::duration(seconds))
    }

    /// All attempts with their jobs.
    fn attempts(&self) -> impl Iterator<Item = (&JobFacts, &Attempt)> {
        let of_job = |job| move |attempt| (job, attempt);
        let jobs = self.jobs.iter();
        jobs.flat_map(move |job| job.attempts.iter().map(of_job(job)))
    }

    /// Declared outputs for people: patterns of one file each are merged if they differ in one part of the path only.
    pub(super) fn result_groups(&self) -> Vec<ResultFiles> {
        let literal =
            |result: &ResultFiles| result.files == 1 && !result.pattern.contains(['*', '?', '[']);
        let of = |result: &ResultFiles| (result.clone(), literal(result));
        let mut groups: Vec<(ResultFiles, bool)> = self.results.iter().map(of).collect();
        let depth = groups.iter().map(|(one, _)| one.pattern.split('/').count());
        for level in 0..depth.max().unwrap_or(0) {
            let mut merged: Vec<(ResultFiles, bool)> = Vec::new();
            let mut known: BTreeMap<String, usize> = BTreeMap::new();
            for (result, literal) in groups {
                let pattern = literal.then(|| starred(&result.pattern, level)).flatten();
                let at = pattern.as_ref().and_then(|pattern| known.get(pattern));
                match (at.and_then(|at| merged.get_mut(*at)), pattern) {
                    (Some((one, _)), Some(pattern)) => {
                        one.pattern = pattern;
                        one.files += result.files;
                    }
                    (_, pattern) => {
                        known.extend(pattern.map(|pattern| (pattern, merged.len())));
                        merged.push((result, literal));
                    }
                }
            }
            groups = merged;
        }
        groups.into_iter().map(|(result, _)| result).collect()
    }
}

/// A path with `*` in place of one of its parts, counted from the end; the last part keeps its extension.
fn starred(path: &str, level: usize) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    let at = parts.len().checked_sub(level + 1)?;
    let part = parts.get_mut(at).filter(|part| !part.is_empty())?;
    let star = match level {
        0 => format!("*.{}", part.rsplit_once('.')?.1),
        _ => String::from("*"),
    };
    *part = &star;
    Some(parts.join("/"))
}

impl Counts {
    fn of(jobs: &mut dyn Iterator<Item = &JobFacts>) -> Self {
        let mut counts = Self::default();
        for job in jobs {
            counts.jobs += 1;
            match job.kind() {
                Kind::Completed => {
                    let oom = job.attempts.iter().any(Attempt::ran_out_of_memory);
                    counts.completed += 1;
                    counts.completed_after_retry += usize::from(job.attempts.len() > 1);
                    counts.completed_after_oom += usize::from(oom);
                }
                Kind::Failed => counts.failed += 1,
                Kind::Blocked => counts.blocked += 1,
                Kind::Running => counts.running += 1,
                Kind::Waiting => counts.waiting += 1,
            }
        }
        counts
    }
}

impl CardUse {
    fn of(report: &Report) -> Self {
        let mut all = BTreeSet::new();
        let mut used = Self::default();
        for (_, attempt) in report.attempts() {
            let Some(seconds) = attempt.seconds(report.made) else {
                continue;
            };
            for card in &attempt.cards {
                all.insert(*card);
                used.busy_s += seconds;
                if !matches!(attempt.outcome(), Some(Outcome::Completed) | None) {
                    used.fruitless_s += seconds;
                }
            }
        }
        used.cards = all.len();
        used
    }
}

impl Phase {
    fn count(&mut self, jobs: &[&JobFacts]) {
        let attempts = || jobs.iter().flat_map(|job| &job.attempts);
        for pair in jobs.iter().flat_map(|job| job.attempts.windows(2)) {
            if pair.first().is_some_and(Attempt::ran_out_of_memory) {
                self.oom_retries += 1;
            } else {
                self.other_retries += 1;
            }
        }
        let first = attempts().filter_map(|attempt| attempt.started).min();
        let last = attempts().filter_map(|attempt| attempt.ended).max();
        let wall = first.zip(last);
        self.wall_s = wall.map(|(first, last)| words::seconds(first, last));
        self.counts = Counts::of(&mut jobs.iter().copied());
        self.durations = Durations::of(attempts());
    }

    /// Its retries, for people.
    fn retries(&self) -> String {
        match (self.oom_retries, self.other_retries) {
            (oom, 0) if oom > 0 => format!("{oom} (memory)"),
            (0, other) => other.to_string(),
            (oom, other) => format!("{} ({oom} memory)", oom + other),
        }
    }

    /// Its time from first start to last end, for people.
    fn wall(&self) -> String {
        let wall = self.wall_s.map(words::duration);
        wall.unwrap_or_else(|| String::from("–"))
    }

    /// How long its completed attempts took, for people.
    fn each(&self) -> String {
        let each = self.durations.map(|each| {
            let each = [each.min_s, each.median_s, each.max_s];
            each.map(words::duration).join(" / ")
        });
        each.unwrap_or_else(|| String::from("–"))
    }
}

impl Durations {
    fn of<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Option<Self> {
        let mut all: Vec<f64> = attempts
            .filter(|attempt| attempt.outcome() == Some(Outcome::Completed))
            .filter_map(|attempt| Some(words::seconds(attempt.started?, attempt.ended?)))
            .collect();
        all.sort_by(f64::total_cmp);
        let middle = (all.get(all.len().checked_sub(1)? / 2)? + all.get(all.len() / 2)?) / 2.0;
        Some(Self {
            min_s: *all.first()?,
            median_s: middle,
            max_s: *all.last()?,
        })
    }
}
