//! Pairs of quantities that a sentence could compare.
//!
//! They are formed among the best series of the context that measure the same and differ in one or two labels: never all
//! pairs of the results.

use crate::claim::Kind;
use crate::context::Weights;
use crate::decimal::Decimal;
use crate::delta::Change;
use crate::engine::Engine;
use crate::lexicon::LabelId;
use crate::series::SeriesId;
use crate::units::Dimension;

/// Series that are paired.
pub(crate) const PAIRED: usize = 48;

/// Loss of a pair whose measure stands farther from the number than another one, per unit of weight.
pub(crate) const FARTHER: f64 = 4.0;

/// Weight of the own and the complete method as one side of a comparison when the sentence leaves them out.
pub(crate) const UNSAID: f64 = 0.6;

/// Loss of a pair with a step log on one side only.
pub(crate) const LOG: f64 = 1.0;

/// Gain of a pair with the own method on one side.
pub(crate) const OWN_SIDE: f64 = 0.8;

/// Gain of a pair that differs in the method: people compare methods more often than cases.
pub(crate) const METHODS: f64 = 1.2;

/// Gain of a pair from one file or one kind of file.
pub(crate) const SAME_SHAPE: f64 = 0.8;

/// Loss of a pair whose measure the context does not name.
pub(crate) const UNMEASURED: f64 = 0.8;

/// Two series that could be compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) a: SeriesId,
    pub(crate) b: SeriesId,
    pub(crate) score: f64,
    /// How clearly the side that is not the own method is named.
    pub(crate) clarity: f64,
}

