//! `status`: the progress of a queue.

use std::collections::BTreeMap;

use crate::snapshot::{self, JobRow, Snapshot, moment};
use aris_attempt::cards::CardId;
use aris_cli::{Context, Outcome, Shown};
use aris_contract::text::shell_line;
use aris_contract::time::stamp;
use aris_queue::state::{Reason, State};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::QueueArgs;
use crate::commands::{CommandResult, place, tail};
use crate::error::Error;
use crate::explain::listed;
use crate::load;
use crate::lock;
use crate::place::Place;
use crate::report;
use crate::results::words::{tallied, whole};

/// Most jobs that each list names; `--jobs` lists all.
pub(crate) const NAMED: usize = 20;

/// Length in seconds of the window in which ended jobs are counted for the rate.
const RATE_S: i64 = 3600;

/// The progress of a queue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Status {
    /// Project of the manifest.
    pub(crate) project: String,
    /// Whether every job is final.
    pub(crate) over: bool,
    /// Whether a person paused the queue: no new job starts.
    pub(crate) paused: bool,
    /// The manager that runs the queue; absent: there is none, and what is said about running jobs dates from `updated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) manager: Option<String>,
    /// When the state was written, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated: Option<String>,
    /// Jobs in all.
    pub(crate) jobs: usize,
    /// Jobs by state; states without jobs are left out.
    pub(crate) counts: BTreeMap<&'static str, usize>,
    /// Phases in order.
    pub(crate) phases: Vec<Phase>,
    /// Jobs that run, at most 20.
    pub(crate) running: Vec<Running>,
    /// Jobs that will be retried, the next first, at most 20.
    pub(crate) retries: Vec<Retry>,
    /// Blocked jobs by cause, the most frequent cause first, at most 20 causes.
    pub(crate) blocked: Vec<Blocked>,
    /// Jobs that ended without completing, at most 20.
    pub(crate) problems: Vec<Row>,
    /// Cards that this queue has used, and the jobs on them now.
    pub(crate) cards: Vec<CardUse>,
    /// Notes for people.
    pub(crate) notices: Vec<String>,
    /// Jobs that ended in the last hour; for a younger queue, scaled up to an hour. Absent: none ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) per_hour: Option<u64>,
    /// Estimated seconds until the end, from the median run of each phase. Absent: it cannot be estimated, or is below one second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left_s: Option<u64>,
    /// All jobs, with `--jobs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) all: Option<Vec<Row>>,
}

/// A phase.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Phase {
    /// Its name.
    pub(crate) name: String,
    /// `pending`, `running`, `completed` or `stuck`.
    pub(crate) status: String,
    /// Jobs in all.
    pub(crate) jobs: usize,
    /// Jobs that are completed.
    pub(crate) completed: usize,
    /// Jobs that ended without completing.
    pub(crate) stuck: usize,
}

/// A running job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Running {
    /// The job.
    pub(crate) id: String,
    /// Its cards.
    pub(crate) gpus: Vec<CardId>,
    /// Number of the attempt.
    pub(crate) attempt: u32,
    /// When it started, UTC.
    pub(crate) started: Option<String>,
    /// Seconds since then.
    pub(crate) seconds: Option<i64>,
    /// The last line of its log.
    pub(crate) last_line: Option<String>,
}

/// A job that will be retried.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Retry {
    /// The job.
    pub(crate) id: String,
    /// Why the last attempt did not complete.
    pub(crate) reason: Option<&'static str>,
    /// Number of attempts so far.
    pub(crate) attempts: u32,
    /// When it is due, UTC; absent: the state file does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<String>,
}

/// Blocked jobs with the same cause.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Blocked {
    /// The cause.
    pub(crate) cause: String,
    /// Number of jobs.
    pub(crate) jobs: usize,
}

/// A card.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CardUse {
    /// Its number.
    pub(crate) index: CardId,
    /// Jobs that use it now.
    pub(crate) jobs: Vec<String>,
}

