//! The ledger: what is known about each cited key.

use aris_paper::bib::{Library, Loc, year_of};
use aris_paper::facts;
use aris_verify::Status;
use serde::Serialize;

use crate::existence::{self, Answers};
use aris_citations::{Cited, Libraries, Target};
use aris_citations::{Finding, Severity};

/// One cited key.
///
/// `verdict` is `QUESTION` for a key with a finding or without an entry that is cited only where it is not known what is set; else `FIX` when
/// something is found, `UNDEFINED` without an entry, else `UNVERIFIED`: no program can say
/// `KEEP` before a source has answered; where one has the work and nothing is found, it is `KEEP`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Row {
    pub(crate) key: String,
    pub(crate) verdict: &'static str,
    /// `EXISTENCE`, `METADATA`: the axes on which something was found.
    pub(crate) axis_failures: Vec<&'static str>,
    /// `exists`, `not_found` or `inconclusive`.
    pub(crate) existence: &'static str,
    /// Why existence is what it is: `offline` (nobody was asked), `no_entry`, `source_has_it`, `no_source_has_it`, `no_answer`, `not_listed`.
    pub(crate) reason: &'static str,
    /// File of the entry; empty without one.
    pub(crate) file: String,
    /// Line of the entry; 0 without one.
    pub(crate) line: usize,
    /// Entry type; `bibitem` in a hand-written bibliography.
    pub(crate) entry_type: String,
    pub(crate) title: String,
    pub(crate) year: Option<u16>,
    pub(crate) doi: Option<String>,
    pub(crate) arxiv_id: Option<String>,
    /// Ids of the findings about the entry.
    pub(crate) findings: Vec<&'static str>,
    /// Where it is cited.
    pub(crate) uses: Vec<Place>,
}

/// Where a key is cited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) command: String,
}

/// The rows in order of first citation. `findings` without those of severity `info` decide the verdicts.
pub(crate) fn rows(
    cited: &[Cited],
    libraries: &Libraries<'_>,
    findings: &[Finding],
    answers: Option<&Answers>,
) -> Vec<Row> {
    let mut by_key: std::collections::BTreeMap<&str, Vec<&Finding>> =
        std::collections::BTreeMap::new();
    for finding in findings
        .iter()
        .filter(|finding| finding.severity != Severity::Info)
    {
        by_key
            .entry(finding.key.as_str())
            .or_default()
            .push(finding);
    }
    cited
        .iter()
        .map(|cited| {
            let library = libraries.get(cited.library);
            let key = match cited.loc().and_then(|loc| library.entry(loc)) {
                // Findings about an alias carry the entry's own key.
                Some(entry) => entry.key.as_str(),
                None => cited.key.as_str(),
            };
            // The key may lead elsewhere in another part of the document.
            let is_own = |found: &&&Finding| {
                library.files().any(|file| file.path == found.file) == cited.loc().is_some()
            };
            let own = by_key.get(key).into_iter().flatten().filter(is_own);
            let mut row = row(cited, library, own.copied());
            if let Some(checked) = cited.loc().and_then(|loc| answers?.get(&loc)) {
                row.existence = checked.existence.word();
                row.reason = existence::reason(checked);
                if row.verdict == "UNVERIFIED" && checked.status == Status::Verified {
                    row.verdict = "KEEP";
                }
                if row.findings.contains(&"work_not_found") {
                    row.axis_failures.insert(0, "EXISTENCE");
                }
            }
            row
        })
        .collect()
}

fn row<'f>(cited: &Cited, library: &Library<'_>, found: impl Iterator<Item = &'f Finding>) -> Row {
    let mut findings: Vec<&'static str> = found.map(|finding| finding.id).collect();
    findings.sort_unstable();
    findings.dedup();
    let undefined = cited.target == Target::Nowhere;
    let is_question = cited.doubt().is_some() && (undefined || !findings.is_empty());
    let mut row = Row {
        key: cited.key.clone(),
        verdict: if is_question {
            "QUESTION"
        } else if undefined {
            "UNDEFINED"
        } else if findings.is_empty() {
            "UNVERIFIED"
        } else {
            "FIX"
        },
        axis_failures: if is_question {
            Vec::new()
        } else if undefined {
            vec!["EXISTENCE"]
        } else if findings.is_empty() {
            Vec::new()
        } else {
            vec!["METADATA"]
        },
        existence: "inconclusive",
        reason: if undefined { "no_entry" } else { "offline" },
        file: String::new(),
        line: 0,
        entry_type: String::new(),
        title: String::new(),
        year: None,
        doi: None,
        arxiv_id: None,
        findings,
        uses: cited
            .uses
            .iter()
            .map(|place| Place {
                file: place.position.path.clone(),
                line: place.position.line,
                column: place.position.column,
                command: place.command.clone(),
            })
            .collect(),
    };
    match &cited.target {
        Target::Entry(loc) => describe(&mut row, library, *loc),
        Target::Item(position) => {
            (row.file, row.line) = (position.path.clone(), position.line);
            row.entry_type = String::from("bibitem");
        }
        Target::Nowhere => {}
    }
    row
}

fn describe(row: &mut Row, library: &Library<'_>, loc: Loc) {
    let Some(entry) = library.entry(loc) else {
        return;
    };
    let resolved = library.resolve(entry);
    library.path(loc).clone_into(&mut row.file);
    row.line = entry.place.line;
    row.entry_type.clone_from(&entry.kind);
    resolved
        .text("title")
        .unwrap_or_default()
        .clone_into(&mut row.title);
    row.year = ["year", "date"]
        .into_iter()
        .find_map(|name| year_of(resolved.text(name)?));
    row.doi = facts::dois(&resolved).first().map(ToString::to_string);
    row.arxiv_id = facts::arxiv_ids(&resolved).first().map(ToString::to_string);
}
