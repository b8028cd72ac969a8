//! Numbers that lean on the one before them: "REDQ has 1.031, SAC 0.902", "84.7% from 16 to 1024 nodes, that of the
//! reference 81.3%", "the best trial reaches 43.05, the worst 40.31".
//!
//! The second of two parallel numbers names only what is different. When the first one shows a value of the results, the
//! words between the two name another method, case or step of the same column, or another statistic of the same runs, and
//! exactly one quantity differs from the first one in that alone, this quantity is what the second number states.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::aggregation::{Aggregation, approximate};
use crate::audit::Judged;
use crate::claim::Kind;
use crate::context::Weights;
use crate::decimal::Decimal;
use crate::delta::{Change, direction};
use crate::engine::Engine;
use crate::evidence::SlotKind;
use crate::fit::{self, Closeness, Shown};
use crate::judge::{Found, Judgement};
use crate::lexicon::LabelId;
use crate::number::Number;
use crate::pair::Pair;
use crate::report::Status;
use crate::series::{Facet, Series, SeriesId};

/// Earlier numbers of the sentence that are tried.
const ANCHORS: usize = 3;
/// How fully the words between the numbers must name what is different.
const NAMED: f64 = 0.5;
/// The longest text between two contrasted numbers: a unit or a noun may stand there.
const CONTRAST: usize = 24;
/// How fully two columns must be named to be two conditions of one quantity.
const OUTRIGHT: f64 = 0.95;
/// Bytes behind a number in which "728k for Swahili" names its case.
const BEHIND: usize = 40;

/// What the words between two parallel numbers name.
struct Between {
    /// Labels, how fully, and how far back: the nearest counts.
    labels: BTreeMap<LabelId, (f64, usize)>,
    /// Numbers among the words: "with ten", "after 900,000 steps".
    values: Vec<Decimal>,
    aggregation: Aggregation,
    /// "1,247 against 640": a word of contrast stands between the numbers.
    contrast: bool,
    /// All labels of the sentence, how fully.
    all: BTreeMap<LabelId, f64>,
}

/// The numbers judged so far, by passage and byte.
pub(crate) type SoFar = BTreeMap<(usize, usize), Judged>;

