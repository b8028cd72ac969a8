//! Environments and theorem-like statements.

use std::ops::Range;
use std::sync::Arc;

use crate::Place;

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
    /// Whether it replaces a file of that name that is there.
    pub overwrites: bool,
}
