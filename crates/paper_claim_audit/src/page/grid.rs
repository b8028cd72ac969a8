//! Cells of a table as HTML wants them: a cell over several rows stands in its first row, and what it covers is not there.

use std::collections::BTreeMap;

use aris_latex::{BlockKind, Document};

/// Rows that the cells of one table cover together; the cells after that are drawn in one row.
const COVERED: usize = 1_000_000;
/// Columns, and rows, that one cell covers at most. **Source**: HTML Standard, attribute `colspan`.
const SPAN: usize = 1_000;

/// A cell and what it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Block of the document; none for a place that no cell of the source fills.
    pub(super) block: Option<usize>,
    /// `col` or `row` for a head, else empty.
    pub(super) scope: &'static str,
    pub(super) colspan: usize,
    pub(super) rowspan: usize,
}

const BLANK: Cell = Cell {
    block: None,
    scope: "",
    colspan: 1,
    rowspan: 1,
};

/// Columns covered, by row and first column; those of one row do not overlap.
type Taken = BTreeMap<(usize, usize), usize>;

fn is_taken(taken: &Taken, row: usize, from: usize, to: usize) -> bool {
    let before = taken.range((row, 0)..(row, to)).next_back();
    before.is_some_and(|((_, start), span)| start + span > from)
}

/// The rows of a table. Every cell with text is in one of them, once; a span that would hide text is not drawn.
pub(super) fn rows(document: &Document, table: usize) -> Vec<Vec<Cell>> {
    let rows = document.tables.get(table);
    let rows = rows.map_or(&[][..], |table| &table.rows);
    let mut placed: BTreeMap<(usize, usize), Cell> = BTreeMap::new();
    let (mut full, mut tall) = (Taken::new(), Vec::new());
    for (row, found) in rows.iter().enumerate() {
        for at in &found.cells {
            let Some(block) = document.blocks.get(*at) else {
                continue;
            };
            let BlockKind::Cell {
                top,
                col,
                colspan,
                rowspan,
                header,
                ..
            } = block.kind
            else {
                continue;
            };
            if block.text.is_empty() {
                placed.insert((row, col), BLANK);
                continue;
            }
            let scope = match (header, col) {
                (true, _) => "col",
                (false, 0) => "row",
                (false, _) => "",
            };
            let colspan = colspan.clamp(1, SPAN);
            let cell = Cell {
                block: Some(*at),
                scope,
                colspan,
                rowspan: 1,
            };
            placed.insert((row, col), cell);
            full.insert((row, col), colspan);
            if rowspan > 1 {
                let bottom = top.saturating_add(rowspan.min(SPAN)).min(rows.len());
                tall.push(((row, col), top..bottom, cell));
            }
        }
    }

    let mut covered = Taken::new();
    for ((row, col), over, cell) in tall {
        let end = col + cell.colspan;
        let is_free = |other: usize| {
            !is_taken(&covered, other, col, end)
                && (other == row || !is_taken(&full, other, col, end))
        };
        let fits = over.contains(&row) && covered.len() + over.len() <= COVERED;
        if fits && over.clone().all(is_free) {
            for row in over.clone() {
                let blanks = placed.range((row, col)..(row, end));
                for place in blanks.map(|(place, _)| *place).collect::<Vec<_>>() {
                    placed.remove(&place);
                }
                covered.insert((row, col), cell.colspan);
            }
            let rowspan = over.len();
            placed.insert((over.start, col), Cell { rowspan, ..cell });
        }
    }

    let mut out = vec![Vec::new(); rows.len()];
    let mut next = (0, 0);
    for ((row, col), cell) in placed {
        if next.0 != row {
            next = (row, 0);
        }
        let gap = (next.1..col).take(SPAN);
        let gap = gap.filter(|col| !is_taken(&covered, row, *col, col + 1));
        if let Some(line) = out.get_mut(row) {
            line.extend(gap.map(|_| BLANK));
            line.push(cell);
        }
        next.1 = col + cell.colspan;
    }
    out
}
