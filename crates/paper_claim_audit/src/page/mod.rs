//! The page for co-authors: the paper as it was read, with every number coloured by its status.
//!
//! One file that works without a network, without scripts, by keyboard, on a telephone and on paper. Scripts only place cards
//! beside their numbers, filter, and jump between problems. The page makes no judgements; it shows an [`Audit`].

mod card;
mod flow;
mod pieces;
#[cfg(test)]
mod tests;

use aris_claims::runs::Runs;
use aris_claims::{Audit, Covered, Entry, Status};
use aris_latex::{BlockKind, Document, Position};
use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use card::{Card, LONGEST, words};
use flow::{Flow, Node, PROBLEMS, is_problem};
use pieces::Piece;

/// Most notes listed; the artifact has all of them.
const NOTES: usize = 200;
const STYLE: &str = include_str!("../../templates/show.css");
const SCRIPT: &str = include_str!("../../templates/show.js");

/// The data of the page besides the audit. All texts are untrusted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageFacts<'a> {
    /// Name for a paper without a title.
    pub(crate) title: &'a str,
    /// The verdict, one of the contract's six words.
    pub(crate) verdict: &'a str,
    /// The reason code.
    pub(crate) reason: &'a str,
    /// The summary, one sentence.
    pub(crate) summary: &'a str,
    /// Path of the bindings, for people.
    pub(crate) claims_file: &'a str,
    /// The runs behind the data.
    pub(crate) runs: &'a Runs,
    /// Version of the program.
    pub(crate) version: &'a str,
}

/// The page. **Errors**: of rendering, which should be impossible.
pub(crate) fn html(
    document: &Document,
    audit: &Audit,
    facts: &PageFacts<'_>,
) -> Result<String, askama::Error> {
    let mut flow = Flow::new(document, audit, facts.claims_file, facts.runs);
    let nodes = flow.nodes();
    let anchor = |at: usize| flow.anchors.get(&at).copied();
    let entries = || audit.entries.iter().enumerate();
    let problem = |(at, entry)| Problem {
        anchor: anchor(at),
        entry,
        card: Card::new(entry, facts.claims_file, facts.runs, LONGEST),
    };
    let bad = entries().filter(|(_, entry)| is_problem(entry.status));
    let problems: Vec<_> = bad.clone().take(PROBLEMS).map(problem).collect();
    let statuses = Status::ALL.map(|status| {
        let (label, meaning) = words(status);
        let mut of_it = entries().filter(|(_, entry)| entry.status == status);
        let first = of_it.find_map(|(at, _)| anchor(at));
        let listed = is_problem(status) && audit.count(status) > 0;
        Count {
            word: status.word(),
            label,
            meaning,
            entries: audit.count(status),
            link: first.map_or_else(
                || listed.then(|| String::from("attention")),
                |anchor| Some(format!("n{anchor}")),
            ),
        }
    });
    let notes = audit.notes.iter().map(|note| Note {
        about: note.id.replace('_', " "),
        position: note.position.clone(),
        message: &note.message,
        quote: note.quote.clone(),
    });
    let unread = document.problems.iter().map(|problem| Note {
        about: String::from("sources"),
        position: document.position(problem.place),
        message: &problem.message,
        quote: document.quote(problem.place, 120),
    });
    let coverage = &audit.coverage;
    let mut blocks = document.blocks.iter();
    let title = blocks.find(|block| block.kind == BlockKind::Title && !block.text.is_empty());
    let page = Page {
        facts,
        title: title.map_or(facts.title, |block| &block.text),
        style_hash: STANDARD.encode(Sha256::digest(STYLE)),
        script_hash: STANDARD.encode(Sha256::digest(SCRIPT)),
        statuses,
        parts: [
            ("Abstract", coverage.r#abstract),
            ("Tables", coverage.tables),
            ("Text", coverage.text),
            ("All", coverage.total()),
        ],
        audit,
        problems_left: bad.count() - problems.len(),
        problems,
        notes_left: (audit.notes.len() + document.problems.len()).saturating_sub(NOTES),
        notes: notes.chain(unread).take(NOTES).collect(),
        nodes,
    };
    page.render()
}

#[derive(Template)]
#[template(path = "show.html")]
struct Page<'a> {
    facts: &'a PageFacts<'a>,
    title: &'a str,
    style_hash: String,
    script_hash: String,
    statuses: [Count; 9],
    parts: [(&'static str, Covered); 4],
    audit: &'a Audit,
    problems: Vec<Problem<'a>>,
    problems_left: usize,
    notes: Vec<Note<'a>>,
    notes_left: usize,
    nodes: Vec<Node>,
}

/// The number of entries with one status.
struct Count {
    word: &'static str,
    label: &'static str,
    meaning: &'static str,
    entries: usize,
    /// Link to the first of them on the page.
    link: Option<String>,
}

/// An entry that needs attention.
struct Problem<'a> {
    anchor: Option<usize>,
    entry: &'a Entry,
    card: Card,
}

/// A remark of the audit besides the numbers, or text that could not be read.
struct Note<'a> {
    about: String,
    position: Position,
    message: &'a str,
    quote: String,
}
