//! Compares the recorded installation with the disk.

use std::path::{Path, PathBuf};

use aris_audit::{Digest, digest_files};
use aris_contract::artifact::install::{CANONICAL_SKILLS, CLAUDE_SKILLS, Content, INSTALLED_TOOLS};
use aris_fs::{EntryKind, display_relative};

use super::finding::{Findings, Id};
use super::record::Record;
use crate::project::Project;

/// A file with the digest and the execute bit it was installed with.
type Installed<'r> = (PathBuf, &'r str, bool);

pub(crate) fn check(project: &Project, record: &Record, findings: &mut Findings) {
    let root = &project.root;
    let mut files = Vec::new();
    match (&record.full, &record.reference) {
        (Some(full), _) => {
            for entry in &full.entries {
                let Ok(path) = aris_fs::join_inside(root, Path::new(&entry.path)) else {
                    let message = "is listed in the record and is not a path in the project";
                    let found = findings.add(Id::ManifestInvalid, &entry.path, message);
                    found.hint("run install_aris --reconcile in the project");
                    continue;
                };
                match &entry.content {
                    Content::Link { target } => link(root, &path, Path::new(target), findings),
                    Content::File { digest, executable } => {
                        files.push((path, digest.as_str(), *executable));
                    }
                    Content::Tree { files: tree } => {
                        files.extend(tree.iter().filter_map(|file| {
                            let path = aris_fs::join_inside(&path, Path::new(&file.path)).ok()?;
                            Some((path, file.digest.as_str(), file.executable))
                        }));
                    }
                }
            }
        }
        (None, Some(reference)) => {
            for entry in &reference.entries {
                if let Content::Link { target } = &entry.content {
                    link(root, &root.join(&entry.path), Path::new(target), findings);
                }
            }
        }
        (None, None) => {}
    }
    contents(root, &files, findings);
    for folder in [CANONICAL_SKILLS, CLAUDE_SKILLS, INSTALLED_TOOLS] {
        dangling(root, folder, findings);
    }
}

/// Checks a link that was installed with the text `target`.
fn link(root: &Path, path: &Path, target: &Path, findings: &mut Findings) {
    let shown = display_relative(path, root);
    if path.symlink_metadata().is_err() {
        findings.add(Id::EntryMissing, shown, "was installed and is gone");
        return;
    }
    match path.read_link() {
        Err(_) => {
            let message = "was installed as a link and is no longer one";
            findings.add(Id::EntryReplaced, shown, message);
        }
        Ok(now) if now != target && path.canonicalize().ok() != target.canonicalize().ok() => {
            let (now, then) = (now.display(), target.display());
            let message = format!("leads to {now} and was installed to lead to {then}");
            findings.add(Id::LinkElsewhere, shown, message);
        }
        Ok(_) => {}
    }
}

fn contents(root: &Path, files: &[Installed<'_>], findings: &mut Findings) {
    let paths: Vec<&PathBuf> = files.iter().map(|(path, ..)| path).collect();
    for ((path, installed, executable), digest) in files.iter().zip(digest_files(&paths)) {
        let shown = display_relative(path, root);
        match digest {
            Err(error) if error.is_not_found() => {
                findings.add(Id::EntryMissing, shown, "was installed and is gone");
            }
            Err(error) => {
                findings.add(Id::Unreadable, shown, error.to_string());
            }
            Ok(digest) if Digest::parse(installed) != Some(digest) => {
                findings.add(Id::DigestMismatch, shown, "is not what was installed");
            }
            Ok(_) if *executable && !is_executable(path) => findings.not_executable(&shown),
            Ok(_) => {}
        }
    }
}

pub(crate) fn is_executable(path: &Path) -> bool {
    matches!(
        aris_fs::usable_helper(path),
        aris_contract::resolve::Probe::Usable
    )
}

/// Reports dangling links in a folder of installed entries, recorded or not.
fn dangling(root: &Path, folder: &str, findings: &mut Findings) {
    let path = root.join(folder);
    let broken = |path: &Path| path.is_symlink() && !path.exists();
    let mut found = |path: &Path| {
        let target = path.read_link().unwrap_or_default();
        let message = format!("leads to {}, which does not exist", target.display());
        findings.add(Id::LinkDangling, display_relative(path, root), message);
    };
    if broken(&path) {
        found(&path);
    } else if path.is_dir() && !path.is_symlink() {
        match aris_fs::list_sorted(&path) {
            Ok(entries) => {
                for entry in entries
                    .iter()
                    .filter(|entry| entry.kind == EntryKind::Link && broken(&entry.path))
                {
                    found(&entry.path);
                }
            }
            Err(error) => {
                let found = findings.add(Id::Unreadable, folder, error.to_string());
                found.hint("make it readable");
            }
        }
    }
}
