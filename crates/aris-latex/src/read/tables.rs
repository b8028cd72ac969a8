//! Tables: columns, rows, cells.

use super::{
    env::GridForm,
    reader::{After, Alignment, GroupKind, Reader},
    token::{Kind, Literal, Op, Token},
};
use crate::{BlockKind, Document, Row, Table};

/// Columns of a table preamble that are looked at.
const MAX_COLUMNS: usize = 1_000;
/// Rows and columns a cell may span.
const MAX_SPAN: usize = 10_000;

/// A table that is open.
pub(super) struct Grid {
    table: usize,
    cells: Vec<usize>,
    col: usize,
    colspan: usize,
    rowspan: usize,
    upward: bool,
    /// Number of rows above each rule.
    rules: Vec<usize>,
    /// Rows of the head, where the source says so.
    head: Option<usize>,
    numeric: Vec<bool>,
    wide: usize,
    long: bool,
    force: bool,
}

impl Reader<'_> {
    pub(super) fn begin_grid(&mut self, token: Token, name: u32, form: GridForm) {
        let columns = self.column_argument(form);
        if let Some(beside) = beside_cells(&columns) {
            let message =
                format!("the columns print `{beside}` beside their cells, which is not read");
            self.problem_at(crate::ProblemKind::UnreadText, token, message);
        }
        let columns = column_types(&columns);
        if self.writer.fixed() {
            self.enter(name, After::Align, token);
            self.alignments.push(Alignment::Inline);
            return;
        }
        self.paragraph(token);
        let long = form == GridForm::Long;
        if long {
            self.begin_float(name);
        }
        let table = self.doc.tables.len();
        let place = self.place(token);
        self.doc.tables.push(Table {
            label: None,
            caption: None,
            environment: self.names.text(name).to_owned(),
            rows: Vec::new(),
            columns: columns.len(),
            place,
        });
        self.enter(name, After::Table, token);
        self.alignments.push(Alignment::Grid);
        self.grids.push(Grid {
            table,
            cells: Vec::new(),
            col: 0,
            colspan: 1,
            rowspan: 1,
            upward: false,
            rules: Vec::new(),
            head: None,
            numeric: columns,
            wide: 0,
            long,
            force: false,
        });
        self.begin_cell(token);
    }

    fn column_argument(&mut self, form: GridForm) -> String {
        match form {
            GridForm::Plain | GridForm::Long | GridForm::Keys => self.skip_arguments("o"),
            GridForm::Width => self.skip_arguments("mo"),
            GridForm::Tabu => loop {
                let token = self.next();
                if matches!(token.kind, Kind::Begin | Kind::Stop | Kind::Par) {
                    self.unread(token);
                    break;
                }
            },
            GridForm::Nice => {}
        }
        let tokens = self.argument();
        let text = self.raw(&tokens);
        match form {
            GridForm::Nice => {
                self.skip_optional();
                text
            }
            GridForm::Keys => {
                let spec = text
                    .split_once("colspec")
                    .map(|(_, rest)| rest.trim_start_matches([' ', '=']));
                let inner = spec
                    .and_then(|rest| rest.strip_prefix('{'))
                    .map(|rest| after_group(rest).0.to_owned());
                inner.unwrap_or(text)
            }
            _ => text,
        }
    }

    fn begin_cell(&mut self, token: Token) {
        self.open_group(GroupKind::Cell, After::Nothing, token);
        let Some(grid) = self.grids.last_mut() else {
            return;
        };
        (grid.colspan, grid.rowspan, grid.upward, grid.force) = (1, 1, false, false);
        let row = rows(&self.doc, grid);
        self.writer.open(BlockKind::Cell {
            table: grid.table,
            row,
            top: row,
            col: grid.col,
            colspan: 1,
            rowspan: 1,
            header: false,
        });
    }

    /// Finishes the cell whose group ends.
    pub(super) fn end_cell(&mut self, token: Token) {
        let place = self.place(token);
        let Some(grid) = self.grids.last_mut() else {
            return;
        };
        if grid.numeric.get(grid.col) == Some(&true) && grid.colspan == 1 {
            match super::si::column_number(self.writer.text()) {
                Some(parts) if parts.len() == 1 => self.writer.whole_is_number(),
                Some(parts) => self.writer.replace(&parts),
                None => {}
            }
        }
        if grid.force || !grid.cells.is_empty() {
            self.writer.claim(place);
        }
        let index = self.with_lookup(super::writer::Writer::close);
        let Some(grid) = self.grids.last_mut() else {
            return;
        };
        if let Some(index) = index {
            if let Some(block) = self.writer.blocks.get_mut(index)
                && let BlockKind::Cell {
                    row,
                    top,
                    colspan,
                    rowspan,
                    ..
                } = &mut block.kind
            {
                (*colspan, *rowspan) = (grid.colspan, grid.rowspan);
                if grid.upward {
                    *top = row.saturating_sub(grid.rowspan - 1);
                }
            }
            grid.cells.push(index);
            grid.col += grid.colspan;
        }
    }

    /// `&`
    pub(super) fn next_cell(&mut self, token: Token) {
        if self.alignments.last() != Some(&Alignment::Grid) {
            self.space(token);
            return;
        }
        self.unwind(token, |kind| kind == GroupKind::Cell);
        if let Some(grid) = self.grids.last_mut() {
            grid.force = true;
        }
        self.close_group(token);
        self.begin_cell(token);
    }

    /// `\\` with its star and length.
    pub(super) fn line_end(&mut self, token: Token) {
        self.star();
        if let Some(tokens) = self.optional() {
            let text = self.raw(&tokens);
            let length = text
                .trim_start_matches(['-', '+', '.', ' '])
                .starts_with(|c: char| c.is_ascii_digit())
                && text.trim_end().ends_with(|c: char| c.is_ascii_alphabetic());
            let number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
            let behind = text.trim_start().trim_start_matches(number);
            if !length && !behind.starts_with('\\') {
                // `\\ [0, 1]`: a row that begins with a bracket.
                self.unread(Self::op(token, Op::Text(Literal::CloseBracket)));
                self.unread_all(&tokens);
                self.unread(Self::op(token, Op::Text(Literal::OpenBracket)));
            }
        }
        self.row_end(token);
    }

    pub(super) fn row_end(&mut self, token: Token) {
        let in_cell = self
            .groups
            .last()
            .is_some_and(|group| group.kind == GroupKind::Cell);
        if self.alignments.last() != Some(&Alignment::Grid) || !in_cell {
            self.space(token);
            return;
        }
        self.close_group(token);
        self.finish_row();
        self.begin_cell(token);
    }

    fn finish_row(&mut self) {
        let Some(grid) = self.grids.last_mut() else {
            return;
        };
        let cells = std::mem::take(&mut grid.cells);
        grid.wide = grid.wide.max(grid.col);
        grid.col = 0;
        if !cells.is_empty()
            && let Some(table) = self.doc.tables.get_mut(grid.table)
        {
            table.rows.push(Row {
                cells,
                header: false,
                group: false,
            });
        }
    }

    pub(super) fn rule(&mut self) {
        self.skip_optional();
        let Some(grid) = self.grids.last_mut() else {
            return;
        };
        grid.rules.push(rows(&self.doc, grid));
    }

    pub(super) fn head_end(&mut self) {
        let Some(grid) = self.grids.last_mut() else {
            return;
        };
        grid.head = Some(rows(&self.doc, grid));
    }

    pub(super) fn multi_column(&mut self) {
        let tokens = self.argument();
        let span = self.flat(&tokens).trim().parse().unwrap_or(1);
        drop(self.argument());
        if self.alignments.last() == Some(&Alignment::Grid)
            && let Some(grid) = self.grids.last_mut()
        {
            grid.colspan = usize::clamp(span, 1, MAX_SPAN);
        }
    }

    pub(super) fn multi_row(&mut self, has_width: bool) {
        self.skip_optional();
        let tokens = self.argument();
        let text = self.flat(&tokens);
        let text = text.trim();
        self.skip_optional();
        if has_width {
            drop(self.argument());
        }
        self.skip_optional();
        let digits: String = text
            .trim_start_matches(['-', '='])
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let span = digits.parse().unwrap_or(1);
        if self.alignments.last() == Some(&Alignment::Grid)
            && let Some(grid) = self.grids.last_mut()
        {
            grid.rowspan = usize::clamp(span, 1, MAX_SPAN);
            grid.upward = text.starts_with('-');
        }
    }

    /// After the environment's group, and with it the last cell, is closed.
    pub(super) fn end_grid(&mut self, _token: Token) {
        self.finish_row();
        self.alignments.pop();
        let Some(grid) = self.grids.pop() else { return };
        if let Some(table) = self.doc.tables.get_mut(grid.table) {
            table.columns = table.columns.max(grid.wide);
            let count = table.rows.len();
            let ruled = grid
                .rules
                .iter()
                .copied()
                .find(|rows| *rows > 0 && *rows < count);
            let head = grid.head.or(ruled).unwrap_or(0);
            for (number, row) in table.rows.iter_mut().enumerate() {
                row.header = number < head;
                let shown: Vec<&crate::Block> = row
                    .cells
                    .iter()
                    .filter_map(|at| self.writer.blocks.get(*at))
                    .filter(|block| !block.text.is_empty())
                    .collect();
                row.group = matches!(shown.as_slice(), [only]
                    if matches!(only.kind, BlockKind::Cell { colspan, .. } if colspan > 1 && colspan * 2 > table.columns));
                for at in &row.cells {
                    if let Some(block) = self.writer.blocks.get_mut(*at)
                        && let BlockKind::Cell { header, .. } = &mut block.kind
                    {
                        *header = number < head;
                    }
                }
            }
        }
        if grid.long {
            self.end_float();
        }
    }
}

