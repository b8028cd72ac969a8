//! `next` and `complete`: a run that another program drives.

use std::fmt::Display;
use std::io::{self, Read as _, Write};
use std::path::PathBuf;

use aris_cli::{Context, Outcome, Shown};
use aris_contract::{ErrorKind, Signal};
use aris_recipe::engine::tokens::{self, Reading};
use aris_recipe::engine::{
    self, Entry, Event, Lens, Machine, OutcomeStatus, Question, State, Status,
};
use aris_recipe::model::Kind;
use aris_recipe::{Step, value};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::agent;
use crate::attempt::{self, Left, Part};
use crate::cli::{CompleteArgs, StateArgs};
use crate::commands::run::{end_word, signal, write_end};
use crate::drive::{self, Source};
use crate::error::Error;
use crate::session;
use crate::store::{Store, ticket};

/// Schema id of [`Next`].
pub(crate) const NEXT_SCHEMA: &str = "aris.recipe_runner.next/v1";
/// Schema id of [`Completed`].
pub(crate) const COMPLETE_SCHEMA: &str = "aris.recipe_runner.complete/v1";
/// Largest result, in bytes.
const RESULT_LIMIT: u64 = 16 << 20;

/// The step whose outcome is needed.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Next {
    /// `waiting` when there is work; else how the run ended.
    status: Status,
    /// The step; null when there is none.
    step: Option<String>,
    /// `run_skill`, `run_cmd`, `tool`, `python`, `confirm` or `route`; the outcome of a `route` decides where the run continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// The tool or callable.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// Its arguments, filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    with: Option<Map<String, Value>>,
    /// The calls that its lenses make, which may be made at the same time; `complete --result` takes a list with one result for each.
    #[serde(skip_serializing_if = "Option::is_none")]
    lenses: Option<Vec<LensCall>>,
    /// What to ask, or what the stop step says.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The model that the step asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Number of this try, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    /// Names this try; `complete --ticket` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<String>,
    /// Folders of attempts of this try that were begun, and of which it is not known how they ended, or that this run did not start: look
    /// there before the work is done again.
    interrupted: Vec<PathBuf>,
    #[serde(skip)]
    said: Vec<String>,
    /// Whether it ended at a stop step that is declared as a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<bool>,
    /// Where the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal: Option<String>,
    /// Why it halted.
    #[serde(skip_serializing_if = "Option::is_none")]
    halt: Option<String>,
}

/// The call of a lens.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct LensCall {
    /// The lens.
    lens: String,
    /// Arguments, filled in.
    with: Map<String, Value>,
    /// The result of a lens that succeeded before: it is not run again, and its result takes its place in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Map<String, Value>>,
}

/// What a recorded outcome led to.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Completed {
    /// The step.
    step: String,
    /// False when this very outcome was recorded before.
    recorded: bool,
    /// What follows.
    next: Next,
}

/// Prints the step whose outcome is needed.
pub(crate) fn next(args: &StateArgs, context: &Context) -> Result<Shown, Error> {
    let (store, machine, mut state) = open(args, "recipe_runner next", context)?;
    settle(&machine, &mut state, &store, context)?;
    let data = Next::of(&machine, &state, &store, context)?;
    let signal = ended(&state);
    Ok(Outcome { data, signal }.shown(NEXT_SCHEMA, Next::render))
}

/// Records an outcome.
pub(crate) fn complete(args: &CompleteArgs, context: &Context) -> Result<Shown, Error> {
    let (store, machine, mut state) = open(&args.state, "recipe_runner complete", context)?;
    let step = machine.recipe.step(&args.step);
    let reading = step.map(|step| machine.reading(step, &machine.calls(step, &state)));
    let outcome = outcome(args, &reading.unwrap_or_default())?;
    settle(&machine, &mut state, &store, context)?;
    let wanted = is_wanted(args, &outcome, &state)?;
    if wanted {
        one_for_each_lens(&machine, &state, &outcome)?;
        machine.apply(&mut state, Some(&outcome), Some(&context.now().to_string()));
        store.save(&state)?;
        settle(&machine, &mut state, &store, context)?;
    }
    let signal = ended(&state);
    let data = Completed {
        step: args.step.clone(),
        recorded: wanted,
        next: Next::of(&machine, &state, &store, context)?,
    };
    Ok(Outcome { data, signal }.shown(COMPLETE_SCHEMA, Completed::render))
}

