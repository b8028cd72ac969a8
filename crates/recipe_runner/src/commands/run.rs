//! `run` and `resume`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use aris_cli::{Context, Outcome, Shown};
use aris_contract::Signal;
use aris_recipe::engine::resume::{Basis, Resumption};
use aris_recipe::engine::state::Entry;
use aris_recipe::engine::{Machine, State, Status};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cli::{ResumeArgs, RunArgs};
use crate::drive::{self, Source};
use crate::error::Error;
use crate::journal;
use crate::secret;
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

/// The progress of a run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Run {
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
    /// Whether it ended at a stop step that is declared as a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<bool>,
    /// Whether a session changed what it must not.
    #[serde(skip_serializing_if = "Option::is_none")]
    tainted: Option<bool>,
}

/// Where a run is resumed, and its progress if it went on.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Resumed {
    /// Where it is resumed.
    resume: Resumption,
    /// What was captured, of a run that did not go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Map<String, Value>>,
    /// Its progress, if it went on.
    #[serde(flatten)]
    run: Option<Run>,
}

/// Runs a recipe from its entry.
pub(crate) fn run(args: &RunArgs, context: &Context) -> Result<Shown, Error> {
    let (machine, mut state) = session::begin(args, context)?;
    let mut source = Source::of(&args.source, context)?;
    source.note_unknown(&machine, context);
    let open = |path| Store::open(path, "recipe_runner run", false, &args.wait, context);
    let store = args.state.as_deref().map(open).transpose()?;
    if let Some(store) = &store {
        store.make_room(args.new, context)?;
        store.save(&state)?;
    }
    drive::drive(&machine, &mut state, store.as_ref(), &mut source, context)?;
    let signal = signal(&state);
    let data = Run::of(&machine, state);
    Ok(Outcome { data, signal }.shown(RUN_SCHEMA, Run::render))
}

/// Resumes a run.
pub(crate) fn resume(args: &ResumeArgs, context: &Context) -> Result<Shown, Error> {
    let (path, wait) = (&args.state.state, &args.state.wait);
    let store = Store::open(path, "recipe_runner resume", true, wait, context)?;
    let mut state = store.load(context)?;
    let (elsewhere, accept) = (args.recipe.as_deref(), args.accept_changed);
    let machine = session::reopen(&mut state, store.path(), elsewhere, accept, context)?;
    if let Some(max_steps) = args.max_steps {
        state.max_steps = max_steps;
    }
    if args.source.executes() {
        let base = session::base(&state, context);
        secret::check(&machine.recipe, &state.inputs, true, &base, context)?;
    }
    let mut source = Source::of(&args.source, context)?;
    source.note_unknown(&machine, context);
    if args.accept_changed && machine.reroute(&mut state, Some(&context.now().to_string())) {
        context.note("the recipe has a route now where the run halted");
    }
    let no_steps = || journal::wrong(store.path(), String::from("its recipe has no steps"));
    let resumption = machine.resume(&mut state).ok_or_else(no_steps)?;
    resumption.notes.iter().for_each(|note| context.warn(note));
    store.save(&state)?;
    let goes_on = args.source.outcomes.is_some() || args.source.executes();
    if !goes_on {
        for (_, said) in store.unclear(&state)? {
            context.warn(&said);
        }
        let signal = signal(&state).filter(|_| state.status.is_over());
        let data = Resumed {
            resume: resumption,
            context: Some(state.context),
            run: None,
        };
        return Ok(Outcome { data, signal }.shown(RESUME_SCHEMA, Resumed::render));
    }
    drive::drive(&machine, &mut state, Some(&store), &mut source, context)?;
    let signal = signal(&state);
    let data = Resumed {
        resume: resumption,
        context: None,
        run: Some(Run::of(&machine, state)),
    };
    Ok(Outcome { data, signal }.shown(RESUME_SCHEMA, Resumed::render))
}

/// The exit signal: how a run ended, or why it does not go on.
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
        let ended = state.terminal().filter(|_| state.cursor.is_none());
        let stop = ended.and_then(|name| machine.recipe.step(name));
        let waiting = state.cursor.as_ref();
        let waiting = waiting.filter(|_| state.status == Status::Waiting);
        Self {
            recipe: machine.recipe.name.clone(),
            status: state.status,
            terminal: state.terminal().map(str::to_owned),
            trace: state.trace(),
            message: stop.and_then(|stop| machine.message(stop, &state)),
            waiting_for: waiting.cloned(),
            failed: state.failed.then_some(true),
            halt: state.halt,
            tainted: state.tainted.then_some(true),
            context: state.context,
            inputs: state.inputs,
        }
    }

    /// One line for each entry, and one for the status.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        for entry in &self.trace {
            let event: &str = entry.event.into();
            let status = entry.status.as_deref().unwrap_or("-");
            let edge = entry.edge.as_ref();
            let edge = edge.map_or_else(|| String::from("-"), ToString::to_string);
            let target = entry.target.as_deref().unwrap_or("-");
            let note = entry.note.as_deref();
            let note = note.map_or(String::new(), |note| format!("  # {note}"));
            write!(out, "{}\t{}\t{event}\t", entry.seq, entry.step)?;
            writeln!(out, "{status}\t{edge}\t{target}{note}")?;
        }
        let place = self.terminal.as_ref().or(self.waiting_for.as_ref());
        let place = place.or(self.halt.as_ref());
        let word = end_word(self.status, self.failed);
        write_end(word, place, self.message.as_ref(), out)
    }
}

impl Resumed {
    /// Where it is resumed, and then as for a run.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        let from = &self.resume;
        let why = match (from.basis, from.tier) {
            (Basis::Journal, _) => String::from(", where the run stopped"),
            (Basis::Tier, Some(tier)) => format!(", by the captured values of tier {tier}"),
            _ => String::from(", the first step"),
        };
        match from.step.as_deref() {
            Some(step) => writeln!(out, "resume at {step}{why}")?,
            None => writeln!(out, "the run has ended: nothing to resume")?,
        }
        self.run.as_ref().map_or(Ok(()), |run| run.render(out))
    }
}

/// Writes the status of a run, its place, and the message of its stop step.
pub(crate) fn write_end(
    word: &str,
    place: Option<&String>,
    message: Option<&String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = place.map_or(String::new(), |place| format!(": {place}"));
    writeln!(out, "{word}{place}")?;
    message.map_or(Ok(()), |message| writeln!(out, "{}", message.trim_end()))
}

/// The status of a run in one word.
pub(crate) fn end_word(status: Status, failed: Option<bool>) -> &'static str {
    if failed == Some(true) {
        "failed"
    } else {
        status.word()
    }
}