impl Engine<'_> {
    /// Judges a number without evidence by an earlier one of its sentence; `None`: nothing of the kind.
    pub(crate) fn judge_parallel(
        &self,
        passage: usize,
        number: &Number,
        changes: bool,
        judged: &SoFar,
    ) -> Option<Judgement> {
        let text = self.paper.passages.get(passage)?.text.as_str();
        let (_, inside) = self.sentence_of(passage, number)?;
        let before: Vec<&Number> = inside
            .filter(|other| other.range.start < number.range.start && !other.embedded)
            .collect();
        let mut tried = 0_usize;
        for (at, anchor) in before.iter().enumerate().rev() {
            let Some((.., known)) = judged.get(&(passage, anchor.range.start)) else {
                continue;
            };
            let Some(found) = known.evidence.first().filter(|_| {
                known.status.is_match()
                    && matches!(
                        known.kind,
                        Kind::Measurement
                            | Kind::Count
                            | Kind::Ratio
                            | Kind::Difference
                            | Kind::RelativeChange
                    )
                    && known
                        .evidence
                        .first()
                        .is_none_or(|found| found.facet != Facet::Count)
            }) else {
                continue;
            };
            // "21.5 hours before, 12.1 hours sooner than NEWS2": a change is parallel to changes only.
            let value_first = matches!(known.kind, Kind::Measurement | Kind::Count);
            if !same_form(anchor, number, known.kind) || changes && value_first {
                continue;
            }
            tried += 1;
            if tried > ANCHORS {
                break;
            }
            // What belongs to numbers in between is theirs.
            let from = before
                .iter()
                .skip(at)
                .rev()
                .find(|other| same_form(other, number, known.kind))
                .map_or(anchor.end, |other| other.end);
            let front = self.between(passage, from..number.range.start, number);
            let shown = Shown::new(
                number,
                anchor.unit.filter(|_| number.unit.is_none()),
                approximate(text, number.range.start),
            );
            let behind = self.between(passage, number.end..behind(text, number), number);
            for words in [&front, &behind] {
                let substituted = if found.against.is_none() {
                    self.sibling_judged(&shown, known.kind, found, words)
                } else {
                    let (body, offset) = self.sentence_text(passage, number.range.start);
                    let change = Change {
                        shown,
                        kind: known.kind,
                        weights: &Weights::new(),
                        scored: &[],
                        sentence: body,
                        at: number.range.start.saturating_sub(offset),
                        end: number.end.saturating_sub(offset),
                        points: known.kind == Kind::Difference
                            && after_is_points(text, anchor, number),
                        named: &BTreeSet::new(),
                        stated: None,
                    };
                    self.pair_judged(&change, found, words)
                };
                if substituted.is_some() {
                    return substituted;
                }
            }
        }
        None
    }

    /// A number that contradicts a quantity which another number of its sentence states correctly is about something else:
    /// a like quantity if it fits one, else nothing is known of it.
    pub(crate) fn stated_twice(
        &self,
        passage: usize,
        number: &Number,
        judged: &SoFar,
    ) -> Option<Judgement> {
        let (.., wrong) = judged.get(&(passage, number.range.start))?;
        let found = wrong
            .evidence
            .first()
            .filter(|found| wrong.status == Status::NumberMismatch && found.against.is_none())?;
        let sentence = self
            .passages
            .get(passage)?
            .sentences
            .get(self.sentence_at(passage, number.range.start)?)?;
        let stated = judged
            .range((passage, sentence.start)..(passage, sentence.end))
            .any(|(_, (.., other))| {
                other.status.is_match()
                    && other.evidence.first().is_some_and(|other| {
                        other.against.is_none()
                            && (other.series, other.facet) == (found.series, found.facet)
                    })
            });
        if !stated {
            return None;
        }
        let text = self.paper.passages.get(passage)?.text.as_str();
        let shown = Shown::new(number, None, approximate(text, number.range.start));
        let series = self.series(found.series)?;
        let like = (0..series.slots.len())
            .flat_map(|slot| self.family(found.series, slot))
            .filter(|id| *id != found.series)
            .find_map(|id| {
                let series = self.series(id)?;
                let facet = series.headline(&self.evidence.leaves)?.0;
                let hit = fit::hit(&shown, series, facet, &self.evidence.leaves)?;
                Some(Judgement::new(
                    status(hit.closeness),
                    wrong.kind,
                    vec![Self::found(id, hit)],
                    "",
                ))
            });
        Some(like.unwrap_or_else(|| Judgement::missing(wrong.kind)))
    }

    /// What a stretch of the passage names.
    fn between(&self, passage: usize, range: Range<usize>, number: &Number) -> Between {
        let mut labels = BTreeMap::new();
        let text = self
            .paper
            .passages
            .get(passage)
            .and_then(|passage| passage.text.get(range.clone()))
            .unwrap_or("");
        let analysed = self.passages.get(passage);
        let mentions = analysed
            .into_iter()
            .flat_map(|analysed| &analysed.sentences)
            .filter(|sentence| sentence.start < range.end && range.start < sentence.end)
            .flat_map(|sentence| &sentence.mentions);
        let mut all = BTreeMap::new();
        for mention in mentions {
            all.insert(mention.label, mention.strength);
            let place = mention
                .places
                .iter()
                .filter(|place| range.contains(place))
                .max();
            if let (true, Some(place)) = (mention.strength >= NAMED, place) {
                labels.insert(mention.label, (mention.strength, *place));
            }
        }
        let values = analysed
            .into_iter()
            .flat_map(|analysed| &analysed.numbers)
            .filter(|other| range.contains(&other.range.start) && other.range != number.range)
            .map(|other| other.value)
            .collect();
        Between {
            labels,
            values,
            aggregation: Aggregation::read(text, Some(text.len())),
            contrast: text.len() <= CONTRAST
                && [
                    "against",
                    "versus",
                    "instead of",
                    "compared with",
                    "compared to",
                    "vs",
                ]
                .iter()
                .any(|word| text.trim_end_matches(['$', ' ']).ends_with(word)),
            all,
        }
    }

    /// The quantities that differ from this one in one place, by the label that the words name there: slot, label, series.
    fn named_siblings(&self, id: SeriesId, words: &Between) -> Option<(usize, LabelId, SeriesId)> {
        let series = self.series(id)?;
        let mut best: Option<(f64, usize, (usize, LabelId, SeriesId))> = None;
        let mut tied = false;
        for (at, slot) in series.slots.iter().enumerate() {
            // The words name the same case again: nothing is different in this place.
            let again = self
                .strength_of(slot.label, words)
                .map_or(0.0, |(strength, _)| strength);
            for sibling in self.family(id, at) {
                let Some(label) = self
                    .series(sibling)
                    .and_then(|series| series.slots.get(at))
                    .map(|slot| slot.label)
                    .filter(|label| *label != slot.label)
                else {
                    continue;
                };
                // Another measure is another statement, unless it is a method or case that stands as a key.
                if slot.kind == SlotKind::Key
                    && self.measure(series) == Some(slot.label)
                    && !self.methods.contains(&label)
                    && !is_number(self.label_text(label))
                    && !self.same_kind(id, sibling, words)
                {
                    continue;
                }
                let Some((strength, place)) = self
                    .strength_of(label, words)
                    .filter(|(strength, _)| *strength > again)
                else {
                    continue;
                };
                let found = (at, label, sibling);
                match &best {
                    Some((known, where_known, (.., other)))
                        if (*known, *where_known) == (strength, place) && *other != sibling =>
                    {
                        tied = true;
                    }
                    Some((known, where_known, _))
                        if (strength, place) <= (*known, *where_known) => {}
                    _ => {
                        best = Some((strength, place, found));
                        tied = false;
                    }
                }
            }
        }
        best.filter(|_| !tied).map(|(.., found)| found)
    }

    /// The one quantity that the sentence contrasts with this one: the only other value of a column that it names.
    fn only_counterpart(&self, id: SeriesId, words: &Between) -> Option<SeriesId> {
        let series = self.series(id)?;
        let mut found: Option<SeriesId> = None;
        for (at, slot) in series.slots.iter().enumerate() {
            let family = self.family(id, at);
            let [one, two] = family.as_slice() else {
                continue;
            };
            let other = if *one == id { *two } else { *one };
            let label = self.series(other)?.slots.get(at)?.label;
            let said = words.all.get(&label).is_some_and(|known| *known >= NAMED);
            let measures = slot.kind == SlotKind::Key && self.measure(series) == Some(slot.label);
            if measures && !self.same_size(id, other) || slot.kind == SlotKind::Axis || !said {
                continue;
            }
            if found.replace(other).is_some() {
                return None;
            }
        }
        found
    }

    fn same_size(&self, id: SeriesId, other: SeriesId) -> bool {
        self.headline(id)
            .zip(self.headline(other))
            .and_then(|(one, two)| one.over(two))
            .map(Decimal::abs)
            .is_some_and(|part| Decimal::new(25, -2) <= part && part <= Decimal::new(4, 0))
    }

    /// Columns that hold the same quantity of two conditions (`control`, `treated`): both named outright, no units that differ,
    /// of one size.
    fn same_kind(&self, id: SeriesId, other: SeriesId, words: &Between) -> bool {
        let (Some(one), Some(two)) = (self.series(id), self.series(other)) else {
            return false;
        };
        let full = |series: &Series| {
            series.measure.is_some_and(|label| {
                words
                    .all
                    .get(&label)
                    .is_some_and(|known| *known >= OUTRIGHT)
            })
        };
        one.unit == two.unit
            && one.unit.is_none()
            && full(one)
            && full(two)
            && self.same_size(id, other)
    }

    /// How fully the words name a label, and where; a label that is a number is named by that number.
    fn strength_of(&self, label: LabelId, words: &Between) -> Option<(f64, usize)> {
        if let Some(known) = words.labels.get(&label) {
            return Some(*known);
        }
        let text = self.label_text(label);
        let value = Decimal::parse(text)?;
        words.values.contains(&value).then_some((1.0, 0))
    }

    /// A value of a sibling, or another statistic of the same runs.
    fn sibling_judged(
        &self,
        shown: &Shown,
        kind: Kind,
        anchor: &Found,
        words: &Between,
    ) -> Option<Judgement> {
        // What was derived by more than a mean of runs is not carried over.
        if anchor.derived.is_some() {
            return None;
        }
        let series = self
            .series(anchor.series)
            .filter(|series| !series.axis && !series.config)?;
        let facet_named = named_facet(series, words.aggregation);
        let target = self.named_siblings(anchor.series, words);
        // "After 500,000 steps A, after 900,000 steps B": another step of the same run.
        if let (Facet::Member(_), true, None) = (anchor.facet, series.trace, &target) {
            let step = series.members.iter().copied().find(|at| {
                crate::series::leaf(&self.evidence.leaves, *at)
                    .and_then(|leaf| leaf.progress)
                    .is_some_and(|step| words.values.contains(&step))
            })?;
            return self.value_judged(shown, kind, anchor.series, Facet::Member(step), words);
        }
        let id = match (target, facet_named) {
            (Some((.., id)), _) => id,
            (None, None) if words.contrast && words.labels.is_empty() => {
                self.only_counterpart(anchor.series, words)?
            }
            (None, Some(facet)) if facet != anchor.facet && words.labels.is_empty() => {
                anchor.series
            }
            (None, _) => return None,
        };
        let series = self.series(id)?;
        let facet = facet_named.unwrap_or(match anchor.facet {
            Facet::Member(_) => series.headline(&self.evidence.leaves)?.0,
            facet if series.value(facet, &self.evidence.leaves).is_none() => {
                series.headline(&self.evidence.leaves)?.0
            }
            facet => facet,
        });
        self.value_judged(shown, kind, id, facet, words)
    }

    /// The number against one value.
    fn value_judged(
        &self,
        shown: &Shown,
        kind: Kind,
        id: SeriesId,
        facet: Facet,
        words: &Between,
    ) -> Option<Judgement> {
        let series = self.series(id)?;
        if let Some(hit) = fit::hit(shown, series, facet, &self.evidence.leaves) {
            return Some(Judgement::new(
                status(hit.closeness),
                kind,
                vec![Self::found(id, hit)],
                "",
            ));
        }
        let weights: Weights = words
            .labels
            .iter()
            .map(|(label, (strength, _))| (*label, *strength))
            .collect();
        if let Some(other) = self.shown_elsewhere(shown, &weights, id) {
            return Some(other);
        }
        let raw = series.value(facet, &self.evidence.leaves)?;
        if !Self::plausible_size(shown, series, raw) {
            return None;
        }
        let value = fit::nearest(shown, series, raw)?;
        let found = Found::of(id, facet, value);
        Some(Judgement::new(
            Status::NumberMismatch,
            kind,
            vec![found],
            "",
        ))
    }

    /// The same comparison for another method or case.
    fn pair_judged(
        &self,
        change: &Change<'_>,
        anchor: &Found,
        words: &Between,
    ) -> Option<Judgement> {
        let (a, b) = (anchor.series, anchor.against?.0);
        let (one, two) = (self.series(a)?, self.series(b)?);
        let sides = [self.named_siblings(a, words), self.named_siblings(b, words)];
        let pair = match sides {
            // The same place on both sides: another method's or case's own comparison.
            [Some((x, label, left)), Some((y, other, right))]
                if x == y
                    && label == other
                    && one.slots.get(x).map(|slot| slot.label)
                        == two.slots.get(y).map(|slot| slot.label) =>
            {
                (left, right)
            }
            // The place in which they differ: another side of the comparison, the own method stays.
            [left, right] => {
                let ours = |series: &Series| {
                    series
                        .labels
                        .iter()
                        .any(|label| self.own.contains(label) || self.full.contains(label))
                };
                match (ours(one), ours(two)) {
                    (true, false) => (a, right?.2),
                    (false, true) => (left?.2, b),
                    _ => return None,
                }
            }
        };
        if pair.0 == pair.1 {
            return None;
        }
        let pair = Pair {
            a: pair.0,
            b: pair.1,
            score: 0.0,
            clarity: 1.0,
        };
        if let Some(what) = anchor
            .derived
            .as_deref()
            .filter(|what| *what == crate::efficiency::DERIVED)
        {
            return self.efficiency_of(change.shown, pair.a, pair.b, what, change.kind);
        }
        let direction = direction(change);
        let relative = change.sentence.to_lowercase().contains("relative");
        if let Some((closeness, value, what)) = self.follows(change, pair, direction, relative) {
            return Some(self.follows_from(change, pair, closeness, value, what));
        }
        let judgement = self.does_not_follow(change, pair, direction);
        let near = judgement.evidence.first().is_some_and(|found| {
            change
                .shown
                .value
                .over(found.value)
                .map(Decimal::abs)
                .is_some_and(|part| Decimal::new(25, -2) <= part && part <= Decimal::new(4, 0))
        });
        near.then_some(judgement)
    }
}

