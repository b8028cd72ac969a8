//! Does a displayed number show a measured value, and under which conversion?

use crate::decimal::Decimal;
use crate::evidence::Leaf;
use crate::number::Number;
use crate::series::{Facet, Series};
use crate::units::{Dimension, Unit};

/// How exactly a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Closeness {
    /// The very digits.
    Exact,
    /// It rounds to them.
    Rounded,
}

/// A displayed number, ready to be compared: unit and precision taken from number and context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) value: Decimal,
    /// Power of ten of the last digit that counts.
    pub(crate) last_digit: i32,
    pub(crate) unit: Option<Unit>,
    /// "about", "nearly": trailing zeros of a whole number do not count.
    pub(crate) approximate: Approximate,
}

/// Words before a number that loosen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approximate {
    No,
    /// About, roughly, ~.
    About,
    /// More than, over, at least.
    AtLeast,
    /// Less than, under, at most, nearly.
    AtMost,
}

/// Bounds by which "more than" and "under" may miss the value: a tenth, more would be a strange way to say it.
const LOOSE: i32 = -1;

impl Shown {
    pub(crate) fn new(number: &Number, unit: Option<Unit>, approximate: Approximate) -> Self {
        let mut shown = Self {
            value: number.value,
            last_digit: number.last_digit,
            unit: number.unit.or(unit),
            approximate,
        };
        // A head such as "Params (M)" multiplies what is displayed.
        if let Some(unit) = shown.unit.filter(|unit| unit.dimension == Dimension::Count) {
            let multiplied = number.last_digit >= 3 && number.value.last_digit() >= 3;
            if !multiplied {
                let power = unit.factor.last_digit();
                shown.value = shown.value.shift(power);
                shown.last_digit = shown.last_digit.saturating_add(power);
            }
            shown.unit = None;
        }
        shown
    }

    /// The interval of values that are displayed like this.
    pub(crate) fn interval(&self) -> (Decimal, Decimal) {
        let mut last = self.last_digit;
        if self.approximate == Approximate::About && last >= 0 && !self.value.is_zero() {
            last = last.max(self.value.last_digit());
        }
        let half = Decimal::new(5, last.saturating_sub(1));
        let (mut low, mut high) = (self.value.minus(half), self.value.plus(half));
        let slack = self.value.abs().shift(LOOSE);
        match self.approximate {
            Approximate::AtLeast => high = high.plus(slack),
            Approximate::AtMost => low = low.minus(slack),
            Approximate::No | Approximate::About => {}
        }
        (low, high)
    }

    /// How a value shows as this number, if it does.
    pub(crate) fn shows(&self, value: Decimal) -> Option<Closeness> {
        // Conversions such as 3600 s to 1 h pass through a quotient of 30 digits.
        let gap = value.minus(self.value).abs();
        if gap <= value.abs().shift(-20) {
            return Some(Closeness::Exact);
        }
        let (low, high) = self.interval();
        (low <= value && value <= high).then_some(Closeness::Rounded)
    }

    pub(crate) fn is_percent(&self) -> bool {
        self.unit
            .is_some_and(|unit| unit.dimension == Dimension::Percent)
    }
}

