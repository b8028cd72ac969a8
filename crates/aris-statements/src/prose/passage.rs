//! A document as stretches of visible text.

use std::ops::Range;

use aris_claims::stretches::Stretches;

/// The text up to a byte; empty where that is none of its places.
pub(crate) fn before(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or("")
}

/// The text from a byte on; the same.
pub(crate) fn from(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

/// What a passage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassageKind {
    /// The abstract.
    Abstract,
    /// A paragraph, list item or footnote.
    Text,
    /// A caption of a figure or table.
    Caption,
    /// A table cell.
    Cell,
    /// A heading, or the title.
    Heading,
    /// Authors, displayed formulas, bibliography: no prose.
    Other,
}

/// What is special about a stretch of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskKind {
    /// A citation.
    Cite,
    /// A cross reference.
    Reference,
    /// An address or typewriter text.
    Code,
    /// Inline maths.
    Math,
}

/// A stretch of text that is read as one.
#[derive(Debug, Clone)]
pub struct Passage {
    /// What it is.
    pub kind: PassageKind,
    /// The visible text.
    pub text: String,
    /// Special stretches: byte ranges of the text, by their beginning.
    pub masks: Vec<(Range<usize>, MaskKind)>,
    /// Index into [`super::Prose::sections`].
    pub section: Option<usize>,
}

impl Passage {
    /// The masks of these kinds.
    pub(crate) fn masked(&self, kinds: &[MaskKind]) -> Stretches {
        let masks = self.masks.iter().filter(|(_, kind)| kinds.contains(kind));
        masks.map(|(range, _)| range.clone()).collect()
    }
}
