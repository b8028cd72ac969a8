//! `status` and `watch`: how far a queue is.

use std::collections::BTreeMap;
use std::time::Duration;

use aris_cli::{Context, Outcome};
use aris_queue::snapshot::{JobRow, Snapshot, moment};
use aris_queue::state::State;
use jiff::Timestamp;
use serde::Serialize;

use crate::cli::{StatusArgs, WatchArgs};
use crate::commands::{place, snapshot, tail};
use crate::error::Error;
use crate::lock;
use crate::manager;
use crate::place::Place;
use crate::report::Data;

/// Jobs of a kind that are named; `--jobs` names all.
const NAMED: usize = 20;

/// How far a queue is.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Status {
    /// Project of the manifest.
    pub(crate) project: String,
    /// Whether every job is final.
    pub(crate) over: bool,
    /// Whether nothing new is started because a person wants so.
    pub(crate) paused: bool,
    /// Who runs the queue now; absent: nobody, and what is said of running jobs is as old as `updated`.
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
    /// Jobs that are over without being completed, at most 20.
    pub(crate) problems: Vec<Row>,
    /// What a person should know now.
    pub(crate) notices: Vec<String>,
    /// Seconds until the end, from the median run of each phase; absent: no job has ended yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left_s: Option<u64>,
    /// All jobs, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) all: Option<Vec<Row>>,
}

/// A phase.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Phase {
    /// Its name.
    pub(crate) name: String,
    /// `pending`, `running`, `completed` or `stuck`.
    pub(crate) status: String,
    /// Jobs in all.
    pub(crate) jobs: usize,
    /// Jobs that are completed.
    pub(crate) completed: usize,
    /// Jobs that are over without being completed.
    pub(crate) stuck: usize,
}

/// A job that runs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Running {
    /// The job.
    pub(crate) id: String,
    /// Its cards.
    pub(crate) gpus: Vec<u32>,
    /// Number of the attempt.
    pub(crate) attempt: u32,
    /// Since when, UTC.
    pub(crate) started: Option<String>,
    /// Seconds since then.
    pub(crate) seconds: Option<i64>,
    /// The last line of its log.
    pub(crate) last_line: Option<String>,
}

/// A job.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Row {
    /// The job.
    pub(crate) id: String,
    /// Its phase.
    pub(crate) phase: String,
    /// Its state.
    pub(crate) state: &'static str,
    /// Why.
    pub(crate) reason: Option<&'static str>,
    /// Attempts.
    pub(crate) attempts: u32,
    /// What happened.
    pub(crate) error: Option<String>,
}

pub(crate) fn status(args: &StatusArgs, context: &Context) -> Result<Outcome<Data>, Error> {
    let place = place(&args.queue, context)?;
    Ok(Outcome::done(Data::Status(Box::new(of(
        &place,
        args.jobs,
        context.now(),
    )?))))
}

/// Follows a queue until it is over or nobody runs it any more. A line for each change.
pub(crate) fn watch(args: &WatchArgs, context: &Context) -> Result<Outcome<Data>, Error> {
    let place = place(&args.queue, context)?;
    let mut before = String::new();
    loop {
        let status = of(&place, false, context.now())?;
        let line = status.line();
        if line != before {
            context.note(&line);
            before = line;
        }
        if status.over || status.manager.is_none() {
            return Ok(Outcome::done(Data::Status(Box::new(status))));
        }
        manager::pause(args.interval.max(Duration::from_millis(100)));
    }
}

