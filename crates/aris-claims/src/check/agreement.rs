//! Whether a value agrees with the number that a paper shows.

use crate::bindings::{Agreement, Relation, Rounding};
use crate::decimal::Decimal;
use crate::number::{Number, whole};

/// Relative error allowed for binary arithmetic, in units of 10⁻¹⁵: some nine units in the last place of a double.
const NOISE: i128 = 2;

/// Below this limit a double represents every whole number exactly.
const WHOLE: i128 = 1 << 53;

/// How a value compares with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The same value.
    Exact,
    /// The same to the digits shown, or as the binding's relation, rounding or tolerance allows.
    Within,
    /// Another value.
    Differs,
    /// The paper shows more digits than binary arithmetic can confirm.
    Unknown,
}

/// Compares a value with a number shown. `is_exact`: the value did not come from binary arithmetic.
pub(super) fn compare(
    value: &Decimal,
    is_exact: bool,
    shown: &Number,
    agreement: &Agreement,
) -> Outcome {
    let noise = if is_exact { 0 } else { NOISE };
    let noise = value.abs().times(&Decimal::new(noise, -15));
    let gap = value.minus(&shown.value);
    let within = |most: &Decimal| gap.abs() <= most.plus(&noise);
    // Whether the shown number can come from cutting off a value that is `gap` larger (negative: smaller).
    let unit = Decimal::new(1, shown.last_digit);
    let above = |gap: &Decimal| *gap >= noise.negate() && *gap < unit;
    // The number shows digits as small as the error of the arithmetic. The outcome is still certain if the gap is larger than
    // that error, or if the numbers are equal and small enough for a double to represent every whole number.
    let half = Decimal::new(5, shown.last_digit.saturating_sub(1));
    let is_beyond = noise >= half
        && agreement.relation == Relation::Equal
        && agreement.tolerance.is_none()
        && !(gap.is_zero() && value.abs() < Decimal::new(WHOLE, 0));
    if is_beyond && within(&half) {
        return Outcome::Unknown;
    }
    // `-0.0` shows a minus sign that its value 0 does not have.
    let signed_zero = shown.has_minus && shown.value.is_zero();
    let zero = Decimal::default();
    let holds = match (agreement.relation, &agreement.tolerance, agreement.round) {
        (Relation::Equal, ..) if gap.is_zero() && !signed_zero => return Outcome::Exact,
        (Relation::Equal | Relation::About, Some(tolerance), _) => within(tolerance),
        (Relation::Equal, ..) if signed_zero && *value > zero => false,
        (Relation::Equal, None, Rounding::Nearest) => within(&half),
        (Relation::Equal, None, Rounding::Up) => above(&gap.negate()),
        (Relation::Equal, None, Rounding::Truncate) if value.is_negative() => above(&gap.negate()),
        (Relation::Equal, None, Rounding::Down | Rounding::Truncate) => above(&gap),
        (Relation::About, None, _) => within(&zero),
        (Relation::Less, ..) => gap < zero,
        (Relation::AtMost, ..) => gap <= noise,
        (Relation::Greater, ..) => gap > zero,
        (Relation::AtLeast, ..) => gap >= noise.negate(),
    };
    if holds {
        Outcome::Within
    } else {
        Outcome::Differs
    }
}

