//! The contents of the paper today: the root document, everything it includes, and the contents because of which an audit cannot be
//! inapplicable.

mod subject;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_audit::ledger::Role;
use aris_audit::{Obstacle, PaperFiles, source_text};
use aris_claims::Coverage;
use aris_claims::project::Project;
use aris_latex::{
    Document, Include, IncludeKind, IncludeOutcome, Position, ProblemKind, SourceFile,
};
use aris_runs::{Damage, Record, Run};
use serde::Serialize;

pub(crate) use self::subject::Holds;
use crate::finding::{Finding, FindingId};
use crate::measured;
use crate::paper::{Paper, Unusable};
use crate::policy::SourceKind;
use crate::text::short;

/// A run that made data behind the paper's numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct RunBehind {
    /// SHA-256 of its record, which is its name in `.aris/runs`.
    pub record: String,
    /// What the record says; of its outputs those that numbers come from or that another of these runs read, and of its inputs those that it did not write.
    pub run: Run,
}

impl RunBehind {
    /// The run of a record. `used` are the digests of the files on which numbers depend.
    ///
    /// **Errors**: the record was edited.
    pub(crate) fn new(id: &str, record: &Record, used: &BTreeSet<&str>) -> Result<Self, Damage> {
        let mut run = record.run.clone();
        let mut outputs = record.outputs()?;
        let wrote: BTreeSet<&str> = outputs.iter().map(|file| file.path.as_str()).collect();
        run.inputs
            .retain(|file| !wrote.contains(file.path.as_str()));
        outputs.retain(|file| used.contains(file.sha256.as_str()));
        run.name_outputs(outputs);
        Ok(Self {
            record: id.to_owned(),
            run,
        })
    }
}

/// The sources of the paper.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The root document, relative to the paper directory.
    pub root: Option<String>,
    /// The files of the paper, each once; the root comes first.
    pub files: Vec<Included>,
    /// The first citation.
    pub cites: Option<Evidence>,
    /// The first measured number.
    pub measures: Option<Evidence>,
    /// The first theorem-like environment.
    pub proves: Option<Evidence>,
    /// The texts that were read, by path for people, for quoting.
    pub texts: BTreeMap<String, SourceFile>,
    /// The runs behind the numbers.
    pub runs: Vec<RunBehind>,
    /// How many numbers are bound to data; `None` if they were not counted.
    pub coverage: Option<Coverage>,
    /// Findings about the sources themselves.
    pub findings: Vec<Finding>,
    /// Real paths of `files`.
    seen: BTreeSet<PathBuf>,
}

/// An included file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Included {
    /// Its kind.
    pub kind: SourceKind,
    /// Its real path.
    pub real: PathBuf,
    /// Its path for people.
    pub shown: String,
    /// The place of the include; `None` for the root and for evidence.
    pub asked: Option<Position>,
    /// What it contains.
    pub holds: Holds,
}

/// A place in the sources that shows something.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// The text there.
    pub what: String,
    /// The place.
    pub place: Position,
}

impl Sources {
    /// The sources of the document that was read from `files`.
    pub(crate) fn of(
        paper: &Paper,
        files: &mut PaperFiles,
        document: &Result<Document, Box<Obstacle>>,
    ) -> Self {
        let mut sources = Self::default();
        let document = match document {
            Ok(document) => document,
            Err(obstacle) => {
                let mut finding = no_root(&obstacle.message);
                let position = obstacle.position.as_ref();
                finding.file = position.map(|position| position.path.clone());
                sources.findings.push(finding);
                return sources;
            }
        };
        // A file that LaTeX generates from a source is covered by that source.
        let written = document.written.iter().filter_map(|written| {
            let bytes = files.source(&written.path).ok()??;
            let text = source_text(&bytes).ok()?;
            let body = document.written_text(&written.path)?;
            let real = paper.resolve(&paper.dir, &written.path).ok()?;
            same_text(&text, body).then_some(real)
        });
        let written: BTreeSet<PathBuf> = written.collect();
        sources.collect(paper, files, document);
        sources.files.retain(|file| !written.contains(&file.real));
        sources.seen.retain(|real| !written.contains(real));
        for included in &sources.files {
            files.ledger.mark(&included.real, Role::Source);
        }
        sources.root = Some(document.root.clone());
        sources
    }

    /// Sets a finding's position in the sources, and quotes the line.
    pub(crate) fn place(&self, finding: Finding, position: &Position) -> Finding {
        let place = Some((position.line, position.column));
        let finding = finding.file(position.path.clone());
        match self.texts.get(&position.path) {
            Some(text) => finding.at(place, text),
            None => finding.at(place, &SourceFile::new("", Arc::from(""))),
        }
    }

