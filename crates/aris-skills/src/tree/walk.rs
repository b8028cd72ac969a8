//! Walks a tree.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use aris_fs::FsError;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{EntryKind, FileEntry, SKILL_FILE, SKIPPED_FOLDERS, SkillEntry, Tree, WalkOptions};
use crate::git::WorkTree;
use crate::names;

pub(super) fn walk(root: &Path, options: &WalkOptions) -> Result<Tree, FsError> {
    let root = std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf());
    let root = root.canonicalize().unwrap_or(root);
    let work_tree = WorkTree::around(&root).map(Rc::new);
    let mut walk = Walk {
        root: root.clone(),
        use_ignores: !options.ignored_too,
        exclude: patterns(&root, options.exclude.iter().map(String::as_str)),
        files: Vec::new(),
        folders: Vec::new(),
        skills: Vec::new(),
        unreadable: Vec::new(),
    };
    let rules = match &work_tree {
        Some(tree) if walk.use_ignores => rules_above(tree, &root),
        _ => Vec::new(),
    };
    let entries = aris_fs::list_sorted(&root)?;
    let top = Place {
        path: String::new(),
        work_tree,
        rules,
        ignored: false,
    };
    walk.folder(top, entries);
    Ok(walk.finished())
}

/// The rules of a `.gitignore` and of those above it.
type Rules = Vec<Rc<Gitignore>>;

/// A folder during the walk.
struct Place {
    path: String,
    work_tree: Option<Rc<WorkTree>>,
    /// Ignore rules; later ones take precedence.
    rules: Rules,
    /// Whether git ignores the folder. It is then walked only for tracked files.
    ignored: bool,
}

struct Walk {
    root: PathBuf,
    use_ignores: bool,
    exclude: Gitignore,
    files: Vec<FileEntry>,
    folders: Vec<String>,
    /// Directories of the skills found so far.
    skills: Vec<String>,
    unreadable: Vec<(String, String)>,
}

impl Walk {
    fn folder(&mut self, mut place: Place, entries: Vec<aris_fs::Entry>) {
        if !place.path.is_empty()
            && entries.iter().any(|entry| entry.name == ".git")
            && let Some(inner) = WorkTree::at(&self.root.join(&place.path))
        {
            place.rules = if self.use_ignores {
                rules_above(&inner, &inner.top)
            } else {
                Vec::new()
            };
            place.work_tree = Some(Rc::new(inner));
            place.ignored = false;
        }
        if self.use_ignores
            && place.work_tree.is_some()
            && let Some(entry) = entries.iter().find(|entry| entry.name == ".gitignore")
            && let Some(rules) = gitignore(&entry.path, &self.root.join(&place.path))
        {
            place.rules.push(Rc::new(rules));
        }
        let is_skill = |entry: &aris_fs::Entry| {
            entry.name == SKILL_FILE && entry.kind != aris_fs::EntryKind::Folder
        };
        if entries.iter().any(is_skill)
            && !self.is_left_out(&place, &names::join(&place.path, SKILL_FILE), false)
        {
            self.skills.push(place.path.clone());
        }
        for entry in entries {
            let path = names::join(&place.path, &entry.name.to_string_lossy());
            if entry.kind == aris_fs::EntryKind::Folder {
                if entry.name == SKILL_FILE && !self.is_left_out(&place, &path, true) {
                    let message = "is a folder, where the file of a skill must be";
                    self.unreadable.push((path.clone(), message.to_owned()));
                }
                self.below(&place, &entry, path);
            } else if !self.is_left_out(&place, &path, false) {
                let file = self.file(&place, &entry, path);
                self.files.push(file);
            }
        }
    }

    /// Walks a folder inside `place`.
    fn below(&mut self, place: &Place, entry: &aris_fs::Entry, path: String) {
        let skipped = SKIPPED_FOLDERS
            .split(' ')
            .any(|skipped| entry.name == skipped);
        if self.is_left_out(place, &path, true) {
            return;
        }
        self.folders.push(path.clone());
        if skipped {
            return;
        }
        match aris_fs::list_sorted(&entry.path) {
            Ok(entries) => {
                let inside = Place {
                    work_tree: place.work_tree.clone(),
                    rules: place.rules.clone(),
                    ignored: self.is_ignored(place, &path, true),
                    path,
                };
                self.folder(inside, entries);
            }
            Err(error) => self.unreadable.push((path, error.to_string())),
        }
    }

