//! What a rule reports.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// How much a finding weighs. A recipe is valid when it has none of severity error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "lowercase")]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The recipe must not run.
    Error,
    /// Most likely a mistake.
    Warning,
    /// Worth knowing.
    Info,
}

/// One finding about a recipe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// Id of the rule.
    pub rule: Cow<'static, str>,
    /// Its weight.
    pub severity: Severity,
    /// The step; empty for the file.
    pub step: String,
    /// What is wrong and what to do.
    pub message: String,
    /// The file of the sub-recipe that the step is from; absent for the recipe's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in that line, from 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The field at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// All steps concerned, sorted, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<String>>,
}

impl Finding {
    /// A finding about the whole file.
    pub fn about_file(
        rule: impl Into<Cow<'static, str>>,
        severity: Severity,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule: rule.into(),
            severity,
            step: String::new(),
            message: message.into(),
            file: None,
            line: None,
            column: None,
            field: None,
            steps: None,
        }
    }

    /// The same finding at a line; 0 means no line.
    #[must_use]
    pub fn at(mut self, line: u32) -> Self {
        self.line = (line > 0).then_some(line);
        self
    }
}
