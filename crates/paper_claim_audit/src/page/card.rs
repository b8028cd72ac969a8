//! The texts about one number: on its card, in the list of what needs attention, and in the notes of a printed page.

use std::borrow::Cow;

use aris_claims::runs::{Runs, short};
use aris_claims::{Entry, FileUse, Kind, Status};

/// Most characters shown of one entry; the artifact has all of them.
pub(super) const LONGEST: usize = 2_000;
/// Most characters of a query on a card; the cells of a table share a query.
pub(super) const BRIEF: usize = 400;
/// Most data files named for one entry.
const FILES: usize = 5;

/// The texts about one number or statement.
pub(super) struct Card {
    pub(super) status: &'static str,
    pub(super) label: &'static str,
    pub(super) rows: Vec<Row>,
}

/// A name and a value.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) text: String,
    pub(super) is_code: bool,
}

impl Card {
    pub(super) fn new(entry: &Entry, claims_file: &str, runs: &Runs, longest_query: usize) -> Self {
        let mut rows = Vec::new();
        let mut row = |name, text: &str, is_code| {
            if !text.is_empty() {
                let text = clip(text);
                rows.push(Row {
                    name,
                    text,
                    is_code,
                });
            }
        };
        let (shown, value) = (entry.shown.as_deref(), entry.value.as_deref());
        row("Paper shows", shown.unwrap_or(""), false);
        row("Data give", value.unwrap_or(""), false);
        let why = match entry.status {
            Status::NumberMismatch | Status::RoundingOk => "Compared",
            _ => "Why",
        };
        row(why, &left_to_say(entry), false);
        row("Reason", entry.reason.as_deref().unwrap_or(""), false);
        row("Listed as", entry.kind.map_or("", listed), false);
        row("Data", &files(&entry.evidence), true);
        for made in made(entry, runs) {
            row("Made by", &made, false);
        }
        if let Some(at) = entry.binding {
            let place = format!("{claims_file}:{}", at.line);
            row("Written in", &place, true);
        }
        row("In the paper", &place(&entry.position), true);
        let query = entry.query.as_deref().unwrap_or("");
        row("Query", &cut(query, longest_query), true);
        Self {
            status: entry.status.word(),
            label: label(entry),
            rows,
        }
    }
}

/// The runs behind the data, and the gaps; empty if the project has no ledger of runs.
fn made(entry: &Entry, runs: &Runs) -> Vec<String> {
    if runs.ledger.is_none() || entry.evidence.is_empty() {
        return Vec::new();
    }
    let files = entry.evidence.iter();
    let records = files.filter_map(|file| runs.made(file)?.run.as_ref());
    let mut lines: Vec<String> = Vec::new();
    for run in records {
        let commit = run.source.as_ref().map(|source| source.commit.as_str());
        let commit = commit.filter(|commit| !commit.is_empty());
        let commit = commit.map(|commit| format!("; commit {}", short(commit)));
        let (words, commit) = (run.words(), commit.unwrap_or_default());
        let line = format!("{words}: {}{commit}", run.command);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(FILES);
    lines.truncate(FILES);
    if more > 0 {
        lines.push(format!("and {more} more runs"));
    }
    let gaps = runs.gaps(entry);
    let more = gaps.len().saturating_sub(FILES);
    let gaps = gaps.into_iter().take(FILES);
    lines.extend(gaps.map(|gap| format!("{}: {}", gap.file, gap.message)));
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The detail without what the rows say already.
fn left_to_say(entry: &Entry) -> String {
    let said = match (&entry.shown, &entry.value) {
        (Some(shown), Some(value)) => format!("the paper shows {shown}, the data give {value}"),
        _ => String::new(),
    };
    let rest = entry.detail.strip_prefix(&said).unwrap_or(&entry.detail);
    rest.trim_start_matches([',', ';', ' ']).to_owned()
}

/// `path:line`.
pub(super) fn place(position: &aris_latex::Position) -> String {
    format!("{}:{}", position.path, position.line)
}

fn files(evidence: &[FileUse]) -> String {
    let name = |file: &FileUse| match file.rows {
        Some(rows) => format!("{} ({rows} rows)", file.path),
        None => file.path.clone(),
    };
    let mut out: Vec<String> = evidence.iter().take(FILES).map(name).collect();
    if evidence.len() > FILES {
        out.push(format!("and {} more", evidence.len() - FILES));
    }
    out.join(", ")
}

pub(super) fn label(entry: &Entry) -> &'static str {
    match entry.status {
        Status::ExactMatch if entry.shown.is_none() => "True",
        status => words(status).0,
    }
}

/// The name of a status, and its meaning.
pub(super) fn words(status: Status) -> (&'static str, &'static str) {
    match status {
        Status::ExactMatch => ("Equal", "the data give this number"),
        Status::RoundingOk => (
            "Equal as rounded",
            "the data give this number to the digits shown, or as the binding allows",
        ),
        Status::NumberMismatch => ("Different", "the data give another number"),
        Status::ScopeOverclaim => ("Not true", "a statement that is false for the data"),
        Status::BindingLost => (
            "Binding lost",
            "the text, table or macro of a binding is not in the paper, or more than once",
        ),
        Status::BindingError => ("No value", "the query of a binding gives no value"),
        Status::Unbound => (
            "Not bound",
            "nobody said what this number means: not checked",
        ),
        Status::Waived => ("Waived", "the authors say why this number needs no data"),
        Status::Undecided => (
            "Not known to be set",
            "it is not known whether readers see this number",
        ),
    }
}

fn listed(kind: Kind) -> &'static str {
    match kind {
        Kind::Cell => "number of a table",
        Kind::Percent => "percentage",
        Kind::Scientific => "number with a power of ten",
        Kind::Factor => "factor",
        Kind::Uncertainty => "uncertainty",
        Kind::Quantity => "number with a unit",
        Kind::Decimal => "number with decimals",
        Kind::Integer => "whole number of two digits or more",
    }
}

/// Text from outside for a page: characters that a browser would interpret instead of showing are replaced one by one (control
/// characters, and those that change the direction of text; Unicode Standard Annex 9).
pub(super) fn clean(text: &str) -> String {
    let obeyed = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}')
    };
    text.chars()
        .map(|c| if obeyed(c) { '\u{fffd}' } else { c })
        .collect()
}

/// [`clean`], cut to [`LONGEST`] characters.
pub(super) fn clip(text: &str) -> String {
    clean(&cut(text, LONGEST))
}

fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    match text.char_indices().nth(longest) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or(""))),
        None => Cow::Borrowed(text),
    }
}
