//! Proposals for numbers that nothing binds.
//!
//! A proposal is a value of the data that agrees with the number in every digit shown, and the query that returns it. Such a
//! query is one that a person would write: a statistic of one column, with labels that the paper names near the number as
//! conditions. Of several values, the one comes first whose names share most words with the number's context; if they share few,
//! there is no proposal. The fewer digits the number has, the more words are needed. A table whose lines agree cell by cell is
//! proposed as a whole.
//!
//! Only proposed in whole tables: whole numbers below 100, and numbers after `<` or `>`.

mod anchor;
mod context;
mod data;
mod rank;
mod table;
mod values;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use aris_latex::{BlockKind, Position};

use crate::bindings::{Claims, Draft, DraftSubject, Folded, Spot, append};
use crate::check::{Request, audit};
use crate::number::scan;
use crate::paper::{Paper, Shown};
use crate::report::{Entry, Status};
use context::Contexts;
use rank::Fit;
use values::{MOST_LOOKS, Values};

/// Most proposals for one number.
const ALTERNATIVES: usize = 3;
/// Most proposals whose queries are run.
const MOST_PROPOSALS: usize = 5_000;
/// Whole numbers below this limit match by chance too often.
const SMALLEST: f64 = 100.0;
/// One of this many cells of a table may disagree.
const CELLS: usize = 5;
/// Confidence added to a table, so that it comes before single numbers.
const TABLE: f64 = 10.0;

/// A binding that may be right.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The numbers that it binds: one number, or the cells of a table.
    pub numbers: Vec<Agreeing>,
    /// The files that its query reads, relative to the data root.
    pub files: Vec<String>,
    /// Number of other values of the data that agree with the number, whatever their names; 0 for a table.
    pub others: usize,
    /// 1 for the best proposal of its number; 2 and 3 for alternatives.
    pub rank: usize,
    /// The binding, with `proposed` set and without `id`.
    pub draft: Draft,
    confidence: f64,
}

/// A number and the value proposed for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreeing {
    /// The number's place; for a macro, where it is first printed.
    pub position: Position,
    /// The number as the paper shows it.
    pub shown: String,
    /// The value that the query returns.
    pub value: String,
}

/// Proposals, and messages about what was not considered.
#[derive(Debug, Default)]
pub struct Suggestions {
    /// The proposals, best first.
    pub proposals: Vec<Proposal>,
    /// Files, values and numbers that were left out, and why; for people.
    pub left_out: Vec<String>,
}

/// A proposal before its query is run: what it binds, how many other values agree, and the confidence.
type Idea = (DraftSubject, usize, f64);

/// Proposes at most `most` bindings for the numbers that nothing binds. `evidence`: the files that may hold values, relative to
/// the data root, sorted.
pub fn suggest(request: &Request<'_>, evidence: &[String], most: usize) -> Suggestions {
    let paper = Paper::new(request.document);
    let numbers = unbound(request, &paper);
    if numbers.is_empty() {
        return Suggestions::default();
    }
    let mut data = data::read(request.settings, evidence);
    let contexts = Contexts::new(&paper, &mut data.names);
    let search = Search {
        request,
        most,
        paper: &paper,
        values: Values::new(data),
        contexts,
    };
    let mut proposals = search.confirmed(search.tables(&numbers));
    let covered = proposals.iter().flat_map(|proposal| &proposal.numbers);
    let covered: BTreeSet<&Position> = covered.map(|number| &number.position).collect();
    let is_free = |shown: &&Shown| {
        let position = paper.position(shown.block, shown.range.start);
        !covered.contains(&position) && search.counts(shown)
    };
    let rest: Vec<&Shown> = numbers.iter().filter(is_free).collect();
    proposals.extend(search.confirmed(search.single(&rest)));
    proposals.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    let mut ranks: BTreeMap<Option<Position>, usize> = BTreeMap::new();
    for proposal in &mut proposals {
        let first = proposal.numbers.first();
        let rank = ranks.entry(first.map(|number| number.position.clone()));
        proposal.rank = *rank.and_modify(|rank| *rank += 1).or_insert(1);
    }
    proposals.truncate(most);
    Suggestions {
        proposals,
        left_out: search.values.data.left_out,
    }
}

