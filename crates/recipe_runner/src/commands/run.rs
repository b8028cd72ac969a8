//! `run` and `resume`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use aris_cli::{Context, Outcome};
use aris_contract::Signal;
use aris_recipe::engine::resume::Resumption;
use aris_recipe::engine::state::Entry;
use aris_recipe::engine::{Machine, State, Status};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::attempt;
use crate::cli::{ResumeArgs, RunArgs};
use crate::drive::{self, Source};
use crate::error::Error;
use crate::session;
use crate::store::Store;

/// Schema id of [`Run`].
pub(crate) const RUN_SCHEMA: &str = "aris.recipe_runner.run/v1";
/// Schema id of [`Resumed`].
pub(crate) const RESUME_SCHEMA: &str = "aris.recipe_runner.resume/v1";
/// Exit code of a run that waits.
const WAITING: u8 = 11;
/// Exit code of a run that had too many steps.
const LOOP_GUARD: u8 = 12;
/// Exit code of a run that ended at a stop step that says `failed: true`.
const FAILED: u8 = 13;

/// How far a run came.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    /// Name of the recipe.
    recipe: String,
    /// `completed`, `escalated`, `halted`, `waiting` or `loop_guard`.
    status: Status,
    /// The stop step, `done`, `escalate`, or null.
    terminal: Option<String>,
    /// What happened, in order.
    trace: Vec<Entry>,
    /// What steps captured.
    context: Map<String, Value>,
    /// Inputs with their defaults.
    inputs: BTreeMap<String, String>,
    /// The step whose outcome is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_for: Option<String>,
    /// Why it halted.
    #[serde(skip_serializing_if = "Option::is_none")]
    halt: Option<String>,
    /// What the stop step says.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Whether it ended at a stop step that stands for a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<bool>,
    /// Whether a session changed what it must not.
    #[serde(skip_serializing_if = "Option::is_none")]
    tainted: Option<bool>,
}

/// Where a run is taken up again.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResumeFrom {
    /// `terminal`, `journal`, `tier` or `entry`.
    basis: String,
    /// The tier.
    tier: Option<i64>,
    /// The step; null when the run is over.
    step: Option<String>,
}

/// Where a run is taken up again, and how far it came from there when it went on.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Resumed {
    /// Where.
    resume: ResumeFrom,
    /// What was captured.
    context: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipe: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<Entry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_for: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    halt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Runs a recipe from its entry.
pub(crate) fn run(args: &RunArgs, context: &Context) -> Result<Outcome<Run>, Error> {
    let (machine, mut state) = session::begin(args, context)?;
    let mut source = Source::of(&args.source, context)?;
    source.note_unknown(&machine, context);
    let store = args
        .state
        .as_ref()
        .map(|path| Store::open(path, "recipe_runner run", false, &args.wait, context))
        .transpose()?;
    if let Some(store) = &store {
        store.make_room(args.new, context)?;
        store.save(&state)?;
    }
    drive::drive(&machine, &mut state, store.as_ref(), &mut source, context)?;
    let signal = signal(&state);
    let data = Run::of(&machine, state);
    Ok(Outcome { data, signal })
}

/// Takes a run up again.
pub(crate) fn resume(args: &ResumeArgs, context: &Context) -> Result<Outcome<Resumed>, Error> {
    let store = Store::open(
        &args.state.state,
        "recipe_runner resume",
        true,
        &args.state.wait,
        context,
    )?;
    let mut state = store.load(context)?;
    let machine = session::reopen(
        &mut state,
        store.path(),
        args.recipe.as_deref(),
        args.accept_changed,
        context,
    )?;
    if let Some(max_steps) = args.max_steps {
        state.max_steps = max_steps;
    }
    let mut source = Source::of(&args.source, context)?;
    source.note_unknown(&machine, context);
    if args.accept_changed && machine.reroute(&mut state, Some(&context.now().to_string())) {
        context.note("the recipe has a route now where the run halted");
    }
    let resumption = machine.resume(&mut state).ok_or_else(|| Error::State {
        path: store.path().to_path_buf(),
        reason: String::from("its recipe has no steps"),
    })?;
    store.save(&state)?;
    let goes_on = args.source.outcomes.is_some() || args.source.executes();
    if !goes_on {
        let step = resumption.step.as_deref().unwrap_or_default();
        for folder in store.interrupted(&state)? {
            context.warn(&attempt::interrupted(step, &folder));
        }
        let signal = signal(&state).filter(|_| state.status.is_over());
        let data = Resumed::only(resumption, state.context);
        return Ok(Outcome { data, signal });
    }
    drive::drive(&machine, &mut state, Some(&store), &mut source, context)?;
    let signal = signal(&state);
    let run = Run::of(&machine, state);
    let data = Resumed {
        recipe: Some(run.recipe),
        status: Some(run.status),
        terminal: Some(Value::from(run.terminal)),
        trace: Some(run.trace),
        inputs: Some(run.inputs),
        waiting_for: run.waiting_for,
        halt: run.halt,
        failed: run.failed,
        message: run.message,
        ..Resumed::only(resumption, run.context)
    };
    Ok(Outcome { data, signal })
}

