//! Proposals for numbers that nothing binds.
//!
//! A proposal is a value of the data that agrees with the number to every digit shown, given by a query that somebody would write: one
//! statistic of one column, where labels that the paper names near the number are the conditions. Of several values the one whose names share
//! the most with the number's surroundings comes first; where they share little, there is no proposal. The fewer digits the number has, the more
//! they must share. A table whose lines agree cell by cell is proposed as a whole.
//!
//! Not proposed outside of whole tables: whole numbers below 100, years, number words, numbers behind `<` or `>`.

mod anchor;
mod context;
mod data;
mod rank;
mod table;
mod values;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aris_evidence::{Limits, Settings};
use aris_latex::{BlockKind, Document, Position};

use crate::bindings::{Claims, Draft, DraftSubject, Folded, append};
use crate::check::{Request, audit};
use crate::number::{Style, scan};
use crate::paper::{Paper, Shown};
use crate::report::{Audit, Entry, Status};
use context::{Contexts, Reading};
use rank::{Fit, Index};
use table::Sheet;
use values::Values;
use words::Names;

/// Numbers that get proposals, in reading order.
const MOST_NUMBERS: usize = 20_000;
/// Proposals for one number.
const ALTERNATIVES: usize = 3;
/// Proposals whose queries are asked.
const MOST_PROPOSALS: usize = 5_000;
/// Whole numbers below this one are found everywhere.
const SMALLEST: i128 = 100;
/// Years.
const YEARS: Range<i128> = 1900..2100;
/// Of so many cells of a table one may not agree.
const CELLS: usize = 5;
/// What a table is worth more than a single number in the order of proposals.
const TABLE: f64 = 10.0;

/// What proposals are made of.
#[derive(Debug)]
pub struct SuggestRequest<'a> {
    /// The paper.
    pub document: &'a Document,
    /// What is bound already, and proposed.
    pub claims: &'a Claims,
    /// Folder of `claims.toml`, relative to the paper folder; empty when it is the same.
    pub folder: &'a str,
    /// Where the data are.
    pub settings: &'a Settings,
    /// The files that may hold values, relative to the data root, sorted.
    pub evidence: &'a [String],
    /// Time and memory of queries.
    pub limits: &'a Limits,
    /// Proposals that are wanted at most.
    pub most: usize,
}

/// A binding that may be right.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The numbers that it binds: one, or cells of a table.
    pub numbers: Vec<Agreeing>,
    /// The files that its query reads, relative to the data root.
    pub files: Vec<String>,
    /// Values of the data, besides this one, that agree with the number, whatever their names; 0 for a table.
    pub others: usize,
    /// 1 for the best proposal of its number, 2 and 3 for what may be meant instead.
    pub rank: usize,
    /// The binding; `proposed` is set, `id` is left out.
    pub draft: Draft,
}

/// A number and the value proposed for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreeing {
    /// Where the number stands; for a macro where it is printed first.
    pub position: Position,
    /// The number as the paper shows it.
    pub shown: String,
    /// The value that the query gives.
    pub value: String,
    /// Whether they agree; in a table that is proposed as a whole one of five cells may not.
    pub agrees: bool,
}

/// Proposals, and what they do not take into account.
#[derive(Debug, Default)]
pub struct Suggestions {
    /// The best first.
    pub proposals: Vec<Proposal>,
    /// Files, values and numbers that were left out, and why, for people.
    pub left_out: Vec<String>,
}

/// What may be proposed before its query was asked: what is bound, how many other values agree, how sure it is.
type Idea = (DraftSubject, usize, f64);

/// Proposes bindings for the numbers that nothing binds.
pub fn suggest(request: &SuggestRequest<'_>) -> Suggestions {
    let mut out = Suggestions::default();
    let paper = Paper::new(request.document);
    let numbers = unbound(request, &paper, &mut out.left_out);
    if numbers.is_empty() {
        return out;
    }
    let sources = data::sources(request.settings, request.evidence, &mut out.left_out);
    let values = Values::new(sources, &mut out.left_out);
    let mut names = Names::default();
    let index = Index::new(&values, &mut names);
    let contexts = Contexts::new(&paper, &mut names);
    let search = Search {
        request,
        paper: &paper,
        values,
        names,
        index,
        contexts,
    };
    let mut found = search.confirmed(search.tables(&numbers));
    let covered = found.iter().flat_map(|(_, proposal)| &proposal.numbers);
    let covered: BTreeSet<&Position> = covered.map(|number| &number.position).collect();
    let is_free = |shown: &&Shown| {
        let position = paper.position(shown.block, shown.range.start);
        !covered.contains(&position) && search.counts(shown)
    };
    let rest: Vec<&Shown> = numbers.iter().filter(is_free).collect();
    found.extend(search.confirmed(search.single(&rest)));
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    out.proposals = found.into_iter().map(|(_, proposal)| proposal).collect();
    let mut ranks: BTreeMap<Position, usize> = BTreeMap::new();
    for proposal in &mut out.proposals {
        if let Some(first) = proposal.numbers.first() {
            let rank = ranks.entry(first.position.clone()).or_default();
            *rank += 1;
            proposal.rank = *rank;
        }
    }
    out.proposals.truncate(request.most);
    out
}

