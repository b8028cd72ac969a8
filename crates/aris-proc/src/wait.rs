//! Waits for a child: its exit, its pipes and the deadline in one `poll`, without sleeping.

use std::io::{self, PipeReader};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use rustix::time::Timespec;

use crate::finished::{Captured, End};
use crate::pipes::{Input, Output, Outputs, Taker};

/// Time between SIGTERM and SIGKILL.
///
/// **Source**: our choice; long enough to remove a lock file, short enough that a gate does not seem to hang.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// How long pipes that other processes hold are still read after the child is gone, and how long a killed child may take to exit.
/// A child in an uninterruptible system call is then left behind, because waiting for it could take forever.
const AFTERMATH: Duration = Duration::from_millis(500);

/// Bytes per `read` from a pipe; the pipe itself holds 64 KiB on Linux.
const BUFFER: usize = 64 * 1024;

/// Buffers read from one stream before the deadline is checked again.
const ROUNDS: usize = 16;

/// The state of the waiting loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The child runs.
    Running,
    /// The deadline has passed and the group has received SIGTERM.
    Terminated,
    /// The group has received SIGKILL.
    Killed,
    /// The child is gone; other processes hold its pipes.
    Gone,
}

/// Time limits of a child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    /// For the whole run.
    pub(crate) deadline: Duration,
    /// For a time without output.
    pub(crate) silence: Option<Duration>,
    /// The child is ended once this can be read from; the time between SIGTERM and SIGKILL is then this.
    pub(crate) stop: Option<(BorrowedFd<'a>, Duration)>,
}

/// How a child ended, its stdout and stderr, and whether another process still held one of its pipes.
pub(crate) type Remains = (End, [Captured; 2], bool);

pub(crate) fn finish(
    child: &mut Child,
    stdin: Vec<u8>,
    limit: usize,
    limits: Limits<'_>,
    taker: Taker<'_, '_>,
) -> io::Result<Remains> {
    let watch = Watch::over(Pid::from_child(child))?;
    watched(child, watch, stdin, limit, limits, taker)
}

fn watched(
    child: &mut Child,
    watch: Watch,
    stdin: Vec<u8>,
    limit: usize,
    limits: Limits<'_>,
    mut taker: Taker<'_, '_>,
) -> io::Result<Remains> {
    let start = Instant::now();
    let group = Pid::from_child(child);
    let mut exit = Some(watch);
    let mut input = Input::new(child.stdin.take(), stdin)?;
    let mut outputs = Outputs {
        stdout: Output::new(child.stdout.take(), limit)?,
        stderr: Output::new(child.stderr.take(), limit)?,
    };
    let mut buffer = vec![0_u8; BUFFER];
    let mut phase = Phase::Running;
    let mut timed_out = false;
    // A deadline too far in the future to be represented never passes.
    let end = start.checked_add(limits.deadline);
    let silent_until = |now: Instant| {
        let silent = limits.silence.and_then(|silence| now.checked_add(silence));
        end.into_iter().chain(silent).min()
    };
    let mut until = silent_until(start);

    loop {
        if exit.is_none() && outputs.stdout.fd().is_none() && outputs.stderr.fd().is_none() {
            break;
        }
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            let now = Instant::now();
            match phase {
                Phase::Running => {
                    timed_out = true;
                    signal(group, Signal::TERM);
                    (phase, until) = (Phase::Terminated, now.checked_add(GRACE));
                }
                Phase::Terminated => {
                    signal(group, Signal::KILL);
                    (phase, until) = (Phase::Killed, now.checked_add(AFTERMATH));
                }
                Phase::Killed | Phase::Gone => break,
            }
            continue;
        }
        let stop = limits.stop.filter(|_| phase == Phase::Running);
        let ready = wait(
            exit.as_ref(),
            &input,
            &outputs,
            stop.map(|(fd, _)| fd),
            left,
        )?;
        if let (true, Some((_, grace))) = (ready.stop, stop) {
            timed_out = true;
            signal(group, Signal::TERM);
            (phase, until) = (Phase::Terminated, Instant::now().checked_add(grace));
        }
        if ready.input {
            input.feed()?;
        }
        outputs
            .stdout
            .drain(&mut buffer, ROUNDS, taker.as_deref_mut())?;
        outputs.stderr.drain(&mut buffer, ROUNDS, None)?;
        if ready.output && phase == Phase::Running {
            until = silent_until(Instant::now());
        }
        if ready.exit {
            exit = None;
            // Processes that the child left behind are waited for no longer than this. Before the deadline has passed, it
            // limits the wait, too.
            let aftermath = Instant::now().checked_add(AFTERMATH);
            until = if timed_out {
                aftermath
            } else {
                until.into_iter().chain(aftermath).min()
            };
            phase = if phase == Phase::Terminated {
                phase
            } else {
                Phase::Gone
            };
        }
    }

    let pipe_held = outputs.stdout.fd().is_some() || outputs.stderr.fd().is_some();
    if pipe_held || timed_out {
        // The child is not reaped yet, so the number of its group cannot belong to other processes.
        signal(group, Signal::KILL);
    }
    let status = if exit.is_none() {
        Some(child.wait()?)
    } else {
        child.try_wait()?
    };
    let end = if timed_out {
        Some(End::TimedOut)
    } else {
        status.and_then(end_of)
    };
    let end = end.ok_or_else(|| io::Error::other("the child ended without a status"))?;
    Ok((
        end,
        [outputs.stdout.captured(), outputs.stderr.captured()],
        pipe_held,
    ))
}