    fn file(&self, place: &Place, entry: &aris_fs::Entry, path: String) -> FileEntry {
        let mut file = FileEntry {
            kind: EntryKind::Special,
            size: 0,
            executable: false,
            executable_on_disk: false,
            skill: None,
            path,
        };
        match entry.kind {
            aris_fs::EntryKind::File => {
                file.kind = EntryKind::File;
                if let Ok(metadata) = entry.path.symlink_metadata() {
                    file.size = metadata.len();
                    file.executable_on_disk = metadata.permissions().mode() & 0o100 != 0;
                }
                file.executable = file.executable_on_disk;
            }
            aris_fs::EntryKind::Link => {
                let target = entry.path.metadata().ok();
                let text = entry.path.read_link().unwrap_or_default();
                file.kind = EntryKind::Link {
                    target: text.to_string_lossy().into_owned(),
                    dangling: target.is_none(),
                    to_folder: target.is_some_and(|target| target.is_dir()),
                };
            }
            aris_fs::EntryKind::Folder | aris_fs::EntryKind::Special => {}
        }
        if let Some(tree) = &place.work_tree
            && let Some(index) = &tree.index
            && let Some(executable) = index.executable(&self.in_git(tree, &file.path))
        {
            file.executable = executable;
        }
        file
    }

    /// A path of the tree, relative to the top of the work tree.
    fn in_git(&self, tree: &WorkTree, path: &str) -> String {
        aris_fs::display_relative(&self.root.join(path), &tree.top)
    }

    /// Whether git's rules match a path, tracked or not. A rule cannot re-include anything below an ignored folder.
    fn is_ignored(&self, place: &Place, path: &str, folder: bool) -> bool {
        let full = self.root.join(path);
        let matched = |rules: &Rc<Gitignore>| rules.matched(&full, folder).map(drop);
        let mut matches = place.rules.iter().rev().map(matched);
        place.ignored
            || matches
                .find(|found| !found.is_none())
                .is_some_and(|found| found.is_ignore())
    }

    /// Whether a path is excluded, or ignored by git: its rules match and it is not tracked.
    fn is_left_out(&self, place: &Place, path: &str, folder: bool) -> bool {
        let full = self.root.join(path);
        if self.exclude.matched(&full, folder).is_ignore() {
            return true;
        }
        let Some(tree) = &place.work_tree else {
            return false;
        };
        if !self.is_ignored(place, path, folder) {
            return false;
        }
        let in_git = self.in_git(tree, path);
        !tree.index.as_ref().is_some_and(|index| {
            if folder {
                index.has_below(&in_git)
            } else {
                index.contains(&in_git)
            }
        })
    }

    fn finished(mut self) -> Tree {
        self.skills.sort();
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.folders.sort();
        let skill = |dir: String| SkillEntry {
            name: name_of(&self.root, &dir),
            dir,
            files: Vec::new(),
        };
        let mut skills: Vec<SkillEntry> = self.skills.into_iter().map(skill).collect();
        for (at, file) in self.files.iter_mut().enumerate() {
            file.skill = nearest(&skills, &file.path);
            if let Some(skill) = file.skill.and_then(|skill| skills.get_mut(skill)) {
                skill.files.push(at);
            }
        }
        Tree {
            root: self.root,
            files: self.files,
            folders: self.folders,
            skills,
            unreadable: self.unreadable,
        }
    }
}

/// Index of the nearest skill above a path.
fn nearest(skills: &[SkillEntry], path: &str) -> Option<usize> {
    let mut folder = path;
    while !folder.is_empty() {
        folder = names::folder(folder);
        if let Ok(at) = skills.binary_search_by(|skill| skill.dir.as_str().cmp(folder)) {
            return Some(at);
        }
    }
    None
}

fn name_of(root: &Path, dir: &str) -> String {
    match names::file_name(dir) {
        "" => root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        name => name.to_owned(),
    }
}

/// Compiles lines in `.gitignore` syntax, relative to `base`. Invalid lines are skipped, as in git.
pub fn patterns<'l>(base: &Path, lines: impl Iterator<Item = &'l str>) -> Gitignore {
    let mut builder = GitignoreBuilder::new(base);
    for line in lines {
        builder.add_line(None, line).map(|_| ()).unwrap_or_default();
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The ignore rules that apply in `folder` of a work tree, without its own `.gitignore`: `info/exclude`, then each `.gitignore`
/// from the top down. The user's global excludes are not read, so that the result is the same for every user.
fn rules_above(tree: &WorkTree, folder: &Path) -> Rules {
    let mut rules = Vec::new();
    rules.extend(gitignore(&tree.common_dir.join("info/exclude"), &tree.top));
    let above = folder.ancestors().skip(1);
    let mut above: Vec<&Path> = above
        .take_while(|above| above.starts_with(&tree.top))
        .collect();
    above.reverse();
    let own = |above: &&Path| gitignore(&above.join(".gitignore"), above);
    rules.extend(above.iter().filter_map(own));
    rules.into_iter().map(Rc::new).collect()
}

/// The rules of one file, relative to `base`.
fn gitignore(file: &Path, base: &Path) -> Option<Gitignore> {
    let text = aris_fs::read(file, super::READ_LIMIT).ok()?;
    let rules = patterns(base, String::from_utf8_lossy(&text).lines());
    Some(rules).filter(|rules| !rules.is_empty())
}