/// The rows that are finished.
fn rows(document: &Document, grid: &Grid) -> usize {
    let table = document.tables.get(grid.table);
    table.map_or(0, |table| table.rows.len())
}

/// What `>{…}`, `<{…}`, `@{…}` or `!{…}` print beside cells that changes how a number there is read: digits, a sign, a percent sign.
/// A dash of two is no sign, and beside other commands digits are lengths.
fn beside_cells(columns: &str) -> Option<&str> {
    let starts = columns.char_indices().zip(columns.chars().skip(1));
    let starts =
        starts.filter(|((_, mark), next)| matches!(mark, '>' | '<' | '@' | '!') && *next == '{');
    let mut pieces = starts.filter_map(|((at, _), _)| {
        let rest = columns.get(at + 2..)?;
        let mut depth = 1;
        let end = rest.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        rest.get(..end?)
    });
    pieces.find(|piece| {
        let plain = piece.replace("\\%", "%").replace(['$', '{', '}'], "");
        let sign = plain.contains('+') || plain.contains(['-', '−']) && !plain.contains("--");
        let shows = sign || plain.contains('%') || plain.contains(|c: char| c.is_ascii_digit());
        shows && !plain.contains('\\')
    })
}

/// For each column of a table preamble, whether siunitx sets it as numbers.
fn column_types(spec: &str) -> Vec<bool> {
    let mut columns = Vec::new();
    read_columns(spec, &mut columns, 0);
    columns
}