/// A job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Row {
    /// The job.
    pub(crate) id: String,
    /// Its phase.
    pub(crate) phase: String,
    /// Its state.
    pub(crate) state: &'static str,
    /// Why.
    pub(crate) reason: Option<&'static str>,
    /// Number of attempts.
    pub(crate) attempts: u32,
    /// What happened.
    pub(crate) error: Option<String>,
}

impl Phase {
    /// Its progress, for people.
    pub(crate) fn ended(&self) -> String {
        let (completed, jobs, stuck) = (self.completed, self.jobs, self.stuck);
        format!("{completed} of {jobs} completed, {stuck} ended without completing")
    }
}

impl Running {
    /// Its cards, for people.
    pub(crate) fn cards(&self) -> String {
        match self.gpus.as_slice() {
            [] => String::from("-"),
            cards => listed(cards, ","),
        }
    }

    /// How long it has been running, for people.
    pub(crate) fn time(&self) -> String {
        let seconds = self.seconds.and_then(|seconds| u64::try_from(seconds).ok());
        seconds.map_or_else(|| String::from("-"), whole)
    }
}

pub(crate) fn status(queue: &QueueArgs, jobs: bool, context: &Context) -> CommandResult {
    let place = place(queue, context)?;
    let found = of(&place, jobs, NAMED, context.now())?;
    Ok(found.outcome())
}

/// The state of a job in the state file; the reference writes only its own words.
pub(super) fn state_of(job: &JobRow) -> State {
    job.state.unwrap_or(match job.status.as_str() {
        "completed" => State::Completed,
        "running" => State::Running,
        "failed_oom" | "failed_other" => State::Backoff,
        "stuck" => State::Failed,
        _ => State::Waiting,
    })
}

/// The status of a queue. `all`: with every job; `named`: the most jobs that each list names.
pub(crate) fn of(place: &Place, all: bool, named: usize, now: Timestamp) -> Result<Status, Error> {
    // Read first: if the manager exits in between, the state that is read next is its last one.
    let manager = lock::holder(place, now).map(|owner| owner.to_string());
    let mut snapshot = load::state(place)?;
    let foreign = !Place::is_queue(&place.queue);
    // The journal decides. The state file may be an old copy or edited, or its manager was killed before it wrote all that it knew.
    if !foreign {
        let queue = super::look_at(place.clone(), now)?.queue;
        let written = snapshot.meta.updated.as_deref().and_then(moment);
        let last = queue.last_event().filter(|last| Some(*last) > written);
        snapshot.meta.updated = last.map(stamp).or(snapshot.meta.updated);
        snapshot = snapshot::of(&queue, snapshot);
    }
    let foreign = foreign && snapshot.schema.is_empty();
    let mut notices = snapshot.notices.clone();
    if foreign {
        let what = "another program wrote this state, and may still run these jobs";
        notices.push(format!("{what}; queue_manager adopt takes it over"));
    }
    if let Some(original) = lock::original_at_work(place) {
        notices.push(format!(
            "this folder is a copy of the queue {original}, whose manager or jobs are at work; nothing is started or ended from here"
        ));
    } else if let Some(original) = lock::moved(place) {
        let now = if manager.is_some() {
            "that manager is about to stop"
        } else {
            "no manager runs it here"
        };
        notices.push(format!(
            "the queue's folder was moved or copied: it was run at {original}; {now}. Jobs that it had started may still run and write there. queue_manager start --state {} continues it here",
            shell_line(&[place.state.to_string_lossy()])
        ));
    }
    let warned = snapshot.jobs.iter();
    let warned = warned.filter_map(|job| Some(format!("{}: {}", job.id, job.warning.as_ref()?)));
    let more = warned.clone().count().saturating_sub(named);
    notices.extend(warned.take(named));
    if more > 0 {
        notices.push(format!("{more} more jobs have a warning; `report` has all"));
    }
    let over = if foreign {
        snapshot.jobs.iter().all(|job| state_of(job).is_final())
    } else {
        snapshot.meta.over
    };
    let mut counts = BTreeMap::new();
    for job in &snapshot.jobs {
        *counts.entry(state_of(job).word()).or_insert(0) += 1;
    }
    let row = |job: &JobRow| Row {
        id: job.id.clone(),
        phase: job.phase.clone(),
        state: state_of(job).word(),
        reason: job.reason.map(Reason::word),
        attempts: job.attempts,
        error: job.error.clone(),
    };
    let running = with_status(&snapshot, "running").take(named).map(|job| {
        let started = job.started.as_deref().and_then(moment);
        let seconds = started.map(|started| now.duration_since(started).as_secs().max(0));
        let line = job.log.as_deref().and_then(|log| tail(log.as_ref(), 1));
        Running {
            id: job.id.clone(),
            gpus: job.gpus.clone(),
            attempt: job.attempts,
            started: job.started.clone(),
            seconds,
            last_line: line.filter(|line| !line.is_empty()),
        }
    });
    let running = running.collect();
    let problems = with_status(&snapshot, "stuck");
    Ok(Status {
        project: snapshot.meta.project.clone(),
        over,
        paused: snapshot.meta.paused,
        manager,
        updated: snapshot.meta.updated.clone(),
        jobs: snapshot.jobs.len(),
        counts,
        phases: phases(&snapshot),
        running,
        retries: retries(&snapshot, named),
        blocked: blocked(&snapshot, named),
        problems: problems.take(named).map(row).collect(),
        cards: cards(&snapshot),
        notices,
        per_hour: per_hour(&snapshot, now),
        left_s: left(&snapshot, now),
        all: all.then(|| snapshot.jobs.iter().map(row).collect()),
    })
}

