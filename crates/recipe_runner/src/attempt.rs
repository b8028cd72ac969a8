//! One attempt of one step, on the disk: what is to be done, that it was begun, and what came of it.
//!
//! The work is done by a process of its own, which outlives the engine and records the end of the work before anybody else can know
//! of it. An engine that died is followed by one that finds the outcome there, or waits for it. Only when that process died, too,
//! nobody knows how far the work came: the attempt was interrupted, and is never repeated unasked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aris_cli::{Clock, Context};
use aris_fs::Lock;
use aris_proc::{End, ProcError};
use aris_recipe::engine::tokens;
use aris_recipe::engine::{Outcome, OutcomeStatus};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::agent;
use crate::error::Error;
use crate::secret::{self, Redactor};

/// Bytes of a record that are read.
const LIMIT: u64 = 256 << 20;
/// Bytes kept of each stream.
const CAPTURE_LIMIT: usize = 16 << 20;
/// Time that a step has to end after it was cancelled.
pub(crate) const GRACE: Duration = Duration::from_secs(10);
/// What a process of ours may take longer than the work that it watches.
const MARGIN: Duration = Duration::from_mins(1);

const REQUEST: &str = "request.json";
const STARTED: &str = "started.json";
const OUTCOME: &str = "outcome.json";
pub(crate) const STDOUT: &str = "stdout";
pub(crate) const STDERR: &str = "stderr";
const LOCK: &str = "lock";
/// **Source**: POSIX.
const SIGTERM: i32 = 15;

/// Whose work it is; decides how its output is read.
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

/// What is to be done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The step.
    pub(crate) step: String,
    /// Whose work it is.
    pub(crate) worker: Worker,
    /// Program and arguments.
    pub(crate) command: Vec<String>,
    /// Directory, absolute.
    pub(crate) cwd: PathBuf,
    /// Variables besides those of the engine.
    pub(crate) env: BTreeMap<String, String>,
    /// Variables whose values are secret: where they are.
    #[serde(default)]
    pub(crate) secrets: BTreeMap<String, String>,
    /// Standard input.
    pub(crate) stdin: Option<String>,
    /// Seconds in all.
    pub(crate) deadline_s: u32,
    /// Seconds without output.
    pub(crate) silence_s: Option<u32>,
    /// Fields of an agent's answer that go on over several lines.
    #[serde(default)]
    pub(crate) lists: BTreeSet<String>,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Record {
    /// What the engine gets; absent when the work could not be begun.
    outcome: Option<Outcome>,
    /// Why it could not be begun.
    not_started: Option<String>,
    /// Somebody ended it.
    #[serde(default)]
    cancelled: bool,
    /// How the process ended.
    end: Option<String>,
    /// When it was begun, UTC.
    started: String,
    /// When it ended, UTC.
    ended: String,
    /// Bytes of stdout and stderr that were not kept.
    dropped: [u64; 2],
}

/// What an attempt came to.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// It ended.
    Ended(Box<Outcome>),
    /// Somebody ended it.
    Cancelled,
    /// It was begun, and nobody knows how it ended.
    Interrupted,
}

/// What lies in the folder of an attempt.
#[derive(Debug)]
pub(crate) enum Left {
    /// Nothing was begun.
    Nothing,
    /// Its work goes on.
    AtWork(AtWork),
    /// It ended.
    Ended(Box<Outcome>),
    /// Somebody ended it.
    Cancelled,
    /// It was begun, and nobody knows how it ended.
    Interrupted,
}

/// A step whose work goes on.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AtWork {
    /// The process that does it, and outlives the engine.
    pub(crate) process: u64,
    /// Since when, UTC.
    pub(crate) since: String,
    /// Its standard output, as it comes.
    pub(crate) log: String,
}

/// Looks what became of an attempt, without taking part in it.
pub(crate) fn left(folder: &Path) -> Result<Left, Error> {
    let ended = || -> Result<Option<Left>, Error> {
        let record = read::<Record>(&folder.join(OUTCOME))?;
        Ok(record.and_then(|record| match record.outcome {
            _ if record.cancelled => Some(Left::Cancelled),
            outcome => Some(Left::Ended(Box::new(outcome?))),
        }))
    };
    if let Some(ended) = ended()? {
        return Ok(ended);
    }
    let Some(begun) = read::<Map<String, Value>>(&folder.join(STARTED))? else {
        return Ok(Left::Nothing);
    };
    if Lock::is_held(&folder.join(LOCK))? {
        let text = |key: &str| begun.get(key).and_then(Value::as_str).unwrap_or_default();
        return Ok(Left::AtWork(AtWork {
            process: begun.get("process").and_then(Value::as_u64).unwrap_or(0),
            since: text("started").to_owned(),
            log: folder.join(STDOUT).display().to_string(),
        }));
    }
    // It may have ended between the two looks.
    Ok(ended()?.unwrap_or(Left::Interrupted))
}

