//! Checks every binding against the paper and the data.

mod agreement;
mod arithmetic;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aris_evidence::{Answer, Evaluation, Limits, QueryError, QueryErrorKind};
use aris_evidence::{Question, Settings, Value};
use aris_latex::{Document, Position};

use crate::bindings::{Agreement, Claims, FILE_NAME, Relation, Rounding, Waiver};
use crate::decimal::Decimal;
use crate::number::scan;
use crate::paper::{Kind, Paper, Part, Shown};
use crate::report::{Audit, Entry, FileUse, Note, Status};
use crate::stretches::Stretches;
use agreement::Outcome;
use place::{Place, Places, Sheet, Target};

/// Most rows of one table's query: more than any printed table has cells.
const MOST_CELLS: usize = 200_000;

/// The input of an audit.
#[derive(Debug)]
pub struct Request<'a> {
    /// The paper.
    pub document: &'a Document,
    /// Its bindings.
    pub claims: &'a Claims,
    /// Folder of `claims.toml`, relative to the paper folder; empty if it is the same.
    pub folder: &'a str,
    /// Where the data are.
    pub settings: &'a Settings,
}

/// Audits a paper.
pub fn audit(request: &Request<'_>) -> Audit {
    let paper = Paper::new(request.document);
    let places = Places::new(&paper, request.folder);
    let targets = places.all(request.claims);
    let questions: Vec<Question> = targets.iter().map(question).collect();
    let evaluation = aris_evidence::evaluate(request.settings, &questions, &Limits::default());
    let mut judge = Judge {
        paper: &paper,
        audit: Audit::default(),
        bound: BTreeMap::new(),
    };
    for (target, answer) in targets.iter().zip(&evaluation.answers) {
        let before = judge.audit.entries.len();
        judge.judge(target, answer);
        let evidence = uses(answer, &evaluation);
        for entry in judge.audit.entries.iter_mut().skip(before) {
            entry.evidence.clone_from(&evidence);
        }
    }
    let Judge {
        mut audit, bound, ..
    } = judge;
    for entry in &audit.entries {
        if entry.status.holds() && entry.evidence.is_empty() {
            // It holds whatever the data say.
            audit.notes.push(Note {
                id: "binding_without_data",
                position: entry.position.clone(),
                quote: entry.query.clone().unwrap_or_default(),
                message: format!("the query of `{}` reads no data file", entry.id),
            });
        }
    }
    let waived = waivers(&places, request.claims, &mut audit.notes);
    rest(&paper, &bound, &waived, &mut audit);
    for entry in &mut audit.entries {
        let visible = entry.visible.as_ref();
        let doubt = visible.and_then(|(block, range)| paper.doubt(*block, range));
        if let Some(at) = doubt.filter(|_| !entry.status.holds() && entry.status != Status::Waived)
        {
            entry.status = Status::Undecided;
            let (path, line, detail) = (at.path, at.line, &entry.detail);
            entry.detail = format!("whether it is set is not known ({path}:{line}); {detail}");
        }
    }
    arithmetic::check(&paper, &mut audit.notes);
    let claims = request.claims.claims.iter().map(|claim| claim.proposed);
    let tables = request.claims.tables.iter().map(|table| table.proposed);
    audit.proposed = claims.chain(tables).filter(|proposed| *proposed).count();
    audit.files = evaluation.files;
    audit.entries.sort_by_cached_key(|entry| {
        let visible = entry.visible.as_ref();
        let visible = visible.map_or((usize::MAX, 0), |(block, range)| (*block, range.start));
        (visible, entry.binding, entry.id.clone())
    });
    audit
}

fn question(target: &Target<'_>) -> Question {
    let is_table = matches!(target.place, Place::Table(_));
    Question {
        sql: target.sql.to_owned(),
        most_rows: if is_table { MOST_CELLS } else { 1 },
    }
}

/// The value of a query that must return one. **Errors**: a message that says why there is no value.
pub fn single(answer: &Result<Answer, QueryError>) -> Result<Value, String> {
    let answer = answer.as_ref().map_err(|error| {
        // The same kind of error can be about a data file. Its own message is better then.
        let is_of_answer = error.kind == QueryErrorKind::TooLarge && error.file.is_none();
        if is_of_answer && error.message.contains("rows") {
            return String::from("the query gives more than one row; a value is one row");
        }
        error.to_string()
    })?;
    match answer.rows.as_slice() {
        [] => Err(String::from("the query gives no row")),
        [row] => match row.as_slice() {
            [Value::Null] => Err(String::from("the query gives NULL: no value")),
            [value] => Ok(value.clone()),
            several => {
                let columns = several.len();
                Err(format!(
                    "the query gives {columns} columns; a value is one column"
                ))
            }
        },
        rows => {
            let rows = rows.len();
            Err(format!("the query gives {rows} rows; a value is one row"))
        }
    }
}

