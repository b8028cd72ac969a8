//! `timeline`: one page that shows when each step ran, how often it was tried, and what it cost.

mod page;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use aris_cli::{Context, Outcome, Shown};
use aris_contract::text::counted;
use aris_fs::Form;
use aris_recipe::engine::State;
use jiff::Timestamp;
use serde::Serialize;

use crate::agent::{self, Usage};
use crate::attempt::{self, STDOUT};
use crate::cli::TimelineArgs;
use crate::commands::logs;
use crate::commands::run::end_word;
use crate::commands::status::status_of;
use crate::error::Error;
use crate::journal;
use crate::store;

/// Schema id of [`Timeline`].
pub(crate) const SCHEMA: &str = "aris.recipe_runner.timeline/v1";

/// When each step ran.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Timeline {
    /// The page.
    path: String,
    /// Name of the recipe.
    recipe: String,
    /// Status of the run.
    status: String,
    /// Visits of steps, in order.
    steps: Vec<Row>,
    /// Seconds in which something was at work.
    work_s: f64,
    /// Seconds in which nothing was at work.
    waiting_s: f64,
    /// What sessions cost, as far as they report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(skip)]
    from: Option<Timestamp>,
    #[serde(skip)]
    to: Option<Timestamp>,
}

/// One visit of a step.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Row {
    step: String,
    /// How it ended: `success`, `failure`, `skipped`, `stop` and the like; `running`, `waiting`.
    status: String,
    /// Which execution of the step this is, from 1.
    visit: u32,
    /// Where control went.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// Seconds without work before it.
    waited_s: f64,
    /// Its attempts, as far as an engine made them.
    attempts: Vec<Bar>,
    /// When its outcome was recorded, UTC.
    #[schemars(with = "Option<String>")]
    at: Option<Timestamp>,
}

impl Row {
    /// The times in which something was at work; where an outcome was only recorded, that moment. With attempts, the time of the journal's
    /// entry does not count: it is a moment after the end of the last attempt.
    fn spans(&self) -> Vec<(Timestamp, Timestamp)> {
        let bars = self.attempts.iter().map(|bar| (bar.from, bar.to));
        let recorded = self.at.filter(|_| self.attempts.is_empty());
        bars.chain(recorded.map(|at| (at, at))).collect()
    }
}

/// One attempt, or that of one lens.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Bar {
    /// Its number, from 1.
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    lens: Option<String>,
    status: String,
    /// UTC.
    #[schemars(with = "String")]
    from: Timestamp,
    /// UTC; now, where it is at work; where it was interrupted, when it began.
    #[schemars(with = "String")]
    to: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
}

/// Writes the page.
pub(crate) fn run(args: &TimelineArgs, context: &Context) -> Result<Shown, Error> {
    let state_path = context.absolute(args.state());
    let used = store::is_used(&state_path)?;
    let (state, _) = store::load(&state_path)?;
    let target = match &args.output {
        Some(path) => context.absolute(path),
        None => state_path.with_extension("html"),
    };
    let own = &state.recipe;
    let manifest = own.manifest.as_ref().map(|file| file.path.as_str());
    let inputs = [Some(own.path.as_str()), manifest].into_iter().flatten();
    let mut taken: Vec<PathBuf> = inputs.map(|path| context.absolute(path.as_ref())).collect();
    taken.extend([state_path.clone(), journal::attempts_of(&state_path)]);
    let taken: Vec<&Path> = taken.iter().map(PathBuf::as_path).collect();
    aris_fs::check_output(&target, Form::PAGE, &taken)?;
    let mut timeline = Timeline::of(&state, used, &state_path, context.now())?;
    timeline.path = target.display().to_string();
    let page = page::of(&timeline, context.now());
    let page = page.map_err(|error| Error::malformed(&target, error))?;
    aris_fs::write_output(&target, page.as_bytes())?;
    Ok(Outcome::done(timeline).shown(SCHEMA, Timeline::render))
}

