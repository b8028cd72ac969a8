//! One attempt of one step on disk: the request, the claim that it was begun, and the outcome.
//!
//! Attempts are those of [`aris_attempt`], as in queues. A runner process, which outlives the engine, claims the attempt, starts the work
//! and leaves the records. The work is this program again: it runs the step's command, removes secrets from its output, and records the
//! outcome before anybody else can know of it. After the death of an engine, the next one finds the outcome or waits for it. Only if the
//! work died, too, it is not known how far it came: such an attempt counts as interrupted, and is repeated only when the user asks for
//! that.

mod worker;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use aris_attempt::Standing;
use aris_attempt::format::{self, EndedByUs, Ending, Spec};
use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_fs::Lock;
use aris_proc::{Finished, ProcError};
use aris_recipe::engine::state::digest_of;
use aris_recipe::engine::tokens::Reading;
use aris_recipe::engine::{Outcome, OutcomeStatus};
use serde::{Deserialize, Serialize};

use crate::error::Error;

pub(crate) use worker::work;

/// Largest record that is read, in bytes.
const LIMIT: u64 = 256 << 20;
/// Time for a step to end after it was cancelled.
pub(crate) const GRACE: Duration = Duration::from_secs(10);
/// Time between two looks whether work without a runner has ended.
const AGAIN: Duration = Duration::from_millis(100);
/// How much longer a process of ours may take than the work that it watches.
const MARGIN: Duration = Duration::from_mins(1);

const REQUEST: &str = "request.json";
/// Output of the process that does the work; empty, unless something is wrong.
const LOG: &str = "log";
const OUTCOME: &str = "outcome.json";
pub(crate) const STDOUT: &str = "stdout";
pub(crate) const STDERR: &str = "stderr";

/// Who does the work; decides how the output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Worker {
    /// A shell command.
    Command,
    /// An agent's session.
    Agent,
    /// A program that carries out tools and callables.
    Tool,
}

/// The request for an attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The step.
    pub(crate) step: String,
    /// The lens, if the step has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lens: Option<String>,
    /// Who does the work.
    pub(crate) worker: Worker,
    /// Program and arguments.
    pub(crate) command: Vec<String>,
    /// Working directory, absolute.
    pub(crate) cwd: PathBuf,
    /// Environment variables besides those of the engine.
    pub(crate) env: BTreeMap<String, String>,
    /// Environment variables with secret values, each with the place of its value.
    #[serde(default)]
    pub(crate) secrets: BTreeMap<String, String>,
    /// Standard input.
    pub(crate) stdin: Option<String>,
    /// Seconds that the work may take.
    pub(crate) deadline_s: u32,
    /// Seconds without output, after which an agent is ended.
    pub(crate) silence_s: Option<u32>,
    /// How an agent's answer is read.
    #[serde(default)]
    pub(crate) reading: Reading,
}

impl Request {
    /// Its SHA-256, which the journal holds for each attempt that was started.
    pub(crate) fn digest(&self) -> String {
        digest_of(self)
    }
}

/// The attempts of the step at the cursor that the run started, from its journal: each folder with the digest of its request. Any other
/// folder, and any other request, is not an attempt of this run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Started {
    /// The folder of all attempts.
    pub(crate) root: PathBuf,
    /// By the path below it.
    pub(crate) digests: BTreeMap<String, String>,
}

impl Started {
    /// The name of an attempt in the journal.
    pub(crate) fn name(root: &Path, folder: &Path) -> String {
        let below = folder.strip_prefix(root).unwrap_or(folder);
        below.display().to_string()
    }

    fn holds(&self, folder: &Path) -> Result<bool, Error> {
        let Some(digest) = self.digests.get(&Self::name(&self.root, folder)) else {
            return Ok(false);
        };
        let request = read::<Request>(&folder.join(REQUEST))?;
        Ok(request.is_some_and(|request| request.digest() == *digest))
    }
}

/// The record of an attempt.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Record {
    /// The outcome for the engine; absent when the work could not be started, or was cancelled.
    outcome: Option<Outcome>,
    /// Why the work could not be started.
    not_started: Option<String>,
    /// Whether it was cancelled.
    #[serde(default)]
    cancelled: bool,
    /// How the process ended.
    end: Option<String>,
    /// When it was started, UTC.
    started: String,
    /// When it ended, UTC.
    ended: String,
    /// Bytes of stdout and stderr that were not kept.
    dropped: [u64; 2],
}

