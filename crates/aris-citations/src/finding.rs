//! One thing the audit has to say.

use aris_audit::Obstacle;
use aris_latex::Position;
use aris_paper::bib::check::{self, Weight};
use serde::Serialize;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The audit could not be done, or not whole.
    Block,
    /// An error that is proved.
    Fail,
    /// Something to look at.
    Warn,
    /// Worth knowing; never changes the verdict.
    Info,
}

/// A finding with its evidence and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Ids of findings that only a source can give.
pub const LOOKED_UP: [&str; 16] = [
    "arxiv_id_unknown",
    "authors_differ",
    "authors_invented",
    "authors_missing",
    "authors_reordered",
    "doi_unknown",
    "identifier_has_other_title",
    "identifier_of_other_work",
    "preprint_only",
    "retracted",
    "similar_title_of_same_people",
    "title_differs",
    "title_of_other_people",
    "venue_differs",
    "work_not_found",
    "year_differs",
];

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

    /// Says what stands there.
    #[must_use]
    pub fn quote(mut self, quote: impl Into<String>) -> Self {
        self.quote = quote.into();
        self
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

/// Heaviest first, then by place.
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
