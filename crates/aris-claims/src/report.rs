//! The result of an audit: one entry for each number, what is covered, what else was noticed.

use std::collections::BTreeMap;
use std::ops::Range;

use aris_evidence::{FileFacts, QueryError};
use aris_latex::Position;
use serde::Serialize;

use crate::bindings::Spot;
use crate::paper::{Kind, Part};

/// What is known of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// Bound, and the value is the number shown.
    ExactMatch,
    /// Bound, and the same to the digits shown or as the binding allows.
    RoundingOk,
    /// Bound and different.
    NumberMismatch,
    /// A bound statement that is false.
    ScopeOverclaim,
    /// The text, macro, table or cell of a binding is not there, or not unique.
    BindingLost,
    /// The query of a binding gives no value to compare.
    BindingError,
    /// A number readers see that nothing binds or waives.
    Unbound,
    /// A number that needs no evidence, with the reason.
    Waived,
    /// Unbound, or bound and not shown to hold, in text of which it is not known whether it is set.
    Undecided,
}

impl Status {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 9] = [
        Self::ExactMatch,
        Self::RoundingOk,
        Self::NumberMismatch,
        Self::ScopeOverclaim,
        Self::BindingLost,
        Self::BindingError,
        Self::Unbound,
        Self::Waived,
        Self::Undecided,
    ];

    /// The word in artifacts and messages.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The word that readers of the older artifact know.
    pub fn reference_word(self) -> &'static str {
        match self {
            Self::BindingLost => "ambiguous_mapping",
            Self::BindingError | Self::Unbound | Self::Undecided => "missing_evidence",
            Self::Waived => "exact_match",
            other => other.word(),
        }
    }

    /// Whether the number is bound and holds.
    pub fn holds(self) -> bool {
        matches!(self, Self::ExactMatch | Self::RoundingOk)
    }

    /// Whether the data contradict the paper.
    pub fn contradicts(self) -> bool {
        matches!(self, Self::NumberMismatch | Self::ScopeOverclaim)
    }
}

/// A file that a query reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FileUse {
    /// Path relative to the data root.
    pub path: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// Rows of it; none for a file that is one document.
    pub rows: Option<u64>,
}

/// One number, or one statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Id of the binding; for a cell `TABLE/ROW/COLUMN`; for the rest `FILE:LINE:COLUMN`.
    pub id: String,
    /// What is known of it.
    pub status: Status,
    /// Where it stands in the paper; for a lost binding where it was looked for.
    pub position: Position,
    /// The text around it.
    pub text: String,
    /// The number as the paper shows it.
    pub shown: Option<String>,
    /// The value that the data give.
    pub value: Option<String>,
    /// What the paper would have to show in place of it, in the same digits; where that can be told.
    pub correction: Option<String>,
    /// The query.
    pub query: Option<String>,
    /// The files that the query reads.
    pub evidence: Vec<FileUse>,
    /// Why it is listed, for a number that is not bound.
    pub kind: Option<Kind>,
    /// Why it is waived.
    pub reason: Option<String>,
    /// Where its binding stands in `claims.toml`.
    pub binding: Option<Spot>,
    /// What is to be said of it, in one sentence; empty where nothing is.
    pub detail: String,
    /// Part of the paper.
    pub part: Part,
    /// Block of the document and bytes of its text, for a number that readers see.
    pub visible: Option<(usize, Range<usize>)>,
}

impl Entry {
    /// An entry of which only this is known.
    pub(crate) fn new(id: String, status: Status, position: Position, text: String) -> Self {
        Self {
            id,
            status,
            position,
            text,
            shown: None,
            value: None,
            correction: None,
            query: None,
            evidence: Vec::new(),
            kind: None,
            reason: None,
            binding: None,
            detail: String::new(),
            part: Part::Text,
            visible: None,
        }
    }
}

/// Numbers of one part of the paper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Covered {
    /// Bound by `claims.toml`, whatever came of it.
    pub bound: usize,
    /// Waived.
    pub waived: usize,
    /// Neither, though they look like results.
    pub unbound: usize,
}

impl Covered {
    /// The share that is bound, in per cent; 100 only when all are. `None` without numbers.
    pub fn percent(self) -> Option<usize> {
        let all = self.bound + self.waived + self.unbound;
        let rounded = (self.bound * 200 + all).checked_div(2 * all)?;
        Some(rounded.min(if self.bound < all { 99 } else { 100 }))
    }
}

/// How much of each part is bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Coverage {
    /// The abstract.
    pub r#abstract: Covered,
    /// Cells of tables.
    pub tables: Covered,
    /// Everything else.
    pub text: Covered,
}

impl Coverage {
    /// The counts of one part.
    pub fn part(&mut self, part: Part) -> &mut Covered {
        match part {
            Part::Abstract => &mut self.r#abstract,
            Part::Tables => &mut self.tables,
            Part::Text => &mut self.text,
        }
    }

    /// All parts together.
    pub fn total(&self) -> Covered {
        let parts = [self.r#abstract, self.tables, self.text];
        parts.iter().fold(Covered::default(), |sum, part| Covered {
            bound: sum.bound + part.bound,
            waived: sum.waived + part.waived,
            unbound: sum.unbound + part.unbound,
        })
    }
}

/// Something beside the bindings that an author wants to know: it warns and never blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// What kind; stable.
    pub id: &'static str,
    /// Where.
    pub position: Position,
    /// What stands there.
    pub quote: String,
    /// What was noticed.
    pub message: String,
}

/// What came of an audit.
#[derive(Debug, Default)]
pub struct Audit {
    /// Every number, in reading order; bindings without a place come last.
    pub entries: Vec<Entry>,
    /// What is covered.
    pub coverage: Coverage,
    /// Arithmetic of the text that does not hold, waivers that fit nothing, bindings nobody confirmed.
    pub notes: Vec<Note>,
    /// Suggestions in `claims.toml` that nobody confirmed.
    pub proposed: usize,
    /// Every file that a query reads.
    pub files: BTreeMap<String, Result<FileFacts, QueryError>>,
}

impl Audit {
    /// Number of entries with this status.
    pub fn count(&self, status: Status) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.status == status).count()
    }
}
