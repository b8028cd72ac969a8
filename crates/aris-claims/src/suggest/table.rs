//! Whole tables: finds the lines (rows or columns) of a table whose cells are one statistic of one column of the data.
//!
//! Many agreeing cells in a line prove much more than a single one, so names matter less.

use std::collections::BTreeMap;

use super::context::{Heads, HeadsOf, Reading};
use super::data::quoted;
use super::rank::{is_printed, powers};
use super::values::{Candidate, Condition, MOST_LOOKS, Stat, Values};
use crate::bindings::DraftSubject;
use crate::paper::Shown;

/// Fewest cells of a line that must agree.
const FEWEST: usize = 2;
/// Fewest cells that must agree for each one that does not.
const AGREEING: usize = 4;
/// The least sum that rules out chance: significant digits of different cells, plus twice the weight of the words.
const ENOUGH: f64 = 8.0;
/// Most lines of one binding. SQLite unites at most 500 queries.
const MOST_LINES: usize = 100;

/// The numbers of one line, by their index across the lines.
type Cells<'s> = BTreeMap<usize, &'s (Shown, Reading)>;

/// A query for the numbers of a line, without the condition that differs between its cells.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    power: i32,
    stat: Stat,
    source: u32,
    column: u32,
    /// The column whose labels are the headings across the line.
    across: u32,
    /// The other conditions.
    rest: Vec<Condition>,
}

/// A query that returns a line of the table.
struct Line {
    query: String,
    /// Headings across the line by their labels, if they are written differently.
    renamed: BTreeMap<String, String>,
    /// Agreeing cells less a penalty for others; the words decide ties.
    quality: f64,
}

/// The search in a table, by rows or by columns.
pub(super) struct Search<'s> {
    pub(super) values: &'s Values,
    pub(super) heads: &'s Heads,
    /// Numbers of the table by row and column; each is number `cell` of its cell.
    pub(super) numbers: BTreeMap<(usize, usize), (Shown, Reading)>,
    pub(super) cell: usize,
    /// Whether lines are rows.
    pub(super) by_rows: bool,
}

