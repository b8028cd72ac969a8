//! Differences, relative changes and ratios: which two values does the sentence compare, and does the number follow?
//!
//! Pairs are formed among the best series of the context that measure the same and differ in one or two labels. Never all
//! pairs of the results: forty-eight series give at most 1,128.

use crate::claim::{Kind, after_words, before_words};
use crate::context::{Scored, Weights};
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::fit::{Closeness, Shown};
use crate::judge::{Found, Judgement};
use crate::lexicon::LabelId;
use crate::report::Status;
use crate::series::{Facet, SeriesId};
use crate::units::Dimension;

/// Series that are paired.
const PAIRED: usize = 48;
/// Part of the best pair's score that a pair may fall short and still be meant.
const NEAR: f64 = 0.25;

/// Loss of a pair whose measure stands farther from the number than another one, per unit of weight.
const FARTHER: f64 = 4.0;
/// Weight of the own and the complete method as one side of a comparison when the sentence leaves them out.
const UNSAID: f64 = 0.6;
/// Part of the best score down to which pairs compete in being named.
const WIDE: f64 = 0.5;
/// By how much the best pair may be named more clearly than one that is accepted.
const CLEARER: f64 = 0.15;
/// Loss of a pair with a step log on one side only.
const LOG: f64 = 1.0;
/// Gain of a pair with the own method on one side.
const OWN_SIDE: f64 = 0.8;
/// Gain of a pair that differs in the method: people compare methods more often than cases.
const METHODS: f64 = 1.2;
/// Gain of a pair from one file or one kind of file.
const SAME_SHAPE: f64 = 0.8;
/// How clearly the other side must be named before a change is called wrong.
const CONFIDENT: f64 = 0.45;
/// Loss of a pair whose measure the context does not name.
const UNMEASURED: f64 = 0.8;

/// What the words around a change say about its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
    Unsaid,
}

