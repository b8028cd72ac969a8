//! Signals: findings of the rules that only a new experiment can settle.

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity};

/// A finding of the rules about the sample, the unit of analysis or the plan.
///
/// **Source**: citation gates, §8.6.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// `unit-of-analysis`, `sample-size-mismatch` or `protocol-deviation`.
    pub rule: String,
    /// Path of the report in the repository.
    pub file: String,
    /// Its line; absent when it is about the report as a whole.
    pub line: Option<u32>,
    /// What it is about.
    pub dimension: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The strategy that settles it: `rerun_required`.
    pub suggested_strategy: String,
}

impl Signal {
    /// The signal in a finding of the rules; `None` when an edit could settle it.
    pub fn of(finding: Finding) -> Option<Self> {
        Some(Self {
            rule: finding.rule?,
            file: finding.file,
            line: finding.line,
            dimension: finding.dimension,
            severity: finding.severity,
            message: finding.message,
            suggested_strategy: finding.suggested_strategy?,
        })
    }
}
