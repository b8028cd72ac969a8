//! Looks up the paths that manifests name.

use aris_skills::names::{self, has_end, join};
use aris_skills::tree::SKILL_FILE;
use aris_skills::{EntryKind, FileEntry, Tree};

/// The files and folders of a tree by path; links count as their targets. Files that git ignores are not included, because they
/// are missing after an installation too.
#[derive(Debug)]
pub(super) struct Places<'t>(pub(super) &'t Tree);

fn leads_to_folder(file: &FileEntry) -> bool {
    matches!(file.kind, EntryKind::Link { to_folder, .. } if to_folder)
}

/// Whether it is a file, or a link to one.
fn is_file(file: &FileEntry) -> bool {
    let is_dangling = matches!(file.kind, EntryKind::Link { dangling: true, .. });
    !is_dangling && !leads_to_folder(file)
}

impl Places<'_> {
    pub(super) fn file(&self, path: &str) -> Option<&FileEntry> {
        self.0.file(path).filter(|file| is_file(file))
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.0.has_folder(path) || self.0.file(path).is_some_and(leads_to_folder)
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.file(path).is_some() || self.is_folder(path)
    }

    /// Paths of all files with this ending.
    pub(super) fn files_ending(&self, end: &str) -> impl Iterator<Item = &str> {
        let files = self.0.files.iter().filter(|file| is_file(file));
        let files = files.map(|file| file.path.as_str());
        files.filter(move |path| has_end(path, end))
    }

    /// Paths of all files and folders with this ending.
    pub(super) fn ending(&self, end: &str) -> impl Iterator<Item = &str> {
        let links = self.0.files.iter().filter(|file| leads_to_folder(file));
        let folders = links.map(|link| &link.path).chain(&self.0.folders);
        let folders = folders
            .map(String::as_str)
            .filter(move |path| has_end(path, end));
        self.files_ending(end).chain(folders)
    }

    /// Whether a host finds a skill for a path in a `skills` field: in the folder itself, or in a direct subfolder.
    pub(super) fn has_skill_at(&self, folder: &str) -> bool {
        self.file(&join(folder, SKILL_FILE)).is_some()
            || (self.files_ending(SKILL_FILE)).any(|skill| {
                let inner = names::folder(skill);
                !inner.is_empty() && names::folder(inner) == folder
            })
    }
}

/// Turns a path from a manifest, relative to `root`, into a path of the tree; `.` means `./`. **Errors**: why it is not usable,
/// as the end of a sentence about the path.
pub(super) fn resolve(root: &str, path: &str) -> Result<String, &'static str> {
    if !path.starts_with("./") && path != "." {
        return Err("does not start with `./`");
    }
    below(root, path).ok_or("leaves the plugin")
}

/// `path` below `root` without `.`, `..` and double slashes; `None` when it leaves `root`.
pub(super) fn below(root: &str, path: &str) -> Option<String> {
    let inside = names::resolve("", path)?;
    Some(match inside.as_str() {
        "" => root.to_owned(),
        inside => join(root, inside),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::sample;
    use super::*;

    #[test]
    fn paths_stay_below_their_root() {
        for (root, path, expected) in [
            ("", "./a/b", Ok("a/b")),
            ("p", "./", Ok("p")),
            ("p", ".", Ok("p")),
            ("p", "./a//./b/", Ok("p/a/b")),
            ("p", "./a/../b", Ok("p/b")),
            ("p", "./../b", Err("leaves the plugin")),
            ("p", "a", Err("does not start with `./`")),
            ("p", "/a", Err("does not start with `./`")),
            ("p", "..", Err("does not start with `./`")),
        ] {
            let found = resolve(root, path);
            assert_eq!(found.as_deref().map_err(|fault| *fault), expected, "{path}");
        }
    }

    #[test]
    fn skills_are_found_as_hosts_find_them() {
        let tree = sample(&[
            "s/a/SKILL.md",
            "s/b/SKILL.md",
            "s/b/inner/SKILL.md",
            "s/c/README.md",
            "s.md",
        ]);
        let places = Places(&tree);
        assert!(places.has_skill_at("s") && places.has_skill_at("s/b"));
        assert!(!places.has_skill_at("s/c") && !places.has_skill_at(""));
        assert!(places.is_folder("s/c") && !places.is_folder("s.md") && !places.exists("x"));
    }

    proptest! {
        #[test]
        fn no_path_escapes(path in "[./a]{0,20}") {
            if let Some(found) = below("root", &path) {
                prop_assert!(found == "root" || found.starts_with("root/"));
                prop_assert!(!found.split('/').any(|part| part == ".." || part == "." || part.is_empty()));
            }
        }
    }
}
