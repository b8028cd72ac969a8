//! Takes an accusation back where the evidence does not carry it.
//!
//! The judges look for the quantity that the words of a number mean, and call the number wrong when that quantity shows
//! otherwise. Here every such judgement is read once more from the other side: is there a quantity that the words allow as
//! well, and that has exactly this number? A false accusation costs an honest author more than a warning too many, so
//! doubt ends in a match or in `ambiguous_mapping`, `missing_evidence`, never in a contradiction.
//!
//! The rules, in the order in which they are tried, are the methods of `Engine` below and in the modules beside. A swapped cell stays a
//! contradiction: there the head of row or column names the accused quantity and not the one that has the number.

mod derived;
mod kinship;
mod place;
mod scope;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::audit::Judged;
use crate::claim::Kind;
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::fit::{self, Closeness, Hit, Shown};
use crate::judge::{Found, Judgement};
use crate::lexicon::LabelId;
use crate::number::{Number, Style};
use crate::report::Status;
use crate::series::{Facet, Series, SeriesId, leaf};
use crate::table::Aligned;

use scope::{Scope, UNCLEAR};

/// Digits from which an equal value elsewhere is no coincidence: one in a thousand values has them by chance.
const TELLING: u32 = 3;
/// Values looked at for one number; more of them tell nothing.
const VALUES: usize = 200;
/// Strength from which a text names a label.
const NAMED: f64 = 0.5;
/// Share of its strength that a label keeps which the caption or the sentence before names.
const AROUND: f64 = 0.5;
/// Words between the numbers of a list.
const JOINTS: &[&str] = &["and", "or", "against", "versus", "vs", "of", "then"];
/// Powers of ten between a value and the number that shows it: fractions and per cent, milli, kilo, mega, giga.
const POWERS: [i32; 8] = [0, 2, -2, 3, -3, 6, -6, -9];
/// A number beyond this factor of the accused value, up or down, is another quantity, unless its digits are the same.
const PLAUSIBLE: i128 = 3;

/// The place of a number.
struct Place<'p> {
    text: &'p str,
    number: &'p Number,
    shown: Shown,
    /// How clearly the words name a label.
    named: BTreeMap<LabelId, f64>,
    /// Files that the matches in its column come from.
    files: BTreeSet<u32>,
    /// The matched number before it in the sentence or cell.
    before: Option<Found>,
    /// Only a comma or a word such as "and" stands between the two.
    joined: bool,
    /// Quantities that other numbers of the sentence show.
    shown_beside: BTreeSet<SeriesId>,
    cell: bool,
    /// It stands in brackets behind another number.
    bracketed: bool,
}

