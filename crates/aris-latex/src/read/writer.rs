//! Builds blocks: text, the map back to the sources, marks.

use std::{ops::Range, sync::Arc};

pub(super) use super::open::Source;
use super::{
    names::Names,
    open::{Open, Tag},
    reader::Expansion,
    style::{self, Style},
    token::narrow,
};
use crate::{Block, BlockKind, Citation, Mark, MarkKind, Place, Reference, model::block::Span};

/// Environments named in a block; deeper ones are left out, so that nesting costs linear space.
const MAX_ENVIRONMENTS: usize = 64;

/// Kind of the running text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flow {
    #[default]
    Body,
    Abstract,
    Keywords,
    Front,
    List,
    Display,
    BibItem,
    Note,
}

impl Flow {
    fn kind(self) -> BlockKind {
        match self {
            Self::Body => BlockKind::Paragraph,
            Self::Abstract => BlockKind::Abstract,
            Self::Keywords => BlockKind::Keywords,
            Self::Front => BlockKind::FrontMatter,
            Self::List => BlockKind::ListItem,
            Self::Display => BlockKind::DisplayMath,
            Self::BibItem => BlockKind::BibItem,
            Self::Note => BlockKind::Footnote,
        }
    }
}

/// Builds the blocks. Blocks nest (a footnote in a paragraph); text goes to the innermost.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) blocks: Vec<Block>,
    pub(crate) flow: Flow,
    pub(crate) section: Option<usize>,
    running: Open,
    /// Blocks of their own, the innermost last.
    levels: Vec<(BlockKind, Open)>,
    environments: Vec<Arc<str>>,
    /// What a block shows of them, until that changes.
    path: Option<Arc<[Arc<str>]>>,
}

/// What a citation or a cross reference names: a part of the document's list.
pub(crate) enum Link {
    Citations(Range<usize>),
    References(Range<usize>),
}

