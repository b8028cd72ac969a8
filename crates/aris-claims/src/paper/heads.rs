//! Tables by their heads: which cell stands in a row and a column that have names.

use std::collections::BTreeMap;
use std::sync::Arc;

use aris_latex::{BlockKind, Document, Loaded, MarkKind, Table};

use super::Paper;
use crate::number::scan;

/// Rows of a table that are searched by head.
const MOST_ROWS: usize = 100_000;

/// Columns of a table that are searched by head.
const MOST_COLUMNS: usize = 1_000;

/// Positions of a table, rows by columns: bounds memory for wide and long tables.
const MOST_POSITIONS: usize = 4_000_000;

/// Which block covers each position of a table, by row and column; spans of columns and rows counted.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) width: usize,
    cells: Vec<Option<usize>>,
}

impl Layout {
    pub(crate) fn new(document: &Document, table: &Table) -> Self {
        let width = table.columns.clamp(1, MOST_COLUMNS);
        let height = table.rows.len().min(MOST_ROWS).min(MOST_POSITIONS / width);
        let mut cells = vec![None; width * height];
        let blank = |block: &usize| {
            let found = document.blocks.get(*block);
            found.is_none_or(|block| block.text.is_empty())
        };
        for block in table.rows.iter().take(height).flat_map(|row| &row.cells) {
            let Some(BlockKind::Cell {
                row,
                top,
                col,
                colspan,
                rowspan,
                ..
            }) = document.blocks.get(*block).map(|block| &block.kind)
            else {
                continue;
            };
            for covered in *top.min(row)..top.saturating_add(*rowspan).max(row + 1).min(height) {
                for column in *col..col.saturating_add(*colspan).min(width) {
                    if let Some(place) = cells.get_mut(covered * width + column) {
                        // The cell that a span covers stands in the source, too, and is empty.
                        if place.as_ref().is_none_or(blank) {
                            *place = Some(*block);
                        }
                    }
                }
            }
        }
        Self { width, cells }
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> Option<usize> {
        (column < self.width)
            .then(|| self.cells.get(row * self.width + column).copied().flatten())
            .flatten()
    }
}

/// A table with its heads.
#[derive(Debug)]
pub(crate) struct Grid {
    layout: Layout,
    rows: BTreeMap<String, Vec<usize>>,
    columns: BTreeMap<String, Vec<usize>>,
}

impl Grid {
    /// The names of each row and of each column that no other has, the longest first.
    pub(crate) fn names(&self) -> (NamesOf, NamesOf) {
        let turned = |names: &BTreeMap<String, Vec<usize>>| {
            let mut out = NamesOf::new();
            for (name, places) in names {
                if let [only] = places.as_slice() {
                    out.entry(*only).or_default().push(name.clone());
                }
            }
            for names in out.values_mut() {
                names.sort_by_key(|name| std::cmp::Reverse(name.len()));
            }
            out
        };
        (turned(&self.rows), turned(&self.columns))
    }
}

/// Names of rows or columns by their places.
pub(crate) type NamesOf = BTreeMap<usize, Vec<String>>;

/// The form in which heads are compared: white space folded, dashes and quotes in their plain form.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |c: char| match c {
        '‐' | '‑' | '–' | '—' | '−' => '-',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        other => other,
    };
    words.join(" ").chars().map(plain).collect()
}