/// The numbers that neither a binding nor a proposal is about.
fn unbound(
    request: &SuggestRequest<'_>,
    paper: &Paper<'_>,
    left_out: &mut Vec<String>,
) -> Vec<Shown> {
    let mut claims = request.claims.clone();
    claims
        .claims
        .iter_mut()
        .for_each(|claim| claim.proposed = false);
    claims
        .tables
        .iter_mut()
        .for_each(|table| table.proposed = false);
    let audit = request.audit(&claims);
    let free = audit
        .entries
        .iter()
        .filter(|entry| entry.status == Status::Unbound);
    let free =
        free.filter_map(|entry| Some((entry.visible.as_ref()?.0, entry.visible.as_ref()?.1.start)));
    let free: BTreeSet<(usize, usize)> = free.collect();
    let mut numbers: Vec<Shown> = paper
        .results()
        .into_iter()
        .map(|(shown, _)| shown)
        .collect();
    numbers.retain(|shown| free.contains(&(shown.block, shown.range.start)));
    if let Some(first) = numbers.get(MOST_NUMBERS) {
        let at = paper.position(first.block, first.range.start);
        left_out.push(format!(
            "numbers from {at} on; {MOST_NUMBERS} unbound numbers get proposals"
        ));
    }
    numbers.truncate(MOST_NUMBERS);
    numbers
}

impl SuggestRequest<'_> {
    fn audit(&self, claims: &Claims) -> Audit {
        audit(&Request {
            document: self.document,
            claims,
            folder: self.folder,
            settings: self.settings,
            limits: self.limits,
        })
    }
}

struct Search<'s> {
    request: &'s SuggestRequest<'s>,
    paper: &'s Paper<'s>,
    values: Values,
    names: Names,
    index: Index,
    contexts: Contexts<'s>,
}

