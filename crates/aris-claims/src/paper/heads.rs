//! Tables by their headings: the cell in a row and a column with given names.

use std::collections::BTreeMap;
use std::sync::Arc;

use aris_latex::{BlockKind, Document, Loaded, MarkKind, Row, Table};

use super::Paper;
use crate::number::scan;

/// Most rows of a table that are searched by heading.
const MOST_ROWS: usize = 100_000;

/// Most columns of a table that are searched by heading.
const MOST_COLUMNS: usize = 1_000;

/// Most positions of a table, rows times columns. Limits the memory for wide and long tables.
const MOST_POSITIONS: usize = 4_000_000;

/// The block that covers each position of a table, by row and column. Cells that span columns or rows cover several positions.
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
                        // The source also has a cell at each position that a row span covers; it is empty.
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
        let cell = self.cells.get(row * self.width + column);
        cell.copied().flatten().filter(|_| column < self.width)
    }
}

/// A table with its headings.
#[derive(Debug)]
pub(crate) struct Grid {
    layout: Layout,
    rows: Places,
    columns: Places,
}

impl Grid {
    /// The unique names of each row and of each column, longest first.
    pub(crate) fn names(&self) -> (NamesOf, NamesOf) {
        let turned = |names: &Places| {
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

    /// The block of the cell in a named row and column. **Errors**: which heading is missing or not unique.
    pub(crate) fn cell(&self, row: &str, column: &str) -> Result<usize, String> {
        let row_at = one(&self.rows, row, "row", "the panel before it: `PANEL / ROW`")?;
        let above = "the head above it before it: `UPPER / LOWER`";
        let column_at = one(&self.columns, column, "column", above)?;
        let cell = self.layout.at(row_at, column_at);
        cell.ok_or_else(|| format!("row `{row}` has no cell under `{column}`"))
    }
}

/// Indexes of rows or columns by name.
type Places = BTreeMap<String, Vec<usize>>;

fn one(names: &Places, name: &str, what: &str, longer: &str) -> Result<usize, String> {
    let name = folded(name);
    match names.get(&name).map_or(&[][..], Vec::as_slice) {
        [only] => Ok(*only),
        [] => {
            let near = near(names, &name);
            Err(format!("the table has no {what} `{name}`{near}"))
        }
        several => {
            let count = several.len();
            Err(format!(
                "the table has {count} {what}s `{name}`; write {longer}"
            ))
        }
    }
}

/// Names of rows or columns by index.
pub(crate) type NamesOf = BTreeMap<usize, Vec<String>>;

/// The form in which headings are compared: white space folded, and removed around relations, where TeX sets its own; dashes and
/// quotes in their ASCII form.
fn folded(text: &str) -> String {
    let mut words = String::new();
    for word in text.split_whitespace() {
        let relation = |c: char| "=<>≤≥≈".contains(c);
        if !(words.is_empty() || words.ends_with(relation) || word.starts_with(relation)) {
            words.push(' ');
        }
        words.push_str(word);
    }
    let plain = |c: char| match c {
        '‐' | '‑' | '–' | '—' | '−' => '-',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        other => other,
    };
    words.chars().map(plain).collect()
}

impl Paper<'_> {
    /// The tables with this label: those whose float has it; else the last table before the label, for labels of sub-floats.
    pub(crate) fn tables(&self, label: &str) -> Vec<usize> {
        let tables = self.document.tables.iter().enumerate();
        let direct = tables
            .clone()
            .filter(|(_, table)| table.label.as_deref() == Some(label));
        let direct: Vec<usize> = direct.map(|(at, _)| at).collect();
        let label = self.document.labels.iter().find(|known| known.key == label);
        let Some(label) = label.filter(|_| direct.is_empty()) else {
            return direct;
        };
        let place = label.place;
        let mut before = tables.filter(|(_, table)| {
            table.place.file == place.file && table.place.offset < place.offset
        });
        before.next_back().map(|(at, _)| at).into_iter().collect()
    }

    /// A table with its headings.
    pub(crate) fn grid(&self, at: usize) -> Option<Grid> {
        let table = self.document.tables.get(at)?;
        let layout = Layout::new(self.document, table);
        let width = layout.width;
        let rows = || table.rows.iter().enumerate().take(MOST_ROWS);
        // If no rule ends the head, the first row is the head.
        let no_head = !table.rows.iter().any(|row| row.header);
        let is_head = |at: usize, row: &Row| row.header || no_head && at == 0;
        let heads = rows().filter(|(at, row)| is_head(*at, row));
        let heads: Vec<usize> = heads.map(|(at, _)| at).collect();
        let mut columns = Places::new();
        for column in 0..width {
            let mut path = Vec::new();
            for row in &heads {
                extend(&mut path, self.head_at(&layout, *row, column));
            }
            add_names(&mut columns, &path, column);
        }
        let mut named_rows = Places::new();
        let mut panel: Option<String> = None;
        for (at, row) in rows().filter(|(at, row)| !is_head(*at, row)) {
            let mut texts = row.cells.iter().map(|cell| self.head(*cell));
            let first = texts.next().unwrap_or_default();
            let lone = width > 1 && texts.all(|text| text.is_empty());
            if row.group || lone && (row.cells.len() == 1 || !first.is_empty()) {
                panel = Some(first).filter(|text| !text.is_empty());
                continue;
            }
            let mut path = self.row_heads(&layout, at);
            add_names(&mut named_rows, &path, at);
            if let Some(panel) = &panel {
                path.insert(0, panel.clone());
                add_names(&mut named_rows, &path, at);
            }
        }
        // If the rule comes late, data rows above it count as heads. They can be named as rows too, unless a row below has the
        // name.
        let mut above = Places::new();
        for at in heads.iter().skip(1) {
            add_names(&mut above, &self.row_heads(&layout, *at), *at);
        }
        for (name, places) in above {
            named_rows.entry(name).or_insert(places);
        }
        Some(Grid {
            layout,
            rows: named_rows,
            columns,
        })
    }

    /// The text of a cell without the placeholders of citations and cross-references.
    fn head(&self, block: usize) -> String {
        let Some(block) = self.document.blocks.get(block) else {
            return String::new();
        };
        let mut text = String::new();
        let mut from = 0;
        for mark in &block.marks {
            if matches!(mark.kind, MarkKind::Cite { .. } | MarkKind::Ref) {
                text.push_str(block.text.get(from..mark.range.start).unwrap_or(""));
                from = from.max(mark.range.end);
            }
        }
        text.push_str(block.text.get(from..).unwrap_or(""));
        folded(&text)
    }

    /// The headings of a row: its cells before the first value.
    fn row_heads(&self, layout: &Layout, row: usize) -> Vec<String> {
        let mut path = Vec::new();
        for column in 0..layout.width {
            let text = self.head_at(layout, row, column);
            if column > 0 && (text.is_empty() || is_value(&text)) {
                break;
            }
            extend(&mut path, text);
        }
        path
    }

    fn head_at(&self, layout: &Layout, row: usize, column: usize) -> String {
        let cell = layout.at(row, column);
        cell.map(|cell| self.head(cell)).unwrap_or_default()
    }
}

/// Adds a heading to a path of headings. A heading that spans several rows or columns is added once.
fn extend(path: &mut Vec<String>, text: String) {
    if !text.is_empty() && path.last() != Some(&text) {
        path.push(text);
    }
}

/// Adds every name of a path of headings: each heading alone, each tail of the path joined, and the first joined with the last.
fn add_names(names: &mut Places, path: &[String], at: usize) {
    let mut all: Vec<String> = path.to_vec();
    all.extend((0..path.len()).filter_map(|from| Some(path.get(from..)?.join(" / "))));
    if let [first, .., last] = path {
        all.push(format!("{first} / {last}"));
    }
    for name in all {
        let places = names.entry(name).or_default();
        if places.last() != Some(&at) {
            places.push(at);
        }
    }
}

/// Whether a cell holds a value rather than a heading.
fn is_value(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let blank = text.chars().all(|c| !c.is_alphanumeric());
    let begins = first.is_ascii_digit() || "+-−–.<>≤≥±~≈($*†‡".contains(first);
    blank || begins && !scan(text).is_empty()
}

/// A hint at the most similar heading, for a message.
fn near(names: &BTreeMap<String, Vec<usize>>, name: &str) -> String {
    let similar =
        |known: &&String| strsim::jaro_winkler(&known.to_lowercase(), &name.to_lowercase());
    let names = names.keys();
    let best = names.max_by(|one, other| similar(one).total_cmp(&similar(other)));
    let best = best.filter(|best| similar(best) > 0.7);
    best.map_or_else(String::new, |best| format!("; did you mean `{best}`?"))
}

/// The text that LaTeX snippets print with the macros of this document. The snippets are headings as written in `claims.toml`.
pub(crate) fn head_text(document: &Document, snippets: &[&str]) -> Vec<String> {
    const NAME: &str = "\u{1}heads.tex";
    let plain = |snippet: &str| {
        !snippet.contains(['\\', '$', '{', '~', '%', '`', '\'']) && !snippet.contains("--")
    };
    let mut out: Vec<String> = snippets.iter().map(|snippet| folded(snippet)).collect();
    let marked = snippets.iter().enumerate();
    let mut marked = marked.filter(|(_, snippet)| !plain(snippet)).peekable();
    if marked.peek().is_none() {
        return out;
    }
    let root = document.files.first().map_or("", |file| &*file.text);
    let preamble = root.split("\\begin{document}").next().unwrap_or("");
    let mut text = format!("{preamble}\\begin{{document}}\n");
    for (at, snippet) in marked {
        // A snippet with an unclosed group or environment would swallow the snippets after it.
        let balanced = snippet.matches('{').count() == snippet.matches('}').count()
            && !snippet.contains("\\begin")
            && !snippet.contains("\\end");
        if balanced {
            // A name in the data has no comments: its `%` is a percent sign.
            let snippet = snippet.replace("\\%", "%").replace('%', "\\%");
            text.extend(["\n\nhead", &at.to_string(), ": ", &snippet, "\n\n"]);
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
        let head = block.text.strip_prefix("head");
        let Some((at, visible)) = head.and_then(|rest| rest.split_once(':')) else {
            continue;
        };
        if let Some(place) = at.parse().ok().and_then(|at: usize| out.get_mut(at)) {
            *place = folded(visible);
        }
    }
    out
}
