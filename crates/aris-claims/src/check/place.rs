//! Where the things that bindings name stand in the paper.

use std::collections::BTreeMap;
use std::ops::Range;

use aris_latex::Position;

use crate::bindings::{
    Agreement, Anchor, Claim, Claims, Folded, Lost, Spot, Subject, TableBinding, WaivedSubject,
    joined,
};
use crate::paper::{Grid, MacroNumber, Paper, Shown, head_text};

/// One query and what its answer is compared with.
#[derive(Debug)]
pub(super) struct Target<'c> {
    pub(super) id: String,
    pub(super) at: Spot,
    pub(super) sql: &'c str,
    pub(super) agreement: Agreement,
    /// What the binding says stands in the paper.
    pub(super) written: &'c str,
    pub(super) place: Place,
}

/// What an answer is compared with.
#[derive(Debug)]
pub(super) enum Place {
    /// Nothing: there is no such place.
    Lost { position: Position, message: String },
    /// A number, and its text.
    Number(Shown, String),
    /// A number that a macro holds.
    Macro(MacroNumber),
    /// A statement.
    Statement {
        position: Position,
        text: String,
        visible: Option<(usize, Range<usize>)>,
    },
    /// The cells of tables.
    Table {
        grids: Vec<Grid>,
        position: Position,
        rows: BTreeMap<String, String>,
        columns: BTreeMap<String, String>,
        cell: usize,
    },
}

/// Finds places in a paper.
pub(super) struct Places<'p> {
    paper: &'p Paper<'p>,
    folder: &'p str,
    folded: BTreeMap<usize, Folded>,
}

/// A sentence that was found.
struct Found {
    file: usize,
    whole: Range<usize>,
    numbers: Vec<Shown>,
}

impl<'p> Places<'p> {
    pub(super) fn new(paper: &'p Paper<'p>, folder: &'p str) -> Self {
        let files = 0..paper.document.files.len();
        Self {
            folded: files.map(|file| (file, paper.folded(file))).collect(),
            paper,
            folder,
        }
    }

