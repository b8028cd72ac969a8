//! One block while it is being written.

use std::ops::Range;

use super::{
    style::{self, Style},
    token::narrow,
};
use crate::{Place, model::block::Span};

/// Where a piece of text comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// What the reader of the source is shown: the text itself or the macro call.
    pub(crate) place: Place,
    /// Whether the text is a byte-for-byte copy of what stands at `place`.
    pub(crate) copied: bool,
    /// The expansion that produced it (0 for none), and where its literal stands.
    pub(crate) exp: u32,
    pub(crate) literal: Place,
}

impl Source {
    /// The same source, advanced into the text.
    pub(crate) fn after(self, bytes: usize) -> Self {
        let place = if self.copied {
            Place {
                offset: self.place.offset + bytes,
                ..self.place
            }
        } else {
            self.place
        };
        Self {
            place,
            literal: Place {
                offset: self.literal.offset + bytes,
                ..self.literal
            },
            ..self
        }
    }

    pub(crate) fn fixed(self) -> Self {
        Self {
            copied: false,
            ..self
        }
    }
}

/// What a mark stands for while its block is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tag {
    Style(u16),
    Link(u32),
    Exp(u32, Place),
    FootnoteMark,
    Uncertainty,
}

/// One block in the making.
#[derive(Default)]
pub(super) struct Open {
    pub(super) text: String,
    pub(super) spans: Vec<Span>,
    pub(super) marks: Vec<(Range<usize>, Tag)>,
    /// Index of the last mark of each style bit, of the last link, of the last expansion.
    pub(super) last: [usize; 10],
    pub(super) pending: Option<(Source, Style)>,
    pub(super) operator: Option<(&'static str, Source, Style)>,
    pub(super) index: Option<usize>,
}

impl Open {
    pub(super) fn push(&mut self, text: &str, source: Source, style: Style) {
        let start = self.text.len();
        let (file, offset) = (narrow(source.place.file), narrow(source.place.offset));
        let continues = source.copied
            && self.spans.last().is_some_and(|last| {
                last.is_copy()
                    && last.file() == file
                    && last.offset + (narrow(start) - last.text) == offset
            });
        if !continues {
            self.spans
                .push(Span::new(narrow(start), file, offset, source.copied));
        }
        self.text.push_str(text);
        let end = self.text.len();
        let mut bits = style.bits & style::MARKED;
        while bits != 0 {
            let slot = bits.trailing_zeros();
            let bit = 1 << slot;
            bits &= !bit;
            self.mark(slot as usize, start..end, Tag::Style(bit));
        }
        if style.link != 0 {
            self.mark(8, start..end, Tag::Link(style.link));
        }
        if source.exp != 0 {
            self.mark(9, start..end, Tag::Exp(source.exp, source.literal));
        }
    }

    /// Extends the last mark of a slot or begins a new one.
    pub(super) fn mark(&mut self, slot: usize, range: Range<usize>, tag: Tag) {
        let Some(last) = self.last.get_mut(slot) else {
            return;
        };
        if let Some((before, old)) = last.checked_sub(1).and_then(|at| self.marks.get_mut(at))
            && before.end == range.start
            && match (*old, tag) {
                (Tag::Exp(one, _), Tag::Exp(two, _)) => one == two,
                (one, two) => one == two,
            }
        {
            before.end = range.end;
            return;
        }
        self.marks.push((range, tag));
        *last = self.marks.len();
    }

    /// Marks the number after each `±`.
    pub(super) fn find_uncertainties(&mut self) {
        // The first byte of the sign, which few texts have.
        if !self.text.as_bytes().contains(&0xc2) {
            return;
        }
        let found: Vec<Range<usize>> = self
            .text
            .match_indices('±')
            .filter_map(|(at, sign)| {
                let rest = self.text.get(at + sign.len()..)?;
                let number = rest.trim_start();
                let length = number
                    .bytes()
                    .take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))
                    .count();
                let digits = number.get(..length)?.trim_end_matches(['.', ',']);
                let start = at + sign.len() + (rest.len() - number.len());
                (!digits.is_empty()).then(|| start..start + digits.len())
            })
            .collect();
        self.marks
            .extend(found.into_iter().map(|range| (range, Tag::Uncertainty)));
    }
}
