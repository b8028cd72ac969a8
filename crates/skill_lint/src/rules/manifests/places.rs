//! What lies where, for paths that manifests name.

use std::collections::{BTreeMap, BTreeSet};

use aris_skills::names::{self, has_end, join};

/// The files and folders of a tree by path. What git ignores is not among them: it is not there either after an installation.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Whether each file is executable.
    files: BTreeMap<String, bool>,
    folders: BTreeSet<String>,
}

impl Places {
    /// From files, each with its execute bit, and folders; the folders above them are added.
    pub(super) fn new(
        files: impl Iterator<Item = (String, bool)>,
        folders: impl Iterator<Item = String>,
    ) -> Self {
        let mut places = Self {
            files: files.collect(),
            folders: folders.collect(),
        };
        places.folders.insert(String::new());
        let above: Vec<String> = (places.files.keys())
            .flat_map(|path| path.match_indices('/').filter_map(|(at, _)| path.get(..at)))
            .map(str::to_owned)
            .collect();
        places.folders.extend(above);
        places
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.is_file(path) || self.is_folder(path)
    }

    pub(super) fn is_executable(&self, path: &str) -> bool {
        self.files.get(path).copied().unwrap_or_default()
    }

    /// Paths of all files with this end.
    pub(super) fn files_ending<'a>(&'a self, end: &'a str) -> impl Iterator<Item = &'a str> {
        let files = self.files.keys().map(String::as_str);
        files.filter(move |path| has_end(path, end))
    }

    /// Paths of all files and folders with this end.
    pub(super) fn ending<'a>(&'a self, end: &'a str) -> impl Iterator<Item = &'a str> {
        let folders = self.folders.iter().map(String::as_str);
        let folders = folders.filter(move |path| has_end(path, end));
        self.files_ending(end).chain(folders)
    }

    /// Paths of the files and folders directly in a folder, sorted.
    pub(super) fn children<'a>(&'a self, folder: &str) -> BTreeSet<&'a str> {
        let prefix = join(folder, "");
        let direct = |path: &&String| {
            path.strip_prefix(&prefix)
                .is_some_and(|name| !name.is_empty() && !name.contains('/'))
        };
        let files = self.files.range(prefix.clone()..).map(|(path, _)| path);
        let folders = self.folders.range(prefix.clone()..);
        let inside = |path: &&String| path.starts_with(&prefix);
        (files.take_while(inside).filter(direct))
            .chain(folders.take_while(inside).filter(direct))
            .map(String::as_str)
            .collect()
    }

    /// Whether a folder holds a SKILL.md.
    pub(super) fn is_skill(&self, folder: &str) -> bool {
        self.is_file(&join(folder, "SKILL.md"))
    }

    /// The skills that a host finds for a path of a `skills` field: the folder itself, else the folders directly in it.
    pub(super) fn skills_at(&self, folder: &str) -> Vec<String> {
        if self.is_skill(folder) {
            return vec![folder.to_owned()];
        }
        (self.children(folder).into_iter())
            .filter(|child| self.is_skill(child))
            .map(str::to_owned)
            .collect()
    }
}

/// A path as manifests write it, relative to `root`, as a path of the tree; `.` is a way to write `./`. **Errors**: why it is not usable,
/// as the end of a sentence about the path.
pub(super) fn resolve(root: &str, path: &str) -> Result<String, &'static str> {
    if !path.starts_with("./") && path != "." {
        return Err("does not start with `./`");
    }
    below(root, path).ok_or("leaves the plugin")
}

/// `path` below `root` without `.`, `..` and doubled slashes; `None` when it leaves `root`.
pub(super) fn below(root: &str, path: &str) -> Option<String> {
    let inside = names::resolve("", path)?;
    Some(match inside.as_str() {
        "" => root.to_owned(),
        inside => join(root, inside),
    })
}

#[cfg(test)]
pub(super) fn sample(files: &[&str]) -> Places {
    let files = files.iter().map(|path| {
        let (path, executable) = path
            .strip_suffix('*')
            .map_or((*path, false), |path| (path, true));
        (path.to_owned(), executable)
    });
    Places::new(files, std::iter::empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
        let places = sample(&[
            "s/a/SKILL.md",
            "s/b/SKILL.md",
            "s/b/inner/SKILL.md",
            "s/c/README.md",
            "s.md",
        ]);
        assert_eq!(places.skills_at("s"), ["s/a", "s/b"]);
        assert_eq!(places.skills_at("s/b"), ["s/b"]);
        assert_eq!(places.skills_at("s/c"), Vec::<String>::new());
        assert_eq!(places.children(""), BTreeSet::from(["s", "s.md"]));
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
