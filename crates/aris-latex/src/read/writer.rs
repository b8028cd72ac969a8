//! Builds blocks: text, the map back to the sources, marks.

use std::{ops::Range, sync::Arc};

use memchr::memchr3_iter;

use super::{Doubts, Expansion, Style, narrow, style};
use crate::{Block, BlockKind, Mark, MarkKind, Piece, Place, model::block::located};

/// Environments named in a block; deeper ones are left out, so that nesting costs linear space.
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

/// Where a piece of text comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// Where its literal stands.
    pub(crate) literal: Place,
    /// The expansion that produced it; 0 for none.
    pub(crate) exp: u32,
    /// Whether it is a byte-for-byte copy of what stands there.
    pub(crate) copied: bool,
}

impl Source {
    /// The same source, advanced into the text.
    pub(crate) fn after(mut self, bytes: usize) -> Self {
        if self.copied || self.exp > 0 {
            self.literal.offset += bytes;
        }
        self
    }

    pub(crate) fn fixed(mut self) -> Self {
        self.copied = false;
        self
    }
}

/// One block in the making.
#[derive(Default)]
struct Open {
    /// What it is; running text has no kind of its own.
    kind: Option<BlockKind>,
    text: String,
    pieces: Vec<Piece>,
    marks: Vec<Mark>,
    /// For each kind of mark one more than the index of the last one, and what that is about.
    last: [(usize, u32); SLOTS],
    pending: Option<(Source, Style)>,
    operator: Option<(&'static str, Source, Style)>,
    index: Option<usize>,
}

impl Open {
    /// Appends text; where it is.
    fn push(&mut self, text: &str, place: Place, is_copy: bool) -> Range<usize> {
        let range = self.text.len()..self.text.len() + text.len();
        self.text.push_str(text);
        let end =
            |Piece { text, place, .. }: &Piece| Place::new(place.file, place.offset + text.len());
        let last = self.pieces.last_mut();
        match last.filter(|piece| is_copy && piece.is_copy && end(piece) == place) {
            Some(piece) => piece.text.end = range.end,
            None => self.pieces.push(Piece {
                text: range.clone(),
                place,
                is_copy,
            }),
        }
        range
    }

    /// Extends the last mark of a slot, or begins a new one where that is about something else or ends before.
    fn mark(
        &mut self,
        slot: usize,
        about: u32,
        range: Range<usize>,
        kind: impl FnOnce() -> Option<MarkKind>,
    ) {
        let Some(last) = self.last.get_mut(slot) else {
            return;
        };
        let before = last.0.checked_sub(1).and_then(|at| self.marks.get_mut(at));
        match before {
            Some(mark) if mark.range.end == range.start && last.1 == about => {
                mark.range.end = range.end;
            }
            _ => {
                if let Some(kind) = kind() {
                    self.marks.push(Mark { range, kind });
                    *last = (self.marks.len(), about);
                }
            }
        }
    }
}

/// Builds the blocks. Blocks nest (a footnote in a paragraph); text goes to the innermost.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) blocks: Vec<Block>,
    /// What the running text is.
    pub(crate) flow: BlockKind,
    pub(crate) section: Option<usize>,
    /// The macro calls, which text names by number; number 0 is the document itself.
    pub(crate) expansions: Vec<Expansion>,
    /// The citations and cross references, which text names by number, from 1.
    links: Vec<MarkKind>,
    pub(crate) doubts: Doubts,
    /// The innermost block, and those around it: running text first, then blocks of their own.
    open: Open,
    around: Vec<Open>,
    /// Emptied buffers of finished blocks: the next block is written into one of them, so that nothing has to grow again.
    spare: Vec<Open>,
    environments: Vec<Arc<str>>,
    /// What a block shows of them, until that changes.
    path: Option<Arc<[Arc<str>]>>,
}

impl Writer {
    pub(crate) fn enter(&mut self, environment: Arc<str>) {
        self.environments.push(environment);
        self.path = None;
    }

    pub(crate) fn leave(&mut self) {
        self.environments.pop();
        self.path = None;
    }

    /// Whether text goes to a heading, caption, cell, … instead of running text.
    pub(crate) fn fixed(&self) -> bool {
        !self.around.is_empty()
    }

    /// Number of a citation or cross reference that text can belong to.
    pub(crate) fn link(&mut self, kind: MarkKind) -> u32 {
        self.links.push(kind);
        narrow(self.links.len())
    }

    /// Opens a block of its own inside the current one.
    pub(crate) fn open(&mut self, kind: BlockKind) {
        let mut open = self.spare.pop().unwrap_or_default();
        open.kind = Some(kind);
        self.around.push(std::mem::replace(&mut self.open, open));
    }

