//! Reads the paper's files, each once, and makes the document and the bibliographies of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aris_audit::{Obstacle, PaperFiles, missing_sources, source_text};
use aris_latex::{
    Document, Holds, Include, IncludeKind, IncludeOutcome, Position, Problem, ProblemKind,
};
use aris_paper::bib::{self, BibFile, Library, is_distributed};

use crate::citations::QUOTE;
use crate::finding::{Finding, Severity};

/// What was read of a paper.
#[derive(Debug)]
pub struct Paper<'d> {
    /// The document; `None` if there is none to audit, which a finding then explains.
    pub document: Option<&'d Document>,
    /// The bibliographies in the order in which the document names them.
    pub bibliographies: Vec<BibFile>,
    /// Which of them each request of the document means: by index into [`Document::includes`].
    meant: BTreeMap<usize, usize>,
    /// Keys of a `.bbl` that replaces a missing bibliography, with their places.
    pub items: BTreeMap<String, Position>,
    /// Whether the document asks for a bibliography, found or not.
    pub asks_for_bibliography: bool,
    /// Whether a distributed `.bib` file is named, whose macros may then be used.
    pub distributed_macros: bool,
    /// Files and text that could not be read.
    pub findings: Vec<Finding>,
}

impl<'d> Paper<'d> {
    /// Reads the bibliographies that the document asks for.
    pub fn read(files: &mut PaperFiles, document: &'d Result<Document, Box<Obstacle>>) -> Self {
        let mut paper = Self {
            document: None,
            bibliographies: Vec::new(),
            meant: BTreeMap::new(),
            items: BTreeMap::new(),
            asks_for_bibliography: false,
            distributed_macros: false,
            findings: Vec::new(),
        };
        match document {
            Ok(document) => {
                for (at, include) in document.includes.iter().enumerate() {
                    if include.kind == IncludeKind::Bibliography {
                        let position = document.position(include.place);
                        // A style file may ask under a condition that is false, so its missing bibliographies are ignored.
                        let of_style = [".sty", ".cls"]
                            .iter()
                            .any(|end| position.path.ends_with(end));
                        let is_there = |path: &String| !matches!(files.source(path), Ok(None));
                        if of_style && !include.candidates.iter().any(is_there) {
                            continue;
                        }
                        paper.asks_for_bibliography = true;
                        let quote = document.quote(include.place, QUOTE);
                        let meant = paper.bibliography(files, document, include, &position, &quote);
                        paper.meant.extend(meant.map(|file| (at, file)));
                    }
                }
                let missing = missing_sources(document);
                paper
                    .findings
                    .extend(missing.into_iter().map(Finding::from));
                let problems = document.problems.iter();
                paper
                    .findings
                    .extend(problems.filter_map(|problem| unread(document, problem)));
                paper.document = Some(document);
            }
            Err(obstacle) => paper
                .findings
                .push(Finding::from(obstacle.as_ref().clone())),
        }
        paper
    }
}

/// The finding for a problem after which citations may be unread; `None` for other problems.
fn unread(document: &Document, problem: &Problem) -> Option<Finding> {
    let (id, action) = match problem.kind {
        ProblemKind::Expansion | ProblemKind::UnclosedConditional | ProblemKind::IncludeCycle => (
            "latex_incomplete",
            "correct the place; citations behind it may not have been audited",
        ),
        ProblemKind::UndefinedMacro
        | ProblemKind::UnreadText(Holds {
            citations: true, ..
        }) => (
            "text_not_read",
            "look at the citations there yourself; the audit did not see them",
        ),
        ProblemKind::Undecided(Holds {
            citations: true, ..
        }) => (
            "undecided",
            "say in the paper which of it is set; until then what is cited there is a question",
        ),
        // The others leave the text as it is. Missing files are reported from the includes.
        ProblemKind::UnclosedGroup
        | ProblemKind::ExtraBrace
        | ProblemKind::UnclosedEnvironment
        | ProblemKind::ExtraEnd
        | ProblemKind::UnclosedMath
        | ProblemKind::MissingInclude
        | ProblemKind::NoDocument
        | ProblemKind::UnreadText(_)
        | ProblemKind::Undecided(_) => return None,
    };
    let finding = Finding::new(id, Severity::Warn, problem.message.clone(), action);
    Some(
        finding
            .position(&document.position(problem.place))
            .quote(document.quote(problem.place, QUOTE)),
    )
}

