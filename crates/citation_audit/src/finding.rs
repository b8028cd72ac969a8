//! One thing the audit has to say.

use aris_audit::Obstacle;
use aris_latex::Position;
use aris_paper::bib::check::{self, Weight};
use serde::Serialize;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// What kind it is; stable.
    pub(crate) id: &'static str,
    /// How much it weighs.
    pub(crate) severity: Severity,
    /// The citation key it is about; empty when it is about a file.
    pub(crate) key: String,
    /// File relative to the paper folder; empty when it is about none.
    pub(crate) file: String,
    /// Line, from 1; 0 when it is about no place.
    pub(crate) line: usize,
    /// Column, from 1, in characters; 0 when it is about no place.
    pub(crate) column: usize,
    /// What stands there, shortened.
    pub(crate) quote: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) action: String,
}

impl Finding {
    pub(crate) fn new(
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

    #[must_use]
    pub(crate) fn key(mut self, key: &str) -> Self {
        key.clone_into(&mut self.key);
        self
    }

    #[must_use]
    pub(crate) fn at(mut self, file: &str, line: usize, column: usize) -> Self {
        file.clone_into(&mut self.file);
        (self.line, self.column) = (line, column);
        self
    }

    #[must_use]
    pub(crate) fn position(self, position: &Position) -> Self {
        self.at(&position.path, position.line, position.column)
    }

    #[must_use]
    pub(crate) fn quote(mut self, quote: impl Into<String>) -> Self {
        self.quote = quote.into();
        self
    }

    /// `file:line:column`, as far as known.
    pub(crate) fn place(&self) -> String {
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
pub(crate) fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        (
            a.severity, &a.file, a.line, a.column, a.id, &a.key, &a.message,
        )
            .cmp(&(
                b.severity, &b.file, b.line, b.column, b.id, &b.key, &b.message,
            ))
    });
}