impl Search<'_> {
    /// Bindings for the table, one for each source that returns lines of it, with their confidence.
    pub(super) fn drafts(&self) -> Vec<(DraftSubject, f64)> {
        let mut cells: BTreeMap<usize, Cells<'_>> = BTreeMap::new();
        for ((row, column), number) in &self.numbers {
            let (at, across) = self.turned(*row, *column);
            cells.entry(at).or_default().insert(across, number);
        }
        let lines = cells.iter().map(|(at, cells)| self.lines(*at, cells));
        let lines: Vec<BTreeMap<u32, Line>> = lines.collect();
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        for (source, line) in lines.iter().flatten() {
            *sums.entry(*source).or_default() += line.quality;
        }
        // The source that returns most of the table is used for every line that it has.
        let sum = |found: &(u32, Line)| sums.get(&found.0).copied().unwrap_or_default();
        let mut chosen: BTreeMap<u32, Vec<Line>> = BTreeMap::new();
        for of_line in lines {
            let best = of_line.into_iter().rev();
            let best = best.max_by(|one, other| sum(one).total_cmp(&sum(other)));
            if let Some((source, line)) = best {
                chosen.entry(source).or_default().push(line);
            }
        }
        let parts = chosen.values().flat_map(|lines| lines.chunks(MOST_LINES));
        parts.map(|lines| self.draft(lines)).collect()
    }

    /// Turns row and column into line and index across, or back.
    fn turned<T>(&self, row: T, column: T) -> (T, T) {
        if self.by_rows {
            (row, column)
        } else {
            (column, row)
        }
    }

    fn lines_and_across(&self) -> (&HeadsOf, &HeadsOf) {
        self.turned(&self.heads.rows, &self.heads.columns)
    }

    /// The best query for a line, by source.
    fn lines(&self, at: usize, cells: &Cells<'_>) -> BTreeMap<u32, Line> {
        let mut votes: BTreeMap<Key, BTreeMap<usize, &Candidate>> = BTreeMap::new();
        for (place, (shown, _)) in cells {
            for (power, _) in powers(&shown.number) {
                let found = self.values.agreeing(&shown.number, power).iter();
                let found = found.take(MOST_LOOKS / self.numbers.len().max(1));
                for candidate in found.filter(|found| is_printed(found, power)) {
                    for key in self.keys(candidate, power, *place).into_iter().flatten() {
                        let hits = votes.entry(key).or_default();
                        hits.entry(*place).or_insert(candidate);
                    }
                }
            }
        }
        let mut best: BTreeMap<u32, Line> = BTreeMap::new();
        for (key, hits) in votes {
            if let Some(line) = self.line(at, &key, &hits, cells) {
                let known = best.get(&key.source);
                if known.is_none_or(|known| line.quality > known.quality) {
                    best.insert(key.source, line);
                }
            }
        }
        best
    }

    /// The queries for a line that would return this value under the heading at `place`.
    fn keys(&self, found: &Candidate, power: i32, place: usize) -> Option<Vec<Key>> {
        let heads = self.lines_and_across().1.get(&place)?;
        let group = self.values.group(found)?;
        let mut out = Vec::new();
        for (across, label) in &group.conditions {
            let column = self.values.column(group.source, *across)?;
            if heads.contains_key(&column.labels.get(*label as usize)?.whole) {
                let rest = group.conditions.iter();
                let rest = rest.filter(|(column, _)| column != across);
                out.push(Key {
                    power,
                    stat: found.stat,
                    source: group.source,
                    column: found.column,
                    across: *across,
                    rest: rest.copied().collect(),
                });
            }
        }
        Some(out)
    }

    /// The query for a line. `None` if too few of its cells agree.
    fn line(
        &self,
        at: usize,
        key: &Key,
        hits: &BTreeMap<usize, &Candidate>,
        cells: &Cells<'_>,
    ) -> Option<Line> {
        if hits.len() < FEWEST || hits.len() * 2 < cells.len() {
            return None;
        }
        let mut words = f64::INFINITY;
        let mut digits: BTreeMap<String, u32> = BTreeMap::new();
        for (place, candidate) in hits {
            let (shown, reading) = cells.get(place)?;
            // `None` if the paper does not name a condition.
            words = words.min(self.values.words(candidate, reading)?);
            let number = &shown.number;
            digits.insert(number.value.to_string(), number.significant_digits());
        }
        let digits = f64::from(digits.into_values().sum::<u32>());
        // Labels that are not headings of numbers here must not be in the answer.
        let (of_line, across) = self.lines_and_across();
        let there = cells.keys().filter_map(|place| across.get(place)).flatten();
        let there: BTreeMap<&String, &String> = there.collect();
        let column = self.values.column(key.source, key.across)?;
        let (mut labels, mut renamed) = (Vec::new(), BTreeMap::new());
        for label in &column.labels {
            if let Some(head) = there.get(&label.whole) {
                labels.push(label.sql());
                if **head != label.text {
                    renamed.insert(label.text.clone(), head.replace('%', "\\%"));
                }
            }
        }
        let misses = labels.len().saturating_sub(hits.len());
        #[expect(clippy::cast_precision_loss, reason = "cells of one line")]
        let balance = hits.len() as f64 - (AGREEING * misses) as f64;
        if balance < 0.0 || digits + 2.0 * words < ENOUGH {
            return None;
        }
        // The shortest of the line's names.
        let head = of_line.get(&at)?.values().min_by_key(|head| head.len())?;
        let head = quoted(head, '\'');
        let (row, column) = self.turned(&head, &column.sql);
        let names = format!("{row}, {column}, ");
        let rows = |found: &&&Candidate| self.values.group(found).map(|group| group.rows);
        let largest = hits.values().max_by_key(rows)?;
        let across = (key.across, names.as_str(), labels.as_slice());
        Some(Line {
            query: self.values.sql(largest, key.power, Some(across))?,
            renamed,
            quality: balance + 0.01 * words.clamp(0.0, 50.0),
        })
    }

    /// The binding for all these lines, with its confidence.
    fn draft(&self, lines: &[Line]) -> (DraftSubject, f64) {
        let queries: Vec<&str> = lines.iter().map(|line| line.query.as_str()).collect();
        let renamed = lines.iter().flat_map(|line| line.renamed.clone()).collect();
        let (rows, columns) = self.turned(BTreeMap::new(), renamed);
        let subject = DraftSubject::Table {
            label: self.heads.label.clone(),
            value: queries.join("\nunion all "),
            rows,
            columns,
            cell: self.cell,
        };
        (subject, lines.iter().map(|line| line.quality).sum())
    }
}
