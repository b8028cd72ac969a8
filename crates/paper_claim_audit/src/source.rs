//! The edge: every file is opened once, and its digest is of the bytes that were judged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_audit::{Digest, PaperFiles, missing_sources};
use aris_claims::evidence::{Format, MAX_FILE_BYTES};
use aris_claims::{Evidence, EvidenceReader};
use aris_fs::{Entry, EntryKind};
use aris_latex::Document;

use crate::error::Error;
use crate::finding::Finding;

/// Folders of raw results, by custom.
const RESULT_FOLDERS: [&str; 2] = ["results", "outputs"];

/// Result and settings files that are looked for by name wherever the project keeps them.
///
/// **Source**: what training frameworks write (Hugging Face, Weights & Biases, Hydra), and the design of the submission gate.
const KNOWN_FILES: [&str; 6] = [
    "metrics.json",
    "eval_results.json",
    "config.yaml",
    "config.yml",
    "args.json",
    "wandb-summary.json",
];

/// Folders that hold no results of the project.
const SKIPPED: [&str; 6] = [
    "node_modules",
    "target",
    "venv",
    "__pycache__",
    "site-packages",
    "env",
];

/// Folders below each other that the search by name enters.
const DEPTH: usize = 6;

/// Entries looked at in the search by name; beyond that the project is too large for a search and `--results` is asked for.
const SEARCHED: usize = 20_000;

/// Reads the paper from its root document; none with a finding when there is no document to audit.
pub(crate) fn paper(
    files: &mut PaperFiles,
    root: Option<&str>,
    findings: &mut Vec<Finding>,
) -> Option<Document> {
    match files.document(root) {
        Ok(document) => {
            findings.extend(missing_sources(&document).into_iter().map(Finding::from));
            Some(document)
        }
        Err(obstacle) => {
            findings.push(Finding::from(*obstacle));
            None
        }
    }
}

/// Reads all raw results; also says how many files there were.
pub(crate) fn results(
    files: &mut PaperFiles,
    named: &[PathBuf],
    findings: &mut Vec<Finding>,
) -> Result<Evidence, Error> {
    let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
    for path in named {
        if !path.exists() {
            return Err(Error::Results { path: path.clone() });
        }
        if !files.allows(path) {
            return Err(Error::Outside {
                path: path.clone(),
                project: files.project.clone(),
            });
        }
        collect(path, &mut paths, findings, files);
    }
    let parent = files.folder.parent().unwrap_or(&files.folder).to_path_buf();
    let mut homes = vec![files.folder.clone()];
    if files.allows(&parent) {
        homes.push(parent.clone());
    }
    homes.push(files.project.clone());
    let mut beside = false;
    for (at, home) in homes.iter().enumerate() {
        for name in RESULT_FOLDERS {
            let folder = home.join(name);
            if folder.is_dir() {
                beside |= at < 2;
                collect(&folder, &mut paths, findings, files);
            }
        }
    }
    // Where results lie beside the paper, the experiment ends there. Otherwise the repository is its home; a project that is
    // only marked by `.aris/` may be somebody's whole home directory and is not searched.
    let repository = files.project.join(".git").exists();
    let home = if beside || !repository {
        &parent
    } else {
        &files.project
    };
    if files.allows(home) {
        search(home, 0, &mut 0, &mut paths);
    }
    let mut reader = EvidenceReader::default();
    for path in paths {
        let name = files.name(&path);
        let limit = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
        match files.read(&path, limit) {
            Ok(None) => {}
            Err(reason) => findings.push(Finding::new(
                "result_unreadable",
                &name,
                format!("{name}: {reason}"),
                "make it a readable file of the project, and not larger than a result file may be",
            )),
            Ok(Some(bytes)) => {
                files.digests.insert(name.clone(), Digest::of(&bytes));
                if let Err(error) = reader.add(&name, &bytes) {
                    let finding = Finding::new(
                        "result_malformed",
                        &name,
                        error.to_string(),
                        "repair the file or remove it; what it holds was not compared",
                    );
                    findings.push(finding.at(error.line, error.column));
                }
            }
        }
    }
    Ok(reader.finish())
}

/// Result files at or below a folder of results; hidden entries are passed over.
fn collect(
    at: &Path,
    paths: &mut BTreeSet<PathBuf>,
    findings: &mut Vec<Finding>,
    files: &PaperFiles,
) {
    if at.is_file() {
        paths.insert(aris_fs::lexical(at));
        return;
    }
    let walked = aris_fs::walk_sorted(at, &mut |entry| {
        !entry.name.to_string_lossy().starts_with('.')
    });
    match walked {
        Ok(entries) => {
            for entry in &entries {
                if is_result(entry) {
                    paths.insert(aris_fs::lexical(&entry.path));
                } else if let Some(reason) = lost(entry) {
                    let name = files.name(&entry.path);
                    findings.push(Finding::new(
                        "result_unreadable",
                        &name,
                        format!("{name}: {reason}"),
                        "put the file there, or remove the entry; what it held was not compared",
                    ));
                }
            }
        }
        Err(error) => {
            let name = files.name(at);
            findings.push(Finding::new(
                "result_unreadable",
                &name,
                format!("{name} cannot be listed: {error}"),
                "check its permissions",
            ));
        }
    }
}

/// Looks for files by name. A folder that cannot be listed is passed over: nobody said that results are there.
fn search(at: &Path, depth: usize, seen: &mut usize, paths: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = aris_fs::list_sorted(at) else {
        return;
    };
    for entry in entries {
        *seen += 1;
        if *seen > SEARCHED {
            return;
        }
        let name = entry.name.to_string_lossy();
        if entry.kind == EntryKind::Folder {
            if depth < DEPTH && !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
                search(&entry.path, depth + 1, seen, paths);
            }
        } else if KNOWN_FILES.contains(&name.as_ref()) && is_result(&entry) {
            paths.insert(aris_fs::lexical(&entry.path));
        }
    }
}

/// A file in a format that is read and not written by an audit.
fn is_result(entry: &Entry) -> bool {
    let name = entry.name.to_string_lossy();
    let is_file = matches!(entry.kind, EntryKind::File | EntryKind::Link) && entry.path.is_file();
    let own = name.ends_with("_AUDIT.json") || name.starts_with('.');
    is_file && !own && Format::from_path(&name).is_some()
}

/// Why an entry that is named like a result holds none: a run that is not there must not go unnoticed.
fn lost(entry: &Entry) -> Option<&'static str> {
    let name = entry.name.to_string_lossy();
    if name.starts_with('.') || Format::from_path(&name).is_none() {
        return None;
    }
    match entry.kind {
        EntryKind::Link if !entry.path.exists() => Some("it is a link to nothing"),
        EntryKind::Link if !entry.path.is_dir() && !entry.path.is_file() => {
            Some("it is a link to something that is no file")
        }
        EntryKind::Special => Some("it is no regular file"),
        EntryKind::File | EntryKind::Folder | EntryKind::Link => None,
    }
}
