//! Holds every binding against the paper and the data.

mod agreement;
mod arithmetic;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aris_evidence::{Answer, Evaluation, Limits, QueryError, Question, Settings, Value};
use aris_latex::{Document, Position};

use crate::bindings::{Claims, Spot, WaivedSubject};
use crate::decimal::Decimal;
use crate::paper::{Kind, Paper, Part, Shown, Stretches};
use crate::report::{Audit, Entry, FileUse, Note, Status};
use agreement::Outcome;
use place::{Place, Places, Target};

/// Files that one entry names; a glob may read thousands.
const MOST_FILES: usize = 100;

/// Rows of one table's query: more than any printed table has cells.
const MOST_CELLS: usize = 200_000;

/// What an audit is made of.
#[derive(Debug)]
pub struct Request<'a> {
    /// The paper.
    pub document: &'a Document,
    /// Its bindings.
    pub claims: &'a Claims,
    /// Folder of `claims.toml`, relative to the paper folder; empty when it is the same.
    pub folder: &'a str,
    /// Where the data are.
    pub settings: &'a Settings,
    /// Time and memory of queries.
    pub limits: &'a Limits,
}

/// Audits a paper.
pub fn audit(request: &Request<'_>) -> Audit {
    let paper = Paper::new(request.document);
    let places = Places::new(&paper, request.folder);
    let targets = places.all(request.claims);
    let questions: Vec<Question> = targets.iter().map(question).collect();
    let evaluation = aris_evidence::evaluate(request.settings, &questions, request.limits);
    let mut judge = Judge {
        paper: &paper,
        evaluation: &evaluation,
        entries: Vec::new(),
        bound: BTreeMap::new(),
    };
    for (at, target) in targets.iter().enumerate() {
        judge.target(at, target);
    }
    let Judge { entries, bound, .. } = judge;
    let mut audit = Audit {
        entries,
        ..Audit::default()
    };
    let waived = waivers(&places, request.claims, &mut audit.notes);
    rest(&paper, &bound, &waived, &mut audit);
    arithmetic::check(&paper, &mut audit.notes);
    without_data(&audit.entries, &mut audit.notes);
    audit.proposed = proposals(request.claims);
    audit.files = evaluation.files;
    let order = |entry: &Entry| {
        let visible = entry
            .visible
            .clone()
            .map_or((usize::MAX, 0), |(block, range)| (block, range.start));
        (visible, entry.binding, entry.id.clone())
    };
    audit.entries.sort_by_cached_key(order);
    audit
}

/// Bindings that hold whatever the data are, since their queries read none.
fn without_data(entries: &[Entry], notes: &mut Vec<Note>) {
    let bound = entries.iter().filter(|entry| entry.query.is_some());
    for entry in bound.filter(|entry| entry.status.holds() && entry.evidence.is_empty()) {
        notes.push(Note {
            id: "binding_without_data",
            position: entry.position.clone(),
            quote: entry.query.clone().unwrap_or_default(),
            message: format!("the query of `{}` reads no data file", entry.id),
        });
    }
}

fn proposals(claims: &Claims) -> usize {
    let proposed = claims.claims.iter().map(|claim| claim.proposed);
    let tables = claims.tables.iter().map(|table| table.proposed);
    proposed.chain(tables).filter(|proposed| *proposed).count()
}

fn question(target: &Target<'_>) -> Question {
    Question {
        sql: target.sql.to_owned(),
        most_rows: match target.place {
            Place::Table { .. } => MOST_CELLS,
            _ => 1,
        },
    }
}

/// The value of a query that is to give one. **Errors**: why it gives none, for people.
pub fn single(answer: &Result<Answer, QueryError>) -> Result<Value, String> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error)
            if error.kind == aris_evidence::QueryErrorKind::TooLarge
                && error.message.contains("rows") =>
        {
            return Err(String::from(
                "the query gives more than one row; a value is one row",
            ));
        }
        Err(error) => return Err(error.to_string()),
    };
    let [row] = answer.rows.as_slice() else {
        return Err(match answer.rows.len() {
            0 => String::from("the query gives no row"),
            rows => format!("the query gives {rows} rows; a value is one row"),
        });
    };
    match row.as_slice() {
        [Value::Null] => Err(String::from("the query gives NULL: no value")),
        [value] => Ok(value.clone()),
        several => Err(format!(
            "the query gives {} columns; a value is one column",
            several.len()
        )),
    }
}

