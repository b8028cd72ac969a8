//! Checks the citations of a paper against its bibliography, using only the files themselves.
//!
//! `citation_audit` writes the result and, on request, asks sources whether the works exist. The submission gate computes it
//! again and
//! compares. Nothing here uses the network.

mod citations;
mod finding;
mod paper;
pub mod verdict;

use std::collections::BTreeSet;

use aris_contract::text::counted;
use aris_latex::Document;
use aris_paper::bib::{Library, Loc, check};
use aris_paper::facts::Month;

pub use citations::{Cited, QUOTE, Target, Use, question};
pub use finding::{Finding, LISTED, LOOKED_UP, Severity, capped, sort};
pub use paper::Paper;

/// What the files of a paper show.
#[derive(Debug)]
pub struct Examined<'p> {
    /// The entries of all bibliographies.
    pub library: Library<'p>,
    /// The cited keys in order of their first citation.
    pub cited: Vec<Cited>,
    /// The entries that the cited keys lead to.
    pub entries: BTreeSet<Loc>,
    /// Whether anything is cited.
    pub cites: bool,
    /// Whether every bibliography was read, so that a missing entry is an error.
    pub whole: bool,
    /// The findings, unsorted.
    pub findings: Vec<Finding>,
}

/// Checks the citations against the bibliographies. Dates are judged as of the month `now`.
pub fn examine<'p>(paper: &'p Paper<'_>, now: Month) -> Examined<'p> {
    let mut findings = paper.findings.clone();
    let library = Library::new(&paper.bibliographies);
    let document = paper.document;
    let cited = document.map(|document| citations::collect(document, &paper.items, &library));
    let cited = cited.unwrap_or_default();
    let cites = !cited.is_empty() || document.is_some_and(|document| document.nocite_all);
    let entries: BTreeSet<Loc> = cited.iter().filter_map(Cited::loc).collect();
    let whole = !findings
        .iter()
        .any(|finding| finding.id.starts_with("bibliography_"));
    if let Some(document) = document
        && cites
    {
        let has_items = !document.bibitems.is_empty();
        if paper.asks_for_bibliography || has_items {
            findings.append(&mut citations::check(document, &cited, &library, whole));
            let wrong = check::entries(&library, &entries, Some(now), paper.distributed_macros);
            findings.extend(wrong.into_iter().map(Finding::from));
        } else {
            findings.push(no_bibliography(document, &cited));
        }
    }
    question(&mut findings, &library, &cited);
    Examined {
        library,
        cited,
        entries,
        cites,
        whole,
        findings,
    }
}

fn no_bibliography(document: &Document, cited: &[Cited]) -> Finding {
    let message = format!(
        "the document cites {} and names no bibliography",
        counted(cited.len(), "key")
    );
    let action = "add \\bibliography{…}, \\addbibresource{…} or a thebibliography environment";
    let severity = if cited.iter().all(|cited| cited.doubt().is_some()) {
        Severity::Question
    } else {
        Severity::Block
    };
    let finding = Finding::new("no_bibliography", severity, message, action);
    match cited.iter().find_map(|cited| cited.uses.first()) {
        Some(first) => finding
            .position(&first.position)
            .quote(document.quote(first.place, QUOTE)),
        None => finding,
    }
}