/// A value as an exact number. **Errors**: a message that says what it is instead.
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

/// Whether a statement is true. **Errors**: a message that says why this is unknown.
pub fn truth(answer: &Result<Answer, QueryError>) -> Result<bool, String> {
    match single(answer)? {
        Value::Integer(number) => Ok(number != 0),
        Value::Real(number) => Ok(number != 0.0),
        other => {
            let other = display(&other);
            Err(format!(
                "the query gives {other}, which is neither true nor false"
            ))
        }
    }
}

/// A row or column label from a query, as text.
pub(crate) fn label(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Text(text) => text.clone(),
        number => decimal(number).map_or_else(|_| display(number), |number| number.to_string()),
    }
}

struct Judge<'j> {
    paper: &'j Paper<'j>,
    audit: Audit,
    /// Byte ranges that bindings cover, by block.
    bound: BTreeMap<usize, Vec<Range<usize>>>,
}

impl Judge<'_> {
    fn judge(&mut self, target: &Target<'_>, answer: &Result<Answer, QueryError>) {
        let entry = match &target.place {
            Place::Lost(position, message) => {
                entry(target, Status::BindingLost, position, message.clone())
            }
            Place::Number(shown) => self.number(target, shown, single(answer)),
            Place::Macro(found) => {
                for (block, range) in &found.uses {
                    self.bind(*block, range);
                }
                let (block, range) = found.uses.first().cloned().unwrap_or((usize::MAX, 0..0));
                let number = found.number.clone();
                let shown = Shown {
                    block,
                    range,
                    number,
                };
                let mut entry = self.compared(target, &shown, &found.text, single(answer));
                entry.position = found.at.clone();
                entry.visible = entry.visible.filter(|_| !found.uses.is_empty());
                entry
            }
            Place::Statement {
                position,
                text,
                visible,
            } => {
                let truth = truth(answer);
                let (status, detail) = match &truth {
                    Ok(true) => (Status::ExactMatch, String::new()),
                    Ok(false) => {
                        let why = "the paper states this, but the query over the data gives false";
                        (Status::ScopeOverclaim, why.to_owned())
                    }
                    Err(message) => (Status::BindingError, message.clone()),
                };
                Entry {
                    text: text.clone(),
                    value: truth.ok().map(|truth| truth.to_string()),
                    visible: visible.clone(),
                    ..entry(target, status, position, detail)
                }
            }
            Place::Table(sheet) => return self.table(target, sheet, answer),
        };
        self.audit.entries.push(entry);
    }

    fn bind(&mut self, block: usize, range: &Range<usize>) {
        self.bound.entry(block).or_default().push(range.clone());
    }

    /// The entry of a number in the text.
    fn number(
        &mut self,
        target: &Target<'_>,
        shown: &Shown,
        value: Result<Value, String>,
    ) -> Entry {
        self.bind(shown.block, &shown.range);
        self.compared(target, shown, self.paper.shown(shown), value)
    }

    fn compared(
        &self,
        target: &Target<'_>,
        shown: &Shown,
        text: &str,
        value: Result<Value, String>,
    ) -> Entry {
        let position = self.paper.position(shown.block, shown.range.start);
        let is_exact = matches!(value, Ok(Value::Integer(_) | Value::Text(_)));
        let value = value.and_then(|value| decimal(&value));
        let how = &target.agreement;
        let (status, detail) = match &value {
            _ if self.paper.is_counted(shown) => {
                let why = "a reference or counter of LaTeX stands directly at this number, so that it is not known which number readers see; put a space between them";
                (Status::BindingLost, why.to_owned())
            }
            Err(message) => (Status::BindingError, message.clone()),
            Ok(value) => match agreement::compare(value, is_exact, &shown.number, how) {
                Outcome::Exact => (Status::ExactMatch, String::new()),
                Outcome::Within => (Status::RoundingOk, said(how).unwrap_or_default()),
                Outcome::Unknown => {
                    let message = format!(
                        "the paper shows {text}, more digits than the value {value} is known to: round the number, or give a tolerance"
                    );
                    (Status::BindingError, message)
                }
                Outcome::Differs => {
                    let both = format!("the paper shows {text}, the data give {value}");
                    let said = said(how).map(|said| format!("; {said}"));
                    (Status::NumberMismatch, both + &said.unwrap_or_default())
                }
            },
        };
        let correction = match &value {
            Ok(value) if status == Status::NumberMismatch => {
                agreement::correction(value, is_exact, text, &shown.number, how)
            }
            _ => None,
        };
        Entry {
            text: self.paper.context(shown.block, &shown.range),
            shown: Some(text.to_owned()),
            value: value.ok().map(|value| value.to_string()),
            correction,
            part: self.paper.part(shown.block),
            visible: Some((shown.block, shown.range.clone())),
            ..entry(target, status, &position, detail)
        }
    }

    fn table(&mut self, target: &Target<'_>, sheet: &Sheet, answer: &Result<Answer, QueryError>) {
        let wrong = |detail| entry(target, Status::BindingError, &sheet.position, detail);
        let rows = match answer {
            Ok(answer) if answer.columns.len() != 3 => {
                let columns = answer.columns.len();
                let needed = "a table needs three: row, column, value";
                Err(format!("the query gives {columns} columns; {needed}"))
            }
            Ok(answer) if answer.rows.is_empty() => Err(String::from("the query gives no row")),
            Ok(answer) => Ok(&answer.rows),
            Err(error) => Err(error.to_string()),
        };
        let rows = match rows {
            Ok(rows) => rows,
            Err(message) => return self.audit.entries.push(wrong(message)),
        };
        let mut seen = BTreeSet::new();
        for row in rows {
            let [row, column, value] = row.as_slice() else {
                continue;
            };
            let (row, column) = (label(row), label(column));
            let heads = (
                sheet.rows.get(&row).unwrap_or(&row).clone(),
                sheet.columns.get(&column).unwrap_or(&column).clone(),
            );
            let cell = sheet.cell(&heads.0, &heads.1);
            let mut entry = if seen.insert(heads.clone()) {
                let found = cell.as_ref().map_err(Clone::clone);
                match found.and_then(|cell| self.cell_number(*cell, sheet.number)) {
                    Ok(shown) => {
                        let value = match value {
                            Value::Null => Err(String::from("the query gives NULL for this cell")),
                            value => Ok(value.clone()),
                        };
                        let entry = self.number(target, &shown, value);
                        let text = format!("{} / {}: {}", heads.0, heads.1, entry.text);
                        Entry { text, ..entry }
                    }
                    Err(_) if cell.is_ok() && *value == Value::Null => continue,
                    Err(message) => {
                        let position = cell.map(|cell| self.paper.position(cell, 0));
                        let position = position.unwrap_or_else(|_| sheet.position.clone());
                        Entry {
                            value: decimal(value).ok().map(|value| value.to_string()),
                            part: Part::Tables,
                            ..entry(target, Status::BindingLost, &position, message)
                        }
                    }
                }
            } else {
                wrong("the query gives this row and column more than once".into())
            };
            entry.id = format!("{}/{row}/{column}", target.id);
            self.audit.entries.push(entry);
        }
    }

    /// The number of a cell, by its position from 1.
    fn cell_number(&self, block: usize, nth: usize) -> Result<Shown, String> {
        let text = self.paper.text(block);
        let all = scan(text);
        let plain = all.iter().filter(|number| !number.embedded);
        let plain: Vec<_> = plain.cloned().collect();
        let numbers = if plain.is_empty() { all } else { plain };
        match numbers.get(nth - 1) {
            Some(number) => {
                let shown = self.paper.signed(Shown {
                    block,
                    range: number.range.clone(),
                    number: number.clone(),
                });
                self.paper.touched(&shown, &[]).map_or(Ok(shown), Err)
            }
            None if text.is_empty() => Err(String::from("the cell is empty")),
            None if numbers.is_empty() => {
                Err(format!("the cell shows `{text}`, which holds no number"))
            }
            None => Err(format!(
                "the cell shows `{text}`, which has no number {nth}"
            )),
        }
    }
}