/// What expansions and links are when a block is finished.
pub(crate) struct Lookup<'a> {
    pub(crate) expansions: &'a [Expansion],
    pub(crate) names: &'a Names,
    pub(crate) links: &'a [Link],
    pub(crate) citations: &'a [Citation],
    pub(crate) refs: &'a [Reference],
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
        !self.levels.is_empty()
    }

    /// The innermost block.
    fn inner(&self) -> &Open {
        self.levels.last().map_or(&self.running, |(_, open)| open)
    }

    fn inner_mut(&mut self) -> &mut Open {
        let level = self.levels.last_mut();
        level.map_or(&mut self.running, |(_, open)| open)
    }

    /// Opens a block of its own inside the current one.
    pub(crate) fn open(&mut self, kind: BlockKind) {
        self.levels.push((kind, Open::default()));
    }

    /// Finishes the innermost block of its own; its index when it has text or was claimed.
    pub(crate) fn close(&mut self, lookup: &Lookup<'_>) -> Option<usize> {
        let (_, open) = self.levels.pop()?;
        self.finish(open, lookup)
    }

    /// Ends a paragraph of running text; inside a block of its own this is a space.
    pub(crate) fn paragraph(&mut self, source: Source, lookup: &Lookup<'_>) {
        if self.fixed() {
            self.space(source, Style::default());
            return;
        }
        let open = std::mem::take(&mut self.running);
        self.finish(open, lookup);
    }

    /// Index of the current block, if it has any text yet.
    pub(crate) fn current(&self) -> Option<usize> {
        self.inner().index
    }

    /// Gives the current block an index although it may stay empty.
    pub(crate) fn claim(&mut self, place: Place) -> usize {
        if let Some(index) = self.current() {
            return index;
        }
        let path = self.path();
        let index = self.blocks.len();
        let kind = self
            .levels
            .last()
            .map_or_else(|| self.flow.kind(), |(kind, _)| kind.clone());
        self.blocks.push(Block {
            kind,
            section: self.section,
            environments: path,
            text: String::new(),
            marks: Vec::new(),
            start: place,
            spans: Vec::new(),
        });
        self.inner_mut().index = Some(index);
        index
    }

    /// The environments that a block shows.
    fn path(&mut self) -> Arc<[Arc<str>]> {
        let count = self.environments.len().min(MAX_ENVIRONMENTS);
        let shown = self.environments.get(..count).unwrap_or_default();
        self.path.get_or_insert_with(|| shown.into()).clone()
    }

    /// Length of the current block's text.
    pub(crate) fn length(&self) -> usize {
        self.inner().text.len()
    }

    /// Text of the current block so far.
    pub(crate) fn text(&self) -> &str {
        &self.inner().text
    }

    /// The digits, points and commas the text ends with, unless a space is due after them.
    pub(crate) fn trailing_number(&self) -> &str {
        /// Longer runs are no number.
        const LONGEST: usize = 40;
        let open = self.inner();
        if open.pending.is_some()
            || open.operator.is_some()
            || !open.text.ends_with(|c: char| c.is_ascii_digit())
        {
            return "";
        }
        let tail = open.text.bytes().rev().take(LONGEST);
        let length = tail
            .take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))
            .count();
        open.text.get(open.text.len() - length..).unwrap_or("")
    }

    /// Replaces the text of the current block by parts, each with its offset in the old text if it has one, and
    /// marks it as a number.
    pub(crate) fn replace(&mut self, parts: &[(String, Option<usize>)]) {
        let open = self.inner_mut();
        let (old, spans) = (
            std::mem::take(&mut open.text),
            std::mem::take(&mut open.spans),
        );
        let Some(first) = spans.first().copied() else {
            return;
        };
        let mut end = 0;
        for (part, offset) in parts {
            let at = offset.unwrap_or(end);
            end = at
                + if offset.is_some() {
                    part.len().saturating_sub(1)
                } else {
                    0
                };
            let index = spans
                .partition_point(|span| span.text as usize <= at)
                .saturating_sub(1);
            let span = spans.get(index).copied().unwrap_or(first);
            let length = spans
                .get(index + 1)
                .map_or(old.len(), |next| next.text as usize)
                - span.text as usize;
            let into = at.saturating_sub(span.text as usize);
            let is_inside = span.is_copy() && into < length;
            let is_copy = offset.is_some()
                && is_inside
                && old
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with(part.as_str()))
                && part.len() <= length - into;
            let offset = if is_inside {
                span.offset + narrow(into)
            } else {
                span.offset
            };
            open.spans.push(Span::new(
                narrow(open.text.len()),
                span.file(),
                offset,
                is_copy,
            ));
            open.text.push_str(part);
        }
        let length = open.text.len();
        open.marks
            .retain(|(range, tag)| range.start == 0 && matches!(tag, Tag::Exp(..) | Tag::Style(_)));
        for (range, _) in &mut open.marks {
            range.end = length;
        }
        open.marks.push((0..length, Tag::Style(style::NUMBER)));
        open.last = [0; 10];
        open.pending = None;
    }

    pub(crate) fn whole_is_number(&mut self) {
        let open = self.inner_mut();
        if !open.text.is_empty() {
            open.marks
                .push((0..open.text.len(), Tag::Style(style::NUMBER)));
        }
    }

    pub(crate) fn footnote_mark(&mut self) {
        let open = self.inner_mut();
        if !open.text.is_empty() {
            let at = open.text.len();
            open.marks.push((at..at, Tag::FootnoteMark));
        }
    }

    /// A space, unless one is there or nothing follows.
    pub(crate) fn space(&mut self, source: Source, style: Style) {
        if style.has(style::MUTE) {
            return;
        }
        let open = self.inner_mut();
        if open.pending.is_none() && (!open.text.is_empty() || open.operator.is_some()) {
            open.pending = Some((source, style));
        }
    }

    /// An operator between two operands of a formula; waits for the second.
    pub(crate) fn operator(&mut self, text: &'static str, source: Source, style: Style) {
        if style.has(style::MUTE) {
            return;
        }
        self.flush_operator(true);
        let open = self.inner_mut();
        open.pending = None;
        open.operator = Some((text, source, style));
    }

    pub(crate) fn operator_waits(&self) -> bool {
        self.inner().operator.is_some()
    }

    /// Writes a waiting operator, with spaces around it when an operand follows.
    pub(crate) fn flush_operator(&mut self, operand: bool) {
        let open = self.inner_mut();
        if let Some((text, source, style)) = open.operator.take() {
            let pending = open.pending.take();
            if operand {
                self.space(source, style);
            }
            self.write(text, source.fixed(), style);
            if operand {
                self.space(source, style);
            } else {
                self.inner_mut().pending = pending;
            }
        }
    }

    /// Writes text with TeX's ligatures for dashes and quotes.
    pub(crate) fn write_prose(&mut self, text: &str, source: Source, style: Style) {
        let bytes = text.as_bytes();
        // Without an early end, so that the compiler takes many bytes at once.
        let is = |byte: &u8, other: u8| u8::from(*byte == other);
        let any = |any: u8, b: &u8| any | is(b, b'-') | is(b, b'`') | is(b, b'\'');
        if bytes.iter().fold(0, any) == 0 {
            self.write(text, source, style);
            return;
        }
        let (mut from, mut at) = (0, 0);
        while let Some(byte) = bytes.get(at) {
            let run = bytes
                .iter()
                .skip(at)
                .take(3)
                .take_while(|b| *b == byte)
                .count();
            let (width, replacement) = match (byte, run) {
                (b'-', 3..) => (3, "—"),
                (b'-', 2) => (2, "–"),
                (b'`', 2..) => (2, "“"),
                (b'\'', 2..) => (2, "”"),
                (b'`', _) => (1, "‘"),
                (b'\'', _) => (1, "’"),
                _ => {
                    at += 1;
                    continue;
                }
            };
            self.write(text.get(from..at).unwrap_or(""), source.after(from), style);
            self.write(replacement, source.after(at).fixed(), style);
            at += width;
            from = at;
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
        if self.current().is_none() {
            self.claim(source.place);
        }
        let open = self.inner_mut();
        if let Some((space, then)) = open.pending.take()
            && !open.text.is_empty()
        {
            let both = Style {
                bits: then.bits & style.bits,
                link: if then.link == style.link {
                    style.link
                } else {
                    0
                },
            };
            let exp = if space.exp == source.exp {
                space.exp
            } else {
                0
            };
            open.push(" ", Source { exp, ..space }, both);
        }
        open.push(text, source, style);
    }

    fn finish(&mut self, mut open: Open, lookup: &Lookup<'_>) -> Option<usize> {
        if let Some((text, source, style)) = open.operator.take() {
            open.push(text, source.fixed(), style);
        }
        if let Some(index) = open.index {
            open.find_uncertainties();
            if let Some(block) = self.blocks.get_mut(index) {
                let marks = open.marks.iter().filter_map(|(range, tag)| {
                    Some(Mark {
                        range: range.clone(),
                        kind: kind(*tag, lookup)?,
                    })
                });
                block.marks.extend(marks);
                block
                    .marks
                    .sort_by_key(|mark| (mark.range.start, std::cmp::Reverse(mark.range.end)));
                if let Some(first) = open.spans.first() {
                    block.start = Place {
                        file: first.file() as usize,
                        offset: first.offset as usize,
                    };
                }
                block.text = open.text;
                block.spans = open.spans;
            }
        }
        open.index
    }
}

