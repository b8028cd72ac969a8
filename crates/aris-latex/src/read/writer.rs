//! Builds blocks: text, the map back to the sources, marks.

use std::{ops::Range, sync::Arc};

use memchr::memchr3_iter;

use super::{Doubts, Expansion, Style, Token, narrow, style};
use crate::model::block::piece_at;
use crate::{Block, BlockKind, Mark, MarkKind, Piece, Place};

/// Most environments named in a block; deeper ones are left out, so that nesting costs linear space.
const MAX_ENVIRONMENTS: usize = 64;
/// Kinds of marks that are extended while a block is written: one for each style, one for links, one for expansions.
const SLOTS: usize = 11;
/// TeX's ligatures for dashes and quotes.
const LIGATURES: [(&str, &str); 6] = [
    ("---", "—"),
    ("--", "–"),
    ("``", "“"),
    ("''", "”"),
    ("`", "‘"),
    ("'", "’"),
];
const LINK: usize = 8;
const EXPANSION: usize = 9;
const DOUBT: usize = 10;

/// One block being built. Its text, pieces and marks are at the end of those of the [`Writer`].
#[derive(Default)]
struct Open {
    /// `None` for running text.
    kind: Option<BlockKind>,
    /// Where its text, pieces and marks begin in those of the [`Writer`].
    text: usize,
    pieces: usize,
    marks: usize,
    /// For each slot: one more than the index of its last mark (0 for none), and the number of that mark's link, doubt or macro.
    last: [(u32, u32); SLOTS],
    pending: Option<(Token, Style)>,
    operator: Option<(&'static str, Token, Style)>,
    index: Option<usize>,
}

/// Builds the blocks. Blocks nest (a footnote in a paragraph); text goes to the innermost.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) blocks: Vec<Block>,
    /// The kind of the running text; `None` for paragraphs.
    pub(crate) flow: Option<&'static BlockKind>,
    pub(crate) section: Option<usize>,
    /// The macro calls, which text names by number; number 0 is the document itself.
    pub(crate) expansions: Vec<Expansion>,
    /// The citations and cross references, which text names by number, from 1.
    links: Vec<MarkKind>,
    pub(crate) doubts: Doubts,
    /// The innermost block, and those around it: running text first, then blocks of their own.
    open: Open,
    around: Vec<Open>,
    /// Text, pieces and marks of all blocks being built, the innermost last.
    text: String,
    pieces: Vec<Piece>,
    marks: Vec<Mark>,
    /// The open environments, innermost last: the index of each among the document's, and the names that a block in it shows.
    pub(crate) environments: Vec<(usize, Arc<[Arc<str>]>)>,
}

impl Writer {
    pub(crate) fn enter(&mut self, number: usize, name: Arc<str>) {
        let mut shown = self.shown();
        if shown.len() < MAX_ENVIRONMENTS {
            shown = shown.iter().cloned().chain([name]).collect();
        }
        self.environments.push((number, shown));
    }

    /// The names of environments that a new block shows.
    fn shown(&self) -> Arc<[Arc<str>]> {
        let innermost = self.environments.last();
        innermost.map_or_else(Arc::default, |(_, shown)| Arc::clone(shown))
    }

    /// Whether text goes to a heading, caption, cell, … instead of running text.
    pub(crate) fn fixed(&self) -> bool {
        !self.around.is_empty()
    }

    /// Registers a citation or cross reference; text refers to it by its number.
    pub(crate) fn link(&mut self, kind: impl FnOnce(u32) -> MarkKind) -> u32 {
        let number = narrow(self.links.len() + 1);
        self.links.push(kind(number));
        number
    }

    /// Opens a block of its own inside the current one.
    pub(crate) fn open(&mut self, kind: BlockKind) {
        let open = Open {
            kind: Some(kind),
            text: self.text.len(),
            pieces: self.pieces.len(),
            marks: self.marks.len(),
            ..Open::default()
        };
        self.around.push(std::mem::replace(&mut self.open, open));
    }

    /// Finishes the innermost block of its own; returns its index if it has text or was claimed.
    pub(crate) fn close(&mut self) -> Option<usize> {
        self.flush_operator(false);
        let outer = self.around.pop()?;
        let index = self.finish();
        self.open = outer;
        index
    }

    /// Ends a paragraph of running text; inside a block of its own this is a space.
    pub(crate) fn paragraph(&mut self, token: Token) {
        if self.fixed() {
            self.space(token, Style::default());
        } else {
            self.flush_operator(false);
            self.finish();
            self.open = Open::default();
        }
    }

    /// Gives the current block an index although it may stay empty.
    pub(crate) fn claim(&mut self, place: Place) -> usize {
        if let Some(index) = self.open.index {
            return index;
        }
        let (index, kind) = (self.blocks.len(), self.open.kind.take());
        let kind = kind.or(self.flow.cloned());
        self.blocks.push(Block {
            kind: kind.unwrap_or_default(),
            section: self.section,
            environments: self.shown(),
            start: place,
            ..Block::default()
        });
        self.open.index = Some(index);
        index
    }

