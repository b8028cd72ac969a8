//! The folders of one call. They are removed afterwards, whatever the call did to them.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_fs::{EntryKind, FsError, create_dir, list_sorted, remove_file};

/// Most entries that are searched for files that a call left.
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

    /// The folder that contains the others.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The working directory of the call.
    pub fn cwd(&self) -> PathBuf {
        self.root.join("work")
    }

    /// The home of the call.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The folder that `TMPDIR` names. Files left there are not reported.
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Files, links and the like in the working directory or the home, as `./x` and `~/x`, sorted; `.` or `~` when the folder
    /// itself is gone.
    pub fn left_behind(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (sign, root) in [(".", self.cwd()), ("~", self.home())] {
            // A call can replace the folder by a link; do not follow it out of the scratch.
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

    /// Removes everything. Anything that cannot be removed goes with the workplace.
    ///
    /// **Errors**: something is left.
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

/// Gives this user the rights to list and change a folder again, if possible. On failure the later removal reports it.
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

/// Longest time for one step of a removal.
const REMOVAL: Duration = Duration::from_mins(1);

/// Removes a folder with everything in it.
///
/// Uses `rm`, which can remove folders nested deeper than the limit of file handles. Using up the handles here would make
/// parallel calls fail.
pub(super) fn remove(folder: &Path) -> Result<(), FsError> {
    let run = |program: &str, args: [&str; 3]| {
        let done = aris_proc::command(program, "/")
            .args(args)
            .arg(folder)
            .run(REMOVAL);
        done.is_ok_and(|finished| finished.success())
    };
    let remove = || run("rm", ["-r", "-f", "--"]);
    // A folder without permissions can be changed only from above; `chmod -R` does so on its way down.
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
