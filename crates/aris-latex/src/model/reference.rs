//! Citations, labels and headings.

use std::ops::Range;

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
    /// What decides whether it is set, where that is not known.
    pub doubt: Option<Place>,
}

/// One `\label` or `\bibitem`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub key: String,
    /// Where that stands.
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
    /// Where the command stands.
    pub place: Place,
    /// The block of the title; none when the title is empty.
    pub block: Option<usize>,
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
