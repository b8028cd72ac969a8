//! Waiting for signals and for a point in time.

use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::Signal;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

use crate::clock;
use crate::error::AttemptError;

/// A time that is never reached.
const FAR: Timespec = Timespec {
    tv_sec: 1 << 40,
    tv_nsec: 0,
};

/// Waits for signals and the clock together.
#[derive(Debug)]
pub(super) struct Wake {
    pipe: UnixStream,
    /// SIGTERM or SIGINT: the attempt is to be ended.
    end: Arc<AtomicBool>,
    /// SIGUSR1: there may be a request in the folder.
    look: Arc<AtomicBool>,
    timer: OwnedFd,
}

impl Wake {
    /// Installs handlers. From here on, only SIGKILL can end this process from outside.
    ///
    /// SIGHUP is ignored, because a runner outlives the terminal from which it was started. In the job all signals have their default
    /// effect, because handlers do not survive `exec`.
    pub(super) fn new() -> io::Result<Self> {
        let (pipe, writer) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let (end, look) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let flags = [(Signal::TERM, &end), (Signal::INT, &end)];
        for (signal, flag) in flags.into_iter().chain([(Signal::USR1, &look)]) {
            // Before the pipe: whoever is woken must find the flag set.
            signal_hook::flag::register(signal.as_raw(), Arc::clone(flag))?;
            signal_hook::low_level::pipe::register(signal.as_raw(), writer.try_clone()?)?;
        }
        for signal in [Signal::CHILD, Signal::HUP] {
            signal_hook::low_level::pipe::register(signal.as_raw(), writer.try_clone()?)?;
        }
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        Ok(Self {
            pipe,
            end,
            look,
            timer: timerfd_create(TimerfdClockId::Boottime, flags)?,
        })
    }

    /// Whether somebody sent SIGTERM or SIGINT.
    pub(super) fn told_to_end(&self) -> bool {
        self.end.load(Ordering::Acquire)
    }

    /// Like [`Self::told_to_end`], and waits for the signal for up to `time`.
    pub(super) fn told_within(&mut self, time: Duration) -> Result<bool, AttemptError> {
        let until = clock::steady().saturating_add(time);
        while !self.told_to_end() && clock::steady() < until {
            self.wait(until)?;
        }
        Ok(self.told_to_end())
    }

    /// Whether SIGUSR1 came since the last call.
    pub(super) fn told_to_look(&self) -> bool {
        self.look.swap(false, Ordering::AcqRel)
    }

    fn drain(&mut self) {
        let mut buffer = [0_u8; 64];
        while self.pipe.read(&mut buffer).is_ok_and(|count| count > 0) {}
    }

    /// Waits for a signal, at most until `until` on the clock of [`clock::steady`].
    pub(super) fn wait(&mut self, until: Duration) -> Result<(), AttemptError> {
        if until <= clock::steady() {
            return Ok(());
        }
        match self.poll(until) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(AttemptError::system("wait for the job")(error)),
        }
        self.drain();
        Ok(())
    }

    /// Uses a timer, because the timeout of `poll` does not count while the machine sleeps.
    fn poll(&self, until: Duration) -> rustix::io::Result<usize> {
        let alarm = Itimerspec {
            it_interval: Timespec::default(),
            it_value: Timespec::try_from(until).unwrap_or(FAR),
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &alarm)?;
        let mut fds = [
            PollFd::new(&self.pipe, PollFlags::IN),
            PollFd::new(&self.timer, PollFlags::IN),
        ];
        poll(&mut fds, None)
    }
}