fn read_columns(spec: &str, columns: &mut Vec<bool>, depth: u32) {
    let mut rest = spec;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        if columns.len() >= MAX_COLUMNS {
            return;
        }
        match c {
            '{' => rest = after_group(rest).1,
            '[' => rest = rest.split_once(']').map_or("", |(_, after)| after),
            '\\' => rest = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()),
            '*' => {
                let (count, after) = group(rest);
                let (inner, after) = group(after);
                rest = after;
                if depth < 4 {
                    for _ in 0..count.trim().parse::<usize>().unwrap_or(1).min(MAX_COLUMNS) {
                        let before = columns.len();
                        read_columns(inner, columns, depth + 1);
                        if columns.len() == before || columns.len() >= MAX_COLUMNS {
                            break;
                        }
                    }
                }
            }
            '@' | '!' | '>' | '<' => rest = group(rest).1,
            'S' => columns.push(true),
            c if c.is_alphabetic() => columns.push(false),
            _ => {}
        }
    }
}

/// The group that follows, and what is after it.
fn group(text: &str) -> (&str, &str) {
    let trimmed = text.trim_start();
    if let Some(inner) = trimmed.strip_prefix('{') {
        return after_group(inner);
    }
    let width = trimmed.chars().next().map_or(0, char::len_utf8);
    trimmed.split_at_checked(width).unwrap_or(("", trimmed))
}

/// Content and rest after a group whose brace was read.
fn after_group(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                return (
                    text.get(..at).unwrap_or(""),
                    text.get(at + 1..).unwrap_or(""),
                );
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns() {
        for (spec, expected) in [
            ("lcr", "ttt"),
            ("l|c||r", "ttt"),
            ("@{}l*{3}{c}@{}", "tttt"),
            ("lS[table-format=2.1]S", "tss"),
            (">{\\bfseries}p{3cm}X", "tt"),
            ("l*{2}{rS}", "ttsts"),
            ("*{999999}{*{999999}{}}", ""),
            ("D{.}{.}{-1}", "t"),
            ("{{{", ""),
        ] {
            let found: String = column_types(spec)
                .iter()
                .map(|s| if *s { 's' } else { 't' })
                .collect();
            assert_eq!(found, expected, "{spec}");
        }
    }
}
