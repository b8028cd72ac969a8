//! A project in a temporary folder.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::helper::Helper;
use crate::snapshot::Snapshot;

/// Makes a file executable, even if this process wrote it.
///
/// Replaces it by a copy that `cp` writes: a child process of a parallel test may still have the original open for writing, and
/// then it cannot be started (text file busy).
pub fn executable(path: &Path) {
    let copy = path.with_extension("copy");
    copied(path, &copy);
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("permissions");
    fs::rename(copy, path).expect("renamed");
}

/// Puts a program at another path: as a hard link, or as a copy if that is on another file system.
pub fn brought(program: &Path, to: &Path) {
    if fs::hard_link(program, to).is_err() {
        copied(program, to);
    }
}

fn copied(from: &Path, to: &Path) {
    let folder = to.parent().expect("a folder");
    let cp = Helper::at("/bin/cp").call(folder);
    cp.args([from, to]).run().expect_code(0);
}

/// A temporary folder with a `.git`, so that helpers find the project's root. Removed when dropped.
#[derive(Debug)]
#[must_use]
pub struct Project {
    folder: TempDir,
    root: PathBuf,
}

impl Default for Project {
    fn default() -> Self {
        Self::new()
    }
}

impl Project {
    /// An empty project. Does not run git: `.git` contains only a `HEAD`.
    pub fn new() -> Self {
        let project = Self::bare();
        project.write(".git/HEAD", "ref: refs/heads/main\n");
        project
    }

    /// A temporary folder without `.git`.
    pub fn bare() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("aris project ")
            .tempdir()
            .expect("a temporary folder");
        // The real path, because helpers print that. The name contains a space on purpose.
        let root = folder.path().canonicalize().expect("the folder exists");
        Self { folder, root }
    }

    /// Output of git in the project, with a test author, without the last line feed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let author = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        let call = Helper::at("/usr/bin/env").call(self.path()).args(["git"]);
        let run = call.args(author).args(arguments).run().expect_code(0);
        run.stdout().trim_end_matches('\n').to_owned()
    }

    /// Adds a file, and the folders above it.
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    /// Adds a copy of everything below `source`.
    pub fn copied(self, source: &Path) -> Self {
        copy(source, &self.root);
        self
    }

    /// The root, absolute, with links resolved.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// A path below the root.
    pub fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders");
        fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Reads a file as text.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Reads a file as JSON.
    #[track_caller]
    pub fn json(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Sets the permission bits of a path. A file that becomes executable can be started immediately.
    pub fn mode(&self, path: &str, mode: u32) {
        let path = self.at(path);
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        if mode & 0o111 != 0 && is_file {
            executable(&path);
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    }

    /// Everything below the root, as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.root)
    }

    /// Keeps the folder after the test, for examination. Returns its path.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folder");
    let entries = fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    for entry in entries {
        let entry = entry.expect("entry");
        let target = to.join(entry.file_name());
        let kind = entry.file_type().expect("type");
        if kind.is_dir() {
            copy(&entry.path(), &target);
        } else if kind.is_symlink() {
            let link = fs::read_link(entry.path()).expect("link");
            std::os::unix::fs::symlink(link, target).expect("link");
        } else {
            fs::copy(entry.path(), &target).expect("copy");
        }
    }
}
