//! Ranks the values that a number may stand for: by how much their names share with the number's context.

use std::collections::BTreeSet;

use super::context::Reading;
use super::values::{Candidate, Stat, Values};
use crate::number::Number;

/// The least sum of word weights and significant digits (of which at most four count) for a proposal.
const LEAST: f64 = 5.0;
/// The share of a label that must be named near a number.
const NAMED: f64 = 0.5;
/// Cost of a condition that is not a heading of the table, and of a percentage without a percent sign.
const ELSEWHERE: f64 = 1.0;
const UNSAID: f64 = 1.5;

/// A value that a number may stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    pub(super) candidate: Candidate,
    /// The value is printed times ten to this power.
    pub(super) power: i32,
    /// How well the words match: logarithm of odds.
    pub(super) words: f64,
}

impl Values {
    /// How well a value matches the context of a number. `None` if the context does not name one of its conditions.
    pub(super) fn words(&self, candidate: &Candidate, reading: &Reading) -> Option<f64> {
        let group = self.group(candidate)?;
        let source = self.data.sources.get(group.source as usize)?;
        let fit = |name: u32| self.data.names.fit(name, &reading.weights);
        // Of many files or labels, one is named by chance more often than of two.
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let choice = |among: usize| (among as f64).ln();
        let mut sum = fit(source.name).0 - choice(source.alike);
        sum += stat(candidate.stat, reading);
        for (column, label) in &group.conditions {
            let column = source.columns.get(*column as usize)?;
            let label = column.labels.get(*label as usize)?;
            let is_head = reading.heads.contains(&label.whole);
            let (weight, share) = fit(label.name);
            let is_named = is_head || share >= NAMED && weight > 0.0;
            if !is_named || label.is_number && fit(column.name).1 < NAMED {
                return None;
            }
            let elsewhere = if is_head { 0.0 } else { ELSEWHERE };
            sum += weight - elsewhere - choice(column.labels.len());
        }
        let column = source.columns.get(candidate.column as usize);
        Some(sum + column.map_or(0.0, |column| fit(column.name).0))
    }

    /// The values that a number most likely stands for, best first, and how many other values agree with it. Examines at most
    /// `most` values for each power of ten.
    pub(super) fn rank(&self, number: &Number, near: &Reading, most: usize) -> (Vec<Fit>, usize) {
        let source = |found: &Candidate| self.group(found).map(|group| group.source);
        let key = |found: &Candidate| (found.value.to_bits(), source(found));
        // At most one trailing zero counts, because `1.00` matches by chance more often than `1.37`.
        let digits = number.significant_digits();
        let digits = digits.min(number.value.significant_digits() + 1).min(4);
        let least = LEAST - f64::from(digits);
        let (mut fits, mut agreeing) = (Vec::new(), BTreeSet::new());
        for (power, cost) in powers(number) {
            let found = self.agreeing(number, power).iter().take(most);
            for candidate in found.filter(|found| is_printed(found, power)) {
                agreeing.insert(key(candidate));
                let words = self.words(candidate, near);
                let words = words.map(|words| words - cost);
                fits.extend(words.filter(|words| *words >= least).map(|words| Fit {
                    candidate: *candidate,
                    power,
                    words,
                }));
            }
        }
        fits.sort_by(|one, other| other.words.total_cmp(&one.words));
        let mut seen = BTreeSet::new();
        fits.retain(|fit| seen.insert(key(&fit.candidate)));
        (fits, agreeing.len().saturating_sub(1))
    }
}

/// How well a statistic matches the words around a number.
fn stat(stat: Stat, reading: &Reading) -> f64 {
    match stat {
        named if reading.stats.contains(named) => 1.5,
        "" => 0.0,
        "avg" if reading.stats.is_empty() => -0.3,
        "avg" | "count" => -1.0,
        _ => -2.0,
    }
}

/// The powers of ten that a value may be printed times, and the cost of each if the paper does not say so.
pub(super) fn powers(number: &Number) -> Vec<(i32, f64)> {
    if number.multiplier > 0 {
        return vec![(-number.multiplier, 0.0)];
    }
    let unsaid = if number.is_percent() { 0.0 } else { UNSAID };
    vec![(0, 0.0), (2, unsaid)]
}

/// Whether a value may be printed with this power of ten: only fractions are printed as percentages.
pub(super) fn is_printed(candidate: &Candidate, power: i32) -> bool {
    power != 2 || candidate.value.abs() <= 1.0 && candidate.stat != "count"
}
