//! Everything that the results could make a number show: values, their aggregates, and what follows from two of one measure.
//!
//! The judges decide which value a number means. Before it is held against an author, all that could be meant is looked
//! through: a number that follows from some named value is not called wrong.

use crate::claim::{Kind, after_words, before_words};
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::evidence::SlotKind;
use crate::number::Number;
use crate::series::{Facet, Series, SeriesId};
use crate::units::Dimension;

/// Series that are paired with each other; more results than that are not searched for pairs.
const PAIRED: usize = 160;

/// Least strength of a mention by which a sentence names a series.
const NAMED: f64 = 0.5;

/// What one series shows whatever the sentence says.
const USUAL: [Facet; 3] = [Facet::Single, Facet::Mean, Facet::Median];

/// What one series shows when the sentence speaks of it: stems of words, and facets.
const SAID: [(&[&str], &[Facet]); 3] = [
    (
        &[
            "deviation",
            "±",
            "standard",
            "spread",
            "interval",
            "varia",
            "ci",
            "error",
            "sd",
        ],
        &[
            Facet::Std,
            Facet::PopulationStd,
            Facet::StandardError,
            Facet::HalfWidth,
        ],
    ),
    (RANGE, &[Facet::Max, Facet::Min]),
    (
        &["total", "sum", "together", "overall", "all"],
        &[Facet::Sum],
    ),
];

/// Words for the ends of a range and for single runs.
const RANGE: &[&str] = &[
    "range", "ranges", "ranged", "ranging", "lowest", "highest", "between", "never", "least",
    "most", "worst", "best", "from", "below", "above", "every", "each", "all", "minimum",
    "maximum", "seed", "run", "fold", "exceed", "single", "vari", "up", "any",
];

/// Words of a number that compares two values.
const COMPARES: &[&str] = &[
    "more",
    "less",
    "fewer",
    "higher",
    "lower",
    "larger",
    "smaller",
    "greater",
    "longer",
    "shorter",
    "than",
    "cost",
    "costs",
    "loses",
    "loss",
    "losses",
    "lost",
    "losing",
    "saves",
    "saved",
    "saving",
    "adds",
    "added",
    "reduc",
    "increas",
    "decreas",
    "factor",
    "time",
    "differ",
    "gap",
    "gain",
    "drop",
    "drops",
    "dropped",
    "gains",
    "gained",
    "fell",
    "fall",
    "falls",
    "rose",
    "rise",
    "rises",
    "raises",
    "raised",
    "improv",
    "outperform",
    "faster",
    "slower",
    "better",
    "worse",
    "earlier",
    "later",
    "advanc",
    "within",
    "margin",
    "above",
    "below",
    "behind",
    "ahead",
    "of",
    "ratio",
    "relative",
    "compared",
    "against",
    "shrink",
    "shrank",
    "grew",
    "grow",
    "declin",
    "lift",
    "shift",
];

/// Words before a number that is a level of its own, and no distance between two.
const LEVEL: [&str; 10] = [
    "from", "to", "between", "at", "reach", "reaches", "reached", "obtain", "obtains", "obtained",
];

/// Whether the words beside a number say that it is a value as it stands: "from 4.1 to 3.2", "a depth of 3.2"; not "a loss of
/// 0.9", "at 0.9 below the other".
fn is_level(sentence: &str, at: usize, end: usize) -> bool {
    let compares = |word: &String| {
        COMPARES
            .iter()
            .any(|stem| *stem != "of" && (word == stem || stem.len() > 4 && word.starts_with(stem)))
    };
    let before = before_words(sentence, at, 3);
    let mut nearest = before.iter().rev();
    let opens = match nearest.next().map(String::as_str) {
        Some("of") => !nearest.any(compares),
        Some(word) => LEVEL.contains(&word),
        None => false,
    };
    opens && !after_words(sentence, end, 3).iter().any(compares)
}

/// How far the results account for a number that was not matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Explained {
    /// Nothing in the results shows it.
    Nowhere,
    /// It stands in a name of the results, as the 50 of `fixed_50ms` does, or they measure nothing in its unit.
    Setting,
    /// It is written as a relative change, and only a difference in percentage points shows it.
    Points,
    /// Something shows it that the sentence does not name.
    Elsewhere,
    /// Something shows it that the sentence names.
    Named,
}

