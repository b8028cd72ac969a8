//! Visible text, block by block.

use std::{ops::Range, sync::Arc};

use crate::Place;

/// The role of a block of text.
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
    /// One cell of a table, possibly empty.
    Cell {
        /// Index into [`Document::tables`](crate::Document::tables).
        table: usize,
        /// Row in the source, from 0.
        row: usize,
        /// First row the cell covers; differs from `row` only for an upward `\multirow{-2}`.
        top: usize,
        /// First column, from 0; earlier cells count with their spans.
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

/// The kinds of [`Mark`].
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
        /// The command without backslash and star.
        command: String,
        /// Counts up with the citations; the parts of one that another citation in its notes divides have the same.
        number: u32,
    },
    /// A cross reference, or another number that only LaTeX knows (`\thesection`); the text is the placeholder `§ref`.
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
    /// Text that LaTeX may or may not print.
    Doubtful {
        /// The cause: the place of the undecided conditional or of the undefined command.
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

/// A range of a block's text with a known role or property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Byte range in [`Block::text`], on character boundaries.
    pub range: Range<usize>,
    /// The kind of the mark.
    pub kind: MarkKind,
}

/// One paragraph, heading, caption, cell, ….
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The role of the block.
    pub kind: BlockKind,
    /// The heading it stands under: index into [`Document::headings`](crate::Document::headings).
    pub section: Option<usize>,
    /// Open environments, outermost first, without `document`.
    pub environments: Arc<[Arc<str>]>,
    /// The visible text: no leading or trailing space, runs of space collapsed.
    pub text: String,
    /// Marks by start, then by end (longer first).
    pub marks: Vec<Mark>,
    /// Place of the first visible text; for an empty cell, of the `&` or `\\` that ends it.
    pub start: Place,
    pub(crate) pieces: Vec<Piece>,
    /// The doubtful ranges in order, each with its cause.
    pub(crate) doubtful: Vec<(Range<usize>, Place)>,
}

/// A stretch of a block's text and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Byte range in [`Block::text`].
    pub text: Range<usize>,
    /// Where its first byte comes from.
    pub place: Place,
    /// Whether the text equals the source bytes from `place` on. Otherwise all of it comes from that one place.
    pub is_copy: bool,
}

impl Piece {
    /// The source place of a byte offset in the block's text. An offset past the end of the piece is extrapolated.
    pub(crate) fn at(&self, offset: usize) -> Place {
        let behind = if self.is_copy {
            offset - self.text.start
        } else {
            0
        };
        Place::new(self.place.file, self.place.offset + behind)
    }
}

/// The piece that contains a byte offset of the text.
pub(crate) fn piece_at(pieces: &[Piece], offset: usize) -> Option<&Piece> {
    let after = pieces.partition_point(|piece| piece.text.start <= offset);
    pieces.get(after.checked_sub(1)?)
}

impl Block {
    /// The text in pieces, in order, each with its place in the sources. Text from a macro has the place of the call.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.pieces.iter().cloned()
    }

    /// The cause of the first doubt that touches a byte range of the text; `None` if LaTeX certainly prints it.
    pub fn doubt(&self, range: &Range<usize>) -> Option<Place> {
        let is_before = |(doubtful, _): &(Range<usize>, Place)| doubtful.end <= range.start;
        let first = self.doubtful.partition_point(is_before);
        let (doubtful, cause) = self.doubtful.get(first)?;
        (doubtful.start < range.end).then_some(*cause)
    }

    /// The source place of a byte of [`Block::text`]. Text from a macro maps to the call. An offset beyond the
    /// end gives the place of the last character.
    pub fn place(&self, offset: usize) -> Place {
        let last = self.text.len().saturating_sub(1);
        let offset = self.text.floor_char_boundary(offset.min(last));
        piece_at(&self.pieces, offset).map_or(self.start, |piece| piece.at(offset))
    }
}
