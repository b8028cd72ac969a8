//! The runner of one attempt: a process that starts the command, watches all its descendants, ends them when necessary, and writes records.
//! It judges nothing.
//!
//! The command writes to its log directly, so a runner that dies does not disturb it. The runner needs no manager: without one it still
//! enforces limits, holds cards and writes the exit record.
//!
//! It also writes its error message into the folder ([`complaint`]), because stderr may have no reader.
//!
//! | It exits with | when |
//! |---|---|
//! | 0 | the exit record is written |
//! | 3, 4 | the specification is missing or invalid; nothing ran |
//! | 5 | another runner has it, a card is taken, no manager let it begin, or the system refused; without an exit record nothing ran |

mod command;
mod control_group;
mod oom_text;
mod outcome;
pub(crate) mod record;
mod supervise;
mod wake;

pub use outcome::record_lost;

use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::format::{
    ALIVE, CANCEL, CLAIM, Command, EndedByUs, Ending, SPEC, START_SCHEMA, Spec, Start, TREE,
};
use aris_contract::failure::ErrorBody;
use aris_contract::{ErrorKind, Failure as _};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::process::Signal;

use crate::cards::lease;
use crate::clock;
use crate::error::AttemptError;
use crate::handoff;
use crate::processes;
use crate::records;

use outcome::ExitRecord;
use supervise::Supervisor;
use wake::Wake;

/// The file with the reason why a runner could not do its work; absent if it could.
const COMPLAINT: &str = "runner.error";

/// Most bytes of that file that are read.
const COMPLAINT_LIMIT: u64 = 64 * 1024;

/// How long to wait, after the job ended, for a signal to this process from the same sender. On a busy machine, other programs may run
/// between two signals that are sent one after the other. Whoever ends a job by hand waits this long for its record.
const TOLD: Duration = Duration::from_secs(1);
/// The same after exit status 0; every job of a batch system waits this long.
const TOLD_GOOD: Duration = Duration::from_millis(200);

/// Most tries to lock the runner's file: a process that only checks the lock holds it for microseconds.
const LOCK_TRIES: u32 = 200;

/// Runs the attempt in this folder to its end, and takes the leases of its cards by name. The process that calls it must do nothing else,
/// and must not have started a thread.
pub fn run(folder: &Path) -> ExitCode {
    one(folder, false)
}

/// The same for a runner that [`Runner::start`](crate::Runner::start) starts: it begins when it receives the leases through its stdin.
pub fn serve(folder: &Path) -> ExitCode {
    one(folder, true)
}

/// `served`: stdin is the connection to a manager.
fn one(folder: &Path, served: bool) -> ExitCode {
    detach();
    let wake = Wake::new().map_err(AttemptError::system("watch signals"));
    let leases = if served {
        handoff::take(std::io::stdin())
    } else {
        Some(Vec::new())
    };
    let Some(leases) = leases else {
        return ExitCode::from(ErrorKind::Precondition.exit().code());
    };
    match wake.and_then(|mut wake| attempt(folder, &mut wake, leases, served)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(folder, &error),
    }
}

fn complain(folder: &Path, error: &AttemptError) -> ExitCode {
    let message = format!("attempt: {}", ErrorBody::of(error).message);
    // Also written to the folder, because stderr may have no reader. The disk may be the cause, so a failure here is ignored.
    writeln!(std::io::stderr(), "{message}").unwrap_or_default();
    if !matches!(error, AttemptError::Taken(_)) {
        aris_fs::write_unsynced(&folder.join(COMPLAINT), message.as_bytes()).unwrap_or_default();
    }
    ExitCode::from(error.kind().exit().code())
}

