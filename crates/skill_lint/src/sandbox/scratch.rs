//! The folders of one call, which are gone afterwards whatever the call made of them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_fs::{EntryKind, FsError, create_dir, list_sorted, remove_file};
use tempfile::TempDir;

/// Longest time that removing what a call left may take.
const REMOVAL: Duration = Duration::from_mins(1);

/// Entries looked at when searching for what a call left; enough to say that it did, and what.
const LISTED: usize = 1000;

/// An empty working directory, an empty home and a folder for temporary files.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// Resolved once: the folder for temporary files may be reached through a link.
    root: PathBuf,
}

impl Scratch {
    pub(super) fn create_in(temporary: &Path) -> Result<Self, FsError> {
        let failed = |source| FsError::Write {
            action: "create a folder in",
            path: temporary.to_path_buf(),
            source,
        };
        let folder = tempfile::Builder::new()
            .prefix("skill-lint-")
            .tempdir_in(temporary)
            .map_err(failed)?;
        let root = folder.path().canonicalize().map_err(failed)?;
        let scratch = Self { folder, root };
        for inner in [scratch.cwd(), scratch.home(), scratch.temporary()] {
            create_dir(&inner)?;
        }
        Ok(scratch)
    }

    /// The folder that holds the others. Its name differs each time.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The working directory.
    pub fn cwd(&self) -> PathBuf {
        self.root.join("work")
    }

    /// The home.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The folder that `TMPDIR` names. What is left there is no litter.
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Files, links and the like that lie in the working directory or the home, as `./x` and `~/x`, sorted.
    pub fn left_behind(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (sign, root) in [(".", self.cwd()), ("~", self.home())] {
            let mut open = vec![root.clone()];
            while let Some(folder) = open.pop() {
                make_accessible(&folder);
                for entry in list_sorted(&folder).unwrap_or_default() {
                    if entry.kind == EntryKind::Folder {
                        open.push(entry.path);
                    } else if let Ok(inner) = entry.path.strip_prefix(&root) {
                        found.push(format!("{sign}/{}", inner.display()));
                    }
                    if found.len() + open.len() >= LISTED {
                        open.clear();
                        break;
                    }
                }
            }
        }
        found.sort();
        found
    }

    /// Removes everything.
    ///
    /// Dropping does so too, but cannot say that it failed.
    ///
    /// **Errors**: when something stays; its path is in the error.
    pub fn remove(self) -> Result<(), FsError> {
        let path = self.folder.path().to_path_buf();
        let Err(source) = self.folder.close() else {
            return Ok(());
        };
        // Folders without permissions, or nested deeper than there are file handles: `rm` copes with the second.
        let mut open = vec![path.clone()];
        let mut seen = 0;
        while let Some(folder) = open.pop() {
            make_accessible(&folder);
            let folders = list_sorted(&folder).unwrap_or_default();
            open.extend(
                folders
                    .into_iter()
                    .filter(|entry| entry.kind == EntryKind::Folder)
                    .map(|entry| entry.path),
            );
            seen += 1;
            if seen >= LISTED * 100 {
                break;
            }
        }
        let removed = aris_proc::command("rm", "/")
            .args(["-rf", "--"])
            .arg(&path)
            .run(REMOVAL);
        if removed.is_ok_and(|finished| finished.success()) {
            Ok(())
        } else {
            Err(FsError::Write {
                action: "remove",
                path,
                source,
            })
        }
    }

    pub(super) fn started_mark(&self) -> PathBuf {
        self.root.join("started")
    }

    pub(super) fn forget_start(&self) -> Result<(), FsError> {
        remove_file(&self.started_mark())
    }

    pub(super) fn has_started(&self) -> bool {
        self.started_mark().exists()
    }
}

/// Gives this user back the right to list and change a folder, if it can be given. What cannot be opened stays, and is reported
/// by who tries to remove it.
fn make_accessible(folder: &Path) {
    let Ok(metadata) = folder.symlink_metadata() else {
        return;
    };
    let mode = metadata.permissions().mode();
    if metadata.is_dir() && mode & 0o700 != 0o700 {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode | 0o700))
            .unwrap_or_default();
    }
}
