//! Files a document asks for.

use std::sync::Arc;

use indexmap::IndexSet;

use crate::Place;

/// Hands out the files of a paper.
///
/// Paths are '/'-separated and relative to the paper directory. `.` and `..` segments are resolved textually
/// first; a path that still begins with `..` leaves the paper directory, and the loader decides about it.
/// Each path is asked for at most once in one [`Document::read`](crate::Document::read).
pub type Loader<'l> = dyn FnMut(&str) -> Loaded + 'l;

/// The result of a [`Loader`].
#[derive(Clone, Debug)]
pub enum Loaded {
    /// The file's text, already checked to be UTF-8.
    Text(Arc<str>),
    /// There is no such file.
    Absent,
    /// It exists but cannot be read or is not text; the reason, lower case.
    Unreadable(String),
}

/// The command that asks for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IncludeKind {
    /// `\input`, `\InputIfFileExists`, `\@input`.
    Input,
    /// `\include`.
    Include,
    /// `\subfile`, `\subfileinclude`.
    Subfile,
    /// `\import`, `\subimport`, `\inputfrom`, `\includefrom`, … of the import package.
    Import,
    /// `\bibliography`, `\addbibresource`, `\begin{refsection}[…]`, `\putbib[…]`: a `.bib` file. A request in a style file or class
    /// may be conditional, so callers should ignore it if the file does not exist.
    Bibliography,
    /// `\includegraphics`, `\includesvg`, the `overpic` environment.
    Graphics,
    /// Data printed as a table or plot: `\pgfplotstableread`, `\pgfplotstabletypeset`, `\csvreader`,
    /// `\csvautotabular`, `\DTLloaddb`, `\addplot table`.
    Data,
    /// `\usepackage`, `\RequirePackage`, and `\input` in a style file: read for its definitions only. A package that is not in
    /// the paper's folder counts as installed and is not listed.
    Package,
    /// `\documentclass`, `\LoadClass`: the same for a class.
    Class,
    /// Printed as it is: `\lstinputlisting`, `\verbatiminput`, `\inputminted`, `\includepdf`.
    Listing,
}

/// The outcome of an include.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncludeOutcome {
    /// Read and spliced in: index into [`Document::files`](crate::Document::files).
    Read {
        /// The file.
        file: usize,
    },
    /// Not read here (bibliography, graphics, data, listing). LaTeX uses the first of `candidates` that exists.
    NotRead,
    /// None of the candidates exists.
    Missing,
    /// It exists and cannot be read; the loader's reason.
    Unreadable(String),
    /// `\includeonly` leaves it out.
    Excluded,
    /// It is already open: the file includes itself.
    Cycle,
    /// The name holds a macro that the document does not define.
    Unresolved,
}

/// One request for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// The command.
    pub kind: IncludeKind,
    /// Where the command stands.
    pub place: Place,
    /// The name as written, macros expanded.
    pub target: String,
    /// Paths tried, or to be tried by the caller, in order; relative to the paper directory, normalised.
    pub candidates: Vec<String>,
    /// The path that was found, for files that are read here.
    pub resolved: Option<String>,
    /// Whether it was read, and why not.
    pub outcome: IncludeOutcome,
    /// The cause of the doubt, if LaTeX may not make this request.
    pub doubt: Option<Place>,
}

impl Include {
    /// A request with the outcome `Missing`; duplicate candidates are dropped.
    pub(crate) fn new(kind: IncludeKind, place: Place, target: &str, tried: Vec<String>) -> Self {
        let candidates: IndexSet<String> = tried.into_iter().collect();
        Self {
            kind,
            place,
            target: target.to_owned(),
            candidates: candidates.into_iter().collect(),
            resolved: None,
            outcome: IncludeOutcome::Missing,
            doubt: None,
        }
    }
}
