//! The audit artifact (`PROOF_AUDIT.json`, `PAPER_CLAIM_AUDIT.json`, …), its verdicts, and the assurance axis.
//!
//! **Source**: the public assurance contract (artifact fields, six verdicts), the design of the submission gate.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The six states an audit may end in.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// Everything that was checked holds.
    Pass,
    /// Issues, none of them disqualifying.
    Warn,
    /// A disqualifying issue.
    Fail,
    /// The audit ran and there is nothing of its kind to audit.
    NotApplicable,
    /// The audit applies and could not be done: something it needs is missing.
    Blocked,
    /// The audit itself failed.
    Error,
}

impl Verdict {
    /// All six, in the contract's order.
    pub const ALL: [Self; 6] = [
        Self::Pass,
        Self::Warn,
        Self::Fail,
        Self::NotApplicable,
        Self::Blocked,
        Self::Error,
    ];

    /// The word in artifacts.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Warn => "WARN",
            Self::Fail => "FAIL",
            Self::NotApplicable => "NOT_APPLICABLE",
            Self::Blocked => "BLOCKED",
            Self::Error => "ERROR",
        }
    }

    /// Whether the verdict alone blocks a submission.
    pub const fn blocks(self) -> bool {
        matches!(self, Self::Fail | Self::Blocked | Self::Error)
    }

    /// Whether the verdict claims that inputs were looked at, so that their hashes must be there.
    pub const fn claims_to_have_looked(self) -> bool {
        matches!(
            self,
            Self::Pass | Self::Warn | Self::Fail | Self::NotApplicable
        )
    }
}

/// How strict the submission gate is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Assurance {
    /// Audits that exist are checked and reported; nothing blocks.
    Draft,
    /// Every mandatory audit must be there, whole, current and not blocking.
    Submission,
}

impl Assurance {
    /// The word in `assurance.txt` and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Submission => "submission",
        }
    }
}

/// A word that is neither `draft` nor `submission`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an assurance level (draft or submission)")]
pub struct AssuranceError(String);

impl FromStr for Assurance {
    type Err = AssuranceError;

    fn from_str(text: &str) -> Result<Self, AssuranceError> {
        match text {
            "draft" => Ok(Self::Draft),
            "submission" => Ok(Self::Submission),
            _ => Err(AssuranceError(text.chars().take(40).collect())),
        }
    }
}

/// One audit's result, as the gate reads it.
///
/// Unknown fields are allowed: other programs write audits too. `audited_input_hashes` maps a path (relative to the paper
/// directory, or absolute) to `sha256:<64 hex digits>`; the prefix may be missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Audit", bound = "D: schemars::JsonSchema + Default")]
pub struct Audit<D = Value> {
    /// Schema id; absent in artifacts of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Program and version that wrote the artifact, `<helper>@<version>`; absent in artifacts of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer: Option<String>,
    /// Skill that made the audit, `paper-claim-audit`.
    pub audit_skill: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Short machine-readable reason, `all_numbers_match`.
    pub reason_code: String,
    /// One line for people.
    pub summary: String,
    /// SHA-256 of every file the audit read.
    pub audited_input_hashes: BTreeMap<String, String>,
    /// Where the reviewer's prompt and response are kept.
    pub trace_path: String,
    /// The reviewer's conversation.
    pub thread_id: String,
    /// The reviewer; `deterministic/<helper>@<version>` when a program made the audit.
    pub reviewer_model: String,
    /// Reasoning effort of the reviewer; `none` for a program.
    pub reviewer_reasoning: String,
    /// RFC 3339, UTC.
    pub generated_at: String,
    /// Whatever the audit wants to add.
    #[serde(default)]
    pub details: D,
}

/// What came of the gate's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateResult {
    /// Nothing blocking was found; that is not an acceptance.
    NoBlocker,
    /// Blocked at `submission`.
    Blocked,
    /// A draft in which every mandatory audit was run and nothing would block a submission.
    DraftWithoutBlockers,
    /// A draft in which mandatory audits have not been run and nothing else would block a submission.
    DraftIncomplete,
    /// A draft with findings that would block a submission.
    DraftWithBlockers,
}

/// What other programs read of the gate's report, which says more.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct GateReport {
    /// Schema id.
    pub schema: String,
    /// Version of the verifier.
    pub verifier_version: String,
    /// How strict the gate was.
    pub assurance: Assurance,
    /// RFC 3339, UTC.
    pub generated_at: String,
    /// Whether the gate blocks: only ever at `submission`.
    pub submission_blocking: bool,
    /// What came of it.
    pub result: GateResult,
}

/// Fields an artifact must have, in the order of the contract.
pub const REQUIRED_FIELDS: [&str; 10] = [
    "audit_skill",
    "verdict",
    "reason_code",
    "summary",
    "audited_input_hashes",
    "trace_path",
    "thread_id",
    "reviewer_model",
    "reviewer_reasoning",
    "generated_at",
];

/// `reviewer_model` of an audit made by a program.
pub fn deterministic_reviewer(helper: &str, version: &str) -> String {
    format!("deterministic/{helper}@{version}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_serde_writes() {
        for verdict in Verdict::ALL {
            assert_eq!(serde_json::to_value(verdict).expect("json"), verdict.word());
        }
        for assurance in [Assurance::Draft, Assurance::Submission] {
            assert_eq!(
                serde_json::to_value(assurance).expect("json"),
                assurance.word()
            );
            assert_eq!(assurance.word().parse(), Ok(assurance));
        }
        assert!("Submission".parse::<Assurance>().is_err());
    }

    #[test]
    fn only_what_was_looked_at_and_holds_does_not_block() {
        for (verdict, blocks, looked) in [
            (Verdict::Pass, false, true),
            (Verdict::Warn, false, true),
            (Verdict::Fail, true, true),
            (Verdict::NotApplicable, false, true),
            (Verdict::Blocked, true, false),
            (Verdict::Error, true, false),
        ] {
            let says = (verdict.blocks(), verdict.claims_to_have_looked());
            assert_eq!(says, (blocks, looked), "{verdict:?}");
        }
    }

    #[test]
    fn a_program_is_named_as_the_reviewer_of_what_it_audits() {
        assert_eq!(
            deterministic_reviewer("x", "1.2.3"),
            "deterministic/x@1.2.3"
        );
    }

    #[test]
    fn required_fields_are_those_without_a_default() {
        let all: serde_json::Map<String, Value> = REQUIRED_FIELDS
            .iter()
            .map(|field| {
                let value = match *field {
                    "verdict" => Value::from("PASS"),
                    "audited_input_hashes" => serde_json::json!({}),
                    _ => Value::from("x"),
                };
                ((*field).to_owned(), value)
            })
            .collect();
        assert!(serde_json::from_value::<Audit>(Value::Object(all.clone())).is_ok());
        for field in REQUIRED_FIELDS {
            let mut without = all.clone();
            without.remove(field);
            assert!(
                serde_json::from_value::<Audit>(Value::Object(without)).is_err(),
                "{field}"
            );
        }
    }
}
