//! Reads a git work tree from its files, without starting git: its top folder, the index and its modes.
//!
//! **Source**: git's `Documentation/gitformat-index.txt` (versions 2, 3 and 4) and `gitrepository-layout.txt`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_fs::FsError;

/// Largest index that is read, in bytes. An index of a million files has about 100 MB.
const INDEX_LIMIT: u64 = 256 << 20;

/// Largest `.git` file, `HEAD`-like file or configuration that is read, in bytes.
const SMALL: u64 = 1 << 20;

/// The tracked paths with their modes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Mode by path. The path is relative to the top of the work tree, as raw bytes.
    entries: BTreeMap<Vec<u8>, u32>,
}

/// A git work tree.
#[derive(Clone, Debug)]
pub struct WorkTree {
    /// Its top folder.
    pub top: PathBuf,
    /// The folder that all linked work trees share. It contains `info/exclude` and `config`.
    pub common_dir: PathBuf,
    /// The index; `None` when there is none yet, or when it cannot be read (split or unknown format).
    pub index: Option<Index>,
}

impl Index {
    /// Whether the path is tracked.
    pub fn contains(&self, path: &str) -> bool {
        self.entries.contains_key(path.as_bytes())
    }

    /// Whether a file below the folder is tracked; the empty path is the top.
    pub fn has_below(&self, folder: &str) -> bool {
        if folder.is_empty() {
            return !self.entries.is_empty();
        }
        let prefix = format!("{folder}/").into_bytes();
        let mut from = self.entries.range(prefix.clone()..);
        from.next()
            .is_some_and(|(path, _)| path.starts_with(&prefix))
    }

    /// Whether the tracked file has the execute bit; `None` when the path is not tracked as a file.
    pub fn executable(&self, path: &str) -> Option<bool> {
        match self.entries.get(path.as_bytes())? {
            0o100_755 => Some(true),
            0o100_644 | 0o100_664 => Some(false),
            _ => None,
        }
    }

    /// Parses an index whose object names have `hash` bytes; `None` for an unknown format.
    pub fn parse(bytes: &[u8], hash: usize) -> Option<Self> {
        let mut input = Input { bytes };
        if input.take(4)? != b"DIRC" {
            return None;
        }
        let version = input.number()?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let count = input.number()?;
        let mut entries = BTreeMap::new();
        let mut before: Vec<u8> = Vec::new();
        for _ in 0..count {
            let length = input.bytes.len();
            input.take(24)?;
            let mode = input.number()?;
            input.take(12 + hash)?;
            let flags = input.short()?;
            if flags & 0x4000 != 0 {
                if version < 3 {
                    return None;
                }
                input.take(2)?;
            }
            let path = if version == 4 {
                let kept = before.len().checked_sub(input.offset()?)?;
                let mut path = before.get(..kept)?.to_vec();
                path.extend_from_slice(input.until_nul()?);
                path
            } else {
                let path = input.until_nul()?.to_vec();
                // Padded with at least one NUL byte, to a multiple of eight.
                let read = length - input.bytes.len();
                input.take(read.next_multiple_of(8) - read)?;
                path
            };
            before.clone_from(&path);
            // All stages of a conflict have this path; the last one counts.
            entries.insert(path, mode);
        }
        // Extensions follow. A split index keeps its entries in another file.
        while input.bytes.len() >= hash + 8 {
            let name = input.take(4)?;
            if name == b"link" {
                return None;
            }
            let size = usize::try_from(input.number()?).ok()?;
            input.take(size)?;
        }
        Some(Self { entries })
    }
}

/// The bytes that have not been read yet.
struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn until_nul(&mut self) -> Option<&'a [u8]> {
        let end = self.bytes.iter().position(|byte| *byte == 0)?;
        let taken = self.take(end)?;
        self.take(1)?;
        Some(taken)
    }

    /// Reads a variable-length number, as in pack files and index version 4.
    fn offset(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = *self.take(1)?.first()?;
            value = value.checked_add(usize::from(byte & 0x7F))?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?.checked_mul(128)?;
        }
    }
}

impl WorkTree {
    /// The work tree whose top is `folder`. It has a `.git` folder, or a `.git` file, as linked work trees and submodules do.
    pub fn at(folder: &Path) -> Option<Self> {
        let dot_git = folder.join(".git");
        let git_dir = if dot_git.is_dir() {
            dot_git
        } else {
            let text = small(&dot_git)?;
            folder.join(text.strip_prefix("gitdir:")?.trim())
        };
        if !git_dir.join("HEAD").exists() {
            return None;
        }
        let common_dir = match small(&git_dir.join("commondir")) {
            Some(text) => git_dir.join(text.trim()),
            None => git_dir.clone(),
        };
        let hash = if is_sha256(&common_dir) { 32 } else { 20 };
        let index = match aris_fs::read(&git_dir.join("index"), INDEX_LIMIT) {
            Ok(bytes) => Index::parse(&bytes, hash),
            Err(FsError::NotFound { .. }) => Some(Index::default()),
            Err(_) => None,
        };
        Some(Self {
            top: folder.to_path_buf(),
            common_dir,
            index,
        })
    }

    /// The top of the work tree around `folder`, without reading its index.
    pub fn top_around(folder: &Path) -> Option<PathBuf> {
        let mut above = folder.ancestors();
        above
            .find(|folder| folder.join(".git").exists())
            .map(Path::to_path_buf)
    }

    /// The work tree that contains `folder`: that of the folder itself or of its nearest ancestor with one. `folder` must be
    /// absolute.
    pub fn around(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(Self::at)
    }
}

fn small(path: &Path) -> Option<String> {
    String::from_utf8(aris_fs::read(path, SMALL).ok()?).ok()
}

/// Whether the configuration sets `extensions.objectFormat = sha256`.
fn is_sha256(common_dir: &Path) -> bool {
    small(&common_dir.join("config")).is_some_and(|text| {
        let squeezed = text.to_lowercase().replace([' ', '\t'], "");
        squeezed.lines().any(|line| line == "objectformat=sha256")
    })
}

#[cfg(test)]
mod tests;
