//! SIGTERM, SIGINT and SIGHUP as something to poll on.

use std::io::Read as _;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::Signal;

use crate::error::Error;

/// Tells that a person or the system wants the manager to go.
pub(crate) struct Signals {
    told: UnixStream,
}

impl Signals {
    pub(crate) fn listen() -> Result<Self, Error> {
        let failed = |source| Error::System {
            action: "listen to signals",
            source,
        };
        let (told, teller) = UnixStream::pair().map_err(failed)?;
        told.set_nonblocking(true).map_err(failed)?;
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            let writer = teller.try_clone().map_err(failed)?;
            signal_hook::low_level::pipe::register(signal.as_raw(), writer).map_err(failed)?;
        }
        // A limit on the size of files is an error like a full disk, and not the end.
        let unread = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(Signal::XFSZ.as_raw(), unread).map_err(failed)?;
        Ok(Self { told })
    }

    /// Whether one came.
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
