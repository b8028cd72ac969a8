//! The edge: every file is opened once, and its digest is of the bytes that were judged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_audit::{Digest, project};
use aris_claims::evidence::{Format, MAX_FILE_BYTES};
use aris_claims::{Evidence, EvidenceReader};
use aris_fs::{Entry, EntryKind};
use aris_latex::{Document, IncludeKind, IncludeOutcome, Loaded, RootError, find_root};

use crate::error::Error;
use crate::finding::Finding;

/// Bytes of one LaTeX source: far above any that a person writes.
const SOURCE_LIMIT: u64 = 64 << 20;

/// Folders of raw results, by custom.
const RESULT_FOLDERS: [&str; 2] = ["results", "outputs"];

/// Result and settings files that are looked for by name wherever the project keeps them.
///
/// **Source**: what training frameworks write (Hugging Face, Weights & Biases, Hydra), and `gate.md`.
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

/// The inputs of the audit.
#[derive(Default)]
pub(crate) struct Inputs {
    /// Digest of every file that was read, by path relative to the paper folder.
    pub(crate) digests: BTreeMap<String, Digest>,
    /// What could not be read.
    pub(crate) findings: Vec<Finding>,
}

/// The folders that files may come from.
pub(crate) struct Roots {
    /// The paper folder, absolute.
    pub(crate) paper: PathBuf,
    /// The project that it belongs to.
    pub(crate) project: PathBuf,
    real: Vec<PathBuf>,
}

impl Roots {
    pub(crate) fn new(paper: &Path) -> Self {
        let project = project::of_paper(paper);
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        Self {
            real: vec![real(paper), real(&project)],
            paper: paper.to_path_buf(),
            project,
        }
    }

    /// Whether a path, links resolved, lies in the paper or the project.
    pub(crate) fn allow(&self, path: &Path) -> bool {
        path.canonicalize()
            .is_ok_and(|real| self.real.iter().any(|root| real.starts_with(root)))
    }

    /// The path as the artifact names it: relative to the paper folder, `../results/a.json` outside.
    pub(crate) fn name(&self, path: &Path) -> String {
        let path = aris_fs::lexical(path);
        let mut base = self.paper.clone();
        let mut ups = String::new();
        loop {
            if let Ok(rest) = path.strip_prefix(&base) {
                let rest: Vec<String> = rest
                    .components()
                    .map(|part| part.as_os_str().to_string_lossy().into_owned())
                    .collect();
                return format!("{ups}{}", rest.join("/"));
            }
            if !base.pop() {
                return path.to_string_lossy().replace('\\', "/");
            }
            ups.push_str("../");
        }
    }
}

/// Reads the paper from its root document; none with a finding when there is no document to audit.
pub(crate) fn paper(roots: &Roots, root: Option<&str>, inputs: &mut Inputs) -> Option<Document> {
    let mut cache: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let root = match root {
        Some(root) => root.replace('\\', "/"),
        None => match find(roots, &mut cache) {
            Ok(root) => root,
            Err(finding) => {
                inputs.findings.push(*finding);
                return None;
            }
        },
    };
    let digests = &mut inputs.digests;
    let mut loader = |path: &str| {
        let bytes = match cache.remove(path) {
            Some(bytes) => bytes,
            None => match read(roots, &roots.paper.join(path), SOURCE_LIMIT) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => return Loaded::Absent,
                Err(reason) => return Loaded::Unreadable(reason),
            },
        };
        digests.insert(path.to_owned(), Digest::of(&bytes));
        match String::from_utf8(bytes) {
            Ok(text) => Loaded::Text(Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text))),
            Err(error) => {
                let line = error
                    .as_bytes()
                    .iter()
                    .take(error.utf8_error().valid_up_to())
                    .filter(|byte| **byte == b'\n')
                    .count()
                    + 1;
                Loaded::Unreadable(format!("not UTF-8 in line {line}; save it as UTF-8"))
            }
        }
    };
    let document = match Document::read(&root, &mut loader) {
        Ok(document) => document,
        Err(error) => {
            let id = match error {
                aris_latex::Error::RootAbsent { .. } => "no_root_document",
                aris_latex::Error::RootUnreadable { .. } => "source_unreadable",
                aris_latex::Error::TooDeep { .. } | aris_latex::Error::TooLarge { .. } => {
                    "document_too_large"
                }
            };
            inputs.findings.push(Finding::new(
                id,
                &root,
                error.to_string(),
                "name the root document with --root, or repair it",
            ));
            return None;
        }
    };
    for include in &document.includes {
        let is_source = matches!(
            include.kind,
            IncludeKind::Input | IncludeKind::Include | IncludeKind::Subfile | IncludeKind::Import
        );
        let target = &include.target;
        let (id, message) = match &include.outcome {
            IncludeOutcome::Missing => ("source_missing", format!("`{target}` does not exist")),
            IncludeOutcome::Unreadable(reason) => (
                "source_unreadable",
                format!("`{target}` cannot be read: {reason}"),
            ),
            IncludeOutcome::Unresolved => (
                "source_missing",
                format!("`{target}` holds a macro that is not defined"),
            ),
            IncludeOutcome::Read { .. }
            | IncludeOutcome::NotRead
            | IncludeOutcome::Excluded
            | IncludeOutcome::Cycle => continue,
        };
        if is_source {
            let position = document.position(include.place);
            let action = "add the file or drop the command; its numbers are not audited";
            inputs.findings.push(
                Finding::new(id, &position.path, message, action)
                    .at(position.line, position.column),
            );
        }
    }
    Some(document)
}

