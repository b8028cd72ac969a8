//! Tables: columns, rows, cells.

use super::{After, GroupKind, Kind, Reader, Token};
use crate::{Block, BlockKind, Holds, MarkKind, ProblemKind, Row, Table};

/// Columns of a table preamble that are looked at.
const MAX_COLUMNS: usize = 1_000;
/// Tokens of a table preamble that are looked at for each of them.
const STEPS_PER_COLUMN: usize = 8;
/// Rows and columns a cell may span.
const MAX_SPAN: usize = 10_000;

/// A table that is open.
#[derive(Default)]
pub(super) struct Grid {
    /// With the rows that are finished.
    table: Table,
    /// Its number among the document's tables: none begins inside another one.
    number: usize,
    row: Row,
    col: usize,
    colspan: usize,
    rowspan: usize,
    upward: bool,
    /// Number of rows above each rule.
    rules: Vec<usize>,
    /// Rows of the head, where the source says so.
    head: Option<usize>,
    numeric: Vec<bool>,
    long: bool,
}

impl Reader<'_> {
    pub(super) fn begin_grid(&mut self, token: Token, name: u32, form: &str) {
        let numeric = self.columns(token, form);
        if self.writer.fixed() {
            self.enter(name, After::Align, token);
            self.alignments.push(None);
            return;
        }
        self.paragraph(token);
        let long = form == "long";
        if long {
            self.begin_float(name);
        }
        self.enter(name, After::Table, token);
        self.alignments.push(Some(Grid {
            table: Table {
                columns: numeric.len(),
                place: self.place(token),
                ..Table::default()
            },
            number: self.doc.tables.len(),
            numeric,
            long,
            ..Grid::default()
        }));
        self.begin_cell(token);
    }

    /// For each column of a table preamble, whether siunitx sets it as numbers.
    fn columns(&mut self, token: Token, form: &str) -> Vec<bool> {
        while form == "tabu" && !matches!(self.peek().kind, Kind::Begin | Kind::Stop | Kind::Par) {
            self.next();
        }
        let mut tokens = self.argument();
        if form == "nice" {
            self.skip_optional();
        }
        // `colspec = {…}` alone.
        let keyed = tokens.iter();
        let keyed = keyed.skip_while(|token| !self.text(**token).contains("colspec"));
        let group = keyed.skip_while(|token| token.kind != Kind::Begin);
        let group: Vec<Token> = group.copied().collect();
        if form == "keys" && !group.is_empty() {
            tokens = self.apart(&group, Self::argument);
        }
        self.apart(&tokens, |reader| reader.all_columns(token))
    }

    fn all_columns(&mut self, token: Token) -> Vec<bool> {
        let mut columns = Vec::new();
        let mut beside = None;
        for _ in 0..MAX_COLUMNS * STEPS_PER_COLUMN {
            let next = self.next();
            match next.kind {
                Kind::Stop => break,
                Kind::Begin => drop(self.balanced(next)),
                Kind::Word => match self.letter(next) {
                    '[' => {
                        self.unread(next);
                        self.skip_optional();
                    }
                    '*' => {
                        let count = self.name_argument().parse().unwrap_or(1);
                        let inner = self.argument();
                        for _ in 0..count.min(MAX_COLUMNS / inner.len().max(1) + 1) {
                            self.unread_all(&inner);
                        }
                    }
                    '@' | '!' | '>' | '<' => {
                        let tokens = self.argument();
                        beside = beside.or(Some(self.raw(&tokens)).filter(|text| changes(text)));
                    }
                    letter if letter.is_alphabetic() => columns.push(letter == 'S'),
                    _ => {}
                },
                _ => {}
            }
        }
        columns.truncate(MAX_COLUMNS);
        if let Some(beside) = beside {
            let message =
                format!("the columns print `{beside}` beside their cells, which is not read");
            self.problem_at(ProblemKind::UnreadText(Holds::NUMBERS), token, message);
        }
        columns
    }

    fn begin_cell(&mut self, token: Token) {
        self.open_group(GroupKind::Cell, After::Nothing, token);
        if let Some(grid) = self.grid() {
            (grid.colspan, grid.rowspan, grid.upward) = (1, 1, false);
        }
        // `end_cell` sets the kind: how many rows and columns the cell spans is not known before.
        self.writer.open(BlockKind::default());
    }

    /// Finishes the cell whose group ends.
    pub(super) fn end_cell(&mut self, token: Token) {
        let place = self.place(token);
        let Some(Some(grid)) = self.alignments.last_mut() else {
            return;
        };
        if grid.numeric.get(grid.col) == Some(&true) && grid.colspan == 1 {
            match super::si::column_number(self.writer.text()) {
                Some(parts) if parts.len() == 1 => self.writer.mark_from(0, MarkKind::Number),
                Some(parts) => self.writer.replace(&parts),
                None => {}
            }
        }
        if !grid.row.cells.is_empty() {
            self.writer.claim(place);
        }
        let Some(index) = self.writer.close() else {
            return;
        };
        let row = grid.table.rows.len();
        if let Some(block) = self.writer.blocks.get_mut(index) {
            block.kind = BlockKind::Cell {
                table: grid.number,
                row,
                top: row.saturating_sub(if grid.upward { grid.rowspan - 1 } else { 0 }),
                col: grid.col,
                colspan: grid.colspan,
                rowspan: grid.rowspan,
                header: false,
            };
        }
        grid.row.cells.push(index);
        grid.col += grid.colspan;
    }

    /// `&`
    pub(super) fn next_cell(&mut self, token: Token) {
        if self.grid().is_none() {
            return self.space(token);
        }
        self.unwind(token, |kind| kind == GroupKind::Cell);
        self.writer.claim(self.place(token));
        self.close_group(token);
        self.begin_cell(token);
    }

    /// `\\` with its star and length.
    pub(super) fn line_end(&mut self, token: Token) {
        if let Some(tokens) = self.optional() {
            let text = self.raw(&tokens);
            let number = text.trim_start_matches(['-', '+', '.', ' ']);
            let length = number.starts_with(|c: char| c.is_ascii_digit())
                && text.trim_end().ends_with(|c: char| c.is_ascii_alphabetic());
            let number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
            let behind = text.trim_start().trim_start_matches(number);
            if !length && !behind.starts_with('\\') {
                // `\\ [0, 1]`: a row that begins with a bracket.
                self.unread_between(token, "[", &tokens, "]");
            }
        }
        let in_cell = (self.groups.last()).is_some_and(|group| group.kind == GroupKind::Cell);
        if self.grid().is_none() || !in_cell {
            return self.space(token);
        }
        self.close_group(token);
        if let Some(grid) = self.grid() {
            grid.finish_row();
        }
        self.begin_cell(token);
    }

    pub(super) fn rule(&mut self) {
        if let Some(grid) = self.grid() {
            grid.rules.push(grid.table.rows.len());
        }
    }

    pub(super) fn head_end(&mut self) {
        if let Some(grid) = self.grid() {
            grid.head = Some(grid.table.rows.len());
        }
    }

    /// `\tablehead{cells \\}`
    pub(super) fn table_head(&mut self, token: Token) {
        let tokens = self.argument();
        let ends = ["tabularnewline", "endhead"].map(|name| self.name_token(name, token));
        self.unread_all(&ends);
        self.unread_all(&tokens);
    }

    /// The table whose cell is being written.
    fn grid(&mut self) -> Option<&mut Grid> {
        self.alignments.last_mut()?.as_mut()
    }

    pub(super) fn multi_column(&mut self) {
        let span = self.name_argument().parse().unwrap_or(1);
        drop(self.argument());
        if let Some(grid) = self.grid() {
            grid.colspan = usize::clamp(span, 1, MAX_SPAN);
        }
    }

    /// `\multirow[vpos]{rows}[bigstruts]{width}[vmove]{text}`, `\multirowcell{rows}[vmove]{text}`
    pub(super) fn multi_row(&mut self, token: Token) {
        let text = self.name_argument();
        let has_width = !self.command_name(token).ends_with("cell");
        self.skip_arguments(token, if has_width { "omo" } else { "o" });
        let digits = text.trim_start_matches(['-', '=']);
        let digits = digits.split(|c: char| !c.is_ascii_digit()).next();
        let span = digits.and_then(|digits| digits.parse().ok()).unwrap_or(1);
        if let Some(grid) = self.grid() {
            grid.rowspan = usize::clamp(span, 1, MAX_SPAN);
            grid.upward = text.starts_with('-');
        }
    }

    /// After the environment's group, and with it the last cell, is closed.
    pub(super) fn end_grid(&mut self) {
        let Some(Some(mut grid)) = self.alignments.pop() else {
            return;
        };
        grid.finish_row();
        let mut table = grid.table;
        let count = table.rows.len();
        let mut ruled = grid.rules.into_iter();
        let ruled = ruled.find(|rows| (1..count).contains(rows));
        let head = grid.head.or(ruled).unwrap_or(0);
        for (number, row) in table.rows.iter_mut().enumerate() {
            row.header = number < head;
            let (mut shown, mut widest) = (0, 0);
            for at in &row.cells {
                if let Some(Block { kind, text, .. }) = self.writer.blocks.get_mut(*at)
                    && let BlockKind::Cell {
                        header, colspan, ..
                    } = kind
                {
                    *header = row.header;
                    shown += usize::from(!text.is_empty());
                    widest = if text.is_empty() { widest } else { *colspan };
                }
            }
            row.group = shown == 1 && widest > 1 && widest * 2 > table.columns;
        }
        self.doc.tables.push(table);
        if grid.long {
            self.end_float();
        }
    }
}

impl Grid {
    fn finish_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        self.table.columns = self.table.columns.max(std::mem::take(&mut self.col));
        if !row.cells.is_empty() {
            self.table.rows.push(row);
        }
    }
}

/// Whether what `>{…}`, `<{…}`, `@{…}` or `!{…}` print beside cells changes how a number there is read: digits, a sign, a percent sign.
/// A dash of two is no sign, and beside other commands digits are lengths.
fn changes(piece: &str) -> bool {
    let plain = piece.replace("\\%", "%").replace(['$', '{', '}'], "");
    let sign = plain.contains('+') || plain.contains(['-', '−']) && !plain.contains("--");
    let shows = sign || plain.contains('%') || plain.contains(|c: char| c.is_ascii_digit());
    shows && !plain.contains('\\')
}
