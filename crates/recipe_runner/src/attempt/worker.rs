//! The process that does the work of an attempt: it runs the step's command, removes secrets from its output, and records the outcome.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aris_cli::Clock;
use aris_contract::failure::ErrorBody;
use aris_proc::{End, ProcError};
use aris_recipe::engine::tokens;
use aris_recipe::engine::{Outcome, OutcomeStatus};
use serde_json::{Map, Value};

use super::{GRACE, OUTCOME, REQUEST, Record, Request, STDERR, STDOUT, Worker, read, write};
use crate::agent;
use crate::error::Error;
use crate::secret::{self, Redactor};

/// Bytes of each stream that are kept for captures and agents' answers; the log has everything.
const CAPTURE_LIMIT: usize = 16 << 20;
/// A file that keeps space on the disk free for the outcome while the step is running.
const RESERVE: &str = "reserve";
/// Bytes of that file: enough for most outcomes and the exit record.
const ROOM: usize = 64 << 10;
/// The note of a step whose log could not be written.
const LOG_LOST: &str = "its log could not be written as a whole";
/// **Source**: POSIX.
const SIGTERM: i32 = 15;

/// Does the work of an attempt, and records the outcome. It runs in a process of its own, started by that of [`carry_out`].
pub(crate) fn work(folder: &Path, clock: Clock) -> Result<(), Error> {
    let Some(request) = read::<Request>(&folder.join(REQUEST))? else {
        return Err(Error::no_file(&folder.join(REQUEST), "attempt"));
    };
    // The step may fill the disk, and its outcome must be written all the same.
    let reserve = folder.join(RESERVE);
    aris_fs::write_unsynced(&reserve, &vec![b'.'; ROOM]).unwrap_or_default();
    let mut record = worked(folder, &request, clock.now().to_string(), clock);
    let outcome = folder.join(OUTCOME);
    // On a full disk the outcome is more important than the log.
    let mut written = write(&outcome, &record);
    for given_up in [STDOUT, RESERVE] {
        if written.is_err() {
            aris_fs::remove_file(&folder.join(given_up))?;
            written = write(&outcome, &record);
        }
    }
    if let Err(error) = written {
        // A gate may decide by what is missing, so the step has failed.
        let why = ErrorBody::of(&error).message;
        record.outcome = Some(unread(&format!("its result could not be kept: {why}")));
        return write(&outcome, &record);
    }
    Ok(aris_fs::remove_file(&reserve)?)
}

