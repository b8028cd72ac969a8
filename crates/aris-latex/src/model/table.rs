//! Tables.

use crate::Place;

/// One row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The cells: indices into [`Document::blocks`](crate::Document::blocks), left to right.
    pub cells: Vec<usize>,
    /// Above the rule that ends the head (or before `\endhead` in a longtable).
    pub header: bool,
    /// A row that is one cell across the table: it names the rows below it.
    pub group: bool,
}

/// One table (the outermost tabular; a tabular in a cell is part of the cell).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The `\label` of the float or longtable.
    pub label: Option<String>,
    /// The caption's block.
    pub caption: Option<usize>,
    /// Rows in order; rows without any cell (rules) are left out.
    pub rows: Vec<Row>,
    /// Columns: of the preamble or of the widest row, whichever is more.
    pub columns: usize,
    /// Where the table begins.
    pub place: Place,
}