impl Engine<'_> {
    /// How far the results account for a number.
    pub(crate) fn explains(&self, passage: usize, number: &Number, kind: Kind) -> Explained {
        let number = &self.with_unit(passage, number);
        let named: std::collections::BTreeSet<u32> = self
            .sentence_at(passage, number.range.start)
            .and_then(|at| self.passages.get(passage)?.sentences.get(at))
            .map(|sentence| {
                let mentions = sentence.mentions.iter();
                mentions
                    .filter(|mention| mention.strength >= NAMED)
                    .map(|mention| mention.label)
                    .collect()
            })
            .unwrap_or_default();
        let is_named = |series: &Series| series.labels.iter().any(|label| named.contains(label));
        let series: Vec<(SeriesId, &Series)> = (0..)
            .zip(&self.evidence.series)
            .filter(|(_, series)| !series.axis && !other_unit(number, series))
            .collect();
        let mut found = Explained::Nowhere;
        let level = |one: &Series, two: Option<&Series>| {
            let all = is_named(one) && two.is_none_or(is_named)
                || named.is_empty()
                || two.is_some_and(|two| is_named(one) || is_named(two));
            if all {
                Explained::Named
            } else {
                Explained::Elsewhere
            }
        };
        let (written, offset) = self.sentence_text(passage, number.range.start);
        let level_of_its_own = is_level(
            written,
            number.range.start.saturating_sub(offset),
            number.end.saturating_sub(offset),
        );
        let sentence = written.to_lowercase();
        let words: Vec<&str> = sentence
            .split(|c: char| !c.is_alphanumeric() && c != '±')
            .filter(|word| !word.is_empty())
            .collect();
        let says = |stems: &[&str]| {
            words.iter().any(|word| {
                stems
                    .iter()
                    .any(|stem| word == stem || stem.len() > 4 && word.starts_with(stem))
            })
        };
        let mut facets = USUAL.to_vec();
        for (stems, further) in SAID {
            if says(stems) || kind == Kind::Uncertainty {
                facets.extend(further);
            }
        }
        for (_, one) in &series {
            let shown = facets
                .iter()
                .filter_map(|facet| one.value(*facet, &self.evidence.leaves))
                .any(|value| shows(number, value));
            let member = says(RANGE)
                && one.runs() <= 50
                && one.members.iter().any(|at| {
                    crate::series::leaf(&self.evidence.leaves, *at)
                        .is_some_and(|leaf| shows(number, leaf.value))
                });
            if shown || member {
                found = found.max(level(one, None));
            }
        }
        let relative = number.is_percent() && !says(&["point", "points", "pp"]);
        let compares = match kind {
            Kind::Uncertainty | Kind::Count => false,
            Kind::Difference | Kind::RelativeChange | Kind::Ratio => true,
            _ => says(COMPARES) && !level_of_its_own,
        };
        // "2.5 times" is a quotient; only "2.5 times more" may be the part by which one exceeds the other.
        let quotient = kind == Kind::Ratio && !number.is_percent();
        if found < Explained::Named && compares && series.len() <= PAIRED {
            for (at, (a, one)) in series.iter().enumerate() {
                for (b, two) in series.iter().skip(at + 1) {
                    if one.measure.is_none() || one.measure != two.measure {
                        continue;
                    }
                    let (Some(x), Some(y)) = (self.headline(*a), self.headline(*b)) else {
                        continue;
                    };
                    let (as_gap, as_ratio) = follows(number, x, y);
                    let as_gap = as_gap && !quotient;
                    let as_ratio = if quotient {
                        is_quotient(number, x, y)
                    } else {
                        as_ratio
                    };
                    if as_ratio || as_gap && !relative {
                        found = found.max(level(one, Some(two)));
                    } else if as_gap && level(one, Some(two)) == Explained::Named {
                        found = found.max(Explained::Points);
                    }
                }
            }
        }
        // A range of which the results know neither end was set: "raising the boom from 2.5 to 6 m". One digit is met by chance.
        let set = || {
            self.other_end(passage, number).is_some_and(|other| {
                other.significant_digits() < 2
                    || !series.iter().any(|(_, one)| {
                        facets
                            .iter()
                            .filter_map(|facet| one.value(*facet, &self.evidence.leaves))
                            .any(|value| shows(other, value))
                    })
            })
        };
        if found == Explained::Nowhere
            && (self.in_a_name(number) || self.foreign_unit(number) || set())
        {
            return Explained::Setting;
        }
        found
    }

    /// The other end of "from 2 to 6 m".
    fn other_end(&self, passage: usize, number: &Number) -> Option<&Number> {
        let numbers = &self.passages.get(passage)?.numbers;
        let next = numbers.iter().find(|next| next.range.start >= number.end)?;
        let text = &self.paper.passages.get(passage)?.text;
        let between = text.get(number.end..next.range.start)?.trim();
        matches!(between, "to" | "and" | "-" | "–").then_some(next)
    }

    /// The unit may stand only behind the other end, and is that of both.
    fn with_unit(&self, passage: usize, number: &Number) -> Number {
        let mut number = number.clone();
        let other = self.other_end(passage, &number);
        number.unit = number.unit.or_else(|| other.and_then(|other| other.unit));
        number
    }

    /// The number stands in a key, a column or a text of the results.
    fn in_a_name(&self, number: &Number) -> bool {
        let digits = number.value.to_string();
        self.evidence.leaves.iter().any(|leaf| {
            leaf.slots
                .iter()
                .filter(|slot| slot.kind != SlotKind::Axis)
                .any(|slot| {
                    slot.text
                        .split(|c: char| !c.is_ascii_digit() && c != '.')
                        .any(|part| part == digits)
                })
        })
    }

    /// No result is measured in a unit of this dimension.
    fn foreign_unit(&self, number: &Number) -> bool {
        let Some(unit) = number.unit else {
            return false;
        };
        !matches!(unit.dimension, Dimension::Percent | Dimension::Count)
            && !self.evidence.series.iter().any(|series| {
                series
                    .unit
                    .is_some_and(|theirs| theirs.dimension == unit.dimension)
            })
    }
}