/// The step of an attempt; `None` where there is no attempt.
pub(crate) fn step_of(folder: &Path) -> Result<Option<String>, Error> {
    Ok(read::<Request>(&folder.join(REQUEST))?.map(|request| request.step))
}

/// Makes an attempt, or finds what came of it.
pub(crate) fn make(
    folder: &Path,
    request: impl FnOnce() -> Result<Request, Error>,
    context: &Context,
) -> Result<Attempt, Error> {
    match read::<Record>(&folder.join(OUTCOME))? {
        // Cancelled before this engine came, which was called to go on.
        Some(record) if record.cancelled => put_aside(folder)?,
        Some(record) => return ended(folder, record),
        None => {}
    }
    let at = folder.join(REQUEST);
    let request = if let Some(request) = read::<Request>(&at)? {
        request
    } else {
        aris_fs::create_dir(folder)?;
        let request = request()?;
        write(&at, &request)?;
        request
    };
    // Whether it waits for the process of an engine that died or does the work itself is for that process to find out.
    let (program, words) = this_program(context)?;
    let deadline = Duration::from_secs(u64::from(request.deadline_s)) + MARGIN;
    let watched = aris_proc::command(program, context.cwd())
        .args(words)
        .arg("--attempt")
        .arg(folder)
        .run(deadline)
        .map_err(|error| not_started(&request.step, &error))?;
    match read::<Record>(&folder.join(OUTCOME))? {
        Some(record) => ended(folder, record),
        None if folder.join(STARTED).exists() => Ok(Attempt::Interrupted),
        None => Err(Error::NotStarted {
            step: request.step,
            reason: watched.stderr.text().trim().to_owned(),
        }),
    }
}

/// Keeps what a cancelled attempt left, and makes room for the next one.
fn put_aside(folder: &Path) -> Result<(), Error> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let free = (1..).map(|number: u32| folder.with_file_name(format!("{name}.cancelled-{number}")));
    for aside in free {
        if !aside.exists() {
            return Ok(aris_fs::rename_new(folder, &aside)?);
        }
    }
    Ok(())
}

fn ended(folder: &Path, record: Record) -> Result<Attempt, Error> {
    if record.cancelled {
        return Ok(Attempt::Cancelled);
    }
    if let Some(outcome) = record.outcome {
        return Ok(Attempt::Ended(Box::new(outcome)));
    }
    // Nothing was done: the next engine begins anew.
    let step =
        read::<Request>(&folder.join(REQUEST))?.map_or_else(String::new, |request| request.step);
    if let Some(above) = folder.parent() {
        aris_fs::remove_tree(above, folder)?;
    }
    Err(Error::NotStarted {
        step,
        reason: record.not_started.unwrap_or_default(),
    })
}

/// Does the work of an attempt, unless it was begun already. This is the process of its own.
pub(crate) fn carry_out(folder: &Path, clock: Clock) -> Result<(), Error> {
    let _lock = Lock::acquire(&folder.join(LOCK))?;
    let Some(request) = read::<Request>(&folder.join(REQUEST))? else {
        return Err(Error::NoFile {
            path: folder.join(REQUEST),
            what: "attempt",
        });
    };
    if folder.join(STARTED).exists() {
        return Ok(());
    }
    let started = clock.now().to_string();
    let begun = Map::from_iter([
        (String::from("started"), Value::from(started.as_str())),
        (String::from("process"), Value::from(std::process::id())),
    ]);
    write(&folder.join(STARTED), &begun)?;
    let record = worked(folder, &request, started, clock)?;
    write(&folder.join(OUTCOME), &record)
}

