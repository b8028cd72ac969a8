//! Applies or previews repairs. A repair is applied whole or not at all; each file is written once and atomically.
//!
//! A repair is skipped, and left to the next run or to the user, when the file has changed since the rules read it, when an
//! earlier repair of the same pass changes the same bytes, or when the path leads out of the tree.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use aris_skills::Text;
use aris_skills::tree::READ_LIMIT;
use sha2::{Digest as _, Sha256};

use super::{Change, Fix};
use crate::Error;

/// Digests of the files at the time the rules read them, by path.
pub type Seen = BTreeMap<String, [u8; 32]>;

/// What repairs did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// Files that were changed, sorted.
    pub files: Vec<String>,
    /// What `--fix=dry-run` would change, as a patch in git's form.
    pub diff: String,
    /// Whether repairs are left for another run.
    pub more: bool,
}

/// The digest of a file with this text. The file must be valid UTF-8.
pub fn seen(text: &Text) -> [u8; 32] {
    let mut digest = Sha256::new();
    if text.had_bom() {
        digest.update(BOM);
    }
    digest.update(text.raw().as_bytes());
    digest.finalize().into()
}

/// A file, and what the repairs change in it.
struct File {
    bytes: Vec<u8>,
    mode: u32,
    /// Byte ranges in the text without its byte order mark, with the new text.
    replacements: Vec<(Range<usize>, String)>,
    without_bom: bool,
    executable: bool,
    rename: Option<String>,
}

/// The repairs of one pass.
pub struct Plan<'a> {
    root: &'a Path,
    seen: &'a Seen,
    files: BTreeMap<String, File>,
}

