//! Differences, shares and totals: a number that follows from two values is none of them.

use crate::claim::{Kind, after_words, before_words};
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::fit::{self, Closeness, Shown};
use crate::judge::{Found, Judgement};
use crate::lexicon::LabelId;
use crate::number::Style;
use crate::report::Status;
use crate::series::{Facet, Series, SeriesId, leaf};
use crate::units::Dimension;
use crate::vocabulary::COMPARATIVES;

use super::{AROUND, NAMED, Place, VALUES, agreed};

impl Engine<'_> {
    /// "12.1 hours sooner", "2.1 GiB of additional memory": the difference of two rows of the accused measure.
    pub(super) fn row_difference(&self, place: &Place<'_>, found: &Found) -> Option<Judgement> {
        const MORE: &[&str] = &[
            "additional",
            "extra",
            "further",
            "difference",
            "gap",
            "lead",
        ];
        let near: Vec<String> = before_words(place.text, place.number.range.start, 4)
            .into_iter()
            .chain(after_words(place.text, place.number.end, 4))
            .collect();
        if place.cell
            || !near
                .iter()
                .any(|word| COMPARATIVES.contains(&word.as_str()) || MORE.contains(&word.as_str()))
        {
            return None;
        }
        let series = self.series(found.series)?;
        let (facet, own) = series.headline(&self.evidence.leaves)?;
        for slot in 0..series.slots.len() {
            for other in self.row_relatives(found.series, slot) {
                let Some((against, value)) = self
                    .series(other)
                    .and_then(|series| series.headline(&self.evidence.leaves))
                else {
                    continue;
                };
                let raw = own.minus(value).abs();
                if let Some((value, closeness)) = shows(&place.shown, series, raw) {
                    let found = Found {
                        series: found.series,
                        facet,
                        against: Some((other, against)),
                        derived: Some("difference".to_owned()),
                        value,
                    };
                    return Some(agreed(Kind::Difference, closeness, found));
                }
            }
        }
        None
    }

    /// The change follows from the same two rows in another column, or from the same columns in another row that is named.
    pub(super) fn other_pair(
        &self,
        place: &Place<'_>,
        found: &Found,
        kind: Kind,
    ) -> Option<Judgement> {
        let (against, _) = found.against?;
        let (one, two) = (self.series(found.series)?, self.series(against)?);
        let precise = place.number.significant_digits() >= 2;
        // What takes time may be faster or slower; nothing else needs to be looked for.
        let lasts = one.rate
            || one
                .unit
                .is_some_and(|unit| unit.dimension == Dimension::Time);
        let mut pairs: Vec<(SeriesId, SeriesId)> = Vec::new();
        for slot in 0..one.slots.len().min(two.slots.len()) {
            let same = one.slots.get(slot) == two.slots.get(slot);
            let Some(old) = one.slots.get(slot).map(|slot| slot.label) else {
                continue;
            };
            let lefts = self.row_relatives(found.series, slot);
            for left in lefts {
                let Some(label) = self
                    .series(left)
                    .and_then(|series| series.slots.get(slot))
                    .map(|slot| slot.label)
                else {
                    continue;
                };
                let strength = |label: LabelId| place.named.get(&label).copied().unwrap_or(0.0);
                let measure = Some(label) == self.series(left).and_then(|series| series.measure);
                let clearer = strength(label) >= NAMED && strength(label) > strength(old)
                    || kind == Kind::Difference && precise && strength(old) <= AROUND;
                if same && (clearer || measure && !lasts) {
                    let right = self.row_relatives(against, slot).into_iter().find(|right| {
                        self.series(*right)
                            .and_then(|series| series.slots.get(slot))
                            .is_some_and(|slot| slot.label == label)
                    });
                    pairs.extend(right.map(|right| (left, right)));
                }
            }
        }
        pairs.iter().find_map(|(a, b)| {
            if (*a, *b) == (found.series, against) || a == b {
                return None;
            }
            let series = self.series(*a)?;
            let (facet, from) = series.headline(&self.evidence.leaves)?;
            let (other, to) = self.series(*b)?.headline(&self.evidence.leaves)?;
            let (value, closeness, what) = changed(&place.shown, kind, series, from, to)?;
            let found = Found {
                series: *a,
                facet,
                against: Some((*b, other)),
                derived: Some(what.to_owned()),
                value,
            };
            Some(agreed(kind, closeness, found))
        })
    }

    /// A change accuses only when both sides are named.
    pub(super) fn unnamed_side(
        &self,
        place: &Place<'_>,
        found: &Found,
        judgement: &Judgement,
    ) -> Option<Judgement> {
        let (against, _) = found.against?;
        let (one, two) = (self.series(found.series)?, self.series(against)?);
        if place.cell
            || found
                .derived
                .as_ref()
                .is_some_and(|what| what.contains("effic"))
        {
            return None;
        }
        // "From 16 to 1024 nodes": the sides are numbers, which no label names.
        let axes = one.slots.len() == two.slots.len()
            && one
                .slots
                .iter()
                .zip(&two.slots)
                .all(|(a, b)| a == b || super::kinship::varied(a, b));
        if axes {
            return None;
        }
        let strength = |label: LabelId| place.named.get(&label).copied().unwrap_or(0.0);
        let measure = self.measure(one).map_or(0.0, strength);
        let sides = Self::named_apart(place, one, two).max(Self::named_apart(place, two, one));
        let own = [one, two]
            .iter()
            .any(|series| series.labels.iter().any(|label| self.own.contains(label)));
        (sides < NAMED && (measure < NAMED || sides < AROUND * NAMED && !own))
            .then(|| Judgement::missing(judgement.kind))
    }

    /// "two blocks deeper": a small number before a comparative is a difference, no setting.
    pub(super) fn setting_difference(
        place: &Place<'_>,
        judgement: &Judgement,
    ) -> Option<Judgement> {
        let small = place.number.style == Style::Spelled
            || place.number.value.is_integer() && place.number.value <= Decimal::new(20, 0);
        let compared = after_words(place.text, place.number.end, 3)
            .iter()
            .any(|word| COMPARATIVES.contains(&word.as_str()) || word.ends_with("er"));
        (judgement.status == Status::ConfigMismatch && small && compared && !place.cell)
            .then(|| Judgement::missing(Kind::Difference))
    }

    /// A share in per cent of a whole number: of another whole number in its record or column.
    pub(super) fn share_of_count(&self, place: &Place<'_>, found: &Found) -> Option<Judgement> {
        let series = self.series(found.series)?;
        let (facet, part) = self.whole_value(series)?;
        let fractional = place.shown.last_digit < 0;
        if !place.shown.is_percent() && !fractional {
            return None;
        }
        let mut parts = vec![(found.series, facet, part)];
        let record = self.record_of(found.series);
        let family =
            (0..series.slots.len()).flat_map(|slot| self.row_relatives(found.series, slot));
        for id in record.into_iter().chain(family.take(VALUES)) {
            if let Some((facet, value)) =
                self.series(id).and_then(|series| self.whole_value(series))
            {
                parts.push((id, facet, value));
            }
        }
        for (id, facet, total) in &parts {
            let Some(quotient) = part.times(Decimal::HUNDRED).over(*total) else {
                continue;
            };
            if *id != found.series
                && let Some(closeness) = place.shown.shows(quotient)
            {
                let found = Found {
                    series: found.series,
                    facet: parts.first()?.1,
                    against: Some((*id, *facet)),
                    derived: Some("share in per cent".to_owned()),
                    value: quotient,
                };
                return Some(agreed(Kind::Measurement, closeness, found));
            }
        }
        // A number with decimals is no count, whatever else it is.
        fractional.then(|| Judgement::missing(Kind::Measurement))
    }

    /// A total: two whole numbers of the record that another number of the sentence comes from.
    pub(super) fn record_total(&self, place: &Place<'_>) -> Option<Judgement> {
        if place.cell || !place.shown.value.is_integer() {
            return None;
        }
        place.shown_beside.iter().find_map(|beside| {
            let series = self.series(*beside)?;
            let (facet, part) = self.whole_value(series)?;
            self.record_of(*beside).into_iter().find_map(|id| {
                let (other, value) = self.whole_value(self.series(id)?)?;
                (part.plus(value) == place.shown.value).then(|| {
                    let found = Found {
                        series: *beside,
                        facet,
                        against: Some((id, other)),
                        derived: Some("sum".to_owned()),
                        value: place.shown.value,
                    };
                    agreed(Kind::Count, Closeness::Exact, found)
                })
            })
        })
    }

    /// The single value of a series, a whole number above one.
    pub(super) fn whole_value(&self, series: &Series) -> Option<(Facet, Decimal)> {
        // The mean of whole numbers, of ratings for instance, may have decimals.
        let integers = series.unit.is_none()
            && series.stats.is_none()
            && series.members.iter().take(VALUES).all(|at| {
                leaf(&self.evidence.leaves, *at)
                    .is_some_and(|leaf| leaf.value.is_integer() && leaf.value > Decimal::ONE)
            });
        series.headline(&self.evidence.leaves).filter(|_| integers)
    }
}

/// How a value derived from those of a series is shown.
fn shows(shown: &Shown, series: &Series, raw: Decimal) -> Option<(Decimal, Closeness)> {
    fit::factors(shown, series, raw)
        .into_iter()
        .find_map(|factor| {
            let value = raw.times(factor);
            shown.shows(value).map(|closeness| (value, closeness))
        })
}

/// The change between two values, in either direction, that is shown.
fn changed(
    shown: &Shown,
    kind: Kind,
    series: &Series,
    from: Decimal,
    to: Decimal,
) -> Option<(Decimal, Closeness, &'static str)> {
    if kind == Kind::Difference {
        let (value, closeness) = shows(shown, series, from.minus(to).abs())?;
        return Some((value, closeness, "difference"));
    }
    let quotients = [from.over(to), to.over(from)];
    quotients.into_iter().flatten().find_map(|quotient| {
        if kind == Kind::Ratio {
            return shown
                .shows(quotient)
                .map(|closeness| (quotient, closeness, "ratio"));
        }
        let change = quotient.minus(Decimal::ONE).abs().shift(2);
        shown
            .shows(change)
            .map(|closeness| (change, closeness, "relative change"))
    })
}