impl Search<'_> {
    /// Bindings of whole tables.
    fn tables(&self, numbers: &[Shown]) -> Vec<Idea> {
        let document = self.paper.document;
        let mut sheets: BTreeMap<(usize, usize), Sheet<'_>> = BTreeMap::new();
        for shown in numbers {
            let Some(block) = document.blocks.get(shown.block) else {
                continue;
            };
            if let BlockKind::Cell {
                table, row, col, ..
            } = block.kind
                && let Some(label) = document
                    .tables
                    .get(table)
                    .and_then(|table| table.label.as_deref())
                && let Some(heads) = self.contexts.tables.get(table)
            {
                let before = |start: usize| start <= shown.range.start;
                let numbers = scan(&block.text)
                    .into_iter()
                    .filter(|number| !number.embedded);
                let cell = numbers.filter(|number| before(number.range.start)).count();
                let sheet = sheets.entry((table, cell)).or_insert_with(|| Sheet {
                    label,
                    cell,
                    heads,
                    numbers: BTreeMap::new(),
                });
                sheet
                    .numbers
                    .insert((row, col), (shown.clone(), self.reading(shown)));
            }
        }
        let drafts = |sheet: &Sheet<'_>| {
            let found = [false, true].map(|by_rows| {
                table::Search {
                    values: &self.values,
                    index: &self.index,
                    names: &self.names,
                    sheet,
                    by_rows,
                }
                .drafts()
            });
            let [by_columns, by_rows] = found;
            let sum =
                |drafts: &[(DraftSubject, f64)]| drafts.iter().map(|draft| draft.1).sum::<f64>();
            if sum(&by_rows) > sum(&by_columns) {
                by_rows
            } else {
                by_columns
            }
        };
        let found = sheets.values().flat_map(drafts);
        found
            .map(|(subject, quality)| (subject, 0, TABLE + quality))
            .collect()
    }

    /// Bindings of single numbers.
    fn single(&self, numbers: &[&Shown]) -> Vec<Idea> {
        let mut fits: Vec<(Fit, usize, &Shown)> = Vec::new();
        let mut last = None;
        for shown in numbers {
            let key = (self.contexts.key(shown), shown.number.is_percent());
            let mut reading = match last.take() {
                Some((known, reading)) if known == key => reading,
                _ => self.reading(shown),
            };
            reading.is_spread = self.is_spread(shown);
            let (found, others) =
                self.index
                    .rank(&self.values, &self.names, &shown.number, &reading);
            let found = found.into_iter().take(ALTERNATIVES);
            fits.extend(found.map(|fit| (fit, others, *shown)));
            last = Some((key, reading));
        }
        fits.sort_by(|(one, ..), (other, ..)| other.words.total_cmp(&one.words));
        fits.truncate(self.request.most.min(MOST_PROPOSALS));
        let mut folded: BTreeMap<usize, Folded> = BTreeMap::new();
        let mut macros: BTreeSet<(String, String)> = BTreeSet::new();
        let mut out = Vec::new();
        for (fit, others, shown) in fits {
            let Some(value) = self.values.sql(&fit.candidate, fit.power) else {
                continue;
            };
            let subject = match anchor::macro_of(self.paper, shown) {
                // A macro is bound once, wherever it is printed.
                Some(name) if !macros.insert((name.clone(), value.clone())) => None,
                Some(name) => Some(DraftSubject::Macro { name, value }),
                None => {
                    let file = self.paper.place(shown.block, shown.range.start).file;
                    let folded = folded
                        .entry(file)
                        .or_insert_with(|| self.paper.folded(file));
                    let path = self
                        .paper
                        .document
                        .files
                        .get(file)
                        .map_or("", |file| &file.path);
                    let file = anchor::relative(self.request.folder, path);
                    anchor::anchor(self.paper, folded, &file, shown).map(|text| {
                        let values = vec![value];
                        DraftSubject::Sentence { file, text, values }
                    })
                }
            };
            out.extend(subject.map(|subject| (subject, others, fit.words)));
        }
        out
    }

    fn reading(&self, shown: &Shown) -> Reading {
        let mut reading = self.contexts.read(shown, &self.names);
        reading.is_spread = self.is_spread(shown);
        reading
    }

    fn is_spread(&self, shown: &Shown) -> bool {
        let before = self.contexts.before(shown);
        shown.number.uncertainty_of.is_some() || before.trim_end_matches(['{', '_']).ends_with('±')
    }

    /// Whether a number outside of whole tables may get a proposal.
    fn counts(&self, shown: &Shown) -> bool {
        let number = &shown.number;
        let bound = self
            .contexts
            .before(shown)
            .ends_with(['<', '>', '≤', '≥', '⩽', '⩾']);
        let whole = number.value.to_integer();
        let whole = whole.filter(|_| number.last_digit >= 0 && number.multiplier == 0);
        let small = whole.is_some_and(|value| value.abs() < SMALLEST || YEARS.contains(&value));
        !bound && !small && number.style != Style::Spelled
    }

    /// The ideas whose queries give what the paper shows.
    fn confirmed(&self, ideas: Vec<Idea>) -> Vec<(f64, Proposal)> {
        let mut drafts = Vec::new();
        for (at, (subject, ..)) in ideas.iter().enumerate() {
            let draft = Draft {
                id: format!("p{at}"),
                subject: subject.clone(),
                ..Draft::default()
            };
            // One that cannot be written, because of a macro's name for example, must not take the others with it.
            if append("", std::slice::from_ref(&draft)).is_ok() {
                drafts.push(draft);
            }
        }
        let written = append("", &drafts).and_then(|text| Claims::read(&text));
        let mut claims = written.unwrap_or_default();
        claims.data = self.request.claims.data.clone();
        let audit = self.request.audit(&claims);
        let mut entries: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in audit.entries.iter().filter(|entry| entry.binding.is_some()) {
            let id = entry.id.split('/').next().unwrap_or("");
            entries.entry(id).or_default().push(entry);
        }
        let mut out = Vec::new();
        for (at, (subject, others, confidence)) in ideas.into_iter().enumerate() {
            let Some(entries) = entries.get(format!("p{at}").as_str()) else {
                continue;
            };
            let is_table = matches!(subject, DraftSubject::Table { .. });
            let wrong = entries.iter().filter(|entry| !entry.status.holds());
            let usable = |entry: &&Entry| is_table && entry.status == Status::NumberMismatch;
            if wrong.clone().all(usable) && wrong.count() * CELLS <= entries.len() {
                out.push((confidence, self.proposal(subject, others, entries)));
            }
        }
        out
    }

    fn proposal(&self, subject: DraftSubject, others: usize, entries: &[&Entry]) -> Proposal {
        let number = |entry: &&Entry| Agreeing {
            position: match &entry.visible {
                Some((block, range)) => self.paper.position(*block, range.start),
                None => entry.position.clone(),
            },
            shown: entry.shown.clone().unwrap_or_default(),
            value: entry.value.clone().unwrap_or_default(),
            agrees: entry.status.holds(),
        };
        let numbers: Vec<Agreeing> = entries.iter().map(number).collect();
        let files = entries.iter().flat_map(|entry| &entry.evidence);
        let files: BTreeSet<String> = files.map(|file| file.path.clone()).collect();
        let files: Vec<String> = files.into_iter().collect();
        let from = match files.as_slice() {
            [only] => only.clone(),
            several => format!("{} files", several.len()),
        };
        let comment = match (&subject, numbers.as_slice()) {
            (DraftSubject::Table { .. }, _) => {
                let agreeing = numbers.iter().filter(|number| number.agrees).count();
                format!("{agreeing} of {} cells agree with {from}", numbers.len())
            }
            (_, [number, ..]) if others == 1 => {
                format!("value {} from {from}; 1 other value fits", number.value)
            }
            (_, [number, ..]) => {
                format!(
                    "value {} from {from}; {others} other values fit",
                    number.value
                )
            }
            _ => String::new(),
        };
        let draft = Draft {
            subject,
            proposed: true,
            comment,
            ..Draft::default()
        };
        Proposal {
            numbers,
            files,
            others,
            rank: 1,
            draft,
        }
    }
}
