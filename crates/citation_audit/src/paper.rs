//! The edge: the paper's files, each read once, and the document and bibliographies made of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_audit::{Digest, project};
use aris_fs::EntryKind;
use aris_latex::{
    Document, Include, IncludeKind, IncludeOutcome, Loaded, Position, Problem, ProblemKind,
    RootError, find_root,
};
use aris_paper::bib::{self, Bibliography};

use crate::citations::QUOTE;
use crate::finding::{Finding, Severity};

/// Bytes of one source: far above any that a person or a reference manager writes, and still safe to hold in memory.
const FILE_LIMIT: u64 = 128 << 20;

/// `.bib` files of TeX distributions that hold macros only; papers name them and do not carry them.
///
/// **Source**: CTAN, package `IEEEtran` (`IEEEabrv.bib`, `IEEEfull.bib`)
const DISTRIBUTED: [&str; 2] = ["ieeeabrv.bib", "ieeefull.bib"];

/// What was read of a paper.
pub(crate) struct Paper {
    /// The document; `None` when there is none to audit, which a finding explains.
    pub(crate) document: Option<Document>,
    /// The bibliographies in the order in which the document names them.
    pub(crate) bibliographies: Vec<BibFile>,
    /// Whether the document asks for a bibliography, found or not.
    pub(crate) asks_for_bibliography: bool,
    /// Whether macros of a distributed file may be used.
    pub(crate) distributed_macros: bool,
    /// Digest of every file that the audit rests on, by path relative to the paper folder.
    pub(crate) inputs: BTreeMap<String, Digest>,
    /// What could not be read.
    pub(crate) findings: Vec<Finding>,
}

/// One bibliography.
pub(crate) struct BibFile {
    /// Path relative to the paper folder.
    pub(crate) path: String,
    /// Its entries.
    pub(crate) read: Bibliography,
}

enum Found {
    Bytes(Vec<u8>),
    Absent,
    Unreadable(String),
}

/// Reads the paper in `folder` (absolute) from its root document.
pub(crate) fn read(folder: &Path, root: Option<&str>) -> Paper {
    let mut files = Files::new(folder);
    let mut paper = Paper {
        document: None,
        bibliographies: Vec::new(),
        asks_for_bibliography: false,
        distributed_macros: false,
        inputs: BTreeMap::new(),
        findings: Vec::new(),
    };
    let root = match root {
        Some(root) => root.replace('\\', "/"),
        None => match files.root() {
            Ok(root) => root,
            Err(finding) => {
                paper.findings.push(*finding);
                return paper;
            }
        },
    };
    let document = match Document::read(&root, &mut |path: &str| files.load(path)) {
        Ok(document) => document,
        Err(error) => {
            paper.findings.push(unreadable(&root, &error));
            paper.inputs = files.inputs;
            return paper;
        }
    };
    for include in &document.includes {
        let position = document.position(include.place);
        let quote = document.quote(include.place, QUOTE);
        if include.kind == IncludeKind::Bibliography {
            paper.asks_for_bibliography = true;
            files.bibliography(include, &position, &quote, &mut paper);
        } else if let Some(finding) = missing_source(include) {
            paper
                .findings
                .push(finding.position(&position).quote(quote));
        }
    }
    paper.findings.extend(
        document
            .problems
            .iter()
            .filter_map(|problem| unread(&document, problem)),
    );
    paper.document = Some(document);
    paper.inputs = files.inputs;
    paper
}

fn unreadable(root: &str, error: &aris_latex::Error) -> Finding {
    let (id, action) = match error {
        aris_latex::Error::RootAbsent { .. } => {
            ("no_root_document", "name the root document with --root")
        }
        aris_latex::Error::RootUnreadable { .. } => {
            ("source_unreadable", "make the file readable UTF-8")
        }
        _ => (
            "document_too_large",
            "look for files that include each other",
        ),
    };
    let at = match error {
        aris_latex::Error::TooDeep { at, .. } | aris_latex::Error::TooLarge { at, .. } => {
            at.clone()
        }
        _ => Position {
            path: root.to_owned(),
            line: 1,
            column: 1,
        },
    };
    Finding::new(id, Severity::Block, error.to_string(), action).position(&at)
}

/// A place behind which text may have gone unread, and citations with it.
fn unread(document: &Document, problem: &Problem) -> Option<Finding> {
    match problem.kind {
        ProblemKind::Expansion | ProblemKind::UnclosedConditional | ProblemKind::IncludeCycle => {}
        // The others leave the text as it is, and what is missing is told from the includes.
        ProblemKind::UnclosedGroup
        | ProblemKind::ExtraBrace
        | ProblemKind::UnclosedEnvironment
        | ProblemKind::ExtraEnd
        | ProblemKind::UnclosedMath
        | ProblemKind::MissingInclude
        | ProblemKind::NoDocument => return None,
    }
    let action = "correct the place; citations behind it may not have been audited";
    let finding = Finding::new(
        "latex_incomplete",
        Severity::Warn,
        problem.message.clone(),
        action,
    );
    Some(
        finding
            .position(&document.position(problem.place))
            .quote(document.quote(problem.place, QUOTE)),
    )
}

/// A source that the document asks for and that cannot be read: citations in it would go unseen.
fn missing_source(include: &Include) -> Option<Finding> {
    let is_source = matches!(
        include.kind,
        IncludeKind::Input | IncludeKind::Include | IncludeKind::Subfile | IncludeKind::Import
    );
    if !is_source {
        return None;
    }
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
        | IncludeOutcome::Cycle => {
            return None;
        }
    };
    Some(Finding::new(
        id,
        Severity::Block,
        message,
        "add the file or drop the command; its citations are not audited",
    ))
}

