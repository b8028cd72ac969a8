//! What was installed, against what is there now.

use std::path::{Path, PathBuf};

use aris_audit::{Digest, digest_files};
use aris_contract::artifact::install::{CANONICAL_SKILLS, CLAUDE_SKILLS, Content, INSTALLED_TOOLS};
use aris_fs::{EntryKind, display_relative};

use super::finding::{Findings, Id};
use super::record::Record;
use crate::project::Project;

const REPAIR: &str = "run install_aris --reconcile in the project";

/// A file with the digest and the execute bit it was installed with.
struct Installed {
    path: PathBuf,
    digest: String,
    executable: bool,
}

pub(crate) fn check(project: &Project, record: &Record, findings: &mut Findings) {
    let root = &project.root;
    let mut files = Vec::new();
    match (&record.full, &record.reference) {
        (Some(full), _) => {
            for entry in &full.entries {
                let Ok(path) = aris_fs::join_inside(root, Path::new(&entry.path)) else {
                    findings.error(
                        Id::ManifestInvalid,
                        &entry.path,
                        "is listed in the record and is not a path in the project",
                        REPAIR,
                    );
                    continue;
                };
                match &entry.content {
                    Content::Link { target } => link(root, &path, Path::new(target), findings),
                    Content::File { digest, executable } => files.push(Installed {
                        path,
                        digest: digest.clone(),
                        executable: *executable,
                    }),
                    Content::Tree { files: tree } => {
                        files.extend(tree.iter().filter_map(|file| {
                            Some(Installed {
                                path: aris_fs::join_inside(&path, Path::new(&file.path)).ok()?,
                                digest: file.digest.clone(),
                                executable: file.executable,
                            })
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

/// A link that was installed with the text `target`.
fn link(root: &Path, path: &Path, target: &Path, findings: &mut Findings) {
    let shown = display_relative(path, root);
    if path.symlink_metadata().is_err() {
        findings.error(Id::EntryMissing, shown, "was installed and is gone", REPAIR);
        return;
    }
    match path.read_link() {
        Err(_) => findings.warning(
            Id::EntryReplaced,
            shown,
            "was installed as a link and is no longer one",
            "move it away if it is yours, then run install_aris --reconcile",
        ),
        Ok(now) if now != target && path.canonicalize().ok() != target.canonicalize().ok() => {
            findings.warning(
                Id::LinkElsewhere,
                shown,
                format!(
                    "leads to {} and was installed to lead to {}",
                    now.display(),
                    target.display()
                ),
                REPAIR,
            );
        }
        Ok(_) => {}
    }
}

fn contents(root: &Path, files: &[Installed], findings: &mut Findings) {
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    for (file, digest) in files.iter().zip(digest_files(&paths)) {
        let shown = display_relative(&file.path, root);
        match digest {
            Err(error) if error.is_not_found() => {
                findings.error(Id::EntryMissing, shown, "was installed and is gone", REPAIR);
            }
            Err(error) => {
                findings.unreadable(shown, &error, "make it a readable file");
            }
            Ok(digest) if Digest::parse(&file.digest) != Some(digest) => findings.warning(
                Id::DigestMismatch,
                shown,
                "is not what was installed",
                "keep your copy elsewhere if the change is yours, then run install_aris --reconcile",
            ),
            Ok(_) if file.executable && !is_executable(&file.path) => findings.not_executable(&shown),
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

/// Links to nothing in a folder of installed things, recorded or not.
fn dangling(root: &Path, folder: &str, findings: &mut Findings) {
    let path = root.join(folder);
    let broken = |path: &Path| path.is_symlink() && !path.exists();
    let hint = "remove it, or put back what it leads to";
    let mut found = |path: &Path| {
        let target = path.read_link().unwrap_or_default();
        findings.error(
            Id::LinkDangling,
            display_relative(path, root),
            format!("leads to {}, which does not exist", target.display()),
            hint,
        );
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
            Err(error) => findings.unreadable(folder, &error, "make it readable"),
        }
    }
}
