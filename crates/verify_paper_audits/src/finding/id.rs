//! The stable names of what the gate can prove, and their weights.

use serde::{Deserialize, Serialize};

/// How much a finding weighs; the policy says which id has which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Doubtful; does not block.
    Warn,
    /// Blocks at `submission`.
    Block,
}

impl Severity {
    /// The word in policies and reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }
}

/// Stable names of everything the gate can prove.
///
/// **Source**: the design of the submission gate, Findings; the ids beyond its table are explained at each variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FindingId {
    /// A mandatory artifact is not there.
    MissingArtifact,
    /// The artifact is not JSON that all readers understand alike, or a field is missing or has the wrong type.
    SchemaInvalid,
    /// The artifact was written by another skill.
    WrongAuditSkill,
    /// The verdict is none of the six.
    InvalidVerdict,
    /// The audit itself says FAIL, BLOCKED or ERROR.
    BlockingVerdict,
    /// The audit itself says WARN. Beyond the table: a gate that opens must not hide what its audits doubt.
    DoubtfulVerdict,
    /// `NOT_APPLICABLE` although the sources hold what the audit is about, or another verdict than the reviewer's last answer.
    VerdictContradicted,
    /// The reviewer's last answer states no verdict that can be recognised.
    VerdictUnstated,
    /// Fewer numbers are bound to data than the policy asks for. Beyond the table: `min_bound` of a policy.
    ClaimsUnbound,
    /// A hashed file has other content now.
    StaleInput,
    /// A hashed file is not there any more.
    InputGone,
    /// A hashed file is no regular file or cannot be read.
    InputUnreadable,
    /// The reviewer was given other bytes than those that the artifact hashed.
    InputChangedAfterReview,
    /// The record does not show that the reviewer was given the file.
    InputNotReviewed,
    /// Two keys name one file and record different digests.
    DuplicateInput,
    /// A verdict that claims to have looked hashed nothing.
    NoAuditedInputs,
    /// The paper includes a file that the audits responsible for it never saw.
    UncoveredInput,
    /// A reviewer's audit did not hash a style, class or macro file, or the bindings of the numbers, which hold nothing of its subject.
    UncoveredSupport,
    /// An include whose file name cannot be known, so that what it brings in was never seen.
    IncludeUnresolved,
    /// An included source is not found in the paper.
    IncludeMissing,
    /// No root document, several of them, or one that cannot be read.
    NoRootDocument,
    /// A path leaves the allowed roots or differs only in case from what is on the disk.
    PathEscape,
    /// A file changed between being judged and the end of the run.
    ChangedDuringRun,
    /// Nothing is where `trace_path` points.
    TraceMissing,
    /// The trace holds nothing.
    TraceEmpty,
    /// The trace cannot be read.
    TraceUnreadable,
    /// The trace holds no record of this audit.
    TraceUnrelated,
    /// A record does not match the digests that were chained for it.
    TraceTampered,
    /// The trace has no chain.
    TraceUnchained,
    /// The trace was recorded in a project folder that does not exist on this machine.
    TraceMoved,
    /// The audit names no reviewer thread.
    NoThread,
    /// Two audits that must be independent name one reviewer thread.
    SharedThread,
    /// Reviewer and executor are of one model family.
    SameFamilyReviewer,
    /// A program made an audit that the policy does not leave to programs.
    DeterministicReviewer,
    /// `generated_at` is not a UTC time or lies in the future.
    Clock,
    /// The paper's manifest is invalid.
    ManifestInvalid,
    /// The policy in force is weaker than the built-in one.
    PolicyWeakened,
    /// A check crashed.
    Internal,
}

