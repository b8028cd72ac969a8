//! Environments and theorem-like statements.

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