/// What is in the folder of an attempt.
#[derive(Debug)]
pub(crate) enum Left {
    /// Its work still runs.
    Nothing,
    /// Its work goes on.
    AtWork(AtWork),
    /// It ended.
    Ended(Box<Outcome>),
    /// It was cancelled.
    Cancelled,
    /// It was begun, and it is not known how it ended.
    Interrupted,
    /// The folder holds something that this run did not start.
    Foreign,
}

/// A step whose work still runs.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct AtWork {
    /// The process that does the work, and outlives the engine.
    pub(crate) process: u64,
    /// When it was started, UTC.
    pub(crate) since: String,
    /// Its standard output, which grows.
    pub(crate) log: String,
}

impl Left {
    /// The message about an attempt that a person has to check first; `None` for every other attempt.
    pub(crate) fn unclear(&self, step: &str, folder: &Path) -> Option<String> {
        let folder = folder.display();
        let what = match self {
            Self::Interrupted => format!(
                "step {step} was interrupted: how far it came is not known. Look into {folder}"
            ),
            Self::Foreign => format!(
                "step {step} was not carried out by this run: its journal does not say that it started what lies in {folder}. Another run or a \
                 step left it there, or a version of recipe_runner that did not write this down. Look into it"
            ),
            _ => return None,
        };
        Some(format!(
            "{what}, then say what came of the step with recipe_runner complete, or let it run again with recipe_runner resume --rerun-interrupted"
        ))
    }
}

/// Reads the state of an attempt, without taking part in it. With `started`, an attempt that the run did not start counts only while it is
/// running, so that the same work is not done twice at once.
pub(crate) fn left(folder: &Path, started: Option<&Started>) -> Result<Left, Error> {
    let found = found(folder)?;
    let counts = match (started, &found) {
        (None, _) | (_, Left::AtWork(_)) => true,
        (Some(started), Left::Nothing) => {
            let name = Started::name(&started.root, folder);
            started.digests.contains_key(&name) || !folder.exists()
        }
        (Some(started), _) => started.holds(folder)?,
    };
    Ok(if counts { found } else { Left::Foreign })
}

fn found(folder: &Path) -> Result<Left, Error> {
    if let Some(ended) = recorded(folder)? {
        return Ok(ended);
    }
    let stands = aris_attempt::standing(folder)?;
    // It may have ended since the first look.
    if let Some(ended) = recorded(folder)? {
        return Ok(ended);
    }
    Ok(match stands {
        Standing::Unclaimed => Left::Nothing,
        Standing::Running { claim, .. } => Left::AtWork(AtWork {
            process: u64::try_from(claim.runner.pid).unwrap_or(0),
            since: claim.time.to_string(),
            log: folder.join(STDOUT).display().to_string(),
        }),
        Standing::Ended(exit) => match exit.ending {
            _ if exit.ended_by_us == EndedByUs::Cancelled => Left::Cancelled,
            Ending::StartFailed(_) => Left::Nothing,
            // The process that does the work was ended before it could record the outcome.
            Ending::Code(_) | Ending::Signal(_) => Left::Interrupted,
        },
        Standing::Lost { .. } => Left::Interrupted,
    })
}

/// What the process that did the work recorded.
fn recorded(folder: &Path) -> Result<Option<Left>, Error> {
    let record = read::<Record>(&folder.join(OUTCOME))?;
    Ok(record.map(|record| match record.outcome {
        _ if record.cancelled => Left::Cancelled,
        Some(outcome) => Left::Ended(Box::new(outcome)),
        None => Left::Nothing,
    }))
}

/// An attempt as `timeline` shows it.
#[derive(Debug)]
pub(crate) struct Told {
    /// When it was started, UTC.
    pub(crate) started: String,
    /// When it ended, UTC; `None` where it still runs, or where that is not known.
    pub(crate) ended: Option<String>,
    /// `running`, `interrupted`, `cancelled`, or how it ended.
    pub(crate) status: &'static str,
    pub(crate) note: Option<String>,
}

/// The times and the status of an attempt; `None` where nothing was begun.
pub(crate) fn told(folder: &Path) -> Result<Option<Told>, Error> {
    if let Some(record) = read::<Record>(&folder.join(OUTCOME))? {
        let (status, note) = match record.outcome {
            _ if record.cancelled => ("cancelled", None),
            Some(outcome) => (outcome.status.word(), outcome.note),
            None => ("not started", None),
        };
        return Ok(Some(Told {
            started: record.started,
            ended: Some(record.ended),
            status,
            note: note.or(record.not_started),
        }));
    }
    let (claim, status) = match aris_attempt::standing(folder)? {
        Standing::Running { claim, .. } => (Some(claim), "running"),
        Standing::Lost { claim, .. } => (claim, "interrupted"),
        Standing::Unclaimed | Standing::Ended(_) => (None, ""),
    };
    Ok(claim.map(|claim| Told {
        started: claim.time.to_string(),
        ended: None,
        status,
        note: None,
    }))
}

