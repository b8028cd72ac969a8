//! Which of the values that a number may stand for it most likely does: the one whose names share the most with the surroundings.

use std::collections::BTreeSet;

use super::context::Reading;
use super::values::{Candidate, Stat, Values};
use super::words::Names;
use crate::number::Number;

/// Values that are looked at for one number.
const MOST_AGREEING: usize = 20_000;
/// Words that a proposal needs by the number's significant digits; more than four count as four, and fewer words are enough where no
/// other value agrees.
///
/// **Source**: the invented papers in `tests/fixtures/claims`, each beside its own data and beside those of the others.
const LEAST: [f64; 5] = [4.0, 4.0, 3.0, 1.5, 0.5];
const LEAST_ALONE: f64 = 0.0;
/// Part of a label's letters that must stand near a number.
const NAMED: f64 = 0.5;
/// What a unit costs that the paper does not name.
const UNSAID: f64 = 1.5;

/// A value that a number may stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    pub(super) candidate: Candidate,
    /// The power of ten that the value is printed times.
    pub(super) power: i32,
    /// How well the words fit: the logarithm of odds.
    pub(super) words: f64,
}

/// The names of the data.
pub(super) struct Index {
    sources: Vec<Named>,
}

/// The names of one source: of its path, and of its columns with their labels.
struct Named {
    path: u32,
    columns: Vec<(u32, Vec<u32>)>,
}

impl Index {
    pub(super) fn new(values: &Values, names: &mut Names) -> Self {
        let mut sources = Vec::new();
        for source in &values.sources {
            let stem = source.path.rsplit_once('.').map(|(stem, _)| stem);
            let path = names.add(stem.unwrap_or(&source.path));
            let mut columns = Vec::new();
            for column in &source.columns {
                let name = names.add(&column.name);
                let labels = column.labels.iter().filter(|_| column.is_label);
                let labels = labels.map(|label| names.add(&label.text));
                columns.push((name, labels.collect()));
            }
            sources.push(Named { path, columns });
        }
        Self { sources }
    }

    /// How well a value fits the surroundings of a number; none where a condition is not named there.
    pub(super) fn words(
        &self,
        values: &Values,
        names: &Names,
        candidate: &Candidate,
        reading: &Reading,
    ) -> Option<f64> {
        let named = self.sources.get(candidate.source as usize)?;
        let source = values.source(candidate)?;
        let fit = |name: u32| reading.fits.get(name as usize).copied().unwrap_or_default();
        let mut sum = (0.5 * fit(named.path).0).clamp(0.0, 2.0);
        sum -= source.cost;
        sum += stat(candidate.stat, reading);
        let mut told: Vec<&str> = Vec::new();
        for (at, of_label) in values.conditions(candidate) {
            let (column, labels) = named.columns.get(*at as usize)?;
            let name = labels.get(*of_label as usize)?;
            let label = source
                .columns
                .get(*at as usize)?
                .labels
                .get(*of_label as usize)?;
            let is_head = reading.whole.contains(&label.whole);
            let ((weight, share), column_fit) = (fit(*name), fit(*column));
            let is_named = if label.is_number {
                (is_head || names.stands(&label.whole, &reading.near)) && column_fit.1 >= NAMED
            } else {
                is_head || share >= NAMED && weight > 0.0
            };
            // What the paper says once is one condition.
            if !is_named || told.contains(&label.whole.as_str()) {
                return None;
            }
            told.push(&label.whole);
            // Of many labels one is named by chance more often than of two.
            #[expect(clippy::cast_precision_loss, reason = "at most MOST_LABELS")]
            let choice = (labels.len() as f64).ln();
            sum += weight.max(0.0) + f64::from(u8::from(is_head)) - choice;
            sum += 0.3 * column_fit.0.max(0.0);
        }
        if let Some((column, _)) = named.columns.get(candidate.column as usize) {
            sum += fit(*column).0;
        }
        Some(sum)
    }

    /// The values that a number most likely stands for, best first, and how many others agree with it.
    pub(super) fn rank(
        &self,
        values: &Values,
        names: &Names,
        number: &Number,
        reading: &Reading,
    ) -> (Vec<Fit>, usize) {
        let key = |found: &Candidate| (found.value.to_bits(), found.source);
        let (mut fits, mut agreeing) = (Vec::new(), BTreeSet::new());
        for (power, cost) in powers(number, reading) {
            for at in values.agreeing(number, power).take(MOST_AGREEING) {
                let Some(candidate) = values.sorted.get(at) else {
                    continue;
                };
                if is_printed(candidate, power) {
                    agreeing.insert(key(candidate));
                    let words = self.words(values, names, candidate, reading);
                    fits.extend(words.map(|words| Fit {
                        candidate: *candidate,
                        power,
                        words: words - cost,
                    }));
                }
            }
        }
        // Zeros at the end are digits, but all of `1.00` is found more often than all of `1.37`.
        let digits = number.significant_digits();
        let digits = digits.min(number.value.significant_digits() + 1) as usize;
        let least = match digits {
            4.. if agreeing.len() == 1 => LEAST_ALONE,
            _ => LEAST
                .get(digits)
                .or(LEAST.last())
                .copied()
                .unwrap_or_default(),
        };
        let conditions = |fit: &Fit| values.conditions(&fit.candidate).len();
        fits.retain(|fit| fit.words >= least);
        fits.sort_by(|one, other| {
            let words = other.words.total_cmp(&one.words);
            words.then_with(|| conditions(one).cmp(&conditions(other)))
        });
        let mut seen = BTreeSet::new();
        fits.retain(|fit| seen.insert(key(&fit.candidate)));
        (fits, agreeing.len().saturating_sub(1))
    }
}

/// How well a statistic fits the words around a number.
fn stat(stat: Stat, reading: &Reading) -> f64 {
    let other = !reading.stats.is_empty();
    match stat {
        Stat::Deviation if reading.is_spread => 1.5,
        Stat::Value if !reading.is_spread => -0.5 * f64::from(u8::from(other)),
        Stat::Value => 0.0,
        _ if reading.is_spread => -3.0,
        _ if reading.stats.contains(&stat) => 1.5,
        _ if reading.stats_around.contains(&stat) => 0.7,
        Stat::Mean if other => -1.5,
        Stat::Mean => -0.3,
        Stat::Count => -0.7,
        Stat::Sum => -1.5,
        Stat::Median | Stat::Min | Stat::Max => -2.0,
        Stat::Deviation => -3.0,
    }
}

/// The powers of ten that a number may be printed times, and what each costs where the paper does not say so.
pub(super) fn powers(number: &Number, reading: &Reading) -> Vec<(i32, f64)> {
    if number.multiplier > 0 {
        return vec![(-number.multiplier, 0.0)];
    }
    let mut out = vec![(0, 0.0), (2, if reading.is_percent { 0.0 } else { UNSAID })];
    if number.significant_digits() > 2 {
        out.extend([3, -3, -6, -9].map(|power| (power, UNSAID)));
    }
    out
}

/// Whether a value may be printed so at all: a fraction per cent, and no count in thousands.
pub(super) fn is_printed(candidate: &Candidate, power: i32) -> bool {
    let counts = matches!(candidate.stat, Stat::Count | Stat::Sum);
    match power {
        0 => true,
        2 => candidate.value.abs() <= 1.0 && !counts,
        _ => !counts,
    }
}