/// A value as an exact number. **Errors**: what it is instead.
pub fn decimal(value: &Value) -> Result<Decimal, String> {
    let number = match value {
        Value::Integer(number) => Some(Decimal::new(i128::from(*number), 0)),
        Value::Real(number) => Decimal::from_f64(*number),
        Value::Text(text) => Decimal::parse(text.trim()),
        Value::Null => return Err(String::from("the query gives NULL: no value")),
    };
    number.ok_or_else(|| format!("the query gives {}, which is no number", display(value)))
}

fn display(value: &Value) -> String {
    match value {
        Value::Null => String::from("NULL"),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => format!("the text `{}`", text.chars().take(60).collect::<String>()),
    }
}

/// Whether a statement is true. **Errors**: why that cannot be said.
pub fn truth(answer: &Result<Answer, QueryError>) -> Result<bool, String> {
    match single(answer)? {
        Value::Integer(number) => Ok(number != 0),
        Value::Real(number) => Ok(number != 0.0),
        other => Err(format!(
            "the query gives {}, which is neither true nor false",
            display(&other)
        )),
    }
}

/// The label of a row or column that a query gives, as text.
pub(crate) fn label(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Real(_) => {
            decimal(value).map_or_else(|_| display(value), |number| number.to_string())
        }
        Value::Text(text) => text.clone(),
    }
}

type Intervals = BTreeMap<usize, Vec<Range<usize>>>;

struct Judge<'j> {
    paper: &'j Paper<'j>,
    evaluation: &'j Evaluation,
    entries: Vec<Entry>,
    bound: Intervals,
}