impl Engine<'_> {
    /// Reads every contradiction once more. `cells`: table, row and column by passage.
    pub(crate) fn withhold(
        &self,
        tables: &[Aligned],
        cells: &BTreeMap<usize, (usize, usize, usize)>,
        judged: &mut BTreeMap<(usize, usize), Judged>,
    ) {
        let accused: Vec<(usize, usize)> = judged
            .iter()
            .filter(|(_, (.., judgement))| judgement.status.is_mismatch())
            .map(|(key, _)| *key)
            .collect();
        let columns = self.column_files(cells, judged);
        for key in accused {
            let scope = judged
                .get(&key)
                .filter(|(.., judgement)| judgement.status == Status::ScopeOverclaim);
            if let Some((range, _, judgement)) = scope {
                match self.scope_stands(key.0, range, judgement) {
                    Scope::Stands => {}
                    Scope::Unclear => {
                        if let Some((.., judgement)) = judged.get_mut(&key) {
                            judgement.status = Status::AmbiguousMapping;
                            judgement.alternatives.append(&mut judgement.evidence);
                            UNCLEAR.clone_into(&mut judgement.reason);
                        }
                    }
                    Scope::Nothing => {
                        judged.remove(&key);
                    }
                }
                continue;
            }
            let Some(place) = self.accused_place(tables, cells, &columns, judged, key) else {
                continue;
            };
            // "One run", "if one microphone": an article as often as a number.
            if place.number.style == Style::Spelled && place.number.value == Decimal::ONE {
                judged.remove(&key);
                continue;
            }
            let better = judged
                .get(&key)
                .and_then(|(.., judgement)| self.reconsider(&place, judgement));
            if let (Some(better), Some((.., judgement))) = (better, judged.get_mut(&key)) {
                *judgement = better;
            }
        }
    }

    fn reconsider(&self, place: &Place<'_>, judgement: &Judgement) -> Option<Judgement> {
        let found = judgement.evidence.first();
        match (judgement.status, found) {
            (Status::DeltaError, Some(found)) => self
                .other_pair(place, found, judgement.kind)
                .or_else(|| self.unnamed_side(place, found, judgement)),
            (Status::NumberMismatch | Status::ConfigMismatch, Some(found)) => {
                Self::setting_difference(place, judgement)
                    .or_else(|| self.bracketed_bound(place, found))
                    .or_else(|| self.next_in_list(place, found))
                    .or_else(|| self.value_elsewhere(place, found))
                    .or_else(|| self.row_difference(place, found))
                    .or_else(|| self.share_of_count(place, found))
                    .or_else(|| self.record_total(place))
                    .or_else(|| Self::other_size(place, found, judgement))
            }
            (Status::AggregationMismatch, _) => self.no_runs(place, judgement),
            _ => None,
        }
    }

    /// Single values and means that the number shows, exact ones first.
    fn values_showing(&self, shown: &Shown) -> Vec<(SeriesId, Hit)> {
        let (low, high) = shown.interval();
        let mut out: BTreeMap<SeriesId, Hit> = BTreeMap::new();
        for power in POWERS {
            let entries =
                self.evidence
                    .values
                    .between(low.shift(-power), high.shift(-power), VALUES);
            for entry in entries.unwrap_or(&[]) {
                if !matches!(entry.facet, Facet::Single | Facet::Mean | Facet::Median) {
                    continue;
                }
                if let Some(hit) = self
                    .series(entry.series)
                    .and_then(|series| fit::hit(shown, series, entry.facet, &self.evidence.leaves))
                {
                    out.entry(entry.series).or_insert(hit);
                }
            }
        }
        let mut out: Vec<(SeriesId, Hit)> = out.into_iter().collect();
        out.sort_by_key(|(id, hit)| (hit.closeness, *id));
        out
    }

    /// `x (lo, hi)`: a number in brackets behind another one is a companion of it from the same record.
    fn bracketed_bound(&self, place: &Place<'_>, found: &Found) -> Option<Judgement> {
        if !place.bracketed {
            return None;
        }
        let accused = self.series(found.series)?;
        let anchor = place
            .before
            .as_ref()
            .and_then(|found| self.series(found.series));
        let (id, hit) = self
            .values_showing(&place.shown)
            .into_iter()
            .find(|(id, _)| {
                *id != found.series
                    && self.series(*id).is_some_and(|series| {
                        Self::same_record(series, accused)
                            || anchor.is_some_and(|anchor| Self::same_record(series, anchor))
                    })
            })?;
        Some(self.agreeing_value(id, hit))
    }

    /// "0.93 and 0.88": the second value of a list is the same measure of the next row.
    fn next_in_list(&self, place: &Place<'_>, found: &Found) -> Option<Judgement> {
        let first = place
            .before
            .as_ref()
            .filter(|_| !place.cell && place.joined)?;
        let anchor = self.series(first.series)?;
        let accused = self.series(found.series)?;
        let (id, hit) = self
            .values_showing(&place.shown)
            .into_iter()
            .find(|(id, _)| {
                *id != first.series
                    && self.series(*id).is_some_and(|series| {
                        Self::one_apart(series, anchor)
                            && self.measure(series) == self.measure(anchor)
                            && Self::named_apart(place, series, accused)
                                >= Self::named_apart(place, accused, series)
                    })
            })?;
        Some(self.agreeing_value(id, hit))
    }

    /// Another quantity has this number, and the words name it at least as well as the accused one.
    fn value_elsewhere(&self, place: &Place<'_>, found: &Found) -> Option<Judgement> {
        let accused = self.series(found.series)?;
        let telling = place.number.significant_digits() >= TELLING;
        let accused_file = self.first_file(found.series);
        let own_named = self
            .own
            .iter()
            .filter_map(|label| place.named.get(label))
            .copied()
            .fold(0.0, f64::max);
        let precise = place.number.significant_digits() >= 2;
        let owned = |series: &Series| series.labels.iter().any(|l| self.own.contains(l));
        let method = |series: &Series| series.labels.iter().any(|l| self.methods.contains(l));
        let (id, hit) = self
            .values_showing(&place.shown)
            .into_iter()
            .find(|(id, hit)| {
                let Some(series) = self.series(*id).filter(|_| *id != found.series) else {
                    return false;
                };
                // The column is filled from another file than the accused value's.
                let file = self.first_file(*id);
                if telling
                    && file != accused_file
                    && file.is_some_and(|file| place.files.contains(&file))
                    && accused_file.is_some_and(|file| !place.files.contains(&file))
                {
                    return true;
                }
                // The accused value stands elsewhere in the sentence: this number is another one of its kind.
                let exact = hit.closeness == Closeness::Exact;
                let rival = owned(accused) && !owned(series) && method(series);
                if exact && !place.cell && place.shown_beside.contains(&found.series) && precise {
                    return !rival && Self::one_apart(series, accused);
                }
                let same_measure = self.measure(series) == self.measure(accused);
                if accused.config && !same_measure {
                    return false;
                }
                let mut theirs = Self::named_apart(place, series, accused);
                let mut ours = Self::named_apart(place, accused, series);
                // The own method's results need not carry its name.
                if own_named >= NAMED && !method(series) && method(accused) {
                    theirs = theirs.max(own_named);
                }
                // Who names no method speaks of the own one.
                if same_measure && rival {
                    ours = ours.max(NAMED);
                }
                if telling {
                    (theirs >= ours || ours < NAMED) && (exact || theirs >= NAMED)
                } else {
                    theirs >= ours && theirs >= NAMED && !place.cell && precise
                }
            })?;
        Some(self.agreeing_value(id, hit))
    }

    /// A value of quite another size is another quantity.
    fn other_size(place: &Place<'_>, found: &Found, judgement: &Judgement) -> Option<Judgement> {
        if place.cell || judgement.status == Status::ConfigMismatch {
            return None;
        }
        // Probabilities of error differ by powers of ten and are the same quantity for all that.
        let probability = place.shown.value < Decimal::new(5, -2) && found.value < Decimal::ONE;
        if probability {
            return None;
        }
        let (shown, value) = (place.shown.value.abs(), found.value.abs());
        (far(shown, value) && digits(shown) != digits(value))
            .then(|| Judgement::missing(judgement.kind))
    }

    /// Only values of repeated runs can be aggregated wrongly; and other runs may be the ones that are meant.
    fn no_runs(&self, place: &Place<'_>, judgement: &Judgement) -> Option<Judgement> {
        let found = judgement
            .evidence
            .first()
            .or(judgement.alternatives.first())?;
        let accused = self.series(found.series)?;
        let repeated = |series: &Series| {
            series.members.iter().any(|at| {
                leaf(&self.evidence.leaves, *at).is_some_and(|leaf| !leaf.replicate.is_empty())
            })
        };
        if !repeated(accused) {
            return Some(Judgement::missing(judgement.kind));
        }
        if found.facet != Facet::Count {
            return None;
        }
        let (id, _) = (0..).zip(&self.evidence.series).find(|(id, series)| {
            *id != found.series
                && Decimal::from_count(series.runs()) == place.shown.value
                && repeated(series)
                && Self::named_in_all(place, series, accused)
                    > Self::named_in_all(place, accused, series)
        })?;
        let hit = Hit {
            facet: Facet::Count,
            closeness: Closeness::Exact,
            value: place.shown.value,
        };
        let mut found = Self::found(id, hit);
        found.derived = Some("number of runs".to_owned());
        Some(agreed(Kind::Count, Closeness::Exact, found))
    }

    fn agreeing_value(&self, id: SeriesId, hit: Hit) -> Judgement {
        agreed(self.kind_of(id), hit.closeness, Self::found(id, hit))
    }
}

fn agreed(kind: Kind, closeness: Closeness, found: Found) -> Judgement {
    let status = match closeness {
        Closeness::Exact => Status::ExactMatch,
        Closeness::Rounded => Status::RoundingOk,
    };
    Judgement::new(status, kind, vec![found], "")
}

/// Whether two amounts are too far apart to be the same quantity.
fn far(one: Decimal, other: Decimal) -> bool {
    let bound = Decimal::new(PLAUSIBLE, 0);
    one > other.times(bound) || other > one.times(bound)
}

/// The digits of a value in order of size, zeros left out: the same for transposed digits and for a wrong power of ten.
fn digits(value: Decimal) -> Vec<char> {
    let text = value.to_string();
    let mantissa = text.split(['e', 'E']).next().unwrap_or("");
    let mut digits: Vec<char> = mantissa
        .chars()
        .filter(|c| matches!(c, '1'..='9'))
        .collect();
    digits.sort_unstable();
    digits
}
