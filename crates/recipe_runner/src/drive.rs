//! Going on with a run until it ends or needs somebody.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_recipe::Step;
use aris_recipe::engine::{Machine, Outcome, OutcomeStatus, Poll, Script, State, Status};
use aris_recipe::model::Kind;
use aris_recipe::value::to_text;
use serde_json::{Map, Value, json};

use crate::agent;
use crate::attempt::{self, AtWork, Attempt, Left, Request, Worker};
use crate::cache;
use crate::cli::SourceArgs;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::secret;
use crate::store::Store;

/// Schema id of what a program that carries out tools is told.
const CALL_SCHEMA: &str = "aris.recipe_runner.call/v1";
/// Bytes that a script may have.
const SCRIPT_LIMIT: u64 = 64 << 20;
/// Bytes of a value that are passed on as a variable. **Source**: Linux refuses a variable above 128 KiB.
const VARIABLE_LIMIT: usize = 96 << 10;

/// Where outcomes come from.
#[derive(Debug, Default)]
pub(crate) struct Source {
    script: Script,
    commands: bool,
    agent: Option<Vec<String>>,
    /// What carries out tools and callables.
    tools: Option<Vec<String>>,
    cache: bool,
    agent_timeout: u32,
    command_timeout: u32,
    rerun_interrupted: bool,
    interrupt: Interrupt,
}

impl Source {
    /// What the flags name.
    pub(crate) fn of(args: &SourceArgs, context: &Context) -> Result<Self, Error> {
        let script = match &args.outcomes {
            None => Script::default(),
            Some(path) => {
                let bytes =
                    aris_fs::read(&context.absolute(path), SCRIPT_LIMIT).map_err(|error| {
                        if error.is_not_found() {
                            Error::NoFile {
                                path: path.clone(),
                                what: "script",
                            }
                        } else {
                            Error::Fs(error)
                        }
                    })?;
                let wrong = |reason: String| Error::Malformed {
                    path: path.clone(),
                    reason,
                };
                let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
                Script::parse(&text).map_err(|error| wrong(error.to_string()))?
            }
        };
        let agent = args
            .agent
            .as_ref()
            .map(|flag| agent::command(flag, context));
        Ok(Self {
            script,
            commands: args.exec.is_some(),
            agent: agent.transpose()?,
            tools: args.exec_tools.as_deref().map(agent::split).transpose()?,
            cache: !args.no_cache,
            agent_timeout: args.agent_timeout,
            command_timeout: args.command_timeout,
            rerun_interrupted: args.rerun_interrupted,
            interrupt: if args.executes() {
                Interrupt::watched()
            } else {
                Interrupt::default()
            },
        })
    }

    /// Says which steps of the script the recipe does not have.
    pub(crate) fn note_unknown(&self, machine: &Machine, context: &Context) {
        for step in self.script.steps() {
            if machine.recipe.step(step).is_none() {
                context.note(&format!(
                    "the script names step {step}, which the recipe does not have"
                ));
            }
        }
    }