    /// Finishes the innermost block of its own; its index when it has text or was claimed.
    pub(crate) fn close(&mut self) -> Option<usize> {
        self.flush_operator(false);
        let outer = self.around.pop()?;
        self.finish(outer)
    }

    /// Ends a paragraph of running text; inside a block of its own this is a space.
    pub(crate) fn paragraph(&mut self, source: Source) {
        if self.fixed() {
            self.space(source, Style::default());
            return;
        }
        self.flush_operator(false);
        let empty = self.spare.pop().unwrap_or_default();
        self.finish(empty);
    }

    /// Gives the current block an index although it may stay empty.
    pub(crate) fn claim(&mut self, place: Place) -> usize {
        if let Some(index) = self.open.index {
            return index;
        }
        let count = self.environments.len().min(MAX_ENVIRONMENTS);
        let shown = self.environments.get(..count).unwrap_or_default();
        let environments = self.path.get_or_insert_with(|| shown.into()).clone();
        let index = self.blocks.len();
        self.blocks.push(Block {
            kind: self.open.kind.as_ref().unwrap_or(&self.flow).clone(),
            section: self.section,
            environments,
            start: place,
            ..Block::default()
        });
        self.open.index = Some(index);
        index
    }

    /// Text of the current block so far.
    pub(crate) fn text(&self) -> &str {
        &self.open.text
    }

