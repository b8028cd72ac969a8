//! All values that a query of one statistic of one column can return, sorted, so that those that match a number are a range.

use std::collections::{BTreeMap, VecDeque};

use super::data::{Column, Data, quoted};
use crate::number::Number;

/// Most values in the index.
const MOST_VALUES: usize = 1_000_000;
/// Most cells visited for all statistics of all groups together: takes some seconds.
const MOST_VISITS: usize = 50_000_000;
/// Most values examined for all numbers of a table, and for all other numbers.
pub(super) const MOST_LOOKS: usize = 10_000_000;
/// Most conditions of one query.
const MOST_CONDITIONS: usize = 3;

/// A statistic by its SQL function; empty for the only value, or for the value that all rows share.
pub(super) type Stat = &'static str;

/// Statistics, and the words that papers use for them.
pub(super) const STATISTICS: [(Stat, &str); 7] = [
    ("avg", "mean average averaged avg"),
    ("median", "median"),
    ("min", "min minimum minimal smallest lowest best worst"),
    ("max", "max maximum maximal largest highest best worst"),
    ("sum", "sum total overall"),
    ("stddev", "deviation std sd"),
    ("count", "number count n rows total samples cases"),
];

/// One value and its origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) value: f64,
    pub(super) stat: Stat,
    /// Index of the column; `u32::MAX` for counts of rows.
    pub(super) column: u32,
    /// Index of its [`Group`].
    group: u32,
}

/// The rows of a source that satisfy some conditions.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) source: u32,
    pub(super) conditions: Vec<Condition>,
    pub(super) rows: usize,
}

/// A column and the label that it must have, by their indexes.
pub(super) type Condition = (u32, u32);

/// All values of the evidence.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) data: Data,
    groups: Vec<Group>,
    /// Sorted by value.
    sorted: Vec<Candidate>,
}

impl Values {
    pub(super) fn new(mut data: Data) -> Self {
        let (mut groups, mut sorted) = (Vec::new(), Vec::new());
        // Groups with the fewest conditions come first, for all sources alike.
        let all = (0..).zip(&data.sources);
        let all = all.map(|(at, source)| (at, Vec::new(), (0..source.rows).collect()));
        let mut queue: VecDeque<(u32, Vec<Condition>, Vec<usize>)> = all.collect();
        let mut visits = 0;
        while let Some((at, conditions, rows)) = queue.pop_front()
            && let Some(source) = data.sources.get(at as usize)
        {
            visits += rows.len() * (source.columns.len() + 2);
            if visits > MOST_VISITS || sorted.len() > MOST_VALUES {
                data.left_out.push(format!(
                    "values of {} with {} conditions, and later: {MOST_VALUES} values of {MOST_VISITS} cells are looked at",
                    source.from,
                    conditions.len()
                ));
                break;
            }
            let group = u32::try_from(groups.len()).unwrap_or(u32::MAX);
            let mut put = |column, stat, value| {
                sorted.push(Candidate {
                    value,
                    stat,
                    column,
                    group,
                });
            };
            if source.rows > 1 {
                put(u32::MAX, "count", count(rows.len()));
            }
            let next = conditions.last().map_or(0, |(column, _)| column + 1);
            for (place, column) in (0..).zip(&source.columns) {
                if conditions.iter().all(|(known, _)| *known != place) {
                    let numbers = rows.iter().filter_map(|row| column.numbers.get(*row));
                    let numbers = numbers.copied().filter(|number| !number.is_nan());
                    let found = statistics(numbers.collect()).into_iter();
                    found.for_each(|(stat, value)| put(place, stat, value));
                }
                if place >= next && conditions.len() < MOST_CONDITIONS {
                    let longer = |label| [conditions.as_slice(), &[(place, label)]].concat();
                    let parts = by_label(column, &rows).into_iter();
                    queue.extend(parts.map(|(label, rows)| (at, longer(label), rows)));
                }
            }
            groups.push(Group {
                source: at,
                conditions,
                rows: rows.len(),
            });
        }
        let order = |one: &Candidate, other: &Candidate| one.value.total_cmp(&other.value);
        sorted.sort_by(order);
        Self {
            data,
            groups,
            sorted,
        }
    }