fn of(place: &Place, all: bool, now: Timestamp) -> Result<Status, Error> {
    let snapshot = snapshot(place)?;
    let manager = lock::holder(place).map(|owner| owner.to_string());
    let state_of = |job: &JobRow| job.state.unwrap_or(State::Waiting);
    let mut counts = BTreeMap::new();
    for job in &snapshot.jobs {
        *counts.entry(state_of(job).word()).or_insert(0) += 1;
    }
    let row = |job: &JobRow| Row {
        id: job.id.clone(),
        phase: job.phase.clone(),
        state: state_of(job).word(),
        reason: job.reason.map(aris_queue::state::Reason::word),
        attempts: job.attempts,
        error: job.error.clone(),
    };
    let running = snapshot
        .jobs
        .iter()
        .filter(|job| job.status == "running")
        .take(NAMED)
        .map(|job| Running {
            id: job.id.clone(),
            gpus: job.gpus.clone(),
            attempt: job.attempts,
            started: job.started.clone(),
            seconds: job
                .started
                .as_deref()
                .and_then(moment)
                .map(|started| now.duration_since(started).as_secs().max(0)),
            last_line: job
                .log
                .as_deref()
                .and_then(|log| tail(log.as_ref(), 1))
                .filter(|line| !line.is_empty()),
        })
        .collect();
    let problems = snapshot.jobs.iter().filter(|job| job.status == "stuck");
    Ok(Status {
        project: snapshot.meta.project.clone(),
        over: snapshot.meta.over,
        paused: snapshot.meta.paused,
        manager,
        updated: snapshot.meta.updated.clone(),
        jobs: snapshot.jobs.len(),
        counts,
        phases: phases(&snapshot),
        running,
        problems: problems.take(NAMED).map(row).collect(),
        notices: snapshot.notices.clone(),
        left_s: left(&snapshot),
        all: all.then(|| snapshot.jobs.iter().map(row).collect()),
    })
}

fn phases(snapshot: &Snapshot) -> Vec<Phase> {
    let mut counts: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for job in &snapshot.jobs {
        let entry = counts.entry(&job.phase).or_default();
        entry.0 += 1;
        entry.1 += usize::from(job.status == "completed");
        entry.2 += usize::from(job.status == "stuck");
    }
    snapshot
        .phases
        .iter()
        .map(|phase| {
            let (jobs, completed, stuck) =
                counts.get(phase.name.as_str()).copied().unwrap_or_default();
            Phase {
                name: phase.name.clone(),
                status: phase.status.clone(),
                jobs,
                completed,
                stuck,
            }
        })
        .collect()
}

/// What is left, each job at the median of its phase, else of all, spread over as many as run now.
fn left(snapshot: &Snapshot) -> Option<u64> {
    let mut runs: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut all = Vec::new();
    for job in snapshot.jobs.iter().filter(|job| job.status == "completed") {
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
    let medians: BTreeMap<&str, u64> = runs
        .into_iter()
        .filter_map(|(phase, mut times)| Some((phase, median(&mut times)?)))
        .collect();
    let open = snapshot
        .jobs
        .iter()
        .filter(|job| !matches!(job.status.as_str(), "completed" | "stuck"));
    let sum: u64 = open
        .map(|job| medians.get(job.phase.as_str()).copied().unwrap_or(overall))
        .sum();
    let lanes = snapshot
        .jobs
        .iter()
        .filter(|job| job.status == "running")
        .count()
        .max(1);
    Some(sum / 1000 / lanes as u64)
}

impl Status {
    /// The whole of it in one line.
    pub(crate) fn line(&self) -> String {
        let counts: Vec<String> = self
            .counts
            .iter()
            .map(|(state, count)| format!("{count} {state}"))
            .collect();
        let running: Vec<&str> = self.running.iter().map(|job| job.id.as_str()).collect();
        let mut line = counts.join(", ");
        if !running.is_empty() {
            line = format!("{line} ({})", running.join(" "));
        }
        if let Some(left) = self.left_s.filter(|_| !self.over) {
            line = format!("{line}, about {} left", duration(left));
        }
        line
    }
}

/// Seconds for people.
pub(crate) fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn durations_are_short() {
        for (seconds, text) in [(5, "5s"), (65, "1m 05s"), (3700, "1h 01m")] {
            assert_eq!(super::duration(seconds), text);
        }
    }
}