/// Both have a unit, and one is not measured in the other: minutes show no millimetres.
fn other_unit(number: &Number, series: &Series) -> bool {
    let physical = |dimension| !matches!(dimension, Dimension::Percent | Dimension::Count);
    number.unit.zip(series.unit).is_some_and(|(ours, theirs)| {
        physical(ours.dimension) && ours.dimension != theirs.dimension
    })
}

/// Scales between results and paper: as it is, and fractions as percentages.
fn scales(number: &Number, value: Decimal) -> [Option<Decimal>; 4] {
    let fraction = value.abs() <= Decimal::new(15, -1);
    let unit = number
        .unit
        .filter(|unit| !matches!(unit.dimension, Dimension::Percent));
    [
        Some(value),
        (fraction || number.is_percent()).then(|| value.shift(2)),
        unit.map(|_| value.shift(3)),
        unit.map(|_| value.shift(-3)),
    ]
}

fn shows(number: &Number, value: Decimal) -> bool {
    let (low, high) = number.interval();
    let (low, high) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
    scales(number, value)
        .into_iter()
        .flatten()
        .any(|value| low <= value.abs() && value.abs() <= high)
}

/// Whether the difference shows it, and whether a ratio, a relative change, or one as a part of the other does.
fn follows(number: &Number, x: Decimal, y: Decimal) -> (bool, bool) {
    let gap = x.minus(y);
    // Authors subtract what their table shows.
    let digits = number.last_digit;
    let rounded = [0, 1, 2].map(|more| {
        x.rounded_at(digits - more)
            .minus(y.rounded_at(digits - more))
    });
    let (low, high) = number.interval();
    let (low, high) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
    let ratios = [x.over(y), y.over(x), gap.over(x), gap.over(y)];
    let as_ratio = ratios.into_iter().flatten().any(|ratio| {
        let shown = if number.is_percent() {
            ratio.shift(2)
        } else {
            ratio
        };
        low <= shown.abs() && shown.abs() <= high
    });
    let mut gaps = std::iter::once(gap).chain(rounded);
    (
        gaps.any(|gap| !gap.is_zero() && shows(number, gap)),
        as_ratio,
    )
}

/// Whether one divided by the other shows it.
fn is_quotient(number: &Number, x: Decimal, y: Decimal) -> bool {
    let (low, high) = number.interval();
    [x.over(y), y.over(x)]
        .into_iter()
        .flatten()
        .any(|ratio| low <= ratio && ratio <= high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::scan;

    fn number(text: &str) -> Number {
        scan(text).into_iter().next().unwrap()
    }

    #[test]
    fn differences_ratios_and_parts_follow() {
        let (x, y) = (
            Decimal::parse("6.4").unwrap(),
            Decimal::parse("5.2").unwrap(),
        );
        for (text, expected) in [
            ("1.2 more", true),
            ("23.1%", true),
            ("18.8%", true),
            ("1.23 times", true),
            ("81.3%", true),
            ("1.3 more", false),
            ("24.1%", false),
        ] {
            let (as_gap, as_ratio) = follows(&number(text), x, y);
            assert_eq!(as_gap || as_ratio, expected, "{text}");
        }
    }

    #[test]
    fn a_level_is_told_from_a_distance() {
        for (text, expected) in [
            ("The depth sank from 4.1 m.", true),
            ("It attains a depth of 4.1 m.", true),
            ("The shafts reach 4.1 m.", true),
            ("It means a loss of 4.1 m.", false),
            ("They stay at 4.1 m below the others.", false),
            ("It dug 4.1 m more.", false),
        ] {
            let number = number(text);
            assert_eq!(
                is_level(text, number.range.start, number.end),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn fractions_are_percentages() {
        let value = Decimal::parse("0.8471").unwrap();
        for (text, expected) in [
            ("84.7%", true),
            ("0.847", true),
            ("84.7", true),
            ("85.7%", false),
        ] {
            assert_eq!(shows(&number(text), value), expected, "{text}");
        }
    }
}
