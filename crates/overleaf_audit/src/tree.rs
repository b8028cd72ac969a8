//! What there is to look at below a folder: files, names, and the repositories of git among them.
//!
//! Nothing is left out but git's own objects, which [`crate::history`] reads: a token may lie in what git ignores, in a hidden folder or
//! in what an agent wrote down. Links are not followed; their text is looked at.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_fs::{Entry, EntryKind};

use crate::report::{Leak, Part, Report, Unseen};
use crate::token::finds;

/// Bytes of a file named `.git` or `commondir`: one path.
const POINTER: u64 = 64 << 10;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// As a person would name it.
    pub(crate) shown: PathBuf,
    pub(crate) part: Part,
}

/// A repository of git.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Repository {
    /// The folder with its objects, all links resolved.
    pub(crate) folder: PathBuf,
    /// As a person would name it: the folder that it is the repository of.
    pub(crate) shown: PathBuf,
}

/// Everything below a folder, and the repositories that it belongs to.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<Found>,
    pub(crate) repositories: Vec<Repository>,
    /// Tokens in names and in the texts of links, and what could not be listed.
    pub(crate) found: Report,
    /// Folders of git that were met already, so that each is looked at once.
    met: BTreeSet<PathBuf>,
    /// Folders that something named `.git` led to: one that leads back to itself has an end.
    followed: BTreeSet<PathBuf>,
}

impl Tree {
    /// Looks at `root`, shown as `shown`, and at the repositories that it is a part of.
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

    /// Whether a folder of git is new; if so its repository is noted.
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

    /// Where a file or link named `.git` leads: a submodule's or a linked worktree's folder of git, and the one that it shares its objects with.
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
                // An empty folder is no repository.
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

/// What git takes for a repository, and what was one: git says of it that it cannot read it. **Source**: git, `is_git_directory`.
fn is_git(folder: &Path, entries: &[Entry]) -> bool {
    let has = |name: &str, is_folder: bool| {
        let mut named = entries.iter().filter(|entry| entry.name == name);
        named.any(|entry| entry.path.is_dir() == is_folder)
    };
    let (head, objects, refs) = (has("HEAD", false), has("objects", true), has("refs", true));
    let was_git = folder.ends_with(".git") && (objects || head && refs);
    was_git || objects && (head && refs || folder.join("objects/pack").is_dir())
}

/// The path in a file that holds one behind `prefix`, seen from the file.
fn named_in(file: &Path, prefix: &str) -> Option<PathBuf> {
    let bytes = aris_fs::read(file, POINTER).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(file.parent()?.join(text.trim_end().strip_prefix(prefix)?))
}

/// A file without links in its path, where it exists and does not lie below one of these folders.
pub(crate) fn outside(file: &Path, of: &[&Path]) -> Option<PathBuf> {
    let real = file.canonicalize().ok()?;
    let is_outside = !of.iter().any(|folder| real.starts_with(folder));
    (is_outside && real.is_file()).then_some(real)
}

/// An error without the path, which stands before it.
pub(crate) fn why(error: &aris_fs::FsError) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