fn find(roots: &Roots, cache: &mut BTreeMap<String, Vec<u8>>) -> Result<String, Box<Finding>> {
    let entries = aris_fs::walk_sorted(&roots.paper, &mut |entry| {
        !entry.name.to_string_lossy().starts_with('.')
    })
    .map_err(|error| {
        Box::new(Finding::new(
            "source_unreadable",
            "",
            format!("the paper folder cannot be listed: {error}"),
            "check its permissions",
        ))
    })?;
    let mut texts: Vec<(String, String)> = Vec::new();
    for entry in entries {
        let is_file = matches!(entry.kind, EntryKind::File | EntryKind::Link);
        if !is_file
            || entry
                .path
                .extension()
                .is_none_or(|extension| extension != "tex")
        {
            continue;
        }
        if let Ok(Some(bytes)) = read(roots, &entry.path, SOURCE_LIMIT) {
            let name = roots.name(&entry.path);
            // A file that is not UTF-8 may still be the root: its marks are ASCII.
            texts.push((name.clone(), String::from_utf8_lossy(&bytes).into_owned()));
            cache.insert(name, bytes);
        }
    }
    find_root(&texts).map_err(|error| {
        let id = match &error {
            RootError::None => "no_root_document",
            RootError::Several { .. } => "several_root_documents",
        };
        Box::new(Finding::new(
            id,
            "",
            error.to_string(),
            "choose one with --root",
        ))
    })
}

/// Reads a file of the paper or its project; the reason, lower case, when it cannot be read.
pub(crate) fn read(roots: &Roots, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, String> {
    if path.canonicalize().is_ok() && !roots.allow(path) {
        return Err(String::from("it lies outside the project"));
    }
    aris_fs::read_optional(path, limit)
        .map_err(|error| aris_contract::failure::ErrorBody::of(&error).message)
}

/// Reads all raw results; also says how many files there were.
pub(crate) fn results(
    roots: &Roots,
    named: &[PathBuf],
    inputs: &mut Inputs,
) -> Result<Evidence, Error> {
    let mut files: BTreeSet<PathBuf> = BTreeSet::new();
    for path in named {
        if !path.exists() {
            return Err(Error::Results { path: path.clone() });
        }
        if !roots.allow(path) {
            return Err(Error::Outside {
                path: path.clone(),
                project: roots.project.clone(),
            });
        }
        collect(path, &mut files, inputs, roots);
    }
    let parent = roots.paper.parent().unwrap_or(&roots.paper).to_path_buf();
    let mut homes = vec![roots.paper.clone()];
    if roots.allow(&parent) {
        homes.push(parent.clone());
    }
    homes.push(roots.project.clone());
    let mut beside = false;
    for (at, home) in homes.iter().enumerate() {
        for name in RESULT_FOLDERS {
            let folder = home.join(name);
            if folder.is_dir() {
                beside |= at < 2;
                collect(&folder, &mut files, inputs, roots);
            }
        }
    }
    // Where results lie beside the paper, the experiment ends there. Otherwise the repository is its home; a project that is
    // only marked by `.aris/` may be somebody's whole home directory and is not searched.
    let repository = roots.project.join(".git").exists();
    let home = if beside || !repository {
        &parent
    } else {
        &roots.project
    };
    if roots.allow(home) {
        search(home, 0, &mut 0, &mut files);
    }
    let mut reader = EvidenceReader::default();
    for path in files {
        let name = roots.name(&path);
        let limit = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
        match read(roots, &path, limit) {
            Ok(None) => {}
            Err(reason) => inputs.findings.push(Finding::new(
                "result_unreadable",
                &name,
                format!("{name}: {reason}"),
                "make it a readable file of the project, and not larger than a result file may be",
            )),
            Ok(Some(bytes)) => {
                inputs.digests.insert(name.clone(), Digest::of(&bytes));
                if let Err(error) = reader.add(&name, &bytes) {
                    let finding = Finding::new(
                        "result_malformed",
                        &name,
                        error.to_string(),
                        "repair the file or remove it; what it holds was not compared",
                    );
                    inputs.findings.push(finding.at(error.line, error.column));
                }
            }
        }
    }
    Ok(reader.finish())
}

/// Result files at or below a folder of results; hidden entries are passed over.
fn collect(at: &Path, files: &mut BTreeSet<PathBuf>, inputs: &mut Inputs, roots: &Roots) {
    if at.is_file() {
        files.insert(aris_fs::lexical(at));
        return;
    }
    let walked = aris_fs::walk_sorted(at, &mut |entry| {
        !entry.name.to_string_lossy().starts_with('.')
    });
    match walked {
        Ok(entries) => {
            for entry in &entries {
                if is_result(entry) {
                    files.insert(aris_fs::lexical(&entry.path));
                } else if let Some(reason) = lost(entry) {
                    let name = roots.name(&entry.path);
                    inputs.findings.push(Finding::new(
                        "result_unreadable",
                        &name,
                        format!("{name}: {reason}"),
                        "put the file there, or remove the entry; what it held was not compared",
                    ));
                }
            }
        }
        Err(error) => {
            let name = roots.name(at);
            inputs.findings.push(Finding::new(
                "result_unreadable",
                &name,
                format!("{name} cannot be listed: {error}"),
                "check its permissions",
            ));
        }
    }
}

/// Looks for files by name. A folder that cannot be listed is passed over: nobody said that results are there.
fn search(at: &Path, depth: usize, seen: &mut usize, files: &mut BTreeSet<PathBuf>) {
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
                search(&entry.path, depth + 1, seen, files);
            }
        } else if KNOWN_FILES.contains(&name.as_ref()) && is_result(&entry) {
            files.insert(aris_fs::lexical(&entry.path));
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