    fn collect(&mut self, paper: &Paper, files: &PaperFiles, document: &Document) {
        let texts = document.files.iter();
        let texts = texts.map(|file| (file.path.clone(), file.clone()));
        self.texts = texts.collect();
        let mut all: Option<Vec<PathBuf>> = None;
        let holds = subject::of(document);
        let holds = |file: usize| holds.get(file).copied().unwrap_or_default();
        let real = |path: &str| paper.resolve(&paper.dir, path).or_else(spelled_otherwise);
        if let Ok(real) = real(&document.root) {
            self.push(paper, SourceKind::Tex, real, None, holds(0));
        }
        for include in &document.includes {
            let position = document.position(include.place);
            match &include.outcome {
                IncludeOutcome::Read { file } => {
                    let support = matches!(include.kind, IncludeKind::Package | IncludeKind::Class);
                    let holds = Holds {
                        support,
                        ..holds(*file)
                    };
                    if let Some(Ok(real)) = document.files.get(*file).map(|file| real(&file.path)) {
                        self.push(paper, SourceKind::Tex, real, Some(position), holds);
                    }
                }
                IncludeOutcome::NotRead => self.not_read(paper, include, position),
                // It is unknown whether LaTeX reads it; the document's problems report that. Of text files, the name has to be known.
                IncludeOutcome::Unresolved if source_kind(include.kind) == SourceKind::Tex => {
                    self.unnamed(include, &position);
                }
                _ if include.doubt.is_some() => {}
                IncludeOutcome::Missing => {
                    self.missing(include, &position);
                    // A search path that is not evaluated here (`\input@path`, TEXINPUTS) may lead TeX to a file with this name.
                    let all = all.get_or_insert_with(|| files.tex_files().unwrap_or_default());
                    for real in all.iter().filter(|real| same_name(real, include)) {
                        let asked = Some(position.clone());
                        self.push(paper, SourceKind::Tex, real.clone(), asked, Holds::ALL);
                    }
                }
                IncludeOutcome::Unreadable(reason) => {
                    let message = format!("{} cannot be read: {reason}", short(&include.target));
                    self.unresolved(message, &include.target, &position);
                }
                IncludeOutcome::Unresolved => self.unnamed(include, &position),
                IncludeOutcome::Excluded | IncludeOutcome::Cycle => {}
            }
        }
        for problem in &document.problems {
            let (issue, fix) = match problem.kind {
                ProblemKind::Expansion => (
                    "expansion",
                    "write the macro in simpler terms, so that everything it brings in can be seen",
                ),
                ProblemKind::UnclosedConditional => (
                    "conditional",
                    "end the conditional with \\fi in the file that begins it, so that what follows can be seen",
                ),
                // These problems hide no include, or the includes themselves report them.
                ProblemKind::UnclosedGroup
                | ProblemKind::ExtraBrace
                | ProblemKind::UnclosedEnvironment
                | ProblemKind::ExtraEnd
                | ProblemKind::UnclosedMath
                | ProblemKind::MissingInclude
                | ProblemKind::IncludeCycle
                | ProblemKind::UndefinedMacro
                | ProblemKind::UnreadText(_)
                | ProblemKind::Undecided(_)
                | ProblemKind::NoDocument => continue,
            };
            let message = format!(
                "what follows may include files that were not seen: {}",
                short(&problem.message)
            );
            let finding = Finding::new(FindingId::IncludeUnresolved, message, fix);
            self.push_at(finding, issue, &document.position(problem.place));
        }
        self.cites = document.citations.first().map(|citation| Evidence {
            what: format!("\\cite{{{}}}", short(&citation.key)),
            place: document.position(citation.place),
        });
        self.measures = measured::first(document).map(|(what, place)| Evidence {
            what: short(&what),
            place: document.position(place),
        });
        self.proves = document.blocks.iter().find_map(|block| {
            let name = subject::statement(document, block)?;
            Some(Evidence {
                what: format!("\\begin{{{name}}}"),
                place: document.position(block.start),
            })
        });
    }

    /// Adds the results with which the claim audit compares the paper, found independently, and the bindings.
    pub(crate) fn add_evidence(&mut self, paper: &Paper, project: &Project) {
        let chosen = project.claims.data.include.is_some();
        let is_result = |name: &&String| chosen || is_result(name);
        let names = project.evidence.iter().filter(is_result);
        let paths = names.map(|name| (project.settings.root.join(name), Holds::ALL));
        let bindings = project.has_claims.then(|| project.claims_path.clone());
        let bindings = bindings.map(|path| (path, Holds::SUPPORT));
        for (path, holds) in paths.chain(bindings) {
            if let Ok(real) = paper.input(&path.to_string_lossy()) {
                self.push(paper, SourceKind::Data, real, None, holds);
            }
        }
    }