fn worked(
    folder: &Path,
    request: &Request,
    started: String,
    clock: Clock,
) -> Result<Record, Error> {
    let (program, args) = request
        .command
        .split_first()
        .map_or(("", &[] as &[String]), |(first, rest)| {
            (first.as_str(), rest)
        });
    let begin = clock.now();
    let deadline = Duration::from_secs(u64::from(request.deadline_s));
    let mut command = aris_proc::command(program, &request.cwd)
        .args(args)
        .capture_limit(CAPTURE_LIMIT);
    let told = Arc::new(AtomicBool::new(false));
    if let Some(readable) = told_to_end(&told) {
        command = command.stop_when(readable, GRACE);
    }
    for (name, value) in &request.env {
        command = command.env(name, value);
    }
    let mut secrets = BTreeMap::new();
    for (name, reference) in &request.secrets {
        match secret::value(reference, &request.cwd) {
            Ok(value) => secrets.insert(name, value),
            Err(why) => {
                let mut outcome = Outcome::of(OutcomeStatus::Failure);
                outcome.note = Some(format!("{name} has no value: {why}"));
                return Ok(Record {
                    outcome: Some(outcome),
                    not_started: None,
                    cancelled: false,
                    end: None,
                    ended: clock.now().to_string(),
                    started,
                    dropped: [0, 0],
                });
            }
        };
    }
    for (name, value) in &secrets {
        command = command.env(name, value);
    }
    let redactor = || Redactor::of(secrets.values());
    if let Some(text) = &request.stdin {
        command = command.stdin(text.as_bytes());
    }
    if let Some(silence) = request.silence_s {
        command = command.silence_limit(Duration::from_secs(u64::from(silence)));
    }
    let record = |outcome, not_started, end, dropped| Record {
        outcome,
        not_started,
        cancelled: false,
        end,
        started,
        ended: clock.now().to_string(),
        dropped,
    };
    // Written as it comes, so that people can follow it.
    #[expect(
        clippy::disallowed_methods,
        reason = "it grows while people follow it, and is written whole at the end"
    )]
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.join(STDOUT));
    let mut stdout = Vec::new();
    let mut dropped = 0_u64;
    let mut hiding = redactor();
    let mut take = |piece: &[u8]| {
        let room = CAPTURE_LIMIT.saturating_sub(stdout.len()).min(piece.len());
        let (kept, rest) = piece.split_at(room);
        // A disk that is full costs the log, never the work.
        if let Ok(mut log) = log.as_ref() {
            log.write_all(kept).unwrap_or_default();
        }
        stdout.extend_from_slice(kept);
        dropped += rest.len() as u64;
    };
    let mut keep = |piece: &[u8]| take(&hiding.next(piece));
    let finished = match command.run_streamed(deadline, &mut keep) {
        Ok(finished) => finished,
        // A folder that is not there comes from the recipe and what was captured: the step failed. The rest comes from this machine.
        Err(error @ ProcError::NoDirectory { .. }) => {
            let mut outcome = Outcome::of(OutcomeStatus::Failure);
            outcome.note = Some(error.to_string());
            return Ok(record(Some(outcome), None, None, [0, 0]));
        }
        Err(error) => {
            let reason = std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), |source| format!("{error}: {source}"));
            return Ok(record(None, Some(reason), None, [0, 0]));
        }
    };
    take(&hiding.end());
    let mut hiding = redactor();
    let mut stderr = hiding.next(&finished.stderr.bytes);
    stderr.extend(hiding.end());
    aris_fs::write_atomic(&folder.join(STDOUT), &stdout)?;
    aris_fs::write_atomic(&folder.join(STDERR), &stderr)?;
    let silent = finished.end == End::TimedOut
        && clock.now().duration_since(begin).unsigned_abs() < deadline;
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    let outcome = match request.worker {
        Worker::Command => of_command(
            finished.end,
            tokens::of_stdout(&stdout),
            &stdout,
            &String::from_utf8_lossy(&stderr),
            request,
        ),
        Worker::Tool => {
            let fields =
                serde_json::from_str(stdout.trim()).unwrap_or_else(|_| tokens::of_stdout(&stdout));
            of_command(
                finished.end,
                fields,
                &stdout,
                &String::from_utf8_lossy(&stderr),
                request,
            )
        }
        Worker::Agent => agent::outcome(finished.end, &stdout, silent, request),
    };
    let end = match finished.end {
        End::Exited(code) => format!("exit {code}"),
        End::Signalled(signal) => format!("signal {signal}"),
        End::TimedOut if silent => String::from("silent"),
        End::TimedOut => String::from("timeout"),
    };
    let dropped = [dropped, finished.stderr.dropped];
    if finished.end == End::TimedOut && told.load(Ordering::SeqCst) {
        return Ok(Record {
            cancelled: true,
            ..record(None, None, Some(String::from("cancelled")), dropped)
        });
    }
    Ok(record(Some(outcome), None, Some(end), dropped))
}