struct Files {
    folder: PathBuf,
    /// Real paths of the folders that files may come from.
    allowed: Vec<PathBuf>,
    /// Sources read while the root was looked for.
    cache: BTreeMap<String, Vec<u8>>,
    inputs: BTreeMap<String, Digest>,
}

impl Files {
    fn new(folder: &Path) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let allowed = vec![real(folder), real(&project::of_paper(folder))];
        Self {
            folder: folder.to_path_buf(),
            allowed,
            cache: BTreeMap::new(),
            inputs: BTreeMap::new(),
        }
    }

    /// Finds the root document among the paper's `.tex` files.
    fn root(&mut self) -> Result<String, Box<Finding>> {
        let entries = aris_fs::walk_sorted(&self.folder, &mut |entry| {
            !entry.name.to_string_lossy().starts_with('.')
        })
        .map_err(|error| {
            let message = format!("the paper folder cannot be listed: {error}");
            Finding::new(
                "source_unreadable",
                Severity::Block,
                message,
                "check its permissions",
            )
        })?;
        let mut texts: Vec<(String, String)> = Vec::new();
        let mut refused = Vec::new();
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
            let path = aris_fs::display_relative(&entry.path, &self.folder);
            match self.bytes(&path) {
                Found::Bytes(bytes) => {
                    // A file that is not UTF-8 may still be the root: its marks are ASCII.
                    texts.push((path.clone(), String::from_utf8_lossy(&bytes).into_owned()));
                    self.cache.insert(path, bytes);
                }
                Found::Absent => {}
                Found::Unreadable(reason) => refused.push(format!("{path}: {reason}")),
            }
        }
        find_root(&texts).map_err(|error| {
            let (id, action) = match &error {
                RootError::None => ("no_root_document", "name the root document with --root"),
                RootError::Several { .. } => ("several_root_documents", "choose one with --root"),
            };
            let mut message = error.to_string();
            if !refused.is_empty() {
                message.push_str("; unreadable: ");
                message.push_str(&refused.join(", "));
            }
            Box::new(Finding::new(id, Severity::Block, message, action))
        })
    }

    /// What the LaTeX reader gets; what it got is an input of the audit.
    fn load(&mut self, path: &str) -> Loaded {
        let bytes = match self.cache.remove(path) {
            Some(bytes) => bytes,
            None => match self.bytes(path) {
                Found::Bytes(bytes) => bytes,
                Found::Absent => return Loaded::Absent,
                Found::Unreadable(reason) => return Loaded::Unreadable(reason),
            },
        };
        self.inputs.insert(path.to_owned(), Digest::of(&bytes));
        match bib::decode(&bytes) {
            Ok(text) => Loaded::Text(Arc::from(text)),
            Err(error) => Loaded::Unreadable(format!("{error}; {}", error.hint())),
        }
    }

    fn bibliography(
        &mut self,
        include: &Include,
        position: &Position,
        quote: &str,
        paper: &mut Paper,
    ) {
        let blocked = |id, message: String, action: &str| {
            Finding::new(id, Severity::Block, message, action)
                .position(position)
                .quote(quote)
        };
        let target = &include.target;
        for path in &include.candidates {
            if paper.bibliographies.iter().any(|file| &file.path == path) {
                return;
            }
            let bytes = match self.bytes(path) {
                Found::Absent => continue,
                Found::Unreadable(reason) => {
                    let message = format!("bibliography `{path}` cannot be read: {reason}");
                    paper.findings.push(blocked(
                        "bibliography_unreadable",
                        message,
                        "make it a readable file of the project",
                    ));
                    return;
                }
                Found::Bytes(bytes) => bytes,
            };
            self.inputs.insert(path.clone(), Digest::of(&bytes));
            match bib::decode(&bytes) {
                Ok(text) => {
                    let earlier: Vec<_> = paper
                        .bibliographies
                        .iter()
                        .flat_map(|file| file.read.macros.iter().cloned())
                        .collect();
                    let read = bib::read_after(text, &earlier);
                    paper.bibliographies.push(BibFile {
                        path: path.clone(),
                        read,
                    });
                }
                Err(error) => {
                    let message = format!("bibliography `{path}`: {error}");
                    let finding = Finding::new(
                        "bibliography_not_utf8",
                        Severity::Block,
                        message,
                        error.hint(),
                    );
                    paper
                        .findings
                        .push(finding.at(path, error.line(), 1).quote(quote));
                }
            }
            return;
        }
        let name = target.to_ascii_lowercase();
        let file = format!("{}.bib", name.strip_suffix(".bib").unwrap_or(&name));
        if DISTRIBUTED.contains(&file.as_str()) {
            paper.distributed_macros = true;
            return;
        }
        let message = match include.outcome {
            IncludeOutcome::Unresolved => {
                format!("bibliography `{target}` holds a macro that is not defined")
            }
            _ => format!(
                "bibliography `{target}` does not exist (tried {})",
                include.candidates.join(", ")
            ),
        };
        paper.findings.push(blocked(
            "bibliography_missing",
            message,
            "add the file, or correct the name",
        ));
    }

    /// Reads a file of the paper or of its project; nothing else is opened.
    fn bytes(&self, path: &str) -> Found {
        let full = aris_fs::lexical(&self.folder.join(path));
        if let Ok(real) = full.canonicalize()
            && !self.allowed.iter().any(|folder| real.starts_with(folder))
        {
            return Found::Unreadable(String::from("it lies outside the project"));
        }
        match aris_fs::read_optional(&full, FILE_LIMIT) {
            Ok(Some(bytes)) => Found::Bytes(bytes),
            Ok(None) => Found::Absent,
            Err(error) => Found::Unreadable(aris_contract::failure::ErrorBody::of(&error).message),
        }
    }
}