/// A stated change.
pub(crate) struct Change<'c> {
    pub(crate) shown: Shown,
    pub(crate) kind: Kind,
    pub(crate) weights: &'c Weights,
    pub(crate) scored: &'c [Scored],
    /// The sentence, and where the number stands in it.
    pub(crate) sentence: &'c str,
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) points: bool,
    /// Labels that the sentence itself names.
    pub(crate) named: &'c std::collections::BTreeSet<LabelId>,
    /// The two numbers that the sentence itself compares: "from 241 ms to 182 ms".
    pub(crate) stated: Option<(Shown, Shown)>,
}

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
    /// Judges a stated change.
    pub(crate) fn judge_change(&self, change: &Change<'_>) -> Judgement {
        if let Some((from, to)) = change.stated {
            return self.judge_stated(change, from, to);
        }
        let pairs = self.pairs(change);
        let Some(top) = pairs.first().copied() else {
            return Judgement::missing(change.kind);
        };
        let direction = direction(change);
        let relative = change.sentence.to_lowercase().contains("relative");
        let clearest = pairs
            .iter()
            .filter(|pair| pair.score >= top.score - WIDE * top.score.abs())
            .map(|pair| pair.clarity)
            .fold(0.0, f64::max);
        let top = pairs
            .iter()
            .copied()
            .find(|pair| clearest < CONFIDENT || pair.clarity >= clearest - CLEARER / 2.0)
            .unwrap_or(top);
        let reach = top.score - NEAR * top.score.abs();
        let confident = top.clarity >= CONFIDENT || self.single_rival(top);
        for pair in &pairs {
            let meant = if confident {
                // A pair whose methods the sentence names more clearly leaves others no room.
                pair.score >= reach && pair.clarity >= clearest - CLEARER
            } else {
                pair.score >= top.score - WIDE * top.score.abs()
            };
            if !meant && (pair.a, pair.b) != (top.a, top.b) {
                continue;
            }
            if let Some((closeness, value, what)) = self.follows(change, *pair, direction, relative)
            {
                return self.follows_from(change, *pair, closeness, value, what);
            }
        }
        let measured = self
            .series(top.a)
            .and_then(|series| self.measure(series))
            .and_then(|label| change.weights.get(&label))
            .copied()
            .unwrap_or(0.0);
        let unit = self
            .series(top.a)
            .and_then(|series| series.unit)
            .zip(change.shown.unit)
            .is_some_and(|(a, b)| a.dimension == b.dimension);
        let key = self.key_weight(top.a, change.weights);
        // A sentence that speaks of something else than this measure accuses nobody.
        let measure = self.series(top.a).and_then(|series| self.measure(series));
        let elsewhere = measure.is_some_and(|label| !change.named.contains(&label))
            && change.named.iter().any(|label| {
                self.measures
                    .get(crate::engine::index(*label))
                    .copied()
                    .unwrap_or(false)
                    && self
                        .series(top.a)
                        .is_some_and(|series| series.labels.binary_search(label).is_err())
            });
        if confident && !elsewhere && (measured >= 0.25 || unit || key >= 0.4) {
            return self.does_not_follow(change, top, direction);
        }
        Judgement::missing(change.kind)
    }

    /// The results hold this quantity of the own method and of one other only: nobody needs to name it.
    fn single_rival(&self, pair: Pair) -> bool {
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

    /// The sentence shows both values: the change must follow from what they stand for.
    fn judge_stated(&self, change: &Change<'_>, from: Shown, to: Shown) -> Judgement {
        let direction = if from.value <= to.value {
            Direction::Up
        } else {
            Direction::Down
        };
        let relative = change.sentence.to_lowercase().contains("relative");
        // The values in the results that are shown as these two.
        let showing = |shown: &Shown| -> Vec<SeriesId> {
            change
                .scored
                .iter()
                .take(200)
                .filter(|scored| {
                    self.series(scored.series).is_some_and(|series| {
                        !series.axis
                            && [Facet::Single, Facet::Mean].iter().any(|facet| {
                                crate::fit::hit(shown, series, *facet, &self.evidence.leaves)
                                    .is_some()
                            })
                    })
                })
                .map(|scored| scored.series)
                .collect()
        };
        let (old, new) = (showing(&from), showing(&to));
        let mut near: Option<Judgement> = None;
        for a in &old {
            for b in &new {
                let Some(pair) = self.pair(*b, *a, change.weights).filter(|_| {
                    self.series(*a).map(|series| self.measure(series))
                        == self.series(*b).map(|series| self.measure(series))
                }) else {
                    continue;
                };
                if let Some((closeness, value, what)) =
                    self.follows(change, pair, direction, relative)
                {
                    return self.follows_from(change, pair, closeness, value, what);
                }
                near = near.or_else(|| Some(self.does_not_follow(change, pair, direction)));
            }
        }
        // No such pair of results: the arithmetic of what is displayed decides.
        if Self::follows_displayed(change, from, to, relative) {
            return Judgement::new(
                Status::RoundingOk,
                change.kind,
                Vec::new(),
                "follows from the two values in the sentence",
            );
        }
        near.unwrap_or_else(|| {
            Judgement::new(
                Status::DeltaError,
                change.kind,
                Vec::new(),
                "it does not follow from the two values in the sentence",
            )
        })
    }

    /// Interval arithmetic on the displayed values.
    fn follows_displayed(change: &Change<'_>, from: Shown, to: Shown, relative: bool) -> bool {
        let ((from_low, from_high), (to_low, to_high)) = (from.interval(), to.interval());
        let (low, high) = change.shown.interval();
        let corners = [
            (from_low, to_low),
            (from_low, to_high),
            (from_high, to_low),
            (from_high, to_high),
        ];
        let meets = |value: &dyn Fn(Decimal, Decimal) -> Option<Decimal>| {
            let values: Vec<Decimal> = corners
                .iter()
                .filter_map(|(a, b)| value(*a, *b))
                .map(Decimal::abs)
                .collect();
            let (least, most) = (values.iter().min().copied(), values.iter().max().copied());
            least.zip(most).is_some_and(|(least, most)| {
                least <= high.abs().max(low.abs()) && low.abs().min(high.abs()) <= most
            })
        };
        match change.kind {
            Kind::Ratio => meets(&|a, b| b.over(a)) || meets(&|a, b| a.over(b)),
            Kind::RelativeChange => {
                meets(&|a, b| b.minus(a).over(a).map(|part| part.shift(2)))
                    || (!relative && from.is_percent() && meets(&|a, b| Some(b.minus(a))))
            }
            _ => meets(&|a, b| Some(b.minus(a))) || meets(&|a, b| Some(b.minus(a).shift(2))),
        }
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
    fn comparable(&self, change: &Change<'_>, id: SeriesId) -> bool {
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

    fn pair(&self, a: SeriesId, b: SeriesId, weights: &Weights) -> Option<Pair> {
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

    /// Whether the number follows from the pair, and how.
    fn follows(
        &self,
        change: &Change<'_>,
        pair: Pair,
        direction: Direction,
        relative: bool,
    ) -> Option<(Closeness, Decimal, &'static str)> {
        let (a, b) = (self.headline(pair.a)?, self.headline(pair.b)?);
        self.derived(change, pair, a, b, direction, relative)
            .into_iter()
            .find_map(|(value, what)| {
                change
                    .shown
                    .shows(value)
                    .map(|closeness| (closeness, value, what))
            })
            .or_else(|| self.follows_rounded(change, pair, a, b))
    }

    /// Authors subtract the rounded numbers of their table; that is no error.
    fn follows_rounded(
        &self,
        change: &Change<'_>,
        pair: Pair,
        a: Decimal,
        b: Decimal,
    ) -> Option<(Closeness, Decimal, &'static str)> {
        if change.kind != Kind::Difference {
            return None;
        }
        let series = self.series(pair.a)?;
        for factor in difference_factors(change, series, a, b) {
            for places in [change.shown.last_digit, change.shown.last_digit - 1] {
                let value = a
                    .times(factor)
                    .rounded_at(places)
                    .minus(b.times(factor).rounded_at(places))
                    .abs();
                if value.rounded_at(change.shown.last_digit) == change.shown.value.abs()
                    && !value.is_zero()
                {
                    return Some((
                        Closeness::Rounded,
                        value,
                        "difference of the rounded values",
                    ));
                }
            }
        }
        None
    }

    fn headline(&self, id: SeriesId) -> Option<Decimal> {
        self.series(id)?
            .headline(&self.evidence.leaves)
            .map(|(_, value)| value)
    }

    /// The values that could be displayed for this pair, by the reading of the words.
    fn derived(
        &self,
        change: &Change<'_>,
        pair: Pair,
        a: Decimal,
        b: Decimal,
        direction: Direction,
        relative: bool,
    ) -> Vec<(Decimal, &'static str)> {
        let mut out = Vec::new();
        let Some(series) = self.series(pair.a) else {
            return out;
        };
        let (low, high) = if a.abs() <= b.abs() { (a, b) } else { (b, a) };
        let gap = high.minus(low);
        let sign = change.shown.value.is_negative();
        let signed = |value: Decimal| if sign { value.negate() } else { value };
        let percent = |part: Decimal, whole: Decimal| {
            part.over(whole).map(|ratio| signed(ratio.shift(2).abs()))
        };
        match change.kind {
            Kind::Difference => {
                for factor in difference_factors(change, series, a, b) {
                    out.push((signed(gap.times(factor).abs()), "difference"));
                }
            }
            Kind::Ratio => {
                out.extend(high.over(low).map(|value| (value.abs(), "ratio")));
                out.extend(low.over(high).map(|value| (value.abs(), "ratio")));
            }
            _ => {
                let up = percent(gap, low).map(|value| (value, "relative change"));
                let down = percent(gap, high).map(|value| (value, "relative change"));
                match direction {
                    Direction::Down => out.extend(down),
                    Direction::Unsaid if series.lower_is_better => {
                        out.extend(down.into_iter().chain(up));
                    }
                    Direction::Up | Direction::Unsaid => out.extend(up),
                }
                // "improves accuracy by 2.3%" often means points; not when it says "relative".
                let percentages = series
                    .unit
                    .is_some_and(|unit| unit.dimension == Dimension::Percent)
                    || (series.unit.is_none()
                        && a.abs() <= Decimal::HUNDRED
                        && b.abs() <= Decimal::HUNDRED
                        && ratio_like(series, self));
                if !relative && percentages {
                    for factor in difference_factors(change, series, a, b) {
                        out.push((signed(gap.times(factor).abs()), "difference"));
                    }
                }
            }
        }
        out
    }

    fn follows_from(
        &self,
        change: &Change<'_>,
        pair: Pair,
        closeness: Closeness,
        value: Decimal,
        what: &'static str,
    ) -> Judgement {
        let status = if closeness == Closeness::Exact {
            Status::ExactMatch
        } else {
            Status::RoundingOk
        };
        Judgement::new(
            status,
            change.kind,
            vec![self.pair_found(pair, value, what)],
            "",
        )
    }

    fn does_not_follow(&self, change: &Change<'_>, pair: Pair, direction: Direction) -> Judgement {
        let relative = true;
        let (Some(a), Some(b)) = (self.headline(pair.a), self.headline(pair.b)) else {
            return Judgement::missing(change.kind);
        };
        let nearest = self
            .derived(change, pair, a, b, direction, relative)
            .into_iter()
            .min_by_key(|(value, _)| value.minus(change.shown.value).abs());
        let found = nearest.map(|(value, what)| self.pair_found(pair, value, what));
        Judgement::new(
            Status::DeltaError,
            change.kind,
            found.into_iter().collect(),
            "",
        )
    }

    fn pair_found(&self, pair: Pair, value: Decimal, what: &str) -> Found {
        let facet = |id| {
            if self.series(id).is_some_and(|series| series.stats.is_some()) {
                Facet::Mean
            } else {
                Facet::Single
            }
        };
        Found {
            series: pair.a,
            facet: facet(pair.a),
            against: Some((pair.b, facet(pair.b))),
            derived: Some(what.to_owned()),
            value,
        }
    }
}

/// Labels that two sorted lists share.
fn common(a: &[LabelId], b: &[LabelId]) -> usize {
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

/// Accuracies, rates and scores, of which people give differences in per cent.
fn ratio_like(series: &crate::series::Series, engine: &Engine<'_>) -> bool {
    let words = engine
        .measure(series)
        .and_then(|label| engine.evidence.lexicon.label(label))
        .map_or(&[][..], |label| label.words.as_slice());
    !words.iter().any(|word| {
        matches!(
            word.as_str(),
            "latency"
                | "time"
                | "throughput"
                | "memory"
                | "energy"
                | "parameter"
                | "flop"
                | "gflop"
                | "second"
                | "ms"
                | "hour"
                | "loss"
                | "perplexity"
                | "return"
                | "reward"
        )
    })
}

/// Factors from the unit of the values to the unit of the difference.
fn difference_factors(
    change: &Change<'_>,
    series: &crate::series::Series,
    a: Decimal,
    b: Decimal,
) -> Vec<Decimal> {
    let fraction = a.abs() <= Decimal::new(15, -1) && b.abs() <= Decimal::new(15, -1);
    if change.points || change.shown.is_percent() {
        return if fraction {
            vec![Decimal::HUNDRED, Decimal::ONE]
        } else {
            vec![Decimal::ONE]
        };
    }
    if let (Some(ours), Some(theirs)) = (change.shown.unit, series.unit) {
        return theirs.to(ours).into_iter().collect();
    }
    if change.shown.unit.is_some() {
        return [0, 3, -3].map(|power| Decimal::new(1, power)).to_vec();
    }
    if fraction {
        vec![Decimal::ONE, Decimal::HUNDRED]
    } else {
        vec![Decimal::ONE]
    }
}

/// Whether the words around the number speak of growth or of shrinking.
fn direction(change: &Change<'_>) -> Direction {
    const UP: &[&str] = &[
        "increas", "grow", "grew", "rise", "rises", "rose", "rais", "more", "higher", "larger",
        "above", "gain", "boost", "greater", "bigger", "up", "overhead", "climb", "longer", "add",
        "extra",
    ];
    const DOWN: &[&str] = &[
        "reduc", "drop", "decreas", "lower", "fall", "fell", "less", "fewer", "smaller", "below",
        "sav", "cut", "declin", "shrink", "shrank", "shorter", "cheaper", "down", "loss",
        "shorten", "trim",
    ];
    let mut words = before_words(change.sentence, change.at, 7);
    words.reverse();
    let after = after_words(change.sentence, change.end, 3);
    let matching = |word: &str, list: &[&str]| {
        list.iter()
            .any(|stem| word == *stem || (stem.len() > 2 && word.starts_with(stem)))
    };
    // A comparative directly behind the number, then the nearest verb before it.
    for word in after.iter().chain(&words) {
        if matching(word, DOWN) {
            return Direction::Down;
        }
        if matching(word, UP) && word != "up"
            || word == "up" && words.first().is_none_or(|first| first != "to")
        {
            return Direction::Up;
        }
    }
    Direction::Unsaid
}
