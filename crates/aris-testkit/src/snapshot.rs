//! Snapshots of a folder, to prove that a run changed only what it should.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// One entry: permission bits and content.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    mode: u32,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    File(Vec<u8>),
    Folder,
    Link(PathBuf),
    Special,
}

/// Path, mode and bytes of everything below a folder. Links are not followed; times are not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    entries: BTreeMap<String, Entry>,
}

impl Snapshot {
    /// Reads everything below `root`.
    pub fn of(root: &Path) -> Self {
        let mut entries = BTreeMap::new();
        let mut open = vec![root.to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder)
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            {
                let path = entry.expect("entry").path();
                let metadata = fs::symlink_metadata(&path).expect("metadata");
                let content = if metadata.is_dir() {
                    open.push(path.clone());
                    Content::Folder
                } else if metadata.is_symlink() {
                    Content::Link(fs::read_link(&path).expect("link"))
                } else if metadata.is_file() {
                    Content::File(
                        fs::read(&path)
                            .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
                    )
                } else {
                    Content::Special
                };
                let name = path
                    .strip_prefix(root)
                    .unwrap_or(&path)
                    .display()
                    .to_string();
                entries.insert(
                    name,
                    Entry {
                        mode: metadata.permissions().mode() & 0o7777,
                        content,
                    },
                );
            }
        }
        Self { entries }
    }

    /// Relative paths of all entries, sorted.
    pub fn paths(&self) -> Vec<&str> {
        self.entries.keys().map(String::as_str).collect()
    }

    /// Bytes of the file at `path`.
    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        match &self.entries.get(path)?.content {
            Content::File(bytes) => Some(bytes),
            Content::Folder | Content::Link(_) | Content::Special => None,
        }
    }

    /// The snapshot without the entries whose path is `unwanted`.
    #[must_use]
    pub fn without(mut self, unwanted: impl Fn(&str) -> bool) -> Self {
        self.entries.retain(|path, _| !unwanted(path));
        self
    }

    /// One line for each difference to `later`: `added x`, `removed x`, `changed x`, `mode of x`. Sorted by path.
    pub fn differences(&self, later: &Self) -> Vec<String> {
        let mut paths: Vec<&String> = self.entries.keys().chain(later.entries.keys()).collect();
        paths.sort();
        paths.dedup();
        let what = |path: &String| match (self.entries.get(path), later.entries.get(path)) {
            (None, _) => Some("added"),
            (_, None) => Some("removed"),
            (Some(before), Some(after)) if before.content != after.content => Some("changed"),
            (Some(before), Some(after)) if before.mode != after.mode => Some("mode of"),
            _ => None,
        };
        paths
            .into_iter()
            .filter_map(|path| Some(format!("{} {path}", what(path)?)))
            .collect()
    }

    /// Panics if anything differs.
    #[track_caller]
    pub fn assert_same(&self, later: &Self, what: &str) {
        let differences = self.differences(later);
        assert!(differences.is_empty(), "{what}: {}", differences.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use crate::Project;

    #[test]
    fn every_kind_of_change_is_seen() {
        let project = Project::new()
            .file("same", "1")
            .file("content", "1")
            .file("mode", "1")
            .file("gone/x", "1");
        let before = project.snapshot();
        before.assert_same(&project.snapshot(), "nothing happened");
        project.write("content", "2");
        project.write("new", "");
        project.mode("mode", 0o600);
        std::fs::remove_file(project.at("gone/x")).expect("remove");
        std::os::unix::fs::symlink("same", project.at("link")).expect("link");
        assert_eq!(
            before.differences(&project.snapshot()),
            [
                "changed content",
                "removed gone/x",
                "added link",
                "mode of mode",
                "added new"
            ]
        );
        assert_eq!(before.bytes("same"), Some(b"1".as_slice()));
        assert_eq!(before.paths().first(), Some(&".git"));
    }
}
