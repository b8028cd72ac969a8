//! Folders: sorted listings, sorted walks, bounded removal.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::error::FsError;
use crate::fault;
use crate::parallel::in_parallel;

/// What a folder entry is. Links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, whatever it points to.
    Link,
    /// A FIFO, socket or device.
    Special,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Name within the folder.
    pub name: OsString,
    /// Path, the folder's path included.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
}

/// Entries of a folder, sorted by the bytes of their names.
pub fn list_sorted(folder: &Path) -> Result<Vec<Entry>, FsError> {
    let failed = |error| FsError::read("list", folder, error);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        entries.push(Entry {
            name: entry.file_name(),
            path: entry.path(),
            kind: kind_of(&entry).map_err(failed)?,
        });
    }
    entries.sort();
    Ok(entries)
}

/// Applies `each` to the entries of a folder, in no particular order; entries for which it returns `None` are left out. Its arguments are
/// the name, the kind, and the metadata, which for a link are those of its target. The metadata are `None` for a dangling link or an entry
/// that has disappeared.
///
/// For folders with many thousand files: it uses all processors and looks up no path from the root.
pub fn map_entries<R: Send>(
    folder: &Path,
    each: impl Fn(OsString, EntryKind, Option<Metadata>) -> Option<R> + Sync,
) -> Result<impl Iterator<Item = R>, FsError> {
    let failed = |error| FsError::read("list", folder, error);
    let entries: Vec<fs::DirEntry> = fs::read_dir(folder)
        .and_then(Iterator::collect)
        .map_err(failed)?;
    let start = || (Vec::new(), Ok(()));
    let parts = in_parallel(&entries, start, |(mapped, all), _, entry| {
        match kind_of(entry) {
            Ok(kind) => {
                let metadata = if kind == EntryKind::Link {
                    fs::metadata(entry.path())
                } else {
                    entry.metadata()
                };
                mapped.extend(each(entry.file_name(), kind, metadata.ok()));
            }
            Err(error) => *all = Err(error),
        }
    });
    let parts = parts
        .into_iter()
        .map(|(mapped, all)| all.map(|()| mapped))
        .collect::<io::Result<Vec<_>>>();
    Ok(parts.map_err(failed)?.into_iter().flatten())
}

fn kind_of(entry: &fs::DirEntry) -> io::Result<EntryKind> {
    let kind = entry.file_type()?;
    Ok(if kind.is_file() {
        EntryKind::File
    } else if kind.is_dir() {
        EntryKind::Folder
    } else if kind.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Special
    })
}

/// All entries below `root`, depth first, each folder sorted. The walk enters the folders for which `enter` returns `true`.
///
/// Links are listed but not followed, so that the walk ends. `enter` is called for folders only.
pub fn walk_sorted(
    root: &Path,
    enter: &mut dyn FnMut(&Entry) -> bool,
) -> Result<Vec<Entry>, FsError> {
    let mut found = Vec::new();
    let mut open = vec![list_sorted(root)?.into_iter()];
    while let Some(folder) = open.last_mut() {
        let Some(entry) = folder.next() else {
            open.pop();
            continue;
        };
        if entry.kind == EntryKind::Folder && enter(&entry) {
            open.push(list_sorted(&entry.path)?.into_iter());
        }
        found.push(entry);
    }
    Ok(found)
}

