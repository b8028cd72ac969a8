//! From a number and the series that its context points to, to a status.

use std::collections::BTreeSet;

use crate::claim::Kind;
use crate::context::{Aggregation, Scored, Weights};
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::fit::{self, AGGREGATES, Closeness, Hit, Shown};
use crate::report::Status;
use crate::series::{Facet, Series, SeriesId};
use crate::units::Dimension;

/// A value that a judgement rests on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) series: SeriesId,
    pub(crate) facet: Facet,
    /// The other side of a difference or ratio, or further values.
    pub(crate) against: Option<(SeriesId, Facet)>,
    /// What was derived: "mean of 5", "difference"; none for a value as it stands.
    pub(crate) derived: Option<String>,
    /// The value in the unit of the paper.
    pub(crate) value: Decimal,
}

/// What was decided about one number.
#[derive(Debug, Clone)]
pub(crate) struct Judgement {
    pub(crate) status: Status,
    pub(crate) kind: Kind,
    pub(crate) evidence: Vec<Found>,
    pub(crate) alternatives: Vec<Found>,
    /// Why: the part after "paper says X".
    pub(crate) reason: String,
}

impl Judgement {
    pub(crate) fn new(
        status: Status,
        kind: Kind,
        evidence: Vec<Found>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            status,
            kind,
            evidence,
            alternatives: Vec::new(),
            reason: reason.into(),
        }
    }

    pub(crate) fn missing(kind: Kind) -> Self {
        Self::new(
            Status::MissingEvidence,
            kind,
            Vec::new(),
            "no result file has a value for it",
        )
    }
}

/// Series beyond this rank are not looked at: context that leaves sixty candidates has not singled out any.
pub(crate) const RANKS: usize = 60;

/// Part of the best score that a series may fall short and still be what the context means.
const NEAR: f64 = 0.22;
/// Difference of scores below which two series are told apart by nothing.
const TIE: f64 = 0.06;

/// Weight up to which a label counts as not named: the paper's own method by default.
const UNDECIDED: f64 = 0.42;

/// Weight of the only measure that a sentence names.
const LONE: f64 = 0.45;

/// How strictly the context binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Running text: labels may be left out.
    Text,
    /// A cell whose row and column heads name the quantity.
    Cell,
    /// A cell of which one head or none is understood.
    LooseCell,
}

/// What is being judged.
pub(crate) struct Case<'c> {
    pub(crate) shown: Shown,
    pub(crate) aggregation: Aggregation,
    pub(crate) weights: &'c Weights,
    pub(crate) scored: &'c [Scored],
    pub(crate) binding: Binding,
    /// Labels that the sentence itself names.
    pub(crate) sentence: &'c BTreeSet<u32>,
    /// The sentence goes on about the one before: a pronoun, or a place or case in front.
    pub(crate) goes_on: bool,
    /// The sentence speaks of "the baseline" or contrasts with it.
    pub(crate) rivalry: bool,
    /// The sentence says that the setting holds for several methods.
    pub(crate) everywhere: bool,
    /// The noun in plural behind a whole number: what is counted.
    pub(crate) noun: Option<String>,
    /// Report only when the results speak of it.
    pub(crate) weak: bool,
    /// Numbers of the sentence: steps and axis values that single out a member.
    pub(crate) others: &'c [Decimal],
}

/// How one series answers.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Fits(Hit),
    /// Only another aggregate or a single run fits.
    Otherwise(Hit),
}