/// The step of an attempt; `None` where there is no attempt.
pub(crate) fn step_of(folder: &Path) -> Result<Option<String>, Error> {
    Ok(read::<Request>(&folder.join(REQUEST))?.map(|request| request.step))
}

/// Makes an attempt that the journal lists, or finds how it ended; the result is neither `Nothing` nor `AtWork`.
pub(crate) fn make(
    folder: &Path,
    request: &Request,
    started: &Started,
    program: &Program,
) -> Result<Left, Error> {
    let mut said = String::new();
    match left(folder, Some(started))? {
        Left::AtWork(_) => {}
        Left::Nothing => {
            aris_fs::create_dir(folder)?;
            write(&folder.join(REQUEST), request)?;
            aris_attempt::prepare(folder, &program.work(folder, request))?;
            let deadline = Duration::from_secs(u64::from(request.deadline_s)) + MARGIN;
            let ended = program
                .run(&[OsStr::new("--attempt"), folder.as_os_str()], deadline)
                .map_err(|error| Error::not_started(&request.step, error))?;
            ended.stderr.text().trim().clone_into(&mut said);
        }
        over => return Ok(over),
    }
    // The runner of an engine that died goes on, and so does the work of a runner that died.
    Lock::acquire(&folder.join(format::ALIVE))?;
    while matches!(found(folder)?, Left::AtWork(_)) {
        std::thread::park_timeout(AGAIN);
    }
    match left(folder, Some(started))? {
        Left::AtWork(_) => Ok(Left::Interrupted),
        Left::Nothing => {
            let record = read::<Record>(&folder.join(OUTCOME))?;
            let reason = record.and_then(|record| record.not_started).unwrap_or(said);
            // Nothing was done, so the next engine begins anew.
            if let Some(above) = folder.parent() {
                aris_fs::remove_tree(above, folder)?;
            }
            Err(Error::not_started(&request.step, reason))
        }
        over => Ok(over),
    }
}

/// In the name of a folder: the attempt was cancelled.
pub(crate) const CANCELLED: &str = "cancelled";
/// In the name of a folder: the run did not start what it holds.
pub(crate) const FOREIGN: &str = "not-started-here";

/// Names for a folder that is moved aside, in order; `why` is a part of them.
pub(crate) fn asides(folder: &Path, why: &str) -> impl Iterator<Item = PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    (1..).map(move |number: u32| folder.with_file_name(format!("{name}.{why}-{number}")))
}

/// Keeps the folder of an attempt under another name.
pub(crate) fn put_aside(folder: &Path, why: &str) -> Result<(), Error> {
    match asides(folder, why).find(|aside| !aside.exists()) {
        Some(aside) => Ok(aris_fs::rename_new(folder, &aside)?),
        None => Ok(()),
    }
}

/// Starts the work of an attempt, unless that was done already, and leaves the records. This runs in a process of its own.
pub(crate) fn carry_out(folder: &Path) -> Result<(), Error> {
    let code = aris_attempt::runner::run(folder);
    if code == ExitCode::SUCCESS {
        return Ok(());
    }
    let reason = aris_attempt::runner::complaint(folder);
    let reason = reason.unwrap_or_else(|| String::from("another process has it"));
    Err(Error::not_started(folder.display().to_string(), reason))
}

/// How to start this program again.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
    /// The word that selects `recipe_runner` in the multi-call binary, which contains many helpers.
    words: Vec<String>,
    cwd: PathBuf,
}

impl Program {
    /// Runs this program, and passes on its stderr, such as the message that it cannot record how a step ended.
    fn run(&self, args: &[&OsStr], deadline: Duration) -> Result<Finished, ProcError> {
        let mut said = |piece: &[u8]| std::io::stderr().write_all(piece).unwrap_or_default();
        aris_proc::command(&self.path, &self.cwd)
            .args(&self.words)
            .args(args)
            .run_streamed(deadline, &mut said)
    }