/// The number that the paper should show: the value with as many digits as are shown. `None` if that would not agree either, or
/// if the number is not written in plain digits: authors group digits and write powers of ten in their own ways.
pub(super) fn correction(
    value: &Decimal,
    is_exact: bool,
    text: &str,
    shown: &Number,
    agreement: &Agreement,
) -> Option<String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    // In `250` the last significant digit may be the 0 or the 5.
    if !plain || shown.multiplier != 0 || shown.last_digit > 0 {
        return None;
    }
    let written = value.fixed(i64::from(shown.last_digit.checked_neg()?));
    let number = whole(&written)?;
    matches!(
        compare(value, is_exact, &number, agreement),
        Outcome::Exact | Outcome::Within
    )
    .then_some(written)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn outcome(value: &str, shown: &str, agreement: Agreement) -> Outcome {
        compare(
            &Decimal::parse(value).unwrap(),
            false,
            &whole(shown).unwrap(),
            &agreement,
        )
    }

    #[test]
    fn the_digits_shown_decide_and_halves_go_either_way() {
        use Outcome::{Differs, Exact, Unknown, Within};
        for (value, shown, expected) in [
            ("34.2", "34.2", Exact),
            ("34.20", "34.2", Exact),
            ("34.2", "34.20", Exact),
            ("34.15", "34.2", Within),
            ("34.25", "34.2", Within),
            ("8.850000000000001", "8.8", Within),
            ("34.2501", "34.2", Differs),
            ("34.14", "34.2", Differs),
            ("-34.2", "34.2", Differs),
            ("34.2", "-34.2", Differs),
            ("2.3", "+2.3", Exact),
            ("6125", "6,125", Exact),
            ("6125.4", "6,125", Within),
            ("0.123456789012346", "0.123456789012345", Differs),
            ("0.000000000000000888178", "8.88 × 10^{-16}", Within),
            ("0.1234567890123457", "0.1234567890123456", Unknown),
            ("0.30000000000000004", "0.30000000000000004", Exact),
            ("9223372036854776000", "9223372036854776000", Unknown),
            ("9223372036854776000", "9223372036854775900", Unknown),
            ("9223372036854776000", "9223372036854000000", Differs),
            ("9223372036854776000", "9.22 × 10^{18}", Within),
            ("9007199254740991", "9,007,199,254,740,991", Exact),
            ("9007199254740991", "9,007,199,254,740,990", Unknown),
            ("900719925474099", "900,719,925,474,099", Exact),
            ("0", "0.00", Exact),
            ("0.004", "0.00", Within),
            ("0", "-0.0", Within),
            ("-0.04", "-0.0", Within),
            ("0.04", "-0.0", Differs),
        ] {
            assert_eq!(
                outcome(value, shown, Agreement::default()),
                expected,
                "{value} as {shown}"
            );
        }
    }

    #[test]
    fn relations_roundings_and_tolerances_are_as_said() {
        let relation = |relation| Agreement {
            relation,
            ..Agreement::default()
        };
        let round = |round| Agreement {
            round,
            ..Agreement::default()
        };
        let tolerance = |text: &str| Agreement {
            tolerance: Decimal::parse(text),
            ..Agreement::default()
        };
        let about = || Agreement {
            relation: Relation::About,
            ..tolerance("2")
        };
        for (value, shown, agreement, holds) in [
            ("0.0004", "0.001", relation(Relation::Less), true),
            ("0.001", "0.001", relation(Relation::Less), false),
            ("0.001", "0.001", relation(Relation::AtMost), true),
            ("2.81", "2.8", relation(Relation::Greater), true),
            ("2.8", "2.8", relation(Relation::Greater), false),
            ("2.8", "2.8", relation(Relation::AtLeast), true),
            ("31.4", "30", about(), true),
            ("32.4", "30", about(), false),
            ("3.49", "3.4", round(Rounding::Down), true),
            ("3.50", "3.4", round(Rounding::Down), false),
            ("3.39", "3.4", round(Rounding::Down), false),
            ("3.31", "3.4", round(Rounding::Up), true),
            ("-3.49", "-3.4", round(Rounding::Truncate), true),
            ("-3.49", "-3.5", round(Rounding::Down), true),
            ("5.54", "5.5", tolerance("0.05"), true),
            ("5.56", "5.5", tolerance("0.05"), false),
        ] {
            let how = format!("{value} as {shown} with {agreement:?}");
            let found = outcome(value, shown, agreement) != Outcome::Differs;
            assert_eq!(found, holds, "{how}");
        }
    }

    #[test]
    fn a_correction_has_the_digits_shown_and_agrees() {
        for (value, shown, wanted) in [
            ("34.1649", "34.5", Some("34.2")),
            ("-0.04", "0.5", Some("0.0")),
            ("-0.44", "0.5", Some("-0.4")),
            ("1234.5", "1,233.5", None),
            ("0.00012", "1e-3", None),
            ("17", "18", Some("17")),
            ("17.26", "18", Some("17")),
        ] {
            let value = Decimal::parse(value).unwrap();
            let agreement = Agreement::default();
            let number = whole(shown).unwrap();
            let found = correction(&value, false, shown, &number, &agreement);
            assert_eq!(found.as_deref(), wanted, "{value} as {shown}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_from_a_value_agrees_with_it_and_another_digit_does_not(value in -1e6_f64..1e6, digits in 0_usize..6) {
            let printed = format!("{value:.digits$}");
            let exact = Decimal::from_f64(value).unwrap();
            let shown = whole(&printed).unwrap();
            prop_assert_ne!(compare(&exact, false, &shown, &Agreement::default()), Outcome::Differs);
            let mut other = shown.clone();
            other.value = other.value.plus(&Decimal::new(2, shown.last_digit));
            other.has_minus = other.value.is_negative();
            prop_assert_eq!(compare(&exact, false, &other, &Agreement::default()), Outcome::Differs);
        }
    }
}