/// An entry without a number.
fn entry(target: &Target<'_>, status: Status, position: &Position, detail: String) -> Entry {
    let (id, text) = (target.id.clone(), target.written.to_owned());
    Entry {
        query: Some(target.sql.trim().to_owned()),
        binding: Some(target.at),
        detail,
        ..Entry::new(id, status, position.clone(), text)
    }
}

/// How the binding wants the value to agree. `None` for plain equality.
fn said(how: &Agreement) -> Option<String> {
    let relation = match (how.relation, how.round) {
        (Relation::Equal, Rounding::Nearest) => how.tolerance.as_ref().map(|_| "is near it"),
        (Relation::Equal, Rounding::Down) => Some("is rounded down"),
        (Relation::Equal, Rounding::Up) => Some("is rounded up"),
        (Relation::Equal, Rounding::Truncate) => Some("is truncated"),
        (Relation::Less, _) => Some("is below it (<)"),
        (Relation::AtMost, _) => Some("is at most this (<=)"),
        (Relation::Greater, _) => Some("is above it (>)"),
        (Relation::AtLeast, _) => Some("is at least this (>=)"),
        (Relation::About, _) => Some("is about this"),
    }?;
    let tolerance = how.tolerance.as_ref();
    let tolerance = tolerance.map(|most| format!(", tolerance {most}"));
    let tolerance = tolerance.unwrap_or_default();
    Some(format!(
        "the binding says that the value {relation}{tolerance}"
    ))
}