    fn executes(&self) -> bool {
        self.commands || self.agent.is_some() || self.tools.is_some()
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
        let folder = store.attempts().join(ticket(state));
        let executes = match step.kind() {
            Kind::Command => self.commands,
            Kind::Agent => self.agent.is_some(),
            Kind::Tool(_) | Kind::Python(_) => self.tools.is_some(),
            _ => false,
        };
        let left = attempt::left(&folder)?;
        if !executes {
            // What an engine began is neither handed out again nor overtaken.
            return match left {
                Left::Ended(outcome) => Ok(Some(*outcome)),
                Left::AtWork(AtWork { process, log, .. }) => Err(Error::AtWork {
                    step: step.name.clone(),
                    process,
                    log,
                }),
                Left::Nothing | Left::Cancelled | Left::Interrupted => Ok(None),
            };
        }
        let request = || self.request(machine, state, step, context);
        let cached = if self.cache && step.cache.is_some() {
            let folder = cache::folder_of(store.path());
            match cache::key(step, &request()) {
                Ok(key) => key.map(|key| (folder, key)),
                Err(error) => {
                    context.warn(&format!(
                        "the result of {} is neither looked for nor kept: {error}",
                        step.name
                    ));
                    None
                }
            }
        } else {
            None
        };
        if let (Left::Nothing, Some((folder, key))) = (&left, &cached)
            && let Some(outcome) = cache::find(folder, key)
        {
            return Ok(Some(outcome));
        }
        let log = folder.join(attempt::STDOUT).display().to_string();
        match &left {
            Left::Nothing => context.note(&format!(
                "{}: started, attempt {}; its output is in {log}",
                step.name,
                state.attempts + 1
            )),
            Left::AtWork(work) => context.note(&format!(
                "{}: still at work, process {}, since {}; its output is in {log}",
                step.name, work.process, work.since
            )),
            Left::Cancelled => context.note(&format!(
                "{}: was cancelled, and is started again; its output is in {log}",
                step.name
            )),
            Left::Ended(_) | Left::Interrupted => {}
        }
        self.interrupt.say(format!(
            "told to end; {} goes on, and its output is in {log}; go on with recipe_runner resume --state {}, look at it with recipe_runner status",
            step.name,
            store.path().display()
        ));
        let made = attempt::make(&folder, || Ok(request()), context)?;
        self.interrupt.say(String::new());
        match made {
            Attempt::Ended(outcome) => {
                if let Some((folder, key)) = &cached {
                    let made = context.now().to_string();
                    if let Err(error) = cache::keep(folder, key, &step.name, &outcome, made) {
                        context.warn(&format!("the result of {} is not kept: {error}", step.name));
                    }
                }
                Ok(Some(*outcome))
            }
            Attempt::Cancelled => {
                context.note(&format!(
                    "{}: cancelled; recipe_runner resume starts it again",
                    step.name
                ));
                Ok(None)
            }
            Attempt::Interrupted if self.rerun_interrupted => Ok(Some(Outcome {
                note: Some(String::from("interrupted")),
                ..Outcome::of(OutcomeStatus::Stale)
            })),
            Attempt::Interrupted => {
                context.warn(&format!(
                    "step {} was interrupted: how far it came is not known. Look into {}, then say what came of it with \
                     recipe_runner complete, or let it run again with recipe_runner resume --rerun-interrupted",
                    step.name,
                    folder.display()
                ));
                Ok(None)
            }
        }
    }
}

impl Source {
    /// What is to be done for a step that this source carries out.
    fn request(&self, machine: &Machine, state: &State, step: &Step, context: &Context) -> Request {
        match (step.kind(), &self.agent, &self.tools) {
            (Kind::Agent, Some(agent), _) => {
                agent_request(machine, state, step, agent, self.agent_timeout, context)
            }
            (Kind::Tool(_) | Kind::Python(_), _, Some(tools)) => {
                tool_request(machine, state, step, tools, self.command_timeout, context)
            }
            _ => command_request(machine, state, step, self.command_timeout, context),
        }
    }
}

/// Names the attempt that comes next: the number of its entry in the journal, and its own.
pub(crate) fn ticket(state: &State) -> String {
    format!("{}.{}", state.journal.len() + 1, state.attempts + 1)
}

/// Goes on until the run is over, waits, or has had too many steps. The state is written after every transition.
pub(crate) fn drive(
    machine: &Machine,
    state: &mut State,
    store: Option<&Store>,
    source: &mut Source,
    context: &Context,
) -> Result<(), Error> {
    let before = state.status;
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
            Poll::Optional(step) => source.script.take(&step.name, false),
            Poll::Needs(step) => {
                let outcome = source.outcome(machine, state, step, store, context)?;
                if outcome.is_none() {
                    state.status = Status::Waiting;
                    break;
                }
                outcome
            }
        };
        let (entries, attempts) = (state.journal.len(), state.attempts);
        machine.apply(state, outcome.as_ref(), Some(&context.now().to_string()));
        if outcome.is_some() && source.executes() {
            tell(state, entries, attempts, context);
        }
        if let Some(store) = store {
            store.save(state)?;
        }
    }
    match store {
        // Whatever happened is written already; only how the run stands may be new.
        Some(store) if state.status != before => store.save(state),
        _ => Ok(()),
    }
}

/// How an attempt ended, while the run goes on.
fn tell(state: &State, entries: usize, attempts: u32, context: &Context) {
    let Some(entry) = state.journal.get(entries) else {
        let why = state
            .notes
            .last()
            .map_or(String::new(), |note| format!(" ({note})"));
        let step = state.cursor.as_deref().unwrap_or_default();
        context.note(&format!(
            "{step}: attempt {} came to nothing{why}; it is tried again",
            attempts + 1
        ));
        return;
    };
    let status = entry.status.as_deref().unwrap_or("-");
    let note = entry
        .note
        .as_ref()
        .map_or(String::new(), |note| format!(" ({note})"));
    let target = entry.target.as_deref().unwrap_or("nowhere");
    context.note(&format!("{}: {status}{note}, then {target}", entry.step));
}

