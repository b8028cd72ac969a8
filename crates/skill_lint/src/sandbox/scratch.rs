//! The folders of one call, which are gone afterwards whatever the call made of them.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_fs::{EntryKind, FsError, create_dir, list_sorted, remove_file};

/// Entries looked at when searching for what a call left; enough to say that it did, and what.
const LISTED: usize = 1000;

/// An empty working directory, an empty home and a folder for temporary files.
#[derive(Debug)]
pub struct Scratch {
    root: PathBuf,
}

impl Scratch {
    pub(super) fn at(root: PathBuf) -> Result<Self, FsError> {
        let scratch = Self { root };
        for inner in [scratch.cwd(), scratch.home(), scratch.temporary()] {
            create_dir(&inner)?;
        }
        Ok(scratch)
    }

    /// The folder that holds the others.
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

    /// Files, links and the like that lie in the working directory or the home, as `./x` and `~/x`, sorted; `.` or
    /// `~` when the folder itself is gone.
    pub fn left_behind(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (sign, root) in [(".", self.cwd()), ("~", self.home())] {
            // A call can put a link in the folder's place; what that leads to is not ours.
            if !root.symlink_metadata().is_ok_and(|root| root.is_dir()) {
                found.push(String::from(sign));
                continue;
            }
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

    /// Removes everything. What is not removed here goes with the workplace.
    ///
    /// **Errors**: when something stays.
    pub fn remove(self) -> Result<(), FsError> {
        remove(&self.root)
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

/// Longest time that one step of a removal may take.
const REMOVAL: Duration = Duration::from_mins(1);

/// Removes a folder with everything in it.
///
/// By `rm`, which copes with folders that are nested deeper than there are file handles: using those up here would make calls
/// fail that run beside this one.
pub(super) fn remove(folder: &Path) -> Result<(), FsError> {
    let run = |program: &str, args: [&str; 3]| {
        let done = aris_proc::command(program, "/")
            .args(args)
            .arg(folder)
            .run(REMOVAL);
        done.is_ok_and(|finished| finished.success())
    };
    let remove = || run("rm", ["-r", "-f", "--"]);
    // Folders without permissions can be opened only from above: `chmod` does so on its way down.
    if remove() || (run("chmod", ["-R", "u+rwx", "--"]) && remove()) {
        return Ok(());
    }
    let source = io::Error::other("rm leaves something behind");
    Err(FsError::Write {
        action: "remove",
        path: folder.to_path_buf(),
        source,
    })
}