    /// What the runner of an attempt starts: this program, which does the work and watches deadlines and silence itself.
    fn work(&self, folder: &Path, request: &Request) -> Spec {
        let mut words = vec![self.path.display().to_string()];
        words.extend(self.words.iter().cloned());
        words.extend([String::from("--work"), folder.display().to_string()]);
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Spec {
            schema: String::from(format::SPEC_SCHEMA),
            id: request.step.clone(),
            attempt: 1,
            command: format::Command::Argv(words),
            setup: Vec::new(),
            cwd: self.cwd.clone(),
            env: BTreeMap::new(),
            outputs: Vec::new(),
            output_wait_ms: 0,
            time_limit_ms: None,
            notice: None,
            // After the grace of the work itself, its record must be written.
            kill_grace_ms: millis(GRACE * 2),
            linger_ms: format::LEFT_ALONE,
            oom_patterns: Vec::new(),
            log: folder.join(LOG),
            leases: Vec::new(),
            ledger: None,
            cards: 0,
        }
    }

    /// The program that is running now.
    pub(crate) fn this(context: &Context) -> Result<Self, Error> {
        let program = std::env::current_exe();
        let program = program.map_err(|error| Error::not_started("recipe_runner", error))?;
        let own = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("recipe_runner")
        };
        let mut called = std::env::args_os();
        let by_link = called.next().is_some_and(|name| own(Path::new(&name))) && !own(&program);
        let by_word = called.next().is_some_and(|word| word == "recipe_runner");
        Ok(Self {
            path: context.absolute(&program),
            words: vec![String::from("recipe_runner"); usize::from(by_link || by_word)],
            cwd: context.cwd().to_path_buf(),
        })
    }
}

impl AtWork {
    /// The error that nobody else may do the work.
    pub(crate) fn refuses(self, step: &str) -> Error {
        let Self { process, log, .. } = self;
        let reason = format!("step {step} is running (process {process}); its output is in {log}");
        let hint = "wait for its end with recipe_runner resume --state STATE and the executors that began it (--exec cmd, --agent COMMAND), or end it \
                    with recipe_runner cancel --state STATE";
        Error::refused(ErrorKind::Precondition, reason, hint)
    }
}

pub(crate) fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<T>, Error> {
    let Some(bytes) = aris_fs::read_optional(path, LIMIT)? else {
        return Ok(None);
    };
    let value = serde_json::from_slice(&bytes);
    Ok(Some(value.map_err(|error| Error::malformed(path, error))?))
}

pub(crate) fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), Error> {
    let bytes = aris_contract::json::pretty(value);
    let bytes = bytes.map_err(|error| Error::malformed(path, error))?;
    Ok(aris_fs::write_atomic(path, &bytes)?)
}

/// File with the names of the lenses, in order.
pub(crate) const LENSES: &str = "lenses.json";

/// One attempt of a step, or of one of its lenses.
#[derive(Debug)]
pub(crate) struct Part {
    /// The lens; `None` where the step has none.
    pub(crate) lens: Option<String>,
    pub(crate) folder: PathBuf,
    pub(crate) left: Left,
}

/// The attempts in the folder of a ticket; the lenses are those that `lenses.json` lists.
pub(crate) fn parts(folder: &Path, started: Option<&Started>) -> Result<Vec<Part>, Error> {
    match read(&folder.join(LENSES))? {
        Some(names) => parts_of(folder, names, started),
        None => Ok(vec![Part {
            lens: None,
            left: left(folder, started)?,
            folder: folder.to_path_buf(),
        }]),
    }
}

/// The attempts of these lenses in the folder of a ticket.
pub(crate) fn parts_of(
    folder: &Path,
    names: Vec<String>,
    started: Option<&Started>,
) -> Result<Vec<Part>, Error> {
    let part = |(at, lens): (usize, String)| {
        let mut own = below(folder, at);
        let mut found = left(&own, started)?;
        if matches!(found, Left::Nothing) {
            // A lens that succeeded in an earlier attempt is not tried again.
            for folder in earlier(folder) {
                let there = left(&below(&folder, at), started)?;
                if matches!(&there, Left::Ended(outcome) if outcome.status == OutcomeStatus::Success)
                {
                    (own, found) = (below(&folder, at), there);
                }
            }
        }
        Ok(Part {
            lens: Some(lens),
            folder: own,
            left: found,
        })
    };
    names.into_iter().enumerate().map(part).collect()
}

/// The folders of earlier attempts of the same visit.
fn earlier(folder: &Path) -> Vec<PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let (seq, attempt) = name.split_once('.').unwrap_or_default();
    let before = 1..attempt.parse::<u32>().unwrap_or(0);
    let before = before.map(|attempt| folder.with_file_name(format!("{seq}.{attempt}")));
    before.collect()
}

pub(crate) fn below(folder: &Path, at: usize) -> PathBuf {
    folder.join((at + 1).to_string())
}
