//! A child that uses this process's own streams, for a runner that replaces the program it starts.

use std::io::{self, IsTerminal as _, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::time::Timespec;

use crate::command::{Command, start_error};
use crate::error::ProcError;
use crate::finished::End;
use crate::wait::{self, GRACE, Watch};

/// Where the stdout of an attached child goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdout {
    /// To this process's stdout.
    Same,
    /// To this process's stderr; this process keeps its stdout for itself.
    Stderr,
}

/// Signals that ask a program to end; they are passed on to the child.
const FORWARDED: [Signal; 4] = [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT];

impl Command {
    /// Runs the child on this process's own stdin, stdout and stderr, and returns how it ended.
    ///
    /// SIGTERM, SIGHUP, SIGINT and SIGQUIT sent to this process are passed to the child, which decides whether to end. When stdin
    /// is a terminal, the child stays in this process's group, and the terminal itself sends it SIGINT and SIGQUIT; otherwise it
    /// gets a group of its own. After `deadline`, if there is one, the child (with its own group, if it has one) gets SIGTERM and
    /// half a second later SIGKILL.
    ///
    /// [`Command::stdin`] and [`Command::capture_limit`] have no effect.
    ///
    /// **Errors**: those of starting and watching, as for [`Command::run`].
    pub fn run_attached(
        self,
        stdout: Stdout,
        deadline: Option<Duration>,
    ) -> Result<End, ProcError> {
        let (mut command, name) = self.prepared()?;
        let grouped = !io::stdin().is_terminal();
        command.stdin(Stdio::inherit()).stderr(Stdio::inherit());
        match stdout {
            Stdout::Same => command.stdout(Stdio::inherit()),
            Stdout::Stderr => command.stdout(Stdio::from(io::stderr())),
        };
        if grouped {
            command.process_group(0);
        }
        let failed = |source| ProcError::Watch {
            program: name.clone(),
            source,
        };
        // Set up before the child starts, so that no signal is lost.
        let mut signals = Signals::caught().map_err(failed)?;
        let mut child = command
            .spawn()
            .map_err(|source| start_error(name.clone(), source))?;
        watched(&mut child, &mut signals, grouped, deadline).map_err(|source| {
            wait::abandon(&mut child);
            failed(source)
        })
    }
}

/// One pipe per signal, readable once the signal has arrived.
struct Signals {
    pipes: Vec<(Signal, UnixStream)>,
    handlers: Vec<signal_hook::SigId>,
}

impl Signals {
    fn caught() -> io::Result<Self> {
        let mut signals = Self {
            pipes: Vec::new(),
            handlers: Vec::new(),
        };
        for signal in FORWARDED {
            let (reader, writer) = UnixStream::pair()?;
            reader.set_nonblocking(true)?;
            let id = signal_hook::low_level::pipe::register(signal.as_raw(), writer)?;
            signals.handlers.push(id);
            signals.pipes.push((signal, reader));
        }
        Ok(signals)
    }

    /// Signals that arrived since the last call.
    fn taken(&mut self) -> Vec<Signal> {
        let mut buffer = [0_u8; 64];
        let came = self
            .pipes
            .iter_mut()
            .filter_map(|(signal, pipe)| pipe.read(&mut buffer).is_ok().then_some(*signal));
        came.collect()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.handlers.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

fn watched(
    child: &mut Child,
    signals: &mut Signals,
    grouped: bool,
    deadline: Option<Duration>,
) -> io::Result<End> {
    let pid = Pid::from_child(child);
    let exit = Watch::over(pid)?;
    let send = |signal: Signal| {
        // The child may have exited already, so errors are ignored.
        if grouped {
            kill_process_group(pid, signal).unwrap_or_default();
        } else {
            kill_process(pid, signal).unwrap_or_default();
        }
    };
    let mut until = deadline.and_then(|deadline| Instant::now().checked_add(deadline));
    let mut timed_out = false;
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            if timed_out {
                send(Signal::KILL);
                until = None;
            } else {
                timed_out = true;
                send(Signal::TERM);
                until = Instant::now().checked_add(GRACE);
            }
            continue;
        }
        let fds =
            std::iter::once(exit.as_fd()).chain(signals.pipes.iter().map(|(_, pipe)| pipe.as_fd()));
        if wait_for(fds, left)? {
            break;
        }
        for signal in signals.taken() {
            let from_terminal = matches!(signal, Signal::INT | Signal::QUIT);
            if grouped || !from_terminal {
                send(signal);
            }
        }
    }
    if timed_out && grouped {
        // The child is not reaped yet, so the number of its group cannot belong to other processes.
        send(Signal::KILL);
    }
    let status = child.wait()?;
    if timed_out {
        return Ok(End::TimedOut);
    }
    wait::end_of(status).ok_or_else(|| io::Error::other("the child ended without a status"))
}

/// Waits until one of `fds` is ready, or until `left` has passed. Returns whether the first of them is ready.
fn wait_for<'a>(
    fds: impl Iterator<Item = BorrowedFd<'a>>,
    left: Option<Duration>,
) -> io::Result<bool> {
    let mut fds: Vec<PollFd<'_>> = fds
        .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
        .collect();
    let left = left.and_then(|left| Timespec::try_from(left).ok());
    match poll(&mut fds, left.as_ref()) {
        Ok(_) => Ok(fds.first().is_some_and(|fd| !fd.revents().is_empty())),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
