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
use crate::pair::Pair;
use crate::report::Status;
use crate::series::{Facet, SeriesId};
use crate::units::Dimension;

/// Part of the best pair's score that a pair may fall short and still be meant.
const NEAR: f64 = 0.25;

/// Part of the best score down to which pairs compete in being named.
const WIDE: f64 = 0.5;
/// By how much the best pair may be named more clearly than one that is accepted.
const CLEARER: f64 = 0.15;
/// How clearly the other side must be named before a change is called wrong.
const CONFIDENT: f64 = 0.45;
/// Comparatives of time.
const SPEED: &[&str] = &[
    "faster", "quicker", "slower", "sooner", "earlier", "later", "longer", "shorter",
];
/// Words of measures of time and of rates.
const TIMED: &[&str] = &[
    "time",
    "latency",
    "second",
    "throughput",
    "speed",
    "fps",
    "runtime",
    "duration",
    "delay",
    "rate",
    "rtf",
    "hour",
    "minute",
];

/// What the words around a change say about its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
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

impl Change<'_> {
    /// One file holds 0.8185 and the other 84.27: both as per cent, when points or per cent are stated.
    fn aligned(&self, a: Decimal, b: Decimal) -> (Decimal, Decimal) {
        let one = |x: Decimal, other: Decimal| {
            let (part, whole) = (x.abs(), other.abs());
            if part <= Decimal::ONE && whole > Decimal::new(5, 0) && whole <= Decimal::HUNDRED {
                x.shift(2)
            } else {
                x
            }
        };
        if self.kind == Kind::Difference && (self.points || self.shown.is_percent()) {
            (one(a, b), one(b, a))
        } else {
            (a, b)
        }
    }
}

impl Engine<'_> {
    /// Judges a stated change.
    pub(crate) fn judge_change(&self, change: &Change<'_>) -> Judgement {
        if let Some((from, to)) = change.stated {
            return self.judge_stated(change, from, to);
        }
        let mut pairs = self.pairs(change);
        // "23 times quicker" speaks of time or of a rate, whatever else the sentence names.
        let behind = after_words(change.sentence, change.end, 2);
        if behind.iter().any(|word| SPEED.contains(&word.as_str())) {
            let timed = |pair: &Pair| {
                self.series(pair.a).is_some_and(|series| {
                    series.rate
                        || series
                            .unit
                            .is_some_and(|unit| unit.dimension == Dimension::Time)
                        || self
                            .measure(series)
                            .and_then(|label| self.evidence.lexicon.label(label))
                            .is_some_and(|label| {
                                label
                                    .words
                                    .iter()
                                    .any(|word| TIMED.contains(&word.as_str()))
                            })
                })
            };
            if pairs.iter().any(timed) {
                pairs.retain(timed);
            }
        }
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
        // The measure of the best pair may belong to another number: three digits that follow from another measure of the
        // same two sides are hardly chance.
        let precise = change.shown.value.significant_digits() >= 3;
        let sides = |pair: &Pair| {
            let mut sides = [pair.a, pair.b].map(|id| {
                self.series(id).map_or_else(Vec::new, |series| {
                    let measure = self.measure(series);
                    let mut labels: Vec<LabelId> = series
                        .labels
                        .iter()
                        .copied()
                        .filter(|label| Some(*label) != measure && self.methods.contains(label))
                        .collect();
                    labels.sort_unstable();
                    labels
                })
            });
            sides.sort();
            sides
        };
        if precise {
            let like = pairs
                .iter()
                .filter(|pair| sides(pair) == sides(&top))
                .find_map(|pair| {
                    let found = self.follows(change, *pair, direction, relative)?;
                    Some((*pair, found))
                });
            if let Some((pair, (closeness, value, what))) = like {
                return self.follows_from(change, pair, closeness, value, what);
            }
        }
        if confident && !elsewhere && (measured >= 0.25 || unit || key >= 0.4) {
            return self.does_not_follow(change, top, direction);
        }
        Judgement::missing(change.kind)
    }

    /// The sentence shows both values: the change must follow from what they stand for.
    pub(crate) fn judge_stated(&self, change: &Change<'_>, from: Shown, to: Shown) -> Judgement {
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
    pub(crate) fn follows_displayed(
        change: &Change<'_>,
        from: Shown,
        to: Shown,
        relative: bool,
    ) -> bool {
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

    /// Whether the number follows from the pair, and how.
    pub(crate) fn follows(
        &self,
        change: &Change<'_>,
        pair: Pair,
        direction: Direction,
        relative: bool,
    ) -> Option<(Closeness, Decimal, &'static str)> {
        let (a, b) = change.aligned(self.headline(pair.a)?, self.headline(pair.b)?);
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
    pub(crate) fn follows_rounded(
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

    /// The values that could be displayed for this pair, by the reading of the words.
    pub(crate) fn derived(
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

    pub(crate) fn follows_from(
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

    pub(crate) fn does_not_follow(
        &self,
        change: &Change<'_>,
        pair: Pair,
        direction: Direction,
    ) -> Judgement {
        let relative = true;
        let (Some(a), Some(b)) = (self.headline(pair.a), self.headline(pair.b)) else {
            return Judgement::missing(change.kind);
        };
        let (a, b) = change.aligned(a, b);
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

    pub(crate) fn pair_found(&self, pair: Pair, value: Decimal, what: &str) -> Found {
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
pub(crate) fn direction(change: &Change<'_>) -> Direction {
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
