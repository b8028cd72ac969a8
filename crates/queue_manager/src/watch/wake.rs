//! Waiting for changes of files.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;
use rustix::process::Signal;

use crate::error::Error;
use crate::manager::{Signals, drain, renames_into};

/// Waits for changes of files, of the terminal's size, and for signals to stop.
pub(crate) struct Wake {
    signals: Signals,
    resized: Signals,
    /// `None`: the system reports no changes, and only the timeout ends a wait.
    files: Option<OwnedFd>,
}

impl Wake {
    /// Notices files that are renamed into `folder`.
    pub(crate) fn new(folder: &Path) -> Result<Self, Error> {
        Ok(Self {
            signals: Signals::listen()?,
            resized: Signals::of(&[Signal::WINCH])?,
            files: renames_into(folder).ok(),
        })
    }

    /// Also notices when `file` grows.
    pub(crate) fn growth_of(&self, file: &Path) {
        if let Some(files) = &self.files {
            // If the system refuses, the timeout of a wait is enough.
            inotify::add_watch(files, file, inotify::WatchFlags::MODIFY).map_or_else(drop, drop);
        }
    }

    /// Waits for an event, at most `at_most`. `false`: the user wants to stop, or nobody reads the output any more.
    pub(crate) fn wait(&mut self, at_most: Duration) -> bool {
        let timeout = Timespec::try_from(at_most).ok();
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        // For these two, poll reports only that they are broken.
        let mut fds = vec![
            PollFd::new(&stdout, PollFlags::empty()),
            PollFd::new(&stderr, PollFlags::empty()),
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.resized, PollFlags::IN),
        ];
        fds.extend(self.files.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        // Errors are ignored, because the caller checks everything after each wait.
        poll(&mut fds, timeout.as_ref()).map_or_else(drop, drop);
        let gone = PollFlags::ERR | PollFlags::HUP;
        let mut outputs = fds.iter().take(2);
        let broken = outputs.any(|fd| fd.revents().intersects(gone));
        drop(fds);
        while self.resized.came() {}
        if let Some(files) = &self.files {
            drain(files);
        }
        !broken && !self.signals.came()
    }
}
