//! `report`: what a queue came to, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aris_cli::{Context, Outcome};
use aris_queue::snapshot::{JobRow, Snapshot, moment};
use aris_queue::state::{Reason, State};
use serde::Serialize;

use crate::cli::ReportArgs;
use crate::commands::status::duration;
use crate::commands::{place, snapshot, tail};
use crate::error::Error;
use crate::place::Place;
use crate::report::Data;

/// Failures whose log is shown.
const SHOWN: usize = 50;
/// Lines of each.
const LINES: usize = 10;

/// What a queue came to.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Summary {
    /// Project of the manifest.
    pub(crate) project: String,
    /// When it was taken up first, UTC.
    pub(crate) started: Option<String>,
    /// When the last attempt was over, UTC; absent while jobs are open.
    pub(crate) completed: Option<String>,
    /// Seconds between the two, or until the state was written.
    pub(crate) wall_s: Option<u64>,
    /// Jobs by state.
    pub(crate) counts: BTreeMap<&'static str, usize>,
    /// Jobs that completed after running out of memory or failing otherwise.
    pub(crate) retried_then_completed: usize,
    /// Phases in order.
    pub(crate) phases: Vec<PhaseSummary>,
    /// Jobs that are over without being completed, at most 50.
    pub(crate) failures: Vec<Failure>,
    /// Completed jobs that a person should look at.
    pub(crate) warnings: Vec<String>,
    /// Where results are: each declared output with the jobs that declare it, at most 50.
    pub(crate) outputs: Vec<String>,
}

/// A phase.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PhaseSummary {
    /// Its name.
    pub(crate) name: String,
    /// Jobs in all.
    pub(crate) jobs: usize,
    /// Jobs that are completed.
    pub(crate) completed: usize,
    /// Attempts after the first, of all jobs.
    pub(crate) retries: u32,
    /// Seconds from the first start to the last end.
    pub(crate) wall_s: Option<u64>,
}

/// A job that did not complete.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Failure {
    /// The job.
    pub(crate) id: String,
    /// Its state.
    pub(crate) state: &'static str,
    /// Why.
    pub(crate) reason: Option<&'static str>,
    /// What happened.
    pub(crate) error: Option<String>,
    /// Attempts.
    pub(crate) attempts: u32,
    /// Log of the last attempt.
    pub(crate) log: Option<String>,
    /// Its last lines.
    pub(crate) tail: Option<String>,
}

pub(crate) fn report(args: &ReportArgs, context: &Context) -> Result<Outcome<Data>, Error> {
    let place = place(&args.queue, context)?;
    let summary = of(&snapshot(&place)?);
    if let Some(path) = &args.md {
        aris_fs::write_atomic(&context.absolute(path), summary.markdown().as_bytes())?;
    }
    Ok(Outcome::done(Data::Summary(Box::new(summary))))
}

/// Leaves `summary.md` beside the state file; gives its path. A file that cannot be written is said on stderr only: the state has
/// it all.
pub(crate) fn leave(place: &Place, snapshot: &Snapshot, context: &Context) -> Option<String> {
    let path = place.summary();
    match aris_fs::write_atomic(&path, of(snapshot).markdown().as_bytes()) {
        Ok(()) => Some(path.display().to_string()),
        Err(error) => {
            context.warn(&format!("no summary was written: {error}"));
            None
        }
    }
}

fn of(snapshot: &Snapshot) -> Summary {
    let jobs = &snapshot.jobs;
    let state = |job: &JobRow| job.state.unwrap_or(State::Waiting);
    let mut counts = BTreeMap::new();
    for job in jobs {
        *counts.entry(state(job).word()).or_insert(0) += 1;
    }
    let last = jobs
        .iter()
        .filter_map(|job| job.completed.as_deref())
        .max()
        .map(str::to_owned);
    let completed = last.filter(|_| snapshot.meta.over);
    let until = completed.as_deref().or(snapshot.meta.updated.as_deref());
    let mut outputs: Vec<String> = jobs
        .iter()
        .filter(|job| job.status == "completed")
        .flat_map(|job| match &job.expected_output {
            serde_json::Value::String(one) => vec![one.clone()],
            serde_json::Value::Array(many) => many
                .iter()
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        })
        .take(SHOWN)
        .collect();
    outputs.sort();
    outputs.dedup();
    Summary {
        project: snapshot.meta.project.clone(),
        started: snapshot.meta.started.clone(),
        wall_s: span(snapshot.meta.started.as_deref(), until),
        completed,
        counts,
        retried_then_completed: jobs
            .iter()
            .filter(|job| job.status == "completed" && job.attempts > 1)
            .count(),
        phases: snapshot
            .phases
            .iter()
            .map(|phase| phase_summary(&phase.name, jobs))
            .collect(),
        failures: jobs
            .iter()
            .filter(|job| job.status == "stuck")
            .take(SHOWN)
            .map(|job| Failure {
                id: job.id.clone(),
                state: state(job).word(),
                reason: job.reason.map(Reason::word),
                error: job.error.clone(),
                attempts: job.attempts,
                log: job.log.clone(),
                tail: job.log.as_deref().and_then(|log| tail(log.as_ref(), LINES)),
            })
            .collect(),
        warnings: jobs
            .iter()
            .filter(|job| job.status == "completed")
            .filter_map(|job| Some(format!("{}: {}", job.id, job.warning.as_deref()?)))
            .collect(),
        outputs,
    }
}

