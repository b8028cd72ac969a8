//! Passages of visible text.

use std::ops::Range;

use aris_claims::stretches::Stretches;

/// The text up to a byte; empty when that is not a character boundary.
pub(crate) fn before(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or("")
}

/// The text from a byte on; empty when that is not a character boundary.
pub(crate) fn from(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

/// The kind of a passage.
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
    /// Authors, displayed formulas, bibliography: not prose.
    Other,
}

/// The kind of a masked range.
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

/// A piece of text that is read as one unit.
#[derive(Debug, Clone)]
pub struct Passage {
    /// Its kind.
    pub kind: PassageKind,
    /// The visible text.
    pub text: String,
    /// Masked byte ranges of the text, ordered by their beginning.
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
