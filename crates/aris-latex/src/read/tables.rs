//! Tables: columns, rows, cells. Floats, captions, headings: blocks of their own. Declarations of theorem-like statements.

use std::sync::LazyLock;

use regex::Regex;

use super::{After, Float, GroupKind, How, Kind, Reader, Style, Token, flow, style};
use crate::root::{compiled, only};
use crate::{Block, BlockKind, Heading, Holds, MarkKind, ProblemKind, Row, Table, Theorem};

/// Most columns that are read from a table preamble.
const MAX_COLUMNS: usize = 1_000;
/// Most tokens of a table preamble per column.
const STEPS_PER_COLUMN: usize = 8;
/// Most rows or columns that a cell may span.
const MAX_SPAN: usize = 10_000;

/// The argument of `\\` that moves the next row: `2pt`, `-.5\baselineskip`.
static LENGTH: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?s)^[-+. ]*[0-9].*[A-Za-z]\s*$|^\s*[0-9.-]*\\"));

/// A table that is open.
#[derive(Default)]
pub(super) struct Grid {
    /// With the rows that are finished.
    table: Table,
    /// Its index among the document's tables, known at its beginning because tables do not nest.
    number: usize,
    row: Row,
    col: usize,
    colspan: usize,
    rowspan: usize,
    upward: bool,
    /// Number of rows above each rule.
    rules: Vec<usize>,
    /// Number of header rows, if the source marks their end.
    head: Option<usize>,
    /// Whether siunitx sets each column as numbers.
    numeric: Vec<bool>,
    long: bool,
}

