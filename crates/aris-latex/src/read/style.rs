//! The style in which text is written.

use crate::MarkKind;

pub(crate) const BOLD: u16 = 1;
pub(crate) const EMPH: u16 = 1 << 1;
pub(crate) const CODE: u16 = 1 << 2;
pub(crate) const MATH: u16 = 1 << 3;
pub(crate) const DISPLAY: u16 = 1 << 4;
pub(crate) const URL: u16 = 1 << 5;
pub(crate) const NUMBER: u16 = 1 << 6;
pub(crate) const UNIT: u16 = 1 << 7;
/// Nothing is written.
pub(crate) const MUTE: u16 = 1 << 8;
/// siunitx may print numbers differently from the source, rounded for instance.
pub(crate) const ROUNDED: u16 = 1 << 9;
/// The bits that become marks.
pub(crate) const MARKED: u16 = MUTE - 1;
/// Bits of both kinds of maths.
pub(crate) const MATHS: u16 = MATH | DISPLAY;

/// The marks that the bits become.
pub(crate) static MARKS: [(u16, MarkKind); 8] = [
    (BOLD, MarkKind::Bold),
    (EMPH, MarkKind::Emph),
    (CODE, MarkKind::Code),
    (MATH, MarkKind::Math),
    (DISPLAY, MarkKind::DisplayMath),
    (URL, MarkKind::Url),
    (NUMBER, MarkKind::Number),
    (UNIT, MarkKind::Unit),
];

/// Style bits, and the citation or reference the text belongs to (0 for none).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) bits: u16,
    pub(crate) link: u32,
}

impl Style {
    pub(crate) fn has(self, bits: u16) -> bool {
        self.bits & bits != 0
    }

    pub(crate) fn set(mut self, bits: u16, clear: u16) -> Self {
        self.bits = (self.bits & !clear) | bits;
        self
    }
}

/// The style that a table word stands for: bits to set, bits to clear.
pub(crate) fn named(word: &str) -> (u16, u16) {
    match word {
        "bold" => (BOLD, 0),
        "emph" => (EMPH, 0),
        "code" => (CODE, 0),
        "maths" => (MATH, 0),
        "upright" => (0, MATHS),
        _ => (0, BOLD | EMPH | CODE),
    }
}