/// The error message of this attempt's runner, if it exited without doing its work.
pub fn complaint(folder: &Path) -> Option<String> {
    let bytes = aris_fs::read(&folder.join(COMPLAINT), COMPLAINT_LIMIT).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn attempt(
    folder: &Path,
    wake: &mut Wake,
    leases: Vec<OwnedFd>,
    served: bool,
) -> Result<(), AttemptError> {
    let spec: Spec = records::read(&folder.join(SPEC))?;
    let _alive = lock(folder, ALIVE)?;
    let mut leases = lease::received_or_taken(leases, &spec.leases)?;
    // Inherited by the job like its cards: locked while any of its processes lives, even if this one dies.
    leases.push(lock(folder, TREE)?.into());
    let claim = record::own_claim();
    record::claim(folder, &claim)?;
    // From here on, any failure is the attempt's end and goes into its exit record.
    claimed(&spec, folder, wake, leases, claim.runner.boot_id, served)?;
    // A living manager writes the end to its synced journal, so the exit record needs no sync.
    if served && handoff::is_open(std::io::stdin()) {
        return Ok(());
    }
    record::sync_exit(folder)
}

/// Starts a new session, so that no terminal signals this process, and adopts orphaned descendants.
fn detach() {
    // Fails for the leader of a process group, as under a batch system, where no terminal's job control matters.
    rustix::process::setsid().map_or_else(drop, drop);
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap_or_default();
}

/// Takes the lock that shows that a runner, or any process of its job, is alive.
fn lock(folder: &Path, name: &str) -> Result<File, AttemptError> {
    let path = folder.join(name);
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
    let opened = rustix::fs::open(&path, flags, Mode::from_raw_mode(0o644));
    let refused = AttemptError::system(format!("open {}", path.display()));
    let file = File::from(opened.map_err(refused)?);
    let mut pause = Duration::from_micros(100);
    for _ in 0..LOCK_TRIES {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if folder.join(CLAIM).exists() => break,
            Err(rustix::io::Errno::WOULDBLOCK) => {
                std::thread::park_timeout(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            Err(error) => {
                let action = format!("lock {}", path.display());
                return Err(AttemptError::system(action)(error));
            }
        }
    }
    Err(AttemptError::Taken(folder.to_path_buf()))
}

fn claimed(
    spec: &Spec,
    folder: &Path,
    wake: &mut Wake,
    leases: Vec<OwnedFd>,
    boot_id: String,
    served: bool,
) -> Result<(), AttemptError> {
    let mut record = ExitRecord::new(spec, folder);
    if folder.join(CANCEL).exists() || wake.told_to_end() {
        record.exit.ended_by_us = EndedByUs::Cancelled;
        return record.not_started(String::from("it was cancelled before it started"), wake);
    }
    let log = match command::open_log(&spec.log) {
        Ok(log) => log,
        Err(error) => {
            let what = format!("cannot open the log {}: {error}", spec.log.display());
            return record.not_started(what, wake);
        }
    };
    record.exit.log_offset = log.metadata().map_or(0, |data| data.len());
    let started = startable(spec).and_then(|()| {
        record.look_before();
        command::start(spec, &log, &leases)
    });
    // The job has the log open; this process writes nothing to it.
    drop(log);
    let started = match started {
        Ok(started) => started,
        Err(what) => return record.not_started(what, wake),
    };
    let (time, began) = (clock::wall(), clock::steady());
    record.exit.started = Some(time);
    let pid = i32::try_from(started.child.id()).unwrap_or(0);
    let start = Start {
        schema: String::from(START_SCHEMA),
        process: processes::identity(pid, boot_id),
        pgid: pid,
        time,
        log_offset: record.exit.log_offset,
    };
    // If this fails, readers know less, and the job continues.
    record::start(folder, &start).unwrap_or_default();

    Supervisor::new(spec, folder, wake, (pid, began), &mut record.exit).watch()?;
    // The job has no processes left, so its cards are free from here on.
    drop(leases);
    record.interpreter = started.interpreter();
    if !started.setup_passed() && record.exit.ended_by_us == EndedByUs::None {
        let how = match &record.exit.ending {
            Ending::Signal(signal) => format!("signal {signal}"),
            Ending::Code(code) => format!("status {code}"),
            Ending::StartFailed(what) => what.clone(),
        };
        let log = spec.log.display();
        let what = format!("a setup line failed ({how}); see the log {log}");
        record.exit.ending = Ending::StartFailed(what);
    }
    record.look_after(wake)?;
    // A batch system signals the processes of a job one after the other, and this one may be the last.
    let time = match &record.exit.ending {
        // When a program in `train; cp …` is ended, the shell continues, and its last command may succeed. Outside a batch system, exit
        // status 0 is never reinterpreted.
        Ending::Code(0) => (!served && in_batch_job()).then_some(TOLD_GOOD),
        ending => Some(if was_told(ending) || in_batch_job() {
            TOLD
        } else {
            Duration::ZERO
        }),
    };
    if record.exit.ended_by_us == EndedByUs::None
        && let Some(time) = time
        && wake.told_within(time)?
    {
        record.exit.ended_by_us = EndedByUs::Cancelled;
    }
    record.write(wake)
}

/// Whether this is a job of Slurm: its signal may reach the command first, and a command that handles it may exit with any status.
fn in_batch_job() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "the batch system tells this process, and nobody else, that it runs it"
    )]
    let job = std::env::var_os("SLURM_JOB_ID");
    job.is_some()
}

/// Whether the ending is that of a command, or of the last program in a shell, that received SIGTERM.
fn was_told(ending: &Ending) -> bool {
    const TERM: i32 = Signal::TERM.as_raw();
    // **Source**: POSIX shells exit with 128 plus the signal's number, as bash and dash do.
    matches!(ending, Ending::Signal(TERM)) || *ending == Ending::Code(128 + TERM)
}

/// Checks what must hold before the command is started; the error says what does not.
fn startable(spec: &Spec) -> Result<(), String> {
    if !spec.cwd.is_dir() {
        let cwd = spec.cwd.display();
        return Err(format!("the working directory {cwd} is not a directory"));
    }
    if matches!(&spec.command, Command::Argv(argv) if argv.is_empty()) {
        return Err(String::from("the command has no words"));
    }
    if spec.cards > 0 {
        const VARIABLE: &str = "CUDA_VISIBLE_DEVICES";
        #[expect(
            clippy::disallowed_methods,
            reason = "the batch system tells this process, and nobody else, which cards it has"
        )]
        let given = std::env::var(VARIABLE).unwrap_or_default();
        let given = spec.env.get(VARIABLE).unwrap_or(&given);
        let count = given.split(',').filter(|card| !card.trim().is_empty());
        let asked = spec.cards;
        if count.count() != asked as usize {
            let given = format!("{VARIABLE} is \"{given}\"");
            return Err(format!("{asked} cards were asked for, {given}"));
        }
    }
    Ok(())
}