/// Something that can be read from once this process has SIGTERM; `told` says the same. `None`: the system refuses, and SIGTERM ends this
/// process alone, as ever.
fn told_to_end(told: &Arc<AtomicBool>) -> Option<UnixStream> {
    let (reader, writer) = UnixStream::pair().ok()?;
    // Set before it is told: both happen in the order in which they are registered.
    signal_hook::flag::register(SIGTERM, Arc::clone(told)).ok()?;
    signal_hook::low_level::pipe::register(SIGTERM, writer).ok()?;
    Some(reader)
}

/// Asks the process that does the work of an attempt to end it.
pub(crate) fn end(work: &AtWork) -> Result<(), Error> {
    let process = i32::try_from(work.process).ok().and_then(Pid::from_raw);
    let told = process.map(|process| kill_process(process, Signal::TERM));
    match told {
        // Gone already: it has ended meanwhile.
        Some(Ok(()) | Err(Errno::SRCH)) => Ok(()),
        Some(Err(error)) => Err(Error::NotEnded {
            process: work.process,
            reason: error.to_string(),
        }),
        None => Err(Error::NotEnded {
            process: work.process,
            reason: String::from("that is no process"),
        }),
    }
}

/// What came of a program: its streams, its exit code, and the fields that it printed.
fn of_command(
    end: End,
    mut result: Map<String, Value>,
    stdout: &str,
    stderr: &str,
    request: &Request,
) -> Outcome {
    result.insert(String::from("stdout"), Value::from(stdout));
    result.insert(String::from("stderr"), Value::from(stderr));
    let (status, code, note) = match end {
        // A gate that could not look says so; whoever reads the run sees it.
        End::Exited(0) => (OutcomeStatus::Success, 0, degraded(stdout)),
        End::Exited(code) => (OutcomeStatus::Failure, code, Some(format!("exit {code}"))),
        // What a shell says of a command that a signal ended.
        End::Signalled(signal) => (
            OutcomeStatus::Failure,
            128 + signal,
            Some(format!("signal {signal}")),
        ),
        End::TimedOut => (
            OutcomeStatus::Failure,
            124,
            Some(format!("not over after {} s", request.deadline_s)),
        ),
    };
    result.insert(String::from("exit_code"), Value::from(code));
    Outcome {
        result: Some(result),
        note,
        ..Outcome::of(status)
    }
}

/// What a helper says that could not look: a line `degraded: why`.
fn degraded(stdout: &str) -> Option<String> {
    let line = stdout.lines().find(|line| line.starts_with("degraded: "))?;
    Some(line.chars().take(300).collect())
}

/// The file this program runs from, and the words that make it `recipe_runner`: the multi-call binary runs many helpers.
fn this_program(context: &Context) -> Result<(PathBuf, Vec<String>), Error> {
    let program = std::env::current_exe().map_err(|error| Error::NotStarted {
        step: String::from("recipe_runner"),
        reason: error.to_string(),
    })?;
    let own = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("recipe_runner")
    };
    let mut called = std::env::args_os();
    let by_link = called.next().is_some_and(|name| own(Path::new(&name))) && !own(&program);
    let by_word = called.next().is_some_and(|word| word == "recipe_runner");
    let words = if by_link || by_word {
        vec![String::from("recipe_runner")]
    } else {
        Vec::new()
    };
    Ok((context.absolute(&program), words))
}

fn not_started(step: &str, error: &ProcError) -> Error {
    Error::NotStarted {
        step: step.to_owned(),
        reason: error.to_string(),
    }
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<T>, Error> {
    let Some(bytes) = aris_fs::read_optional(path, LIMIT)? else {
        return Ok(None);
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| Error::Malformed {
            path: path.to_path_buf(),
            reason: error.to_string(),
        })
}

fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), Error> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| Error::Malformed {
        path: path.to_path_buf(),
        reason: error.to_string(),
    })?;
    bytes.push(b'\n');
    Ok(aris_fs::write_atomic(path, &bytes)?)
}