/// Removes `folder` with all its content. `folder` must be below `root`, and no part of it below `root` may be a link.
pub fn remove_tree(root: &Path, folder: &Path) -> Result<(), FsError> {
    let escapes = || FsError::Escapes {
        path: folder.to_path_buf(),
        root: root.to_path_buf(),
    };
    let below = folder.strip_prefix(root).unwrap_or(Path::new(""));
    if below.as_os_str().is_empty() {
        return Err(escapes());
    }
    let mut path = root.to_path_buf();
    for part in below.components() {
        path.push(part);
        let found =
            fs::symlink_metadata(&path).map_err(|error| FsError::read("remove", &path, error))?;
        if !matches!(part, Component::Normal(_)) || !found.is_dir() {
            return Err(escapes());
        }
    }
    fault::point();
    fs::remove_dir_all(&path).map_err(|error| FsError::write("remove", folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_is_sorted_and_does_not_follow_a_link_back_to_its_root() {
        let folder = tempfile::tempdir().expect("temp");
        let root = folder.path();
        fs::create_dir_all(root.join("b/c")).expect("folders");
        fs::create_dir_all(root.join(".git")).expect("folders");
        for file in ["b/c/2", "b/1", "a", ".git/x"] {
            fs::write(root.join(file), file).expect("file");
        }
        std::os::unix::fs::symlink(root, root.join("b/loop")).expect("link");
        let walked: Vec<String> = walk_sorted(root, &mut |entry| entry.name != ".git")
            .expect("walk")
            .iter()
            .map(|entry| {
                entry
                    .path
                    .strip_prefix(root)
                    .expect("below")
                    .display()
                    .to_string()
            })
            .collect();
        assert_eq!(walked, [".git", "a", "b", "b/1", "b/c", "b/c/2", "b/loop"]);
    }

    #[test]
    fn entries_are_mapped_with_what_is_known_of_them_and_links_are_followed() {
        let folder = tempfile::tempdir().expect("temp");
        let root = folder.path();
        fs::create_dir(root.join("folder")).expect("folder");
        for (name, text) in [("a", "12345"), ("b", ""), ("c", "left out")] {
            fs::write(root.join(name), text).expect("file");
        }
        for (link, to) in [("to-a", "a"), ("to-nothing", "gone")] {
            std::os::unix::fs::symlink(to, root.join(link)).expect("link");
        }
        let mut seen = map_entries(root, |name, kind, metadata| {
            let size = metadata.filter(Metadata::is_file).map(|file| file.len());
            let name = name.into_string().expect("UTF-8");
            (name != "c").then_some((name, kind, size))
        })
        .expect("listed")
        .collect::<Vec<_>>();
        seen.sort();
        let expected = [
            ("a", EntryKind::File, Some(5)),
            ("b", EntryKind::File, Some(0)),
            ("folder", EntryKind::Folder, None),
            ("to-a", EntryKind::Link, Some(5)),
            ("to-nothing", EntryKind::Link, None),
        ];
        assert_eq!(
            seen,
            expected.map(|(name, kind, size)| (name.to_owned(), kind, size))
        );
        assert!(map_entries(&root.join("gone"), |_, _, _| Some(())).is_err());
    }

    #[test]
    fn only_trees_below_the_root_are_removed() {
        let folder = tempfile::tempdir().expect("temp");
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        fs::create_dir_all(root.join("x/y")).expect("folders");
        fs::create_dir_all(&outside).expect("folders");
        std::os::unix::fs::symlink(&outside, root.join("link")).expect("link");
        for refused in [
            root.clone(),
            outside.clone(),
            root.join("x/../.."),
            root.join("link"),
        ] {
            assert!(
                remove_tree(&root, &refused).is_err(),
                "{}",
                refused.display()
            );
        }
        remove_tree(&root, &root.join("x")).expect("removed");
        assert!(outside.exists() && !root.join("x").exists());
    }

    #[test]
    fn a_link_is_never_followed_to_what_is_removed() {
        let folder = tempfile::tempdir().expect("temp");
        let root = folder.path();
        fs::create_dir_all(root.join("mine/more")).expect("folders");
        fs::create_dir_all(root.join("tree")).expect("folders");
        for (link, to) in [("link", "mine"), ("tree/in", "../mine")] {
            std::os::unix::fs::symlink(to, root.join(link)).expect("link");
        }
        for refused in ["link", "link/more", "tree/in/more"] {
            assert!(remove_tree(root, &root.join(refused)).is_err(), "{refused}");
        }
        remove_tree(root, &root.join("tree")).expect("removed");
        assert!(root.join("mine/more").exists() && !root.join("tree").exists());
    }
}
