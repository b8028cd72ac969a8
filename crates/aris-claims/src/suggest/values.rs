//! The values that a query of one statistic over one column gives, sorted, so that the ones a number may stand for are a range.

use std::ops::Range;

use super::data::{Source, quoted};
use crate::number::Number;

/// Values in the index.
const MOST_VALUES: usize = 1_000_000;
/// Cells looked at, all statistics of all groups together: some seconds.
const MOST_VISITS: usize = 100_000_000;
/// Groups of one source by one set of columns.
const MOST_GROUPS: usize = 20_000;
/// Columns of one source that are conditions, and how many of them together.
const MOST_CONDITIONED: usize = 8;
const MOST_CONDITIONS: usize = 3;

/// A statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stat {
    /// The only value, or the one that all rows have.
    Value,
    Mean,
    Median,
    Min,
    Max,
    Sum,
    Deviation,
    Count,
}

/// Words that papers and columns call statistics by.
pub(super) const STATISTICS: [(Stat, &str); 7] = [
    (Stat::Mean, " mean average averaged avg "),
    (Stat::Median, " median "),
    (
        Stat::Min,
        " min minimum minimal smallest lowest shortest fastest best worst between range ",
    ),
    (
        Stat::Max,
        " max maximum maximal largest highest longest peak best worst between range ",
    ),
    (Stat::Sum, " sum total overall altogether "),
    (Stat::Deviation, " deviation std stdev sd "),
    (
        Stat::Count,
        " number count n rows total configuration sample case ",
    ),
];

/// One value and where it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) value: f64,
    pub(super) stat: Stat,
    pub(super) source: u32,
    /// `u32::MAX` for counts of rows.
    pub(super) column: u32,
    pub(super) group: u32,
}

/// A column and the place of the label that it must have.
pub(super) type Condition = (u32, u32);

/// All values.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) sources: Vec<Source>,
    /// Conditions, and the number of rows that fulfil them.
    groups: Vec<(Vec<Condition>, usize)>,
    /// By value.
    pub(super) sorted: Vec<Candidate>,
}

impl Values {
    pub(super) fn new(sources: Vec<Source>, left_out: &mut Vec<String>) -> Self {
        let mut values = Self::default();
        let mut visits = 0;
        // What needs the fewest conditions comes first, for all sources alike.
        'all: for size in 0..=MOST_CONDITIONS {
            for (at, source) in (0_u32..).zip(&sources) {
                let numeric = source
                    .columns
                    .iter()
                    .filter(|found| !found.numbers.is_empty());
                let numeric = numeric.count();
                for set in sets(source, size) {
                    visits += source.rows * (numeric + 2);
                    if visits > MOST_VISITS || values.sorted.len() > MOST_VALUES {
                        left_out.push(format!(
                            "values of {} with {size} conditions, and later: {MOST_VALUES} values of {MOST_VISITS} cells are looked at",
                            source.path
                        ));
                        break 'all;
                    }
                    values.add(at, source, &set);
                }
            }
        }
        values.sources = sources;
        let order = |one: &Candidate, other: &Candidate| one.value.total_cmp(&other.value);
        values.sorted.sort_by(order);
        values
    }

    /// Adds every statistic of every group that these columns make.
    fn add(&mut self, at: u32, source: &Source, set: &[u32]) {
        for (labels, rows) in buckets(source, set).unwrap_or_default() {
            let conditions = set.iter().copied().zip(labels).collect();
            let group = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
            self.groups.push((conditions, rows.len()));
            let mut put = |stat, column, value| {
                self.sorted.push(Candidate {
                    value,
                    stat,
                    source: at,
                    column,
                    group,
                });
            };
            if source.rows > 1 {
                put(Stat::Count, u32::MAX, count(rows.len()));
            }
            for (place, column) in (0_u32..).zip(&source.columns) {
                if !column.numbers.is_empty() && !set.contains(&place) {
                    let found = rows
                        .iter()
                        .filter_map(|row| column.numbers.get(*row as usize));
                    let found = found.copied().filter(|number| !number.is_nan()).collect();
                    statistics(found, &mut |stat, value| put(stat, place, value));
                }
            }
        }
    }

    /// The places in `sorted` of the values that a number may stand for, if they are printed times `10^power`.
    pub(super) fn agreeing(&self, number: &Number, power: i32) -> Range<usize> {
        let (low, high) = number.interval();
        let (low, high) = (low.shift(-power).to_f64(), high.shift(-power).to_f64());
        let noise = low.abs().max(high.abs()) * 1e-12;
        let first = self
            .sorted
            .partition_point(|known| known.value < low - noise);
        let last = self
            .sorted
            .partition_point(|known| known.value <= high + noise);
        first..last.max(first)
    }

    pub(super) fn source(&self, candidate: &Candidate) -> Option<&Source> {
        self.sources.get(candidate.source as usize)
    }

    pub(super) fn conditions(&self, candidate: &Candidate) -> &[Condition] {
        let group = self.groups.get(candidate.group as usize);
        group.map_or(&[], |group| group.0.as_slice())
    }

    pub(super) fn rows(&self, candidate: &Candidate) -> usize {
        let group = self.groups.get(candidate.group as usize);
        group.map_or(0, |group| group.1)
    }

    /// `distinct ` or nothing, the value, and the conditions but for those on the columns in `left`.
    pub(super) fn parts(
        &self,
        candidate: &Candidate,
        power: i32,
        left: &[u32],
    ) -> Option<(&'static str, String, Vec<String>)> {
        let source = self.source(candidate)?;
        let column = source.columns.get(candidate.column as usize);
        let name = column.map_or("", |column| column.sql.as_str());
        let several = self.rows(candidate) > 1;
        let mut wheres = Vec::new();
        for (column, label) in self.conditions(candidate) {
            let known = source.columns.get(*column as usize)?;
            if !left.contains(column) {
                let label = known.labels.get(*label as usize)?.sql();
                wheres.push(format!("{} = {label}", known.sql));
            }
        }
        if let Some(word) = column
            .and_then(|found| found.missing.as_ref())
            .filter(|_| several)
        {
            wheres.push(format!("{name} <> {}", quoted(word, '\'')));
        }
        let value = match candidate.stat {
            Stat::Value => name.to_owned(),
            Stat::Mean => format!("avg({name})"),
            Stat::Median => format!("median({name})"),
            Stat::Min => format!("min({name})"),
            Stat::Max => format!("max({name})"),
            Stat::Sum => format!("sum({name})"),
            Stat::Deviation => format!("stddev({name})"),
            Stat::Count => String::from("count(*)"),
        };
        let value = match power {
            0 => value,
            2 => format!("100 * {value}"),
            ..0 => format!("{value} / 1e{}", -power),
            _ => format!("1e{power} * {value}"),
        };
        let distinct = several && candidate.stat == Stat::Value;
        Some((if distinct { "distinct " } else { "" }, value, wheres))
    }

    /// The query that gives a value.
    pub(super) fn sql(&self, candidate: &Candidate, power: i32) -> Option<String> {
        let (distinct, value, wheres) = self.parts(candidate, power, &[])?;
        let from = self.source(candidate)?.from();
        let wheres = wherever(&wheres);
        Some(format!("select {distinct}{value} from {from}{wheres}"))
    }
}