/// What is waived: by block, byte ranges with their waivers.
type Waived<'c> = BTreeMap<usize, Vec<(Range<usize>, &'c Waiver)>>;

fn waivers<'c>(places: &Places<'_>, claims: &'c Claims, notes: &mut Vec<Note>) -> Waived<'c> {
    let mut waived = Waived::new();
    for waiver in &claims.waivers {
        match places.waived(&waiver.subject) {
            Ok(found) => {
                for (block, range) in found {
                    waived.entry(block).or_default().push((range, waiver));
                }
            }
            Err(message) => notes.push(Note {
                id: "waiver_lost",
                position: waiver.at.position(FILE_NAME),
                quote: waiver.subject.written().to_owned(),
                message,
            }),
        }
    }
    waived
}

/// Adds the numbers that no binding covers, and the counts.
fn rest(
    paper: &Paper<'_>,
    bound: &BTreeMap<usize, Vec<Range<usize>>>,
    waived: &Waived<'_>,
    audit: &mut Audit,
) {
    let mut taken: BTreeMap<usize, Stretches> = BTreeMap::new();
    for (block, ranges) in bound {
        let distinct = ranges.iter().map(|range| (range.start, range.end));
        let distinct: BTreeSet<_> = distinct.collect();
        audit.coverage.part(paper.part(*block)).bound += distinct.len();
        taken.insert(*block, ranges.iter().cloned().collect());
    }
    for (shown, kind) in paper.results() {
        let block = taken.get(&shown.block);
        if block.is_some_and(|ranges| ranges.meets(&shown.range)) {
            continue;
        }
        let mut waivers = waived.get(&shown.block).into_iter().flatten();
        let meets =
            |range: &Range<usize>| range.start < shown.range.end && shown.range.start < range.end;
        let waiver = waivers.find(|(range, _)| meets(range));
        let waiver = waiver.map(|(_, waiver)| *waiver);
        let counts = audit.coverage.part(paper.part(shown.block));
        match waiver {
            Some(_) => counts.waived += 1,
            None if paper.doubt(shown.block, &shown.range).is_some() => {}
            None => counts.unbound += 1,
        }
        audit.entries.push(free(paper, &shown, kind, waiver));
    }
}

fn free(paper: &Paper<'_>, shown: &Shown, kind: Kind, waiver: Option<&Waiver>) -> Entry {
    let position = paper.position(shown.block, shown.range.start);
    let id = format!("{}:{}:{}", position.path, position.line, position.column);
    let status = waiver.map_or(Status::Unbound, |_| Status::Waived);
    let text = paper.context(shown.block, &shown.range);
    Entry {
        shown: Some(paper.shown(shown).to_owned()),
        kind: waiver.is_none().then_some(kind),
        reason: waiver.map(|waiver| waiver.reason.clone()),
        binding: waiver.map(|waiver| waiver.at),
        part: paper.part(shown.block),
        visible: Some((shown.block, shown.range.clone())),
        ..Entry::new(id, status, position, text)
    }
}

/// The files that an answer was read from, with their digests.
fn uses(answer: &Result<Answer, QueryError>, evaluation: &Evaluation) -> Vec<FileUse> {
    let names = answer.iter().flat_map(|answer| &answer.files);
    let files = names.filter_map(|name| match evaluation.files.get(name) {
        Some(Ok(facts)) => Some(FileUse {
            path: name.clone(),
            sha256: aris_audit::Digest::from_bytes(facts.sha256).hex(),
            rows: facts.rows,
        }),
        _ => None,
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_file_is_told_of_the_file() {
        let told = |file: Option<&str>| {
            let error = QueryError {
                kind: QueryErrorKind::TooLarge,
                message: String::from("more than 9 rows"),
                file: file.map(str::to_owned),
                line: 0,
                column: 0,
            };
            single(&Err(error)).expect_err("too large")
        };
        assert!(told(None).starts_with("the query gives more than one row"));
        assert_eq!(told(Some("a.csv")), "a.csv: more than 9 rows");
    }
}