    /// The targets of all bindings that count.
    pub(super) fn all<'c>(&self, claims: &'c Claims) -> Vec<Target<'c>> {
        let mut out = Vec::new();
        for claim in claims.claims.iter().filter(|claim| !claim.proposed) {
            self.claim(claim, &mut out);
        }
        let tables: Vec<&TableBinding> = claims
            .tables
            .iter()
            .filter(|table| !table.proposed)
            .collect();
        self.tables(&tables, &mut out);
        out
    }

    fn claim<'c>(&self, claim: &'c Claim, out: &mut Vec<Target<'c>>) {
        let target = |sql, agreement, written, place| Target {
            id: claim.id.clone(),
            at: claim.at,
            sql,
            agreement,
            written,
            place,
        };
        match &claim.subject {
            Subject::Macro { name, value } => {
                let place = match self.paper.macro_number(name) {
                    Ok(found) => Place::Macro(found),
                    Err(message) => lost(self.root(), message),
                };
                out.push(target(&value.sql, value.agreement, name, place));
            }
            Subject::Statement { anchor, sql } => {
                let place = match self.find(anchor) {
                    Ok(found) => {
                        let visible = self.paper.visible(found.file, found.whole.clone());
                        let at = aris_latex::Place {
                            file: found.file,
                            offset: found.whole.start,
                        };
                        Place::Statement {
                            position: self.paper.document.position(at),
                            text: visible.as_ref().map_or_else(
                                || anchor.text.clone(),
                                |(block, range)| self.paper.context(*block, range),
                            ),
                            visible,
                        }
                    }
                    Err((position, message)) => lost(position, message),
                };
                out.push(target(sql, Agreement::default(), &anchor.text, place));
            }
            Subject::Sentence { anchor, values } => match self.find(anchor) {
                Ok(found) => {
                    for (value, shown) in values.iter().zip(found.numbers) {
                        let block = self.paper.document.blocks.get(shown.block);
                        let text = block.and_then(|block| block.text.get(shown.range.clone()));
                        let text = text.unwrap_or("").to_owned();
                        let place = Place::Number(shown, text);
                        out.push(target(&value.sql, value.agreement, &anchor.text, place));
                    }
                }
                Err((position, message)) => {
                    let place = lost(position, message);
                    let first = values.first();
                    let sql = first.map_or("", |value| value.sql.as_str());
                    out.push(target(sql, Agreement::default(), &anchor.text, place));
                }
            },
        }
    }

    fn tables<'c>(&self, tables: &[&'c TableBinding], out: &mut Vec<Target<'c>>) {
        let names = tables
            .iter()
            .flat_map(|table| table.rows.values().chain(table.columns.values()));
        let names: Vec<&str> = names.map(String::as_str).collect();
        let mut heads = head_text(self.paper.document, &names).into_iter();
        for table in tables {
            let mut read = |names: &BTreeMap<String, String>| -> BTreeMap<String, String> {
                let heads = heads.by_ref().take(names.len());
                names.keys().cloned().zip(heads).collect()
            };
            let (rows, columns) = (read(&table.rows), read(&table.columns));
            out.push(self.table(table, rows, columns));
        }
    }

    fn table<'c>(
        &self,
        table: &'c TableBinding,
        rows: BTreeMap<String, String>,
        columns: BTreeMap<String, String>,
    ) -> Target<'c> {
        let found = self.paper.tables(&table.label);
        let first = found
            .first()
            .and_then(|at| self.paper.document.tables.get(*at));
        let place = match first {
            Some(first) => Place::Table {
                grids: found.iter().filter_map(|at| self.paper.grid(*at)).collect(),
                position: self.paper.document.position(first.place),
                rows,
                columns,
                cell: table.cell,
            },
            None => lost(
                self.root(),
                format!("the paper has no table with the label `{}`", table.label),
            ),
        };
        Target {
            id: table.id.clone(),
            at: table.at,
            sql: &table.sql,
            agreement: table.agreement,
            written: &table.label,
            place,
        }
    }

    fn root(&self) -> Position {
        Position {
            path: self.paper.document.root.clone(),
            line: 1,
            column: 1,
        }
    }

    /// The one place of an anchor.
    fn find(&self, anchor: &Anchor) -> Result<Found, (Position, String)> {
        let path = joined(self.folder, &anchor.file);
        let Some(file) = self.paper.file(&path) else {
            let position = Position {
                path: path.clone(),
                line: 1,
                column: 1,
            };
            return Err((position, format!("the paper does not include `{path}`")));
        };
        let empty = Folded::default();
        let source = self.folded.get(&file).unwrap_or(&empty);
        let read = |range: Range<usize>| self.paper.number(file, range);
        let counts = |range: Range<usize>| self.paper.is_visible(file, range);
        match anchor.find(source, &read, &counts) {
            Ok(fit) => Ok(Found {
                file,
                whole: fit.whole,
                numbers: fit.numbers,
            }),
            Err(reason) => {
                let position = Position {
                    path,
                    line: 1,
                    column: 1,
                };
                let message = match reason {
                    Lost::Gone => {
                        String::from("the text of this binding is not in the file any more")
                    }
                    Lost::NoNumber => String::from(
                        "the words of this binding stand in the file, but what stands at a mark is not one number",
                    ),
                    Lost::Unseen => {
                        String::from("the text of this binding stands where readers do not see it")
                    }
                    Lost::Several(count) if anchor.nth.is_some() => format!(
                        "`nth` names a place beyond the last: the text stands {count} times in the file"
                    ),
                    Lost::Several(count) => format!(
                        "the text of this binding stands {count} times in the file; make it longer or say which with `nth`"
                    ),
                };
                Err((position, message))
            }
        }
    }

    /// What a waiver is about. **Errors**: why that is nothing.
    pub(super) fn waived(
        &self,
        subject: &WaivedSubject,
    ) -> Result<Vec<(usize, Range<usize>)>, String> {
        let document = self.paper.document;
        let whole = |block: usize| {
            document
                .blocks
                .get(block)
                .map(|found| (block, 0..found.text.len()))
        };
        let found: Vec<(usize, Range<usize>)> = match subject {
            WaivedSubject::Sentence(anchor) => {
                let found = match self.find(anchor) {
                    Ok(found) => found,
                    Err((_, message)) => return Err(message),
                };
                if anchor.marks() > 0 {
                    found
                        .numbers
                        .into_iter()
                        .map(|shown| (shown.block, shown.range))
                        .collect()
                } else {
                    self.paper.all_visible(found.file, found.whole)
                }
            }
            WaivedSubject::Table(label) => {
                let tables = self.paper.tables(label).into_iter();
                let cells = tables
                    .filter_map(|at| document.tables.get(at))
                    .flat_map(|table| &table.rows);
                cells
                    .flat_map(|row| &row.cells)
                    .filter_map(|cell| whole(*cell))
                    .collect()
            }
            WaivedSubject::File(file) => match self.paper.file(&joined(self.folder, file)) {
                Some(file) => self.paper.all_visible(file, 0..usize::MAX),
                None => return Err(format!("the paper does not include `{file}`")),
            },
            WaivedSubject::Macro(name) => self
                .paper
                .expansions
                .get(name.as_str())
                .cloned()
                .unwrap_or_default(),
        };
        if found.is_empty() {
            return Err(String::from("nothing in the paper fits this waiver"));
        }
        Ok(found)
    }
}

fn lost(position: Position, message: String) -> Place {
    Place::Lost { position, message }
}