impl Judge<'_> {
    fn target(&mut self, at: usize, target: &Target<'_>) {
        let Some(answer) = self.evaluation.answers.get(at) else {
            return;
        };
        let before = self.entries.len();
        self.judge(target, answer);
        let evidence = uses(answer, self.evaluation);
        for entry in self.entries.iter_mut().skip(before) {
            entry.evidence.clone_from(&evidence);
        }
    }

    fn judge(&mut self, target: &Target<'_>, answer: &Result<Answer, QueryError>) {
        match &target.place {
            Place::Lost { position, message } => {
                let mut entry = Self::entry(target, Status::BindingLost, position.clone());
                entry.detail.clone_from(message);
                self.entries.push(entry);
            }
            Place::Number(shown, text) => {
                self.bind(shown.block, shown.range.clone());
                let entry = self.number(
                    target,
                    shown,
                    text.clone(),
                    target.id.clone(),
                    single(answer),
                );
                self.entries.push(entry);
            }
            Place::Macro(found) => {
                for (block, range) in &found.uses {
                    self.bind(*block, range.clone());
                }
                let first = found.uses.first();
                let shown = Shown {
                    block: first.map_or(usize::MAX, |(block, _)| *block),
                    range: first.map_or(0..0, |(_, range)| range.clone()),
                    number: found.number.clone(),
                };
                let text = found.text.clone();
                let mut entry =
                    self.number(target, &shown, text, target.id.clone(), single(answer));
                entry.position = found.at.clone();
                if first.is_none() {
                    entry.visible = None;
                }
                self.entries.push(entry);
            }
            Place::Statement {
                position,
                text,
                visible,
            } => {
                let mut entry = Self::entry(target, Status::ExactMatch, position.clone());
                entry.text.clone_from(text);
                entry.visible.clone_from(visible);
                match truth(answer) {
                    Ok(true) => entry.value = Some(String::from("true")),
                    Ok(false) => {
                        entry.status = Status::ScopeOverclaim;
                        entry.value = Some(String::from("false"));
                        entry.detail = String::from(
                            "the paper states this, and the query over the data gives false",
                        );
                    }
                    Err(message) => {
                        entry.status = Status::BindingError;
                        entry.detail = message;
                    }
                }
                self.entries.push(entry);
            }
            Place::Table {
                grids,
                position,
                rows,
                columns,
                cell,
            } => {
                let table = Sheet {
                    grids,
                    position,
                    rows,
                    columns,
                    cell: *cell,
                };
                self.table(target, &table, answer);
            }
        }
    }

    fn bind(&mut self, block: usize, range: Range<usize>) {
        self.bound.entry(block).or_default().push(range);
    }

    fn entry(target: &Target<'_>, status: Status, position: Position) -> Entry {
        Entry {
            id: target.id.clone(),
            status,
            position,
            text: target.written.to_owned(),
            shown: None,
            value: None,
            query: Some(target.sql.trim().to_owned()),
            evidence: Vec::new(),
            kind: None,
            reason: None,
            binding: Some(target.at),
            detail: String::new(),
            part: Part::Text,
            visible: None,
        }
    }

    /// The entry of one bound number.
    fn number(
        &self,
        target: &Target<'_>,
        shown: &Shown,
        text: String,
        id: String,
        value: Result<Value, String>,
    ) -> Entry {
        let position = self.paper.position(shown.block, shown.range.start);
        let mut entry = Self::entry(target, Status::BindingError, position);
        entry.id = id;
        entry.text = self.paper.context(shown.block, &shown.range);
        entry.part = self.paper.part(shown.block);
        entry.visible = Some((shown.block, shown.range.clone()));
        let is_exact = matches!(value, Ok(Value::Integer(_) | Value::Text(_)));
        match value.and_then(|value| decimal(&value)) {
            Ok(value) => {
                entry.value = Some(value.to_string());
                entry.status =
                    match agreement::compare(value, is_exact, &shown.number, target.agreement) {
                        Outcome::Exact => Status::ExactMatch,
                        Outcome::Within => Status::RoundingOk,
                        Outcome::Differs => Status::NumberMismatch,
                    };
                if entry.status == Status::NumberMismatch {
                    entry.detail = format!(
                        "the paper shows {text}, the data give {value}{}",
                        said(target)
                    );
                }
            }
            Err(message) => entry.detail = message,
        }
        entry.shown = Some(text);
        entry
    }

    fn table(
        &mut self,
        target: &Target<'_>,
        sheet: &Sheet<'_>,
        answer: &Result<Answer, QueryError>,
    ) {
        let rows = match answer {
            Ok(answer) if answer.columns.len() == 3 && !answer.rows.is_empty() => &answer.rows,
            wrong => {
                let mut entry = Self::entry(target, Status::BindingError, sheet.position.clone());
                entry.detail = match wrong {
                    Ok(answer) if answer.columns.len() != 3 => format!(
                        "the query gives {} columns; a table needs three: row, column, value",
                        answer.columns.len()
                    ),
                    Ok(_) => String::from("the query gives no row"),
                    Err(error) => error.to_string(),
                };
                self.entries.push(entry);
                return;
            }
        };
        let mut seen = BTreeSet::new();
        for row in rows {
            let [row, column, value] = row.as_slice() else {
                continue;
            };
            let (row, column) = (label(row), label(column));
            let id = format!("{}/{row}/{column}", target.id);
            let heads = (
                Sheet::head(sheet.rows, &row),
                Sheet::head(sheet.columns, &column),
            );
            if !seen.insert(heads.clone()) {
                let mut entry = Self::entry(target, Status::BindingError, sheet.position.clone());
                entry.id = id;
                entry.detail = String::from("the query gives this row and column more than once");
                self.entries.push(entry);
                continue;
            }
            match Self::cell(sheet, &heads) {
                Ok(cell) => {
                    let shown = match self.cell_number(cell, sheet.cell) {
                        Ok(shown) => shown,
                        Err(_) if *value == Value::Null => continue,
                        Err(message) => {
                            let position = self.paper.position(cell, 0);
                            let mut entry = Self::entry(target, Status::BindingLost, position);
                            (entry.id, entry.detail) = (id, message);
                            entry.value = decimal(value).ok().map(|value| value.to_string());
                            entry.part = Part::Tables;
                            self.entries.push(entry);
                            continue;
                        }
                    };
                    self.bind(shown.block, shown.range.clone());
                    let text = self.shown(&shown);
                    let value = match value {
                        Value::Null => Err(String::from("the query gives NULL for this cell")),
                        value => Ok(value.clone()),
                    };
                    let mut entry = self.number(target, &shown, text, id, value);
                    entry.text = format!("{} / {}: {}", heads.0, heads.1, entry.text);
                    self.entries.push(entry);
                }
                Err(message) => {
                    let mut entry =
                        Self::entry(target, Status::BindingLost, sheet.position.clone());
                    (entry.id, entry.detail) = (id, message);
                    entry.value = decimal(value).ok().map(|value| value.to_string());
                    entry.part = Part::Tables;
                    self.entries.push(entry);
                }
            }
        }
    }

    /// The cell with these heads, in whichever of the tables has it.
    fn cell(sheet: &Sheet<'_>, (row, column): &(String, String)) -> Result<usize, String> {
        let mut found = Vec::new();
        let mut message = None;
        for grid in sheet.grids {
            match Paper::cell(grid, row, column) {
                Ok(cell) => found.push(cell),
                Err(error) => message = message.or(Some(error)),
            }
        }
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(message.unwrap_or_else(|| String::from("the table is gone"))),
            several => Err(format!(
                "{} tables with this label have such a cell",
                several.len()
            )),
        }
    }

    /// The number of a cell, by its place from 1.
    fn cell_number(&self, block: usize, nth: usize) -> Result<Shown, String> {
        let text = self
            .paper
            .document
            .blocks
            .get(block)
            .map_or("", |block| &block.text);
        let all = crate::number::scan(text);
        let plain: Vec<_> = all
            .iter()
            .filter(|number| !number.embedded)
            .cloned()
            .collect();
        let numbers = if plain.is_empty() { all } else { plain };
        let count = numbers.len();
        let number = numbers.into_iter().nth(nth - 1);
        number
            .map(|number| Shown {
                block,
                range: number.range.clone(),
                number,
            })
            .ok_or_else(|| match (text.is_empty(), count) {
                (true, _) => String::from("the cell is empty"),
                (_, 0) => format!("the cell shows `{text}`, which holds no number"),
                _ => format!("the cell shows `{text}`, which has no number {nth}"),
            })
    }

    fn shown(&self, shown: &Shown) -> String {
        let block = self.paper.document.blocks.get(shown.block);
        let text = block.and_then(|block| block.text.get(shown.range.clone()));
        text.unwrap_or("").to_owned()
    }
}