impl FindingId {
    /// All ids, in the order of a report.
    pub const ALL: [Self; 38] = [
        Self::MissingArtifact,
        Self::SchemaInvalid,
        Self::WrongAuditSkill,
        Self::InvalidVerdict,
        Self::BlockingVerdict,
        Self::DoubtfulVerdict,
        Self::VerdictContradicted,
        Self::VerdictUnstated,
        Self::ClaimsUnbound,
        Self::StaleInput,
        Self::InputGone,
        Self::InputUnreadable,
        Self::InputChangedAfterReview,
        Self::InputNotReviewed,
        Self::DuplicateInput,
        Self::NoAuditedInputs,
        Self::UncoveredInput,
        Self::UncoveredSupport,
        Self::IncludeUnresolved,
        Self::IncludeMissing,
        Self::NoRootDocument,
        Self::PathEscape,
        Self::ChangedDuringRun,
        Self::TraceMissing,
        Self::TraceEmpty,
        Self::TraceUnreadable,
        Self::TraceUnrelated,
        Self::TraceTampered,
        Self::TraceUnchained,
        Self::TraceMoved,
        Self::NoThread,
        Self::SharedThread,
        Self::SameFamilyReviewer,
        Self::DeterministicReviewer,
        Self::Clock,
        Self::ManifestInvalid,
        Self::PolicyWeakened,
        Self::Internal,
    ];

    /// The id as it stands in reports and policies.
    pub const fn word(self) -> &'static str {
        match self {
            Self::MissingArtifact => "missing_artifact",
            Self::SchemaInvalid => "schema_invalid",
            Self::WrongAuditSkill => "wrong_audit_skill",
            Self::InvalidVerdict => "invalid_verdict",
            Self::BlockingVerdict => "blocking_verdict",
            Self::DoubtfulVerdict => "doubtful_verdict",
            Self::VerdictContradicted => "verdict_contradicted",
            Self::VerdictUnstated => "verdict_unstated",
            Self::ClaimsUnbound => "claims_unbound",
            Self::StaleInput => "stale_input",
            Self::InputGone => "input_gone",
            Self::InputUnreadable => "input_unreadable",
            Self::InputChangedAfterReview => "input_changed_after_review",
            Self::InputNotReviewed => "input_not_reviewed",
            Self::DuplicateInput => "duplicate_input",
            Self::NoAuditedInputs => "no_audited_inputs",
            Self::UncoveredInput => "uncovered_input",
            Self::UncoveredSupport => "uncovered_support",
            Self::IncludeUnresolved => "include_unresolved",
            Self::IncludeMissing => "include_missing",
            Self::NoRootDocument => "no_root_document",
            Self::PathEscape => "path_escape",
            Self::ChangedDuringRun => "changed_during_run",
            Self::TraceMissing => "trace_missing",
            Self::TraceEmpty => "trace_empty",
            Self::TraceUnreadable => "trace_unreadable",
            Self::TraceUnrelated => "trace_unrelated",
            Self::TraceTampered => "trace_tampered",
            Self::TraceUnchained => "trace_unchained",
            Self::TraceMoved => "trace_moved",
            Self::NoThread => "no_thread",
            Self::SharedThread => "shared_thread",
            Self::SameFamilyReviewer => "same_family_reviewer",
            Self::DeterministicReviewer => "deterministic_reviewer",
            Self::Clock => "clock",
            Self::ManifestInvalid => "manifest_invalid",
            Self::PolicyWeakened => "policy_weakened",
            Self::Internal => "internal",
        }
    }

    /// Whether the finding says that an audited file is not what the audit saw.
    pub const fn is_stale(self) -> bool {
        matches!(
            self,
            Self::StaleInput
                | Self::InputGone
                | Self::InputUnreadable
                | Self::InputChangedAfterReview
                | Self::DuplicateInput
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_serde_writes() {
        for id in FindingId::ALL {
            assert_eq!(serde_json::to_value(id).expect("json"), id.word());
        }
        for severity in [Severity::Info, Severity::Warn, Severity::Block] {
            assert_eq!(
                serde_json::to_value(severity).expect("json"),
                severity.word()
            );
        }
        let mut sorted = FindingId::ALL;
        sorted.sort_unstable();
        assert_eq!(sorted, FindingId::ALL);
    }

    /// The table that people read names every id with its weight under the built-in policy.
    #[test]
    fn the_table_for_people_is_complete() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../skills/paper-writing/references/findings.md"
        );
        let text = aris_fs::read_text(std::path::Path::new(path)).expect("table");
        let policy = crate::policy::Policy::built_in().expect("valid");
        for id in FindingId::ALL {
            let row = format!("| `{}` | {} |", id.word(), policy.severity[&id].word());
            assert!(text.contains(&row), "{path} lacks {row}");
        }
        let listed = text.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(listed, FindingId::ALL.len());
    }
}
