//! Whole tables: lines of a table that one statistic of one column of the data gives, cell by cell.
//!
//! That many cells of a line agree proves much more than one that does, so names matter less.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Heads, Reading};
use super::data::{Column, quoted};
use super::rank::{Index, is_printed, powers};
use super::values::{Candidate, Condition, Stat, Values, wherever};
use super::words::{Names, whole};
use crate::bindings::DraftSubject;
use crate::paper::{NamesOf, Shown};

/// Cells of a line that must agree at least.
const FEWEST: usize = 2;
/// Cells that agree for each one that does not, at least.
const AGREEING: usize = 4;
/// Significant digits of different cells, and twice the words, that rule out chance together.
const ENOUGH: f64 = 9.0;
/// Values that are looked at for one cell.
const MOST_AGREEING: usize = 5_000;

/// Numbers of a table by row and column, each the `cell`-th of its cell.
pub(super) struct Sheet<'s> {
    pub(super) label: &'s str,
    pub(super) cell: usize,
    pub(super) heads: &'s Heads,
    pub(super) numbers: BTreeMap<(usize, usize), (Shown, Reading)>,
}

/// What may give the numbers of a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    power: i32,
    stat: Stat,
    source: u32,
    column: u32,
    /// The column whose labels the heads across the line are.
    across: u32,
    /// The other conditions.
    rest: Vec<Condition>,
}

/// A line of a table with what gives its numbers.
struct Line {
    at: usize,
    key: Key,
    hits: BTreeMap<usize, Candidate>,
    /// Cells whose head is a label and whose number is another.
    misses: usize,
    words: f64,
}

/// The search in one direction.
pub(super) struct Search<'s> {
    pub(super) values: &'s Values,
    pub(super) index: &'s Index,
    pub(super) names: &'s Names,
    pub(super) sheet: &'s Sheet<'s>,
    /// Whether lines are rows.
    pub(super) by_rows: bool,
}

