//! Finds the places in the paper that bindings name.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use aris_latex::Position;

use crate::bindings::{
    Agreement, Anchor, Claim, Claims, Fits, Folded, Lost, Spot, Subject, TableBinding,
    WaivedSubject, joined,
};
use crate::number::scan;
use crate::paper::{Grid, MacroNumber, Paper, Shown, head_text};

/// One query and the place in the paper that its answer is compared with.
#[derive(Debug)]
pub(super) struct Target<'c> {
    pub(super) id: String,
    pub(super) at: Spot,
    pub(super) sql: &'c str,
    pub(super) agreement: Agreement,
    /// The text, label or name that the binding gives.
    pub(super) written: &'c str,
    pub(super) place: Place,
}

/// The place in the paper that an answer is compared with.
#[derive(Debug)]
pub(super) enum Place {
    /// There is no such place: where it was looked for, and why it was not found.
    Lost(Position, String),
    /// A number.
    Number(Shown),
    /// A number that a macro holds.
    Macro(MacroNumber),
    /// A statement.
    Statement {
        position: Position,
        text: String,
        visible: Option<(usize, Range<usize>)>,
    },
    /// The cells of tables.
    Table(Sheet),
}

/// The tables with one label, as their binding sees them.
#[derive(Debug)]
pub(super) struct Sheet {
    grids: Vec<Grid>,
    pub(super) position: Position,
    /// Headings in the paper by the names in the data.
    pub(super) rows: BTreeMap<String, String>,
    pub(super) columns: BTreeMap<String, String>,
    /// Which number of each cell, from 1.
    pub(super) number: usize,
}

impl Sheet {
    /// The cell with these headings. Exactly one of the tables must have it.
    pub(super) fn cell(&self, row: &str, column: &str) -> Result<usize, String> {
        let cells = self.grids.iter().map(|grid| grid.cell(row, column));
        let (found, wrong): (Vec<_>, Vec<_>) = cells.partition(Result::is_ok);
        match (found.len(), found.into_iter().chain(wrong).next()) {
            (0 | 1, Some(cell)) => cell,
            (0 | 1, None) => Err(String::from("the table is gone")),
            (several, _) => Err(format!("{several} tables with this label have such a cell")),
        }
    }
}

/// Finds places in a paper.
pub(super) struct Places<'p> {
    paper: &'p Paper<'p>,
    folder: &'p str,
    /// The folded text of each file.
    folded: Vec<Folded>,
    /// The same with comments kept. Built if an anchor is not found in the text without them.
    commented: Vec<OnceCell<Folded>>,
    /// Every match of the texts that bindings with `nth` look for, by file and text, so that each text is searched once.
    sought: RefCell<BTreeMap<(usize, String), Sought>>,
}

/// Every match of a text, shared by the bindings that mean one of them.
type Sought = Rc<Fits<Shown>>;

/// A sentence found in the paper.
struct Found {
    file: usize,
    whole: Range<usize>,
    numbers: Vec<Shown>,
}