fn with_status<'s>(
    snapshot: &'s Snapshot,
    status: &'s str,
) -> impl Iterator<Item = &'s JobRow> + Clone {
    let jobs = snapshot.jobs.iter();
    jobs.filter(move |job| job.status == status)
}

fn phases(snapshot: &Snapshot) -> Vec<Phase> {
    let mut phases: BTreeMap<&str, Phase> = BTreeMap::new();
    for job in &snapshot.jobs {
        let phase = phases.entry(&job.phase).or_default();
        phase.jobs += 1;
        phase.completed += usize::from(job.status == "completed");
        phase.stuck += usize::from(job.status == "stuck");
    }
    let named = snapshot.phases.iter().map(|phase| Phase {
        name: phase.name.clone(),
        status: phase.status.clone(),
        ..phases.remove(phase.name.as_str()).unwrap_or_default()
    });
    named.collect()
}

fn retries(snapshot: &Snapshot, named: usize) -> Vec<Retry> {
    let waiting = snapshot.jobs.iter();
    let mut waiting: Vec<&JobRow> = waiting
        .filter(|job| job.state == Some(State::Backoff))
        .collect();
    // Stable sort: jobs that are due at the same time, or at an unknown time, keep the manifest's order.
    let due = |job: &&JobRow| job.retry_at.as_deref().and_then(moment);
    waiting.sort_by_key(|job| due(job).unwrap_or(Timestamp::MAX));
    let retries = waiting.into_iter().take(named).map(|job| Retry {
        id: job.id.clone(),
        reason: job.reason.map(Reason::word),
        attempts: job.attempts,
        at: job.retry_at.clone(),
    });
    retries.collect()
}

fn blocked(snapshot: &Snapshot, named: usize) -> Vec<Blocked> {
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    let stuck = snapshot.jobs.iter();
    for job in stuck.filter(|job| job.state == Some(State::Blocked)) {
        let cause = job.error.as_deref().unwrap_or("");
        *causes.entry(cause).or_default() += 1;
    }
    let mut causes: Vec<(&str, usize)> = causes.into_iter().collect();
    causes.sort_by_key(|(_, jobs)| std::cmp::Reverse(*jobs));
    let blocked = causes.into_iter().take(named).map(|(cause, jobs)| {
        let cause = cause.to_owned();
        Blocked { cause, jobs }
    });
    blocked.collect()
}