impl Search<'_> {
    /// Bindings for the table, one for each source that gives lines of it, and how sure each is.
    pub(super) fn drafts(&self) -> Vec<(DraftSubject, f64)> {
        let mut rest = self.lines();
        let mut out = Vec::new();
        // The source that gives most of the table gives all of it that it can.
        while !rest.is_empty() {
            let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
            for line in &rest {
                *sums.entry(line.key.source).or_default() += line.quality();
            }
            let best = sums
                .into_iter()
                .rev()
                .max_by(|one, other| one.1.total_cmp(&other.1));
            let Some((source, quality)) = best else { break };
            let (own, others): (Vec<Line>, Vec<Line>) =
                rest.into_iter().partition(|line| line.key.source == source);
            rest = others
                .into_iter()
                .filter(|line| own.iter().all(|own| own.at != line.at))
                .collect();
            out.extend(self.draft(&own).map(|draft| (draft, quality)));
        }
        out
    }

    fn heads(&self, of_rows: bool) -> &NamesOf {
        if of_rows {
            &self.sheet.heads.rows
        } else {
            &self.sheet.heads.columns
        }
    }

    fn column(&self, source: u32, column: u32) -> Option<&Column> {
        let source = self.values.sources.get(source as usize)?;
        source.columns.get(column as usize)
    }

    /// For each line the best key of each source.
    fn lines(&self) -> Vec<Line> {
        let mut by_line: BTreeMap<usize, BTreeMap<usize, &(Shown, Reading)>> = BTreeMap::new();
        for ((row, column), number) in &self.sheet.numbers {
            let (line, across) = if self.by_rows {
                (row, column)
            } else {
                (column, row)
            };
            by_line.entry(*line).or_default().insert(*across, number);
        }
        let heads = self.heads(!self.by_rows).iter();
        let heads = heads.map(|(at, names)| (*at, names.iter().map(|name| whole(name)).collect()));
        let heads: BTreeMap<usize, BTreeSet<String>> = heads.collect();
        let mut out = Vec::new();
        for (at, cells) in by_line {
            if !self.heads(self.by_rows).contains_key(&at) {
                continue;
            }
            let mut votes: BTreeMap<Key, BTreeMap<usize, Candidate>> = BTreeMap::new();
            for (place, (shown, reading)) in &cells {
                for (power, _) in powers(&shown.number, reading) {
                    let found = self
                        .values
                        .agreeing(&shown.number, power)
                        .take(MOST_AGREEING);
                    for candidate in found.filter_map(|at| self.values.sorted.get(at)) {
                        for key in self.keys(candidate, power, heads.get(place)) {
                            votes
                                .entry(key)
                                .or_default()
                                .entry(*place)
                                .or_insert(*candidate);
                        }
                    }
                }
            }
            let mut best: BTreeMap<u32, Line> = BTreeMap::new();
            for (key, hits) in votes {
                let source = key.source;
                if let Some(line) = self.line(at, key, hits, &cells, &heads)
                    && best
                        .get(&source)
                        .is_none_or(|best| line.quality() > best.quality())
                {
                    best.insert(source, line);
                }
            }
            out.extend(best.into_values());
        }
        out
    }

    /// What may give a line in which this value stands at these heads.
    fn keys(&self, found: &Candidate, power: i32, heads: Option<&BTreeSet<String>>) -> Vec<Key> {
        let conditions = self.values.conditions(found);
        let mut out = Vec::new();
        for (across, label) in conditions.iter().filter(|_| is_printed(found, power)) {
            let column = self.column(found.source, *across);
            let label = column.and_then(|column| column.labels.get(*label as usize));
            if !label.is_some_and(|label| heads.is_some_and(|heads| heads.contains(&label.whole))) {
                continue;
            }
            let mut stats = vec![found.stat];
            if found.stat == Stat::Value && self.values.rows(found) > 1 {
                // Where all values are the same, so are these.
                stats.extend([Stat::Mean, Stat::Median, Stat::Min, Stat::Max]);
            }
            let rest = conditions.iter().filter(|(column, _)| column != across);
            let rest: Vec<Condition> = rest.copied().collect();
            out.extend(stats.into_iter().map(|stat| Key {
                power,
                stat,
                source: found.source,
                column: found.column,
                across: *across,
                rest: rest.clone(),
            }));
        }
        out
    }

    /// A line, if enough of its cells agree.
    fn line(
        &self,
        at: usize,
        key: Key,
        hits: BTreeMap<usize, Candidate>,
        cells: &BTreeMap<usize, &(Shown, Reading)>,
        heads: &BTreeMap<usize, BTreeSet<String>>,
    ) -> Option<Line> {
        if hits.len() < FEWEST || hits.len() * 2 < cells.len() {
            return None;
        }
        let labels = &self.column(key.source, key.across)?.labels;
        let is_label = |place: &&usize| {
            let known = heads.get(place);
            known.is_some_and(|heads| labels.iter().any(|label| heads.contains(&label.whole)))
        };
        let misses = cells
            .keys()
            .filter(is_label)
            .count()
            .saturating_sub(hits.len());
        let mut words = f64::INFINITY;
        let mut digits: BTreeMap<String, u32> = BTreeMap::new();
        for (place, candidate) in &hits {
            let (shown, reading) = cells.get(place)?;
            // None where the paper does not name a condition.
            words = words.min(
                self.index
                    .words(self.values, self.names, candidate, reading)?,
            );
            digits.insert(
                shown.number.value.to_string(),
                shown.number.significant_digits(),
            );
        }
        let digits = f64::from(digits.values().sum::<u32>());
        let holds = misses * AGREEING <= hits.len() && digits + 2.0 * words >= ENOUGH;
        holds.then_some(Line {
            at,
            key,
            hits,
            misses,
            words,
        })
    }

    /// The binding that gives all these lines of one source.
    fn draft(&self, lines: &[Line]) -> Option<DraftSubject> {
        let pivot = pivot(lines);
        let (mut of_lines, mut of_across) = (BTreeMap::new(), BTreeMap::new());
        let mut parts = Vec::new();
        for line in lines
            .iter()
            .take(if pivot.is_some() { 1 } else { lines.len() })
        {
            let Key {
                source,
                across,
                stat,
                power,
                ..
            } = line.key;
            let largest = line
                .hits
                .values()
                .max_by_key(|found| self.values.rows(found))?;
            let candidate = Candidate { stat, ..*largest };
            let left: Vec<u32> = pivot.into_iter().chain([across]).collect();
            let (distinct, value, mut wheres) = self.values.parts(&candidate, power, &left)?;
            let mut places = BTreeSet::new();
            for (row, column) in self.sheet.numbers.keys() {
                let (at, across) = if self.by_rows {
                    (row, column)
                } else {
                    (column, row)
                };
                if pivot.is_some() || *at == line.at {
                    places.insert(*across);
                }
            }
            let column = self.column(source, across)?;
            wheres.extend(restriction(
                column,
                self.heads(!self.by_rows),
                &places,
                &mut of_across,
            ));
            let line_name = match pivot {
                Some(pivot) => {
                    let places = lines.iter().map(|line| line.at).collect();
                    let column = self.column(source, pivot)?;
                    wheres.extend(restriction(
                        column,
                        self.heads(self.by_rows),
                        &places,
                        &mut of_lines,
                    ));
                    column.sql.clone()
                }
                None => quoted(self.heads(self.by_rows).get(&line.at)?.last()?, '\''),
            };
            let names = if self.by_rows {
                format!("{line_name}, {}", column.sql)
            } else {
                format!("{}, {line_name}", column.sql)
            };
            let group = match (stat, pivot) {
                (Stat::Value, _) => String::new(),
                (_, Some(_)) => String::from(" group by 1, 2"),
                (_, None) => format!(" group by {}", column.sql),
            };
            let from = self.values.source(&candidate)?.from();
            let wheres = wherever(&wheres);
            parts.push(format!(
                "select {distinct}{names}, {value} from {from}{wheres}{group}"
            ));
        }
        let (rows, columns) = if self.by_rows {
            (of_lines, of_across)
        } else {
            (of_across, of_lines)
        };
        Some(DraftSubject::Table {
            label: self.sheet.label.to_owned(),
            value: parts.join("\nunion all "),
            rows,
            columns,
            cell: self.sheet.cell,
        })
    }
}

