//! A paper, read.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{
    Block, Citation, Definition, Environment, Heading, Include, Label, Piece, Place, Position,
    SourceFile, Table, Theorem, Written,
};

/// Includes nested deeper than this are refused. LaTeX itself stops at 15 open files (web2c `max_in_open`),
/// `texmf.cnf` of current distributions raises that limit.
pub const MAX_INCLUDE_DEPTH: usize = 50;
/// Bytes read in all, a file that is included twice counted twice. The largest theses on arXiv are below 10 MB.
pub const MAX_TOTAL_BYTES: usize = 64 << 20;
/// Includes in all, so that one small file included over and over ends.
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
    /// [`MAX_INCLUDE_DEPTH`].
    #[error("{at}: includes are nested deeper than {MAX_INCLUDE_DEPTH} files at `{target}`")]
    TooDeep {
        /// Where the include stands.
        at: Position,
        /// Its target.
        target: String,
    },
    /// [`MAX_TOTAL_BYTES`] or [`MAX_INCLUDES`].
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

/// What a stretch of source holds of what audits look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Holds {
    /// Numbers.
    pub numbers: bool,
    /// Citations.
    pub citations: bool,
}

impl Holds {
    /// Anything.
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

    /// Whether it is nothing of that.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// What kind of problem.
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
    /// A control sequence in visible text that neither the document nor a local style defines and that the reader does not know:
    /// once for each name, at its first use. What it prints is not read.
    UndefinedMacro,
    /// Text that a reader of the PDF may see and that was not read, as far as its source shows: listings, pictures made by code,
    /// printed files, what commands keep for later, commands that look like citations.
    UnreadText(Holds),
    /// A condition that is not decided here, or another reason why it is not known whether text is set. The text was read, marked
    /// [`MarkKind::Doubtful`](crate::MarkKind::Doubtful), and this is what it holds.
    Undecided(Holds),
    /// There is no `\begin{document}`, here or in an included document: nothing of that file is visible.
    NoDocument,
}

/// Something wrong in the sources that did not stop the reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// Where.
    pub place: Place,
    /// What, lower case, without place.
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
    /// Environments of which nobody here knows what they are: a package or code that is not followed defines them.
    pub unknown_environments: BTreeSet<String>,
    /// The kinds of theorem-like statements that are declared, in order.
    pub theorems: Vec<Theorem>,
    /// The files that LaTeX writes from the document (`filecontents`), in order. They are read where the loader has none of the name.
    pub written: Vec<Written>,
    /// The tables.
    pub tables: Vec<Table>,
    /// One entry per cited key.
    pub citations: Vec<Citation>,
    /// Whether `\nocite{*}` stands in the document.
    pub nocite_all: bool,
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
    /// Adds a file that is not LaTeX, such as a report in Markdown: one block of front matter for each paragraph, its text as it stands.
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

    /// The line of source around a place, trimmed, at most `max` characters of it, cut with `…`.
    pub fn quote(&self, place: Place, max: usize) -> String {
        let file = self.files.get(place.file);
        file.map_or_else(String::new, |file| file.quote(place.offset, max))
    }
}
