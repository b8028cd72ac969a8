//! When no quantity of the context fits: sums and means over cases, and digits that only one quantity has.

use crate::claim::Kind;
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::fit::{self, Closeness, Hit};
use crate::judge::{Binding, Case, Found, Judgement, RANKS};
use crate::report::Status;
use crate::series::{Facet, SeriesId};
use crate::units::Dimension;

/// Words in the keys of statistics that are no headline values.
const STATISTICS: &[&str] = &[
    "quartile", "std", "stderr", "minimum", "maximum", "lower", "upper", "lo", "hi",
];

impl Engine<'_> {
    /// A mean, sum or extreme over the cases of a label: "on average over the six datasets".
    pub(crate) fn over_cases(&self, case: &Case<'_>) -> Option<Judgement> {
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

    /// "The average over movies, 0.9232": the value of one case is not the mean of them.
    pub(crate) fn mean_over_cases(
        &self,
        case: &Case<'_>,
        sentence: &str,
        judged: Option<&Judgement>,
    ) -> Option<Judgement> {
        let words = crate::words::canonical(sentence);
        let said = words.windows(3).any(|three| {
            let [mean, over, noun] = three else {
                return false;
            };
            mean == "mean"
                && matches!(over.as_str(), "over" | "across")
                && crate::count::is_case(noun)
        });
        let found = judged?.evidence.first().filter(|found| {
            said && matches!(found.facet, Facet::Single | Facet::Member(_))
                && found.derived.is_none()
        })?;
        let series = self
            .series(found.series)
            .filter(|series| series.stats.is_none() && !series.config)?;
        // A file may hold the mean itself.
        let stored = series
            .labels
            .iter()
            .filter_map(|label| self.evidence.lexicon.label(*label))
            .any(|label| {
                label
                    .words
                    .iter()
                    .any(|word| matches!(word.as_str(), "mean" | "overall" | "all" | "macro"))
            });
        if stored {
            return None;
        }
        if let Some(mean) = self.over_cases(case) {
            return Some(mean);
        }
        let cases = (0..series.slots.len())
            .map(|slot| self.family(found.series, slot))
            .find(|family| family.len() >= 3)?;
        let values: Vec<(Decimal, u32)> = cases
            .iter()
            .filter_map(|id| self.headline(*id))
            .map(|value| (value, 0))
            .collect();
        let stats = crate::series::statistics(&values)?;
        let mean = Found {
            series: found.series,
            facet: Facet::Single,
            against: None,
            derived: Some(format!("mean over {}", values.len())),
            value: fit::nearest(&case.shown, series, stats.mean)?,
        };
        let mut judgement = Judgement::new(
            Status::AggregationMismatch,
            Kind::Measurement,
            vec![mean],
            "it is the value of one case",
        );
        judgement.alternatives = vec![found.clone()];
        Some(judgement)
    }

    /// "It answers in 3.8 ms": the own method has one quantity in milliseconds, and no other measure is in them.
    pub(crate) fn only_in_unit(&self, case: &Case<'_>) -> Option<Judgement> {
        let unit = case.shown.unit.filter(|unit| {
            !matches!(
                unit.dimension,
                Dimension::Percent | Dimension::Count | Dimension::Other
            )
        })?;
        let speaks = self.own.iter().any(|label| case.sentence.contains(label)) || case.goes_on;
        if case.binding != Binding::Text || !speaks || case.rivalry || case.aggregation.range {
            return None;
        }
        let mut own: Option<SeriesId> = None;
        let mut measure = None;
        for (id, series) in (0..).zip(&self.evidence.series) {
            if series.unit.map(|unit| unit.symbol) != Some(unit.symbol) || series.spread {
                continue;
            }
            // A second measure in this unit leaves the choice open.
            let measured = self.measure(series);
            if series.config || *measure.get_or_insert(measured) != measured {
                return None;
            }
            if self
                .own
                .iter()
                .any(|label| series.labels.binary_search(label).is_ok())
                && own.replace(id).is_some()
            {
                return None;
            }
        }
        let id = own?;
        let series = self.series(id)?;
        let (_, raw) = series.headline(&self.evidence.leaves)?;
        let scored = crate::context::Scored {
            series: id,
            score: 0.0,
            coverage: 1.0,
        };
        Self::plausible_size(&case.shown, series, raw).then(|| self.mismatch(case, scored))
    }

    /// A quartile, a bound or a spread is found by its digits only where the sentence speaks of one.
    fn unsaid_statistic(&self, series: &crate::series::Series, case: &Case<'_>) -> bool {
        let Some(label) = self.measure(series).filter(|_| !series.config) else {
            return false;
        };
        let statistic = self.evidence.lexicon.label(label).is_some_and(|label| {
            label
                .words
                .iter()
                .any(|word| STATISTICS.contains(&word.as_str()))
                || matches!(label.compact.as_str(), "q1" | "q3" | "q1h" | "q3h")
                || label.text.starts_with("q1_")
                || label.text.starts_with("q3_")
        });
        statistic
            && !case
                .weights
                .get(&label)
                .is_some_and(|weight| *weight >= 0.4)
    }

    /// Digits that only one quantity of the results has: three of them, or a power of ten, are hardly chance.
    pub(crate) fn by_value(&self, case: &Case<'_>) -> Option<Judgement> {
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
                    || case.aggregation.median && entry.facet == Facet::Mean
                    || self.unsaid_statistic(series, case)
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
}