impl Timeline {
    fn of(state: &State, used: bool, path: &Path, now: Timestamp) -> Result<Self, Error> {
        let mut steps = Vec::new();
        for (at, entry) in state.journal.iter().enumerate() {
            let event: &str = entry.event.into();
            let status = entry.status.as_deref().unwrap_or(event);
            steps.push(Row {
                step: entry.step.clone(),
                status: status.to_owned(),
                visit: entry.visit,
                target: entry.target.clone(),
                note: entry.note.clone(),
                attempts: bars(path, at + 1, entry.attempts, now)?,
                at: entry.at.as_ref().and_then(|at| at.parse().ok()),
                ..Row::default()
            });
        }
        let is_over = state.status.is_over();
        if let Some(step) = state.cursor.as_ref().filter(|_| !is_over) {
            let attempts = bars(path, state.journal.len() + 1, state.attempts + 1, now)?;
            let running = attempts.iter().any(|bar| bar.status == "running");
            steps.push(Row {
                step: step.clone(),
                status: String::from(if running { "running" } else { "waiting" }),
                visit: state.visits.get(step).copied().unwrap_or(0) + 1,
                attempts,
                ..Row::default()
            });
        }
        let running = steps.last().is_some_and(|row| row.status == "running");
        let status = status_of(state, used, running);
        let bars = steps.iter().flat_map(|row| &row.attempts);
        let mut timeline = Self {
            recipe: state.recipe.name.clone(),
            status: end_word(status, Some(state.failed)).to_owned(),
            usage: bars.filter_map(|bar| bar.usage).reduce(Usage::and),
            steps,
            ..Self::default()
        };
        timeline.measure();
        Ok(timeline)
    }

    /// Measures the time of work, and the time without it: before an attempt, and before an outcome that somebody recorded.
    fn measure(&mut self) {
        let mut end: Option<Timestamp> = None;
        for row in &mut self.steps {
            let mut spans = row.spans();
            spans.sort_unstable();
            for (from, to) in spans {
                let last = end.unwrap_or(from);
                self.from.get_or_insert(from);
                row.waited_s += seconds(last, from);
                self.work_s += seconds(from.max(last), to);
                end = Some(last.max(to));
            }
            self.waiting_s += row.waited_s;
        }
        self.to = end;
    }

    /// The path of the page, and the sums.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        let (path, status) = (&self.path, &self.status);
        let steps = counted(self.steps.len(), "step");
        let [work, waiting] = [self.work_s, self.waiting_s].map(page::duration);
        writeln!(
            out,
            "wrote {path}: {status}, {steps}, {work} of work, {waiting} of waiting"
        )?;
        self.usage
            .map_or(Ok(()), |usage| writeln!(out, "{}", page::cost(usage)))
    }
}

/// Seconds between two times; 0 when they are in the other order.
fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64().max(0.0)
}

/// The attempts of a visit, with those of its lenses, and those that were cancelled.
fn bars(state: &Path, seq: usize, attempts: u32, now: Timestamp) -> Result<Vec<Bar>, Error> {
    let mut bars = Vec::new();
    for attempt in 1..=attempts {
        let folder = journal::attempts_of(state).join(format!("{seq}.{attempt}"));
        let parts = attempt::parts(&folder, None)?.into_iter();
        // A lens that is not tried again has its bar in the attempt in which it succeeded.
        for part in parts.filter(|part| part.folder.starts_with(&folder)) {
            let cancelled = attempt::asides(&part.folder, attempt::CANCELLED)
                .take_while(|folder| folder.exists());
            for folder in cancelled.chain([part.folder.clone()]) {
                if let Some(bar) = bar(&folder, attempt, part.lens.clone(), now)? {
                    bars.push(bar);
                }
            }
        }
    }
    Ok(bars)
}

fn bar(
    folder: &Path,
    attempt: u32,
    lens: Option<String>,
    now: Timestamp,
) -> Result<Option<Bar>, Error> {
    let Some(told) = attempt::told(folder)? else {
        return Ok(None);
    };
    let Ok(from) = told.started.parse::<Timestamp>() else {
        return Ok(None);
    };
    let ended = told.ended.and_then(|ended| ended.parse().ok());
    // A session reports its cost at its end.
    let (_, log) = logs::end(&folder.join(STDOUT))?;
    Ok(Some(Bar {
        attempt,
        lens,
        to: match (ended, told.status) {
            (Some(ended), _) => ended,
            (None, "running") => now.max(from),
            (None, _) => from,
        },
        status: told.status.to_owned(),
        from,
        note: told.note,
        usage: agent::usage(&String::from_utf8_lossy(&log)),
    }))
}
