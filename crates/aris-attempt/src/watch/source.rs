//! inotify for folders and pidfds for processes, behind one epoll descriptor.
//!
//! A watch that the system refuses (limits, kernels before 5.3) is left out: the other one tells, or the next sweep.

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

/// Events taken from epoll at once.
const EVENTS: usize = 64;

#[derive(Debug)]
pub(super) struct Source {
    epoll: OwnedFd,
    inotify: OwnedFd,
    /// Watch numbers of folders. inotify never uses one twice before it has used two thousand million.
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

    /// Tells of records that are renamed into `folder`.
    pub(super) fn folder(&mut self, key: u64, folder: &Path) {
        let flags = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::ONLYDIR;
        if let Ok(watch) = inotify::add_watch(&self.inotify, folder, flags) {
            self.folders.insert(watch, key);
            self.watches.insert(key, watch);
        }
    }

    /// Tells of the end of process `pid`, unless it already waits for one. Whether that is possible.
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
            // The folder may be gone, and the watch with it.
            inotify::remove_watch(&self.inotify, watch).unwrap_or_default();
        }
    }

    pub(super) fn leave_process(&mut self, key: u64) {
        // Closing the handle takes it out of epoll, too: nobody else has a copy.
        self.processes.remove(&key);
    }

    /// Attempts of which something is to be seen: a record that came, a process that is gone and is not waited for any more.
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
                // More happened than could be told.
                hints.extend(self.watches.keys());
            }
            let name = event.file_name().map(std::ffi::CStr::to_bytes);
            if name == Some(START.as_bytes()) || name == Some(EXIT.as_bytes()) {
                hints.extend(self.folders.get(&event.wd()));
            }
        }
    }
}
