//! Drives a run until it ends or waits for an outcome.

mod lenses;

use std::path::PathBuf;

use aris_cli::{Clock, Context};
use aris_contract::failure::ErrorBody;
use aris_recipe::Step;
use aris_recipe::engine::{
    Lens, Machine, Outcome, OutcomeStatus, Poll, Question, Script, State, Status,
};
use aris_recipe::model::Kind;

use crate::agent;
use crate::attempt::{self, Left, Program, Request, Started};
use crate::cache;
use crate::cli::SourceArgs;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::store::{Store, ticket};

/// Largest script, in bytes.
const SCRIPT_LIMIT: u64 = 64 << 20;
/// Where outcomes come from: a script, and executors.
#[derive(Default)]
pub(crate) struct Source {
    /// As the flags say.
    pub(crate) args: SourceArgs,
    script: Script,
    pub(crate) agent: Option<Vec<String>>,
    /// The program that carries out tools and callables.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) interrupt: Interrupt,
}

impl Source {
    /// The source that the flags name.
    pub(crate) fn of(args: &SourceArgs, context: &Context) -> Result<Self, Error> {
        let script = match &args.outcomes {
            None => Script::default(),
            Some(path) => {
                let bytes = aris_fs::read(&context.absolute(path), SCRIPT_LIMIT);
                let bytes = bytes.map_err(|error| Error::of_named(path, "script", error))?;
                let text = String::from_utf8(bytes);
                let text = text.map_err(|error| Error::malformed(path, error))?;
                Script::parse(&text).map_err(|error| Error::malformed(path, error))?
            }
        };
        let agent = args.agent.as_ref();
        let agent = agent.map(|flag| agent::command(flag, context));
        let watched = args.executes().then(Interrupt::watched);
        Ok(Self {
            args: args.clone(),
            script,
            agent: agent.transpose()?,
            tools: args.exec_tools.as_deref().map(agent::split).transpose()?,
            interrupt: watched.unwrap_or_default(),
        })
    }

    /// Notes which steps of the script the recipe does not have.
    pub(crate) fn note_unknown(&self, machine: &Machine, context: &Context) {
        let steps = self.script.steps();
        for step in steps.filter(|step| machine.recipe.step(step).is_none()) {
            let note = format!("the script names step {step}, which the recipe does not have");
            context.note(&note);
        }
    }

    /// How many lenses of a step run at the same time.
    pub(crate) fn jobs(&self) -> usize {
        let jobs = self.args.jobs.map(|jobs| jobs as usize);
        jobs.unwrap_or_else(aris_fs::processors)
    }

    fn outcome(
        &mut self,
        machine: &Machine,
        state: &State,
        step: &Step,
        store: Option<&Store>,
        context: &Context,
    ) -> Result<Option<Outcome>, Error> {
        if let Some(outcome) = self.script.take(&step.name, true) {
            return Ok(Some(outcome));
        }
        let Some(store) = store else {
            return Ok(None);
        };
        let call = Call {
            machine,
            state,
            step,
            store,
            context,
        };
        if !step.lenses.is_empty() {
            return lenses::outcome(self, &call);
        }
        let folder = store.attempts().join(ticket(state));
        let left = attempt::left(&folder, Some(&store.started()))?;
        if !self.carries_out(step, state) {
            // Work that an earlier call began is neither given to somebody else nor started again.
            return match left {
                Left::Ended(outcome) => Ok(Some(*outcome)),
                Left::AtWork(work) => Err(work.refuses(&step.name)),
                _ => Ok(None),
            };
        }
        let mut work = Work::new(self, &call, step.name.clone(), folder, None);
        let started = if work.makes_room(&left, self.args.rerun_interrupted)? {
            store.start(state, &[(&work.folder, work.request.digest())])?
        } else {
            store.started()
        };
        if let Some(begun) = work.begins(&left, state.attempts + 1) {
            context.note(&begun);
        }
        let (name, at, log) = (step.name.clone(), work.folder.clone(), work.log());
        let go_on = go_on(store);
        self.interrupt.say(move || {
            let process = match attempt::left(&at, None) {
                Ok(Left::AtWork(work)) => format!(" (process {})", work.process),
                _ => String::new(),
            };
            format!("interrupted; {name}{process} still runs, its output is in {log}; {go_on}")
        });
        let made = work.make(&started, &Program::this(context)?, context.clock())?;
        self.interrupt.say_nothing();
        Ok(self.judged(&call, made, &work))
    }

