//! What an audit of claims says.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::claim::Kind;
use crate::decimal::Decimal;
use crate::targets::Explained;

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The displayed digits are those of a value in the results or of one derived from them.
    ExactMatch,
    /// A value rounds to the displayed digits.
    RoundingOk,
    /// Several values fit and nothing tells which one is meant.
    AmbiguousMapping,
    /// No result file supports or contradicts the claim.
    MissingEvidence,
    /// The quantity is in the results and is something else.
    NumberMismatch,
    /// A single run or another aggregate is given for the stated one, or the number of runs is wrong.
    AggregationMismatch,
    /// A difference, ratio or relative change does not follow from its two values.
    DeltaError,
    /// A setting differs from the configuration file.
    ConfigMismatch,
    /// A statement about all cases that the results contradict.
    ScopeOverclaim,
}

impl Status {
    /// All of them, in order.
    pub const ALL: [Self; 9] = [
        Self::ExactMatch,
        Self::RoundingOk,
        Self::AmbiguousMapping,
        Self::MissingEvidence,
        Self::NumberMismatch,
        Self::AggregationMismatch,
        Self::DeltaError,
        Self::ConfigMismatch,
        Self::ScopeOverclaim,
    ];

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExactMatch => "exact_match",
            Self::RoundingOk => "rounding_ok",
            Self::AmbiguousMapping => "ambiguous_mapping",
            Self::MissingEvidence => "missing_evidence",
            Self::NumberMismatch => "number_mismatch",
            Self::AggregationMismatch => "aggregation_mismatch",
            Self::DeltaError => "delta_error",
            Self::ConfigMismatch => "config_mismatch",
            Self::ScopeOverclaim => "scope_overclaim",
        }
    }

    /// Whether the results contradict the claim.
    pub fn is_mismatch(self) -> bool {
        matches!(
            self,
            Self::NumberMismatch
                | Self::AggregationMismatch
                | Self::DeltaError
                | Self::ConfigMismatch
                | Self::ScopeOverclaim
        )
    }

    /// Whether the results support the claim.
    pub fn is_match(self) -> bool {
        matches!(self, Self::ExactMatch | Self::RoundingOk)
    }
}

/// Where a claim stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ClaimPlace {
    /// Source file, as the document's loader names it.
    pub file: String,
    /// Line, 1-based.
    pub line: usize,
    /// Column, 1-based, in characters.
    pub column: usize,
}

/// A value in the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// File and pointer; for several runs the path with `*` where they differ.
    pub path: String,
    /// Line in the file; 0 for a derived value.
    pub line: u32,
    /// The value in the unit of the paper.
    pub value: Decimal,
    /// How it was derived: `mean of 5`, `difference`; none for a value as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
}

/// One claim with its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Stable name: file, line, column.
    pub id: String,
    /// Where it stands.
    pub place: ClaimPlace,
    /// The source line around it.
    pub quote: String,
    /// The number or word as the reader sees it.
    pub text: String,
    /// The displayed value; none for a statement of scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Decimal>,
    /// What it states.
    pub kind: Kind,
    /// The verdict.
    pub status: Status,
    /// The values it was compared with.
    pub evidence: Vec<Reference>,
    /// Other values that fit, or that explain the number.
    pub alternatives: Vec<Reference>,
    /// One sentence: what the paper says, what the results say.
    pub detail: String,
    /// What to do.
    pub fix: String,
    /// For a change whose size follows from the results: what they show, when it goes the other way than the words say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contrary: Option<String>,
    /// For a number that was not matched: whether anything in the results could be meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explained>,
}

/// All claims of a paper, in reading order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ClaimReport {
    /// The claims.
    pub claims: Vec<Claim>,
    /// Claims per status; statuses without claims are listed with 0.
    pub counts: BTreeMap<String, usize>,
    /// Numbers of the visible text that are no claims.
    pub not_claims: usize,
    /// Pins that fit no number: `file: text`.
    pub unused_pins: Vec<String>,
}

impl ClaimReport {
    /// Counts the statuses.
    pub(crate) fn count(&mut self) {
        self.counts = Status::ALL
            .iter()
            .map(|status| (status.name().to_owned(), 0))
            .collect();
        for claim in &self.claims {
            *self
                .counts
                .entry(claim.status.name().to_owned())
                .or_default() += 1;
        }
    }

    /// Claims that the results contradict.
    pub fn mismatches(&self) -> impl Iterator<Item = &Claim> {
        self.claims
            .iter()
            .filter(|claim| claim.status.is_mismatch())
    }
}
