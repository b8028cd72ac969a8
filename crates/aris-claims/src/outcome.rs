//! From a decision to a judgement with its values.

use crate::claim::Kind;
use crate::context::Scored;
use crate::engine::Engine;
use crate::fit::{self, Closeness, Hit};
use crate::judge::{Binding, Case, Found, Judgement};
use crate::report::Status;
use crate::series::{Facet, SeriesId};

impl Engine<'_> {
    pub(crate) fn matched(
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

    pub(crate) fn aggregated_otherwise(
        &self,
        case: &Case<'_>,
        scored: Scored,
        hit: Hit,
    ) -> Judgement {
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
            Some(Found::of(scored.series, facet, value))
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
            Facet::HalfWidth => "half of the 95 % confidence interval",
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
            let facet = if let Some(at) = self.stated_step(series, case) {
                Facet::Member(at)
            } else if series.stats.is_none() {
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
            Some(Found::of(top.series, facet, value))
        });
        Judgement::new(status, kind, found.into_iter().collect(), "")
    }

    pub(crate) fn found(series: SeriesId, hit: Hit) -> Found {
        Found::of(series, hit.facet, hit.value)
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
}