fn cards(snapshot: &Snapshot) -> Vec<CardUse> {
    let mut cards: BTreeMap<CardId, Vec<String>> = BTreeMap::new();
    for job in &snapshot.jobs {
        for card in &job.gpus {
            let jobs = cards.entry(*card).or_default();
            jobs.extend((job.status == "running").then(|| job.id.clone()));
        }
    }
    let cards = cards.into_iter();
    cards.map(|(index, jobs)| CardUse { index, jobs }).collect()
}

fn per_hour(snapshot: &Snapshot, now: Timestamp) -> Option<u64> {
    let seconds = |text: &str| moment(text).map(|moment| now.duration_since(moment).as_secs());
    let age = snapshot.meta.started.as_deref().and_then(seconds)?;
    let window = age.clamp(1, RATE_S);
    let ends = snapshot.jobs.iter();
    let ends = ends.filter_map(|job| seconds(job.completed.as_deref()?));
    let ended = u64::try_from(ends.filter(|ago| *ago <= window).count()).ok()?;
    let rate = ended.saturating_mul(RATE_S.unsigned_abs()) / window.unsigned_abs();
    (rate > 0).then_some(rate)
}

/// Estimates the seconds until the end. Each open job counts with the median of its phase, else of all jobs, and the sum is divided by the
/// number of running jobs. `None` if no job runs, or if one runs for longer than twice its median.
fn left(snapshot: &Snapshot, now: Timestamp) -> Option<u64> {
    let mut runs: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut all = Vec::new();
    for job in with_status(snapshot, "completed") {
        if let Some(ms) = job.ran_ms {
            runs.entry(&job.phase).or_default().push(ms);
            all.push(ms);
        }
    }
    let median = |times: &mut Vec<u64>| {
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    };
    let overall = median(&mut all)?;
    let medians = runs.into_iter();
    let medians: BTreeMap<&str, u64> = medians
        .filter_map(|(phase, mut times)| Some((phase, median(&mut times)?)))
        .collect();
    let expected = |job: &JobRow| medians.get(job.phase.as_str()).copied().unwrap_or(overall);
    let late = |job: &JobRow| {
        let started = job.started.as_deref().and_then(moment);
        started.is_some_and(|started| {
            let ran = now.duration_since(started).as_millis().max(0);
            ran.unsigned_abs() > u128::from(expected(job)) * 2 + 1000
        })
    };
    let mut running = with_status(snapshot, "running");
    let lanes = running.clone().count() as u64;
    if running.any(late) {
        return None;
    }
    let open = snapshot.jobs.iter();
    let open = open.filter(|job| !matches!(job.status.as_str(), "completed" | "stuck"));
    let sum: u64 = open.map(expected).sum();
    (sum / 1000).checked_div(lanes).filter(|left| *left > 0)
}

impl Status {
    /// The outcome, with the signal for a queue that has ended with jobs that did not complete.
    pub(crate) fn outcome(self) -> Shown {
        let completed = self.counts.get(State::Completed.word());
        let not_all = self.over && completed.copied().unwrap_or(0) < self.jobs;
        Outcome::found(self, not_all).shown(report::id::STATUS, report::status)
    }

    /// The status in one line.
    pub(crate) fn line(&self) -> String {
        let running: Vec<&str> = self.running.iter().map(|job| job.id.as_str()).collect();
        let mut line = tallied(&self.counts, ", ");
        if !running.is_empty() {
            line = format!("{line} ({})", running.join(" "));
        }
        if let Some(left) = self.left_s.filter(|_| !self.over) {
            line = format!("{line}, about {} left", whole(left));
        }
        line
    }
}
