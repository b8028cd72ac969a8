//! The findings of the audit.

use std::collections::BTreeMap;

use aris_audit::Obstacle;
use aris_latex::Position;
use aris_paper::bib::check::{self, Weight};
use serde::Serialize;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The audit could not be done, or not whole.
    Block,
    /// An error that is proved.
    Fail,
    /// Something to look at.
    Warn,
    /// About a key that is cited only where nobody knows whether that is set.
    Question,
    /// Worth knowing; never changes the verdict.
    Info,
}

/// A finding with its evidence and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// What kind it is; stable.
    pub id: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The citation key it is about; empty when it is about a file.
    pub key: String,
    /// File relative to the paper folder; empty when it is about none.
    pub file: String,
    /// Line, from 1; 0 when it is about no place.
    pub line: usize,
    /// Column, from 1, in characters; 0 when it is about no place.
    pub column: usize,
    /// What stands there, shortened.
    pub quote: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub action: String,
}

const LOOK: &str = "look the work up and correct the entry";
const RECORD: &str = "compare with the source and correct the entry";

/// Findings that need an answer from a source: the id, and what to do.
pub const LOOKED_UP: [(&str, &str); 17] = [
    ("arxiv_id_unknown", LOOK),
    ("authors_differ", RECORD),
    ("authors_invented", LOOK),
    (
        "authors_missing",
        "name them, or end the list with `and others`",
    ),
    ("authors_reordered", RECORD),
    ("doi_unknown", LOOK),
    (
        "identifier_has_other_title",
        "open the identifier; write the title that the work has now, or the identifier of the work that is meant",
    ),
    (
        "identifier_in_other_script",
        "open the identifier and compare it with the entry",
    ),
    (
        "identifier_of_other_work",
        "find out which work is meant, and write its own identifier",
    ),
    (
        "preprint_only",
        "cite the preprint, or name where it was published",
    ),
    (
        "retracted",
        "read why; cite the retraction with it, or drop the entry",
    ),
    ("similar_title_of_same_people", LOOK),
    ("title_differs", RECORD),
    ("title_of_other_people", LOOK),
    ("venue_differs", RECORD),
    (
        "work_not_found",
        "look for the work by hand; replace or drop the entry if nobody has it",
    ),
    ("year_differs", RECORD),
];

/// A finding of [`LOOKED_UP`]: its id and what to do; `None` for findings that the entry itself shows.
pub fn looked_up(id: &str) -> Option<(&'static str, &'static str)> {
    LOOKED_UP.into_iter().find(|(known, _)| *known == id)
}

impl Finding {
    /// A finding about no place yet.
    pub fn new(
        id: &'static str,
        severity: Severity,
        message: impl Into<String>,
        action: impl Into<String>,
    ) -> Self {
        Self {
            id,
            severity,
            key: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            quote: String::new(),
            message: message.into(),
            action: action.into(),
        }
    }

    /// Names the key.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        key.clone_into(&mut self.key);
        self
    }

    /// Names the place.
    #[must_use]
    pub fn at(mut self, file: &str, line: usize, column: usize) -> Self {
        file.clone_into(&mut self.file);
        (self.line, self.column) = (line, column);
        self
    }

    /// Names the place.
    #[must_use]
    pub fn position(self, position: &Position) -> Self {
        self.at(&position.path, position.line, position.column)
    }

    /// Sets the quoted source.
    #[must_use]
    pub fn quote(mut self, quote: impl Into<String>) -> Self {
        self.quote = quote.into();
        self
    }

    /// Turns an error or a warning into a question: what it is about is cited only where nobody knows whether that is set.
    pub(crate) fn doubt(&mut self, cause: &Position) {
        if matches!(self.severity, Severity::Fail | Severity::Warn) {
            self.severity = Severity::Question;
            let (path, line) = (&cause.path, cause.line);
            let what = format!("; cited only where it is not known what is set ({path}:{line})");
            self.message.push_str(&what);
        }
    }

    /// `file:line:column`, as far as known.
    pub fn place(&self) -> String {
        match (self.file.is_empty(), self.line) {
            (true, _) => String::from("-"),
            (false, 0) => self.file.clone(),
            (false, line) => format!("{}:{line}:{}", self.file, self.column),
        }
    }
}

impl From<check::Finding> for Finding {
    fn from(found: check::Finding) -> Self {
        Self {
            id: found.id,
            severity: match found.weight {
                Weight::Error => Severity::Fail,
                Weight::Doubt => Severity::Warn,
                Weight::Note => Severity::Info,
            },
            key: found.key,
            file: found.file,
            line: found.line,
            column: found.column,
            quote: found.quote,
            message: found.message,
            action: found.action,
        }
    }
}

impl From<Obstacle> for Finding {
    fn from(obstacle: Obstacle) -> Self {
        let finding = Self::new(
            obstacle.id,
            Severity::Block,
            obstacle.message,
            obstacle.action,
        )
        .quote(obstacle.quote);
        match &obstacle.position {
            Some(position) => finding.position(position),
            None => finding,
        }
    }
}

/// Sorts by severity, heaviest first, then by place.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        (
            a.severity, &a.file, a.line, a.column, a.id, &a.key, &a.message,
        )
            .cmp(&(
                b.severity, &b.file, b.line, b.column, b.id, &b.key, &b.message,
            ))
    });
}

/// Most findings of one kind in one file that are listed.
pub const LISTED: usize = 100;

/// Shortens sorted findings to [`LISTED`] of one kind in one file. A last one says how many more there are, at the place of the
/// next. Every kind and severity remains, so the verdict does not change. Findings in [`LOOKED_UP`] are always listed.
pub fn capped(findings: Vec<Finding>) -> Vec<Finding> {
    type Kind = (Severity, &'static str, String);
    let kind = |finding: &Finding| -> Kind { (finding.severity, finding.id, finding.file.clone()) };
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    for finding in &findings {
        *counts.entry(kind(finding)).or_insert(0) += 1;
    }
    if counts.values().all(|count| *count <= LISTED) {
        return findings;
    }
    let mut listed: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut out = Vec::new();
    for finding in findings {
        let kind = kind(&finding);
        let all = counts.get(&kind).copied().unwrap_or(0);
        let before = listed.entry(kind).or_insert(0);
        *before += 1;
        if all <= LISTED || *before <= LISTED || looked_up(finding.id).is_some() {
            out.push(finding);
        } else if *before == LISTED + 1 {
            let message = format!(
                "{} more of this kind in this file are not listed",
                all - LISTED
            );
            let (file, line, column) = (&finding.file, finding.line, finding.column);
            let more = Finding::new(
                finding.id,
                finding.severity,
                message,
                finding.action.clone(),
            );
            out.push(more.at(file, line, column));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_is_counted() {
        let finding =
            |id, file: &str, line| Finding::new(id, Severity::Warn, "m", "a").at(file, line, 1);
        let mut all: Vec<Finding> = (1..=LISTED + 7)
            .map(|line| finding("x", "a.bib", line))
            .collect();
        all.extend((1..=LISTED).map(|line| finding("x", "b.bib", line)));
        all.extend((1..=LISTED + 7).map(|line| finding("retracted", "a.bib", line)));
        let shown = capped(all.clone());
        assert_eq!(shown.len(), all.len() - 6);
        let more = shown.iter().find(|one| one.message.contains("not listed"));
        let more = more.expect("the rest is told");
        assert_eq!(
            (more.place(), more.message.split(' ').next()),
            (String::from("a.bib:101:1"), Some("7"))
        );
    }
}
