//! Sleeps until something happens.

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;

use super::{Cards, Manager};
use crate::error::Error;

/// Pause between two checks whether the queue's folder still exists.
const THERE: Duration = Duration::from_secs(5);

impl Manager<'_> {
    /// Sleeps until an event, until `due`, or until the manager's next task is due.
    pub(super) fn wait(&mut self, due: Option<Duration>) -> Result<(), Error> {
        let now = Cards::now();
        let wants_cards = self.queue.has_ready() && self.queue.wants_cards();
        if wants_cards {
            self.cards.want(now);
        }
        // A runner ends its command at the time limit. If the runner is dead, this manager must.
        let limits = self.queue.active().filter_map(|job| self.left(job));
        let limit = limits.filter(|left| !left.is_zero()).min();
        let snapshot = self.last_snapshot.unwrap_or(now) + self.snapshot_interval();
        let moments = [
            Some(self.last_sweep + self.sweep_interval()),
            Some(self.next_beat),
            limit.map(|left| now + left),
            due,
            self.queue.next_retry().map(Duration::from_millis),
            Some(snapshot).filter(|_| self.dirty),
            Some(self.not_before).filter(|moment| *moment > now),
            self.cards.next_look(now).filter(|_| wants_cards),
            self.options.flags.max_wait.map(|limit| now + limit),
        ];
        let moments = moments.into_iter().flatten();
        let until = moments.fold(now + THERE, Duration::min);
        let rest = until.saturating_sub(now).max(Duration::from_millis(1));
        let timeout = Timespec::try_from(rest).ok();
        let watch = self.watch.fd();
        let mut fds = vec![
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.requests, PollFlags::IN),
            PollFd::new(&watch, PollFlags::IN),
        ];
        let cards = self.cards.fd();
        fds.extend(cards.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(Error::system("wait for events")(error)),
        }
    }
}

/// An inotify descriptor for files that are renamed into a folder.
pub(crate) fn renames_into(folder: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
    let fd = inotify::init(flags)?;
    inotify::add_watch(&fd, folder, inotify::WatchFlags::MOVED_TO)?;
    Ok(fd)
}

/// Reads all events; gives whether there were any. Their content does not matter, because the whole folder is listed afterwards.
pub(crate) fn drain(fd: &OwnedFd) -> bool {
    let mut buffer = [0_u8; 4096];
    let mut told = false;
    while rustix::io::read(fd.as_fd(), &mut buffer).is_ok_and(|count| count > 0) {
        told = true;
    }
    told
}