    /// Whether an executor of this source does the work of a step.
    pub(crate) fn carries_out(&self, step: &Step, state: &State) -> bool {
        match step.kind() {
            Kind::Command => self.args.exec.is_some(),
            Kind::Agent => self.agent.is_some(),
            Kind::Route => {
                let question = Question::of(step, state);
                self.agent.is_some() && question.is_some_and(|it| it.is_closed())
            }
            Kind::Tool(_) | Kind::Python(_) => self.tools.is_some(),
            _ => false,
        }
    }

    /// The outcome of an attempt; `None` where a person must look first.
    fn judged(&self, call: &Call<'_>, made: Made, work: &Work) -> Option<Outcome> {
        let context = call.context;
        if let Some(told) = made.told {
            context.warn(&told);
        }
        match made.left {
            Left::Ended(outcome) => Some(*outcome),
            Left::Cancelled => {
                let name = &work.name;
                context.note(&format!(
                    "{name}: cancelled; recipe_runner resume starts it again"
                ));
                None
            }
            Left::Nothing => {
                let name = &work.name;
                context.note(&format!(
                    "{name}: not started; recipe_runner resume starts it"
                ));
                None
            }
            Left::Interrupted if self.args.rerun_interrupted => {
                Some(Outcome::noted(OutcomeStatus::Stale, "interrupted"))
            }
            left => {
                if let Some(said) = left.unclear(&work.name, &work.folder) {
                    context.warn(&said);
                }
                None
            }
        }
    }
}

/// A step that needs an outcome.
pub(crate) struct Call<'c> {
    pub(crate) machine: &'c Machine,
    pub(crate) state: &'c State,
    pub(crate) step: &'c Step,
    pub(crate) store: &'c Store,
    pub(crate) context: &'c Context,
}

/// The work of one attempt, and where its result is kept for later runs.
pub(crate) struct Work {
    /// Its name for people.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) request: Request,
    cached: Option<(PathBuf, String)>,
    /// Why the result of the step is not kept.
    uncached: Option<String>,
    /// It was cancelled before.
    again: bool,
}

/// What an attempt left, and what a reader should know.
pub(crate) struct Made {
    pub(crate) left: Left,
    pub(crate) told: Option<String>,
}

impl Work {
    pub(crate) fn new(
        source: &Source,
        call: &Call<'_>,
        name: String,
        folder: PathBuf,
        lens: Option<&Lens>,
    ) -> Self {
        let request = source.request(call, lens);
        // An answer about where a routing step leads is valid for this run only, and is judged later.
        let kept = call.step.cache.is_some() && call.step.kind() != Kind::Route;
        let wanted = !source.args.no_cache && kept;
        let key = wanted.then(|| cache::key(call.step, &request));
        let (key, uncached) = match key.transpose() {
            Ok(key) => (key.flatten(), None),
            Err(error) => {
                let why = ErrorBody::of(&error).message;
                (None, Some(format!("{name} is not cached: {why}")))
            }
        };
        let cached = key.map(|key| (cache::folder_of(call.store.path()), key));
        Self {
            name,
            folder,
            request,
            cached,
            uncached,
            again: false,
        }
    }

