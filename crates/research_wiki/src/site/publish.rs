//! Puts a site in its place: completely or not at all, and never over files that this program did not write.
//!
//! The site is written beside its place and then exchanged with the old one. It contains a list of its files with their digests: an
//! older site is replaced only while it holds exactly the files of its own list. A power failure may damage a site; it can be exported
//! again.

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
/// First line of the list.
const HEAD: &str = "aris wiki site 1";
/// Mode of the files: readable for everybody who may enter the folder.
const MODE: u32 = 0o644;

/// Writes `files` as the folder `target`. Exporters of the same wiki wait for each other, unless the lock cannot be written.
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
        // The partial site is our own. If it cannot be removed now, the next export removes it.
        clear(&parent, &staged).unwrap_or_default();
        return Err(error);
    }
    if there {
        aris_fs::exchange(&staged, &target)?;
        // Somebody may have put files there since the check.
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

/// Refuses a target inside the wiki's folders, and the wiki itself and the folders above it.
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

/// The error for a target that is the wiki, one of its files, or among its pages.
pub(crate) fn among_pages(target: &Path) -> Error {
    let why = "is the wiki, one of its files, or is among its pages";
    let what = format!("{} {why}", target.display());
    let hint = "choose a place outside the wiki's pages; nothing was changed";
    Error::usage(what, hint)
}

/// The error for a target that cannot hold a site.
fn refused(target: &Path, why: &str) -> Error {
    let hint = "name a folder that is absent, empty, or an earlier export; nothing was changed";
    Error::usage(format!("{} {why}", target.display()), hint)
}

/// Reason for refusing a folder that is not an exported site.
const NOT_OURS: &str = "is not empty, and not an exported site";

/// Whether `target` exists as an empty folder or as a site of ours. Anything else that exists is an error.
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
            // The files in our folders are checked one by one; an empty folder may be lost.
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

/// Writes a site. The list is written first, so that the next run recognises what a killed run left behind.
fn write(staged: &Path, files: &Files) -> Result<(), Error> {
    aris_fs::create_folder(staged)?;
    aris_fs::create_file(&staged.join(LIST), list(files).as_bytes(), MODE)?;
    let folders = files.keys().filter_map(|path| Path::new(path).parent());
    let folders: BTreeSet<&Path> = folders.collect();
    // The first folder is the site's root, which exists already.
    for folder in folders.into_iter().skip(1) {
        aris_fs::create_folder(&staged.join(folder))?;
    }
    for (path, bytes) in files {
        aris_fs::create_file(&staged.join(path), bytes, MODE)?;
    }
    Ok(())
}

/// Removes the folder that a killed run left beside the site: one that is empty, or whose list is complete or begun. The caller holds
/// the lock.
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

/// Removes a site that was written but is not wanted.
fn clear_written(parent: &Path, staged: &Path, files: &Files) -> Result<(), Error> {
    let ours = aris_fs::read_optional(&staged.join(LIST), aris_fs::READ_LIMIT)?;
    if ours.as_deref() == Some(list(files).as_bytes()) {
        aris_fs::remove_tree(parent, staged)?;
    }
    Ok(())
}
