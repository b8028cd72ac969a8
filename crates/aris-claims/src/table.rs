//! Tables as a whole: rows and columns are aligned with the results, then every cell is judged by that alignment.
//!
//! The words of a head decide first. A head that the words leave open is bound by its values: when at least two cells of
//! a row, and most of them, show values of results with one common label that no other row has, the row is about that
//! label. So a swapped or stale cell contradicts its row and column even when its digits exist elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::aggregation::Aggregation;
use crate::context::{Scored, Weights, raise, raise_all};
use crate::engine::{Engine, index};
use crate::fit::{self, Approximate, Shown};
use crate::lexicon::LabelId;
use crate::mention::Mention;
use crate::passage::{Grid, PassageKind};
use crate::series::{Facet, SeriesId};
use crate::units::{self, Unit};
use crate::words;

/// Weight of a group row ("`ImageNet`" across the table) for the rows below it.
const GROUP: f64 = 0.8;
/// Strength of a mention that settles what a head means.
const RESOLVED: f64 = 0.45;
/// Weight of the caption.
const CAPTION: f64 = 0.5;

/// A table with its heads understood.
pub(crate) struct Aligned {
    pub(crate) rows: Vec<Head>,
    pub(crate) columns: Vec<Head>,
    pub(crate) caption: Vec<Mention>,
    pub(crate) caption_text: String,
    /// Columns whose cells name the row.
    pub(crate) naming: BTreeSet<usize>,
}

/// What one cell of a head names.
#[derive(Debug, Default, Clone)]
pub(crate) struct Part {
    /// The labels that it names most clearly.
    pub(crate) clear: Vec<LabelId>,
    /// These and the labels that it names in part.
    pub(crate) loose: Vec<LabelId>,
    /// It stands in a group row.
    pub(crate) group: bool,
}

/// One row or column.
#[derive(Debug, Default, Clone)]
pub(crate) struct Head {
    pub(crate) text: String,
    pub(crate) weights: Weights,
    /// What each cell of the head names: a series must have a label of each.
    pub(crate) parts: Vec<Part>,
    /// The head's words name labels, or its values do.
    pub(crate) resolved: bool,
    pub(crate) unit: Option<Unit>,
}