impl Reader<'_> {
    pub(super) fn begin_grid(&mut self, token: Token, name: u32, form: &str) {
        let options = (form == "keys").then(|| self.optional()).flatten();
        let options = options.unwrap_or_default();
        let caption = self.titles(&options).unwrap_or_default();
        if caption.is_empty() {
            self.unread_argument(token, &options, false);
        }
        let outer = self.style;
        let (numeric, touching) = self.columns(token, form);
        let rounded = std::mem::replace(&mut self.style, outer).bits & style::ROUNDED;
        if self.writer.fixed() {
            self.enter(name, After::Align, token);
            self.alignments.push(None);
            return self.unread_all(&caption);
        }
        self.paragraph(token);
        let long = form == "long" || !caption.is_empty();
        if long {
            self.begin_float(name);
        }
        self.enter(name, After::Table, token);
        self.style = self.style.set(rounded, 0);
        self.alignments.push(Some(Grid {
            table: Table {
                columns: numeric.len(),
                touching,
                place: self.place(token),
                ..Table::default()
            },
            number: self.doc.tables.len(),
            numeric,
            long,
            ..Grid::default()
        }));
        self.begin_cell(token);
        if !caption.is_empty() {
            self.unread_group(token, &caption);
            self.begin_caption(token, None);
        }
    }

    /// For each column of a table preamble, whether siunitx sets it as numbers; and the columns that continue the one before.
    fn columns(&mut self, token: Token, form: &str) -> (Vec<bool>, Vec<usize>) {
        while form == "tabu" && !matches!(self.peek().kind, Kind::Begin | Kind::Stop | Kind::Par) {
            self.next();
        }
        let mut tokens = self.argument();
        if form == "nice" {
            drop(self.optional());
        }
        // Of keys, only `colspec = {…}` counts.
        let keyed = tokens.iter();
        let keyed = keyed.skip_while(|token| !self.text(**token).contains("colspec"));
        let group = keyed.skip_while(|token| token.kind != Kind::Begin);
        let group: Vec<Token> = group.copied().collect();
        if form == "keys" && !group.is_empty() {
            tokens = self.apart(&group, Self::argument);
        }
        self.apart(&tokens, |reader| reader.all_columns(token))
    }

    fn all_columns(&mut self, token: Token) -> (Vec<bool>, Vec<usize>) {
        let (mut columns, mut touching) = (Vec::new(), Vec::new());
        let mut beside = None;
        for _ in 0..MAX_COLUMNS * STEPS_PER_COLUMN {
            let next = self.next();
            match next.kind {
                Kind::Stop => break,
                Kind::Begin => drop(self.balanced(next)),
                Kind::Word => match self.letter(next) {
                    '[' => {
                        self.unread(next);
                        let options = self.optional().unwrap_or_default();
                        self.si_rounding(token, &options);
                    }
                    '*' => {
                        let count = self.name_argument().parse().unwrap_or(1);
                        let inner = self.argument();
                        for _ in 0..count.min(MAX_COLUMNS / inner.len().max(1) + 1) {
                            self.unread_all(&inner);
                        }
                    }
                    sign @ ('@' | '!' | '>' | '<') => {
                        let tokens = self.argument();
                        let text = self.raw(&tokens);
                        // Nothing, or a separator inside a number.
                        let inside = ["", ".", ",", "\\,"]
                            .contains(&text.replace(['{', '}', '$'], "").trim());
                        if sign == '@' && inside && !columns.is_empty() {
                            touching.push(columns.len());
                        }
                        beside = beside.or(Some(text).filter(|text| changes(text)));
                    }
                    letter => {
                        if let Some(own) = self.column_types.get(&letter) {
                            let own = own.clone();
                            self.unread_all(&own);
                        } else if letter.is_alphabetic() {
                            columns.push(letter == 'S');
                        }
                    }
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
        touching.retain(|column| *column < columns.len());
        (columns, touching)
    }

    /// `\newcolumntype{N}[args]{>{$}r<{$}}`; a type with arguments is not followed and counts as one column.
    pub(super) fn column_type(&mut self, _: Token, _: How) {
        let name = self.name_argument();
        let takes = self.optional().is_some();
        let columns = self.argument();
        if let (Some(letter), false) = (only(name.chars()), takes) {
            self.column_types.insert(letter, columns);
        }
    }

    fn begin_cell(&mut self, token: Token) {
        self.open_group(GroupKind::Cell, After::Nothing, token);
        if let Some(grid) = self.grid() {
            (grid.colspan, grid.rowspan, grid.upward) = (1, 1, false);
            if grid.numeric.get(grid.col) == Some(&true) {
                let doubt = self.rounding_doubt(token);
                self.end_with_group(doubt);
            }
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
        let Some(at) = self.writer.close() else {
            return;
        };
        let row = grid.table.rows.len();
        if let Some(block) = self.writer.blocks.get_mut(at) {
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
        grid.row.cells.push(at);
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
    pub(super) fn line_end(&mut self, token: Token, _: How) {
        if let Some(tokens) = self.optional() {
            let text = self.raw(&tokens);
            if !LENGTH.is_match(&text) {
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

    pub(super) fn rule(&mut self, _: Token, _: How) {
        if let Some(grid) = self.grid() {
            grid.rules.push(grid.table.rows.len());
        }
    }

    pub(super) fn head_end(&mut self, _: Token, _: How) {
        if let Some(grid) = self.grid() {
            grid.head = Some(grid.table.rows.len());
        }
    }

    /// `\tablehead{cells \\}`
    pub(super) fn table_head(&mut self, token: Token, _: How) {
        let tokens = self.argument();
        let ends = ["tabularnewline", "endhead"].map(|name| self.name_token(name, token));
        self.unread_all(&ends);
        self.unread_all(&tokens);
    }

    /// The table whose cell is being written.
    fn grid(&mut self) -> Option<&mut Grid> {
        self.alignments.last_mut()?.as_mut()
    }

    pub(super) fn multi_column(&mut self, _: Token, _: How) {
        let span = self.name_argument().parse().unwrap_or(1);
        drop(self.argument());
        if let Some(grid) = self.grid() {
            grid.colspan = usize::clamp(span, 1, MAX_SPAN);
        }
    }

    /// `\multirow[vpos]{rows}[bigstruts]{width}[vmove]{text}`, `\multirowcell{rows}[vmove]{text}`
    pub(super) fn multi_row(&mut self, token: Token, _: How) {
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

    pub(super) fn begin_float(&mut self, name: u32) {
        let float = Float {
            name: self.names.text(name).to_owned(),
            first_table: self.doc.tables.len(),
            ..Float::default()
        };
        self.floats.push(float);
    }

    pub(super) fn end_float(&mut self) {
        // Every float walks the tables in it, so only a few nested ones may.
        let looks = self.floats.len() <= MAX_FLOATS;
        if let Some(float) = self.floats.pop().filter(|_| looks) {
            for table in self.doc.tables.iter_mut().skip(float.first_table) {
                table.caption = table.caption.or(float.caption);
                table.label = table.label.take().or_else(|| float.label.clone());
            }
        }
    }

    pub(super) fn begin_caption(&mut self, token: Token, float: Option<String>) {
        self.star();
        match self.optional() {
            Some(short) if float.is_some() => self.unread_argument(token, &short, false),
            Some(short) => {
                // The caption for the list of floats is read first, without output: its citations count.
                self.unread(token);
                self.unread_group(token, &short);
                self.argument_group(token, After::Nothing);
                self.style = self.style.set(style::MUTE, 0);
                return;
            }
            None => {}
        }
        let around = self.floats.last().map(|float| float.name.clone());
        let float = float.or(around).unwrap_or_default();
        if !self.writer.fixed() {
            self.paragraph(token);
        }
        self.block_argument(token, BlockKind::Caption { float }, After::Caption);
    }

    /// Opens a block of its own for the next argument, in plain style.
    pub(super) fn block_argument(&mut self, token: Token, kind: BlockKind, after: After) {
        self.argument_group(token, after);
        self.writer.open(kind);
        let is_muted = self.style.has(style::MUTE) && !self.preamble;
        let kept = self.style.bits & style::ROUNDED;
        self.style = Style::default().set(if is_muted { style::MUTE } else { 0 } | kept, 0);
    }

    /// `\subfloat[caption]{content}`
    pub(super) fn sub_float(&mut self, token: Token, _: How) {
        if let Some(caption) = self.optional() {
            self.unread_group(token, &caption);
            let float = "subfloat".to_owned();
            self.block_argument(token, BlockKind::Caption { float }, After::Close);
        }
    }

    /// Opens a block of front matter; `kind` is a word of the tables.
    pub(super) fn front(&mut self, token: Token, kind: How) {
        if !self.writer.fixed() {
            self.paragraph(token);
        }
        self.block_argument(token, flow(kind).cloned().unwrap_or_default(), After::Close);
    }

    pub(super) fn front_matter(&mut self, token: Token, how: How) {
        if how == "keyed" {
            // `{key}{text}`
            let (mut key, text) = (self.argument(), self.argument());
            key.push(token.with(Kind::Space));
            key.extend(text);
            self.unread_group(token, &key);
        }
        if self.writer.fixed() && how != "noted" {
            return self.space(token);
        }
        self.front(token, "front");
    }

    pub(super) fn begin_heading(&mut self, token: Token, how: How) {
        let (level, form) = how.split_once(' ').unwrap_or((how, ""));
        let level = level.parse().unwrap_or(1);
        let starred = self.star() || !form.is_empty();
        self.skip_arguments(token, "oo");
        if self.preamble || self.style.has(style::MUTE) {
            return;
        }
        self.paragraph(token);
        self.refs_of_heading(level);
        let heading = self.doc.headings.len();
        self.doc.headings.push(Heading {
            level,
            title: String::new(),
            starred,
            appendix: self.appendix,
        });
        self.writer.section = Some(heading);
        self.block_argument(token, BlockKind::Heading { level }, After::Heading(heading));
    }

    pub(super) fn end_heading(&mut self, heading: usize) {
        let block = self.writer.close();
        if let Some(heading) = self.doc.headings.get_mut(heading)
            && let Some(block) = block.and_then(|at| self.writer.blocks.get(at))
        {
            heading.title.clone_from(&block.text);
        }
    }

    /// `\newtheorem{lem}[thm]{Lemma}[section]`, with options before it as `\newmdtheoremenv`, with two more arguments after it as
    /// `\spnewtheorem` of LNCS (its fonts) or `\newtcbtheorem` (its options and the prefix of its labels).
    pub(super) fn new_theorem(&mut self, _: Token, how: How) {
        let environment = self.name_argument();
        drop(self.optional());
        let title = self.name_argument();
        drop(self.optional());
        self.declare_theorem_as(&environment, &title);
        if how == "more" {
            drop((self.braced(), self.braced()));
        }
    }

    /// `\declaretheorem[name=Lemma]{lem, hilfssatz}` of thmtools; without a name it is that of the environment.
    pub(super) fn declare_theorem(&mut self, _: Token, _: How) {
        let options = self.optional().unwrap_or_default();
        let environments = self.name_argument();
        let name = self.titles(&options).map(|name| self.flat(&name));
        let name = name.filter(|name| !name.is_empty());
        for environment in environments.split(',').map(str::trim) {
            self.declare_theorem_as(environment, name.as_deref().unwrap_or(environment));
        }
    }

    fn declare_theorem_as(&mut self, environment: &str, title: &str) {
        if !environment.is_empty() {
            let name = self.names.intern(environment);
            self.set_environment(name, "titled");
            self.doc.theorems.push(Theorem {
                environment: environment.to_owned(),
                title: title.trim().to_owned(),
            });
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

/// Whether what the preamble prints beside cells, by `>{…}`, `<{…}`, `@{…}` or `!{…}`, changes how a number there is read:
/// digits, a sign, a percent sign. Two dashes are not a sign, and digits beside other commands are lengths.
fn changes(piece: &str) -> bool {
    let mut plain = piece.replace(['$', '{', '}'], "");
    for command in ["\\%", "\\times", "\\cdot", "\\textminus"] {
        plain = plain.replace(command, "+");
    }
    let is_dash = plain.contains(['-', '−']) && !plain.contains("--");
    let shows = |c: char| c.is_ascii_digit() || matches!(c, '+' | '×' | '%');
    (is_dash || plain.contains(shows)) && !plain.contains('\\')
}

/// Deepest nesting in which a float gives its tables a caption and label; papers nest two.
const MAX_FLOATS: usize = 8;
