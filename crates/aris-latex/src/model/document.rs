//! The result of reading a paper.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{
    Block, Citation, Definition, Environment, Heading, Include, Label, Piece, Place, Position,
    RefSection, SourceFile, Table, Theorem, Written,
};

/// Includes nested deeper than this are refused. LaTeX itself stops at 15 open files (web2c `max_in_open`) unless
/// `texmf.cnf` raises the limit, as current distributions do.
pub const MAX_INCLUDE_DEPTH: usize = 50;
/// Bytes read in total; a file included twice counts twice. The largest theses on arXiv are below 10 MB.
pub const MAX_TOTAL_BYTES: usize = 64 << 20;
/// Includes in total, so that including one small file over and over comes to an end.
pub const MAX_INCLUDES: usize = 10_000;

/// Why a document cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The root document is not there.
    #[error("{path}: no such file (root document)")]
    RootAbsent {
        /// Its path.
        path: String,
    },
    /// The root document cannot be read.
    #[error("{path}: {reason}")]
    RootUnreadable {
        /// Its path.
        path: String,
        /// The loader's reason.
        reason: String,
    },
    /// Includes are nested deeper than [`MAX_INCLUDE_DEPTH`].
    #[error("{at}: includes are nested deeper than {MAX_INCLUDE_DEPTH} files at `{target}`")]
    TooDeep {
        /// Where the include stands.
        at: Position,
        /// Its target.
        target: String,
    },
    /// More than [`MAX_TOTAL_BYTES`] or [`MAX_INCLUDES`].
    #[error(
        "{at}: including `{target}` exceeds the limit of {MAX_TOTAL_BYTES} bytes or {MAX_INCLUDES} includes"
    )]
    TooLarge {
        /// Where the include stands; the root's first line for the root itself.
        at: Position,
        /// Its target.
        target: String,
    },
}

/// Which of the things that audits look at a stretch of source holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Holds {
    /// Numbers.
    pub numbers: bool,
    /// Citations.
    pub citations: bool,
}

impl Holds {
    /// Numbers and citations.
    pub const ALL: Self = Self::new(true, true);
    /// Numbers alone.
    pub const NUMBERS: Self = Self::new(true, false);
    /// Citations alone.
    pub const CITATIONS: Self = Self::new(false, true);

    pub(crate) const fn new(numbers: bool, citations: bool) -> Self {
        Self { numbers, citations }
    }

    pub(crate) fn add(&mut self, more: Self) {
        self.numbers |= more.numbers;
        self.citations |= more.citations;
    }

    /// Whether it holds neither numbers nor citations.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// The kinds of [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// A group that is never closed.
    UnclosedGroup,
    /// A closing brace without a group.
    ExtraBrace,
    /// An environment that is never closed.
    UnclosedEnvironment,
    /// `\end` without its `\begin`.
    ExtraEnd,
    /// Maths that is never closed.
    UnclosedMath,
    /// A conditional that is never closed.
    UnclosedConditional,
    /// An included file that is absent, unreadable, or whose name cannot be known.
    MissingInclude,
    /// A file that includes itself.
    IncludeCycle,
    /// Macro expansion was cut off; the text after it may be incomplete.
    Expansion,
    /// A control sequence in visible text that is defined neither by the document nor by a style file in its folder nor by the
    /// reader. Listed once per name, at its first use. What it prints is not read.
    UndefinedMacro,
    /// Visible text that was not read, and what its source holds: listings, pictures made by code, printed files, arguments that
    /// a command stores for later, commands that look like citations.
    UnreadText(Holds),
    /// An undecided condition, or another reason why LaTeX may not print some text. The text was read and marked
    /// [`MarkKind::Doubtful`](crate::MarkKind::Doubtful); the value says what it holds.
    Undecided(Holds),
    /// The root document, or an included document of its own, has no `\begin{document}`: nothing of that file is visible.
    NoDocument,
}

/// Something wrong in the sources that did not stop the reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of the problem.
    pub kind: ProblemKind,
    /// The place of the problem.
    pub place: Place,
    /// The message: lower case, without the place.
    pub message: String,
}

/// A paper as its reader sees it.
///
/// Reading order, includes spliced in where they stand. A block that opens inside another one (a footnote in a
/// paragraph) follows it.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Path of the root document.
    pub root: String,
    /// The files that were read, root first, in order of first use.
    pub files: Vec<SourceFile>,
    /// Every request for a file, in reading order.
    pub includes: Vec<Include>,
    /// The visible text.
    pub blocks: Vec<Block>,
    /// The headings.
    pub headings: Vec<Heading>,
    /// The environments in the order of their `\begin`, without `document` and those that are passed over as raw text (verbatim
    /// text, listings, comments).
    pub environments: Vec<Environment>,
    /// Names of environments whose behaviour is unknown: a package defines them, or code that is not followed.
    pub unknown_environments: BTreeSet<String>,
    /// The kinds of theorem-like statements that are declared, in order.
    pub theorems: Vec<Theorem>,
    /// The files that LaTeX writes from the document (`filecontents`), in order. Such a file is read where the loader has none of
    /// that name, or where [`Written::overwrites`] is set.
    pub written: Vec<Written>,
    /// The tables.
    pub tables: Vec<Table>,
    /// One entry per cited key.
    pub citations: Vec<Citation>,
    /// The parts that have bibliographies of their own. The first is the document itself.
    pub ref_sections: Vec<RefSection>,
    /// Whether biber reads the bibliographies, to which `Li` and `li` are two keys; `None` where biblatex is not used.
    pub biber: Option<bool>,
    /// The entries of `thebibliography`.
    pub bibitems: Vec<Label>,
    /// The labels.
    pub labels: Vec<Label>,
    /// The macros defined, in order of definition.
    pub definitions: Vec<Definition>,
    /// What is wrong in the sources.
    pub problems: Vec<Problem>,
}

impl Document {
    /// Adds a file that is not LaTeX, such as a report in Markdown: one paragraph block per paragraph, its text unchanged.
    pub fn add_text(&mut self, path: &str, text: Arc<str>) {
        let file = self.files.len();
        let mut place = Place::new(file, 0);
        for paragraph in text.split_inclusive("\n\n") {
            if !paragraph.trim().is_empty() {
                let (text, is_copy) = (0..paragraph.len(), true);
                self.blocks.push(Block {
                    text: paragraph.to_owned(),
                    start: place,
                    pieces: vec![Piece {
                        text,
                        place,
                        is_copy,
                    }],
                    ..Block::default()
                });
            }
            place.offset += paragraph.len();
        }
        self.files.push(SourceFile::new(path, text));
    }

    /// Whether `\nocite{*}` stands in the document.
    pub fn nocite_all(&self) -> bool {
        self.ref_sections.iter().any(|section| section.nocite_all)
    }

    /// The text of a file that LaTeX writes from the document.
    pub fn written_text(&self, path: &str) -> Option<&str> {
        let written = self.written.iter().find(|written| written.path == path)?;
        let text = &self.files.get(written.file)?.text;
        text.get(written.body.clone())
    }

    /// Path, line and column of a place.
    pub fn position(&self, place: Place) -> Position {
        let file = self.files.get(place.file);
        let (line, column) = file.map_or((1, 1), |file| file.line_column(place.offset));
        let path = file.map_or(&self.root, |file| &file.path).clone();
        Position { path, line, column }
    }

    /// The line of source at a place, trimmed and cut with `…` to at most `max` characters.
    pub fn quote(&self, place: Place, max: usize) -> String {
        let file = self.files.get(place.file);
        file.map_or_else(String::new, |file| file.quote(place.offset, max))
    }
}
