//! Numbers as a reader sees them in running text: value, precision, percent, multiplier, uncertainty.
//!
//! Independent of the markup: the text is the result of reading LaTeX or Markdown. A number that is part of a name
//! (`ResNet-50`, `top-1`, `v2.1`) is still returned, but marked [`Number::embedded`]. Other code decides whether a number is
//! a claim.

mod scan;
mod words;

use std::ops::Range;

use crate::decimal::Decimal;

pub use scan::scan;
pub(crate) use scan::{compiled, is_unary};
pub use words::unit_word;

/// The number that makes up the whole text, except for blanks around it.
pub fn whole(text: &str) -> Option<Number> {
    let text = text.trim();
    let [number]: [Number; 1] = scan(text).try_into().ok()?;
    (number.range == (0..text.len())).then_some(number)
}

/// How the digits are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `84.7`, `1,234`
    Digits,
    /// `1.2 × 10^{-3}`, `1e-4`
    Scientific,
    /// `five`
    Spelled,
}

/// One number in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// Byte range of the number in the text: sign, digits and exponent, without multiplier, percent sign and unit.
    pub range: Range<usize>,
    /// End of the number together with its percent sign or unit.
    pub end: usize,
    /// The value as displayed; percent sign and multiplier not applied (`84.7%` is 84.7, `1.3B` is 1.3).
    pub value: Decimal,
    /// Power of ten of the last displayed digit (`84.7` → −1, `1.2 × 10^{-3}` → −4, `250` → 0).
    pub last_digit: i32,
    /// Whether a minus sign is written. The value of `-0.0` does not show it.
    pub has_minus: bool,
    /// How the digits are written.
    pub style: Style,
    /// The unit that follows, percent included.
    pub unit: Option<&'static str>,
    /// Power of ten of a letter or word that follows: `1.3B`, `2.5 million`; 0 if there is none. Not applied to the value.
    pub multiplier: i32,
    /// Index of the number that this one is the uncertainty of (`84.7 ± 0.3`).
    pub uncertainty_of: Option<usize>,
    /// Whether the number is part of a name, a version, a date, an ordinal or an identifier.
    pub embedded: bool,
    /// Whether a `×`, `x`, `-fold` or `times` follows: `3.2×`.
    pub times: bool,
}

impl Number {
    /// The smallest and the largest value that round to this number: half a unit of the last digit to each side, both ends
    /// included (84.7 stands for 84.65 to 84.75; tools differ in which way they round a tie).
    pub fn interval(&self) -> (Decimal, Decimal) {
        let half = Decimal::new(5, self.last_digit.saturating_sub(1));
        (self.value.minus(&half), self.value.plus(&half))
    }

    /// Whether a percent sign or the word follows.
    pub fn is_percent(&self) -> bool {
        self.unit == Some("%")
    }

    /// Digits that carry information: `84.7` has 3, `0.05` has 1, `1200` has 2 because trailing zeros of whole numbers do not
    /// count.
    pub fn significant_digits(&self) -> u32 {
        let zeros = self.value.last_digit().saturating_sub(self.last_digit);
        let is_shown = self.last_digit < 0 && !self.value.is_zero();
        let zeros = u32::try_from(zeros).ok().filter(|_| is_shown);
        self.value.significant_digits() + zeros.unwrap_or(0)
    }
}
