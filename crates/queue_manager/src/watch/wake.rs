//! What wakes one who watches files.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;
use rustix::process::Signal;

use crate::error::Error;
use crate::manager::{Signals, drain, renames_into};

/// Files, the terminal's size, and people who want an end.
pub(crate) struct Wake {
    signals: Signals,
    resized: Signals,
    /// `None`: the system does not tell, and only time does.
    files: Option<OwnedFd>,
}

impl Wake {
    /// Tells when a file is renamed into `folder`.
    pub(crate) fn new(folder: &Path) -> Result<Self, Error> {
        Ok(Self {
            signals: Signals::listen()?,
            resized: Signals::of(&[Signal::WINCH])?,
            files: renames_into(folder).ok(),
        })
    }

    /// Tells when `file` grows, too.
    pub(crate) fn growth_of(&self, file: &Path) {
        if let Some(files) = &self.files {
            // Where the system refuses, time wakes.
            inotify::add_watch(files, file, inotify::WatchFlags::MODIFY).map_or_else(drop, drop);
        }
    }

    /// Waits until something happened, at most so long. `false`: a person wants an end, or nobody reads any more.
    pub(crate) fn wait(&mut self, at_most: Duration) -> bool {
        let timeout = Timespec::try_from(at_most).ok();
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        // Of these two only that they are broken is told.
        let mut fds = vec![
            PollFd::new(&stdout, PollFlags::empty()),
            PollFd::new(&stderr, PollFlags::empty()),
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.resized, PollFlags::IN),
        ];
        fds.extend(self.files.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        // Whatever cut it short: everything is looked at.
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