/// A table as its binding sees it.
struct Sheet<'s> {
    grids: &'s [crate::paper::Grid],
    position: &'s Position,
    rows: &'s BTreeMap<String, String>,
    columns: &'s BTreeMap<String, String>,
    cell: usize,
}

impl Sheet<'_> {
    fn head(names: &BTreeMap<String, String>, name: &str) -> String {
        names
            .get(name)
            .map_or_else(|| name.to_owned(), Clone::clone)
    }
}

/// How the binding wants the value to agree, for a message.
fn said(target: &Target<'_>) -> String {
    use crate::bindings::{Relation, Rounding};
    let relation = match target.agreement.relation {
        Relation::Equal => match target.agreement.round {
            Rounding::Nearest => "",
            Rounding::Down => ", rounded down",
            Rounding::Up => ", rounded up",
            Rounding::Truncate => ", truncated",
        },
        Relation::Less => "; the binding says the value is below",
        Relation::AtMost => "; the binding says the value is at most this",
        Relation::Greater => "; the binding says the value is above",
        Relation::AtLeast => "; the binding says the value is at least this",
        Relation::About => "; the binding says about this",
    };
    let tolerance = target.agreement.tolerance;
    let tolerance =
        tolerance.map_or_else(String::new, |tolerance| format!(" (tolerance {tolerance})"));
    format!("{relation}{tolerance}")
}

