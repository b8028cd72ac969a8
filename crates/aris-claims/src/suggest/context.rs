//! What stands around a number: its sentence and paragraph, or the heads of its row and column, and the caption.

use std::collections::BTreeSet;
use std::ops::Range;

use aris_latex::BlockKind;

use super::values::{STATISTICS, Stat};
use super::words::{Found, Names, whole, words};
use crate::paper::{NamesOf, Paper, Shown};

/// Abbreviations whose full stop ends no sentence.
const SHORT: [&str; 9] = [
    "Fig", "Figs", "Eq", "Eqs", "Sec", "Tab", "vs", "al", "approx",
];

/// What the surroundings of a number say.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// For each name of the data how well it fits, and how much of it is there.
    pub(super) fits: Vec<(f64, f64)>,
    /// Words of the sentence, or of the heads.
    pub(super) near: Found,
    /// The heads as a whole.
    pub(super) whole: BTreeSet<String>,
    /// Statistics that are named near the number, and farther away.
    pub(super) stats: BTreeSet<Stat>,
    pub(super) stats_around: BTreeSet<Stat>,
    pub(super) is_percent: bool,
    /// Whether the number stands behind `±`.
    pub(super) is_spread: bool,
}

/// A table as suggestions see it.
#[derive(Debug)]
pub(super) struct Heads {
    pub(super) rows: NamesOf,
    pub(super) columns: NamesOf,
    around: String,
}

/// The contexts of a paper.
pub(super) struct Contexts<'p> {
    paper: &'p Paper<'p>,
    pub(super) tables: Vec<Heads>,
}

impl<'p> Contexts<'p> {
    /// Reads all sentences and heads and counts their words.
    pub(super) fn new(paper: &'p Paper<'p>, names: &mut Names) -> Self {
        let document = paper.document;
        let tables = document.tables.iter().enumerate().map(|(at, table)| {
            let (rows, columns) = paper.grid(at).map(|grid| grid.names()).unwrap_or_default();
            let label = table.label.as_deref().unwrap_or("");
            let first = table.rows.iter().flat_map(|row| &row.cells).next();
            // What the first column is called names the column of the data that its heads are labels of.
            let corner = columns.get(&0).map(|names| names.join(" . "));
            let caption = table.caption.map_or("", |at| text(paper, at));
            let parts = [caption, label, first.map_or("", |at| heading(paper, *at))];
            let around = format!("{} . {}", parts.join(" . "), corner.unwrap_or_default());
            Heads {
                rows,
                columns,
                around,
            }
        });
        let tables: Vec<Heads> = tables.collect();
        for table in &tables {
            for head in table.rows.values().chain(table.columns.values()) {
                names.count(0, &head.join(" . "));
            }
            names.count(1, &table.around);
        }
        for (at, block) in document.blocks.iter().enumerate() {
            if matches!(block.kind, BlockKind::Cell { .. } | BlockKind::BibItem) {
                continue;
            }
            let mut from = 0;
            while from < block.text.len() {
                let found = sentence(&block.text, from);
                from = found.end.max(from + 1);
                names.count(0, block.text.get(found).unwrap_or(""));
            }
            names.count(1, &paragraph(paper, at));
        }
        Self { paper, tables }
    }

    /// Where the context of a number begins: block and sentence.
    pub(super) fn key(&self, shown: &Shown) -> (usize, usize) {
        let sentence = sentence(text(self.paper, shown.block), shown.range.start);
        (shown.block, sentence.start)
    }

    /// What stands before a number in its block.
    pub(super) fn before(&self, shown: &Shown) -> &'p str {
        let text = text(self.paper, shown.block);
        text.get(..shown.range.start).unwrap_or("").trim_end()
    }

    pub(super) fn read(&self, shown: &Shown, names: &Names) -> Reading {
        let mut reading = Reading::default();
        let (near, around);
        let block = self.paper.document.blocks.get(shown.block);
        if let Some(BlockKind::Cell {
            table, row, col, ..
        }) = block.map(|block| &block.kind)
            && let Some(table) = self.tables.get(*table)
        {
            let heads = [table.rows.get(row), table.columns.get(col)];
            let heads: Vec<&str> = heads
                .into_iter()
                .flatten()
                .flatten()
                .map(String::as_str)
                .collect();
            reading.whole = heads.iter().map(|head| whole(head)).collect();
            near = heads.join(" . ");
            around = table.around.clone();
            reading.stats_around = stats(&around);
            reading.is_percent = is_percent(&near) || is_percent(&around);
        } else {
            let text = text(self.paper, shown.block);
            let sentence = sentence(text, shown.range.start);
            near = text.get(sentence).unwrap_or("").to_owned();
            around = paragraph(self.paper, shown.block);
        }
        reading.near = names.found(&near);
        reading.stats = stats(&near);
        reading.fits = names.fits(&reading.near, &names.found(&around));
        reading.is_percent |= shown.number.is_percent();
        reading
    }
}

fn text<'p>(paper: &Paper<'p>, block: usize) -> &'p str {
    let block = paper.document.blocks.get(block);
    block.map_or("", |block| block.text.as_str())
}

fn heading<'p>(paper: &Paper<'p>, block: usize) -> &'p str {
    let section = paper
        .document
        .blocks
        .get(block)
        .and_then(|block| block.section);
    let heading = section.and_then(|at| paper.document.headings.get(at));
    heading.map_or("", |heading| heading.title.as_str())
}

fn paragraph(paper: &Paper<'_>, block: usize) -> String {
    format!("{} . {}", text(paper, block), heading(paper, block))
}

fn is_percent(text: &str) -> bool {
    let word = |word: &String| word == "percent" || word == "percentage";
    text.contains('%') || words(text).iter().any(word)
}

/// The statistics that a text names.
fn stats(text: &str) -> BTreeSet<Stat> {
    let words = words(text);
    let is_named = |known: &str| {
        words
            .iter()
            .any(|word| known.contains(&format!(" {word} ")))
    };
    let named = STATISTICS.iter().filter(|(_, known)| is_named(known));
    named.map(|(stat, _)| *stat).collect()
}

/// The sentence around a place: from one full stop before a capital letter to the next.
fn sentence(text: &str, at: usize) -> Range<usize> {
    let ends = |stop: &usize| {
        let after = text.get(stop + 1..).unwrap_or("");
        let next = after.trim_start();
        let before = text.get(..*stop).unwrap_or("");
        let word = before
            .rsplit(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or("");
        let short = word.chars().count() < 2 || SHORT.contains(&word);
        after.len() > next.len()
            && next.starts_with(|c: char| c.is_uppercase() || c == '(')
            && !short
    };
    let (before, after) = text.split_at(text.floor_char_boundary(at));
    let stops = ['.', '?', '!'];
    let mut last = before.rmatch_indices(stops).map(|(stop, _)| stop);
    let start = last.find(ends).map_or(0, |stop| stop + 1);
    let mut next = after
        .match_indices(stops)
        .map(|(stop, _)| before.len() + stop);
    start..next.find(ends).map_or(text.len(), |stop| stop + 1)
}
