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

/// Defines the ids once: variants, words and [`FindingId::ALL`].
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// Stable names of everything the gate can prove, in the order of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub enum FindingId {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl FindingId {
            /// All ids, in the order of a report.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The id as it stands in reports and policies.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

ids! {
    /// A mandatory artifact is not there.
    MissingArtifact = "missing_artifact",
    /// The artifact is not JSON that all readers understand alike, or a field is missing or has the wrong type.
    SchemaInvalid = "schema_invalid",
    /// The artifact was written by another skill.
    WrongAuditSkill = "wrong_audit_skill",
    /// The verdict is none of the six.
    InvalidVerdict = "invalid_verdict",
    /// The audit itself says FAIL, BLOCKED or ERROR.
    BlockingVerdict = "blocking_verdict",
    /// The audit itself says WARN. Beyond the table: a gate that opens must not hide what its audits doubt.
    DoubtfulVerdict = "doubtful_verdict",
    /// `NOT_APPLICABLE` although the sources hold what the audit is about, or another verdict than the reviewer's last answer.
    VerdictContradicted = "verdict_contradicted",
    /// The reviewer's last answer states no verdict that can be recognised.
    VerdictUnstated = "verdict_unstated",
    /// An audit by a program that comes out differently when the gate makes it again.
    AuditNotReproduced = "audit_not_reproduced",
    /// Fewer numbers are bound to data than the policy asks for. Beyond the table: `min_bound` of a policy.
    ClaimsUnbound = "claims_unbound",
    /// No run in the project's ledger wrote a file that a number stands on. Beyond the table, as the eleven after it: the ledger of runs.
    UnexplainedEvidence = "unexplained_evidence",
    /// The run that wrote the file failed.
    RunFailed = "run_failed",
    /// The record does not tell how the run that wrote the file ended.
    EndUnknown = "end_unknown",
    /// The code of the run was not what its commit holds.
    UncommittedSource = "uncommitted_source",
    /// The record of the run names no commit.
    NoCommit = "no_commit",
    /// The files behind one number were made by different commits.
    MixedCommits = "mixed_commits",
    /// Two runs that went on at the same time wrote the file.
    ContestedFile = "contested_file",
    /// A later run wrote the file with another content.
    SupersededRun = "superseded_run",
    /// The run wrote the file under another path.
    OtherPath = "other_path",
    /// A file that the run read is not what it was then.
    InputChanged = "input_changed",
    /// The run's command names files that were not recorded.
    InputUnknown = "input_unknown",
    /// The times of the run cannot be.
    RunClock = "run_clock",
    /// The record of the run was edited or is gone.
    RecordDamaged = "record_damaged",
    /// A finding that vanished although neither its file changed nor its audit ran again.
    ObligationOpen = "obligation_open",
    /// A hashed file has other content now.
    StaleInput = "stale_input",
    /// A hashed file is not there any more.
    InputGone = "input_gone",
    /// A hashed file is no regular file or cannot be read.
    InputUnreadable = "input_unreadable",
    /// The reviewer was given other bytes than those that the artifact hashed.
    InputChangedAfterReview = "input_changed_after_review",
    /// The record does not show that the reviewer was given the file.
    InputNotReviewed = "input_not_reviewed",
    /// Two keys name one file and record different digests.
    DuplicateInput = "duplicate_input",
    /// A verdict that claims to have looked hashed nothing.
    NoAuditedInputs = "no_audited_inputs",
    /// The paper includes a file that the audits responsible for it never saw.
    UncoveredInput = "uncovered_input",
    /// A reviewer's audit did not hash a style, class or macro file, or the bindings of the numbers, which hold nothing of its subject.
    UncoveredSupport = "uncovered_support",
    /// An include whose file name cannot be known, so that what it brings in was never seen.
    IncludeUnresolved = "include_unresolved",
    /// An included source is not found in the paper.
    IncludeMissing = "include_missing",
    /// No root document, several of them, or one that cannot be read.
    NoRootDocument = "no_root_document",
    /// A path leaves the allowed roots or differs only in case from what is on the disk.
    PathEscape = "path_escape",
    /// A file changed between being judged and the end of the run.
    ChangedDuringRun = "changed_during_run",
    /// Nothing is where `trace_path` points.
    TraceMissing = "trace_missing",
    /// The trace holds nothing.
    TraceEmpty = "trace_empty",
    /// The trace cannot be read.
    TraceUnreadable = "trace_unreadable",
    /// The trace holds no record of this audit.
    TraceUnrelated = "trace_unrelated",
    /// A record does not match the digests that were chained for it.
    TraceTampered = "trace_tampered",
    /// The trace has no chain.
    TraceUnchained = "trace_unchained",
    /// A review was kept again for changed files with the same prompt and the same answer.
    AnswerRepeated = "answer_repeated",
    /// The trace was recorded in a project folder that does not exist on this machine.
    TraceMoved = "trace_moved",
    /// The audit names no reviewer thread.
    NoThread = "no_thread",
    /// Two audits that must be independent name one reviewer thread.
    SharedThread = "shared_thread",
    /// Reviewer and executor are of one model family.
    SameFamilyReviewer = "same_family_reviewer",
    /// A program made an audit that the policy does not leave to programs.
    DeterministicReviewer = "deterministic_reviewer",
    /// `generated_at` is not a UTC time or lies in the future.
    Clock = "clock",
    /// The paper's manifest is invalid.
    ManifestInvalid = "manifest_invalid",
    /// The policy in force is weaker than the built-in one.
    PolicyWeakened = "policy_weakened",
    /// A check crashed.
    Internal = "internal",
}

impl FindingId {
    /// Whether the paper or its bindings are to be repaired before the audit is made again.
    pub const fn is_repaired(self) -> bool {
        matches!(
            self,
            Self::VerdictContradicted | Self::ClaimsUnbound | Self::ObligationOpen
        )
    }

    /// Whether the finding says that a file of the audit's subject is not what the audit saw.
    pub const fn is_stale(self) -> bool {
        matches!(
            self,
            Self::StaleInput
                | Self::InputGone
                | Self::InputUnreadable
                | Self::InputChangedAfterReview
                | Self::DuplicateInput
                | Self::UncoveredInput
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_serde_writes() {
        for severity in [Severity::Info, Severity::Warn, Severity::Block] {
            assert_eq!(
                serde_json::to_value(severity).expect("json"),
                severity.word()
            );
        }
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
            let row = format!("| `{}` | {} |", id.word(), policy.severity[id].word());
            assert!(text.contains(&row), "{path} lacks {row}");
        }
        let listed = text.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(listed, FindingId::ALL.len());
    }
}
