//! inotify for folders and pidfds for processes, behind one epoll descriptor.
//!
//! If the system refuses a watch (limits, kernels before 5.3), it is left out: the other kind of watch or the next sweep notices the
//! change.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use crate::format::{EXIT, START};
use rustix::event::{Timespec, epoll};
use rustix::fs::inotify;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// The key of the inotify descriptor; no attempt has it.
const FOLDERS: u64 = u64::MAX;

/// Most events that are read from epoll at once.
const EVENTS: usize = 64;

#[derive(Debug)]
pub(super) struct Source {
    epoll: OwnedFd,
    inotify: OwnedFd,
    /// The key of each inotify watch descriptor. The kernel reuses these only after two thousand million.
    folders: BTreeMap<i32, u64>,
    watches: BTreeMap<u64, i32>,
    processes: BTreeMap<u64, OwnedFd>,
}

impl Source {
    pub(super) fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        let inotify = inotify::init(flags)?;
        let data = epoll::EventData::new_u64(FOLDERS);
        epoll::add(&epoll, &inotify, data, epoll::EventFlags::IN)?;
        Ok(Self {
            epoll,
            inotify,
            folders: BTreeMap::new(),
            watches: BTreeMap::new(),
            processes: BTreeMap::new(),
        })
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }

    /// Watches for records that are renamed into `folder`.
    pub(super) fn folder(&mut self, key: u64, folder: &Path) {
        let flags = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::ONLYDIR;
        if let Ok(watch) = inotify::add_watch(&self.inotify, folder, flags) {
            self.folders.insert(watch, key);
            self.watches.insert(key, watch);
        }
    }

    /// Watches for the end of process `pid`, unless the key already watches a process; gives whether that is possible.
    pub(super) fn process(&mut self, key: u64, pid: i32) -> bool {
        if self.processes.contains_key(&key) {
            return true;
        }
        let handle = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        let Some(handle) = handle else {
            return false;
        };
        let data = epoll::EventData::new_u64(key);
        if epoll::add(&self.epoll, &handle, data, epoll::EventFlags::IN).is_err() {
            return false;
        }
        self.processes.insert(key, handle);
        true
    }

    pub(super) fn leave(&mut self, key: u64) {
        self.leave_process(key);
        if let Some(watch) = self.watches.remove(&key) {
            self.folders.remove(&watch);
            // The folder may have been removed, and the watch with it.
            inotify::remove_watch(&self.inotify, watch).unwrap_or_default();
        }
    }

    pub(super) fn leave_process(&mut self, key: u64) {
        // Closing the handle also removes it from epoll, because there is no other copy.
        self.processes.remove(&key);
    }

    /// Keys of attempts that may have changed: a record was written, or a process ended. Processes that ended are no longer watched.
    pub(super) fn hints(&mut self) -> BTreeSet<u64> {
        let now = Timespec::default();
        let mut hints = BTreeSet::new();
        let mut buffer = Vec::with_capacity(EVENTS);
        let room = rustix::buffer::spare_capacity(&mut buffer);
        if epoll::wait(&self.epoll, room, Some(&now)).is_err() {
            return hints;
        }
        for event in buffer {
            match event.data.u64() {
                FOLDERS => self.records(&mut hints),
                key => {
                    self.leave_process(key);
                    hints.insert(key);
                }
            }
        }
        hints
    }

    fn records(&self, hints: &mut BTreeSet<u64>) {
        let mut buffer = [MaybeUninit::uninit(); 8192];
        let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
        while let Ok(event) = reader.next() {
            if event.events().contains(inotify::ReadFlags::QUEUE_OVERFLOW) {
                // Events were lost, so all attempts may have changed.
                hints.extend(self.watches.keys());
            }
            let name = event.file_name().map(std::ffi::CStr::to_bytes);
            if name == Some(START.as_bytes()) || name == Some(EXIT.as_bytes()) {
                hints.extend(self.folders.get(&event.wd()));
            }
        }
    }
}
