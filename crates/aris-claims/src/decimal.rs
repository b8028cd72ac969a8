//! Exact decimal arithmetic for displayed and measured numbers.
//!
//! A paper's `84.7` is a decimal, and so is the `0.84712` in a result file; binary floating point would blur the
//! half-unit boundary that separates "rounds to" from "does not". Sums, differences and products of values with up to
//! [`MAX_DIGITS`] significant digits are exact; quotients carry at least 18 significant digits, which is more than any
//! paper displays. Square roots do not exist here: standard deviations are computed in binary.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

/// Significant digits kept when a number is read: more than the 17 that a binary double prints, and small enough that
/// the mantissa fits an `i128` with room for sums.
pub const MAX_DIGITS: usize = 30;

/// Largest power of ten accepted when a number is read (doubles end at 308).
pub const MAX_EXPONENT: i32 = 400;

/// A decimal number: `mantissa × 10^exponent`, without trailing zeros in the mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Decimal {
    mantissa: i128,
    exponent: i32,
}

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self {
        mantissa: 0,
        exponent: 0,
    };
    /// One.
    pub const ONE: Self = Self {
        mantissa: 1,
        exponent: 0,
    };
    /// One hundred: the factor between a fraction and a percentage.
    pub const HUNDRED: Self = Self {
        mantissa: 1,
        exponent: 2,
    };

    /// The number `mantissa × 10^exponent`.
    pub fn new(mantissa: i128, exponent: i32) -> Self {
        Self { mantissa, exponent }.normalised()
    }

    /// An integer.
    pub fn from_count(count: usize) -> Self {
        Self::new(i128::try_from(count).unwrap_or(i128::MAX), 0)
    }

    /// Reads the notation of JSON, YAML, CSV and Python: sign, digits, point, exponent.
    ///
    /// Digits beyond [`MAX_DIGITS`] are rounded half up. `None`: not such a number, or its power of ten lies beyond
    /// [`MAX_EXPONENT`].
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let (digits, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (rest.get(..at)?, rest.get(at + 1..)?.parse::<i32>().ok()?),
            None => (rest, 0),
        };
        let mut mantissa: i128 = 0;
        let mut kept = 0_usize;
        let mut seen = 0_usize;
        let mut shift: i32 = 0;
        let mut point = false;
        let mut rounded = false;
        for byte in digits.bytes() {
            match byte {
                b'0'..=b'9' => {
                    seen += 1;
                    let digit = i128::from(byte - b'0');
                    if kept < MAX_DIGITS {
                        mantissa = mantissa * 10 + digit;
                        kept += usize::from(mantissa != 0);
                        shift -= i32::from(point);
                    } else {
                        if !rounded {
                            mantissa += i128::from(digit >= 5);
                            rounded = true;
                        }
                        shift = shift.checked_add(i32::from(!point))?;
                    }
                }
                b'.' if !point => point = true,
                _ => return None,
            }
        }
        let exponent = exponent.checked_add(shift)?;
        if seen == 0 || exponent.checked_abs()? > MAX_EXPONENT {
            return None;
        }
        Some(Self::new(
            if negative { -mantissa } else { mantissa },
            exponent,
        ))
    }

    /// Whether this is zero.
    pub fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// Whether this is below zero.
    pub fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// Whether this has no fractional part.
    pub fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    /// The value of a whole number; `None` with a fraction, or beyond an `i128`.
    pub fn to_integer(self) -> Option<i128> {
        let scale = pow10(self.exponent)?;
        self.mantissa.checked_mul(scale)
    }

    /// The power of ten of the last significant digit (`84.70` → −1, `1200` → 2, 0 → 0).
    pub fn last_digit(self) -> i32 {
        self.exponent
    }

    /// The number of significant digits, trailing zeros not counted; 1 for zero.
    pub fn significant_digits(self) -> u32 {
        self.mantissa.unsigned_abs().checked_ilog10().unwrap_or(0) + 1
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        Self {
            mantissa: self.mantissa.saturating_abs(),
            ..self
        }
    }

    /// The number with the opposite sign.
    #[must_use]
    pub fn negate(self) -> Self {
        Self {
            mantissa: self.mantissa.saturating_neg(),
            ..self
        }
    }

    /// The number times `10^power`: exact.
    #[must_use]
    pub fn shift(self, power: i32) -> Self {
        if self.is_zero() {
            self
        } else {
            Self {
                exponent: self.exponent.saturating_add(power),
                ..self
            }
        }
    }

    /// The sum; exact unless the operands are more than 30 digits apart, then the small one is rounded.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (coarse, fine) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        let mut gap = coarse.exponent.saturating_sub(fine.exponent);
        let mut small = fine;
        let headroom =
            36_i32.saturating_sub(i32::try_from(coarse.significant_digits()).unwrap_or(39));
        if gap > headroom {
            small = fine.rounded_at(coarse.exponent.saturating_sub(headroom));
            gap = coarse.exponent.saturating_sub(small.exponent);
            if small.is_zero() || gap <= 0 {
                gap = 0;
                if small.is_zero() {
                    return coarse;
                }
            }
        }
        match pow10(gap).and_then(|scale| coarse.mantissa.checked_mul(scale)) {
            Some(scaled) => match scaled.checked_add(small.mantissa) {
                Some(sum) => Self::new(sum, small.exponent),
                None => coarse,
            },
            None => coarse,
        }
    }

    /// The difference `self − other`.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.plus(other.negate())
    }

    /// The product; exact up to 36 digits, otherwise of operands rounded to 18 digits.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let exponent = self.exponent.saturating_add(other.exponent);
        if let Some(mantissa) = self.mantissa.checked_mul(other.mantissa) {
            Self::new(mantissa, exponent)
        } else {
            let (a, b) = (self.to_digits(18), other.to_digits(18));
            Self::new(
                a.mantissa.saturating_mul(b.mantissa),
                a.exponent.saturating_add(b.exponent),
            )
        }
    }

    /// The quotient, rounded half up to at least 18 significant digits; `None` for a zero divisor.
    pub fn over(self, divisor: Self) -> Option<Self> {
        if divisor.is_zero() {
            return None;
        }
        let divisor = divisor.to_digits(18);
        let dividend = self.to_digits(18);
        let scale_power = 36_i32.saturating_sub(i32::try_from(dividend.significant_digits()).ok()?);
        let scaled = dividend.mantissa.checked_mul(pow10(scale_power)?)?;
        let quotient = scaled.checked_div(divisor.mantissa)?;
        Some(
            Self::new(
                quotient,
                dividend
                    .exponent
                    .saturating_sub(scale_power)
                    .saturating_sub(divisor.exponent),
            )
            .to_digits(30),
        )
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        // Both operands exact: the hardware rounds once, as a parser would (Clinger's fast path).
        let small = self.mantissa.unsigned_abs() < (1 << 53) && self.exponent.unsigned_abs() <= 22;
        if let (true, Ok(mantissa)) = (small, i64::try_from(self.mantissa)) {
            let power = POWERS
                .get(usize::try_from(self.exponent.unsigned_abs()).unwrap_or(0))
                .copied()
                .unwrap_or(1.0);
            #[expect(
                clippy::cast_precision_loss,
                reason = "below 2^53 every integer is a double"
            )]
            let mantissa = mantissa as f64;
            return if self.exponent < 0 {
                mantissa / power
            } else {
                mantissa * power
            };
        }
        format!("{}e{}", self.mantissa, self.exponent)
            .parse()
            .unwrap_or(0.0)
    }

    /// The shortest decimal that reads back as this double; `None` for NaN and infinities.
    pub fn from_f64(value: f64) -> Option<Self> {
        if value.is_finite() {
            Self::parse(&format!("{value:e}"))
        } else {
            None
        }
    }

    /// The number rounded half away from zero at the digit `10^power`.
    #[must_use]
    pub fn rounded_at(self, power: i32) -> Self {
        let drop = power.saturating_sub(self.exponent);
        if drop <= 0 {
            return self;
        }
        let Some(scale) = pow10(drop) else {
            return Self::ZERO;
        };
        let half = scale / 2;
        let adjusted = if self.mantissa < 0 {
            self.mantissa.saturating_sub(half)
        } else {
            self.mantissa.saturating_add(half)
        };
        Self::new(adjusted / scale, power)
    }

    fn to_digits(self, digits: i32) -> Self {
        let have = i32::try_from(self.significant_digits()).unwrap_or(39);
        if have <= digits {
            self
        } else {
            self.rounded_at(self.exponent.saturating_add(have - digits))
        }
    }

    fn normalised(mut self) -> Self {
        if self.mantissa == 0 {
            return Self::ZERO;
        }
        while self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.exponent = self.exponent.saturating_add(1);
        }
        self
    }

    /// The power of ten of the first digit: 84.7 → 1.
    fn magnitude(self) -> i32 {
        self.exponent
            .saturating_add(i32::try_from(self.significant_digits()).unwrap_or(0))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.mantissa.signum(), other.mantissa.signum()) {
            (a, b) if a != b => a.cmp(&b),
            (0, _) => Ordering::Equal,
            (sign, _) => {
                let by_size = self.magnitude().cmp(&other.magnitude()).then_with(|| {
                    // Same magnitude: the gap between the exponents is at most the number of digits.
                    let gap = self.exponent.saturating_sub(other.exponent);
                    let (left, right) =
                        (self.mantissa.unsigned_abs(), other.mantissa.unsigned_abs());
                    let scale = |value: u128, power: i32| {
                        u32::try_from(power)
                            .ok()
                            .and_then(|power| 10_u128.checked_pow(power))
                            .and_then(|factor| value.checked_mul(factor))
                            .unwrap_or(u128::MAX)
                    };
                    if gap >= 0 {
                        scale(left, gap).cmp(&right)
                    } else {
                        left.cmp(&scale(right, -gap))
                    }
                });
                if sign > 0 { by_size } else { by_size.reverse() }
            }
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Plain notation between 10⁻⁶ and 10¹⁵, scientific notation outside.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        let magnitude = self.magnitude();
        if !(-5..=15).contains(&magnitude) {
            let (head, tail) = digits.split_at(1);
            let point = if tail.is_empty() { "" } else { "." };
            return write!(f, "{sign}{head}{point}{tail}e{}", magnitude - 1);
        }
        if self.exponent >= 0 {
            let zeros = usize::try_from(self.exponent).unwrap_or(0);
            return write!(f, "{sign}{digits}{}", "0".repeat(zeros));
        }
        if magnitude > 0 {
            let (whole, fraction) =
                digits.split_at(usize::try_from(magnitude).unwrap_or(0).min(digits.len()));
            return write!(f, "{sign}{whole}.{fraction}");
        }
        let zeros = usize::try_from(-magnitude).unwrap_or(0);
        write!(f, "{sign}0.{}{digits}", "0".repeat(zeros))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

fn pow10(power: i32) -> Option<i128> {
    10_i128.checked_pow(u32::try_from(power).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn reads_and_prints_the_usual_notations() {
        for (input, expected) in [
            ("84.70", "84.7"),
            ("-0.5", "-0.5"),
            ("+3", "3"),
            ("1e-3", "0.001"),
            ("1.2E+05", "120000"),
            ("1e-9", "1e-9"),
            ("12345678901234567890", "1.234567890123456789e19"),
            (".5", "0.5"),
            ("5.", "5"),
            ("0.000", "0"),
            ("0.84712345678901234", "0.84712345678901234"),
            ("00012", "12"),
        ] {
            assert_eq!(d(input).to_string(), expected, "{input}");
        }
        for input in [
            "",
            ".",
            "-",
            "1e",
            "1.2.3",
            "0x10",
            "nan",
            "1_000",
            "1e999999",
            "e5",
            "1e5000000000",
        ] {
            assert_eq!(Decimal::parse(input), None, "{input}");
        }
    }

    #[test]
    fn arithmetic_is_exact_where_it_claims_to_be() {
        assert_eq!(d("0.1").plus(d("0.2")), d("0.3"));
        assert_eq!(d("84.7").minus(d("82.4")), d("2.3"));
        assert_eq!(d("1e-12").plus(d("1e12")), d("1000000000000.000000000001"));
        assert_eq!(d("1e-60").plus(d("1e12")), d("1e12"));
        assert_eq!(d("1.5").times(d("-0.2")), d("-0.3"));
        assert_eq!(d("1").over(d("8")).unwrap(), d("0.125"));
        assert_eq!(d("423.25").over(d("5")).unwrap(), d("84.65"));
        assert_eq!(d("1").over(Decimal::ZERO), None);
        assert_eq!(d("84.65").rounded_at(-1), d("84.7"));
        assert_eq!(d("-84.65").rounded_at(-1), d("-84.7"));
        assert_eq!(Decimal::from_f64(0.1), Some(d("0.1")));
        assert_eq!(Decimal::from_f64(f64::NAN), None);
    }

    #[test]
    fn orders_across_exponents_and_signs() {
        let sorted = [
            "-1e9", "-2", "-0.5", "0", "1e-9", "0.3", "2.99", "3", "1e30",
        ];
        for (i, left) in sorted.iter().enumerate() {
            for (j, right) in sorted.iter().enumerate() {
                assert_eq!(d(left).cmp(&d(right)), i.cmp(&j), "{left} against {right}");
            }
        }
    }
}
