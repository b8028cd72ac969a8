//! A file that arrives in pieces and is whole only at the end.

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

/// The beginning of a file, kept beside its place under a name that no reader takes for the file. It stays when the process dies, so
/// that the next one can go on; nobody else can write to it meanwhile.
#[derive(Debug)]
pub struct Part {
    file: File,
    path: PathBuf,
    length: u64,
    lock: Lock,
}

impl Part {
    /// Opens the part at `path`, or begins it. What is there already is kept.
    ///
    /// **Errors**: [`FsError::Locked`] when another process is writing it until `end`.
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

    /// Bytes that are there.
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

    /// Throws away what is there.
    pub fn restart(&mut self) -> Result<(), FsError> {
        fault::point();
        self.file
            .set_len(0)
            .map_err(|error| FsError::write("cut", &self.path, error))?;
        self.length = 0;
        Ok(())
    }

    /// Makes the part the file `target` of the same folder, durably, in place of what was there.
    pub fn finish(self, target: &Path) -> Result<(), FsError> {
        self.sync()?;
        fault::point();
        fs::rename(&self.path, target).map_err(|error| FsError::write("create", target, error))?;
        self.placed(target)
    }

    /// As [`Part::finish`], where nothing may be; whether nothing was. The part is gone in any case.
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

    /// Makes it durable that the part has become `target`.
    fn placed(self, target: &Path) -> Result<(), FsError> {
        write::sync_dir(target.parent().unwrap_or(Path::new(".")))?;
        write::remove_file(self.lock.path())
    }
}
