//! The paper as the claim engine sees it: passages of visible text, tables as grids, section titles.
//!
//! Nothing here knows LaTeX; [`crate::latex`] fills it from a LaTeX document, and a Markdown reader can do the same.

use std::ops::Range;

/// What a passage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassageKind {
    /// The title.
    Title,
    /// The abstract.
    Abstract,
    /// A paragraph, list item or footnote.
    Text,
    /// A caption of a figure or table.
    Caption,
    /// A table cell.
    Cell,
    /// A heading.
    Heading,
    /// A displayed formula.
    Formula,
    /// Authors, keywords, bibliography: never a claim.
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
    /// Bold or emphasised text.
    Emphasis,
}

/// A cell's place in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellPlace {
    /// Index into [`Paper::tables`].
    pub table: usize,
    /// Row, from 0.
    pub row: usize,
    /// First column, from 0.
    pub column: usize,
}

/// A stretch of text that is read as one.
#[derive(Debug, Clone)]
pub struct Passage {
    /// What it is.
    pub kind: PassageKind,
    /// The visible text.
    pub text: String,
    /// Special stretches: byte ranges of the text.
    pub masks: Vec<(Range<usize>, MaskKind)>,
    /// Index into [`Paper::sections`].
    pub section: Option<usize>,
    /// For a cell: where.
    pub cell: Option<CellPlace>,
}

/// A table: which passage covers which position.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// Passage of the caption.
    pub caption: Option<usize>,
    /// Passage that covers each position, by row and column.
    pub rows: Vec<Vec<Option<usize>>>,
    /// Whether a row belongs to the head.
    pub header: Vec<bool>,
    /// Whether a row is one cell across, naming the rows below.
    pub group: Vec<bool>,
}

/// A paper.
#[derive(Debug, Clone, Default)]
pub struct Paper {
    /// Passages in reading order.
    pub passages: Vec<Passage>,
    /// Section titles.
    pub sections: Vec<String>,
    /// Tables.
    pub tables: Vec<Grid>,
    /// Names that the source writes through a macro (`\\sys` for `Lattice`), the most used first: authors do that for their
    /// own method.
    pub names: Vec<String>,
}

impl Passage {
    /// Whether a byte lies in a stretch of this kind.
    pub(crate) fn masked(&self, at: usize, kind: MaskKind) -> Option<&Range<usize>> {
        self.masks
            .iter()
            .find(|(range, mask)| *mask == kind && range.contains(&at))
            .map(|(range, _)| range)
    }

    /// Byte ranges of the sentences, in order, covering the whole text.
    pub(crate) fn sentences(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut start = 0;
        let bytes = self.text.as_bytes();
        for (at, c) in self.text.char_indices() {
            if !matches!(c, '.' | '!' | '?') || at + 1 >= bytes.len() {
                continue;
            }
            let after = self.text.get(at + 1..).unwrap_or("");
            let gap = after.trim_start_matches([')', '"', '\'', '”', '’', ']']);
            if !gap.starts_with(char::is_whitespace) {
                continue;
            }
            let next = gap.trim_start().chars().next();
            let begins = next.is_some_and(|c| {
                c.is_uppercase()
                    || c.is_ascii_digit()
                    || matches!(c, '[' | '(' | '§' | '“' | '"' | '\\')
            });
            let before = self.text.get(start..at).unwrap_or("");
            if begins && !ends_in_abbreviation(before) {
                out.push(start..at + 1);
                start = at + 1;
            }
        }
        if start < self.text.len() || out.is_empty() {
            out.push(start..self.text.len());
        }
        out
    }
}

/// Words whose full stop ends no sentence.
const KNOWN: &[&str] = &[
    "e.g", "i.e", "al", "Fig", "Figs", "Sec", "Secs", "Tab", "Eq", "Eqs", "vs", "cf", "approx",
    "resp", "No", "w.r.t", "Acc", "ca", "Ref", "App", "Dr", "Alg", "Thm", "Prop", "Ch", "St",
];

/// Whether a text ends in a word whose full stop ends no sentence: an abbreviation or an initial.
pub fn ends_in_abbreviation(before: &str) -> bool {
    let last = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or("");
    KNOWN.contains(&last) || (last.chars().count() == 1 && last.chars().all(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_readers_see_it() {
        let passage = |text: &str| Passage {
            kind: PassageKind::Text,
            text: text.to_owned(),
            masks: Vec::new(),
            section: None,
            cell: None,
        };
        for (text, count) in [
            (
                "We reach 84.7. The baseline, e.g. ResNet et al. Smith, has 82.4.",
                2,
            ),
            ("See Fig. 3 and Sec. 2. It holds.", 2),
            ("Only one", 1),
            ("", 1),
            ("A (see B). Then C.", 2),
        ] {
            let passage = passage(text);
            let sentences = passage.sentences();
            assert_eq!(sentences.len(), count, "{text}");
            let joined: String = sentences
                .iter()
                .map(|range| text.get(range.clone()).unwrap())
                .collect();
            assert_eq!(joined, text);
        }
    }
}