impl Engine<'_> {
    /// Understands the heads of a table.
    pub(crate) fn align(&self, grid: &Grid) -> Aligned {
        let width = grid.rows.iter().map(Vec::len).max().unwrap_or(0);
        let naming = self.naming_columns(grid, width);
        let mut rows: Vec<Head> = Vec::new();
        let mut group: Option<usize> = None;
        for (at, row) in grid.rows.iter().enumerate() {
            let body = !is_header(grid, at);
            if grid.group.get(at).copied().unwrap_or(false) && body {
                group = row.iter().flatten().next().copied();
            }
            let mut head = Head::default();
            if body {
                let mut seen: Vec<usize> = Vec::new();
                for column in &naming {
                    if let Some(Some(passage)) = row.get(*column)
                        && !seen.contains(passage)
                    {
                        seen.push(*passage);
                        self.add_head(&mut head, *passage, 1.0);
                    }
                }
                if let Some(passage) = group {
                    self.add_head(&mut head, passage, GROUP);
                }
            }
            rows.push(head);
        }
        let mut columns: Vec<Head> = Vec::new();
        for column in 0..width {
            let mut head = Head::default();
            let mut seen: Vec<usize> = Vec::new();
            for (at, row) in grid.rows.iter().enumerate() {
                if !is_header(grid, at) {
                    continue;
                }
                if let Some(Some(passage)) = row.get(column)
                    && !seen.contains(passage)
                {
                    seen.push(*passage);
                    self.add_head(&mut head, *passage, 1.0);
                }
            }
            columns.push(head);
        }
        let caption = grid
            .caption
            .map(|at| self.all_mentions(at))
            .unwrap_or_default();
        let caption_text = grid
            .caption
            .and_then(|at| self.paper.passages.get(at))
            .map(|passage| passage.text.clone())
            .unwrap_or_default();
        for head in rows.iter_mut().chain(columns.iter_mut()) {
            head.resolved = !head.parts.is_empty();
        }
        self.one_row_each(&mut rows);
        let mut aligned = Aligned {
            rows,
            columns,
            caption,
            caption_text,
            naming,
        };
        self.bind_by_values(grid, &mut aligned, true);
        self.bind_by_values(grid, &mut aligned, false);
        aligned
    }

    pub(crate) fn all_mentions(&self, passage: usize) -> Vec<Mention> {
        self.passages
            .get(passage)
            .map(|analysed| {
                analysed
                    .sentences
                    .iter()
                    .flat_map(|sentence| sentence.mentions.iter().cloned())
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Columns whose body cells are words: they name rows. The first column names rows also when its numbers are axis
    /// values of the results.
    fn naming_columns(&self, grid: &Grid, width: usize) -> BTreeSet<usize> {
        let mut naming = BTreeSet::new();
        for column in 0..width {
            let (mut words, mut numbers) = (0_usize, 0_usize);
            for (at, row) in grid.rows.iter().enumerate() {
                if is_header(grid, at) || grid.group.get(at).copied().unwrap_or(false) {
                    continue;
                }
                let Some(Some(passage)) = row.get(column) else {
                    continue;
                };
                let Some(text) = self.paper.passages.get(*passage) else {
                    continue;
                };
                if text.text.trim().is_empty() || matches!(text.text.trim(), "-" | "–" | "—") {
                    continue;
                }
                if self.is_numeric_cell(*passage) {
                    numbers += 1;
                } else {
                    words += 1;
                }
            }
            if words > numbers || (column == 0 && numbers > 0 && self.axis_column(grid)) {
                naming.insert(column);
            }
        }
        naming
    }

    /// The numbers of the first column are axis values in the results.
    fn axis_column(&self, grid: &Grid) -> bool {
        let (mut known, mut all) = (0_usize, 0_usize);
        for (at, row) in grid.rows.iter().enumerate() {
            if is_header(grid, at) {
                continue;
            }
            let Some(numbers) = row
                .first()
                .copied()
                .flatten()
                .and_then(|passage| self.passages.get(passage))
                .map(|analysed| &analysed.numbers)
            else {
                continue;
            };
            all += 1;
            known += usize::from(
                numbers
                    .iter()
                    .any(|number| self.axis_label(number.value).is_some()),
            );
        }
        all > 0 && known * 2 > all
    }

    /// A cell that shows numbers and little else.
    pub(crate) fn is_numeric_cell(&self, passage: usize) -> bool {
        let (Some(analysed), Some(text)) =
            (self.passages.get(passage), self.paper.passages.get(passage))
        else {
            return false;
        };
        let free = analysed
            .numbers
            .iter()
            .filter(|number| !number.embedded)
            .count();
        let letters = text.text.chars().filter(|c| c.is_alphabetic()).count();
        free > 0
            && letters <= 4 + 2 * free
            && text
                .text
                .trim_start()
                .starts_with(|c: char| !c.is_alphabetic())
    }

    fn add_head(&self, head: &mut Head, passage: usize, weight: f64) {
        let Some(text) = self.paper.passages.get(passage) else {
            return;
        };
        if text.text.is_empty() {
            return;
        }
        if !head.text.is_empty() {
            head.text.push(' ');
        }
        head.text.push_str(&text.text);
        head.unit = head.unit.or(unit_in(&text.text));
        let mentions = self.all_mentions(passage);
        raise_all(&mut head.weights, &mentions, weight);
        let most = mentions
            .iter()
            .map(|mention| mention.strength)
            .fold(0.0, f64::max);
        if most >= RESOLVED {
            let above = |least: f64| {
                mentions
                    .iter()
                    .filter(|mention| mention.strength >= least)
                    .map(|mention| mention.label)
                    .collect()
            };
            head.parts.push(Part {
                clear: above(most * 0.9),
                loose: above(RESOLVED * 0.8),
                group: weight < 1.0,
            });
        }
    }

    /// Whether the series has a label of every part of the head.
    fn serves(&self, id: SeriesId, head: &Head, loosely: bool, groups: bool) -> bool {
        self.series(id).is_some_and(|series| {
            head.parts
                .iter()
                .filter(|part| groups || !part.group)
                .all(|part| {
                    let labels = if loosely { &part.loose } else { &part.clear };
                    labels
                        .iter()
                        .any(|label| series.labels.binary_search(label).is_ok())
                })
        })
    }

    /// Two rows with the same strongest label: the one whose words it explains better keeps it.
    fn one_row_each(&self, rows: &mut [Head]) {
        let mut best: BTreeMap<Vec<LabelId>, Vec<(usize, f64)>> = BTreeMap::new();
        for (at, head) in rows.iter().enumerate().filter(|(_, head)| head.resolved) {
            let signature = signature(&head.weights);
            let explained = self.explained(head, &signature);
            best.entry(signature).or_default().push((at, explained));
        }
        for rivals in best.values().filter(|rivals| rivals.len() > 1) {
            let most = rivals
                .iter()
                .map(|(_, explained)| *explained)
                .fold(0.0, f64::max);
            for (at, explained) in rivals {
                if *explained < most - 0.15
                    && let Some(head) = rows.get_mut(*at)
                {
                    head.resolved = false;
                }
            }
        }
    }

    /// The part of a head's words that its labels have.
    fn explained(&self, head: &Head, labels: &[LabelId]) -> f64 {
        let tokens: Vec<String> = words::canonical(&head.text)
            .into_iter()
            .filter(|word| !words::is_stop(word) && word != "cite")
            .collect();
        if tokens.is_empty() {
            return 0.0;
        }
        let known = tokens
            .iter()
            .filter(|word| {
                labels
                    .iter()
                    .filter_map(|label| self.evidence.lexicon.label(*label))
                    .any(|label| {
                        label.words.contains(word) || label.compact.contains(word.as_str())
                    })
                    || word.as_str() == "ours"
            })
            .count();
        crate::engine::ratio(known, tokens.len())
    }

    /// Binds rows (or columns) without a known head by the values of their cells.
    fn bind_by_values(&self, grid: &Grid, aligned: &mut Aligned, by_row: bool) {
        let lines = if by_row {
            aligned.rows.len()
        } else {
            aligned.columns.len()
        };
        let taken: BTreeSet<LabelId> = (if by_row {
            &aligned.rows
        } else {
            &aligned.columns
        })
        .iter()
        .filter(|head| head.resolved)
        .flat_map(|head| signature(&head.weights))
        .collect();
        for line in 0..lines {
            let head = if by_row {
                aligned.rows.get(line)
            } else {
                aligned.columns.get(line)
            };
            if head.is_none_or(|head| head.resolved) {
                continue;
            }
            let mut cells = 0_usize;
            let mut votes: BTreeMap<LabelId, usize> = BTreeMap::new();
            for (row, column, passage) in numeric_cells(self, grid, aligned) {
                if (if by_row { row } else { column }) != line {
                    continue;
                }
                let other = if by_row {
                    aligned.columns.get(column)
                } else {
                    aligned.rows.get(row)
                };
                let Some(other) = other.filter(|head| head.resolved) else {
                    continue;
                };
                cells += 1;
                let mut labels: BTreeSet<LabelId> = BTreeSet::new();
                for series in self.value_matches(passage, other) {
                    if let Some(series) = self.series(series) {
                        labels.extend(series.labels.iter().filter(|label| {
                            !other.weights.contains_key(label) && !taken.contains(label)
                        }));
                    }
                }
                for label in labels {
                    *votes.entry(label).or_default() += 1;
                }
            }
            // Labels of nearly everything (the results directory) cannot name one row.
            let half = self.evidence.series.len() / 2;
            votes.retain(|label, _| {
                self.postings
                    .get(index(*label))
                    .is_some_and(|list| list.len() <= half.max(2))
            });
            let most = votes.values().copied().max().unwrap_or(0);
            let winners: Vec<LabelId> = votes
                .iter()
                .filter(|(_, count)| **count == most)
                .map(|(label, _)| *label)
                .collect();
            if most < 2 || most * 5 < cells * 3 || winners.len() > 2 {
                continue;
            }
            let head = if by_row {
                aligned.rows.get_mut(line)
            } else {
                aligned.columns.get_mut(line)
            };
            if let Some(head) = head {
                for label in &winners {
                    raise(&mut head.weights, *label, 0.9);
                }
                head.parts = vec![Part {
                    clear: winners.clone(),
                    loose: winners,
                    group: false,
                }];
                head.resolved = true;
            }
        }
    }

    /// Series consistent with a head that have the cell's value.
    fn value_matches(&self, passage: usize, head: &Head) -> Vec<SeriesId> {
        let Some(number) = self
            .passages
            .get(passage)
            .and_then(|analysed| analysed.numbers.iter().find(|number| !number.embedded))
        else {
            return Vec::new();
        };
        let shown = Shown::new(number, head.unit, Approximate::No);
        let mut pool: BTreeSet<SeriesId> = BTreeSet::new();
        for label in head
            .weights
            .iter()
            .filter(|(_, weight)| **weight >= 0.55)
            .map(|(label, _)| *label)
        {
            pool.extend(
                self.postings
                    .get(index(label))
                    .map_or(&[][..], Vec::as_slice)
                    .iter()
                    .take(2_000),
            );
        }
        pool.into_iter()
            .filter(|id| {
                self.series(*id).is_some_and(|series| {
                    [Facet::Single, Facet::Mean].iter().any(|facet| {
                        fit::hit(&shown, series, *facet, &self.evidence.leaves).is_some()
                    })
                })
            })
            .collect()
    }

    /// The series that the heads of a cell point to, best first, and whether both heads are understood.
    pub(crate) fn cell_targets(
        &self,
        aligned: &Aligned,
        row: usize,
        column: usize,
        passage: usize,
    ) -> (Vec<Scored>, bool, Weights) {
        let none = Head::default();
        let row_head = aligned.rows.get(row).unwrap_or(&none);
        let column_head = aligned.columns.get(column).unwrap_or(&none);
        let mut weights = Weights::new();
        for head in [row_head, column_head] {
            for (label, weight) in &head.weights {
                raise(&mut weights, *label, *weight);
            }
        }
        let heads = weights.clone();
        raise_all(&mut weights, &aligned.caption, CAPTION);
        let mut around = Weights::new();
        self.surroundings(passage, &mut around);
        for (label, weight) in around {
            raise(&mut weights, label, weight * 0.6);
        }
        let mut scored = self.score(&weights);
        // Both heads must be served, clearly if any series does; a group row that no series knows is left out.
        let empty = Head::default();
        let row_parts = if row_head.resolved { row_head } else { &empty };
        let column_parts = if column_head.resolved {
            column_head
        } else {
            &empty
        };
        let consistent: Vec<Scored> = [(false, true), (true, true), (false, false), (true, false)]
            .into_iter()
            .map(|(loosely, groups)| {
                scored
                    .iter()
                    .copied()
                    .filter(|found| {
                        self.serves(found.series, row_parts, loosely, groups)
                            && self.serves(found.series, column_parts, loosely, groups)
                    })
                    .collect::<Vec<Scored>>()
            })
            .find(|found| !found.is_empty())
            .unwrap_or_default();
        let both = row_head.resolved
            && (column_head.resolved || column_head.text.is_empty())
            && !consistent.is_empty();
        if !consistent.is_empty() {
            scored = consistent;
        }
        (
            scored,
            both,
            if heads.is_empty() {
                Weights::new()
            } else {
                weights
            },
        )
    }

    /// Aggregation words of a cell: its heads first, then the caption.
    pub(crate) fn cell_aggregation(aligned: &Aligned, row: usize, column: usize) -> Aggregation {
        let text = |heads: &[Head], at: usize| {
            heads
                .get(at)
                .map(|head| head.text.clone())
                .unwrap_or_default()
        };
        let heads = format!(
            "{} {}",
            text(&aligned.rows, row),
            text(&aligned.columns, column)
        );
        let own = Aggregation::read(&heads, None);
        if own.any() {
            return own;
        }
        let caption = Aggregation::read(&aligned.caption_text, None);
        // "mean ± standard deviation": the number itself is the mean. "Best in bold" speaks of the layout.
        Aggregation {
            mean: caption.mean,
            median: caption.median && !caption.mean,
            ..Aggregation::default()
        }
    }
}

/// The strongest labels of a head.
fn signature(weights: &Weights) -> Vec<LabelId> {
    let most = weights.values().copied().fold(0.0, f64::max);
    weights
        .iter()
        .filter(|(_, weight)| **weight >= most - 0.01 && **weight >= RESOLVED)
        .map(|(label, _)| *label)
        .collect()
}

/// Header rows; without any marked one, the first row.
pub(crate) fn is_header(grid: &Grid, row: usize) -> bool {
    if grid.header.iter().any(|header| *header) {
        grid.header.get(row).copied().unwrap_or(false)
    } else {
        row == 0
    }
}

/// Body cells with numbers that are not names of rows: row, column, passage.
pub(crate) fn numeric_cells(
    engine: &Engine<'_>,
    grid: &Grid,
    aligned: &Aligned,
) -> Vec<(usize, usize, usize)> {
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    for (row, cells) in grid.rows.iter().enumerate() {
        if is_header(grid, row) {
            continue;
        }
        for (column, passage) in cells.iter().enumerate() {
            let Some(passage) = passage else { continue };
            let is_cell = engine
                .paper
                .passages
                .get(*passage)
                .is_some_and(|text| text.kind == PassageKind::Cell);
            if is_cell
                && !aligned.naming.contains(&column)
                && engine.is_numeric_cell(*passage)
                && seen.insert(*passage)
            {
                out.push((row, column, *passage));
            }
        }
    }
    out
}

/// A unit in brackets or after "in": `Latency (ms)`, `Top-1 [%]`, `Params (M)`.
pub(crate) fn unit_in(text: &str) -> Option<Unit> {
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[']) {
        let inner = rest.get(open + 1..)?;
        let close = inner.find([')', ']'])?;
        let content = inner.get(..close).unwrap_or("").trim();
        let first = content.split([' ', '/', ',', ';']).next().unwrap_or("");
        let unit = match first {
            "M" => units::from_word("million"),
            "B" | "G" => units::from_word("billion"),
            "k" | "K" => units::from_word("thousand"),
            other => units::from_word(other),
        };
        if unit.is_some() {
            return unit;
        }
        rest = inner.get(close..).unwrap_or("");
    }
    None
}