    /// Adds an included file that is not text of the paper: the first existing candidate.
    fn not_read(&mut self, paper: &Paper, include: &Include, position: Position) {
        let mut problem = None;
        for candidate in &include.candidates {
            match paper.input(candidate).or_else(spelled_otherwise) {
                Ok(real) if real.is_dir() => {}
                Ok(real) => {
                    let kind = source_kind(include.kind);
                    return self.push(paper, kind, real, Some(position), Holds::ALL);
                }
                Err(Unusable::Gone | Unusable::Case { .. }) => {}
                Err(other) => problem = problem.or(Some((candidate, other))),
            }
        }
        if let Some((candidate, unusable)) = problem {
            let (shown, why) = (short(candidate), describe(&unusable));
            let message = format!("{shown} cannot be used: {why}");
            return self.unresolved(message, candidate, &position);
        }
        // The `.bbl` file that was made from a bibliography can replace it.
        let is_bibliography = include.kind == IncludeKind::Bibliography;
        let root = self.files.first().filter(|_| is_bibliography);
        let made = root.map(|root| Path::new(&root.shown).with_extension("bbl"));
        match made.map(|path| paper.input(&path.to_string_lossy())) {
            Some(Ok(real)) => {
                let kind = SourceKind::Bibliography;
                self.push(paper, kind, real, Some(position), Holds::ALL);
            }
            _ => self.missing(include, &position),
        }
    }

    fn push(
        &mut self,
        paper: &Paper,
        kind: SourceKind,
        real: PathBuf,
        asked: Option<Position>,
        holds: Holds,
    ) {
        if self.seen.insert(real.clone()) {
            let shown = paper.shown(&real);
            self.files.push(Included {
                kind,
                real,
                shown,
                asked,
                holds,
            });
        }
    }

    fn missing(&mut self, include: &Include, position: &Position) {
        let (what, target) = (source_kind(include.kind).name(), short(&include.target));
        let message = format!("{what} {target} is not in the paper directory");
        let fix = "add the file, or remove the line that asks for it; a file of the TeX distribution needs nothing";
        let finding = Finding::new(FindingId::IncludeMissing, message, fix);
        self.push_at(finding, &include.target, position);
    }

    fn unnamed(&mut self, include: &Include, position: &Position) {
        let message = format!(
            "{:?} names a file through a macro that the document does not define",
            short(&include.target)
        );
        self.unresolved(message, &include.target, position);
    }

    fn unresolved(&mut self, message: String, target: &str, position: &Position) {
        let fix = "write the file's name out, so that what it brings in can be checked";
        let finding = Finding::new(FindingId::IncludeUnresolved, message, fix);
        self.push_at(finding, target, position);
    }

    fn push_at(&mut self, finding: Finding, target: &str, position: &Position) {
        let issue = format!("{}:{}", finding.id.word(), short(target));
        let finding = self.place(finding.issue(issue), position);
        self.findings.push(finding);
    }
}

/// Whether a file has a format for results; pictures, logs and checkpoints lie in the same folders.
fn is_result(name: &str) -> bool {
    const FORMS: [&str; 5] = ["csv", "json", "jsonl", "ndjson", "tsv"];
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    let is = |form: &&str| extension.is_some_and(|found| found.eq_ignore_ascii_case(form));
    FORMS.iter().any(is)
}

/// Whether a file is what LaTeX writes for a text, apart from comments that LaTeX adds at the top.
fn same_text(file: &str, text: &str) -> bool {
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        let lines = text.lines().map(str::trim_end);
        lines.filter(|line| !line.is_empty() && !line.starts_with("%%"))
    }
    lines(file).eq(lines(text))
}

/// Accepts a file that the system finds under another spelling, as TeX does.
fn spelled_otherwise(unusable: Unusable) -> Result<PathBuf, Unusable> {
    match unusable {
        Unusable::Case {
            real: Some(real), ..
        } => Ok(real),
        other => Err(other),
    }
}

/// Whether a file has the name that an include asks for, in any folder.
fn same_name(real: &Path, include: &Include) -> bool {
    let wanted = include.candidates.iter();
    let wanted = wanted.filter_map(|candidate| Path::new(candidate).file_name());
    let mut wanted = wanted.into_iter();
    wanted.any(|name| real.file_name() == Some(name))
}

/// Why a path cannot be used, in words.
pub(crate) fn describe(unusable: &Unusable) -> String {
    match unusable {
        Unusable::Escapes { to, by_link } => {
            let to = short(&to.display().to_string());
            if *by_link {
                format!("a link leads out of the paper and its project, to {to}")
            } else {
                format!("it is outside the paper and its project, at {to}")
            }
        }
        Unusable::Case { actual, .. } => format!("on the disk it is called {:?}", short(actual)),
        Unusable::Gone => String::from("it is not there"),
        Unusable::Unreadable(reason) => reason.clone(),
    }
}

fn no_root(reason: &str) -> Finding {
    let message = format!("what the paper includes cannot be known: {reason}");
    let fix = "have one root document with \\documentclass and \\begin{document}; among several, call it main.tex";
    let finding = Finding::new(FindingId::NoRootDocument, message, fix);
    finding.issue(format!("no_root_document:{reason}"))
}

const fn source_kind(kind: IncludeKind) -> SourceKind {
    match kind {
        IncludeKind::Input
        | IncludeKind::Include
        | IncludeKind::Subfile
        | IncludeKind::Import
        | IncludeKind::Package
        | IncludeKind::Class => SourceKind::Tex,
        IncludeKind::Bibliography => SourceKind::Bibliography,
        IncludeKind::Graphics => SourceKind::Graphics,
        IncludeKind::Data => SourceKind::Data,
        IncludeKind::Listing => SourceKind::Listing,
    }
}
