//! A file that arrives in pieces and gets its name only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::FsError;
use crate::fault;
use crate::lock::Lock;
use crate::place;
use crate::read::{self, Links};
use crate::write;

/// The partial content of a file, kept beside its target under a name that no reader uses. It survives the death of the process, so
/// that the next one can continue. A lock keeps other processes from writing to it.
#[derive(Debug)]
pub struct Part {
    file: File,
    path: PathBuf,
    length: u64,
    lock: Lock,
}

impl Part {
    /// Opens the part at `path`, or creates it. Existing content is kept.
    ///
    /// **Errors**: [`FsError::Locked`] when another process still writes it at `end`.
    pub fn open(path: &Path, end: Instant) -> Result<Self, FsError> {
        let beside = place::suffixed(path, ".lock");
        let lock = loop {
            let lock = Lock::acquire_before(&beside, end)?;
            if lock.is_current() {
                break lock;
            }
        };
        let options = &mut OpenOptions::new();
        options.create(true).append(true);
        let (file, metadata) = read::open_for_writing(path, "open", Links::Refused, options)?;
        Ok(Self {
            file,
            path: path.to_path_buf(),
            length: metadata.len(),
            lock,
        })
    }

    /// Number of bytes in it.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Appends a piece.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FsError> {
        fault::point();
        self.file
            .write_all(bytes)
            .map_err(|error| FsError::write("write", &self.path, error))?;
        self.length = self.length.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// Discards its content.
    pub fn restart(&mut self) -> Result<(), FsError> {
        fault::point();
        self.file
            .set_len(0)
            .map_err(|error| FsError::write("cut", &self.path, error))?;
        self.length = 0;
        Ok(())
    }

    /// Renames the part to `target` in the same folder, durably; an existing file is replaced.
    pub fn finish(self, target: &Path) -> Result<(), FsError> {
        self.sync()?;
        fault::point();
        fs::rename(&self.path, target).map_err(|error| FsError::write("create", target, error))?;
        self.placed(target)
    }

    /// Like [`Part::finish`], but does not replace an existing file. Returns whether there was none. The part is removed in any
    /// case.
    pub fn finish_new(self, target: &Path) -> Result<bool, FsError> {
        self.sync()?;
        match place::rename_new(&self.path, target) {
            Ok(()) => self.placed(target).map(|()| true),
            Err(FsError::Write { source, .. })
                if source.kind() == std::io::ErrorKind::AlreadyExists =>
            {
                self.discard()?;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Removes the part.
    pub fn discard(self) -> Result<(), FsError> {
        write::remove_file(&self.path)?;
        write::remove_file(self.lock.path())
    }

    fn sync(&self) -> Result<(), FsError> {
        let synced = self.file.sync_all();
        synced.map_err(|error| FsError::write("write", &self.path, error))
    }

    /// Makes the rename of the part to `target` durable.
    fn placed(self, target: &Path) -> Result<(), FsError> {
        write::sync_dir(target.parent().unwrap_or(Path::new(".")))?;
        write::remove_file(self.lock.path())
    }
}
