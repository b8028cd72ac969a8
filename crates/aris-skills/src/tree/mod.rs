//! The walk: the files of a tree, and the skill that each belongs to.

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

/// Largest file that is read as a whole, in bytes. A longer text counts as data.
pub const READ_LIMIT: u64 = 16 << 20;

/// Options of the walk.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Also files that git ignores.
    pub ignored_too: bool,
    /// Paths to leave out, in `.gitignore` syntax, relative to the root.
    pub exclude: Vec<String>,
}

/// Kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link {
        /// The link's text.
        target: String,
        /// Whether the target does not exist.
        dangling: bool,
        /// Whether the target is a folder.
        to_folder: bool,
    },
    /// A FIFO, socket or device.
    Special,
}

/// A file or link of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Path relative to the root, with `/`. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Its kind.
    pub kind: EntryKind,
    /// Size in bytes; 0 unless it is a regular file.
    pub size: u64,
    /// The owner's execute bit: from the index for files that git tracks, else from the disk.
    pub executable: bool,
    /// The owner's execute bit on the disk.
    pub executable_on_disk: bool,
    /// Index in [`Tree::skills`] of the nearest skill above it.
    pub skill: Option<usize>,
}

/// A directory with an entry named exactly `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillEntry {
    /// Path relative to the root, with `/`; empty when the root is the skill.
    pub dir: String,
    /// Name of the directory; for the root, the name of the root's own folder.
    pub name: String,
    /// Indices in [`Tree::files`] of the files that belong to it.
    pub files: Vec<usize>,
}

/// A tree of skills: names, sizes and modes. Texts are read on demand.
#[derive(Debug)]
pub struct Tree {
    /// The folder, absolute, with links resolved.
    pub root: PathBuf,
    /// Files and links, sorted by path.
    pub files: Vec<FileEntry>,
    /// Paths of the folders, sorted, without the root. Includes folders that the walk did not enter.
    pub folders: Vec<String>,
    /// Skills, sorted by directory.
    pub skills: Vec<SkillEntry>,
    /// Folders that could not be listed, and folders named SKILL.md, with the reason.
    pub unreadable: Vec<(String, String)>,
}

impl Tree {
    /// Walks the folder at `root` depth first, without following links.
    ///
    /// **Errors**: `root` itself cannot be listed. Other folders that cannot be listed are in [`Tree::unreadable`].
    pub fn walk(root: &Path, options: &WalkOptions) -> Result<Self, FsError> {
        walk::walk(root, options)
    }

    /// Reads a file by its path in the tree, at most [`READ_LIMIT`] bytes. Follows links.
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

    /// Whether the walk found a folder with this path; the empty path is the root.
    pub fn has_folder(&self, path: &str) -> bool {
        let search = |folder: &String| folder.as_str().cmp(path);
        path.is_empty() || self.folders.binary_search_by(search).is_ok()
    }

    /// Whether something exists at a path relative to the root, in the tree or on the disk. In the tree, case counts.
    pub fn exists(&self, path: &str) -> bool {
        self.file(path).is_some() || self.has_folder(path) || self.root.join(path).exists()
    }
}
