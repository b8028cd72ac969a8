//! Lists what is searched below a folder: files, names, and git repositories.
//!
//! Only git's own objects are left out, which [`crate::history`] reads: a token may be in a file that git ignores, in a hidden
//! folder or in an agent's notes. Links are not followed, but their targets' names are searched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_fs::{Entry, EntryKind};

use crate::report::{Leak, Part, Report, Unseen};
use crate::token::finds;

/// Most bytes of a file named `.git` or `commondir`, which holds one path.
const POINTER: u64 = 64 << 10;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// Its path as it is shown.
    pub(crate) shown: PathBuf,
    pub(crate) part: Part,
}

/// A repository of git.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Repository {
    /// The folder with its objects, links resolved.
    pub(crate) folder: PathBuf,
    /// The path that is shown: the folder that contains `.git`.
    pub(crate) shown: PathBuf,
}

/// Everything below a folder, and the repositories found there and around it.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<Found>,
    pub(crate) repositories: Vec<Repository>,
    /// Tokens in names and in link targets, and folders that could not be listed.
    pub(crate) found: Report,
    /// Git folders seen so far, so that each is searched once.
    met: BTreeSet<PathBuf>,
    /// Folders that something named `.git` points to, so that a cycle ends.
    followed: BTreeSet<PathBuf>,
}

impl Tree {
    /// Lists `root`, shown as `shown`, and the repository around it.
    pub(crate) fn of(root: &Path, shown: &Path) -> Self {
        let mut tree = Self::default();
        tree.walk(root, shown, Part::WorkingTree);
        let has_git = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
        let mut around = root.ancestors();
        if let Some(home) = around
            .find(|folder| has_git(folder))
            .filter(|home| *home != root)
        {
            tree.follow(&home.join(".git"));
        }
        tree.repositories.sort();
        tree
    }

    fn walk(&mut self, root: &Path, shown: &Path, part: Part) {
        let mut folders = vec![(root.to_path_buf(), shown.to_path_buf(), part)];
        while let Some((folder, shown, part)) = folders.pop() {
            let listed = aris_fs::list_sorted(&folder);
            let failed = listed.as_ref().err();
            let unseen = failed.map(|error| Unseen::new(&shown, &why(error), ""));
            self.found.unseen.extend(unseen);
            let entries = listed.unwrap_or_default();
            let is_git = is_git(&folder, &entries);
            let part = if is_git { Part::Git } else { part };
            if is_git && !self.meet(&folder, &shown) {
                continue;
            }
            for entry in entries {
                let shown = shown.join(&entry.name);
                self.look_at_name(entry.name.as_encoded_bytes(), &shown);
                if entry.name == ".git" && matches!(entry.kind, EntryKind::File | EntryKind::Link) {
                    self.follow(&entry.path);
                }
                match entry.kind {
                    EntryKind::Folder if is_git && entry.name == "objects" => {}
                    EntryKind::Folder => folders.push((entry.path, shown, part)),
                    EntryKind::File => {
                        let path = entry.path;
                        self.files.push(Found { path, shown, part });
                    }
                    EntryKind::Link => {
                        if let Ok(target) = entry.path.read_link() {
                            self.look_at_name(target.as_os_str().as_encoded_bytes(), &shown);
                        }
                    }
                    EntryKind::Special => {}
                }
            }
        }
    }

    /// Adds the repository of a git folder; returns whether the folder is new.
    fn meet(&mut self, folder: &Path, shown: &Path) -> bool {
        let folder = aris_fs::real(folder);
        if !self.met.insert(folder.clone()) {
            return false;
        }
        let of = shown.parent().filter(|_| shown.ends_with(".git"));
        let shown = of.unwrap_or(shown).to_path_buf();
        self.repositories.push(Repository { folder, shown });
        true
    }

    /// Follows a file or link named `.git` to the git folder of a submodule or linked worktree, and to the one that shares its
    /// objects.
    fn follow(&mut self, file: &Path) {
        let is_git =
            |folder: &Path| folder.join("HEAD").exists() || folder.join("objects").exists();
        let own = if file.is_dir() {
            Some(file.to_path_buf())
        } else {
            named_in(file, "gitdir: ")
        };
        let common = own
            .iter()
            .filter_map(|own| named_in(&own.join("commondir"), ""));
        let folders: Vec<PathBuf> = common.chain(own.clone()).collect();
        let mut leads_nowhere = own.is_none();
        for folder in folders {
            match folder.canonicalize() {
                Ok(folder) if self.met.contains(&folder) => {}
                Ok(folder) if is_git(&folder) => {
                    if self.followed.insert(folder.clone()) {
                        self.walk(&folder, &folder, Part::Git);
                    }
                }
                // An empty folder is not a repository.
                Ok(_) => leads_nowhere |= folder != file,
                Err(error) => {
                    let why = format!("{} leads there: {error}", file.display());
                    self.found.unseen.push(Unseen::new(&folder, &why, ""));
                }
            }
        }
        if leads_nowhere {
            let why = "history: it leads to no folder of git";
            self.found.unseen.push(Unseen::new(file, why, ""));
        }
    }

    fn look_at_name(&mut self, name: &[u8], shown: &Path) {
        let leak = |(_, form, token)| Leak::new(Part::FileName, shown, form, token);
        self.found.leaks.extend(finds(name).map(leak));
    }
}

/// Whether a folder is a git repository, or a damaged one, which git then reports as unreadable. **Source**: git,
/// `is_git_directory`.
fn is_git(folder: &Path, entries: &[Entry]) -> bool {
    let has = |name: &str, is_folder: bool| {
        let mut named = entries.iter().filter(|entry| entry.name == name);
        named.any(|entry| entry.path.is_dir() == is_folder)
    };
    let (head, objects, refs) = (has("HEAD", false), has("objects", true), has("refs", true));
    let was_git = folder.ends_with(".git") && (objects || head && refs);
    was_git || objects && (head && refs || folder.join("objects/pack").is_dir())
}

/// The path in a file after `prefix`, relative to the file's folder.
fn named_in(file: &Path, prefix: &str) -> Option<PathBuf> {
    let bytes = aris_fs::read(file, POINTER).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(file.parent()?.join(text.trim_end().strip_prefix(prefix)?))
}

/// The file's path with links resolved, if it exists and is outside these folders.
pub(crate) fn outside(file: &Path, of: &[&Path]) -> Option<PathBuf> {
    let real = file.canonicalize().ok()?;
    let is_outside = !of.iter().any(|folder| real.starts_with(folder));
    (is_outside && real.is_file()).then_some(real)
}

/// The message of an error without its path, which is shown separately.
pub(crate) fn why(error: &aris_fs::FsError) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