impl Paper<'_> {
    /// The tables with this label: those whose float has it; else the one before a label that a sub-float has.
    pub(crate) fn tables(&self, label: &str) -> Vec<usize> {
        let tables = &self.document.tables;
        let named = |(_, table): &(usize, &Table)| table.label.as_deref() == Some(label);
        let direct: Vec<usize> = tables
            .iter()
            .enumerate()
            .filter(named)
            .map(|(at, _)| at)
            .collect();
        let Some(place) = self.document.labels.iter().find(|known| known.key == label) else {
            return direct;
        };
        let before = |(_, table): &(usize, &Table)| {
            table.place.file == place.place.file && table.place.offset < place.place.offset
        };
        if direct.len() <= 1 {
            if !direct.is_empty() {
                return direct;
            }
            let last = tables.iter().enumerate().rfind(before);
            return last.map(|(at, _)| vec![at]).unwrap_or_default();
        }
        direct
    }

    /// The heads of a table.
    pub(crate) fn grid(&self, at: usize) -> Option<Grid> {
        let table = self.document.tables.get(at)?;
        let layout = Layout::new(self.document, table);
        let width = layout.width;
        let heads = Self::head_rows(table);
        let mut columns: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for column in 0..width {
            let texts = heads.iter().map(|row| self.text_at(&layout, *row, column));
            let mut path: Vec<String> = Vec::new();
            for text in texts.filter(|text| !text.is_empty()) {
                if path.last() != Some(&text) {
                    path.push(text);
                }
            }
            add_names(&mut columns, &path, column);
        }
        let mut rows: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut panel: Option<String> = None;
        for (at, row) in table.rows.iter().enumerate().take(MOST_ROWS) {
            if heads.contains(&at) {
                continue;
            }
            let lone = row.cells.len() == 1 && width > 1;
            if row.group || lone || self.is_panel(row) {
                panel = row
                    .cells
                    .first()
                    .and_then(|cell| self.text(*cell))
                    .filter(|text| !text.is_empty());
                continue;
            }
            let mut path: Vec<String> = Vec::new();
            for column in 0..width {
                let text = self.text_at(&layout, at, column);
                let holds_values = column > 0 && (text.is_empty() || is_value(&text));
                if holds_values {
                    break;
                }
                if !text.is_empty() && path.last() != Some(&text) {
                    path.push(text);
                }
            }
            let mut names: Vec<Vec<String>> = vec![path.clone()];
            if let Some(panel) = &panel {
                let mut with = vec![panel.clone()];
                with.extend(path);
                names.push(with);
            }
            let mut seen = BTreeMap::new();
            for path in names {
                add_names(&mut seen, &path, at);
            }
            for name in seen.into_keys() {
                rows.entry(name).or_default().push(at);
            }
        }
        Some(Grid {
            layout,
            rows,
            columns,
        })
    }

    /// The rows of the head; the first row where no rule ends a head.
    fn head_rows(table: &Table) -> Vec<usize> {
        let marked: Vec<usize> = (0..table.rows.len())
            .filter(|at| table.rows.get(*at).is_some_and(|row| row.header))
            .collect();
        if marked.is_empty() && !table.rows.is_empty() {
            return vec![0];
        }
        marked
    }

    /// A row with a text in its first cell and nothing beside it.
    fn is_panel(&self, row: &aris_latex::Row) -> bool {
        let mut texts = row
            .cells
            .iter()
            .map(|cell| self.text(*cell).unwrap_or_default());
        let first = texts.next().unwrap_or_default();
        !first.is_empty() && row.cells.len() > 1 && texts.all(|text| text.is_empty())
    }

    /// The text of a cell without the placeholders of citations and cross references.
    fn text(&self, block: usize) -> Option<String> {
        let block = self.document.blocks.get(block)?;
        let mut text = String::new();
        let mut from = 0;
        for mark in &block.marks {
            if matches!(mark.kind, MarkKind::Cite { .. } | MarkKind::Ref { .. }) {
                text.push_str(block.text.get(from..mark.range.start).unwrap_or(""));
                from = from.max(mark.range.end);
            }
        }
        text.push_str(block.text.get(from..).unwrap_or(""));
        Some(folded(&text))
    }

    fn text_at(&self, layout: &Layout, row: usize, column: usize) -> String {
        let cell = layout.at(row, column);
        cell.and_then(|cell| self.text(cell)).unwrap_or_default()
    }

    /// The block of the cell in a row and a column that the heads name. **Errors**: which head is missing or not unique.
    pub(crate) fn cell(grid: &Grid, row: &str, column: &str) -> Result<usize, String> {
        let one = |names: &BTreeMap<String, Vec<usize>>, name: &str, what: &str| {
            let name = folded(name);
            let found = names.get(&name).cloned().unwrap_or_default();
            match found.as_slice() {
                [only] => Ok(*only),
                [] => Err(format!(
                    "the table has no {what} `{name}`{}",
                    near(names, &name)
                )),
                several => Err(format!(
                    "the table has {} {what}s `{name}`; {}",
                    several.len(),
                    if what == "row" {
                        "write the panel before it: `PANEL / ROW`"
                    } else {
                        "write the head above it before it: `UPPER / LOWER`"
                    }
                )),
            }
        };
        let row_at = one(&grid.rows, row, "row")?;
        let column_at = one(&grid.columns, column, "column")?;
        let cell = grid.layout.at(row_at, column_at);
        cell.ok_or_else(|| format!("row `{row}` has no cell under `{column}`"))
    }
}