impl<'a> Plan<'a> {
    /// A plan of those repairs that do not conflict.
    pub fn of<'f>(root: &'a Path, seen: &'a Seen, fixes: impl Iterator<Item = &'f Fix>) -> Self {
        let mut plan = Self {
            root,
            seen,
            files: BTreeMap::new(),
        };
        for fix in fixes {
            plan.add(fix).unwrap_or_default();
        }
        plan.files.retain(|_, file| file.changes());
        plan
    }

    /// Adds a repair. `None` when it conflicts with an earlier one or cannot be made safely.
    fn add(&mut self, Fix { path, change }: &Fix) -> Option<()> {
        if !self.files.contains_key(path) {
            self.files.insert(path.clone(), self.load(path)?);
        }
        if let Change::Rename(to) = change {
            let target = self.root.join(to);
            let is_to = |file: &File| file.rename.as_ref() == Some(to);
            let taken = target.symlink_metadata().is_ok() || self.files.values().any(is_to);
            aris_fs::join_inside(self.root, Path::new(to)).ok()?;
            if !self.is_inside(&target) || taken && !self.is_same(path, to) {
                return None;
            }
        }
        let file = self.files.get_mut(path)?;
        match change {
            Change::Replace(range, new) => {
                let overlaps = |(other, _): &(Range<usize>, String)| {
                    other == range || other.start < range.end && range.start < other.end
                };
                let text = std::str::from_utf8(file.text()).ok()?;
                text.get(range.clone())
                    .filter(|_| !file.replacements.iter().any(overlaps))?;
                file.replacements.push((range.clone(), new.clone()));
            }
            Change::RemoveBom => file.without_bom = true,
            Change::MakeExecutable => file.executable = true,
            Change::Rename(to) => {
                file.rename.get_or_insert_with(|| to.clone());
            }
        }
        Some(())
    }

    /// Whether both paths name the same file, on a file system that ignores case.
    fn is_same(&self, from: &str, to: &str) -> bool {
        let real = |path: &str| self.root.join(path).canonicalize().ok();
        from != to
            && from.eq_ignore_ascii_case(to)
            && real(from).is_some()
            && real(from) == real(to)
    }

    /// Loads the file, if it is a regular file in the tree and has not changed since the rules read it.
    fn load(&self, path: &str) -> Option<File> {
        let at = aris_fs::join_inside(self.root, Path::new(path)).ok()?;
        let metadata = at.symlink_metadata().ok()?;
        if !metadata.is_file() || !self.is_inside(&at) {
            return None;
        }
        let bytes = aris_fs::read(&at, READ_LIMIT).ok()?;
        let digest = Sha256::digest(&bytes);
        if self
            .seen
            .get(path)
            .is_some_and(|seen| seen[..] != digest[..])
        {
            return None;
        }
        Some(File {
            bytes,
            mode: metadata.permissions().mode() & 0o7777,
            replacements: Vec::new(),
            without_bom: false,
            executable: false,
            rename: None,
        })
    }

    /// Whether the nearest existing folder above a path is in the tree, with links resolved.
    fn is_inside(&self, path: &Path) -> bool {
        let mut above = path.ancestors().skip(1);
        let folder = above.find_map(|above| above.canonicalize().ok());
        let places = folder.zip(self.root.canonicalize().ok());
        places.is_some_and(|(folder, root)| folder.starts_with(root))
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The plan as a patch.
    pub fn diff(&self) -> String {
        let mut patch = String::new();
        for (path, file) in &self.files {
            let to = file.rename.as_deref().unwrap_or(path);
            let mut line = |text: String| writeln!(patch, "{text}").unwrap_or_default();
            line(format!("diff --git a/{path} b/{to}"));
            if file.new_mode() != file.mode {
                line(format!("old mode 100{:o}", file.mode & 0o777));
                line(format!("new mode 100{:o}", file.new_mode() & 0o777));
            }
            if file.rename.is_some() {
                line(format!("rename from {path}"));
                line(format!("rename to {to}"));
            }
            let (old, new) = (String::from_utf8_lossy(&file.bytes), file.new_bytes());
            let new = String::from_utf8_lossy(&new);
            if old != new {
                let mut options = diffy::DiffOptions::new();
                options.set_original_filename(format!("a/{path}"));
                options.set_modified_filename(format!("b/{to}"));
                patch.push_str(&options.create_patch(&old, &new).to_string());
            }
        }
        patch
    }

    /// Makes the changes. Returns the paths of the changed files, new paths for renamed ones.
    ///
    /// **Errors**: the first file that cannot be written. Files before it are changed; it and the files after it are untouched.
    pub fn apply(&self) -> Result<Vec<String>, Error> {
        let mut changed = Vec::new();
        for (path, file) in &self.files {
            let at: PathBuf = self.root.join(path);
            let bytes = file.new_bytes();
            if bytes != file.bytes {
                // Read again immediately before writing, so that another program's change is not overwritten.
                if aris_fs::read(&at, READ_LIMIT)? != file.bytes {
                    continue;
                }
                aris_fs::write_atomic_with_mode(&at, &bytes, file.new_mode())?;
            } else if file.new_mode() != file.mode {
                let mode = std::fs::Permissions::from_mode(file.new_mode());
                std::fs::set_permissions(&at, mode).map_err(|error| Error::Fix {
                    path: path.clone(),
                    message: format!("cannot set the execute bit: {error}"),
                })?;
            }
            if let Some(to) = &file.rename {
                let target = self.root.join(to);
                if let Some(folder) = target.parent() {
                    aris_fs::create_dir(folder)?;
                }
                if self.is_same(path, to) {
                    // Both names are the same file, so the rename takes two steps: otherwise the old spelling stays.
                    let between = at.with_extension("skill-lint-rename");
                    aris_fs::rename_new(&at, &between)?;
                    aris_fs::rename_new(&between, &target)?;
                } else {
                    aris_fs::rename_new(&at, &target)?;
                }
            }
            changed.push(file.rename.clone().unwrap_or_else(|| path.clone()));
        }
        Ok(changed)
    }
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

impl File {
    /// The content without a byte order mark.
    fn text(&self) -> &[u8] {
        self.bytes.strip_prefix(BOM).unwrap_or(&self.bytes)
    }

    fn new_bytes(&self) -> Vec<u8> {
        let mut text = self.text().to_vec();
        // From the end, so that earlier offsets stay valid. Of two insertions at one place, the one added first comes first in
        // the text.
        let mut replacements: Vec<_> = self.replacements.iter().collect();
        replacements.sort_by_key(|(range, _)| (range.start, range.end));
        for (range, new) in replacements.into_iter().rev() {
            text.splice(range.clone(), new.bytes());
        }
        if self.bytes.starts_with(BOM) && !self.without_bom {
            text.splice(0..0, BOM.iter().copied());
        }
        text
    }

    fn new_mode(&self) -> u32 {
        if self.executable {
            self.mode | (self.mode & 0o444) >> 2
        } else {
            self.mode
        }
    }

    fn changes(&self) -> bool {
        self.rename.is_some() || self.new_mode() != self.mode || self.new_bytes() != self.bytes
    }
}

#[cfg(test)]
mod tests;
