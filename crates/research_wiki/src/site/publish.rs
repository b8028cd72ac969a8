//! Putting a site in its place: whole or not at all, and never over anything that this program did not put there.
//!
//! The site is written beside its place and then exchanged with what is there. A list of its files with their digests lies in the site:
//! an older site is replaced only while it holds exactly the files of its own list. After a power cut a site may be damaged; it is
//! derived and can be exported again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_contract::hex::hex;
use aris_fs::{EntryKind, Lock};
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::site::files::Files;
use aris_wiki::node::Kind;

/// The list of files, in the site's root.
pub(crate) const LIST: &str = ".aris-wiki-site";
/// Its first line.
const HEAD: &str = "aris wiki site 1";
/// Mode of the files: readable by whoever may enter the folder.
const MODE: u32 = 0o644;

/// Makes `files` the folder `target`. Two exporters of one wiki take turns, unless nothing may be written there.
pub(crate) fn publish(target: &Path, wiki: &Path, files: &Files) -> Result<(), Error> {
    let name = target.file_name().map(std::ffi::OsStr::to_string_lossy);
    let (Some(parent), Some(name)) = (target.parent(), name) else {
        return Err(refused(target, "is no name for a folder"));
    };
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    aris_fs::create_dir(parent)?;
    let parent = std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_path_buf());
    let target = parent.join(name.as_ref());
    check_outside(&target, wiki)?;
    let keep = crate::wiki::keep_folder(wiki);
    let _lock = keep.and_then(|keep| Lock::acquire(&keep.join("site.lock")));

    let there = look(&target)?;
    let staged = parent.join(format!(".{name}.aris-part"));
    clear(&parent, &staged)?;
    let written = write(&staged, files);
    let written = written.and_then(|()| {
        if there {
            return Ok(());
        }
        Ok(aris_fs::rename_new(&staged, &target)?)
    });
    if let Err(error) = written {
        // What began is ours. Where it cannot be removed, the next export does it.
        clear(&parent, &staged).unwrap_or_default();
        return Err(error);
    }
    if there {
        aris_fs::exchange(&staged, &target)?;
        // Somebody may have put something there since we looked.
        if let Err(error) = look(&staged) {
            aris_fs::exchange(&staged, &target)?;
            clear_written(&parent, &staged, files)?;
            return Err(error);
        }
        aris_fs::remove_tree(&parent, &staged)?;
    }
    aris_fs::sync_dir(&parent)?;
    Ok(())
}

/// What is exported does not lie among the pages.
pub(crate) fn check_outside(target: &Path, wiki: &Path) -> Result<(), Error> {
    let wiki = std::fs::canonicalize(wiki).unwrap_or_else(|_| wiki.to_path_buf());
    let mut own = Kind::ALL.map(Kind::folder).to_vec();
    own.extend(["graph", crate::wiki::KEEP]);
    let inside = own
        .iter()
        .any(|folder| target.starts_with(wiki.join(folder)));
    if inside || wiki.starts_with(target) {
        return Err(among_pages(target));
    }
    Ok(())
}

/// What is to be exported would lie on or among the wiki's own files.
pub(crate) fn among_pages(target: &Path) -> Error {
    let why = "is the wiki, one of its files, or lies among its pages";
    let what = format!("{} {why}", target.display());
    let hint = "choose a place outside the wiki's pages; nothing was changed";
    Error::usage(what, hint)
}

/// A site cannot be put there.
fn refused(target: &Path, why: &str) -> Error {
    let hint = "name a folder that is absent, empty, or an earlier export; nothing was changed";
    Error::usage(format!("{} {why}", target.display()), hint)
}

/// A folder is there that is no site of ours.
const NOT_OURS: &str = "is not empty, and not an exported site";

