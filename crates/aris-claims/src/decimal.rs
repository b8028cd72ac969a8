//! Exact decimal arithmetic for displayed and measured numbers.
//!
//! A paper's `84.7` is a decimal, and so is the `0.84712` in a result file. Binary floating point would blur the half-unit
//! boundary between "rounds to" and "does not round to". Sums, differences and products are exact; quotients carry 100
//! significant digits.

use std::fmt;

use bigdecimal::num_bigint::Sign;
use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive as _};

/// Largest power of ten that is read (doubles end at 308). Keeps sums of very different numbers short.
const MOST_POWERS: i64 = 400;

/// Most digits that are read: more than any program prints.
const MOST_DIGITS: usize = 1_000;

/// A decimal number of any length.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Decimal(BigDecimal);

impl Decimal {
    /// The number `mantissa × 10^exponent`.
    pub fn new(mantissa: i128, exponent: i32) -> Self {
        Self(BigDecimal::new(mantissa.into(), -i64::from(exponent)))
    }

    /// Reads the notation of JSON, YAML, CSV and Python: sign, digits, point, exponent.
    ///
    /// `None` if the text is not such a number, is longer than 1,000 characters or has an exponent beyond ±400.
    pub fn parse(text: &str) -> Option<Self> {
        let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
        let plain = unsigned
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let some = unsigned.contains(|c: char| c.is_ascii_digit());
        let near = power
            .parse()
            .is_ok_and(|power: i64| power.abs() <= MOST_POWERS);
        if !(plain && some && near) || unsigned.len() > MOST_DIGITS {
            return None;
        }
        let number: BigDecimal = text.parse().ok()?;
        Some(Self(number.normalized()))
    }

    /// The shortest decimal that reads back as this double. `None` for NaN and infinities.
    pub fn from_f64(value: f64) -> Option<Self> {
        Self::parse(&format!("{value:e}"))
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.0.to_string().parse().unwrap_or(0.0)
    }

    /// The value of a whole number. `None` if it has a fraction or exceeds an `i128`.
    pub fn to_integer(&self) -> Option<i128> {
        self.0.to_i128().filter(|_| self.0.is_integer())
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.0.sign() == Sign::NoSign
    }

    /// Whether this is below zero.
    pub fn is_negative(&self) -> bool {
        self.0.sign() == Sign::Minus
    }

    /// Whether this has no fractional part.
    pub fn is_integer(&self) -> bool {
        self.0.is_integer()
    }

    /// The number of significant digits, without trailing zeros; 1 for zero.
    pub fn significant_digits(&self) -> u32 {
        u32::try_from(self.0.normalized().digits()).unwrap_or(u32::MAX)
    }

    /// The power of ten of the last significant digit (`84.70` → −1, `1200` → 2, 0 → 0).
    pub fn last_digit(&self) -> i32 {
        let places = self.0.normalized().fractional_digit_count();
        i32::try_from(-places).unwrap_or(0)
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self(self.0.abs())
    }

    /// The number with the opposite sign.
    #[must_use]
    pub fn negate(&self) -> Self {
        Self(-&self.0)
    }

    /// The number times `10^power`.
    #[must_use]
    pub fn shift(&self, power: i32) -> Self {
        self.times(&Self::new(1, power))
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }

    /// The difference `self − other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        Self(&self.0 * &other.0)
    }

    /// The quotient. `None` if the divisor is zero.
    pub fn over(&self, divisor: &Self) -> Option<Self> {
        (!divisor.is_zero()).then(|| Self(&self.0 / &divisor.0))
    }

    /// The number with this many digits after the point and without a power of ten, rounded half away from zero.
    pub fn fixed(&self, places: i64) -> String {
        let rounded = self.0.with_scale_round(places, RoundingMode::HalfUp);
        rounded.to_plain_string()
    }
}

/// Plain notation between 10⁻⁶ and 10¹⁵, scientific notation outside.
impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0.normalized();
        if (-6..15).contains(&number.order_of_magnitude()) {
            number.write_plain_string(out)
        } else {
            number.write_scientific_notation(out)
        }
    }
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
            "1e99999999999999999999999",
            "1.-5",
            "..5",
            "--5",
        ] {
            assert_eq!(Decimal::parse(input), None, "{input}");
        }
    }

    #[test]
    fn arithmetic_is_exact() {
        assert_eq!(d("0.1").plus(&d("0.2")), d("0.3"));
        assert_eq!(d("84.7").minus(&d("82.4")), d("2.3"));
        assert_eq!(d("1e-12").plus(&d("1e12")), d("1000000000000.000000000001"));
        assert!(d("1e-60").plus(&d("1e12")) > d("1e12"));
        assert_eq!(d("1.5").times(&d("-0.2")), d("-0.3"));
        assert_eq!(d("1").over(&d("8")).unwrap(), d("0.125"));
        assert_eq!(d("423.25").over(&d("5")).unwrap(), d("84.65"));
        assert_eq!(d("1").over(&Decimal::default()), None);
        assert_eq!(d("84.65").fixed(1), "84.7");
        assert_eq!(d("-84.65").fixed(1), "-84.7");
        assert_eq!(d("-0.04").fixed(1), "0.0");
        assert_eq!(d("1e20").fixed(1), "100000000000000000000.0");
        assert_eq!(d("0.05").shift(400).shift(-400), d("0.05"));
        assert_eq!(Decimal::from_f64(0.1), Some(d("0.1")));
        assert_eq!(Decimal::from_f64(f64::NAN), None);
        assert_eq!(d("1e-400").to_f64().to_string(), "0");
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