/// Checks that a success of a step with lenses has one result for each.
fn one_for_each_lens(
    machine: &Machine,
    state: &State,
    outcome: &engine::Outcome,
) -> Result<(), Error> {
    let step = state.cursor.as_deref();
    let step = step.and_then(|name| machine.recipe.step(name));
    let Some(step) = step.filter(|step| !step.lenses.is_empty()) else {
        return Ok(());
    };
    let given = outcome.results.len();
    let why = match machine.lenses(step, state) {
        _ if outcome.status != OutcomeStatus::Success => return Ok(()),
        Ok(lenses) if lenses.len() == given => return Ok(()),
        Ok(lenses) => format!(
            "it has {} lenses, and a success needs one result for each; given: {given}",
            lenses.len()
        ),
        Err(why) => why,
    };
    let reason = format!("step {}: {why}", step.name);
    let hint = "give --result a JSON list of objects in the order of the lenses, as recipe_runner next lists them";
    Err(Error::refused(ErrorKind::Validation, reason, hint))
}

/// How a run ended; `None` while there is work.
fn ended(state: &State) -> Option<Signal> {
    signal(state).filter(|_| state.status != Status::Waiting)
}

/// Whether the outcome is to be recorded; false when it was recorded before.
///
/// **Errors**: it is neither for the step at the cursor nor a repetition.
fn is_wanted(args: &CompleteArgs, outcome: &engine::Outcome, state: &State) -> Result<bool, Error> {
    let at_cursor = state.status == Status::Waiting && state.cursor.as_deref() == Some(&args.step);
    let not_at_cursor = || {
        let step = &args.step;
        let reason = match &state.cursor {
            Some(at) => format!("the run is waiting for step {at}, not step {step}"),
            None => format!("the run has ended: it takes no outcome of step {step}"),
        };
        let hint = "recipe_runner status prints how the run stands";
        Error::refused(ErrorKind::Validation, reason, hint)
            .with("step", step.as_str())
            .with("cursor", state.cursor.as_deref())
    };
    let digest = engine::state::digest_of(outcome);
    let is_same =
        |entry: &Entry| entry.step == args.step && entry.outcome.as_deref() == Some(&digest);
    let Some(given) = &args.ticket else {
        if at_cursor {
            return Ok(true);
        }
        let mut before = state.journal.iter().rev();
        let given = |entry: &&Entry| entry.event == Event::Executed && entry.outcome.is_some();
        return match before.find(given) {
            Some(entry) if is_same(entry) => Ok(false),
            _ => Err(not_at_cursor()),
        };
    };
    let wrong = || {
        let reason = format!("ticket {given:?} is not one of this run");
        let hint = "take the ticket from recipe_runner next";
        Error::refused(ErrorKind::Validation, reason, hint)
    };
    if *given == ticket(state) {
        return at_cursor.then_some(true).ok_or_else(not_at_cursor);
    }
    let (seq, attempt) = given.split_once('.').ok_or_else(wrong)?;
    let seq: usize = seq.parse().ok().ok_or_else(wrong)?;
    let attempt: u32 = attempt.parse().ok().ok_or_else(wrong)?;
    let known = seq.checked_sub(1).and_then(|at| state.journal.get(at));
    let Some(entry) = known else {
        let is_next = at_cursor && seq == state.journal.len() + 1;
        let known = is_next && (1..=state.attempts).contains(&attempt);
        return known.then_some(false).ok_or_else(wrong);
    };
    // Of an attempt without an outcome only its number is known.
    let came_to_nothing = entry.step == args.step && (1..entry.attempts).contains(&attempt);
    let known = came_to_nothing || (is_same(entry) && entry.attempts == attempt);
    known.then_some(false).ok_or_else(not_at_cursor)
}

