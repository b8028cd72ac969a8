//! The runner of one attempt: a process that starts the command, watches its whole tree, ends it when it must, and leaves records.
//!
//! It never stands between the command and its log, so that a dead runner breaks nothing, and it needs nobody: limits, cards and the
//! exit record are kept while no manager runs. It judges nothing.
//!
//! What went wrong stands in the folder ([`complaint`]) when nobody reads stderr.
//!
//! | It exits with | when |
//! |---|---|
//! | 0 | the exit record is written |
//! | 3, 4 | there is no specification, or it cannot be read; nothing ran |
//! | 5 | another runner has the attempt, a card is taken, the manager did not let it begin, or the system refused; nothing ran, unless the exit record says so |

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

/// Why a runner could not do its work, in words for people; there is none when all went well.
const COMPLAINT: &str = "runner.error";

/// The longest complaint that is read.
const COMPLAINT_LIMIT: u64 = 64 * 1024;

/// How long after its job this process may be told to end by the same hand. A busy machine lets many programs run between two signals
/// that are sent one after the other; whoever ends a job by hand waits so long for its record.
const TOLD: Duration = Duration::from_secs(1);
/// The same after a good end: every job that a batch system starts waits so long.
const TOLD_GOOD: Duration = Duration::from_millis(200);

/// Times the runner's lock is asked for: somebody who only looks holds it for microseconds.
const LOCK_TRIES: u32 = 200;

/// Runs the attempt whose folder this is, to its end. To be called by a process that does nothing else, before it has any thread.
///
/// The cards' leases are taken by name.
pub fn run(folder: &Path) -> ExitCode {
    one(folder, false)
}

/// The same for a runner that [`Runner::start`](crate::Runner::start) starts: it begins when the leases come through its stdin.
pub fn serve(folder: &Path) -> ExitCode {
    one(folder, true)
}

/// `served`: its stdin is the line to a manager.
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
    // Nobody may be there to read it, so it is left in the folder, too; a disk that refuses may be the very reason.
    writeln!(std::io::stderr(), "{message}").unwrap_or_default();
    if !matches!(error, AttemptError::Taken(_)) {
        aris_fs::write_unsynced(&folder.join(COMPLAINT), message.as_bytes()).unwrap_or_default();
    }
    ExitCode::from(error.kind().exit().code())
}

/// What the runner of this attempt said before it left without doing its work; `None`: nothing.
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
    // The job's tree has it as it has its cards: for as long as one of it lives, whatever becomes of this process.
    leases.push(lock(folder, TREE)?.into());
    let claim = record::own_claim();
    record::claim(folder, &claim)?;
    // Whatever goes wrong from here on is how the attempt ended, and is recorded as that.
    claimed(&spec, folder, wake, leases, claim.runner.boot_id, served)?;
    // What a manager concludes goes through its own synced journal: it need not wait for a disk that syncs this, too.
    if served && handoff::is_open(std::io::stdin()) {
        return Ok(());
    }
    record::sync_exit(folder)
}

/// A session of its own: no terminal reaches it. And children whose parents are gone become children of this process.
fn detach() {
    // Refused to the leader of a group, which has no terminal's job control to fear either (started by a batch system).
    rustix::process::setsid().map_or_else(drop, drop);
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap_or_default();
}

/// Takes the lock that says that a runner lives, or something of its job.
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
    // The job has the log; this process has nothing to write to it.
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
    // Without it readers know less; the job goes on.
    record::start(folder, &start).unwrap_or_default();

    Supervisor::new(spec, folder, wake, (pid, began), &mut record.exit).watch()?;
    // The tree is empty: the cards are free from here on.
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
    // A batch system signals the processes of a job one after the other, this one perhaps last.
    let time = match &record.exit.ending {
        // The shell of `train; cp …` goes on when its program is told to end, and its last command may succeed. Where no batch system started
        // this runner, which could be asked, a good end is never taken back.
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

/// Whether Slurm runs this process: its own signals may reach the command first, and a command that handles them ends with any status.
fn in_batch_job() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "the batch system tells this process, and nobody else, that it runs it"
    )]
    let job = std::env::var_os("SLURM_JOB_ID");
    job.is_some()
}

/// Whether a command ended as one does that was told to, itself or, in a shell, its last program.
fn was_told(ending: &Ending) -> bool {
    const TERM: i32 = Signal::TERM.as_raw();
    // **Source**: POSIX shells add 128 to the signal's number, as bash and dash do.
    matches!(ending, Ending::Signal(TERM)) || *ending == Ending::Code(128 + TERM)
}

/// What must hold before anything is started; the text says what does not.
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
