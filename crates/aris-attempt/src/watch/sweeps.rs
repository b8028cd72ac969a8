//! A system without inotify and without handles on processes: nothing is heard, everything is found by sweeps.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

#[derive(Debug)]
pub(super) struct Source;

impl Source {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    pub(super) fn folder(&mut self, _key: u64, _folder: &Path) {}

    pub(super) fn process(&mut self, _key: u64, _pid: i32) -> bool {
        false
    }

    pub(super) fn leave_process(&mut self, _key: u64) {}

    pub(super) fn leave(&mut self, _key: u64) {}

    pub(super) fn hints(&mut self) -> BTreeSet<u64> {
        BTreeSet::new()
    }
}