/// Whether something is where the site is to be: an empty folder, or a site of ours. Anything else is an error.
fn look(target: &Path) -> Result<bool, Error> {
    let Ok(metadata) = std::fs::symlink_metadata(target) else {
        return Ok(false);
    };
    if metadata.is_symlink() || !metadata.is_dir() {
        return Err(refused(target, "is a file or a link, not a folder"));
    }
    let entries = aris_fs::walk_sorted(target, &mut |_| true)?;
    if entries.is_empty() {
        return Ok(true);
    }
    let Some(listed) = aris_fs::read_optional(&target.join(LIST), aris_fs::READ_LIMIT)?
        .and_then(|bytes| parse(&bytes))
    else {
        return Err(refused(target, NOT_OURS));
    };
    for entry in entries {
        let inner = entry.path.strip_prefix(target).unwrap_or(&entry.path);
        let path = inner.to_string_lossy();
        let ours = match entry.kind {
            // A folder of ours has files of ours; an empty one loses nothing.
            EntryKind::Folder => true,
            EntryKind::File if path == LIST => true,
            EntryKind::File if listed.contains_key(path.as_ref()) => {
                let bytes = aris_fs::read(&entry.path, aris_fs::READ_LIMIT)?;
                listed.get(path.as_ref()) == Some(&hex(&Sha256::digest(&bytes)))
            }
            _ => false,
        };
        if !ours {
            let why = format!("holds {path}, which was added or changed after the export");
            let hint = "move that file away, or choose another folder; nothing was changed";
            return Err(Error::usage(format!("{} {why}", target.display()), hint));
        }
    }
    Ok(true)
}

fn parse(bytes: &[u8]) -> Option<BTreeMap<String, String>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, rest) = text.split_once('\n')?;
    let line = |line: &str| {
        line.split_once(' ')
            .map(|(digest, path)| (path.to_owned(), digest.to_owned()))
    };
    (head == HEAD).then(|| rest.lines().filter_map(line).collect())
}

fn list(files: &Files) -> String {
    let mut out = format!("{HEAD}\n");
    for (path, bytes) in files {
        out.push_str(&hex(&Sha256::digest(bytes)));
        out.push(' ');
        out.push_str(path);
        out.push('\n');
    }
    out
}

/// Writes a site. The list comes first, so that what a killed run leaves behind is known to be ours.
fn write(staged: &Path, files: &Files) -> Result<(), Error> {
    aris_fs::create_folder(staged)?;
    aris_fs::create_file(&staged.join(LIST), list(files).as_bytes(), MODE)?;
    let folders = files.keys().filter_map(|path| Path::new(path).parent());
    let folders: BTreeSet<&Path> = folders.collect();
    // The first is the site's root, which is there.
    for folder in folders.into_iter().skip(1) {
        aris_fs::create_folder(&staged.join(folder))?;
    }
    for (path, bytes) in files {
        aris_fs::create_file(&staged.join(path), bytes, MODE)?;
    }
    Ok(())
}

/// Removes what a killed run left beside the site: files of its list, whole or begun, and nothing else. The caller holds the lock.
fn clear(parent: &Path, staged: &Path) -> Result<(), Error> {
    let Ok(metadata) = std::fs::symlink_metadata(staged) else {
        return Ok(());
    };
    let listed = if metadata.is_dir() {
        aris_fs::read_optional(&staged.join(LIST), aris_fs::READ_LIMIT)?
    } else {
        None
    };
    let empty = || aris_fs::list_sorted(staged).is_ok_and(|entries| entries.is_empty());
    let begun = listed.as_deref().is_some_and(|bytes| {
        bytes.is_empty() || HEAD.as_bytes().starts_with(bytes) || bytes.starts_with(HEAD.as_bytes())
    });
    if begun || (metadata.is_dir() && empty()) {
        return Ok(aris_fs::remove_tree(parent, staged)?);
    }
    Err(refused(staged, NOT_OURS))
}

/// Removes a site that was written and is not wanted.
fn clear_written(parent: &Path, staged: &Path, files: &Files) -> Result<(), Error> {
    let ours = aris_fs::read_optional(&staged.join(LIST), aris_fs::READ_LIMIT)?;
    if ours.as_deref() == Some(list(files).as_bytes()) {
        aris_fs::remove_tree(parent, staged)?;
    }
    Ok(())
}
