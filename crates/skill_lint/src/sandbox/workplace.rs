//! The folder in which one run of the linter makes its scratch folders. The run removes it at its end; the next run removes it
//! after a kill.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use aris_fs::{EntryKind, FsError, Lock, list_sorted};
use rustix::process::geteuid;

use super::scratch::{Scratch, remove};

/// Prefix of the folder's name.
const PREFIX: &str = "skill-lint-";

/// The lock file in the folder. The system holds the lock while the run lives, and frees it when the run is killed.
const LOCK: &str = "lock";

#[derive(Debug)]
pub(super) struct Workplace {
    root: PathBuf,
    next: AtomicU64,
    _lock: Lock,
}

impl Workplace {
    /// Makes the folder in `temporary`, and removes those of runs that were killed.
    pub(super) fn create_in(temporary: &Path) -> Result<Self, FsError> {
        sweep(temporary);
        let failed = |source| FsError::Write {
            action: "create a folder in",
            path: temporary.to_path_buf(),
            source,
        };
        // The folder may be reached through a link; calls get its real path.
        let temporary = temporary.canonicalize().map_err(failed)?;
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(temporary)
            .map_err(failed)?;
        let lock = Lock::acquire(&folder.path().join(LOCK))?;
        Ok(Self {
            root: folder.keep(),
            next: AtomicU64::new(1),
            _lock: lock,
        })
    }

    pub(super) fn scratch(&self) -> Result<Scratch, FsError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Scratch::at(self.root.join(number.to_string()))
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // The next run can take the lock, and tries again to remove what is left.
        remove(&self.root).unwrap_or_default();
    }
}

/// Removes the folders of killed runs. A folder without a lock file is new or is not the linter's.
fn sweep(temporary: &Path) {
    let own = geteuid().as_raw();
    for entry in list_sorted(temporary).unwrap_or_default() {
        let is_named = entry.name.to_string_lossy().starts_with(PREFIX);
        let lock = entry.path.join(LOCK);
        if entry.kind == EntryKind::Folder
            && is_named
            && (entry.path.symlink_metadata()).is_ok_and(|folder| folder.uid() == own)
            && lock.symlink_metadata().is_ok_and(|file| file.is_file())
            && let Ok(_held) = Lock::try_acquire(&lock)
        {
            remove(&entry.path).unwrap_or_default();
        }
    }
}
