//! The walk: which files a tree has, and which skill each belongs to.

#[cfg(test)]
mod tests;
mod walk;

pub use walk::patterns;

use std::path::{Path, PathBuf};

use aris_fs::FsError;

use crate::text::Text;

/// The file that makes a directory a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Folders that the walk does not enter.
pub const SKIPPED_FOLDERS: &str =
    ".git node_modules __pycache__ .venv venv target .mypy_cache .pytest_cache";

/// Largest file that is read as a whole: 16 MiB. A longer text is data.
pub const READ_LIMIT: u64 = 16 << 20;

/// What the walk looks at.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Also files that git ignores.
    pub ignored_too: bool,
    /// Paths to leave out, as lines of a `.gitignore` at the root.
    pub exclude: Vec<String>,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link {
        /// What it says.
        target: String,
        /// Whether it leads to nothing.
        dangling: bool,
        /// Whether it leads to a folder.
        to_folder: bool,
    },
    /// A FIFO, socket or device.
    Special,
}

/// A file of the tree, or a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Relative to the root, with `/`; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes; 0 for what is no file.
    pub size: u64,
    /// The owner's execute bit: in a git work tree that of the index for tracked files, else that of the disk.
    pub executable: bool,
    /// The owner's execute bit on the disk.
    pub executable_on_disk: bool,
    /// Position in [`Tree::skills`] of the nearest skill above it.
    pub skill: Option<usize>,
}

/// A directory with an entry named exactly `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillEntry {
    /// Relative to the root, with `/`; empty when the root is the skill.
    pub dir: String,
    /// Name of the directory; for the root that of the folder itself.
    pub name: String,
    /// Positions in [`Tree::files`] of the files that belong to it.
    pub files: Vec<usize>,
}

/// A tree of skills: names, sizes and modes. The text of files is read when it is asked for.
#[derive(Debug)]
pub struct Tree {
    /// The folder, absolute, links resolved.
    pub root: PathBuf,
    /// Files and links, sorted by path.
    pub files: Vec<FileEntry>,
    /// Paths of the folders, sorted, also of those that the walk did not enter; the root itself is not listed.
    pub folders: Vec<String>,
    /// Skills, sorted by directory.
    pub skills: Vec<SkillEntry>,
    /// Folders that could not be listed, and those in the place of a SKILL.md, with the reason.
    pub unreadable: Vec<(String, String)>,
}

impl Tree {
    /// Walks the folder at `root`: depth first, links not followed.
    ///
    /// **Errors**: those of listing `root` itself. A folder below that cannot be listed is in [`Tree::unreadable`].
    pub fn walk(root: &Path, options: &WalkOptions) -> Result<Self, FsError> {
        walk::walk(root, options)
    }

    /// Reads a file by its path in the tree, at most [`READ_LIMIT`] bytes. Links are followed.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, FsError> {
        aris_fs::read(&self.root.join(path), READ_LIMIT)
    }

    /// Reads a file as text.
    pub fn text(&self, path: &str) -> Result<Text, FsError> {
        Ok(Text::new(&self.read(path)?))
    }

    /// The file at a path.
    pub fn file(&self, path: &str) -> Option<&FileEntry> {
        let at = self
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path));
        self.files.get(at.ok()?)
    }

    /// Whether a folder with this path was walked; the empty path is the root.
    pub fn has_folder(&self, path: &str) -> bool {
        let search = |folder: &String| folder.as_str().cmp(path);
        path.is_empty() || self.folders.binary_search_by(search).is_ok()
    }

    /// Whether something exists at a path relative to the root, in the tree or on the disk beside it. Case counts.
    pub fn exists(&self, path: &str) -> bool {
        self.file(path).is_some() || self.has_folder(path) || self.root.join(path).exists()
    }
}