    /// The digits, points and commas the text ends with, unless a space is due after them.
    pub(crate) fn trailing_number(&self) -> &str {
        /// Longer runs are no number.
        const LONGEST: usize = 40;
        let open = &self.open;
        let ends = open.text.ends_with(|c: char| c.is_ascii_digit());
        if open.pending.is_some() || open.operator.is_some() || !ends {
            return "";
        }
        let tail = open.text.bytes().rev().take(LONGEST);
        let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b',');
        let length = tail.take_while(is_part).count();
        open.text.get(open.text.len() - length..).unwrap_or("")
    }

    /// Replaces the text of the current block by parts, each with its offset in the old text if it has one, and
    /// marks it as a number.
    pub(crate) fn replace(&mut self, parts: &[(String, Option<usize>)]) {
        let open = &mut self.open;
        let old = std::mem::take(&mut open.text);
        let pieces = std::mem::take(&mut open.pieces);
        let mut end = 0;
        for (part, offset) in parts {
            let at = offset.unwrap_or(end);
            end = offset.map_or(at, |at| at + part.len().saturating_sub(1));
            let Some((place, copied)) = located(&pieces, at) else {
                return;
            };
            let is_same = old.get(at..).is_some_and(|rest| rest.starts_with(part));
            let is_copy = offset.is_some() && is_same && part.len() <= copied;
            open.push(part, place, is_copy);
        }
        let length = open.text.len();
        let is_linked =
            |kind: &MarkKind| matches!(kind, MarkKind::Cite { .. } | MarkKind::Ref { .. });
        open.marks.retain(|mark| {
            mark.range.start == 0 && mark.kind != MarkKind::FootnoteMark && !is_linked(&mark.kind)
        });
        for mark in &mut open.marks {
            mark.range.end = length;
        }
        open.last = Default::default();
        open.pending = None;
        self.mark_from(0, MarkKind::Number);
    }

    pub(crate) fn footnote_mark(&mut self) {
        self.mark_from(self.text().len(), MarkKind::FootnoteMark);
    }

    pub(crate) fn mark_from(&mut self, start: usize, kind: MarkKind) {
        let range = start..self.text().len();
        if range.end > 0 {
            self.open.marks.push(Mark { range, kind });
        }
    }

    /// A space, unless one is there or nothing follows.
    pub(crate) fn space(&mut self, source: Source, style: Style) {
        let open = &mut self.open;
        let follows = !open.text.is_empty() || open.operator.is_some();
        if follows && open.pending.is_none() && !style.has(style::MUTE) {
            open.pending = Some((source, style));
        }
    }

    /// An operator between two operands of a formula; waits for the second.
    pub(crate) fn operator(&mut self, text: &'static str, source: Source, style: Style) {
        if !style.has(style::MUTE) {
            self.flush_operator(true);
            self.open.pending = None;
            self.open.operator = Some((text, source, style));
        }
    }

    pub(crate) fn operator_waits(&self) -> bool {
        self.open.operator.is_some()
    }

    /// Writes a waiting operator, with spaces around it when an operand follows.
    pub(crate) fn flush_operator(&mut self, operand: bool) {
        if let Some((text, source, style)) = self.open.operator.take() {
            let pending = self.open.pending.take();
            if operand {
                self.space(source, style);
            }
            self.write(text, source.fixed(), style);
            if operand {
                self.space(source, style);
            } else {
                self.open.pending = pending;
            }
        }
    }

    /// Writes text with its ligatures.
    pub(crate) fn write_prose(&mut self, text: &str, source: Source, style: Style) {
        let mut from = 0;
        for at in memchr3_iter(b'-', b'`', b'\'', text.as_bytes()) {
            let rest = text.get(at..).unwrap_or("");
            let ligature = LIGATURES.iter().find(|(it, _)| rest.starts_with(it));
            // A sign of a ligature of two or three is behind that.
            if let Some((written, shown)) = ligature.filter(|_| at >= from) {
                self.write(text.get(from..at).unwrap_or(""), source.after(from), style);
                self.write(shown, source.after(at).fixed(), style);
                from = at + written.len();
            }
        }
        self.write(text.get(from..).unwrap_or(""), source.after(from), style);
    }

    /// Writes text; a space at its edge is one that may be dropped or merged.
    pub(crate) fn write(&mut self, text: &str, source: Source, style: Style) {
        if text.starts_with(' ') || text.ends_with(' ') {
            let core = text.trim_start_matches(' ');
            let lead = text.len() - core.len();
            let core = core.trim_end_matches(' ');
            if lead > 0 {
                self.space(source.fixed(), style);
            }
            self.write(core, source.after(lead), style);
            if lead + core.len() < text.len() {
                self.space(source.after(lead + core.len()).fixed(), style);
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
            self.claim(self.place(source.literal, source.exp));
        }
        if let Some((space, then)) = self.open.pending.take()
            && !self.open.text.is_empty()
        {
            // A space belongs to what is on both sides of it.
            let both = Style {
                bits: then.bits & style.bits,
                link: style.link * u32::from(then.link == style.link),
            };
            self.push(" ", space, space.exp == source.exp, both);
        }
        self.push(text, source, true, style);
    }

    /// What the reader of the source is shown of a literal: itself, or the call of the macro that it is part of.
    pub(crate) fn place(&self, literal: Place, exp: u32) -> Place {
        let call = self.expansions.get(exp as usize).filter(|_| exp > 0);
        call.map_or(literal, |exp| exp.call)
    }

    /// Appends text to the current block, with its place and its marks; that of its expansion where it is `all` of one.
    fn push(&mut self, text: &str, source: Source, all: bool, style: Style) {
        let place = self.place(source.literal, source.exp);
        let open = &mut self.open;
        let range = open.push(text, place, source.copied);
        if style.has(style::MARKED) {
            for (slot, (bit, kind)) in style::MARKS.iter().enumerate() {
                if style.has(*bit) {
                    open.mark(slot, 0, range.clone(), || Some(kind.clone()));
                }
            }
        }
        if style.link != 0 {
            let link = || self.links.get(style.link as usize - 1).cloned();
            open.mark(LINK, style.link, range.clone(), link);
        }
        if let Some((number, doubt)) = self.doubts.current_mut() {
            doubt.is_told = true;
            doubt.holds.numbers |= text.contains(|c: char| c.is_ascii_digit());
            let kind = MarkKind::Doubtful { cause: doubt.place };
            open.mark(DOUBT, number, range.clone(), || Some(kind));
        }
        if source.exp != 0 && all {
            let expanded = || {
                let found = self.expansions.get(source.exp as usize)?;
                Some(MarkKind::Expanded {
                    name: found.name.to_string(),
                    definition: found.definition,
                    literal: source.literal,
                })
            };
            open.mark(EXPANSION, source.exp, range, expanded);
        }
    }

    /// Copies the innermost block out of what it was written in, so that it takes no more memory than it needs, and goes on with `next`.
    fn finish(&mut self, next: Open) -> Option<usize> {
        let mut open = std::mem::replace(&mut self.open, next);
        let index = open.index.take();
        if let Some(block) = index.and_then(|index| self.blocks.get_mut(index)) {
            let order = |mark: &Mark| (mark.range.start, std::cmp::Reverse(mark.range.end));
            open.marks.sort_by_key(order);
            if let Some(first) = open.pieces.first() {
                block.start = first.place;
            }
            open.text.clone_into(&mut block.text);
            open.pieces.clone_into(&mut block.pieces);
            block.marks = open.marks.drain(..).collect();
        }
        open.text.clear();
        open.pieces.clear();
        open.marks.clear();
        (open.kind, open.last, open.pending, open.operator) = Default::default();
        self.spare.push(open);
        index
    }
}