    /// Text of the current block so far.
    pub(crate) fn text(&self) -> &str {
        self.text.get(self.open.text..).unwrap_or("")
    }

    /// The digits, points and commas the text ends with, unless a space is due after them.
    pub(crate) fn trailing_number(&self) -> &str {
        /// Longer runs are not numbers.
        const LONGEST: usize = 40;
        let text = self.text();
        let ends = text.ends_with(|c: char| c.is_ascii_digit());
        if self.open.pending.is_some() || self.open.operator.is_some() || !ends {
            return "";
        }
        let tail = text.bytes().rev().take(LONGEST);
        let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b',');
        let length = tail.take_while(is_part).count();
        text.get(text.len() - length..).unwrap_or("")
    }

    /// Replaces the text of the current block by parts, each with its offset in the old text if it has one, and
    /// marks it as a number.
    pub(crate) fn replace(&mut self, parts: &[(String, Option<usize>)]) {
        let old = self.text.split_off(self.open.text);
        let pieces = self.pieces.split_off(self.open.pieces);
        let mut end = 0;
        for (part, offset) in parts {
            let at = offset.unwrap_or(end);
            end = offset.map_or(at, |at| at + part.len().saturating_sub(1));
            let Some(piece) = piece_at(&pieces, at) else {
                return;
            };
            let is_same = old.get(at..).is_some_and(|rest| rest.starts_with(part));
            let is_whole = piece.is_copy && at + part.len() <= piece.text.end;
            self.append(part, piece.at(at), offset.is_some() && is_same && is_whole);
        }
        let length = self.text().len();
        let is_linked = |kind: &MarkKind| matches!(kind, MarkKind::Cite { .. } | MarkKind::Ref);
        for mut mark in self.marks.split_off(self.open.marks) {
            let is_note = mark.kind == MarkKind::FootnoteMark;
            if mark.range.start == 0 && !is_note && !is_linked(&mark.kind) {
                mark.range.end = length;
                self.marks.push(mark);
            }
        }
        self.open.last = Default::default();
        self.open.pending = None;
        self.mark_from(0, MarkKind::Number);
    }

    pub(crate) fn footnote_mark(&mut self) {
        self.mark_from(self.text().len(), MarkKind::FootnoteMark);
    }

    pub(crate) fn mark_from(&mut self, start: usize, kind: MarkKind) {
        let range = start..self.text().len();
        if range.end > 0 {
            self.marks.push(Mark { range, kind });
        }
    }

    /// Requests a space, which is written only between two texts.
    pub(crate) fn space(&mut self, token: Token, style: Style) {
        let follows = !self.text().is_empty() || self.operator_waits();
        if follows && self.open.pending.is_none() && !style.has(style::MUTE) {
            self.open.pending = Some((token, style));
        }
    }

    /// An operator between two operands of a formula; waits for the second.
    pub(crate) fn operator(&mut self, text: &'static str, token: Token, style: Style) {
        if !style.has(style::MUTE) {
            self.flush_operator(true);
            self.open.pending = None;
            self.open.operator = Some((text, token, style));
        }
    }

    pub(crate) fn operator_waits(&self) -> bool {
        self.open.operator.is_some()
    }

    /// Writes a waiting operator, with spaces around it when an operand follows.
    pub(crate) fn flush_operator(&mut self, operand: bool) {
        if let Some((text, token, style)) = self.open.operator.take() {
            let pending = self.open.pending.take();
            if operand {
                self.space(token, style);
            }
            self.write(text, token, style);
            if operand {
                self.space(token, style);
            } else {
                self.open.pending = pending;
            }
        }
    }

    /// Writes text with its ligatures.
    pub(crate) fn write_prose(&mut self, text: &str, token: Token, style: Style) {
        let mut from = 0;
        for at in memchr3_iter(b'-', b'`', b'\'', text.as_bytes()) {
            let rest = text.get(at..).unwrap_or("");
            let ligature = LIGATURES.iter().find(|(it, _)| rest.starts_with(it));
            // Skips the other characters of a ligature that was written.
            if let Some((written, shown)) = ligature.filter(|_| at >= from) {
                self.write(text.get(from..at).unwrap_or(""), token.after(from), style);
                self.write(shown, token.after(at).fixed(), style);
                from = at + written.len();
            }
        }
        self.write(text.get(from..).unwrap_or(""), token.after(from), style);
    }

    /// Writes text. Spaces at its ends may be dropped or merged.
    pub(crate) fn write(&mut self, text: &str, token: Token, style: Style) {
        if text.starts_with(' ') || text.ends_with(' ') {
            let core = text.trim_start_matches(' ');
            let lead = text.len() - core.len();
            let core = core.trim_end_matches(' ');
            if lead > 0 {
                self.space(token.fixed(), style);
            }
            self.write(core, token.after(lead), style);
            if lead + core.len() < text.len() {
                self.space(token.after(lead + core.len()).fixed(), style);
            }
            return;
        }
        if text.is_empty() || style.has(style::MUTE) {
            return;
        }
        if self.operator_waits() {
            self.flush_operator(style.has(style::MATHS));
        }
        if self.open.index.is_none() {
            self.claim(self.place(token));
        }
        if let Some((space, then)) = self.open.pending.take()
            && !self.text().is_empty()
        {
            // A space belongs to what is on both sides of it.
            let both = Style {
                bits: then.bits & style.bits,
                link: style.link * u32::from(then.link == style.link),
            };
            self.push(" ", space, space.exp == token.exp, both);
        }
        self.push(text, token, true, style);
    }

    /// The place to show for a token: its own, or that of the macro call that it comes from.
    pub(crate) fn place(&self, token: Token) -> Place {
        match self.expansions.get(token.exp as usize) {
            Some(expansion) if token.exp > 0 => expansion.call,
            _ => token.literal(),
        }
    }

    /// Appends text to the current block with its place and marks. It is marked as expanded if `all` of it comes from one
    /// expansion.
    fn push(&mut self, text: &str, token: Token, all: bool, style: Style) {
        let range = self.append(text, self.place(token), token.is_copy());
        if style.has(style::MARKED) {
            for (slot, (bit, kind)) in style::MARKS.iter().enumerate() {
                if style.has(*bit) {
                    self.mark(slot, 0, &range, |_| Some(kind.clone()));
                }
            }
        }
        if style.link != 0 {
            let link = |writer: &Self| writer.links.get(style.link as usize - 1).cloned();
            self.mark(LINK, style.link, &range, link);
        }
        if let Some((number, doubt)) = self.doubts.current_mut() {
            doubt.is_told = true;
            doubt.holds.numbers |= text.contains(|c: char| c.is_ascii_digit());
            let kind = MarkKind::Doubtful { cause: doubt.place };
            self.mark(DOUBT, number, &range, |_| Some(kind));
        }
        if token.exp != 0 && all {
            self.mark(EXPANSION, token.exp, &range, |writer| {
                let found = writer.expansions.get(token.exp as usize)?;
                Some(MarkKind::Expanded {
                    name: Arc::clone(&found.name),
                    literal: token.literal(),
                })
            });
        }
    }

    /// Appends text to the current block; returns its byte range.
    fn append(&mut self, text: &str, place: Place, is_copy: bool) -> Range<usize> {
        let start = self.text().len();
        let range = start..start + text.len();
        self.text.push_str(text);
        let own = self.pieces.get_mut(self.open.pieces..).unwrap_or_default();
        match own.last_mut() {
            Some(last) if is_copy && last.is_copy && last.at(start) == place => {
                last.text.end = range.end;
            }
            _ => self.pieces.push(Piece {
                text: range.clone(),
                place,
                is_copy,
            }),
        }
        range
    }

    /// Extends the last mark of a slot, or begins a new one if that mark ends before or is about something else. `kind` is called
    /// only for a new mark, because the keys of a citation are many to copy.
    fn mark(
        &mut self,
        slot: usize,
        about: u32,
        range: &Range<usize>,
        kind: impl FnOnce(&Self) -> Option<MarkKind>,
    ) {
        let (last, of) = self.open.last.get(slot).copied().unwrap_or_default();
        let last = (last as usize).checked_sub(1);
        if let Some(mark) = last.and_then(|at| self.marks.get_mut(at))
            && mark.range.end == range.start
            && of == about
        {
            mark.range.end = range.end;
        } else if let Some(kind) = kind(self) {
            let range = range.clone();
            self.marks.push(Mark { range, kind });
            if let Some(last) = self.open.last.get_mut(slot) {
                *last = (narrow(self.marks.len()), about);
            }
        }
    }

    /// Finishes the innermost block; returns its index. The text is copied, so that it takes no more memory than it needs.
    fn finish(&mut self) -> Option<usize> {
        let open = &self.open;
        let index = open.index;
        let marks = self.marks.drain(open.marks..);
        if let Some(block) = index.and_then(|index| self.blocks.get_mut(index)) {
            let text = self.text.get(open.text..).unwrap_or("");
            text.clone_into(&mut block.text);
            block.pieces = self.pieces.drain(open.pieces..).collect();
            block.marks = marks.collect();
            let order = |mark: &Mark| (mark.range.start, std::cmp::Reverse(mark.range.end));
            block.marks.sort_by_key(order);
            let doubtful = block.marks.iter().filter_map(|mark| match mark.kind {
                MarkKind::Doubtful { cause } => Some((mark.range.clone(), cause)),
                _ => None,
            });
            block.doubtful = doubtful.collect();
            let first = block.pieces.first();
            block.start = first.map_or(block.start, |piece| piece.place);
        }
        self.text.truncate(open.text);
        self.pieces.truncate(open.pieces);
        index
    }
}