impl Paper<'_> {
    /// Reads the bibliography that `include` asks for: the first candidate that exists. Returns its number.
    fn bibliography(
        &mut self,
        files: &mut PaperFiles,
        document: &Document,
        include: &Include,
        position: &Position,
        quote: &str,
    ) -> Option<usize> {
        let blocked = |id, message: String, action: &str| {
            Finding::new(id, Severity::Block, message, action)
                .position(position)
                .quote(quote)
        };
        let target = &include.target;
        for path in &include.candidates {
            let mut read = self.bibliographies.iter();
            if let Some(known) = read.position(|file| &file.path == path) {
                return Some(known);
            }
            let bytes = match files.source(path) {
                // LaTeX writes it (`filecontents`) from a source file whose digest is recorded.
                Ok(None) => match document.written_text(path) {
                    Some(text) => text.as_bytes().to_vec(),
                    None => continue,
                },
                Ok(Some(bytes)) => bytes,
                Err(reason) => {
                    let message = format!("bibliography `{path}` cannot be read: {reason}");
                    self.findings.push(blocked(
                        "bibliography_unreadable",
                        message,
                        "make it a readable file of the project",
                    ));
                    return None;
                }
            };
            match bib::decode(&bytes) {
                Ok(text) => {
                    let read = BibFile::read(path.clone(), text, &self.bibliographies);
                    self.bibliographies.push(read);
                    return Some(self.bibliographies.len() - 1);
                }
                Err(error) => {
                    let message = format!("bibliography `{path}`: {error}");
                    let finding = Finding::new(
                        "bibliography_not_utf8",
                        Severity::Block,
                        message,
                        error.hint(),
                    );
                    self.findings
                        .push(finding.at(path, error.line(), 1).quote(quote));
                }
            }
            return None;
        }
        if is_distributed(target) {
            self.distributed_macros = true;
            return None;
        }
        // The `.bbl` that LaTeX made of the bibliography replaces it: arXiv accepts a paper without its `.bib`.
        let made = Path::new(&document.root).with_extension("bbl");
        let made = made.to_string_lossy();
        if let Ok(Some(bytes)) = files.source(&made) {
            self.items.extend(items(&made, &bytes));
            return None;
        }
        let message = match include.outcome {
            IncludeOutcome::Unresolved => {
                format!("bibliography `{target}` holds a macro that is not defined")
            }
            _ if target.contains("://") => {
                format!("bibliography `{target}` is on a server and is not read")
            }
            _ => format!(
                "bibliography `{target}` does not exist (tried {})",
                include.candidates.join(", ")
            ),
        };
        self.findings.push(blocked(
            "bibliography_missing",
            message,
            "add the file, or correct the name",
        ));
        None
    }

    /// The bibliographies as each part of the document sees them.
    pub(crate) fn libraries(&self) -> Libraries<'_> {
        let files = &self.bibliographies;
        let cased = self
            .document
            .is_some_and(|document| document.biber == Some(true));
        let (mut seen, mut parts) = (BTreeMap::new(), Vec::new());
        seen.insert((0..files.len()).collect(), 0);
        let sections = self
            .document
            .iter()
            .flat_map(|document| &document.ref_sections);
        let of = sections.map(|section| {
            let requests = section.bibliographies.iter();
            let meant: BTreeSet<usize> = requests
                .filter_map(|at| self.meant.get(at).copied())
                .collect();
            *seen.entry(meant).or_insert_with_key(|meant| {
                let library = Library::among(files, |file| meant.contains(&file));
                parts.push(library.cased(cased));
                parts.len()
            })
        });
        Libraries {
            of: of.collect(),
            whole: Library::new(files).cased(cased),
            parts,
        }
    }
}

/// The bibliographies as the parts of a document see them.
#[derive(Debug)]
pub struct Libraries<'p> {
    /// The entries of all bibliographies: number 0.
    pub whole: Library<'p>,
    /// Those of parts that do not see all, from number 1.
    parts: Vec<Library<'p>>,
    /// The number for each part of the document.
    of: Vec<usize>,
}

impl<'p> Libraries<'p> {
    /// The bibliographies with a number.
    pub fn get(&self, number: usize) -> &Library<'p> {
        let part = number.checked_sub(1).and_then(|at| self.parts.get(at));
        part.unwrap_or(&self.whole)
    }

    /// The numbers of those that some part sees.
    pub(crate) fn seen(&self) -> BTreeSet<usize> {
        self.of.iter().copied().collect()
    }

    /// The number of those that a part of the document sees.
    pub(crate) fn of(&self, ref_section: usize) -> usize {
        self.of.get(ref_section).copied().unwrap_or(0)
    }
}

/// Most further lines of a label.
const LABEL: usize = 4;

/// Keys of a `.bbl` with their places: `\bibitem[…]{key}`, or `\entry{key}{…}` as biber writes it.
fn items(path: &str, bytes: &[u8]) -> BTreeMap<String, Position> {
    let text = source_text(bytes).unwrap_or_default();
    let mut found = BTreeMap::new();
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        for command in ["\\bibitem", "\\entry{"] {
            for (at, _) in line.match_indices(command) {
                let rest = line.get(at + command.trim_end_matches('{').len()..);
                // BibTeX breaks a long label over several lines; the key follows its end.
                let next = lines.get(number + 1..).unwrap_or_default();
                let next: String = next.iter().take(LABEL).copied().collect();
                let whole = format!("{}{next}", rest.unwrap_or_default());
                if let Some(key) = key(&whole) {
                    let column = line.get(..at).unwrap_or_default().chars().count() + 1;
                    let (path, line) = (path.to_owned(), number + 1);
                    let place = Position { path, line, column };
                    found.entry(key.to_owned()).or_insert(place);
                }
            }
        }
    }
    found
}

/// The braced key after an optional argument, which may itself contain braces and brackets.
fn key(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut rest = text.trim_start();
    if rest.starts_with('[') {
        let end = rest.char_indices().find(|(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            *c == ']' && depth == 0
        });
        rest = rest.get(end?.0 + 1..)?.trim_start();
    }
    let key = rest.strip_prefix('{')?.split('}').next()?;
    (!key.is_empty()).then_some(key)
}
