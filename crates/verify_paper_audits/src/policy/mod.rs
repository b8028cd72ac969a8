//! The policy, as data: the audits, the weight of each finding, and a few numbers.
//!
//! A policy file contains the differences from the built-in policy (`assets/policy.json`); omitted fields and severities keep
//! their built-in values. The gate never searches for a policy: a file beside the paper has no effect unless `--policy` names it,
//! and then the report contains its digest and everything in it that is weaker than the built-in policy.

mod compare;
mod file;

use std::collections::BTreeMap;

use aris_audit::Digest;
/// Why a file is no policy.
use aris_contract::json::JsonError as PolicyError;
use serde::{Deserialize, Serialize};

#[cfg(test)]
pub(crate) use file::PolicyFile;
pub(crate) use file::{Coverage, LIMITS, SourceKind, is_artifact_name};

use crate::finding::{Finding, FindingId, Severity};

/// The policy used without `--policy`.
pub(crate) const BUILT_IN: &[u8] = include_bytes!("../../assets/policy.json");

/// One audit that the gate knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditRule {
    /// File name of the artifact in the paper directory.
    pub artifact: String,
    /// `audit_skill` that the artifact must name.
    pub skill: String,
    /// Whether it must be there at `submission`; otherwise it is checked when it is.
    pub mandatory: bool,
    /// Audits of one group must not share a reviewer thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independent_group: Option<String>,
    /// Programs that may make this audit, `paper_claim_audit`; none means that a reviewer must.
    #[serde(default)]
    pub deterministic: Vec<String>,
    /// Command that makes the audit again; `{paper}` stands for the paper directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<String>,
}

/// Shares of the numbers of a paper that must be bound to data or waived, as the claim audit counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MinBound {
    /// Of the abstract, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#abstract: Option<f64>,
    /// Of the cells of tables, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<f64>,
    /// Of everything else, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<f64>,
}

impl MinBound {
    /// Whether there is any minimum.
    pub(crate) fn asks(&self) -> bool {
        self.parts().iter().any(|(_, share)| *share > 0.0)
    }

    /// Name and minimum of each part; 0 if there is none.
    pub(crate) fn parts(&self) -> [(&'static str, f64); 3] {
        [
            ("abstract", self.r#abstract.unwrap_or(0.0)),
            ("tables", self.tables.unwrap_or(0.0)),
            ("text", self.text.unwrap_or(0.0)),
        ]
    }
}

/// A policy in force.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Policy {
    /// The audits, in the order of a report.
    pub audits: Vec<AuditRule>,
    /// Weight of every id.
    pub severity: BTreeMap<FindingId, Severity>,
    /// Seconds by which a trace may be newer than the artifact, and an artifact newer than the present.
    pub clock_skew_seconds: i64,
    /// Whether a trace without a chain blocks.
    pub require_chain: bool,
    /// Further folders that audited files and traces may lie in; relative ones are relative to the project.
    pub allowed_roots: Vec<String>,
    /// Which kinds of included sources must be in whose hashes.
    pub coverage: Vec<Coverage>,
    /// Model families: name to the beginnings of model and executor names.
    pub families: BTreeMap<String, Vec<String>>,
    /// How many numbers must be bound or waived.
    pub min_bound: MinBound,
    /// SHA-256 of the file.
    pub digest: Digest,
    /// `built-in`, or the path that `--policy` named.
    pub source: String,
    /// What is weaker than in the built-in policy.
    pub weakened: Vec<String>,
}

impl Policy {
    /// The built-in policy.
    pub(crate) fn built_in() -> Result<Self, PolicyError> {
        file::resolve(BUILT_IN, "built-in", None)
    }

    /// Parses a policy file; omitted fields come from the built-in policy.
    pub(crate) fn read(bytes: &[u8], source: &str) -> Result<Self, PolicyError> {
        let mut policy = file::resolve(bytes, source, Some(BUILT_IN))?;
        policy.weakened = compare::weaker(&policy, &Self::built_in()?);
        Ok(policy)
    }

    /// Sets the weight of a finding.
    pub(crate) fn weigh(&self, mut finding: Finding) -> Finding {
        // An id without a weight blocks.
        let weight = self.severity.get(&finding.id).copied();
        finding.severity = weight.unwrap_or(Severity::Block).max(finding.floor);
        finding
    }

    /// The family of a model or executor name, if the table has it.
    ///
    /// Compares prefixes, ignoring case, with and without a leading vendor (`openai/gpt-5`).
    pub(crate) fn family(&self, name: &str) -> Option<&str> {
        let name = name.trim().to_lowercase();
        let parts = std::iter::once(name.as_str()).chain(name.split(['/', ':']));
        let mut parts = parts.filter(|part| !part.is_empty());
        parts.find_map(|part| {
            let known = self
                .families
                .iter()
                .find(|(_, starts)| starts.iter().any(|start| part.starts_with(start.as_str())));
            known.map(|(family, _)| family.as_str())
        })
    }
}

#[cfg(test)]
mod tests;
