//! The stable names of what the gate can prove, and their weights.

use serde::{Deserialize, Serialize};

/// How much a finding weighs; the policy says which id has which.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// Worth knowing.
    Info,
    /// Doubtful; does not block.
    Warn,
    /// Blocks at `submission`.
    Block,
}

/// Stable names of everything the gate can prove, in the order of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(schemars::JsonSchema, strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum FindingId {
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
    /// An audit by a program that comes out differently when the gate makes it again.
    AuditNotReproduced,
    /// Fewer numbers are bound to data than the policy asks for. Beyond the table: `min_bound` of a policy.
    ClaimsUnbound,
    /// No run in the project's ledger wrote a file that a number stands on. Beyond the table, as the eleven after it: the ledger of runs.
    UnexplainedEvidence,
    /// The run that wrote the file failed.
    RunFailed,
    /// The record does not tell how the run that wrote the file ended.
    EndUnknown,
    /// The code of the run was not what its commit holds.
    UncommittedSource,
    /// The record of the run names no commit.
    NoCommit,
    /// The files behind one number were made by different commits.
    MixedCommits,
    /// Two runs that went on at the same time wrote the file.
    ContestedFile,
    /// A later run wrote the file with another content.
    SupersededRun,
    /// The run wrote the file under another path.
    OtherPath,
    /// A file that the run read is not what it was then.
    InputChanged,
    /// The run's command names files that were not recorded.
    InputUnknown,
    /// The times of the run cannot be.
    RunClock,
    /// The record of the run was edited or is gone.
    RecordDamaged,
    /// A finding that vanished although neither its file changed nor its audit ran again.
    ObligationOpen,
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
    /// Another root document lies in the paper directory; the audits are about one. Beyond the table.
    RootNotAudited,
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
    /// A review was kept again for changed files with the same prompt and the same answer.
    AnswerRepeated,
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
    /// `generated_at` is not a UTC time or is in the future.
    Clock,
    /// The paper's manifest is invalid.
    ManifestInvalid,
    /// The policy in force is weaker than the built-in one.
    PolicyWeakened,
    /// A check crashed.
    Internal,
}

impl FindingId {
    /// The id in reports and policies.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    /// Whether the paper or its bindings must be repaired before the audit is repeated.
    pub(crate) const fn is_repaired(self) -> bool {
        matches!(
            self,
            Self::VerdictContradicted | Self::ClaimsUnbound | Self::ObligationOpen
        )
    }

    /// Whether the finding says that a file of the audit's subject differs from what the audit saw.
    pub(crate) const fn is_stale(self) -> bool {
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
    use strum::VariantArray as _;

    use super::*;

    /// The public table contains every id with its built-in weight.
    #[test]
    fn the_table_for_people_is_complete() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../skills/paper-writing/references/findings.md"
        );
        let text = aris_fs::read_text(std::path::Path::new(path)).expect("table");
        let policy = crate::policy::Policy::built_in().expect("valid");
        for id in FindingId::VARIANTS {
            assert_eq!(serde_json::to_value(id).expect("json"), id.word());
            let weight = serde_json::to_value(policy.severity[id]).expect("json");
            let row = format!("| `{}` | {} |", id.word(), weight.as_str().expect("a word"));
            assert!(text.contains(&row), "{path} lacks {row}");
        }
        let listed = text.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(listed, FindingId::VARIANTS.len());
    }
}
