//! An exclusive lock between processes.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Instant;

use crate::error::FsError;
use crate::read::{self, Links};

/// Holds an exclusive lock on a lock file until dropped; the system releases it when the process dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Waits for the lock. The lock file is created when absent and never removed: removing it would let two holders in.
    pub fn acquire(path: &Path) -> Result<Self, FsError> {
        let lock = Self::open(path)?;
        lock.file
            .lock()
            .map_err(|error| FsError::write("lock", path, error))?;
        Ok(lock)
    }

    /// Takes the lock, or returns [`FsError::Locked`] at once.
    pub fn try_acquire(path: &Path) -> Result<Self, FsError> {
        let lock = Self::open(path)?;
        try_lock(&lock.file, path, "lock")?;
        Ok(lock)
    }

    /// Waits for the lock until `end`, then returns [`FsError::Locked`].
    pub fn acquire_before(path: &Path, end: Instant) -> Result<Self, FsError> {
        match Self::try_acquire(path) {
            Err(FsError::Locked { .. }) => {}
            other => return other,
        }
        // The system can wait for a lock or for a time, not for both: a thread waits for the lock, and releases it at once if the
        // caller has given up.
        let (sender, receiver) = mpsc::channel();
        let wanted = path.to_path_buf();
        std::thread::spawn(move || {
            sender.send(Self::acquire(&wanted)).unwrap_or_default();
        });
        let left = end.saturating_duration_since(Instant::now());
        receiver.recv_timeout(left).unwrap_or_else(|_| {
            let path = path.to_path_buf();
            Err(FsError::Locked { path })
        })
    }

    /// Whether somebody holds the lock. Changes nothing, and concurrent calls do not disturb each other. But an attempt to take the
    /// lock during the call may fail.
    pub fn is_held(path: &Path) -> Result<bool, FsError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(FsError::read("open lock", path, error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(FsError::read("look at lock", path, error)),
        }
    }

    /// Whether the lock file is still the file at its path. If holders remove the file when they are done, a lock on a removed file
    /// excludes nobody: somebody else may hold the new one.
    pub(crate) fn is_current(&self) -> bool {
        is_current(&self.file, &self.path)
    }

    /// The path of the lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open(path: &Path) -> Result<Self, FsError> {
        let options = &mut OpenOptions::new();
        options.create(true).append(true);
        let (file, _) = read::open_for_writing(path, "open lock", Links::Followed, options)?;
        let path = path.to_path_buf();
        Ok(Self { file, path })
    }
}

/// Locks an open file, or returns [`FsError::Locked`] at once.
pub(crate) fn try_lock(file: &File, path: &Path, action: &'static str) -> Result<(), FsError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => FsError::Locked {
            path: path.to_path_buf(),
        },
        TryLockError::Error(error) => FsError::write(action, path, error),
    })
}

/// Whether an open file is still the file at `path`.
pub(crate) fn is_current(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(ours), Ok(theirs)) => (ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_told_and_gets_it_after_the_first() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join(".lock");
        let first = Lock::acquire(&path).expect("free");
        assert!(matches!(
            Lock::try_acquire(&path),
            Err(FsError::Locked { .. })
        ));
        drop(first);
        assert_eq!(Lock::try_acquire(&path).expect("free again").path(), path);
    }

    #[test]
    fn looking_takes_nothing() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join(".lock");
        assert!(!Lock::is_held(&path).expect("looked"));
        assert!(!path.exists());
        let held = Lock::acquire(&path).expect("free");
        assert!(Lock::is_held(&path).expect("looked"));
        drop(held);
        let looking = File::open(&path).expect("there");
        looking.lock_shared().expect("somebody looks");
        assert!(!Lock::is_held(&path).expect("looked"));
    }

    #[test]
    fn waiting_ends_with_the_holder_or_in_time() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join(".lock");
        let first = Lock::acquire(&path).expect("free");
        assert!(matches!(
            Lock::acquire_before(&path, Instant::now()),
            Err(FsError::Locked { .. })
        ));
        let end = Instant::now() + std::time::Duration::from_mins(1);
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || Lock::acquire_before(&path, end).map(|lock| lock.is_current())
        });
        fs::remove_file(&path).expect("removed by its holder");
        drop(first);
        // It either waited for the removed file, or was late enough to create a new one.
        waiting.join().expect("no panic").expect("a lock");
    }
}
