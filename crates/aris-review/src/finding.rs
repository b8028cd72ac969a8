//! A finding: a claim whose backing is missing, or anything else that a gate has to say about a line.

use aris_contract::hex::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::edit::{Edit, Suggestion};

/// How bad a finding is. The order is that of gravity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(schemars::JsonSchema, strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing has to happen.
    #[default]
    Info,
    /// Should be mended.
    Warning,
    /// Must be mended.
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

/// A finding as `findings_{pr}.json` holds it.
///
/// **Source**: citation gates, §2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Path in the repository.
    pub file: String,
    /// Line of the new file, from 1; none when there is no position.
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
    /// The letters and digits of the line that it is about, in lower case; with them the finding stays the same where its line moves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// What classification should come to, as far as a rule can say: `rerun_required` for what only an experiment can mend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_strategy: Option<String>,
    /// 16 hexadecimal digits that stay the same as long as the finding does; see [`Finding::identified`].
    #[serde(default)]
    pub fingerprint: String,
    /// The line as a rule would have it, where a rule can say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
    /// What a rule would replace on the line; it becomes a suggestion where the line is at hand.
    #[serde(skip)]
    pub edit: Option<Edit>,
    /// The findings on the same place that gave way to this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Also>,
}

/// A finding that gave way to another one on the same place.
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

    /// The finding with the fingerprint of its rule (without one, its dimension), its file and the line that it is about, as this reads:
    /// it stays the same where the line moves, and where other words are found for it. Without such a line its message counts. A
    /// fingerprint that came with it counts for nothing: whoever writes findings could copy one.
    #[must_use]
    pub fn identified(mut self) -> Self {
        let rule = self.rule.as_ref().unwrap_or(&self.dimension);
        self.fingerprint = self.print(rule, &self.message);
        let mut also = std::mem::take(&mut self.also);
        for also in &mut also {
            let rule = also.rule.as_ref().unwrap_or(&also.dimension);
            also.fingerprint = self.print(rule, &also.message);
        }
        self.also = also;
        self
    }

    /// The fingerprint of what a rule says of this place.
    fn print(&self, rule: &str, message: &str) -> String {
        let about = if self.quote.is_empty() {
            let line = self.line.map_or_else(String::new, |line| line.to_string());
            format!("{line} {}", crate::text::letters(message))
        } else {
            self.quote.clone()
        };
        let mut digest = Sha256::new();
        for part in [rule, &self.file, &about] {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        short_hex(&digest.finalize())
    }

    /// What was found at its place, each alone: itself, and what gave way to it.
    pub(crate) fn parts(&self) -> Vec<Self> {
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

    /// Turns the edit of a rule into a suggestion. One that does not fit the line as it stands goes.
    pub fn suggest(&mut self, line: Option<&str>) {
        let known = self.suggestion.take();
        self.suggestion = line.and_then(|line| match self.edit.take() {
            Some(edit) => edit.of_line(line),
            None => known.filter(|known| known.fits(line)),
        });
    }

    /// Whether it has to be mended and nobody has to be asked first.
    pub fn is_actionable(&self) -> bool {
        !self.requires_decision && self.severity >= Severity::Warning
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
