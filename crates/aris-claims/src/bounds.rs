//! What stands in brackets behind a value: the bounds of an interval, "0.834 (0.819, 0.848)", or its share, "462 (69%)".

use std::collections::BTreeMap;

use crate::audit::Judged;
use crate::claim::Kind;
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::fit::{self, Approximate, Shown};
use crate::judge::{Found, Judgement};
use crate::number::Number;
use crate::parallel::{SoFar, status};
use crate::report::Status;
use crate::series::{Facet, SeriesId};
use crate::units::Unit;

/// Words in the keys of lower and of upper bounds.
const LOWER: &[&str] = &[
    "lo", "low", "lower", "lb", "minimum", "p2", "q025", "left", "from",
];
/// See [`LOWER`].
const UPPER: &[&str] = &[
    "hi", "high", "upper", "ub", "maximum", "p97", "q975", "right", "to",
];
/// Cells of a column that must agree on one total.
const AGREED: usize = 3;
/// Values near a possible total that are looked at.
const TOTALS: usize = 500;
/// Bytes between a value and the first bound: room for "95% CI".
const GAP: usize = 24;

/// What a number in brackets is to the value before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracketed {
    Lower,
    Upper,
    Share,
}

impl Engine<'_> {
    /// Judges a number in brackets by the value before them; the outer `None`: it is nothing of the kind.
    pub(crate) fn judge_bracketed(
        &self,
        passage: usize,
        at: usize,
        judged: &SoFar,
    ) -> Option<Judgement> {
        if let Some(judgement) = self.displayed_share(passage, at) {
            return Some(judgement);
        }
        let numbers = &self.passages.get(passage)?.numbers;
        let number = numbers.get(at)?;
        let (role, value) = self.bracketed(passage, at)?;
        let anchor = numbers.get(value)?;
        let known: Option<&Judged> = judged.get(&(passage, anchor.range.start));
        let series = known
            .and_then(|(.., known)| known.evidence.first())
            .filter(|found| found.against.is_none())
            .map(|found| found.series);
        let unit = number.unit.or(anchor.unit);
        let shown = Shown::new(number, unit, Approximate::No);
        match role {
            Bracketed::Share => self.share(anchor, &shown, series),
            Bracketed::Lower => self.bound(&shown, series, LOWER),
            Bracketed::Upper => self.bound(&shown, series, UPPER),
        }
    }

    /// The total that the shares of a column are taken of: the value of the results that most of its cells "n (p)" agree
    /// on, at least [`AGREED`] of them.
    pub(crate) fn column_total(&self, column: &[usize]) -> Option<(Decimal, SeriesId)> {
        let mut votes: BTreeMap<Decimal, (usize, SeriesId)> = BTreeMap::new();
        let mut cells = 0_usize;
        for passage in column {
            let Some((count, share)) = self.count_and_share(*passage) else {
                continue;
            };
            cells += 1;
            let (low, high) = share.interval();
            let whole = |part: Decimal| count.value.shift(2).over(part);
            let Some((from, to)) = whole(high).zip(whole(low)).filter(|_| !low.is_zero()) else {
                continue;
            };
            let mut seen: Vec<Decimal> = Vec::new();
            for entry in self
                .evidence
                .values
                .between(from, to, TOTALS)
                .unwrap_or(&[])
            {
                let total = self.headline(entry.series).filter(|value| {
                    value.is_integer() && *value >= count.value && !seen.contains(value)
                });
                let counted = self
                    .series(entry.series)
                    .is_some_and(|series| !series.axis && !series.config);
                if let Some(total) = total.filter(|_| counted) {
                    seen.push(total);
                    votes.entry(total).or_insert((0, entry.series)).0 += 1;
                }
            }
        }
        votes
            .into_iter()
            .max_by_key(|(_, (count, _))| *count)
            .filter(|(_, (count, _))| *count >= AGREED && *count * 5 >= cells * 3)
            .map(|(total, (_, id))| (total, id))
    }

    /// The two numbers of a cell "8,107 (44.0)".
    fn count_and_share(&self, passage: usize) -> Option<(&Number, &Number)> {
        let [count, share] = self.passages.get(passage)?.numbers.as_slice() else {
            return None;
        };
        let text = self.paper.passages.get(passage)?.text.as_str();
        let gap = text.get(count.end..share.range.start)?.trim();
        let closed = text.get(share.end..)?.trim_start().starts_with(')');
        let sizes = count.last_digit >= 0
            && count.unit.is_none()
            && share.value <= Decimal::HUNDRED
            && (share.unit.is_none() || share.is_percent());
        (gap == "(" && closed && sizes).then_some((count, share))
    }

    /// Judges the share of a cell by the total of its column.
    pub(crate) fn judge_column_share(
        &self,
        passage: usize,
        at: usize,
        total: (Decimal, SeriesId),
        judged: &SoFar,
    ) -> Option<Judgement> {
        let (count, share) = self.count_and_share(passage).filter(|_| at == 1)?;
        let shown = Shown::new(share, Some(Unit::percent()), Approximate::No);
        let known = judged
            .get(&(passage, count.range.start))
            .map(|(.., known)| known);
        let value = |count: Decimal| count.over(total.0).map(|part| part.shift(2));
        let found = |value: Decimal| Found {
            series: total.1,
            facet: Facet::Single,
            against: None,
            derived: Some(format!("share of {}", total.0)),
            value,
        };
        // The count may be wrong where its share is right.
        let corrected = known
            .filter(|known| known.status.is_mismatch())
            .and_then(|known| known.evidence.first())
            .and_then(|found| value(found.value));
        let stated = value(count.value)?;
        for part in [Some(stated), corrected].into_iter().flatten() {
            if let Some(closeness) = shown.shows(part) {
                return Some(Judgement::new(
                    status(closeness),
                    Kind::RelativeChange,
                    vec![found(part)],
                    "",
                ));
            }
        }
        // Only a count that is itself confirmed accuses its share.
        Some(if known.is_some_and(|known| known.status.is_match()) {
            Judgement::new(
                Status::DeltaError,
                Kind::RelativeChange,
                vec![found(stated)],
                "",
            )
        } else {
            Judgement::missing(Kind::RelativeChange)
        })
    }

    /// "462 of 688 (69%)": the sentence gives both numbers of the share.
    fn displayed_share(&self, passage: usize, at: usize) -> Option<Judgement> {
        let numbers = &self.passages.get(passage)?.numbers;
        let text = self.paper.passages.get(passage)?.text.as_str();
        let (part, whole, share) = (
            numbers.get(at.checked_sub(2)?)?,
            numbers.get(at.checked_sub(1)?)?,
            numbers.get(at)?,
        );
        let between = text.get(part.end..whole.range.start)?.trim();
        let gap = text.get(whole.end..share.range.start)?.trim();
        let counts = |number: &Number| number.last_digit >= 0 && number.unit.is_none();
        let closed = text.get(share.end..)?.trim_start().starts_with(')');
        if !matches!(between, "of" | "of the" | "out of" | "/")
            || gap != "("
            || !closed
            || !share.is_percent()
            || !counts(part)
            || !counts(whole)
            || part.value > whole.value
        {
            return None;
        }
        let value = part.value.over(whole.value)?.shift(2);
        let shown = Shown::new(share, None, Approximate::No);
        Some(match shown.shows(value) {
            Some(closeness) => Judgement::new(
                status(closeness),
                Kind::RelativeChange,
                Vec::new(),
                "follows from the two counts before it",
            ),
            None => Judgement::new(
                Status::DeltaError,
                Kind::RelativeChange,
                Vec::new(),
                format!("the two counts before it give {}", value.rounded_at(-2)),
            ),
        })
    }

    /// The role of a number in brackets, and the index of the value before them.
    fn bracketed(&self, passage: usize, at: usize) -> Option<(Bracketed, usize)> {
        let numbers = &self.passages.get(passage)?.numbers;
        let text = self.paper.passages.get(passage)?.text.as_str();
        let number = numbers.get(at)?;
        let between = |a: &Number, b: &Number| text.get(a.end..b.range.start).unwrap_or("");
        let closes = |number: &Number| {
            text.get(number.end..)
                .unwrap_or("")
                .trim_start_matches(['$', ' ', '}'])
                .starts_with([')', ']'])
        };
        // The level of the interval is no bound.
        let level = |number: &Number| {
            number.is_percent()
                && text.get(number.end..).is_some_and(|rest| {
                    let rest = rest.trim_start().to_lowercase();
                    rest.starts_with("ci")
                        || rest.starts_with("confidence")
                        || rest.starts_with("cri")
                })
        };
        let separates = |gap: &str| {
            matches!(
                gap.trim_matches(['$', ' ', '\u{a0}', '{', '}']),
                "," | "–" | "-" | "--" | "—" | "to" | ";" | "−" | ""
            )
        };
        let value_before = |first: usize| -> Option<usize> {
            let mut value = first.checked_sub(1)?;
            if level(numbers.get(value)?) {
                value = value.checked_sub(1)?;
            }
            let gap = text.get(numbers.get(value)?.end..numbers.get(first)?.range.start)?;
            let opened = gap.contains(['(', '[']) || gap.contains("CI");
            (opened && gap.len() <= GAP && !gap.contains([')', ']', '.'])).then_some(value)
        };
        if number.is_percent() && closes(number) {
            let value = at.checked_sub(1)?;
            let anchor = numbers.get(value)?;
            let gap = between(anchor, number).trim_matches(['$', ' ', '\u{a0}', '{']);
            if gap == "(" && anchor.last_digit >= 0 && anchor.unit.is_none() {
                return Some((Bracketed::Share, value));
            }
        }
        if let Some(next) = numbers.get(at + 1)
            && separates(between(number, next))
            && next.range.start > number.end
            && let Some(value) = value_before(at)
            && ordered(number, numbers.get(value)?, next)
            && (closes(next) || text.get(..number.range.start)?.ends_with("CI "))
        {
            return Some((Bracketed::Lower, value));
        }
        let before = at.checked_sub(1)?;
        let lower = numbers.get(before)?;
        if separates(between(lower, number))
            && lower.end < number.range.start
            && let Some(value) = value_before(before)
            && ordered(lower, numbers.get(value)?, number)
            && closes(number)
        {
            return Some((Bracketed::Upper, value));
        }
        None
    }

    /// A bound: the column of that name beside the value.
    fn bound(&self, shown: &Shown, series: Option<SeriesId>, words: &[&str]) -> Option<Judgement> {
        let missing = Some(Judgement::missing(Kind::Measurement));
        let Some(id) = series else { return missing };
        let Some(last) = self
            .series(id)
            .and_then(|series| series.slots.len().checked_sub(1))
        else {
            return missing;
        };
        let measure = self.series(id)?.slots.get(last)?.label;
        let own = self
            .evidence
            .lexicon
            .label(measure)
            .map_or(&[][..], |label| &label.words);
        let mut bounds: Vec<(bool, SeriesId)> = Vec::new();
        for sibling in self.family(id, last) {
            let Some(label) = self
                .series(sibling)
                .and_then(|series| series.slots.get(last))
                .and_then(|slot| self.evidence.lexicon.label(slot.label))
            else {
                continue;
            };
            if label
                .words
                .iter()
                .any(|word| words.contains(&word.as_str()))
            {
                let same = label.words.iter().any(|word| own.contains(word));
                bounds.push((!same, sibling));
            }
        }
        bounds.sort_unstable();
        for (_, id) in &bounds {
            let series = self.series(*id)?;
            let facet = series.headline(&self.evidence.leaves)?.0;
            if let Some(hit) = fit::hit(shown, series, facet, &self.evidence.leaves) {
                return Some(Judgement::new(
                    status(hit.closeness),
                    Kind::Measurement,
                    vec![Self::found(*id, hit)],
                    "",
                ));
            }
        }
        // Bounds of another measure contradict nothing.
        let (other, id) = *bounds.first()?;
        let alone = bounds.len() == 1 || !other;
        let series = self.series(id)?;
        let (facet, raw) = series.headline(&self.evidence.leaves)?;
        if !alone || !Self::plausible_size(shown, series, raw) {
            return missing;
        }
        let found = Found::of(id, facet, fit::nearest(shown, series, raw)?);
        Some(Judgement::new(
            Status::NumberMismatch,
            Kind::Measurement,
            vec![found],
            "",
        ))
    }

    /// A share: the count over a total of the same file. It is never compared with a count.
    fn share(&self, count: &Number, shown: &Shown, series: Option<SeriesId>) -> Option<Judgement> {
        let Some(id) = series else {
            return Some(Judgement::missing(Kind::RelativeChange));
        };
        let own = self.series(id)?;
        // Totals: the same count of another row or column.
        let mut totals: Vec<SeriesId> = Vec::new();
        for slot in 0..own.slots.len() {
            totals.extend(self.family(id, slot));
        }
        let paths: Vec<u32> = own
            .slots
            .iter()
            .filter(|slot| slot.kind == crate::evidence::SlotKind::Path)
            .map(|slot| slot.label)
            .collect();
        totals.extend(
            (0..)
                .zip(&self.evidence.series)
                .filter_map(|(other, series)| {
                    let same_file = paths
                        .iter()
                        .all(|label| series.labels.binary_search(label).is_ok());
                    (same_file && !series.axis).then_some(other)
                }),
        );
        for total in totals.into_iter().filter(|total| *total != id).take(2_000) {
            let Some(value) = self.headline(total).filter(|value| *value >= count.value) else {
                continue;
            };
            let Some(part) = count.value.over(value).map(|part| part.shift(2)) else {
                continue;
            };
            if let Some(closeness) = shown.shows(part) {
                let facet = |id| {
                    self.series(id)
                        .and_then(|series| series.headline(&self.evidence.leaves))
                        .map_or(Facet::Single, |(facet, _)| facet)
                };
                let found = Found {
                    series: id,
                    facet: facet(id),
                    against: Some((total, facet(total))),
                    derived: Some(String::from("share")),
                    value: part,
                };
                return Some(Judgement::new(
                    status(closeness),
                    Kind::RelativeChange,
                    vec![found],
                    "",
                ));
            }
        }
        None
    }
}

/// The value lies between its bounds.
fn ordered(lower: &Number, value: &Number, upper: &Number) -> bool {
    let ordered = |a: Decimal, b: Decimal, c: Decimal| a <= b && b <= c;
    ordered(lower.value, value.value, upper.value)
}
