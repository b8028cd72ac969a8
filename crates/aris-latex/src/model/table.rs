//! Tables and how their cells relate.

use crate::{Block, BlockKind, Place};

/// One row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The cells: indices into [`Document::blocks`](crate::Document::blocks), left to right.
    pub cells: Vec<usize>,
    /// Above the rule that ends the head (or before `\endhead` in a longtable).
    pub header: bool,
    /// A row that is one cell across the table: it names the rows below it.
    pub group: bool,
}

/// One table (the outermost tabular; a tabular in a cell is part of the cell).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The `\label` of the float or longtable.
    pub label: Option<String>,
    /// The caption's block.
    pub caption: Option<usize>,
    /// `tabular`, `tabularx`, `longtable`, ….
    pub environment: String,
    /// Rows in order; rows without any cell (rules) are left out.
    pub rows: Vec<Row>,
    /// Columns: of the preamble or of the widest row, whichever is more.
    pub columns: usize,
    /// Where the table begins.
    pub place: Place,
}

impl Table {
    /// The cell that covers a position, spans counted: a `\multirow` cell is known for the rows it covers when
    /// the cell in the source there is empty.
    pub fn cell_at(&self, blocks: &[Block], row: usize, col: usize) -> Option<usize> {
        let own = self.rows.get(row)?.cells.iter().copied().find(|at| {
            matches!(blocks.get(*at).map(|b| &b.kind), Some(BlockKind::Cell { col: c, colspan, .. })
                if (*c..c.saturating_add(*colspan)).contains(&col))
        });
        if let Some(at) = own
            && blocks.get(at).is_some_and(|block| !block.text.is_empty())
        {
            return Some(at);
        }
        self.spanning(blocks, row, col).or(own)
    }

    /// A multirow cell from another row that covers the position.
    fn spanning(&self, blocks: &[Block], row: usize, col: usize) -> Option<usize> {
        let covers = |at: &usize| {
            matches!(blocks.get(*at).map(|b| &b.kind), Some(BlockKind::Cell { top, rowspan, col: c, colspan, .. })
                if *rowspan > 1
                    && (*top..top.saturating_add(*rowspan)).contains(&row)
                    && (*c..c.saturating_add(*colspan)).contains(&col))
        };
        let near = |rows: &[Row]| {
            rows.iter()
                .rev()
                .flat_map(|r| &r.cells)
                .copied()
                .find(covers)
        };
        near(self.rows.get(..row)?).or_else(|| {
            self.rows
                .get(row + 1..)?
                .iter()
                .flat_map(|r| &r.cells)
                .copied()
                .find(covers)
        })
    }
}