    /// The values that a number may stand for if they are printed times `10^power`.
    pub(super) fn agreeing(&self, number: &Number, power: i32) -> &[Candidate] {
        let (low, high) = number.interval();
        let (low, high) = (low.shift(-power).to_f64(), high.shift(-power).to_f64());
        let noise = low.abs().max(high.abs()) * 1e-12;
        let place = |end: f64| self.sorted.partition_point(|known| known.value < end);
        let range = place(low - noise)..place(high + noise);
        self.sorted.get(range).unwrap_or_default()
    }

    pub(super) fn group(&self, candidate: &Candidate) -> Option<&Group> {
        self.groups.get(candidate.group as usize)
    }

    pub(super) fn column(&self, source: u32, column: u32) -> Option<&Column> {
        let source = self.data.sources.get(source as usize)?;
        source.columns.get(column as usize)
    }

    /// The query that returns a value. With the column `across`: a query that selects `names` first and returns the value for
    /// each of these labels.
    pub(super) fn sql(
        &self,
        candidate: &Candidate,
        power: i32,
        across: Option<(u32, &str, &[String])>,
    ) -> Option<String> {
        let group = self.group(candidate)?;
        let source = self.data.sources.get(group.source as usize)?;
        let column = source.columns.get(candidate.column as usize);
        let name = column.map_or("", |column| column.sql.as_str());
        let (mut tail, mut wheres) = (String::new(), Vec::new());
        for (at, label) in &group.conditions {
            let column = source.columns.get(*at as usize)?;
            let (name, label) = (&column.sql, column.labels.get(*label as usize)?.sql());
            match across.filter(|(across, ..)| across == at) {
                None => wheres.push(format!("{name} = {label}")),
                Some((.., labels)) => {
                    if labels.len() < column.labels.len() {
                        wheres.push(format!("{name} in ({})", labels.join(", ")));
                    }
                    if !candidate.stat.is_empty() {
                        tail = format!(" group by {name}");
                    }
                }
            }
        }
        let names = across.map_or("", |(_, names, _)| names);
        let several = group.rows > 1;
        let missing = column.and_then(|found| found.missing.as_ref());
        let missing = missing.filter(|_| several);
        wheres.extend(missing.map(|word| format!("{name} <> {}", quoted(word, '\''))));
        let value = match candidate.stat {
            "" => name.to_owned(),
            "count" => String::from("count(*)"),
            function => format!("{function}({name})"),
        };
        let value = match power {
            0 => value,
            2 => format!("100 * {value}"),
            _ => format!("{value} / 1e{}", -power),
        };
        let distinct = several && candidate.stat.is_empty();
        let select = if distinct {
            "select distinct"
        } else {
            "select"
        };
        let wheres = match wheres.as_slice() {
            [] => String::new(),
            some => format!(" where {}", some.join(" and ")),
        };
        let from = &source.from;
        Some(format!("{select} {names}{value} from {from}{wheres}{tail}"))
    }
}

/// Rows by their label in a column. Empty if its values are not labels.
fn by_label(column: &Column, rows: &[usize]) -> BTreeMap<u32, Vec<usize>> {
    let mut out: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for row in rows.iter().filter(|_| !column.labels.is_empty()) {
        if let Some(Some(label)) = column.label_of.get(*row) {
            out.entry(*label).or_default().push(*row);
        }
    }
    out
}

/// The statistics of some numbers.
fn statistics(mut numbers: Vec<f64>) -> Vec<(Stat, f64)> {
    numbers.sort_unstable_by(f64::total_cmp);
    let (Some(first), Some(last)) = (numbers.first().copied(), numbers.last().copied()) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let is_one = first.total_cmp(&last).is_eq();
    if is_one {
        out.push(("", first));
    }
    if numbers.len() > 1 {
        let sum: f64 = numbers.iter().sum();
        let mean = sum / count(numbers.len());
        let middle = |at: usize| numbers.get(at).copied().unwrap_or(mean);
        let (half, odd) = (numbers.len() / 2, numbers.len() % 2);
        let median = middle(half).midpoint(middle(half - 1 + odd));
        out.extend([("avg", mean), ("median", median)]);
        out.extend([("min", first), ("max", last)]);
        if numbers.iter().all(|number| number.fract() == 0.0) {
            out.push(("sum", sum));
        }
        if !is_one {
            let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
            out.push(("stddev", (squares / count(numbers.len() - 1)).sqrt()));
        }
    }
    out
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn count(rows: usize) -> f64 {
    rows as f64
}
