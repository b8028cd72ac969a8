//! What the audit holds against the paper: files that cannot be read, and claims that do not simply follow.

use aris_audit::Obstacle;
use aris_claims::Claim;
use serde::Serialize;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// The audit is not whole.
    Block,
    /// The results contradict the claim.
    Fail,
    /// The claim fits no value, or several.
    Warn,
}

/// One finding with its remedy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// File relative to the paper folder; empty when it is about none.
    pub(crate) file: String,
    /// Line, from 1; 0 when the whole file is meant.
    pub(crate) line: usize,
    /// Column, from 1; 0 when the whole file is meant.
    pub(crate) column: usize,
    /// What kind it is; stable. The status, for a claim.
    pub(crate) id: &'static str,
    /// How much it weighs.
    pub(crate) severity: Severity,
    /// The source line, shortened; empty for a file.
    pub(crate) quote: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) action: String,
}

impl Finding {
    pub(crate) fn new(
        id: &'static str,
        file: &str,
        message: impl Into<String>,
        action: &str,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line: 0,
            column: 0,
            id,
            severity: Severity::Block,
            quote: String::new(),
            message: message.into(),
            action: action.to_owned(),
        }
    }

    pub(crate) fn at(mut self, line: usize, column: usize) -> Self {
        self.line = line;
        self.column = column;
        self
    }

    /// A claim that does not simply follow; `None` for one that does.
    pub(crate) fn of_claim(claim: &Claim) -> Option<Self> {
        let severity = match (claim.status.is_match(), claim.status.is_mismatch()) {
            (true, _) => return None,
            (false, true) => Severity::Fail,
            (false, false) => Severity::Warn,
        };
        Some(Self {
            file: claim.place.file.clone(),
            line: claim.place.line,
            column: claim.place.column,
            id: claim.status.name(),
            severity,
            quote: claim.quote.clone(),
            message: claim.detail.clone(),
            action: claim.fix.clone(),
        })
    }

    /// Whether it keeps the audit from being whole.
    pub(crate) fn is_obstacle(&self) -> bool {
        self.severity == Severity::Block
    }

    /// `file:line:column`, as much of it as is known.
    pub(crate) fn place(&self) -> String {
        if self.line == 0 {
            self.file.clone()
        } else {
            format!("{}:{}:{}", self.file, self.line, self.column)
        }
    }
}

impl From<Obstacle> for Finding {
    fn from(obstacle: Obstacle) -> Self {
        let (file, line, column) = obstacle.position.map_or_else(Default::default, |position| {
            (position.path, position.line, position.column)
        });
        let finding = Self::new(obstacle.id, &file, obstacle.message, obstacle.action);
        Self {
            quote: obstacle.quote,
            ..finding.at(line, column)
        }
    }
}