    /// Whether it is about to be started, given what its folder holds; moves that aside first.
    pub(crate) fn makes_room(&mut self, left: &Left, rerun: bool) -> Result<bool, Error> {
        match left {
            Left::Nothing => {}
            // Cancelled before this engine came, which was called to go on.
            Left::Cancelled => {
                attempt::put_aside(&self.folder, attempt::CANCELLED)?;
                self.again = true;
            }
            Left::Foreign if rerun => attempt::put_aside(&self.folder, attempt::FOREIGN)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(crate) fn log(&self) -> String {
        self.folder.join(attempt::STDOUT).display().to_string()
    }

    /// The note before work begins, or before it is waited for.
    pub(crate) fn begins(&self, left: &Left, attempt: u32) -> Option<String> {
        let how = match left {
            _ if self.again => String::from("was cancelled, and is started again"),
            Left::Nothing => format!("started, attempt {attempt}"),
            Left::AtWork(work) => {
                let (process, since) = (work.process, &work.since);
                format!("still running, process {process}, since {since}")
            }
            _ => return None,
        };
        let (name, log) = (&self.name, self.log());
        Some(format!("{name}: {how}; its output is in {log}"))
    }

    /// Makes the attempt, or takes the result of equal work in an earlier run.
    pub(crate) fn make(
        &self,
        started: &Started,
        program: &Program,
        clock: Clock,
    ) -> Result<Made, Error> {
        let mut told = self.uncached.clone();
        if let Some((folder, key)) = &self.cached
            && matches!(attempt::left(&self.folder, Some(started))?, Left::Nothing)
            && let Some(outcome) = cache::find(folder, key)
        {
            let left = Left::Ended(Box::new(outcome));
            return Ok(Made { left, told });
        }
        let left = attempt::make(&self.folder, &self.request, started, program)?;
        if let (Left::Ended(outcome), Some((folder, key))) = (&left, &self.cached) {
            let made = clock.now().to_string();
            if let Err(error) = cache::keep(folder, key, &self.request.step, outcome, made) {
                told = Some(format!("the result of {} is not kept: {error}", self.name));
            }
        }
        Ok(Made { left, told })
    }
}

/// How to continue a run after Ctrl-C.
pub(crate) fn go_on(store: &Store) -> String {
    let state = aris_recipe::expression::quoted(&store.path().display().to_string());
    format!(
        "continue with recipe_runner resume --state {state} and the executors of this call (--exec cmd, --agent COMMAND), look at it with \
         recipe_runner status --state {state}"
    )
}

/// Goes on until the run is over, waits, or has had too many steps. The state is written after every transition.
pub(crate) fn drive(
    machine: &Machine,
    state: &mut State,
    store: Option<&Store>,
    source: &mut Source,
    context: &Context,
) -> Result<(), Error> {
    loop {
        if state.status.is_over() {
            break;
        }
        if state.journal.len() as u64 >= state.max_steps {
            state.status = Status::LoopGuard;
            break;
        }
        let outcome = match machine.poll(state) {
            Poll::Over => break,
            Poll::Ready(_) => None,
            // Where a script does not name the step, its result is empty; without a script, the result comes from outside.
            Poll::Optional(step)
                if source.args.outcomes.is_some() || Question::of(step, state).is_none() =>
            {
                source.script.take(&step.name, false)
            }
            Poll::Optional(step) | Poll::Needs(step) => {
                let outcome = source.outcome(machine, state, step, store, context)?;
                let Some(outcome) = outcome else {
                    state.status = Status::Waiting;
                    break;
                };
                let question = Question::of(step, state);
                Some(match question {
                    Some(question) => question.judged(outcome),
                    None => outcome,
                })
            }
        };
        let (entries, attempts) = (state.journal.len(), state.attempts);
        let earlier = state.notes.join("; ");
        machine.apply(state, outcome.as_ref(), Some(&context.now().to_string()));
        if outcome.is_some() && source.args.executes() {
            tell(state, entries, (attempts, &earlier), context);
        }
        if let Some(store) = store {
            store.save(state)?;
        }
    }
    match store {
        // Everything that happened is written already; only the status may be new.
        Some(store) => store.save(state),
        None => Ok(()),
    }
}

/// A note in brackets for the end of a line; empty where there is none.
pub(crate) fn in_brackets(note: Option<&String>) -> String {
    note.map_or(String::new(), |note| format!(" ({note})"))
}

/// Notes how an attempt ended, while the run goes on. What is noted of `earlier` attempts was said when they ended.
fn tell(state: &State, entries: usize, (attempts, earlier): (u32, &str), context: &Context) {
    let Some(entry) = state.journal.get(entries) else {
        let why = in_brackets(state.notes.last());
        let step = state.cursor.as_deref().unwrap_or_default();
        let attempt = attempts + 1;
        context.note(&format!(
            "{step}: attempt {attempt} failed{why}; trying again"
        ));
        return;
    };
    let status = entry.status.as_deref().unwrap_or("-");
    let note = entry.note.as_deref().unwrap_or_default();
    let note = note.strip_prefix(earlier).unwrap_or(note);
    let note = note.trim_start_matches("; ").to_owned();
    let note = in_brackets(Some(&note).filter(|note| !note.is_empty()));
    let target = entry.target.as_deref().unwrap_or("nowhere");
    context.note(&format!("{}: {status}{note}, then {target}", entry.step));
}
