//! SIGTERM, SIGINT and SIGHUP as something to poll on.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::Signal;

use crate::error::Error;

/// The action in error messages.
const LISTEN: &str = "listen to signals";

/// Notices that a person or the system wants the manager to stop.
pub(crate) struct Signals {
    told: UnixStream,
}

impl Signals {
    pub(crate) fn listen() -> Result<Self, Error> {
        // With a handler for SIGXFSZ, a limit on file sizes causes a write error, like a full disk, and does not end the process.
        let unread = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(Signal::XFSZ.as_raw(), unread)
            .map_err(Error::system(LISTEN))?;
        Self::of(&[Signal::TERM, Signal::INT, Signal::HUP])
    }

    /// Notices these signals.
    pub(crate) fn of(signals: &[Signal]) -> Result<Self, Error> {
        let heard = || -> io::Result<Self> {
            let (told, teller) = UnixStream::pair()?;
            told.set_nonblocking(true)?;
            for signal in signals {
                signal_hook::low_level::pipe::register(signal.as_raw(), teller.try_clone()?)?;
            }
            Ok(Self { told })
        };
        heard().map_err(Error::system(LISTEN))
    }

    /// Whether a signal came since the last call.
    pub(crate) fn came(&mut self) -> bool {
        let mut byte = [0_u8; 16];
        self.told.read(&mut byte).is_ok_and(|count| count > 0)
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.told.as_fd()
    }
}