fn open(args: &StateArgs, what: &str, context: &Context) -> Result<(Store, Machine, State), Error> {
    let store = Store::open(&args.state, what, true, &args.wait, context)?;
    let mut state = store.load(context)?;
    let machine = session::reopen(&mut state, store.path(), None, false, context)?;
    if state.start.is_none() {
        let resumption = machine.resume(&mut state);
        let notes = resumption.iter().flat_map(|resumption| &resumption.notes);
        notes.for_each(|note| context.warn(note));
    }
    Ok((store, machine, state))
}

/// Carries out all steps that need no outcome. The state is written only if that changed something.
fn settle(
    machine: &Machine,
    state: &mut State,
    store: &Store,
    context: &Context,
) -> Result<(), Error> {
    drive::drive(machine, state, Some(store), &mut Source::default(), context)
}

/// The error that standard input cannot be read, or is too long.
fn wrong_stdin(why: &dyn Display) -> Error {
    let reason = format!("standard input: {why}");
    Error::refused(
        ErrorKind::Precondition,
        reason,
        "give at most 16 MiB of UTF-8",
    )
}

/// The outcome that the flags describe.
fn outcome(args: &CompleteArgs, reading: &Reading) -> Result<engine::Outcome, Error> {
    let text = match args.result.as_deref() {
        None => return Ok(engine::Outcome::of(args.status)),
        Some("-") => {
            let mut bytes = Vec::new();
            let mut stdin = io::stdin().lock().take(RESULT_LIMIT + 1);
            let count = stdin.read_to_end(&mut bytes);
            let count = count.map_err(|error| wrong_stdin(&error))?;
            if count as u64 > RESULT_LIMIT {
                return Err(wrong_stdin(&"more than 16 MiB"));
            }
            String::from_utf8(bytes).map_err(|error| wrong_stdin(&error))?
        }
        Some(text) => text.to_owned(),
    };
    if let Some(results) = tokens::of_objects(&text, reading) {
        return Ok(engine::Outcome::of_results(args.status, results));
    }
    let cut = text.trim_start().starts_with('{').then(|| {
        let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        values.next().and_then(Result::err)
    });
    if let Some(error) = cut.flatten() {
        let reason = format!("--result begins as a JSON object does, and is none: {error}");
        let hint = "correct the object, or begin a text with something else than {";
        return Err(Error::refused(ErrorKind::Validation, reason, hint));
    }
    // The caller gives the status; only the result is read from the text.
    let read = agent::of_text(&text, reading);
    Ok(engine::Outcome {
        result: read.result,
        note: read.note.filter(|note| note.starts_with("degraded")),
        ..engine::Outcome::of(args.status)
    })
}

/// The question of a step that only routes.
fn ways(step: &Step, state: &State) -> Option<String> {
    let question = Question::of(step, state)?;
    let what = "give the result that decides where the run continues, as complete --result 'NAME = VALUE':";
    let note = step.note.as_ref();
    let note = note.map_or(String::new(), |note| format!("{}\n", note.trim_end()));
    Some(format!("{note}{what}\n{question}"))
}

