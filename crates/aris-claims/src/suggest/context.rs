//! The context of a number: words around it and its paragraph, or the headings of its row and column and the caption.

use std::collections::{BTreeMap, BTreeSet};

use aris_latex::BlockKind;

use super::values::{STATISTICS, Stat};
use super::words::{Found, Names, whole, words};
use crate::paper::{NamesOf, Paper, Shown};

/// Bytes to each side of a number that say most about it: about a sentence.
const NEAR: usize = 150;

/// What the context of a number says.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// Weights of the words of names that are near the number or farther away.
    pub(super) weights: Found,
    /// The headings, in the form of [`whole`].
    pub(super) heads: BTreeSet<String>,
    /// Statistics that are named near the number.
    pub(super) stats: BTreeSet<Stat>,
}

/// Headings of rows or columns by index, each by its form from [`whole`].
pub(super) type HeadsOf = BTreeMap<usize, BTreeMap<String, String>>;

/// The headings and words of a table.
#[derive(Debug)]
pub(super) struct Heads {
    pub(super) label: String,
    pub(super) rows: HeadsOf,
    pub(super) columns: HeadsOf,
    /// Words of caption, label, section heading and top left cell.
    around: Found,
}

/// The contexts of all numbers of a paper.
pub(super) struct Contexts<'p> {
    paper: &'p Paper<'p>,
    /// Words of each block and of the section heading above it.
    around: Vec<Found>,
    pub(super) tables: Vec<Heads>,
}

impl<'p> Contexts<'p> {
    /// Reads all paragraphs and headings and counts their words.
    pub(super) fn new(paper: &'p Paper<'p>, names: &mut Names) -> Self {
        let document = paper.document;
        let mut contexts = Self {
            paper,
            around: Vec::new(),
            tables: Vec::new(),
        };
        for (at, block) in document.blocks.iter().enumerate() {
            let mut around = Found::new();
            if !matches!(block.kind, BlockKind::Cell { .. } | BlockKind::BibItem) {
                around = names.found(&format!("{} . {}", block.text, contexts.heading(at)));
                names.count(&around);
            }
            contexts.around.push(around);
        }
        for (at, table) in document.tables.iter().enumerate() {
            let (rows, columns) = paper.grid(at).map(|grid| grid.names()).unwrap_or_default();
            for head in rows.values().chain(columns.values()) {
                names.count(&names.found(&head.join(" . ")));
            }
            let label = table.label.clone().unwrap_or_default();
            let first = table.rows.iter().flat_map(|row| &row.cells).next();
            let heading = first.map_or("", |at| contexts.heading(*at));
            // The heading of the first column often names the data column that has the row headings as labels.
            let corner = columns.get(&0).map(|names| names.join(" . "));
            let caption = table.caption.and_then(|at| document.blocks.get(at));
            let caption = caption.map_or("", |block| block.text.as_str());
            let around = [caption, &label, heading, &corner.unwrap_or_default()].join(" . ");
            contexts.tables.push(Heads {
                label,
                rows: by_whole(rows),
                columns: by_whole(columns),
                around: names.found(&around),
            });
        }
        contexts
    }

    pub(super) fn read(&self, shown: &Shown, names: &Names) -> Reading {
        let mut reading = Reading::default();
        let block = self.paper.document.blocks.get(shown.block);
        let text = block.map_or("", |block| block.text.as_str());
        let from = text.floor_char_boundary(shown.range.start.saturating_sub(NEAR));
        let to = text.floor_char_boundary(shown.range.end + NEAR);
        let mut near = text.get(from..to).unwrap_or("").to_owned();
        let mut around = self.around.get(shown.block);
        if let Some(BlockKind::Cell {
            table, row, col, ..
        }) = block.map(|block| &block.kind)
            && let Some(table) = self.tables.get(*table)
        {
            let heads = [table.rows.get(row), table.columns.get(col)];
            let heads = heads.into_iter().flatten().flatten();
            reading.heads = heads.clone().map(|(whole, _)| whole.clone()).collect();
            let heads: Vec<&str> = heads.map(|(_, head)| head.as_str()).collect();
            near = heads.join(" . ");
            around = Some(&table.around);
        }
        reading.stats = stats(&near);
        if shown.number.uncertainty_of.is_some() {
            reading.stats = BTreeSet::from(["stddev"]);
        }
        reading.weights = names.weights(&names.found(&near), around);
        reading
    }

    fn heading(&self, block: usize) -> &'p str {
        let document = self.paper.document;
        let block = document.blocks.get(block);
        let heading = block.and_then(|block| document.headings.get(block.section?));
        heading.map_or("", |heading| heading.title.as_str())
    }
}

fn by_whole(names: NamesOf) -> HeadsOf {
    let heads = |names: Vec<String>| names.into_iter().map(|name| (whole(&name), name)).collect();
    names
        .into_iter()
        .map(|(at, names)| (at, heads(names)))
        .collect()
}

/// The statistics that a text names.
fn stats(text: &str) -> BTreeSet<Stat> {
    let words = words(text);
    let is_there = |known: &str| words.iter().any(|word| word == known);
    let named = STATISTICS.iter();
    let named = named.filter(|(_, known)| known.split(' ').any(is_there));
    named.map(|(stat, _)| *stat).collect()
}