fn kind(tag: Tag, lookup: &Lookup<'_>) -> Option<MarkKind> {
    Some(match tag {
        Tag::Style(style::BOLD) => MarkKind::Bold,
        Tag::Style(style::EMPH) => MarkKind::Emph,
        Tag::Style(style::CODE) => MarkKind::Code,
        Tag::Style(style::MATH) => MarkKind::Math,
        Tag::Style(style::DISPLAY) => MarkKind::DisplayMath,
        Tag::Style(style::URL) => MarkKind::Url,
        Tag::Style(style::NUMBER) => MarkKind::Number,
        Tag::Style(style::UNIT) => MarkKind::Unit,
        Tag::Style(_) => return None,
        Tag::Link(link) => match lookup.links.get((link as usize).checked_sub(1)?)? {
            Link::Citations(range) => {
                let named = lookup.citations.get(range.clone()).unwrap_or_default();
                MarkKind::Cite {
                    keys: named.iter().map(|citation| citation.key.clone()).collect(),
                }
            }
            Link::References(range) => {
                let named = lookup.refs.get(range.clone()).unwrap_or_default();
                MarkKind::Ref {
                    keys: named.iter().map(|named| named.key.clone()).collect(),
                }
            }
        },
        Tag::Exp(exp, literal) => {
            let found = lookup.expansions.get(exp as usize)?;
            MarkKind::Expanded {
                name: lookup.names.text(found.name).to_owned(),
                definition: found.definition,
                literal,
            }
        }
        Tag::FootnoteMark => MarkKind::FootnoteMark,
        Tag::Uncertainty => MarkKind::Uncertainty,
    })
}