impl Engine<'_> {
    /// The results hold this quantity of the own method and of one other only: nobody needs to name it.
    pub(crate) fn single_rival(&self, pair: Pair) -> bool {
        [(pair.a, pair.b), (pair.b, pair.a)]
            .into_iter()
            .any(|(one, two)| {
                self.own.iter().any(|own| {
                    self.series(one)
                        .is_some_and(|series| series.labels.binary_search(own).is_ok())
                        && self.rivals_of(one, *own) == [two]
                })
            })
    }

    /// Pairs of series, the best first.
    pub(crate) fn pairs(&self, change: &Change<'_>) -> Vec<Pair> {
        let pool: Vec<SeriesId> = change
            .scored
            .iter()
            .map(|scored| scored.series)
            .filter(|id| {
                self.series(*id).is_some_and(|series| {
                    !series.config
                        && !series.count
                        && !series.spread
                        && !series.axis
                        && self.comparable(change, *id)
                })
            })
            .take(PAIRED)
            .collect();
        let measured = |id: SeriesId| {
            let measure = self.series(id).and_then(|series| self.measure(series));
            measure
                .and_then(|label| change.weights.get(&label))
                .copied()
                .unwrap_or(0.0)
        };
        let nearest = pool.iter().map(|id| measured(*id)).fold(0.0, f64::max);
        let mut pairs = Vec::new();
        for (at, a) in pool.iter().enumerate() {
            for b in pool.iter().skip(at + 1) {
                if let Some(mut pair) = self.pair(*a, *b, change.weights) {
                    pair.score -= FARTHER * (nearest - measured(*a)).min(0.5);
                    pairs.push(pair);
                }
            }
        }
        pairs.sort_by(|x, y| {
            y.score
                .total_cmp(&x.score)
                .then((x.a, x.b).cmp(&(y.a, y.b)))
        });
        pairs
    }

    /// A difference in milliseconds is not one of accuracies.
    pub(crate) fn comparable(&self, change: &Change<'_>, id: SeriesId) -> bool {
        let theirs = self.series(id).and_then(|series| series.unit);
        // Points are differences of scores, not of counts.
        let whole = self.headline(id).is_some_and(Decimal::is_integer);
        if change.points && whole && change.shown.last_digit < 0 {
            return false;
        }
        match (change.kind, change.shown.unit, theirs) {
            (Kind::Difference, Some(ours), Some(theirs))
                if ours.dimension != Dimension::Percent =>
            {
                ours.dimension == theirs.dimension
            }
            (Kind::Difference, Some(ours), None) => {
                ours.dimension == Dimension::Percent || ours.dimension == Dimension::Time
            }
            (Kind::Difference, _, Some(theirs)) if change.points => {
                theirs.dimension == Dimension::Percent
            }
            _ => true,
        }
    }

    pub(crate) fn pair(&self, a: SeriesId, b: SeriesId, weights: &Weights) -> Option<Pair> {
        let (one, two) = (self.series(a)?, self.series(b)?);
        // Most pairs end here: too little in common.
        if common(&one.labels, &two.labels) + 5 < one.labels.len().max(two.labels.len()) {
            return None;
        }
        let only = |x: &[LabelId], y: &[LabelId]| -> Vec<LabelId> {
            x.iter()
                .copied()
                .filter(|label| y.binary_search(label).is_err())
                .collect()
        };
        let (left, right) = (
            only(&one.labels, &two.labels),
            only(&two.labels, &one.labels),
        );
        if left.is_empty() && right.is_empty()
            || one.unit.map(|unit| unit.dimension) != two.unit.map(|unit| unit.dimension)
        {
            return None;
        }
        let same_shape = one.slots.len() == two.slots.len()
            && one
                .slots
                .iter()
                .zip(&two.slots)
                .all(|(x, y)| x.kind == y.kind && x.name == y.name);
        // Values of different files are comparable when they measure the same.
        let most = if same_shape { 2 } else { 5 };
        if left.len() > most
            || right.len() > most
            || (!same_shape && self.measure(one) != self.measure(two))
        {
            return None;
        }
        // Two cases of two methods (A on X, B on Y) are not compared.
        if same_shape {
            let mut differing: Vec<(LabelId, LabelId)> = one
                .slots
                .iter()
                .zip(&two.slots)
                .filter(|(x, y)| x.label != y.label && x.kind != crate::evidence::SlotKind::Axis)
                .map(|(x, y)| (x.label, y.label))
                .collect();
            differing.sort_unstable();
            differing.dedup();
            let axis = one
                .slots
                .iter()
                .zip(&two.slots)
                .any(|(x, y)| x.label != y.label && x.kind == crate::evidence::SlotKind::Axis);
            let variants = differing
                .iter()
                .all(|(x, y)| self.methods.contains(x) && self.methods.contains(y));
            if differing.len() > 1 || axis && !differing.is_empty() && !variants {
                return None;
            }
        }
        if self.headline(a) == self.headline(b) {
            return None;
        }
        let named_weight = |label: &LabelId| weights.get(label).copied().unwrap_or(0.0);
        let weight = |label: &LabelId| {
            let named = named_weight(label);
            let unsaid = if self.full.contains(label) {
                UNSAID
            } else if self.own.contains(label) && named > 0.0 {
                UNSAID - 0.1
            } else {
                0.0
            };
            named.max(unsaid)
        };
        let gain =
            |label: &LabelId| self.info_of(*label) * (weight(label) - 0.25 * (1.0 - weight(label)));
        let shared = one
            .labels
            .iter()
            .filter(|label| two.labels.binary_search(label).is_ok());
        let measure_differs = self.measure(one) != self.measure(two);
        // The method that a side stands for; without one, whatever names it.
        let side = |labels: &[LabelId]| {
            let methods: Vec<&LabelId> = labels
                .iter()
                .filter(|label| self.methods.contains(label))
                .collect();
            if methods.is_empty() {
                labels.iter().map(weight).fold(0.0, f64::max)
            } else {
                methods.into_iter().map(weight).fold(0.0, f64::max)
            }
        };
        let of_methods = [&left, &right]
            .iter()
            .all(|side| side.iter().any(|label| self.methods.contains(label)));
        let named = match (left.is_empty(), right.is_empty()) {
            (false, false) => side(&left).min(side(&right)),
            _ => side(&left).max(side(&right)) * 0.5,
        };
        // Most comparisons have the paper's own or the complete method on one side.
        let ours = |labels: &[LabelId]| {
            labels
                .iter()
                .any(|label| self.own.contains(label) || self.full.contains(label))
        };
        let bonus = if ours(&left) == ours(&right) {
            0.0
        } else {
            OWN_SIDE
        } + if of_methods { METHODS } else { 0.0 };
        let measured = self.measure(one).map_or(0.0, |label| weight(&label));
        let unmeasured = if measured < 0.2 { UNMEASURED } else { 0.0 };
        let logged = if one.trace == two.trace { 0.0 } else { LOG };
        let score = bonus - unmeasured - logged
            + 2.0 * shared.map(gain).sum::<f64>()
            + left.iter().chain(&right).map(gain).sum::<f64>()
            - if measure_differs { 2.0 } else { 0.0 };
        // Both sides are the own method in different tables, or different quantities of one method.
        if ours(&left) && ours(&right) || !same_shape && !of_methods {
            return None;
        }
        let clarity = match (ours(&left), ours(&right)) {
            (true, false) => side(&right),
            (false, true) => side(&left),
            // Two cases of one method are compared only where the sentence says so.
            _ if !of_methods && !self.rivals.is_empty() => named * 0.6,
            _ => named,
        };
        let clarity = if self.rivals.len() == 1 && of_methods {
            clarity.max(UNSAID)
        } else {
            clarity
        };
        let score = if same_shape {
            score + SAME_SHAPE
        } else {
            score
        };
        Some(Pair {
            a,
            b,
            score,
            clarity,
        })
    }

    pub(crate) fn headline(&self, id: SeriesId) -> Option<Decimal> {
        self.series(id)?
            .headline(&self.evidence.leaves)
            .map(|(_, value)| value)
    }
}

/// Labels that two sorted lists share.
pub(crate) fn common(a: &[LabelId], b: &[LabelId]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    shared
}