fn worked(folder: &Path, request: &Request, started: String, clock: Clock) -> Record {
    let (program, args) = match request.command.split_first() {
        Some((program, args)) => (program.as_str(), args),
        None => ("", [].as_slice()),
    };
    let record = || Record {
        started: started.clone(),
        ended: clock.now().to_string(),
        ..Record::default()
    };
    let failed = |why: &str| Record {
        outcome: Some(unread(why)),
        ..record()
    };
    if request.worker == Worker::Command && args.last().is_none_or(|text| text.trim().is_empty()) {
        return failed("the step has no command");
    }
    let mut texts = request.command.iter().chain(request.env.values());
    if texts.any(|text| text.contains('\0')) {
        return failed("its command holds a NUL character, which no program can be given");
    }
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
            // The cause is on this machine, not in the step.
            Err(why) => {
                return Record {
                    not_started: Some(format!("{name} has no value: {why}")),
                    ..record()
                };
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
    let mut fields = tokens::Fields::default();
    let mut hiding = redactor();
    let mut take = |piece: &[u8]| {
        let room = CAPTURE_LIMIT.saturating_sub(stdout.len()).min(piece.len());
        let (kept, rest) = piece.split_at(room);
        // On a full disk the log is lost, and the work goes on.
        if let Ok(mut log) = log.as_ref() {
            log.write_all(piece).unwrap_or_default();
        }
        fields.feed(piece);
        stdout.extend_from_slice(kept);
        dropped += rest.len() as u64;
    };
    let mut keep = |piece: &[u8]| take(&hiding.next(piece));
    let finished = match command.run_streamed(deadline, &mut keep) {
        Ok(finished) => finished,
        // An absent folder comes from the recipe or from a captured value, so the step has failed. All other errors come from this machine.
        Err(error @ ProcError::NoDirectory { .. }) => return failed(&error.to_string()),
        Err(error) => {
            let reason = std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), |source| format!("{error}: {source}"));
            return Record {
                not_started: Some(reason),
                ..record()
            };
        }
    };
    take(&hiding.end());
    if finished.end == End::TimedOut {
        // Processes that left the command's process group have not ended in time either.
        aris_attempt::end_strays(folder, GRACE);
    }
    let mut hiding = redactor();
    let mut stderr = hiding.next(&finished.stderr.bytes);
    stderr.extend(hiding.end());
    let mut log_lost = false;
    if dropped == 0 {
        log_lost = aris_fs::write_atomic(&folder.join(STDOUT), &stdout).is_err();
    }
    log_lost |= aris_fs::write_atomic(&folder.join(STDERR), &stderr).is_err();
    let silent = finished.end == End::TimedOut
        && clock.now().duration_since(begin).unsigned_abs() < deadline;
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    let mut outcome = match (request.worker, fields.end()) {
        // A gate may decide by the value that was not read.
        (Worker::Command, Err(name)) => {
            let most = tokens::Fields::LINE >> 20;
            unread(&format!("the value of {name} has more than {most} MiB"))
        }
        (Worker::Agent | Worker::Tool, _) if dropped > 0 => {
            let most = CAPTURE_LIMIT >> 20;
            unread(&format!("it answered with more than {most} MiB"))
        }
        (Worker::Agent, _) => agent::outcome(finished.end, &stdout, silent, request),
        (worker, fields) => {
            let answer = match worker {
                Worker::Tool => answer_of(&stdout),
                _ => Ok(None),
            };
            let stderr = String::from_utf8_lossy(&stderr);
            match answer {
                Err(why) if finished.end == End::Exited(0) => unread(&why),
                answer => {
                    let answer = answer.unwrap_or_default();
                    let fields = answer.unwrap_or_else(|| fields.unwrap_or_default());
                    of_command(finished.end, fields, &stdout, &stderr, request)
                }
            }
        }
    };
    let end = match finished.end {
        End::Exited(code) => format!("exit {code}"),
        End::Signalled(signal) => format!("signal {signal}"),
        End::TimedOut if silent => String::from("silent"),
        End::TimedOut => String::from("timeout"),
    };
    if log_lost {
        let note = outcome.note.map(|note| format!("{note}; {LOG_LOST}"));
        outcome.note = note.or_else(|| Some(LOG_LOST.to_owned()));
    }
    let cancelled = finished.end == End::TimedOut && told.load(Ordering::SeqCst);
    let end = Some(end).filter(|_| !cancelled);
    Record {
        outcome: (!cancelled).then_some(outcome),
        cancelled,
        end: end.or_else(|| Some(String::from("cancelled"))),
        dropped: [dropped, finished.stderr.dropped],
        ..record()
    }
}

/// A stream that becomes readable when this process gets SIGTERM; `told` is set, too. `None` where the system refuses that; then SIGTERM
/// ends only this process, as by default.
fn told_to_end(told: &Arc<AtomicBool>) -> Option<UnixStream> {
    let (reader, writer) = UnixStream::pair().ok()?;
    // Registered first, so that `told` is set before the stream becomes readable: both happen in the order of their registration.
    signal_hook::flag::register(SIGTERM, Arc::clone(told)).ok()?;
    signal_hook::low_level::pipe::register(SIGTERM, writer).ok()?;
    Some(reader)
}

/// The outcome of a program: its streams, its exit code, and the fields that it printed.
fn of_command(
    end: End,
    mut result: Map<String, Value>,
    stdout: &str,
    stderr: &str,
    request: &Request,
) -> Outcome {
    result.insert(String::from("stdout"), Value::from(stdout));
    result.insert(String::from("stderr"), Value::from(stderr));
    let (code, why) = match end {
        End::Exited(code) => (code, format!("exit {code}")),
        // The exit code that a shell gives for a command that was ended by a signal.
        End::Signalled(signal) => (128 + signal, format!("signal {signal}")),
        End::TimedOut => (124, format!("not over after {} s", request.deadline_s)),
    };
    result.insert(String::from("exit_code"), Value::from(code));
    let (status, note) = if code == 0 {
        // Readers of the run see the note of a gate that could not look.
        (
            OutcomeStatus::Success,
            tokens::degraded(stdout, &Map::new()),
        )
    } else {
        (OutcomeStatus::Failure, Some(why))
    };
    Outcome {
        status,
        note,
        ..Outcome::success(result)
    }
}

/// The answer of a program that carries out tools, if it is a JSON object; `None` where it prints lines `name=value`, or nothing.
///
/// **Errors**: the answer begins as JSON and is not an object.
fn answer_of(stdout: &str) -> Result<Option<Map<String, Value>>, String> {
    let text = stdout.trim();
    if !text.starts_with(['{', '[', '"']) {
        return Ok(None);
    }
    let answer = serde_json::from_str(text).map(Some);
    answer.map_err(|error| format!("its answer is no JSON object: {error}"))
}

/// The outcome of a step whose answer could not be read whole.
fn unread(why: &str) -> Outcome {
    Outcome::noted(OutcomeStatus::Failure, why)
}
