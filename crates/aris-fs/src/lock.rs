//! An exclusive lock between processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::FsError;

/// Holds an exclusive lock on a lock file until dropped; the system frees it when the process dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
    path: PathBuf,
}

impl Lock {
    /// Waits for the lock. The lock file is created when absent and never removed: removing it would let two holders in.
    pub fn acquire(path: &Path) -> Result<Self, FsError> {
        let file = Self::file(path)?;
        file.lock()
            .map_err(|error| FsError::write("lock", path, error))?;
        Ok(Self {
            _file: file,
            path: path.to_path_buf(),
        })
    }

    /// Takes the lock, or gives [`FsError::Locked`] at once.
    pub fn try_acquire(path: &Path) -> Result<Self, FsError> {
        let file = Self::file(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self {
                _file: file,
                path: path.to_path_buf(),
            }),
            Err(TryLockError::WouldBlock) => Err(FsError::Locked {
                path: path.to_path_buf(),
            }),
            Err(TryLockError::Error(error)) => Err(FsError::write("lock", path, error)),
        }
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn file(path: &Path) -> Result<File, FsError> {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|error| FsError::write("open lock", path, error))
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
}
