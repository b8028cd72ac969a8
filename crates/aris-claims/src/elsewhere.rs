//! Digits that stand in the results under another name than the words led to.
//!
//! Three digits that some quantity of the results has are rarely chance: then the words were read wrongly more often than
//! the author erred. Only the same measure of another row or column is no excuse: that is what swapped cells look like.

use crate::context::Weights;
use crate::decimal::Decimal;
use crate::engine::{Engine, index};
use crate::fit::{self, Closeness, Hit, Shown};
use crate::judge::{Found, Judgement};
use crate::lexicon::LabelId;
use crate::report::Status;
use crate::series::{Facet, Series, SeriesId};

/// Digits from which a value is hardly chance.
const DIGITS: u32 = 3;
/// Values within the interval of the number beyond which they tell nothing.
const CROWD: usize = 200;
/// Weight from which a label counts as named.
const NAMED: f64 = 0.6;

/// Weight from which the contradicted measure is named outright.
const CLEAR: f64 = 0.85;

impl Engine<'_> {
    /// The quantity of another measure that the digits are, when the context names its method, case or measure too; a
    /// judgement without evidence when it does not; `None`: no other quantity has these digits.
    pub(crate) fn shown_elsewhere(
        &self,
        shown: &Shown,
        weights: &Weights,
        contradicted: SeriesId,
    ) -> Option<Judgement> {
        let top = self.series(contradicted)?;
        let displayed = shown.value.significant_digits()
            + u32::try_from(shown.value.last_digit().saturating_sub(shown.last_digit)).unwrap_or(0);
        if displayed < DIGITS || top.config || shown.approximate != fit::Approximate::No {
            return None;
        }
        let (low, high) = shown.interval();
        let mut factors = vec![Decimal::ONE];
        if shown.is_percent() {
            factors.push(Decimal::new(1, -2));
        }
        if let Some(unit) = shown.unit.filter(|_| !shown.is_percent()) {
            factors.extend([unit.factor, Decimal::new(1, 3), Decimal::new(1, -3)]);
        }
        let named = |series: &Series| {
            self.measure(series)
                .and_then(|label| weights.get(&label))
                .copied()
                .unwrap_or(0.0)
        };
        // A label that the context names and the contradicted quantity has, the other one must have too.
        let bound: Vec<LabelId> = top
            .labels
            .iter()
            .copied()
            .filter(|label| {
                Some(*label) != self.measure(top)
                    && weights.get(label).is_some_and(|weight| *weight >= NAMED)
            })
            .collect();
        let clear = named(top);
        let everywhere = self.evidence.series.len() / 2;
        let mut unnamed: Option<(SeriesId, Hit)> = None;
        for factor in factors {
            let (a, b) = (low.times(factor), high.times(factor));
            for entry in self.evidence.values.between(a.min(b), a.max(b), CROWD)? {
                let Some(series) = self.series(entry.series).filter(|series| {
                    !series.axis
                        && !series.config
                        && !series.spread
                        && self.measure(series) != self.measure(top)
                }) else {
                    continue;
                };
                // A measure that is named outright is contradicted by its own values only.
                if clear >= CLEAR && named(series) < clear - 0.1 {
                    continue;
                }
                if !matches!(entry.facet, Facet::Single | Facet::Mean) {
                    continue;
                }
                let Some(hit) = fit::hit(shown, series, entry.facet, &self.evidence.leaves) else {
                    continue;
                };
                // A fraction of three digits is met by chance sooner than the very digits of a file.
                if hit.closeness == Closeness::Rounded && displayed < DIGITS + 1 {
                    continue;
                }
                let shared = series.labels.iter().any(|label| {
                    weights.get(label).is_some_and(|weight| *weight >= NAMED)
                        && self
                            .postings
                            .get(index(*label))
                            .is_some_and(|list| list.len() <= everywhere.max(2))
                });
                let fits = bound
                    .iter()
                    .all(|label| series.labels.binary_search(label).is_ok());
                if !fits && clear >= NAMED {
                    continue;
                }
                if shared && fits {
                    return Some(self.is_value(entry.series, hit));
                }
                unnamed = unnamed.or(Some((entry.series, hit)));
            }
        }
        unnamed
            .filter(|(_, hit)| hit.closeness == Closeness::Exact)
            .map(|(id, hit)| {
                let mut judgement = Judgement::missing(self.kind_of(id));
                judgement.alternatives = vec![Self::found(id, hit)];
                judgement
            })
    }

    fn is_value(&self, id: SeriesId, hit: Hit) -> Judgement {
        let found: Found = Self::found(id, hit);
        let status = match hit.closeness {
            Closeness::Exact => Status::ExactMatch,
            Closeness::Rounded => Status::RoundingOk,
        };
        Judgement::new(status, self.kind_of(id), vec![found], "")
    }

    /// A number with decimals is no wrong version of a count: 75.5 is not 505, nor 12.5 a number of files.
    pub(crate) fn counted(&self, id: SeriesId, series: &Series, shown: &Shown) -> bool {
        if shown.last_digit >= 0 || series.stats.is_some() || series.config {
            return false;
        }
        let whole = |id: SeriesId| self.headline(id).is_some_and(Decimal::is_integer);
        let large = self
            .headline(id)
            .is_some_and(|value| value.abs() >= Decimal::new(20, 0));
        if !large || !whole(id) || series.unit.is_some() {
            return false;
        }
        (0..series.slots.len()).any(|slot| {
            let family = self.family(id, slot);
            family.len() >= 2 && family.into_iter().all(whole)
        })
    }
}
