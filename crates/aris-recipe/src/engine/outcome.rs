//! The outcome of one attempt of a step.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::Step;

/// How an attempt ended, as its executor says.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantArray, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum OutcomeStatus {
    /// The tool did its work. What the work came to is in the result.
    #[default]
    Success,
    /// The tool did not do its work.
    Failure,
    /// A session ran out of context.
    ContextLimit,
    /// A budget is used up.
    Exhausted,
    /// Nothing came of it, and trying again may help.
    Stale,
}

impl OutcomeStatus {
    /// As written.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Why a headless session asks for another try, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetryReason {
    /// It can be resumed.
    Resume,
    /// It made no progress.
    Stale,
    /// Its work is done, its output was cut.
    DrainRace,
    /// It said nothing.
    EmptyOutput,
    /// It wrote where it must not.
    PathContamination,
    /// It stopped before it was done.
    EarlyStop,
    /// It wrote nothing although it had to.
    ZeroWrites,
    /// Its budget is used up.
    BudgetExhausted,
    /// It changed the source of its clone.
    CloneContamination,
    /// Its output was recovered; the result has to carry what was declared.
    ContractRecovery,
    /// None.
    None,
}

/// The outcome of one attempt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// How it ended.
    pub status: OutcomeStatus,
    /// What the step returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Map<String, Value>>,
    /// What each call returned, when one visit made several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Map<String, Value>>,
    /// What a headless session reports; decides instead of `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_reason: Option<RetryReason>,
    /// What a headless session reports, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// For the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Outcome {
    /// An outcome of this status with nothing else.
    pub fn of(status: OutcomeStatus) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// An outcome of this status, with the reason.
    pub fn noted(status: OutcomeStatus, note: impl Into<String>) -> Self {
        Self {
            note: Some(note.into()),
            ..Self::of(status)
        }
    }

    /// A success with a result.
    pub fn success(result: Map<String, Value>) -> Self {
        Self {
            result: Some(result),
            ..Self::default()
        }
    }

    /// Whether it counts as a success of a step.
    pub fn is_success(&self, step: &Step) -> bool {
        self.meaning(step) == OutcomeStatus::Success
    }

    /// Whether the session changed what it must not.
    pub(super) fn is_tainted(&self) -> bool {
        self.retry_reason == Some(RetryReason::CloneContamination)
    }

    /// What captures and routing read: the result, or the last of the results.
    pub(super) fn main_result(&self) -> Value {
        let result = self.result.as_ref().or_else(|| self.results.last());
        Value::Object(result.cloned().unwrap_or_default())
    }

    /// What list captures read: all results, or the only one.
    pub(super) fn all_results(&self) -> Vec<Value> {
        if self.results.is_empty() {
            vec![self.main_result()]
        } else {
            self.results.iter().cloned().map(Value::Object).collect()
        }
    }

    /// What it means for a step.
    ///
    /// **Source**: the table of what a headless session reports; without a reason the status counts.
    pub(super) fn meaning(&self, step: &Step) -> OutcomeStatus {
        match self.retry_reason {
            None => self.status,
            Some(RetryReason::Resume) if self.subtype.as_deref() != Some("stale") => {
                OutcomeStatus::ContextLimit
            }
            Some(RetryReason::Resume | RetryReason::Stale) => OutcomeStatus::Stale,
            Some(RetryReason::DrainRace) => OutcomeStatus::ContextLimit,
            Some(
                RetryReason::EmptyOutput
                | RetryReason::PathContamination
                | RetryReason::EarlyStop
                | RetryReason::ZeroWrites
                | RetryReason::CloneContamination,
            ) => OutcomeStatus::Failure,
            Some(RetryReason::BudgetExhausted) => OutcomeStatus::Exhausted,
            Some(RetryReason::ContractRecovery) if !self.carries_outputs(step) => {
                OutcomeStatus::Failure
            }
            Some(RetryReason::ContractRecovery | RetryReason::None) => OutcomeStatus::Success,
        }
    }

    /// Whether the result has everything that the step captures.
    fn carries_outputs(&self, step: &Step) -> bool {
        let result = self.main_result();
        let carries = |name: &str| result.get(name).is_some_and(|value| !value.is_null());
        let mut captures = step.captures();
        captures.all(|capture| capture.template.references().all(|one| carries(one.name())))
    }
}