/// What is waived: by block, the stretch and the reason.
type Waived = BTreeMap<usize, Vec<(Range<usize>, String, Spot)>>;

fn waivers(places: &Places<'_>, claims: &Claims, notes: &mut Vec<Note>) -> Waived {
    let mut waived = Waived::new();
    for waiver in &claims.waivers {
        match places.waived(&waiver.subject) {
            Ok(found) => {
                for (block, range) in found {
                    let entry = (range, waiver.reason.clone(), waiver.at);
                    waived.entry(block).or_default().push(entry);
                }
            }
            Err(message) => notes.push(Note {
                id: "waiver_lost",
                position: Position {
                    path: String::from(crate::bindings::FILE_NAME),
                    line: waiver.at.line,
                    column: waiver.at.column,
                },
                quote: match &waiver.subject {
                    WaivedSubject::Sentence(anchor) => anchor.text.clone(),
                    WaivedSubject::Table(name)
                    | WaivedSubject::File(name)
                    | WaivedSubject::Macro(name) => name.clone(),
                },
                message,
            }),
        }
    }
    waived
}

/// The numbers that no binding is about, and the counts.
fn rest(paper: &Paper<'_>, bound: &Intervals, waived: &Waived, audit: &mut Audit) {
    let mut taken: BTreeMap<usize, Stretches> = BTreeMap::new();
    for (block, ranges) in bound {
        let distinct: BTreeSet<(usize, usize)> = ranges
            .iter()
            .map(|range| (range.start, range.end))
            .collect();
        audit.coverage.part(paper.part(*block)).bound += distinct.len();
        taken.insert(*block, Stretches::new(ranges.clone()));
    }
    for (shown, kind) in paper.results() {
        let block = taken.get(&shown.block);
        if block.is_some_and(|ranges| ranges.meets(&shown.range)) {
            continue;
        }
        let meets = |(range, ..): &&(Range<usize>, String, Spot)| {
            range.start < shown.range.end && shown.range.start < range.end
        };
        let reasons = waived.get(&shown.block);
        let reason = reasons.and_then(|all| all.iter().find(meets));
        let part = paper.part(shown.block);
        let counts = audit.coverage.part(part);
        if reason.is_some() {
            counts.waived += 1;
        } else {
            counts.unbound += 1;
        }
        audit.entries.push(free(paper, &shown, kind, reason, part));
    }
}

fn free(
    paper: &Paper<'_>,
    shown: &Shown,
    kind: Kind,
    waived: Option<&(Range<usize>, String, Spot)>,
    part: Part,
) -> Entry {
    let position = paper.position(shown.block, shown.range.start);
    let block = paper.document.blocks.get(shown.block);
    let text = block
        .and_then(|block| block.text.get(shown.range.clone()))
        .unwrap_or("");
    Entry {
        id: format!("{}:{}:{}", position.path, position.line, position.column),
        status: if waived.is_some() {
            Status::Waived
        } else {
            Status::Unbound
        },
        text: paper.context(shown.block, &shown.range),
        position,
        shown: Some(text.to_owned()),
        value: None,
        query: None,
        evidence: Vec::new(),
        kind: waived.is_none().then_some(kind),
        reason: waived.map(|(_, reason, _)| reason.clone()),
        binding: waived.map(|(.., at)| *at),
        detail: String::new(),
        part,
        visible: Some((shown.block, shown.range.clone())),
    }
}

/// The files of an answer with their digests.
fn uses(answer: &Result<Answer, QueryError>, evaluation: &Evaluation) -> Vec<FileUse> {
    let Ok(answer) = answer else {
        return Vec::new();
    };
    let facts = answer
        .files
        .iter()
        .filter_map(|name| match evaluation.files.get(name) {
            Some(Ok(facts)) => Some((name, facts)),
            _ => None,
        });
    facts
        .take(MOST_FILES)
        .map(|(name, facts)| FileUse {
            path: name.clone(),
            sha256: aris_audit::Digest::from_bytes(facts.sha256).hex(),
            rows: facts.rows,
        })
        .collect()
}