/// Factors by which values of a series are multiplied before they are compared with the number; empty when their units
/// exclude each other. Certain conversions come first.
pub(crate) fn factors(shown: &Shown, series: &Series, size: Decimal) -> Vec<Decimal> {
    let fraction = size.abs() <= Decimal::new(15, -1);
    let count = series
        .unit
        .filter(|unit| unit.dimension == Dimension::Count)
        .map(|unit| unit.factor);
    let theirs = series
        .unit
        .filter(|unit| !matches!(unit.dimension, Dimension::Count | Dimension::Other));
    let ours = shown.unit.filter(|unit| unit.dimension != Dimension::Other);
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => {
            if ours.dimension == Dimension::Percent {
                return if theirs.dimension == Dimension::Percent {
                    with_fraction(fraction)
                } else {
                    Vec::new()
                };
            }
            theirs.to(ours).into_iter().collect()
        }
        (Some(ours), None) => match ours.dimension {
            Dimension::Percent => {
                if count.is_some() || series.count || series.rate {
                    Vec::new()
                } else {
                    with_fraction(fraction)
                }
            }
            // A rate is no time.
            Dimension::Time if series.rate => Vec::new(),
            // A key without a unit: as it stands, or in the base unit or a usual multiple.
            Dimension::Time => [(1, 0), (1, 3), (1, -3), (1, 6), (1, -6)]
                .map(|(m, e)| Decimal::new(m, e))
                .to_vec(),
            Dimension::Bytes | Dimension::Flops => {
                let mut all: Vec<Decimal> =
                    [0, -3, -6, -9, -12].map(|e| Decimal::new(1, e)).to_vec();
                all.extend(Decimal::ONE.over(ours.factor));
                all.dedup();
                all
            }
            _ => {
                let mut all = vec![Decimal::ONE];
                all.extend(
                    Decimal::ONE
                        .over(ours.factor)
                        .filter(|factor| *factor != Decimal::ONE),
                );
                all
            }
        },
        (None, Some(theirs)) => match theirs.dimension {
            Dimension::Percent => vec![Decimal::ONE, Decimal::new(1, -2)],
            Dimension::Time => [0, 3, -3].map(|e| Decimal::new(1, e)).to_vec(),
            _ => [0, -3, -6, -9].map(|e| Decimal::new(1, e)).to_vec(),
        },
        (None, None) => match count {
            Some(factor) => vec![factor, Decimal::ONE],
            None if series.count || series.config => vec![Decimal::ONE],
            None => {
                let mut all = vec![Decimal::ONE];
                if fraction {
                    all.push(Decimal::HUNDRED);
                } else if size.abs() <= Decimal::HUNDRED {
                    all.push(Decimal::new(1, -2));
                } else {
                    // Sizes in millions and billions without the letter: the head of the table often has it.
                    all.extend([
                        Decimal::new(1, -3),
                        Decimal::new(1, -6),
                        Decimal::new(1, -9),
                    ]);
                }
                all
            }
        },
    }
}

fn with_fraction(fraction: bool) -> Vec<Decimal> {
    if fraction {
        vec![Decimal::HUNDRED, Decimal::ONE]
    } else {
        vec![Decimal::ONE]
    }
}

/// A value of a series that shows as the number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    pub(crate) facet: Facet,
    pub(crate) closeness: Closeness,
    /// The value in the number's unit.
    pub(crate) value: Decimal,
}

/// How a facet of a series shows as the number.
pub(crate) fn hit(shown: &Shown, series: &Series, facet: Facet, leaves: &[Leaf]) -> Option<Hit> {
    let raw = series.value(facet, leaves)?;
    let size = series.headline(leaves).map_or(raw, |(_, value)| value);
    factors(shown, series, size).into_iter().find_map(|factor| {
        let value = raw.times(factor);
        shown.shows(value).map(|closeness| Hit {
            facet,
            closeness,
            value,
        })
    })
}

/// The headline value of a series in the number's unit, by the most plausible conversion: the one that comes closest.
pub(crate) fn nearest(shown: &Shown, series: &Series, raw: Decimal) -> Option<Decimal> {
    factors(shown, series, raw)
        .into_iter()
        .map(|factor| raw.times(factor))
        .min_by(|a, b| {
            let distance = |value: &Decimal| value.minus(shown.value).abs();
            distance(a).cmp(&distance(b))
        })
}

/// The facets of a series other than single runs.
pub(crate) const AGGREGATES: [Facet; 5] = [
    Facet::Single,
    Facet::Mean,
    Facet::Median,
    Facet::Max,
    Facet::Min,
];
