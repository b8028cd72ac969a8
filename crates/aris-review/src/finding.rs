//! A finding: a claim without evidence, or another deficiency of a report.

use aris_contract::hex::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::edit::{Edit, Suggestion};

/// How bad a finding is, in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(schemars::JsonSchema, strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing has to happen.
    #[default]
    Info,
    /// Should be fixed.
    Warning,
    /// Must be fixed.
    Critical,
}

/// Who found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "lowercase")]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A model.
    Agent,
    /// The rule engine.
    Rules,
}

/// A finding in `findings_{pr}.json`.
///
/// **Source**: citation gates, §2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Path in the repository.
    pub file: String,
    /// Line of the new file, from 1; absent when there is no position.
    pub line: Option<u32>,
    /// What it is about, a word of the gate's profile.
    pub dimension: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Whether a person has to decide.
    #[serde(default)]
    pub requires_decision: bool,
    /// The rule that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Who found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The letters and digits of the line that it is about, in lower case. With them the finding keeps its fingerprint when the line moves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// The strategy that settles it, where a rule knows it: `rerun_required` when only a new experiment can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_strategy: Option<String>,
    /// 16 hexadecimal digits that stay the same as long as the finding does; see [`Finding::identified`].
    #[serde(default)]
    pub fingerprint: String,
    /// The line before and after an edit, where a rule can propose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
    /// The edit that a rule proposes; it becomes a suggestion where the line is known.
    #[serde(skip)]
    pub edit: Option<Edit>,
    /// The findings at the same place that were merged into this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Also>,
}

/// A finding that was merged into another one at the same place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Also {
    /// What it is about.
    pub dimension: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Whether a person has to decide.
    #[serde(default)]
    pub requires_decision: bool,
    /// The rule that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Who found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The fingerprint that it has as a finding of its own.
    #[serde(skip)]
    pub fingerprint: String,
}

impl Finding {
    /// A finding of the rule `rule`, with its fingerprint.
    pub fn of_rule(
        rule: &str,
        severity: Severity,
        dimension: &str,
        (file, line): (&str, Option<u32>),
        message: impl Into<String>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line,
            dimension: dimension.to_owned(),
            severity,
            message: message.into(),
            rule: Some(rule.to_owned()),
            source: Some(Source::Rules),
            ..Self::default()
        }
        .identified()
    }

    /// The finding with its fingerprint. This is made of its rule (without one, its dimension), its file, and the text of the line that it
    /// is about, so that it stays the same when the line moves or the message has other words. Without such a text the line number and the
    /// message count. A fingerprint that came with the finding is replaced, because it could be copied.
    #[must_use]
    pub fn identified(mut self) -> Self {
        self.fingerprint = self.print(self.kind(), &self.message);
        let mut also = std::mem::take(&mut self.also);
        for also in &mut also {
            also.fingerprint = self.print(also.kind(), &also.message);
        }
        self.also = also;
        self
    }

    /// Its rule; without one, its dimension.
    pub(crate) fn kind(&self) -> &str {
        self.rule.as_ref().unwrap_or(&self.dimension)
    }

    /// What `quote` is for the line with this number among those with its text.
    pub(crate) fn quote_of(&self, number: usize) -> String {
        let text = self.quote.split(' ').next().unwrap_or_default();
        match number {
            1 => text.to_owned(),
            _ => format!("{text} {number}"),
        }
    }

    /// The fingerprint of what `kind` says about that line.
    pub(crate) fn numbered(&self, kind: &str, number: usize) -> String {
        self.digest(kind, &self.quote_of(number))
    }

    /// The fingerprint of what `kind` says about this place.
    fn print(&self, kind: &str, message: &str) -> String {
        let about = if self.quote.is_empty() {
            let line = self.line.map_or_else(String::new, |line| line.to_string());
            format!("{line} {}", crate::text::letters(message))
        } else {
            self.quote.clone()
        };
        self.digest(kind, &about)
    }

    fn digest(&self, kind: &str, about: &str) -> String {
        let mut digest = Sha256::new();
        for part in [kind, &self.file, about] {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        short_hex(&digest.finalize())
    }

    /// The findings at its place, each alone: itself, and those that were merged into it.
    pub fn parts(&self) -> Vec<Self> {
        let also = self.also.iter().cloned();
        let also = also.map(|also| Self {
            file: self.file.clone(),
            line: self.line,
            dimension: also.dimension,
            severity: also.severity,
            message: also.message,
            requires_decision: also.requires_decision,
            rule: also.rule,
            source: also.source,
            fingerprint: also.fingerprint,
            ..Self::default()
        });
        let own = Self {
            also: Vec::new(),
            ..self.clone()
        };
        std::iter::once(own).chain(also).collect()
    }

    /// Turns the edit of a rule into a suggestion for `line`, and drops a suggestion that does not fit the line.
    pub fn suggest(&mut self, line: Option<&str>) {
        let known = self.suggestion.take();
        self.suggestion = line.and_then(|line| match self.edit.take() {
            Some(edit) => edit.of_line(line),
            None => known.filter(|known| known.fits(line)),
        });
    }

    /// Whether it has to be fixed, and nobody has to decide first.
    pub fn is_actionable(&self) -> bool {
        !self.requires_decision && self.severity >= Severity::Warning
    }
}

impl Also {
    /// Its rule; without one, its dimension.
    pub(crate) fn kind(&self) -> &str {
        self.rule.as_ref().unwrap_or(&self.dimension)
    }
}

/// The first eight bytes in hexadecimal digits.
pub(crate) fn short_hex(digest: &[u8]) -> String {
    hex(digest.iter().take(8))
}

impl From<Finding> for Also {
    fn from(finding: Finding) -> Self {
        Self {
            dimension: finding.dimension,
            severity: finding.severity,
            message: finding.message,
            requires_decision: finding.requires_decision,
            rule: finding.rule,
            source: finding.source,
            fingerprint: finding.fingerprint,
        }
    }
}
