//! Citations, labels, headings, environments, theorem-like statements, tables.

use std::{ops::Range, sync::Arc};

use crate::Place;

/// One cited key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The key, trimmed.
    pub key: String,
    /// Where the key stands (the call, when a macro holds it).
    pub place: Place,
    /// The command without backslash and star: `citep`, `nocite`, ….
    pub command: String,
    /// The block it stands in; none for `\nocite` and for citations outside visible text.
    pub block: Option<usize>,
    /// The cause of the doubt, if LaTeX may not print it.
    pub doubt: Option<Place>,
    /// The part that it stands in: index into [`Document::ref_sections`](crate::Document::ref_sections).
    pub ref_section: usize,
}

/// A part of the document in which keys are looked up in bibliographies of its own: a `refsection` of biblatex, a unit of bibunits,
/// an included file with chapterbib.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefSection {
    /// The requests for its bibliographies: indices into [`Document::includes`](crate::Document::includes). All of the document
    /// where it is not known which count.
    pub bibliographies: Vec<usize>,
    /// Whether `\nocite{*}` stands in it.
    pub nocite_all: bool,
}

/// One `\label` or `\bibitem`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub key: String,
    /// Where the name stands.
    pub place: Place,
}

/// One heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// -1 part, 0 chapter, 1 section, 2 subsection, 3 subsubsection, 4 paragraph, 5 subparagraph.
    pub level: i8,
    /// The title's visible text.
    pub title: String,
    /// Written with a star: it has no number.
    pub starred: bool,
    /// After `\appendix`.
    pub appendix: bool,
}

/// One macro the document defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Name without backslash.
    pub name: String,
    /// Where its name stands in the definition.
    pub place: Place,
    /// Number of arguments.
    pub arguments: usize,
    /// Byte range of the replacement text, without its braces, in the text of the file that `place` names. None when it is
    /// empty, or when another macro put it together from several places.
    pub body: Option<Range<usize>>,
}

/// One environment that was entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Its name with its star, `figure*`.
    pub name: Arc<str>,
    /// Where its `\begin` stands (the call, when a macro holds it).
    pub place: Place,
    /// The heading it stands under: index into [`Document::headings`](crate::Document::headings).
    pub section: Option<usize>,
    /// The innermost environment around it: index into [`Document::environments`](crate::Document::environments).
    pub outer: Option<usize>,
}

/// One kind of statement that the document declares, `\newtheorem{lem}{Lemma}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theorem {
    /// Name of the environment.
    pub environment: String,
    /// What is printed before each statement.
    pub title: String,
}

/// One file that LaTeX writes from the document, `\begin{filecontents}{refs.bib}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its path, relative to the paper directory, normalised.
    pub path: String,
    /// The file that it stands in: index into [`Document::files`](crate::Document::files).
    pub file: usize,
    /// Its bytes in the text of that file.
    pub body: Range<usize>,
    /// Whether it replaces an existing file of that name.
    pub overwrites: bool,
}

/// One row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The cells: indices into [`Document::blocks`](crate::Document::blocks), left to right.
    pub cells: Vec<usize>,
    /// Above the rule that ends the head (or before `\endhead` in a longtable).
    pub header: bool,
    /// A row that is one cell across the table: it names the rows below it.
    pub group: bool,
}

/// One table (the outermost tabular; a tabular in a cell is part of the cell).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The `\label` of the float or longtable.
    pub label: Option<String>,
    /// The caption's block.
    pub caption: Option<usize>,
    /// Rows in order; rows without any cell (rules) are left out.
    pub rows: Vec<Row>,
    /// Number of columns: of the preamble or of the widest row, whichever is more.
    pub columns: usize,
    /// Indices of columns that continue the one before: the preamble puts nothing (`r@{}l`) or a separator inside a number
    /// (`r@{.}l`) between them.
    pub touching: Vec<usize>,
    /// Where the table begins.
    pub place: Place,
}