/// The numbers that neither a binding nor a proposal covers.
fn unbound(request: &Request<'_>, paper: &Paper<'_>) -> Vec<Shown> {
    let mut claims = request.claims.clone();
    for claim in &mut claims.claims {
        claim.proposed = false;
    }
    for table in &mut claims.tables {
        table.proposed = false;
    }
    let claims = &claims;
    let entries = audit(&Request { claims, ..*request }).entries;
    let is_unbound = |entry: &&Entry| entry.status == Status::Unbound;
    let free = entries.iter().filter(is_unbound);
    let free = free.filter_map(|entry| entry.visible.as_ref());
    let free: BTreeSet<(usize, usize)> = free.map(|(block, range)| (*block, range.start)).collect();
    let numbers = paper.results().into_iter().map(|(shown, _)| shown);
    let is_free = |shown: &Shown| free.contains(&(shown.block, shown.range.start));
    numbers.filter(is_free).collect()
}

struct Search<'s> {
    request: &'s Request<'s>,
    most: usize,
    paper: &'s Paper<'s>,
    values: Values,
    contexts: Contexts<'s>,
}

impl Search<'_> {
    /// Bindings of whole tables.
    fn tables(&self, numbers: &[Shown]) -> Vec<Idea> {
        let mut searches: BTreeMap<(usize, usize), table::Search<'_>> = BTreeMap::new();
        for shown in numbers {
            if let Some(block) = self.paper.document.blocks.get(shown.block)
                && let BlockKind::Cell {
                    table, row, col, ..
                } = block.kind
                && let Some(heads) = self.contexts.tables.get(table)
                && !heads.label.is_empty()
            {
                let mut before = scan(&block.text);
                before.retain(|number| !number.embedded && number.range.start <= shown.range.start);
                let cell = before.len();
                let search = searches.entry((table, cell));
                let search = search.or_insert_with(|| table::Search {
                    values: &self.values,
                    heads,
                    numbers: BTreeMap::new(),
                    cell,
                    by_rows: false,
                });
                let reading = self.contexts.read(shown, &self.values.data.names);
                search.numbers.insert((row, col), (shown.clone(), reading));
            }
        }
        let mut out = Vec::new();
        for mut search in searches.into_values() {
            let by_columns = search.drafts();
            search.by_rows = true;
            let by_rows = search.drafts();
            let sum = |drafts: &[(_, f64)]| drafts.iter().map(|draft| draft.1).sum::<f64>();
            let rows_win = sum(&by_rows) > sum(&by_columns);
            let ideas = if rows_win { by_rows } else { by_columns }.into_iter();
            out.extend(ideas.map(|(subject, quality)| (subject, 0, TABLE + quality)));
        }
        out
    }

    /// Bindings of single numbers.
    fn single(&self, numbers: &[&Shown]) -> Vec<Idea> {
        let mut fits: Vec<(Fit, usize, &Shown)> = Vec::new();
        let most = MOST_LOOKS / numbers.len().max(1);
        for shown in numbers {
            let reading = self.contexts.read(shown, &self.values.data.names);
            let (found, others) = self.values.rank(&shown.number, &reading, most);
            let found = found.into_iter().take(ALTERNATIVES);
            fits.extend(found.map(|fit| (fit, others, *shown)));
        }
        fits.sort_by(|(one, ..), (other, ..)| other.words.total_cmp(&one.words));
        fits.truncate(self.most.min(MOST_PROPOSALS));
        let files = 0..self.paper.document.files.len();
        let folded: Vec<Folded> = files.map(|at| self.paper.folded(at)).collect();
        let mut macros: BTreeSet<(String, String)> = BTreeSet::new();
        let mut out = Vec::new();
        for (fit, others, shown) in fits {
            let Some(value) = self.values.sql(&fit.candidate, fit.power, None) else {
                continue;
            };
            let place = self.paper.place(shown.block, shown.range.start);
            let subject = if let Some(name) = anchor::macro_of(self.paper, shown) {
                // A macro is bound once, wherever it is printed.
                let is_new = macros.insert((name.clone(), value.clone()));
                is_new.then_some(DraftSubject::Macro { name, value })
            } else if let Some(file) = self.paper.document.files.get(place.file)
                && let Some(folded) = folded.get(place.file)
            {
                let file = anchor::relative(self.request.folder, &file.path);
                let text = anchor::anchor(self.paper, folded, &file, shown);
                let values = vec![value];
                text.map(|text| DraftSubject::Sentence { file, text, values })
            } else {
                None
            };
            out.extend(subject.map(|subject| (subject, others, fit.words)));
        }
        out
    }

    /// Whether a number may get a proposal of its own.
    fn counts(&self, shown: &Shown) -> bool {
        let block = self.paper.document.blocks.get(shown.block);
        let before = block.and_then(|block| block.text.get(..shown.range.start));
        let before = before.unwrap_or("").trim_end();
        let is_whole = shown.number.last_digit >= 0 && shown.number.multiplier == 0;
        let small = shown.number.value.abs().to_f64() < SMALLEST && is_whole;
        !small && !before.ends_with(['<', '>', '≤', '≥', '⩽', '⩾'])
    }

    /// The ideas whose queries return the numbers that the paper shows.
    fn confirmed(&self, ideas: Vec<Idea>) -> Vec<Proposal> {
        let mut claims = Claims {
            data: self.request.claims.data.clone(),
            ..Claims::default()
        };
        for (line, (subject, ..)) in ideas.iter().enumerate() {
            let draft = Draft {
                subject: subject.clone(),
                ..Draft::default()
            };
            // Each is written on its own, so that one that is not valid, such as a strange macro name, does not spoil the others.
            let written = append("", &[draft]).and_then(|text| Claims::read(&text));
            let mut read = written.unwrap_or_default();
            // The line tells later which idea an entry belongs to.
            let spot = Spot { line, column: 0 };
            read.claims.iter_mut().for_each(|claim| claim.at = spot);
            read.tables.iter_mut().for_each(|table| table.at = spot);
            claims.claims.append(&mut read.claims);
            claims.tables.append(&mut read.tables);
        }
        let audit = audit(&Request {
            claims: &claims,
            ..*self.request
        });
        let mut entries: BTreeMap<usize, Vec<&Entry>> = BTreeMap::new();
        for entry in &audit.entries {
            if let Some(spot) = entry.binding {
                entries.entry(spot.line).or_default().push(entry);
            }
        }
        let mut out = Vec::new();
        for (line, (subject, others, confidence)) in ideas.into_iter().enumerate() {
            let entries = entries.remove(&line).unwrap_or_default();
            let wrong = entries.iter().filter(|entry| !entry.status.holds());
            let known = wrong
                .clone()
                .all(|entry| entry.status == Status::NumberMismatch);
            let right = entries.len() - wrong.count();
            if !known || right == 0 || right * CELLS < entries.len() * (CELLS - 1) {
                continue;
            }
            let number = |entry: &&Entry| Agreeing {
                position: match &entry.visible {
                    Some((block, range)) => self.paper.position(*block, range.start),
                    None => entry.position.clone(),
                },
                shown: entry.shown.clone().unwrap_or_default(),
                value: entry.value.clone().unwrap_or_default(),
            };
            let files = entries.iter().flat_map(|entry| &entry.evidence);
            let files: BTreeSet<&String> = files.map(|file| &file.path).collect();
            let all = entries.len();
            let comment = format!("{right} of {all} agree; {others} other values fit");
            out.push(Proposal {
                numbers: entries.iter().map(number).collect(),
                files: files.into_iter().cloned().collect(),
                others,
                rank: 1,
                draft: Draft {
                    subject,
                    proposed: true,
                    comment,
                    ..Draft::default()
                },
                confidence,
            });
        }
        out
    }
}
