//! Numbers as a reader sees them in running text: value, precision, sign, percent, multiplier, uncertainty.
//!
//! Independent of the markup: the text is what is left when LaTeX or Markdown has been read. A number that is part of a
//! name (`ResNet-50`, `top-1`, `v2.1`) is still returned, marked [`Number::embedded`]: whether a number is a claim is
//! decided elsewhere.

mod scan;
mod spelled;
mod units;

use std::ops::Range;

use serde::Serialize;

use crate::decimal::Decimal;

pub use scan::scan;
pub use units::unit_word;

/// The number that a text is as a whole: nothing but the number, blanks around it aside.
pub fn whole(text: &str) -> Option<Number> {
    let text = text.trim();
    let [number]: [Number; 1] = scan(text).try_into().ok()?;
    let range = &number.range;
    (range.start == 0 && range.end == text.len()).then_some(number)
}

/// A sign that was written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// `+2.3`
    Plus,
    /// `-2.3`, with a hyphen or a minus sign
    Minus,
}

/// How the digits are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// Bytes of the number in the text: sign, digits and exponent, without multiplier, percent sign and unit.
    pub range: Range<usize>,
    /// End of the number together with its percent sign or unit.
    pub end: usize,
    /// The value as displayed; percent sign and multiplier not applied (`84.7%` is 84.7, `1.3B` is 1.3).
    pub value: Decimal,
    /// Power of ten of the last displayed digit (`84.7` → −1, `1.2 × 10^{-3}` → −4, `250` → 0).
    pub last_digit: i32,
    /// The sign, when one is written.
    pub sign: Option<Sign>,
    /// How the digits are written.
    pub style: Style,
    /// The unit that follows, percent included.
    pub unit: Option<&'static str>,
    /// Power of ten of a letter or word that follows: `1.3B`, `2.5 million`; 0 without one. It is not in the value.
    pub multiplier: i32,
    /// Index of the number that this one is the uncertainty of (`84.7 ± 0.3`).
    pub uncertainty_of: Option<usize>,
    /// Index of the number that begins the range which this one ends (`0.1–0.3`).
    pub range_from: Option<usize>,
    /// Part of a name, a version, a date, an ordinal or an identifier.
    pub embedded: bool,
    /// A `×` or `x` follows directly: `3.2×`.
    pub times: bool,
}

impl Number {
    /// The smallest and the largest value that are displayed like this: half a unit of the last digit to each side, both
    /// ends included (84.7 stands for 84.65 to 84.75; which way a tie rounds differs between tools).
    pub fn interval(&self) -> (Decimal, Decimal) {
        self.interval_at(self.last_digit)
    }

    /// The interval when the digit `10^last` is the last one that counts.
    pub fn interval_at(&self, last: i32) -> (Decimal, Decimal) {
        let half = Decimal::new(5, last.saturating_sub(1));
        (self.value.minus(half), self.value.plus(half))
    }

    /// Whether the number shows a percent sign or the word.
    pub fn is_percent(&self) -> bool {
        self.unit == Some("%")
    }

    /// Digits that carry information: `84.7` has 3, `0.05` has 1, `1200` has 2 with trailing zeros not counted.
    pub fn significant_digits(&self) -> u32 {
        if self.value.is_zero() {
            return 1;
        }
        let shown_zeros =
            u32::try_from(self.value.last_digit().saturating_sub(self.last_digit)).unwrap_or(0);
        let zeros = if self.last_digit < 0 { shown_zeros } else { 0 };
        self.value.significant_digits() + zeros
    }
}