/// Every name of a path of heads: each alone, and all joined from each on.
fn add_names(names: &mut BTreeMap<String, Vec<usize>>, path: &[String], at: usize) {
    let mut add = |name: String| {
        let places = names.entry(name).or_default();
        if !places.contains(&at) {
            places.push(at);
        }
    };
    for (from, text) in path.iter().enumerate() {
        add(text.clone());
        if let Some(rest) = path.get(from..).filter(|rest| rest.len() > 1) {
            add(rest.join(" / "));
        }
    }
    if let [first, .., last] = path
        && path.len() > 2
    {
        add(format!("{first} / {last}"));
    }
}

/// Whether a cell holds a value and not a head.
fn is_value(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let blank = text.chars().all(|c| !c.is_alphanumeric());
    let begins = first.is_ascii_digit() || "+-−–.<>≤≥±~≈($*†‡".contains(first);
    blank || begins && !scan(text).is_empty()
}

/// The nearest head, for a message.
fn near(names: &BTreeMap<String, Vec<usize>>, name: &str) -> String {
    let similar =
        |known: &&String| strsim::jaro_winkler(&known.to_lowercase(), &name.to_lowercase());
    let best = names
        .keys()
        .max_by(|one, other| similar(one).total_cmp(&similar(other)));
    best.filter(|best| similar(best) > 0.7)
        .map_or_else(String::new, |best| format!("; did you mean `{best}`?"))
}

/// What LaTeX snippets print in this document, with its macros: heads as `claims.toml` writes them.
pub(crate) fn head_text(document: &Document, snippets: &[&str]) -> Vec<String> {
    const NAME: &str = "\u{1}heads.tex";
    let plain = |snippet: &str| {
        !snippet.contains(['\\', '$', '{', '~', '%', '`', '\'']) && !snippet.contains("--")
    };
    let mut out: Vec<String> = snippets.iter().map(|snippet| folded(snippet)).collect();
    if snippets.iter().all(|snippet| plain(snippet)) {
        return out;
    }
    let root = document.files.first().map_or("", |file| &*file.text);
    let preamble = root.split("\\begin{document}").next().unwrap_or("");
    let mut text = format!("{preamble}\\begin{{document}}\n");
    for (at, snippet) in snippets
        .iter()
        .enumerate()
        .filter(|(_, snippet)| !plain(snippet))
    {
        // A snippet that does not close what it opens would take the others with it.
        let balanced = snippet.matches('{').count() == snippet.matches('}').count()
            && !snippet.contains("\\begin")
            && !snippet.contains("\\end");
        if balanced {
            text.extend(["\n\nhead", &at.to_string(), ": ", snippet, "\n\n"]);
        }
    }
    text.push_str("\\end{document}\n");
    let read = Document::read(NAME, &mut |path: &str| {
        if path == NAME {
            return Loaded::Text(Arc::from(text.as_str()));
        }
        let known = document.files.iter().find(|file| file.path == path);
        known.map_or(Loaded::Absent, |file| Loaded::Text(Arc::from(&*file.text)))
    });
    for block in read.iter().flat_map(|read| &read.blocks) {
        let Some((at, visible)) = block
            .text
            .strip_prefix("head")
            .and_then(|rest| rest.split_once(':'))
        else {
            continue;
        };
        if let Some(place) = at.parse().ok().and_then(|at: usize| out.get_mut(at)) {
            *place = folded(visible);
        }
    }
    out
}