impl Engine<'_> {
    /// Judges a measured value or a setting; `None`: not a claim after all.
    pub(crate) fn judge(&self, case: &Case<'_>) -> Option<Judgement> {
        let Some(top) = case
            .scored
            .iter()
            .find(|scored| self.plausible_kind(scored.series, case))
        else {
            let found = self.by_value(case);
            return if case.weak {
                found
            } else {
                found.or_else(|| Some(Judgement::missing(Kind::Measurement)))
            };
        };
        let reach = top.score - NEAR * top.score.abs() - TIE;
        let mut fitting: Vec<(Scored, Hit)> = Vec::new();
        let mut otherwise: Vec<(Scored, Hit)> = Vec::new();
        let mut near: Vec<Scored> = Vec::new();
        for scored in case.scored.iter().take(RANKS) {
            let Some(series) = self.series(scored.series) else {
                continue;
            };
            if !self.plausible_kind(scored.series, case) {
                continue;
            }
            if scored.score >= reach {
                near.push(*scored);
            }
            match self.answer(series, case) {
                Some(Answer::Fits(hit)) => fitting.push((*scored, hit)),
                Some(Answer::Otherwise(hit)) => otherwise.push((*scored, hit)),
                None => {}
            }
        }
        // Of readings that are nearly as good the one of comparable size: 728k is no number of tokens where those are 15M.
        let close = |scored: &Scored| {
            self.series(scored.series).is_some_and(|series| {
                series
                    .headline(&self.evidence.leaves)
                    .is_some_and(|(_, raw)| Self::plausible_size(&case.shown, series, raw))
            })
        };
        let top = if case.binding == Binding::Text && !close(top) {
            near.iter()
                .find(|scored| close(scored))
                .copied()
                .unwrap_or(*top)
        } else {
            *top
        };
        let top = &top;
        let resolved = self.resolved(*top, &near, case);
        // A setting explains a number better than a step that happens to have it.
        let is = |id: SeriesId, what: &dyn Fn(&Series) -> bool| self.series(id).is_some_and(what);
        let setting = fitting.iter().find(|(scored, _)| {
            is(scored.series, &|series| series.config)
                && self.key_weight(scored.series, case.weights) >= 0.4
        });
        let first = fitting.first().copied();
        let first = first
            .filter(|(scored, _)| !is(scored.series, &|series| series.axis))
            .or(setting.copied())
            .or(first);
        if let Some((scored, hit)) = first {
            let key = self.key_weight(scored.series, case.weights);
            let supported =
                key >= 0.3 || self.same_unit(scored.series, case) || case.binding == Binding::Cell;
            let enough = if case.weak { key >= 0.5 } else { supported };
            let precise = case.shown.value.significant_digits() >= 2
                || case.shown.last_digit < 0
                || case.shown.last_digit >= 3;
            let open = scored.series == top.series
                || !self.contradicted(scored.series, top.series, case.weights);
            let accepted = scored.score >= reach && (open || case.binding == Binding::Cell)
                || !resolved && precise && open
                || resolved
                    && case.binding == Binding::Text
                    && self.all_named(scored.series, top.series, case.weights)
                || case.binding == Binding::Text && self.better_measure(scored, hit, *top, case);
            if enough && accepted {
                let judgement = self.matched(case, scored, hit, &fitting);
                if judgement.status == Status::AmbiguousMapping
                    && let Some(mean) = self.over_cases(case)
                {
                    return Some(mean);
                }
                return Some(
                    self.same_elsewhere(case, scored.series)
                        .unwrap_or(judgement),
                );
            }
        }
        if let Some((scored, hit)) = otherwise.first().copied() {
            let key = self.key_weight(scored.series, case.weights);
            if scored.score >= reach
                && (resolved || key >= 0.5 || key >= 0.4 && self.same_unit(scored.series, case))
                && !case.weak
            {
                return Some(self.aggregated_otherwise(case, scored, hit));
            }
        }
        if resolved {
            return Some(self.mismatch(case, *top));
        }
        if let Some(judgement) = self.over_cases(case).or_else(|| self.by_value(case)) {
            return Some(judgement);
        }
        if case.weak {
            return None;
        }
        Some(Judgement::missing(self.kind_of(top.series)))
    }

    /// A mean, sum or extreme over the cases of a label: "on average over the six datasets".
    fn over_cases(&self, case: &Case<'_>) -> Option<Judgement> {
        let agg = case.aggregation;
        let wanted = if agg.mean { Facet::Mean } else { Facet::Sum };
        // Without a word for it, only the exact sum of large whole numbers is one.
        let unsaid = wanted == Facet::Sum && !agg.total;
        if unsaid && (!case.shown.value.is_integer() || case.shown.value.significant_digits() < 3) {
            return None;
        }
        for scored in case.scored.iter().take(RANKS) {
            let series = self.series(scored.series)?;
            if series.config || series.axis || series.spread {
                continue;
            }
            for slot in 0..series.slots.len() {
                let family = self.family(scored.series, slot);
                let values: Vec<(Decimal, u32)> = family
                    .iter()
                    .filter_map(|id| self.series(*id)?.headline(&self.evidence.leaves))
                    .map(|(_, value)| (value, 0))
                    .collect();
                let Some(stats) = crate::series::statistics(&values).filter(|_| values.len() >= 3)
                else {
                    continue;
                };
                let raw = match wanted {
                    Facet::Mean => stats.mean,
                    _ => stats.sum,
                };
                let shown = fit::factors(&case.shown, series, stats.mean)
                    .into_iter()
                    .find_map(|factor| {
                        let value = raw.times(factor);
                        case.shown.shows(value).map(|closeness| (closeness, value))
                    });
                if unsaid
                    && (self.key_weight(scored.series, case.weights) < 0.3
                        || shown.is_none_or(|(closeness, _)| closeness != Closeness::Exact))
                {
                    continue;
                }
                if let Some((closeness, value)) = shown {
                    let what = match wanted {
                        Facet::Mean => "mean",
                        _ => "sum",
                    };
                    let found = Found {
                        series: scored.series,
                        facet: Facet::Single,
                        against: None,
                        derived: Some(format!("{what} over {}", values.len())),
                        value,
                    };
                    let status = if closeness == Closeness::Exact {
                        Status::ExactMatch
                    } else {
                        Status::RoundingOk
                    };
                    return Some(Judgement::new(status, Kind::Measurement, vec![found], ""));
                }
            }
        }
        None
    }

    /// Digits that only one quantity of the results has: three of them, or a power of ten, are hardly chance.
    fn by_value(&self, case: &Case<'_>) -> Option<Judgement> {
        let shown = &case.shown;
        let digits = shown.value.significant_digits();
        let varied = shown.last_digit <= -3 && shown.unit.is_none() && !shown.value.is_integer();
        if let Some(label) = self.axis_label(shown.value).filter(|_| varied) {
            let series = (0..)
                .zip(&self.evidence.series)
                .find(|(_, series)| series.labels.binary_search(&label).is_ok())?
                .0;
            let found = Found {
                series,
                facet: Facet::Single,
                against: None,
                derived: Some(format!("results for {}", self.label_text(label))),
                value: shown.value,
            };
            return Some(Judgement::new(
                Status::ExactMatch,
                Kind::Configuration,
                vec![found],
                "",
            ));
        }
        let telling = digits >= 2 || (shown.last_digit < -3);
        let loosened = shown.approximate != fit::Approximate::No;
        if !telling || case.noun.is_some() && !case.weak {
            return None;
        }
        let (low, high) = shown.interval();
        let mut hits: Vec<(SeriesId, Hit)> = Vec::new();
        let mut factors = vec![Decimal::ONE, Decimal::new(1, -2)];
        if let Some(unit) = shown.unit {
            factors.extend([unit.factor, Decimal::new(1, 3), Decimal::new(1, -3)]);
        }
        for factor in factors {
            let (a, b) = (low.times(factor), high.times(factor));
            let (from, to) = if a <= b { (a, b) } else { (b, a) };
            for entry in self.evidence.values.between(from, to, 64)? {
                let Some(series) = self.series(entry.series) else {
                    continue;
                };
                let whole_sum =
                    entry.facet == Facet::Sum && digits >= 4 && shown.value.is_integer();
                if entry.facet == Facet::Sum && !whole_sum
                    || matches!(
                        entry.facet,
                        Facet::Member(_)
                            | Facet::Median
                            | Facet::Max
                            | Facet::Min
                            | Facet::Std
                            | Facet::PopulationStd
                            | Facet::StandardError
                    )
                    || series.axis
                {
                    continue;
                }
                if case.weak && !series.config
                    || digits < 3
                        && (!series.config || shown.value.is_integer())
                        && shown.last_digit >= -3
                {
                    continue;
                }
                let hit = fit::hit(shown, series, entry.facet, &self.evidence.leaves);
                let exact_only = loosened || whole_sum || digits < 3;
                if let Some(hit) =
                    hit.filter(|hit| !exact_only || hit.closeness == Closeness::Exact)
                    && !hits.iter().any(|(known, _)| *known == entry.series)
                {
                    hits.push((entry.series, hit));
                }
            }
        }
        let (first, hit) = *hits.first()?;
        let measure = self.measure(self.series(first)?);
        let alone = hits.iter().all(|(id, _)| {
            self.series(*id)
                .is_some_and(|series| self.measure(series) == measure)
        });
        let status = if hit.closeness == Closeness::Exact {
            Status::ExactMatch
        } else {
            Status::RoundingOk
        };
        if !alone {
            return None;
        }
        Some(self.same_elsewhere(case, first).unwrap_or_else(|| {
            Judgement::new(
                status,
                self.kind_of(first),
                vec![Self::found(first, hit)],
                "",
            )
        }))
    }

    /// The digits fit another quantity that the sentence names too: that the words were read wrongly is more likely than
    /// chance.
    fn better_measure(&self, scored: Scored, hit: Hit, top: Scored, case: &Case<'_>) -> bool {
        let (Some(series), Some(best)) = (self.series(scored.series), self.series(top.series))
        else {
            return false;
        };
        if case.weak || self.measure(series) == self.measure(best) {
            return false;
        }
        let named = series.slots.iter().any(|slot| {
            slot.kind != crate::evidence::SlotKind::Path
                && case.sentence.contains(&slot.label)
                && case
                    .weights
                    .get(&slot.label)
                    .is_some_and(|weight| *weight >= 0.5)
        });
        let converted = series.config
            && hit.closeness == Closeness::Exact
            && self.same_unit(scored.series, case)
            && !case.shown.is_percent();
        named || converted
    }

    /// What tells this series from the best one is not mentioned, but what tells the best one from it is.
    fn contradicted(&self, id: SeriesId, top: SeriesId, weights: &Weights) -> bool {
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
        let siblings = series.slots.len() == top.slots.len() && differing.count() == 1;
        (siblings || self.measure(series) == self.measure(top))
            && rival < 0.36
            && best >= rival + 0.05
            && best >= 0.3
    }

    /// Everything that tells this series from the other one is named in the sentence.
    fn all_named(&self, id: SeriesId, other: SeriesId, weights: &Weights) -> bool {
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

    /// "All methods use the same batch size": the setting must hold in the other configurations too.
    pub(crate) fn same_elsewhere(&self, case: &Case<'_>, id: SeriesId) -> Option<Judgement> {
        let series = self
            .series(id)
            .filter(|series| series.config && case.everywhere)?;
        let measure = self.measure(series)?;
        let list = self.postings.get(crate::engine::index(measure))?;
        let others: Vec<SeriesId> = list
            .iter()
            .copied()
            .filter(|other| {
                self.series(*other).is_some_and(|other| {
                    other.config
                        && self.measure(other) == self.measure(series)
                        && other.count == series.count
                })
            })
            .collect();
        // Only the configurations that the sentence names, if it names some.
        let named: Vec<SeriesId> = others
            .iter()
            .copied()
            .filter(|other| {
                self.series(*other).is_some_and(|other| {
                    other.labels.iter().any(|label| {
                        series.labels.binary_search(label).is_err()
                            && case.weights.get(label).is_some_and(|weight| {
                                *weight >= if self.own.contains(label) { 0.39 } else { 0.45 }
                            })
                    })
                })
            })
            .collect();
        let checked = if named.is_empty() { &others } else { &named };
        let wrong = checked.iter().find(|other| {
            self.series(**other)
                .is_some_and(|other| self.answer(other, case).is_none())
        })?;
        let scored = Scored {
            series: *wrong,
            score: 0.0,
            coverage: 1.0,
        };
        Some(self.mismatch(case, scored))
    }

    pub(crate) fn kind_of(&self, series: SeriesId) -> Kind {
        match self.series(series) {
            Some(series) if series.config => Kind::Configuration,
            Some(series) if series.count => Kind::Count,
            _ => Kind::Measurement,
        }
    }

    /// The weight of what the series measures.
    pub(crate) fn key_weight(&self, series: SeriesId, weights: &Weights) -> f64 {
        let Some(series) = self.series(series) else {
            return 0.0;
        };
        let of = |label: u32| weights.get(&label).copied().unwrap_or(0.0);
        series
            .slots
            .iter()
            .rev()
            .filter(|slot| {
                slot.kind == crate::evidence::SlotKind::Key
                    || slot.kind == crate::evidence::SlotKind::Column
            })
            .map(|slot| of(slot.label))
            .fold(0.0, f64::max)
    }

    fn measure_weight(&self, series: &Series, weights: &Weights) -> f64 {
        self.measure(series)
            .and_then(|label| weights.get(&label))
            .copied()
            .unwrap_or(0.0)
    }

    fn same_unit(&self, series: SeriesId, case: &Case<'_>) -> bool {
        match (
            self.series(series).and_then(|series| series.unit),
            case.shown.unit,
        ) {
            (Some(theirs), Some(ours)) => theirs.dimension == ours.dimension,
            _ => false,
        }
    }

    /// Units, fractions and counts agree so far that the number could be this quantity at all.
    fn plausible_kind(&self, series: SeriesId, case: &Case<'_>) -> bool {
        let Some(series) = self.series(series) else {
            return false;
        };
        let fractional = case.shown.last_digit < 0 && !case.shown.value.is_integer();
        if series.count && fractional {
            return false;
        }
        let wants_spread = case.aggregation.spread || case.aggregation.standard_error;
        if series.spread && !wants_spread {
            return false;
        }
        let size = series
            .headline(&self.evidence.leaves)
            .map_or(Decimal::ONE, |(_, value)| value);
        !fit::factors(&case.shown, series, size).is_empty()
    }

    fn answer(&self, series: &Series, case: &Case<'_>) -> Option<Answer> {
        let leaves = &self.evidence.leaves;
        let shown = &case.shown;
        let agg = case.aggregation;
        let hit = |facet| fit::hit(shown, series, facet, leaves);
        if series.axis {
            // A step or a varied number: it is there or it is not.
            let found = series
                .members
                .iter()
                .find_map(|member| hit(Facet::Member(*member)))?;
            return (found.closeness == Closeness::Exact).then_some(Answer::Fits(found));
        }
        if series.spread {
            return hit(Facet::Single)
                .or_else(|| hit(Facet::Mean))
                .map(Answer::Fits);
        }
        if agg.spread || agg.standard_error {
            let wanted: &[Facet] = if agg.standard_error {
                &[Facet::StandardError]
            } else {
                &[Facet::Std, Facet::PopulationStd]
            };
            if let Some(found) = wanted.iter().find_map(|facet| hit(*facet)) {
                return Some(Answer::Fits(found));
            }
            return [Facet::Std, Facet::PopulationStd, Facet::StandardError]
                .iter()
                .find_map(|facet| hit(*facet))
                .map(Answer::Otherwise);
        }
        if let Some(found) = hit(Facet::Single) {
            return Some(Answer::Fits(found));
        }
        let wanted: &[Facet] = if agg.range && series.stats.is_some() {
            &[Facet::Min, Facet::Max, Facet::Mean]
        } else if agg.median {
            &[Facet::Median]
        } else if agg.best && series.stats.is_some() {
            &[Facet::Max, Facet::Min, Facet::Mean]
        } else if agg.worst && series.stats.is_some() {
            &[Facet::Min, Facet::Max, Facet::Mean]
        } else if agg.total {
            &[Facet::Sum, Facet::Mean]
        } else {
            &[Facet::Mean]
        };
        if let Some(found) = wanted.iter().find_map(|facet| hit(*facet)) {
            return Some(Answer::Fits(found));
        }
        if series.trace {
            // A step that the sentence names, or the extreme of the whole run.
            for member in &series.members {
                let named = crate::series::leaf(leaves, *member)
                    .and_then(|leaf| leaf.progress)
                    .is_some_and(|progress| case.others.contains(&progress));
                if named && let Some(found) = hit(Facet::Member(*member)) {
                    return Some(Answer::Fits(found));
                }
            }
            if agg.best || agg.worst || case.others.is_empty() {
                let extreme = extremes(series, leaves);
                if let Some(found) = extreme
                    .into_iter()
                    .find_map(|member| hit(Facet::Member(member)))
                {
                    return Some(Answer::Fits(found));
                }
            }
        }
        if series.runs() > 1 {
            for facet in AGGREGATES {
                if let Some(found) = hit(facet) {
                    return Some(Answer::Otherwise(found));
                }
            }
            if series.runs() <= 50 {
                return series
                    .finals
                    .iter()
                    .find_map(|member| hit(Facet::Member(*member)))
                    .map(Answer::Otherwise);
            }
        }
        None
    }

    /// Whether the context singles out the best series, or a few that all contradict the number.
    fn resolved(&self, top: Scored, near: &[Scored], case: &Case<'_>) -> bool {
        let Some(series) = self.series(top.series).filter(|series| !series.axis) else {
            return false;
        };
        let Some((_, raw)) = series.headline(&self.evidence.leaves) else {
            return false;
        };
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
    fn only_setting(&self, series: &Series, weights: &Weights) -> bool {
        let own = self.measure_weight(series, weights);
        self.evidence
            .series
            .iter()
            .filter(|other| other.config && self.measure(other) != self.measure(series))
            .all(|other| self.measure_weight(other, weights) <= own - 0.1)
    }

    /// No other quantity of the results has this unit.
    fn only_measure_in_unit(&self, series: &Series, shown: &Shown) -> bool {
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
    fn plausible_size(shown: &Shown, series: &Series, raw: Decimal) -> bool {
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
            || between("0.00095", "0.00105")
            || between("950", "1050")
            || between("58", "62")
            || between("0.016", "0.0172")
    }

    /// A cell may be wrong by more than running text: a table that is aligned with the results has been understood. Ten times
    /// is the limit, or both are small.
    fn comparable_size(shown: &Shown, series: &Series, raw: Decimal) -> bool {
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

    fn matched(
        &self,
        case: &Case<'_>,
        scored: Scored,
        hit: Hit,
        fitting: &[(Scored, Hit)],
    ) -> Judgement {
        let mut status = match hit.closeness {
            Closeness::Exact => Status::ExactMatch,
            Closeness::Rounded => Status::RoundingOk,
        };
        let mut judgement = Judgement::new(
            status,
            self.kind_of(scored.series),
            vec![Self::found(scored.series, hit)],
            "",
        );
        let rivals: Vec<Found> = fitting
            .iter()
            .filter(|(other, other_hit)| {
                other.series != scored.series && other_hit.value != hit.value
            })
            .filter(|(other, _)| {
                case.binding == Binding::Text
                    && !case.weak
                    && self.undecided(scored.series, other.series, case.weights)
            })
            .take(3)
            .map(|(other, hit)| Self::found(other.series, *hit))
            .collect();
        if !rivals.is_empty() {
            status = Status::AmbiguousMapping;
        }
        judgement.status = status;
        judgement.alternatives = rivals;
        judgement
    }

    /// Two quantities measure the same and the sentence names nothing of what tells them apart.
    fn undecided(&self, id: SeriesId, other: SeriesId, weights: &Weights) -> bool {
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

    fn aggregated_otherwise(&self, case: &Case<'_>, scored: Scored, hit: Hit) -> Judgement {
        let series = self.series(scored.series);
        let expected = series.and_then(|series| {
            let facet = if case.aggregation.median {
                Facet::Median
            } else if case.aggregation.spread {
                Facet::Std
            } else {
                Facet::Mean
            };
            let raw = series.value(facet, &self.evidence.leaves)?;
            let value = fit::nearest(&case.shown, series, raw)?;
            Some(Found {
                series: scored.series,
                facet,
                against: None,
                derived: None,
                value,
            })
        });
        let what = match hit.facet {
            Facet::Max | Facet::Min => {
                let best = series.is_some_and(|series| series.best() == hit.facet);
                if best {
                    "the best run"
                } else {
                    "the worst run"
                }
            }
            Facet::Median => "the median",
            Facet::Mean => "the mean",
            Facet::StandardError => "the standard error",
            Facet::Std | Facet::PopulationStd => "the standard deviation",
            _ => "a single run",
        };
        let mut judgement = Judgement::new(
            Status::AggregationMismatch,
            self.kind_of(scored.series),
            expected.into_iter().collect(),
            format!("it is {what}"),
        );
        judgement.alternatives = vec![Self::found(scored.series, hit)];
        judgement
    }

    /// The number contradicts the series that the context singles out.
    pub(crate) fn mismatch(&self, case: &Case<'_>, top: Scored) -> Judgement {
        let kind = self.kind_of(top.series);
        let status = match kind {
            Kind::Configuration => Status::ConfigMismatch,
            _ => Status::NumberMismatch,
        };
        let found = self.series(top.series).and_then(|series| {
            let agg = case.aggregation;
            let facet = if series.stats.is_none() {
                Facet::Single
            } else if agg.median {
                Facet::Median
            } else if agg.best {
                series.best()
            } else if agg.spread {
                Facet::Std
            } else {
                Facet::Mean
            };
            let raw = series.value(facet, &self.evidence.leaves)?;
            let value = fit::nearest(&case.shown, series, raw)?;
            Some(Found {
                series: top.series,
                facet,
                against: None,
                derived: None,
                value,
            })
        });
        Judgement::new(status, kind, found.into_iter().collect(), "")
    }

    pub(crate) fn found(series: SeriesId, hit: Hit) -> Found {
        Found {
            series,
            facet: hit.facet,
            against: None,
            derived: None,
            value: hit.value,
        }
    }
}

/// The smallest and the largest value of a trace.
fn extremes(series: &Series, leaves: &[crate::evidence::Leaf]) -> Vec<u32> {
    let value = |at: &&u32| crate::series::leaf(leaves, **at).map(|leaf| leaf.value);
    let max = series.members.iter().max_by(|a, b| value(a).cmp(&value(b)));
    let min = series.members.iter().min_by(|a, b| value(a).cmp(&value(b)));
    max.into_iter().chain(min).copied().collect()
}
