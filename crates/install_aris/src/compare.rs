//! Compares paths on the disk with the content that should be there or was put there.

use std::collections::BTreeMap;

use aris_contract::artifact::install::{Content, TreeFile};
use aris_fs::EntryKind;

use crate::error::Error;
use crate::project::{Project, Shape};
use crate::source::digests;

/// How a path on the disk compares with a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// Equal content.
    Same,
    /// Some files of the folder are missing; the others are equal.
    Partial,
    /// A file or folder with other content: the differing paths, relative to this one.
    Edited(Vec<String>),
    /// Nothing there.
    Absent,
    /// Another kind of file, or a link with another target.
    Other(Shape),
}

impl Match {
    /// Whether everything there was put there by this program.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self, Self::Same | Self::Partial)
    }
}

/// Compares the content at `path` with `content`. Execute bits are ignored, because launchers set them when they need them.
pub(crate) fn compare(project: &Project, path: &str, content: &Content) -> Result<Match, Error> {
    let shape = project.shape(path);
    Ok(match (shape, content) {
        (Shape::Absent, _) => Match::Absent,
        (Shape::Link(found), Content::Link { target }) if found.as_os_str() == target.as_str() => {
            Match::Same
        }
        (Shape::File, Content::File { digest, .. }) => {
            match digests(&[project.at(path)]).pop() {
                Some(Ok(found)) if found.to_string() == *digest => Match::Same,
                // A file that cannot be read counts as edited.
                _ => Match::Edited(Vec::new()),
            }
        }
        (Shape::Folder, Content::Tree { files }) => compare_tree(project, path, files)?,
        (other, _) => Match::Other(other),
    })
}

fn compare_tree(project: &Project, path: &str, files: &[TreeFile]) -> Result<Match, Error> {
    let root = project.at(path);
    let missing = files.iter().map(|file| (file.path.as_str(), file));
    let mut missing: BTreeMap<&str, &TreeFile> = missing.collect();
    let mut edited = Vec::new();
    let mut present = Vec::new();
    for entry in aris_fs::walk_sorted(&root, &mut |_| true)? {
        let relative = aris_fs::display_relative(&entry.path, &root);
        match entry.kind {
            EntryKind::Folder => {
                // In a sorted list, the files of a folder follow its name. In an unsorted list they are missed, and the folder
                // counts as the user's.
                let inner = format!("{relative}/");
                let at = files.partition_point(|file| file.path < inner);
                let is_in = |file: &TreeFile| file.path.starts_with(&inner);
                if !files.get(at).is_some_and(is_in) {
                    edited.push(relative);
                }
            }
            EntryKind::File => match missing.remove(relative.as_str()) {
                Some(file) => present.push((entry.path, file)),
                None => edited.push(relative),
            },
            EntryKind::Link | EntryKind::Special => edited.push(relative),
        }
    }
    let paths: Vec<_> = present.iter().map(|(path, _)| path).collect();
    for ((_, file), digest) in present.iter().zip(digests(&paths)) {
        if !digest.is_ok_and(|digest| digest.to_string() == file.digest) {
            edited.push(file.path.clone());
        }
    }
    edited.sort();
    Ok(if !edited.is_empty() {
        Match::Edited(edited)
    } else if missing.is_empty() {
        Match::Same
    } else {
        Match::Partial
    })
}
