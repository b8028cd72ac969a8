//! `status`: the status of a run, without taking part in it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use aris_cli::{Context, Outcome, Shown};
use aris_contract::text::counted;
use aris_recipe::engine::{Entry, Event, State, Status};
use serde::Serialize;

use crate::attempt::{self, AtWork, Left};
use crate::cli::StatusArgs;
use crate::commands::run::{end_word, signal};
use crate::drive::in_brackets;
use crate::error::Error;
use crate::journal;
use crate::store::{self, ticket};

/// Schema id of [`Standing`].
pub(crate) const SCHEMA: &str = "aris.recipe_runner.status/v1";

/// Status of a run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Standing {
    /// Name of the recipe.
    recipe: String,
    /// `running` while somebody is at it, or the work of a step runs, else as `run` prints it.
    status: Status,
    /// The step at the cursor; null when the run is over.
    step: Option<String>,
    /// Number of its next or present try, from 1.
    attempt: u32,
    /// The process that does its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_work: Option<AtWork>,
    /// The status of each lens, if the step has several.
    lenses: Vec<LensStanding>,
    /// Whether its work was begun and it is not known how it ended, or its folder holds something that this run did not start.
    interrupted: bool,
    #[serde(skip)]
    said: Vec<String>,
    /// Whether the run was begun and nobody is at it.
    #[serde(skip)]
    stopped: bool,
    /// Whether its work was cancelled; `resume` starts it again.
    cancelled: bool,
    /// Whether the run ended at a stop step that is declared as a failure.
    failed: bool,
    /// Entries of the journal.
    entries: usize,
    /// The stop step, `done`, `escalate`, or null.
    terminal: Option<String>,
    /// Why it halted.
    #[serde(skip_serializing_if = "Option::is_none")]
    halt: Option<String>,
    /// Notes of steps that could not look at something, when they were last executed.
    degraded: BTreeMap<String, String>,
}

/// Status of a lens.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct LensStanding {
    /// The lens.
    lens: String,
    /// `waiting`, `running`, `cancelled`, `interrupted`, or how its attempt ended: `success`, `failure`, `context_limit`, `exhausted`, `stale`.
    status: &'static str,
    /// The process that does its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_work: Option<AtWork>,
}

/// Reads the state and looks at the attempts at its end.
pub(crate) fn run(args: &StatusArgs, context: &Context) -> Result<Shown, Error> {
    let path = context.absolute(&args.state);
    let used = store::is_used(&path)?;
    let (state, started) = store::load(&path)?;
    let parts = if state.status.is_over() || state.start.is_none() {
        Vec::new()
    } else {
        attempt::parts(&folder(&path, &ticket(&state)), Some(&started))?
    };
    let (mut said, mut cancelled, mut at_work) = (Vec::new(), false, None);
    let cursor = state.cursor.as_deref().unwrap_or_default();
    let mut lenses = Vec::new();
    for part in parts {
        said.extend(part.left.unclear(cursor, &part.folder));
        let (status, work) = match part.left {
            Left::Nothing => ("waiting", None),
            Left::AtWork(work) => ("running", Some(work)),
            Left::Ended(outcome) => (outcome.status.word(), None),
            Left::Cancelled => ("cancelled", None),
            Left::Interrupted | Left::Foreign => ("interrupted", None),
        };
        cancelled |= status == "cancelled";
        if let Some(lens) = part.lens {
            at_work = at_work.or_else(|| work.clone());
            lenses.push(LensStanding {
                lens,
                status,
                at_work: work,
            });
        } else {
            at_work = work;
        }
    }
    let status = status_of(&state, used, at_work.is_some());
    let signal = signal(&state);
    let data = Standing {
        recipe: state.recipe.name.clone(),
        status,
        step: state.cursor.clone(),
        attempt: state.attempts + 1,
        at_work,
        lenses,
        interrupted: !said.is_empty(),
        said,
        stopped: status != state.status && status == Status::Waiting,
        cancelled,
        failed: state.failed,
        entries: state.journal.len(),
        terminal: state.terminal().map(str::to_owned),
        degraded: degraded(&state),
        halt: state.halt,
    };
    Ok(Outcome { data, signal }.shown(SCHEMA, Standing::render))
}

/// The status now: an engine that was killed has left `running`.
pub(crate) fn status_of(state: &State, used: bool, at_work: bool) -> Status {
    match state.status {
        _ if at_work => Status::Running,
        Status::Running if !used => Status::Waiting,
        status => status,
    }
}

/// The notes of the steps that were degraded when they were last executed.
fn degraded(state: &State) -> BTreeMap<String, String> {
    let executed = state
        .journal
        .iter()
        .filter(|entry| entry.event == Event::Executed);
    let last: BTreeMap<&String, &Entry> = executed.map(|entry| (&entry.step, entry)).collect();
    let notes = last
        .into_iter()
        .filter_map(|(step, entry)| Some((step, entry.note.as_ref()?)));
    let degraded = notes.filter(|(_, note)| note.contains("degraded"));
    degraded
        .map(|(step, note)| (step.clone(), note.clone()))
        .collect()
}

pub(crate) fn folder(state: &Path, ticket: &str) -> PathBuf {
    journal::attempts_of(state).join(ticket)
}

impl Standing {
    /// One line for the run, and one for the running step.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        let place = self.terminal.as_ref().or(self.step.as_ref());
        let place = place.map_or(String::new(), |place| format!(": {place}"));
        let halt = in_brackets(self.halt.as_ref());
        let word = end_word(self.status, Some(self.failed));
        let steps = counted(self.entries, "step");
        writeln!(out, "{}\t{word}{place}{halt}\tafter {steps}", self.recipe)?;
        for (step, note) in &self.degraded {
            writeln!(out, "{step}\t{note}")?;
        }
        for lens in &self.lenses {
            let log = lens.at_work.as_ref().map_or("", |work| &work.log);
            writeln!(out, "lens {}\t{}\t{log}", lens.lens, lens.status)?;
        }
        if let Some(work) = self.at_work.as_ref().filter(|_| self.lenses.is_empty()) {
            writeln!(
                out,
                "running\tprocess {}, since {}, attempt {}\t{}",
                work.process, work.since, self.attempt, work.log
            )?;
        }
        for said in &self.said {
            writeln!(out, "interrupted\t{said}")?;
        }
        if self.stopped {
            writeln!(
                out,
                "stopped\tno recipe_runner is running; recipe_runner resume continues"
            )?;
        }
        if self.cancelled {
            writeln!(out, "cancelled\trecipe_runner resume starts it again")?;
        }
        Ok(())
    }
}