impl<'p> Places<'p> {
    pub(super) fn new(paper: &'p Paper<'p>, folder: &'p str) -> Self {
        let files = 0..paper.document.files.len();
        Self {
            folded: files.clone().map(|file| paper.folded(file)).collect(),
            commented: files.map(|_| OnceCell::new()).collect(),
            sought: RefCell::default(),
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
        let tables = claims.tables.iter().filter(|table| !table.proposed);
        let names = tables
            .clone()
            .flat_map(|table| table.rows.values().chain(table.columns.values()));
        let names: Vec<&str> = names.map(String::as_str).collect();
        let mut heads = head_text(self.paper.document, &names).into_iter();
        out.extend(tables.map(|table| self.table(table, &mut heads)));
        out
    }

    fn claim<'c>(&self, claim: &'c Claim, out: &mut Vec<Target<'c>>) {
        let mut add = |sql: &'c str, agreement: &Agreement, written, place| {
            out.push(Target {
                id: claim.id.clone(),
                at: claim.at,
                sql,
                agreement: agreement.clone(),
                written,
                place,
            });
        };
        let plain = Agreement::default();
        match &claim.subject {
            Subject::Macro { name, value } => {
                let place = self.paper.macro_number(name).map(Place::Macro);
                let place = place.unwrap_or_else(|message| Place::Lost(self.root(), message));
                add(&value.sql, &value.agreement, name, place);
            }
            Subject::Statement { anchor, sql } => {
                let place = self.find(anchor).map(|found| self.statement(anchor, found));
                let place = place.unwrap_or_else(|(position, why)| Place::Lost(position, why));
                add(sql, &plain, &anchor.text, place);
            }
            Subject::Sentence { anchor, values } => match self.find(anchor) {
                Ok(found) => {
                    for (value, shown) in values.iter().zip(found.numbers) {
                        let place = Place::Number(shown);
                        add(&value.sql, &value.agreement, &anchor.text, place);
                    }
                }
                Err((position, why)) => {
                    let sql = values.first().map_or("", |value| value.sql.as_str());
                    add(sql, &plain, &anchor.text, Place::Lost(position, why));
                }
            },
        }
    }

    fn statement(&self, anchor: &Anchor, found: Found) -> Place {
        let visible = self.paper.visible(found.file, found.whole.clone());
        let context = visible.as_ref();
        let context = context.map(|(block, range)| self.paper.context(*block, range));
        Place::Statement {
            position: self.paper.document.position(aris_latex::Place {
                file: found.file,
                offset: found.whole.start,
            }),
            text: context.unwrap_or_else(|| anchor.text.clone()),
            visible,
        }
    }

    /// `heads`: the headings that bindings name, as the paper prints them; first those of this table's rows, then of its columns.
    fn table<'c>(
        &self,
        table: &'c TableBinding,
        heads: &mut impl Iterator<Item = String>,
    ) -> Target<'c> {
        let mut read = |names: &BTreeMap<String, String>| {
            let heads = heads.by_ref().take(names.len());
            names.keys().cloned().zip(heads).collect()
        };
        let (rows, columns) = (read(&table.rows), read(&table.columns));
        let found = self.paper.tables(&table.label);
        let first = found.first();
        let first = first.and_then(|at| self.paper.document.tables.get(*at));
        let place = if let Some(first) = first {
            Place::Table(Sheet {
                grids: found.iter().filter_map(|at| self.paper.grid(*at)).collect(),
                position: self.paper.document.position(first.place),
                rows,
                columns,
                number: table.cell,
            })
        } else {
            let message = format!("the paper has no table with the label `{}`", table.label);
            Place::Lost(self.root(), message)
        };
        Target {
            id: table.id.clone(),
            at: table.at,
            sql: &table.sql,
            agreement: table.agreement.clone(),
            written: &table.label,
            place,
        }
    }

    fn root(&self) -> Position {
        begin(self.paper.document.root.clone())
    }

    /// The one place of an anchor. **Errors**: where it was looked for, and why it was not found.
    fn find(&self, anchor: &Anchor) -> Result<Found, (Position, String)> {
        let path = joined(self.folder, &anchor.file);
        let file = self.paper.file(&path);
        let Some((file, source)) = file.and_then(|file| Some((file, self.folded.get(file)?)))
        else {
            let message = format!("the paper does not include `{path}`");
            return Err((begin(path), message));
        };
        let read = |range: Range<usize>| self.paper.number(file, range);
        let counts = |range: Range<usize>| self.paper.is_visible(file, range);
        let seek = || Rc::new(anchor.fits(source, &read, &counts));
        let fits = if anchor.nth.is_some() {
            let mut sought = self.sought.borrow_mut();
            let known = sought.entry((file, anchor.text.clone()));
            Rc::clone(known.or_insert_with(seek))
        } else {
            seek()
        };
        let meant = anchor.meant(&fits, source, &counts);
        let fit = meant.map_err(|reason| {
            let files = &self.paper.document.files;
            let text = files.get(file).map_or("", |file| &*file.text);
            let commented = || {
                let folded = self.commented.get(file)?;
                anchor.words(folded.get_or_init(|| Folded::new(text, false)))
            };
            let message = match reason {
                Lost::Gone if commented().is_none() => {
                    "the file does not contain the text of this binding".into()
                }
                Lost::Gone | Lost::Unseen => {
                    "the text of this binding stands only where readers do not see it, such as in a comment".into()
                }
                Lost::NoNumber => no_number(anchor),
                Lost::Several(count) if anchor.nth.is_some() => format!(
                    "`nth` names a place beyond the last: the text stands {count} times in the file"
                ),
                Lost::Several(count) => format!(
                    "the text of this binding stands {count} times in the file; make it longer or say which with `nth`"
                ),
            };
            (begin(path), message)
        })?;
        let grown = fit.numbers.iter();
        let grown = grown.map(|shown| self.paper.grown(shown, &fit.numbers));
        let numbers: Vec<Shown> = grown.collect();
        for shown in &numbers {
            if let Some(why) = self.paper.touched(shown, &numbers) {
                let position = self.paper.position(shown.block, shown.range.start);
                return Err((position, why));
            }
        }
        Ok(Found {
            file,
            numbers,
            whole: fit.whole,
        })
    }

    /// The byte ranges that a waiver covers, with their blocks. **Errors**: why there are none.
    pub(super) fn waived(
        &self,
        subject: &WaivedSubject,
    ) -> Result<Vec<(usize, Range<usize>)>, String> {
        let paper = self.paper;
        let found: Vec<(usize, Range<usize>)> = match subject {
            WaivedSubject::Sentence(anchor) => {
                let found = self.find(anchor).map_err(|(_, message)| message)?;
                if anchor.marks() == 0 {
                    paper.all_visible(found.file, found.whole)
                } else {
                    let numbers = found.numbers.into_iter();
                    numbers.map(|shown| (shown.block, shown.range)).collect()
                }
            }
            WaivedSubject::Table(label) => {
                let tables = paper.tables(label).into_iter();
                let tables = tables.filter_map(|at| paper.document.tables.get(at));
                let cells = tables
                    .flat_map(|table| &table.rows)
                    .flat_map(|row| &row.cells);
                cells
                    .map(|cell| (*cell, 0..paper.text(*cell).len()))
                    .collect()
            }
            WaivedSubject::File(file) => match paper.file(&joined(self.folder, file)) {
                Some(file) => paper.all_visible(file, 0..usize::MAX),
                None => return Err(format!("the paper does not include `{file}`")),
            },
            WaivedSubject::Macro(name) => {
                let printed = paper.expansions.get(name.as_str()).cloned();
                printed.unwrap_or_default()
            }
        };
        if found.is_empty() {
            return Err(String::from("nothing in the paper fits this waiver"));
        }
        Ok(found)
    }
}

/// The start of a file.
fn begin(path: String) -> Position {
    Position {
        path,
        line: 1,
        column: 1,
    }
}

/// The message for an anchor whose words are in the file, but with a mark that matches no number.
fn no_number(anchor: &Anchor) -> String {
    let more = anchor.marked.iter().find_map(|mark| {
        let numbers = scan(mark);
        let [number] = numbers.as_slice() else {
            return None;
        };
        let (before, rest) = (mark.get(..number.range.start)?, mark.get(number.range.end..)?);
        let digits = mark.get(number.range.clone())?;
        let more = !format!("{before}{rest}").trim().is_empty() && !mark.contains(['\\', '$']);
        more.then(|| {
            format!("`[[{mark}]]` marks more than a number; mark the number alone: `{before}[[{digits}]]{rest}`")
        })
    });
    let why = "the words of this binding are in the file, but the text at a mark does not read as one number";
    more.unwrap_or_else(|| why.to_owned())
}
