//! Does the context single out a quantity? Only then can a number contradict it.

use std::collections::BTreeSet;

use crate::context::{Scored, Weights};
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::fit::{self, Closeness, Hit, Shown};
use crate::judge::{Binding, Case, TIE};
use crate::series::{Facet, Series, SeriesId};
use crate::units::Dimension;

/// Weight up to which a label counts as not named: the paper's own method by default.
pub(crate) const UNDECIDED: f64 = 0.42;

/// Weight of the only measure that a sentence names.
pub(crate) const LONE: f64 = 0.45;

impl Engine<'_> {
    /// The digits fit another quantity that the sentence names too: that the words were read wrongly is more likely than
    /// chance.
    pub(crate) fn better_measure(
        &self,
        scored: Scored,
        hit: Hit,
        top: Scored,
        case: &Case<'_>,
    ) -> bool {
        let (Some(series), Some(best)) = (self.series(scored.series), self.series(top.series))
        else {
            return false;
        };
        if case.weak || self.measure(series) == self.measure(best) {
            return false;
        }
        let named = series.labels.iter().any(|label| {
            best.labels.binary_search(label).is_err()
                && case.sentence.contains(label)
                && case.weights.get(label).is_some_and(|weight| *weight >= 0.5)
        });
        let converted = series.config
            && hit.closeness == Closeness::Exact
            && self.same_unit(scored.series, case)
            && !case.shown.is_percent();
        named || converted
    }

    /// What tells this series from the best one is not mentioned, but what tells the best one from it is.
    pub(crate) fn contradicted(&self, id: SeriesId, top: SeriesId, weights: &Weights) -> bool {
        let (Some(series), Some(top)) = (self.series(id), self.series(top)) else {
            return false;
        };
        let most = |a: &Series, b: &Series| {
            a.labels
                .iter()
                .filter(|label| b.labels.binary_search(label).is_err())
                .map(|label| {
                    (
                        weights.get(label).copied().unwrap_or(0.0),
                        self.methods.contains(label),
                    )
                })
                // Half of a name contradicts nothing.
                .filter(|(weight, method)| *method || *weight >= 0.6)
                .map(|(weight, _)| weight)
                .fold(0.0, f64::max)
        };
        let (rival, best) = (most(series, top), most(top, series));
        let differing = series
            .slots
            .iter()
            .zip(&top.slots)
            .filter(|(a, b)| a.label != b.label);
        let siblings = !top.axis
            && !top.config
            && series.slots.len() == top.slots.len()
            && differing.count() == 1;
        (siblings || self.measure(series) == self.measure(top))
            && rival < 0.36
            && best >= rival + 0.05
            && best >= 0.3
    }

    /// Everything that tells this series from the other one is named in the sentence.
    pub(crate) fn all_named(&self, id: SeriesId, other: SeriesId, weights: &Weights) -> bool {
        let (Some(series), Some(other)) = (self.series(id), self.series(other)) else {
            return false;
        };
        let mut own = series
            .labels
            .iter()
            .filter(|label| other.labels.binary_search(label).is_err())
            .peekable();
        // The name of a file is rarely in the text.
        let path_only = |label: &u32| {
            series
                .slots
                .iter()
                .filter(|slot| slot.label == *label)
                .all(|slot| slot.kind == crate::evidence::SlotKind::Path)
                && !self.own.contains(label)
        };
        own.peek().is_some()
            && own.all(|label| {
                path_only(label)
                    || weights.get(label).is_some_and(|weight| {
                        *weight >= if self.own.contains(label) { 0.39 } else { 0.45 }
                    })
            })
    }

    /// Whether the context singles out the best series, or a few that all contradict the number.
    pub(crate) fn resolved(&self, top: Scored, near: &[Scored], case: &Case<'_>) -> bool {
        let Some(series) = self.series(top.series).filter(|series| !series.axis) else {
            return false;
        };
        let step = self
            .stated_step(series, case)
            .and_then(|at| series.value(Facet::Member(at), &self.evidence.leaves));
        let headline = series.headline(&self.evidence.leaves).map(|(_, raw)| raw);
        let Some(raw) = step.or(headline) else {
            return false;
        };
        if self.counted(top.series, series, &case.shown) {
            return false;
        }
        let measure = self.measure_weight(series, case.weights);
        let key = self.key_weight(top.series, case.weights).max(measure);
        let unit = self.same_unit(top.series, case);
        let only = unit && self.only_measure_in_unit(series, &case.shown);
        let own_named = series.labels.iter().any(|label| {
            self.own.contains(label) && (case.sentence.contains(label) || case.goes_on)
        });
        // The only measure that the sentence names holds for all its numbers, however far.
        let lone = self.measure(series).is_some_and(|label| {
            case.sentence.contains(&label)
                && !case.sentence.iter().any(|other| {
                    *other != label
                        && self.measures.get(crate::engine::index(*other)) == Some(&true)
                })
        });
        let measure = if lone && !series.config {
            measure.max(LONE)
        } else {
            measure
        };
        let measure = if only { measure.max(0.6) } else { measure };
        let values: BTreeSet<String> = near
            .iter()
            .filter(|other| other.score >= top.score - TIE)
            .filter_map(|other| self.series(other.series)?.headline(&self.evidence.leaves))
            .map(|(_, value)| value.to_string())
            .collect();
        let tied = values.len();
        // Which method is meant: named, or the paper's own by default.
        let method = series
            .labels
            .iter()
            .filter(|label| {
                self.own.contains(label) || self.rivals.contains(label) || self.full.contains(label)
            })
            .map(|label| case.weights.get(label).copied().unwrap_or(0.0))
            .fold(0.0, f64::max);
        let covered = top.coverage >= 0.45
            || top.coverage >= 0.28 && method >= 0.39
            || unit && tied == 1 && top.coverage >= 0.25
            || only && own_named;
        let close = Self::plausible_size(&case.shown, series, raw);
        if case.binding == Binding::Text {
            // A range, or a number in seconds against a count, contradicts nothing.
            let physical = case.shown.unit.is_some_and(|unit| {
                !matches!(
                    unit.dimension,
                    Dimension::Percent | Dimension::Count | Dimension::Other
                )
            });
            if case.aggregation.range || physical && series.unit.is_none() {
                return false;
            }
            // What is measured and whose it is must stand in the sentence, unless it names none at all.
            let in_sentence = |label: &u32| case.sentence.contains(label);
            let other_method = series
                .labels
                .iter()
                .any(|label| self.rivals.contains(label) && !in_sentence(label));
            let other_measure = self
                .measure(series)
                .is_some_and(|label| !in_sentence(&label))
                && !unit
                && case.sentence.iter().any(|label| {
                    self.measures
                        .get(crate::engine::index(*label))
                        .copied()
                        .unwrap_or(false)
                });
            let unsaid = series.measure.is_some()
                && !self
                    .measure(series)
                    .is_some_and(|label| in_sentence(&label))
                && !unit;
            if other_method && !case.rivalry || other_measure || unsaid && !case.goes_on {
                return false;
            }
        }
        // "23 participants" contradicts no number of trials.
        let words = self
            .measure(series)
            .and_then(|label| self.evidence.lexicon.label(label))
            .map_or(&[][..], |label| label.words.as_slice());
        if case.weak && case.noun.as_ref().is_some_and(|noun| !words.contains(noun)) {
            return false;
        }
        match case.binding {
            Binding::Cell => tied <= 6 && Self::comparable_size(&case.shown, series, raw),
            Binding::LooseCell => key >= 0.6 && top.coverage >= 0.7 && tied <= 2 && close,
            // A large whole number beside a measure is a measurement.
            Binding::Text
                if case.weak
                    && !series.config
                    && case.shown.value.abs() >= Decimal::HUNDRED
                    && !case.aggregation.spread =>
            {
                measure >= 0.4 && covered && tied <= 2 && close
            }
            Binding::Text if case.weak => {
                !case.aggregation.any()
                    && tied <= 3
                    && Self::plausible_setting(&case.shown, series, raw)
                    && (measure >= 0.85
                        || series.config
                            && (measure >= 0.62
                                || measure >= 0.4 && self.only_setting(series, case.weights)))
                    && (series.config || top.coverage >= 0.5)
            }
            Binding::Text => {
                if series.config {
                    (measure >= 0.6 || measure >= 0.4 && self.only_setting(series, case.weights))
                        && tied <= 4
                        && Self::plausible_setting(&case.shown, series, raw)
                } else {
                    (measure >= 0.4 || (unit && key >= 0.5)) && covered && tied <= 2 && close
                }
            }
        }
    }

    /// No other setting is mentioned nearly as clearly.
    pub(crate) fn only_setting(&self, series: &Series, weights: &Weights) -> bool {
        let own = self.measure_weight(series, weights);
        self.evidence
            .series
            .iter()
            .filter(|other| other.config && self.measure(other) != self.measure(series))
            .all(|other| self.measure_weight(other, weights) <= own - 0.1)
    }

    /// No other quantity of the results has this unit.
    pub(crate) fn only_measure_in_unit(&self, series: &Series, shown: &Shown) -> bool {
        let dimension = series.unit.map(|unit| unit.dimension);
        self.evidence
            .series
            .iter()
            .filter(|other| !other.config && other.unit.map(|unit| unit.dimension) == dimension)
            // Milliseconds of inference are not seconds of training.
            .filter(|other| {
                other.unit.map(|unit| unit.symbol) == series.unit.map(|unit| unit.symbol)
                    || shown.unit.map(|unit| unit.symbol) != series.unit.map(|unit| unit.symbol)
            })
            .all(|other| self.measure(other) == self.measure(series))
    }

    /// The number could be a wrong version of the value: same order of magnitude, or off by a power of ten or a unit.
    pub(crate) fn plausible_size(shown: &Shown, series: &Series, raw: Decimal) -> bool {
        let Some(value) = fit::nearest(shown, series, raw) else {
            return false;
        };
        if value.is_zero() || shown.value.is_zero() {
            return value.minus(shown.value).abs() <= Decimal::new(5, 0);
        }
        let Some(quotient) = shown.value.over(value).map(Decimal::abs) else {
            return false;
        };
        let between = |low: &str, high: &str| {
            let read = |text: &str| Decimal::parse(text).unwrap_or(Decimal::ONE);
            read(low) <= quotient && quotient <= read(high)
        };
        between("0.4", "2.5")
            || between("0.095", "0.105")
            || between("9.5", "10.5")
            // One digit shows a power of ten only roughly.
            || shown.value.significant_digits() == 1
                && (between("0.08", "0.125") || between("8", "12.5"))
            || between("0.00095", "0.00105")
            || between("950", "1050")
            || between("58", "62")
            || between("0.016", "0.0172")
    }

    /// A cell may be wrong by more than running text: a table that is aligned with the results has been understood. Ten times
    /// is the limit, or both are small.
    pub(crate) fn comparable_size(shown: &Shown, series: &Series, raw: Decimal) -> bool {
        let Some(value) = fit::nearest(shown, series, raw) else {
            return false;
        };
        let small = Decimal::new(20, 0);
        if value.abs() <= small && shown.value.abs() <= small {
            return true;
        }
        let quotient = shown.value.over(value).map(Decimal::abs);
        quotient.is_some_and(|quotient| {
            Decimal::new(1, -1) <= quotient && quotient <= Decimal::new(10, 0)
        })
    }

    /// A setting may be wrong by more than a measurement: up to a factor of ten, or a power of ten.
    pub(crate) fn plausible_setting(shown: &Shown, series: &Series, raw: Decimal) -> bool {
        if !series.config {
            return Self::plausible_size(shown, series, raw);
        }
        // A fraction is no wrong version of a number of folds.
        if shown.value.is_integer() != raw.is_integer()
            && (raw.abs() >= Decimal::new(2, 0) || shown.value.abs() >= Decimal::new(2, 0))
        {
            return false;
        }
        let Some(quotient) = fit::nearest(shown, series, raw)
            .and_then(|value| shown.value.over(value))
            .map(Decimal::abs)
        else {
            return false;
        };
        (Decimal::new(1, -1) <= quotient && quotient <= Decimal::new(10, 0))
            || quotient.significant_digits() == 1
                && quotient.rounded_at(quotient.last_digit()) == quotient
                && quotient.shift(-quotient.last_digit()) == Decimal::ONE
    }

    /// Two quantities measure the same and the sentence names nothing of what tells them apart.
    pub(crate) fn undecided(&self, id: SeriesId, other: SeriesId, weights: &Weights) -> bool {
        let (Some(one), Some(two)) = (self.series(id), self.series(other)) else {
            return false;
        };
        if self.measure(one) != self.measure(two)
            || one.config != two.config
            || one.axis
            || two.axis
        {
            return false;
        }
        let named = |a: &Series, b: &Series| {
            a.labels
                .iter()
                .filter(|label| b.labels.binary_search(label).is_err())
                .any(|label| weights.get(label).is_some_and(|weight| *weight > UNDECIDED))
        };
        !named(one, two) && !named(two, one)
    }
}
