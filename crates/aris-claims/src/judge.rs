//! From a number and the series that its context points to, to a status.

use std::collections::BTreeSet;

use crate::aggregation::Aggregation;
use crate::claim::Kind;
use crate::context::{Scored, Weights};
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::fit::{self, AGGREGATES, Approximate, Closeness, Hit, Shown};
use crate::report::Status;
use crate::series::{Facet, Series, SeriesId};

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

impl Found {
    /// A value as it stands.
    pub(crate) fn of(series: SeriesId, facet: Facet, value: Decimal) -> Self {
        Self {
            series,
            facet,
            against: None,
            derived: None,
            value,
        }
    }
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
pub(crate) const TIE: f64 = 0.06;

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

impl<'c> Case<'c> {
    /// A case of which nothing else is known.
    pub(crate) fn plain(
        shown: Shown,
        aggregation: Aggregation,
        weights: &'c Weights,
        scored: &'c [Scored],
        binding: Binding,
        sentence: &'c BTreeSet<u32>,
    ) -> Self {
        Self {
            shown,
            aggregation,
            weights,
            scored,
            binding,
            sentence,
            goes_on: false,
            rivalry: false,
            everywhere: false,
            noun: None,
            weak: false,
            others: &[],
        }
    }
}

/// How one series answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
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
                // A whole number in passing is exactly that number: "six tasks" are not 5.52.
                Some(Answer::Fits(hit))
                    if case.weak
                        && hit.closeness == Closeness::Rounded
                        && case.shown.value.abs() < Decimal::HUNDRED => {}
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
                && case.shown.approximate == Approximate::No
            {
                return Some(self.aggregated_otherwise(case, scored, hit));
            }
        }
        if resolved {
            return Some(
                self.shown_elsewhere(&case.shown, case.weights, top.series)
                    .unwrap_or_else(|| self.mismatch(case, *top)),
            );
        }
        if let Some(judgement) = self.over_cases(case).or_else(|| self.by_value(case)) {
            return Some(judgement);
        }
        if case.weak {
            return None;
        }
        if let Some(judgement) = self.only_in_unit(case) {
            return Some(judgement);
        }
        Some(Judgement::missing(self.kind_of(top.series)))
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

    pub(crate) fn measure_weight(&self, series: &Series, weights: &Weights) -> f64 {
        self.measure(series)
            .and_then(|label| weights.get(&label))
            .copied()
            .unwrap_or(0.0)
    }

    pub(crate) fn same_unit(&self, series: SeriesId, case: &Case<'_>) -> bool {
        match (
            self.series(series).and_then(|series| series.unit),
            case.shown.unit,
        ) {
            (Some(theirs), Some(ours)) => theirs.dimension == ours.dimension,
            _ => false,
        }
    }

    /// Units, fractions and counts agree so far that the number could be this quantity at all.
    pub(crate) fn plausible_kind(&self, series: SeriesId, case: &Case<'_>) -> bool {
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

    /// The value at the step that the sentence names next to the number: "after 200 epochs".
    pub(crate) fn stated_step(&self, series: &Series, case: &Case<'_>) -> Option<u32> {
        if !series.trace || series.axis {
            return None;
        }
        case.others.iter().find_map(|step| {
            series.members.iter().copied().find(|member| {
                crate::series::leaf(&self.evidence.leaves, *member)
                    .is_some_and(|leaf| leaf.progress == Some(*step))
            })
        })
    }

    pub(crate) fn answer(&self, series: &Series, case: &Case<'_>) -> Option<Answer> {
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
        if agg.spread || agg.standard_error || agg.interval {
            let wanted: &[Facet] = if agg.interval {
                &[Facet::HalfWidth]
            } else if agg.standard_error {
                &[Facet::StandardError]
            } else {
                &[Facet::Std, Facet::PopulationStd]
            };
            if let Some(found) = wanted.iter().find_map(|facet| hit(*facet)) {
                return Some(Answer::Fits(found));
            }
            return [
                Facet::Std,
                Facet::PopulationStd,
                Facet::StandardError,
                Facet::HalfWidth,
            ]
            .iter()
            .find_map(|facet| hit(*facet))
            .map(Answer::Otherwise);
        }
        if self.stated_step(series, case).is_some() {
            // Any step of the sentence may be meant; which one was wrong is the nearest's to say.
            return case
                .others
                .iter()
                .flat_map(|step| {
                    series.members.iter().copied().filter(move |member| {
                        crate::series::leaf(leaves, *member)
                            .is_some_and(|leaf| leaf.progress == Some(*step))
                    })
                })
                .find_map(|member| hit(Facet::Member(member)))
                .map(Answer::Fits);
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
        if series.trace && (agg.best || agg.worst || case.others.is_empty()) {
            let extreme = extremes(series, leaves);
            if let Some(found) = extreme
                .into_iter()
                .find_map(|member| hit(Facet::Member(member)))
            {
                return Some(Answer::Fits(found));
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
}

/// The smallest and the largest value of a trace.
fn extremes(series: &Series, leaves: &[crate::evidence::Leaf]) -> Vec<u32> {
    let value = |at: &&u32| crate::series::leaf(leaves, **at).map(|leaf| leaf.value);
    let max = series.members.iter().max_by(|a, b| value(a).cmp(&value(b)));
    let min = series.members.iter().min_by(|a, b| value(a).cmp(&value(b)));
    max.into_iter().chain(min).copied().collect()
}