/// Conditions as SQL; nothing when there are none.
pub(super) fn wherever(conditions: &[String]) -> String {
    match conditions {
        [] => String::new(),
        some => format!(" where {}", some.join(" and ")),
    }
}

/// The sets of so many columns whose values may be conditions.
fn sets(source: &Source, size: usize) -> Vec<Vec<u32>> {
    let columns = (0_u32..).zip(&source.columns);
    let labels = columns.filter(|(_, column)| column.is_label && source.rows > 1);
    let labels: Vec<u32> = labels.map(|(at, _)| at).take(MOST_CONDITIONED).collect();
    let mut out: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = out.iter().flat_map(|set| {
            let rest = labels
                .iter()
                .filter(|at| set.last().is_none_or(|last| last < *at));
            rest.map(|at| [set.as_slice(), &[*at]].concat())
        });
        out = longer.collect();
    }
    out
}

/// Rows by the labels that they have in these columns; none when there are too many.
fn buckets(source: &Source, set: &[u32]) -> Option<Vec<(Vec<u32>, Vec<u32>)>> {
    let columns = set.iter().filter_map(|at| source.columns.get(*at as usize));
    let columns: Vec<_> = columns.collect();
    let mut keyed: Vec<(Vec<u32>, u32)> = Vec::with_capacity(source.rows);
    for row in 0..source.rows {
        let labels = columns.iter().map(|column| *column.label_of.get(row)?);
        if let Some(key) = labels.collect() {
            keyed.push((key, u32::try_from(row).ok()?));
        }
    }
    keyed.sort_unstable();
    let groups = keyed.chunk_by(|one, other| one.0 == other.0);
    if groups.clone().nth(MOST_GROUPS).is_some() {
        return None;
    }
    let rows = |group: &[(Vec<u32>, u32)]| group.iter().map(|(_, row)| *row).collect();
    let bucket = |group: &[(Vec<u32>, u32)]| Some((group.first()?.0.clone(), rows(group)));
    Some(groups.filter_map(bucket).collect())
}

/// The statistics of some numbers; of numbers that are all the same, their value alone.
fn statistics(mut numbers: Vec<f64>, put: &mut dyn FnMut(Stat, f64)) {
    numbers.sort_unstable_by(f64::total_cmp);
    let (Some(first), Some(last)) = (numbers.first().copied(), numbers.last().copied()) else {
        return;
    };
    if first.total_cmp(&last).is_eq() {
        put(Stat::Value, first);
        return;
    }
    let count = count(numbers.len());
    let sum: f64 = numbers.iter().sum();
    let mean = sum / count;
    let middle = |at: usize| numbers.get(at).copied().unwrap_or(mean);
    let (half, odd) = (numbers.len() / 2, numbers.len() % 2);
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    put(Stat::Mean, mean);
    put(Stat::Median, middle(half).midpoint(middle(half - 1 + odd)));
    put(Stat::Min, first);
    put(Stat::Max, last);
    if numbers.iter().all(|number| number.fract() == 0.0) {
        put(Stat::Sum, sum);
    }
    if numbers.len() > 2 {
        put(Stat::Deviation, (squares / (count - 1.0)).sqrt());
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "rows are counted far below 2^52"
)]
fn count(rows: usize) -> f64 {
    rows as f64
}