/// What a caller branches on: how a run ended, or why it does not go on.
pub(crate) fn signal(state: &State) -> Option<Signal> {
    match state.status {
        Status::Completed if state.failed => Signal::own(FAILED),
        Status::Completed => None,
        Status::Escalated | Status::Halted => Some(Signal::FINDINGS),
        Status::Running | Status::Waiting => Signal::own(WAITING),
        Status::LoopGuard => Signal::own(LOOP_GUARD),
    }
}

impl Run {
    fn of(machine: &Machine, state: State) -> Self {
        let stop = state
            .terminal()
            .filter(|_| state.cursor.is_none())
            .and_then(|name| machine.recipe.step(name));
        let waiting = state
            .cursor
            .clone()
            .filter(|_| state.status == Status::Waiting);
        Self {
            recipe: machine.recipe.name.clone(),
            status: state.status,
            terminal: state.terminal().map(str::to_owned),
            trace: state.trace(),
            message: stop.and_then(|stop| machine.message(stop, &state)),
            waiting_for: waiting,
            failed: state.failed.then_some(true),
            halt: state.halt,
            tainted: state.tainted.then_some(true),
            context: state.context,
            inputs: state.inputs,
        }
    }

    /// One line for each entry, and one for how it stands.
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        render(out, &self.trace)?;
        render_end(
            out,
            end_word(self.status, self.failed),
            [&self.terminal, &self.waiting_for, &self.halt, &self.message],
        )
    }
}

impl Resumed {
    fn only(resumption: Resumption, context: Map<String, Value>) -> Self {
        Self {
            resume: ResumeFrom {
                basis: resumption.basis.word().to_owned(),
                tier: resumption.tier,
                step: resumption.step,
            },
            context,
            recipe: None,
            status: None,
            terminal: None,
            trace: None,
            inputs: None,
            waiting_for: None,
            halt: None,
            failed: None,
            message: None,
        }
    }

    /// Where, and then as a run.
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        let from = &self.resume;
        let tier = from.tier.map_or(String::new(), |tier| format!(" {tier}"));
        let step = from.step.as_deref().unwrap_or("nothing is left to do");
        writeln!(out, "resume from {}{tier}: {step}", from.basis)?;
        render(out, self.trace.as_deref().unwrap_or_default())?;
        let terminal = self
            .terminal
            .as_ref()
            .and_then(Value::as_str)
            .map(str::to_owned);
        self.status.map_or(Ok(()), |status| {
            render_end(
                out,
                end_word(status, self.failed),
                [&terminal, &self.waiting_for, &self.halt, &self.message],
            )
        })
    }
}

/// How a run ended, in one word.
pub(crate) fn end_word(status: Status, failed: Option<bool>) -> &'static str {
    if failed == Some(true) {
        "failed"
    } else {
        status.word()
    }
}

fn render(out: &mut dyn Write, trace: &[Entry]) -> io::Result<()> {
    for entry in trace {
        let word = serde_json::to_value(entry.event).unwrap_or_default();
        let status = entry.status.as_deref().unwrap_or("-");
        let edge = entry.edge.as_ref();
        let edge = edge.map_or_else(|| String::from("-"), ToString::to_string);
        let target = entry.target.as_deref().unwrap_or("-");
        let note = entry
            .note
            .as_deref()
            .map_or(String::new(), |note| format!("  # {note}"));
        writeln!(
            out,
            "{}\t{}\t{}\t{status}\t{edge}\t{target}{note}",
            entry.seq,
            entry.step,
            word.as_str().unwrap_or_default()
        )?;
    }
    Ok(())
}

fn render_end(
    out: &mut dyn Write,
    word: &str,
    [terminal, waiting_for, halt, message]: [&Option<String>; 4],
) -> io::Result<()> {
    let more = terminal.as_ref().or(waiting_for.as_ref()).or(halt.as_ref());
    writeln!(
        out,
        "{word}{}",
        more.map_or(String::new(), |more| format!(": {more}"))
    )?;
    message
        .as_ref()
        .map_or(Ok(()), |message| writeln!(out, "{}", message.trim_end()))
}
