//! The result of an audit: one entry for each number, the coverage, and notes.

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
    /// All statuses, in the order of the documentation.
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

    /// The word of the older artifact format for the same.
    pub fn reference_word(self) -> &'static str {
        match self {
            Self::BindingLost => "ambiguous_mapping",
            Self::BindingError | Self::Unbound | Self::Undecided => "missing_evidence",
            Self::Waived => "exact_match",
            other => other.word(),
        }
    }

    /// Whether the number or statement is bound and holds.
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
    /// The outcome.
    pub status: Status,
    /// Its place in the paper; for a lost binding, where it was looked for.
    pub position: Position,
    /// The text around it.
    pub text: String,
    /// The number as the paper shows it.
    pub shown: Option<String>,
    /// The value that the data give.
    pub value: Option<String>,
    /// The number that the paper should show instead, with as many digits. `None` if unknown.
    pub correction: Option<String>,
    /// The query.
    pub query: Option<String>,
    /// The files that the query reads.
    pub evidence: Vec<FileUse>,
    /// Why it is listed, if it is not bound.
    pub kind: Option<Kind>,
    /// Why it is waived.
    pub reason: Option<String>,
    /// Place of its binding in `claims.toml`.
    pub binding: Option<Spot>,
    /// An explanation in one sentence; may be empty.
    pub detail: String,
    /// Part of the paper.
    pub part: Part,
    /// Block of the document and byte range in its text, if readers see the number.
    pub visible: Option<(usize, Range<usize>)>,
}

impl Entry {
    /// An entry with only these facts.
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
    /// The share that is bound, in per cent; 100 only if all are. `None` if there are no numbers.
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

/// A warning that is not about the outcome of a binding. Never blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Kind of the note; stable.
    pub id: &'static str,
    /// Its place.
    pub position: Position,
    /// The text at that place.
    pub quote: String,
    /// The warning.
    pub message: String,
}

/// The result of an audit.
#[derive(Debug, Default)]
pub struct Audit {
    /// Every number, in reading order; bindings without a visible place come last.
    pub entries: Vec<Entry>,
    /// Counts of bound, waived and unbound numbers.
    pub coverage: Coverage,
    /// Warnings: arithmetic of the text that does not hold, waivers that match nothing, queries that read no data file, settings
    /// for missing data files.
    pub notes: Vec<Note>,
    /// Number of suggestions in `claims.toml` that nobody has confirmed.
    pub proposed: usize,
    /// Every file that a query reads, or why it cannot be read.
    pub files: BTreeMap<String, Result<FileFacts, QueryError>>,
}

impl Audit {
    /// Number of entries with this status.
    pub fn count(&self, status: Status) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.status == status).count()
    }
}