/// The statistic that the words name, where there are runs to take it of.
pub(crate) fn named_facet(series: &Series, aggregation: Aggregation) -> Option<Facet> {
    series.stats.as_ref()?;
    let best = series.best();
    let worst = if best == Facet::Max {
        Facet::Min
    } else {
        Facet::Max
    };
    [
        (aggregation.median, Facet::Median),
        (aggregation.best, best),
        (aggregation.worst, worst),
        (aggregation.mean, Facet::Mean),
    ]
    .into_iter()
    .find_map(|(said, facet)| said.then_some(facet))
}

pub(crate) fn status(closeness: Closeness) -> Status {
    match closeness {
        Closeness::Exact => Status::ExactMatch,
        Closeness::Rounded => Status::RoundingOk,
    }
}

fn is_number(text: &str) -> bool {
    Decimal::parse(text).is_some()
}

/// Both are percentages, both are in seconds, both are factors; the second of two factors or units may leave its mark out.
fn same_form(anchor: &Number, number: &Number, kind: Kind) -> bool {
    let dimension = |number: &Number| number.unit.map(|unit| unit.dimension);
    let unit = dimension(anchor) == dimension(number);
    if kind == Kind::Ratio {
        return unit && (anchor.times || !number.times);
    }
    // Whole numbers beside fractions are something else: settings, counts.
    let fractional = |number: &Number| number.last_digit < 0;
    unit && anchor.times == number.times
        && (number.unit.is_some() || fractional(anchor) == fractional(number))
}

/// Where the words that belong to a number end: at the next mark or number.
fn behind(text: &str, number: &Number) -> usize {
    let rest = text.get(number.end..).unwrap_or("");
    let limit = rest.floor_char_boundary(BEHIND);
    let near = rest.get(..limit).unwrap_or("");
    let end = near
        .find(|c: char| matches!(c, ',' | ';' | '.' | ':' | '(' | ')') || c.is_ascii_digit())
        .unwrap_or(near.len());
    let end = near
        .get(..end)
        .and_then(|near| near.find(" and "))
        .unwrap_or(end);
    number.end + end
}

/// "1.8 points of AP, on kidney by 2.9 points".
fn after_is_points(text: &str, anchor: &Number, number: &Number) -> bool {
    [anchor, number].iter().any(|number| {
        crate::claim::after_words(text, number.end, 3)
            .iter()
            .any(|word| word.starts_with("point") || word == "pp" || word == "pts")
    })
}