/// Kills the group of a child that can no longer be watched, and waits for the child.
pub(crate) fn abandon(child: &mut Child) {
    signal(Pid::from_child(child), Signal::KILL);
    // SIGKILL cannot be refused; after an error here, at most a zombie stays until this process ends.
    child.wait().map_or_else(drop, drop);
}

pub(crate) fn end_of(status: ExitStatus) -> Option<End> {
    status
        .code()
        .map(End::Exited)
        .or_else(|| status.signal().map(End::Signalled))
}

fn signal(group: Pid, signal: Signal) {
    // The group may have exited already, so errors are ignored.
    kill_process_group(group, signal).unwrap_or_default();
}

/// A file descriptor that becomes readable when the child has exited, without reaping it.
pub(crate) enum Watch {
    /// A process file descriptor (`pidfd`).
    #[cfg(target_os = "linux")]
    Handle(OwnedFd),
    /// A pipe that a waiting thread closes.
    Thread(PipeReader),
}

impl Watch {
    #[cfg(target_os = "linux")]
    pub(crate) fn over(child: Pid) -> io::Result<Self> {
        use rustix::process::{PidfdFlags, pidfd_open};
        // Not available before Linux 5.3 and under seccomp filters that do not know it.
        match pidfd_open(child, PidfdFlags::empty()) {
            Ok(handle) => Ok(Self::Handle(handle)),
            Err(_) => Self::by_thread(child),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn over(child: Pid) -> io::Result<Self> {
        Self::by_thread(child)
    }

    fn by_thread(child: Pid) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        thread::Builder::new()
            .name(String::from("child wait"))
            .spawn(move || {
                let gone = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                while waitid(WaitId::Pid(child), gone).is_err_and(|error| error == Errno::INTR) {}
                drop(writer);
            })?;
        Ok(Self::Thread(reader))
    }
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Handle(handle) => handle.as_fd(),
            Self::Thread(reader) => reader.as_fd(),
        }
    }
}

struct Ready {
    exit: bool,
    input: bool,
    output: bool,
    stop: bool,
}

/// Waits until the child exits or a pipe is ready, or until `left` has passed.
fn wait(
    exit: Option<&Watch>,
    input: &Input,
    outputs: &Outputs,
    stop: Option<BorrowedFd<'_>>,
    left: Option<Duration>,
) -> io::Result<Ready> {
    let exit = exit.map(AsFd::as_fd);
    let mut fds = Vec::with_capacity(5);
    fds.extend(
        exit.iter()
            .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)),
    );
    let at_input = fds.len();
    fds.extend(
        input
            .fd()
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)),
    );
    let at_output = fds.len();
    fds.extend(
        outputs
            .stdout
            .fd()
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)),
    );
    fds.extend(
        outputs
            .stderr
            .fd()
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)),
    );
    let at_stop = fds.len();
    fds.extend(stop.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
    let left = left.and_then(|left| Timespec::try_from(left).ok());
    match poll(&mut fds, left.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let happened = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
    Ok(Ready {
        exit: exit.is_some() && happened(0),
        input: input.fd().is_some() && happened(at_input),
        output: (at_output..at_stop).any(happened),
        stop: happened(at_stop),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use super::*;

    fn by_thread(script: &str, deadline: Duration) -> (Remains, Duration) {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let watch = Watch::by_thread(Pid::from_child(&child)).expect("thread");
        let start = Instant::now();
        let remains = watched(
            &mut child,
            watch,
            Vec::new(),
            100,
            Limits {
                deadline,
                silence: None,
                stop: None,
            },
            None,
        )
        .expect("watched");
        (remains, start.elapsed())
    }

    #[test]
    fn the_waiting_thread_does_what_the_handle_does() {
        let ((end, [stdout, _], held), _) = by_thread("printf x; exit 3", Duration::from_secs(10));
        assert_eq!(
            (end, stdout.bytes.as_slice(), held),
            (End::Exited(3), b"x".as_slice(), false)
        );
        let ((end, _, _), took) = by_thread("exec sleep 10", Duration::from_millis(200));
        assert_eq!(end, End::TimedOut);
        assert!(took < Duration::from_secs(8), "{took:?}");
    }
}