fn command_request(
    machine: &Machine,
    state: &State,
    step: &Step,
    timeout: u32,
    context: &Context,
) -> Request {
    let with = machine.rendered(step, state);
    let text = |key: &str| {
        with.get(key)
            .map(|value| to_text(value).into_owned())
            .unwrap_or_default()
    };
    Request {
        step: step.name.clone(),
        worker: Worker::Command,
        command: ["bash", "-c", &text("cmd")].map(str::to_owned).to_vec(),
        cwd: folder(&with, context),
        env: variables(machine, state, step),
        secrets: secrets(machine, state, context),
        stdin: None,
        deadline_s: seconds(&with, "timeout").unwrap_or(timeout),
        silence_s: None,
        lists: BTreeSet::new(),
    }
}

fn agent_request(
    machine: &Machine,
    state: &State,
    step: &Step,
    agent: &[String],
    timeout: u32,
    context: &Context,
) -> Request {
    let with = machine.rendered(step, state);
    let own = step.model.as_ref().map(|model| model.text.clone());
    let model = own.or_else(|| with.get("model").map(|model| to_text(model).into_owned()));
    let (command, stdin) = agent::call(agent, &agent::prompt(&with), &model.unwrap_or_default());
    Request {
        step: step.name.clone(),
        worker: Worker::Agent,
        command,
        cwd: folder(&with, context),
        env: variables(machine, state, step),
        secrets: secrets(machine, state, context),
        stdin,
        deadline_s: seconds(&with, "timeout")
            .or_else(|| step.stale_threshold())
            .or_else(|| seconds(&with, "stale_threshold"))
            .unwrap_or(timeout),
        silence_s: step.idle_output_timeout().filter(|seconds| *seconds > 0),
        lists: step.list_fields(),
    }
}

/// A call of the program that carries out tools: what is to be done goes to its standard input as JSON.
fn tool_request(
    machine: &Machine,
    state: &State,
    step: &Step,
    tools: &[String],
    timeout: u32,
    context: &Context,
) -> Request {
    let with = machine.rendered(step, state);
    let (key, name) = match step.kind() {
        Kind::Python(name) => ("python", name),
        Kind::Tool(name) => ("tool", name),
        _ => ("tool", ""),
    };
    let call = json!({"schema": CALL_SCHEMA, "step": step.name, key: name, "with": with});
    Request {
        step: step.name.clone(),
        worker: Worker::Tool,
        command: tools.to_vec(),
        cwd: folder(&with, context),
        env: variables(machine, state, step),
        secrets: secrets(machine, state, context),
        stdin: Some(call.to_string()),
        deadline_s: seconds(&with, "timeout").unwrap_or(timeout),
        silence_s: None,
        lists: BTreeSet::new(),
    }
}

fn folder(with: &Map<String, Value>, context: &Context) -> PathBuf {
    let given = with
        .get("cwd")
        .map(|value| to_text(value).trim().to_owned());
    context.absolute(&PathBuf::from(given.unwrap_or_default()))
}

fn seconds(with: &Map<String, Value>, key: &str) -> Option<u32> {
    to_text(with.get(key)?)
        .trim()
        .parse()
        .ok()
        .filter(|seconds| *seconds > 0)
}

/// Inputs and context as variables: `RECIPE_CTX_` and the name in capital letters. The context wins over an input of its name; a
/// value that is too long for a variable is left out.
fn variables(machine: &Machine, state: &State, step: &Step) -> BTreeMap<String, String> {
    let secret: BTreeSet<&str> = secret::names(&machine.recipe).collect();
    let inputs = state.inputs.iter();
    let inputs = inputs
        .filter(|(input, _)| !secret.contains(input.as_str()))
        .map(|(input, value)| (name(input), value.clone()));
    let context = state
        .context
        .iter()
        .map(|(variable, value)| (name(variable), to_text(value).into_owned()));
    let mut all: BTreeMap<String, String> = inputs.chain(context).collect();
    all.insert(String::from("RECIPE_STEP"), step.name.clone());
    all.retain(|_, value| value.len() <= VARIABLE_LIMIT && !value.contains('\0'));
    all
}

/// Secret inputs as variables: where their values are.
fn secrets(machine: &Machine, state: &State, context: &Context) -> BTreeMap<String, String> {
    let given = |input| {
        let reference = state.inputs.get(input)?;
        let reference = match reference.strip_prefix("file:") {
            Some(path) => format!(
                "file:{}",
                context.absolute(Path::new(path.trim())).display()
            ),
            None => reference.clone(),
        };
        Some((name(input), reference))
    };
    let given = secret::names(&machine.recipe).filter_map(given);
    given
        .filter(|(_, reference)| !reference.is_empty())
        .collect()
}

/// The variable of an input or of something captured.
fn name(name: &str) -> String {
    let sign = |sign: char| {
        if sign.is_ascii_alphanumeric() {
            sign.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    format!("RECIPE_CTX_{}", name.chars().map(sign).collect::<String>())
}
