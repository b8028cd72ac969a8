//! Visible text, block by block.

use std::{ops::Range, sync::Arc};

use crate::{Place, read::token::narrow};

/// What a block of text is for the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BlockKind {
    /// `\title`, `\subtitle`.
    Title,
    /// Authors, affiliations, addresses, dates, thanks: visible, but never a claim.
    FrontMatter,
    /// Text of the abstract.
    Abstract,
    /// Keywords, categories, subject classes.
    Keywords,
    /// Running text.
    #[default]
    Paragraph,
    /// A heading; [`Block::section`] is its own entry in [`Document::headings`](crate::Document::headings).
    Heading {
        /// -1 part, 0 chapter, 1 section, 2 subsection, 3 subsubsection, 4 paragraph, 5 subparagraph.
        level: i8,
    },
    /// One item of a list, or one paragraph of an item.
    ListItem,
    /// A caption.
    Caption {
        /// Environment of the float (`table*`, `figure`, `longtable`, …); empty when there is none.
        float: String,
    },
    /// One cell of a table, also when it is empty.
    Cell {
        /// Index into [`Document::tables`](crate::Document::tables).
        table: usize,
        /// Row in the source, from 0.
        row: usize,
        /// First row the cell covers; differs from `row` only for an upward `\multirow{-2}`.
        top: usize,
        /// First column, from 0, spans of earlier cells counted.
        col: usize,
        /// Columns covered (`\multicolumn`), at least 1.
        colspan: usize,
        /// Rows covered (`\multirow`), at least 1.
        rowspan: usize,
        /// Whether the row belongs to the table's head.
        header: bool,
    },
    /// A footnote, table note or end note.
    Footnote,
    /// A displayed formula.
    DisplayMath,
    /// An entry of `thebibliography`.
    BibItem,
}

/// What is known about a stretch of a block's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// Inline maths.
    Math,
    /// Displayed maths.
    DisplayMath,
    /// A citation; the text is a placeholder such as `[cite]`, with pre- and postnotes kept inside.
    Cite {
        /// The keys, in order.
        keys: Vec<String>,
    },
    /// A cross reference, or another number that LaTeX counts; the text is the placeholder `§ref`.
    Ref,
    /// An address (`\url`, `\nolinkurl`, `\path`).
    Url,
    /// Typewriter text or `\verb`.
    Code,
    /// Bold text or maths.
    Bold,
    /// Emphasised, italic or slanted text.
    Emph,
    /// A number printed by siunitx (`\num`, `\SI`, `\qty`, ranges, lists, S columns).
    Number,
    /// A unit printed by siunitx.
    Unit,
    /// Text of which it is not known whether it is set.
    Doubtful {
        /// What decides about it: the conditional, the command without a known definition.
        cause: Place,
    },
    /// An empty range where a footnote mark stands.
    FootnoteMark,
    /// Text that a macro of the document produced.
    Expanded {
        /// Name without backslash.
        name: Arc<str>,
        /// Where the marked text itself is written, inside the definition.
        literal: Place,
    },
}

/// A marked stretch of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Byte range in [`Block::text`], on character boundaries.
    pub range: Range<usize>,
    /// What it is.
    pub kind: MarkKind,
}

/// One paragraph, heading, caption, cell, ….
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// What the block is.
    pub kind: BlockKind,
    /// The heading it stands under: index into [`Document::headings`](crate::Document::headings).
    pub section: Option<usize>,
    /// Open environments, outermost first, without `document`.
    pub environments: Arc<[Arc<str>]>,
    /// The visible text: no leading or trailing space, runs of space collapsed.
    pub text: String,
    /// Marks by start, then by end (longer first).
    pub marks: Vec<Mark>,
    /// Where the block begins in the source (its first visible text; where an empty cell ends).
    pub start: Place,
    pub(crate) origins: Vec<Origin>,
    /// The doubtful ones of the marks, which never overlap.
    pub(crate) doubtful: Vec<u32>,
}

/// Where a block's text comes from, from a byte of it to where the next one begins. Papers have many of them, so they are small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    start: u32,
    file: u32,
    offset: u32,
    pub(crate) is_copy: bool,
}

impl Origin {
    pub(crate) fn new(start: usize, place: Place, is_copy: bool) -> Self {
        Self {
            start: narrow(start),
            file: narrow(place.file),
            offset: narrow(place.offset),
            is_copy,
        }
    }

    /// The place of a byte of the text that is a copy.
    pub(crate) fn copied(self, at: usize) -> Place {
        let (start, offset) = (self.start as usize, self.offset as usize);
        Place::new(self.file as usize, offset + at - start)
    }
}

/// A stretch of a block's text and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Byte range in [`Block::text`].
    pub text: Range<usize>,
    /// Where its first byte comes from.
    pub place: Place,
    /// Whether the text is a copy of the source from there on; else all of it comes from that one place.
    pub is_copy: bool,
}

/// One piece of a text of so many bytes.
fn piece(origins: &[Origin], at: usize, length: usize) -> Option<Piece> {
    let origin = origins.get(at)?;
    let start = origin.start as usize;
    let next = origins.get(at + 1);
    Some(Piece {
        text: start..next.map_or(length, |next| next.start as usize),
        place: origin.copied(start),
        is_copy: origin.is_copy,
    })
}

/// The place of a byte of a text of so many bytes, and how many bytes from there on are a copy of the source.
pub(crate) fn located(origins: &[Origin], length: usize, offset: usize) -> Option<(Place, usize)> {
    let after = origins.partition_point(|origin| origin.start as usize <= offset);
    let mut piece = piece(origins, after.checked_sub(1)?, length)?;
    let copied = piece.text.end.saturating_sub(offset);
    if !piece.is_copy || copied == 0 {
        return Some((piece.place, 0));
    }
    piece.place.offset += offset - piece.text.start;
    Some((piece.place, copied))
}

impl Block {
    /// The text in pieces, in order, each with its place in the sources. Text from a macro has the place of the call.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> {
        (0..self.origins.len()).filter_map(|at| piece(&self.origins, at, self.text.len()))
    }

    /// What decides whether a stretch of the text is set, where that is not known.
    pub fn doubt(&self, range: &Range<usize>) -> Option<Place> {
        let mark = |at: &u32| self.marks.get(*at as usize);
        let is_before = |at: &u32| mark(at).is_some_and(|mark| mark.range.end <= range.start);
        let first = self.doubtful.partition_point(is_before);
        let mark = self.doubtful.get(first).and_then(mark)?;
        match mark.kind {
            MarkKind::Doubtful { cause } if mark.range.start < range.end => Some(cause),
            _ => None,
        }
    }

    /// The source place of a byte of [`Block::text`]. Text from a macro maps to the call. An offset beyond the
    /// end gives the place of the last character.
    pub fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        located(&self.origins, self.text.len(), offset).map_or(self.start, |(place, _)| place)
    }
}