impl Next {
    fn of(
        machine: &Machine,
        state: &State,
        store: &Store,
        context: &Context,
    ) -> Result<Self, Error> {
        let cursor = state.cursor.as_deref();
        let cursor = cursor.filter(|_| state.status == Status::Waiting);
        let step = cursor.and_then(|name| machine.recipe.step(name));
        let ended = state.terminal().filter(|_| state.cursor.is_none());
        let stop = ended.and_then(|name| machine.recipe.step(name));
        let stands = Self {
            status: state.status,
            message: stop.and_then(|stop| machine.message(stop, state)),
            failed: state.failed.then_some(true),
            terminal: state.terminal().map(str::to_owned),
            halt: state.halt.clone(),
            ..Self::default()
        };
        let Some(step) = step else {
            return Ok(stands);
        };
        let (kind, tool) = match step.kind() {
            Kind::Agent => ("run_skill", None),
            Kind::Command => ("run_cmd", None),
            Kind::Python(path) => ("python", Some(path)),
            Kind::Confirm => ("confirm", None),
            Kind::Tool(name) => ("tool", Some(name)),
            Kind::Route => ("route", None),
            _ => ("", None),
        };
        let lenses = machine.lenses(step, state).unwrap_or_default();
        let with = |lens: Option<&Lens>| {
            let mut with = machine.rendered(step, state, lens);
            let base = session::base(state, context);
            // The work is done in the folder where the run was started.
            if base != context.cwd() && matches!(step.kind(), Kind::Agent | Kind::Command) {
                let cwd = with.get("cwd").map(value::to_text).unwrap_or_default();
                let cwd = base.join(cwd.trim()).display().to_string();
                with.insert(String::from("cwd"), Value::from(cwd));
            }
            with
        };
        let folder = store.attempts().join(ticket(state));
        let names = lenses.iter().map(|lens| lens.name.clone()).collect();
        let parts = attempt::parts_of(&folder, names, Some(&store.started()))?;
        let call = |(lens, part): (Lens, Part)| LensCall {
            with: with(Some(&lens)),
            lens: lens.name,
            result: match part.left {
                Left::Ended(outcome) if outcome.is_success(step) => outcome.result,
                _ => None,
            },
        };
        let calls: Vec<LensCall> = lenses.into_iter().zip(parts).map(call).collect();
        let (interrupted, said) = store.unclear(state)?.into_iter().unzip();
        Ok(Self {
            step: Some(step.name.clone()),
            kind: Some(kind.to_owned()),
            tool: tool.map(str::to_owned),
            with: Some(with(None)),
            lenses: (!calls.is_empty()).then_some(calls),
            message: machine.message(step, state).or_else(|| ways(step, state)),
            model: step.model.as_deref().map(str::to_owned),
            attempt: Some(state.attempts + 1),
            ticket: Some(ticket(state)),
            interrupted,
            said,
            ..stands
        })
    }

    /// The step, its arguments, and what is known about the attempt.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(step) = &self.step else {
            let place = self.terminal.as_ref().or(self.halt.as_ref());
            let word = end_word(self.status, self.failed);
            return write_end(word, place, self.message.as_ref(), out);
        };
        let kind = self.tool.as_deref().or(self.kind.as_deref());
        let (kind, ticket) = (kind.unwrap_or_default(), self.ticket.as_deref());
        let ticket = ticket.unwrap_or_default();
        writeln!(out, "step {step} ({kind}), ticket {ticket}")?;
        for said in &self.said {
            writeln!(out, "{said}")?;
        }
        if let Some(message) = &self.message {
            writeln!(out, "{}", message.trim_end())?;
        }
        let whole = self.with.iter().filter(|_| self.lenses.is_none());
        let calls = self.lenses.iter().flatten();
        let calls = calls.map(|call| (Some(call), &call.with));
        for (call, with) in whole.map(|with| (None, with)).chain(calls) {
            if let Some(LensCall { lens, result, .. }) = call {
                writeln!(out, "lens {lens}")?;
                if let Some(result) = result {
                    let result = Value::Object(result.clone());
                    writeln!(out, "succeeded before; pass its result on: {result}")?;
                    continue;
                }
            }
            for (key, value) in with {
                writeln!(out, "{key}: {}", value::to_text(value))?;
            }
        }
        Ok(())
    }
}

impl Completed {
    /// What was recorded, and what follows.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        let before = if self.recorded { "" } else { " before" };
        writeln!(out, "{}: recorded{before}", self.step)?;
        self.next.render(out)
    }
}