fn phase_summary(name: &str, jobs: &[JobRow]) -> PhaseSummary {
    let of_phase: Vec<&JobRow> = jobs.iter().filter(|job| job.phase == name).collect();
    let first = of_phase
        .iter()
        .filter_map(|job| job.started_attempts.first().map(String::as_str))
        .min();
    let last = of_phase
        .iter()
        .filter_map(|job| job.completed.as_deref())
        .max();
    PhaseSummary {
        name: name.to_owned(),
        jobs: of_phase.len(),
        completed: of_phase
            .iter()
            .filter(|job| job.status == "completed")
            .count(),
        retries: of_phase
            .iter()
            .map(|job| job.attempts.saturating_sub(1))
            .sum(),
        wall_s: span(first, last),
    }
}

fn span(from: Option<&str>, until: Option<&str>) -> Option<u64> {
    let seconds = moment(until?)?.duration_since(moment(from?)?).as_secs();
    u64::try_from(seconds).ok()
}

impl Summary {
    /// The form for people. **Source**: the summary that the reference's skill shows.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::from("# Experiment queue summary\n\n");
        let time = |text: &Option<String>| text.clone().unwrap_or_else(|| String::from("-"));
        let wall = |seconds: Option<u64>| seconds.map_or_else(|| String::from("-"), duration);
        let counts: Vec<String> = self
            .counts
            .iter()
            .map(|(state, count)| format!("{count} {state}"))
            .collect();
        let mut line = |text: std::fmt::Arguments<'_>| {
            // Writing to a String cannot fail.
            writeln!(out, "{text}").unwrap_or_default();
        };
        line(format_args!("**Project**: {}", cell(&self.project)));
        line(format_args!("**Started**: {}", time(&self.started)));
        line(format_args!("**Completed**: {}", time(&self.completed)));
        line(format_args!("**Total wall-clock**: {}", wall(self.wall_s)));
        line(format_args!(
            "**Jobs**: {}; {} of the completed ones after a retry\n",
            counts.join(", "),
            self.retried_then_completed
        ));
        line(format_args!("## Phases\n"));
        line(format_args!(
            "| Phase | Jobs | Success | Retries | Duration |"
        ));
        line(format_args!("| --- | --- | --- | --- | --- |"));
        for phase in &self.phases {
            line(format_args!(
                "| {} | {} | {} | {} | {} |",
                cell(&phase.name),
                phase.jobs,
                phase.completed,
                phase.retries,
                wall(phase.wall_s)
            ));
        }
        if !self.failures.is_empty() {
            line(format_args!("\n## Not completed\n"));
        }
        for job in &self.failures {
            line(format_args!(
                "### {}: {}\n\n{} ({} attempts; log {})\n",
                cell(&job.id),
                job.reason.unwrap_or(job.state),
                cell(job.error.as_deref().unwrap_or("-")),
                job.attempts,
                job.log.as_deref().unwrap_or("-")
            ));
            if let Some(tail) = job.tail.as_deref().filter(|tail| !tail.is_empty()) {
                for text in tail.lines() {
                    line(format_args!("    {text}"));
                }
                line(format_args!(""));
            }
        }
        if !self.warnings.is_empty() {
            line(format_args!("\n## Worth a look\n"));
        }
        for warning in &self.warnings {
            line(format_args!("- {}", cell(warning)));
        }
        if !self.outputs.is_empty() {
            line(format_args!("\n## Results\n"));
        }
        for output in &self.outputs {
            line(format_args!("- `{}`", cell(output)));
        }
        out
    }
}

/// Text of others on one line of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