impl Line {
    /// Cells that agree, less those that do not; words between equals.
    fn quality(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "cells of one line")]
        let cells = self.hits.len() as f64 - (AGREEING * self.misses) as f64;
        cells + 0.01 * self.words.clamp(0.0, 50.0)
    }
}

/// The column whose labels tell the lines apart, where nothing else does.
fn pivot(lines: &[Line]) -> Option<u32> {
    let [first, others @ ..] = lines else {
        return None;
    };
    let mut pivots = BTreeSet::new();
    for line in others {
        let rest = first.key.rest.clone();
        if (Key {
            rest,
            ..line.key.clone()
        }) != first.key
        {
            return None;
        }
        let pairs = first.key.rest.iter().zip(&line.key.rest);
        let mut differing = pairs.filter(|(one, other)| one != other);
        let (one, other) = differing.next()?;
        if differing.next().is_some() || one.0 != other.0 {
            return None;
        }
        pivots.insert(one.0);
    }
    pivots.pop_first().filter(|_| pivots.is_empty())
}

/// Which labels of a column are heads of the table at these places, as a condition where others are not; notes heads that are
/// written in another way.
fn restriction(
    column: &Column,
    heads: &NamesOf,
    places: &BTreeSet<usize>,
    map: &mut BTreeMap<String, String>,
) -> Option<String> {
    let mut found = Vec::new();
    for label in &column.labels {
        let there = heads.iter().filter(|(at, _)| places.contains(at));
        let names: Vec<&String> = there.flat_map(|(_, names)| names).collect();
        let same = names.iter().find(|name| ***name == label.text);
        if let Some(head) = same.or_else(|| names.iter().find(|name| whole(name) == label.whole)) {
            found.push(label.sql());
            if **head != label.text {
                map.insert(label.text.clone(), head.replace('%', "\\%"));
            }
        }
    }
    let some = format!("{} in ({})", column.sql, found.join(", "));
    (found.len() < column.labels.len()).then_some(some)
}
