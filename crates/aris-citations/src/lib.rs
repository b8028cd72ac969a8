//! Checks the citations of a paper against its bibliography, using only the files themselves.
//!
//! `citation_audit` writes the result and, on request, asks sources whether the works exist. The submission gate computes it
//! again and
//! compares. Nothing here uses the network.

mod citations;
mod finding;
mod paper;
pub mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::text::counted;
use aris_latex::Document;
use aris_paper::bib::{Loc, check};
use aris_paper::facts::Month;

pub use citations::{Cited, QUOTE, Target, Use, question};
pub use finding::{Finding, LISTED, LOOKED_UP, Severity, capped, looked_up, sort};
pub use paper::{Libraries, Paper};

/// What the files of a paper show.
#[derive(Debug)]
pub struct Examined<'p> {
    /// The entries of all bibliographies.
    pub libraries: Libraries<'p>,
    /// The cited keys in order of their first citation.
    pub cited: Vec<Cited>,
    /// The entries that the cited keys lead to, each with the number of bibliographies among which it is cited.
    pub entries: BTreeMap<Loc, usize>,
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
    let libraries = paper.libraries();
    let document = paper.document;
    let cited = document.map(|document| citations::collect(document, &paper.items, &libraries));
    let cited = cited.unwrap_or_default();
    let cites = !cited.is_empty() || document.is_some_and(Document::nocite_all);
    let in_order = cited.iter().rev();
    let entries = in_order.filter_map(|cited| Some((cited.loc()?, cited.library)));
    let entries: BTreeMap<Loc, usize> = entries.collect();
    let whole = !findings
        .iter()
        .any(|finding| finding.id.starts_with("bibliography_"));
    if let Some(document) = document
        && cites
    {
        let has_items = !document.bibitems.is_empty();
        if paper.asks_for_bibliography || has_items {
            for number in libraries.seen() {
                let mut wrong = citations::check(document, &cited, &libraries, number, whole);
                findings.append(&mut wrong);
                let same = cited.iter().filter(|cited| cited.library == number);
                let entries: BTreeSet<Loc> = same.filter_map(Cited::loc).collect();
                let library = libraries.get(number);
                let wrong = check::entries(library, &entries, Some(now), paper.distributed_macros);
                findings.extend(wrong.into_iter().map(Finding::from));
            }
            heaviest(&mut findings);
        } else {
            findings.push(no_bibliography(document, &cited));
        }
    }
    question(&mut findings, &libraries.whole, &cited);
    Examined {
        libraries,
        cited,
        entries,
        cites,
        whole,
        findings,
    }
}

/// Drops what was found in several parts of the document; the heaviest stays.
fn heaviest(findings: &mut Vec<Finding>) {
    findings.sort_by_key(|finding| finding.severity);
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        let place = (finding.file.clone(), finding.line, finding.column);
        seen.insert((
            finding.id,
            finding.key.clone(),
            place,
            finding.message.clone(),
        ))
    });
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
