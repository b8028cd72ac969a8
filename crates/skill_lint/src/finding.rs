//! Findings, and the sink that rules put them into.

use aris_skills::Skill;
use serde::Serialize;

use crate::catalogue::{self, Certainty, Severity};
use crate::fix::Fix;
use crate::selection::Selection;
use crate::suppress::Suppressed;

/// Line and column from 1, the column in characters. A 0 is read as 1.
pub type Place = (usize, usize);

/// The place of a finding about a whole file.
pub const FILE: Place = (1, 1);

/// One finding of the report.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Item"))]
pub struct Finding {
    /// Rule id.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// Whether the rule is exact.
    pub certainty: Certainty,
    /// The PATH it belongs to, as given; only when several were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// File or folder, relative to its root, with `/`.
    pub path: String,
    /// Line from 1.
    pub line: usize,
    /// Column from 1, in characters.
    pub col: usize,
    /// Name of the skill's directory; null outside skills.
    pub skill: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// Short names of the rule's sources.
    pub source: &'static str,
    /// Whether `--fix` repairs this finding.
    pub fixable: bool,
    /// What hides it; null when nothing does.
    pub suppressed: Option<Suppressed>,
    /// Stays the same when lines move.
    pub fingerprint: String,
    /// For rules that count: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// How `--fix` repairs it.
    #[serde(skip)]
    pub fix: Option<Fix>,
}

impl Finding {
    /// Replaces the rule's hint.
    pub fn hint(&mut self, hint: impl Into<String>) -> &mut Self {
        self.hint = hint.into();
        self
    }

    /// Lowers the severity to `severity` if it is higher.
    pub fn at_most(&mut self, severity: Severity) -> &mut Self {
        self.severity = self.severity.min(severity);
        self
    }

    /// Adds the number that the baseline compares.
    pub fn count(&mut self, count: u64) -> &mut Self {
        self.count = Some(count);
        self
    }

    /// Adds a repair.
    pub fn fix(&mut self, fix: impl Into<Option<Fix>>) -> &mut Self {
        self.fix = fix.into();
        self.fixable = self.fix.is_some();
        self
    }

    /// The path as a user in the working directory writes it: PATH as given, joined with the finding's path.
    pub(crate) fn shown_path(&self, roots: &[String]) -> String {
        let root = match (&self.root, roots) {
            (Some(root), _) => root.as_str(),
            (None, [only]) => only,
            _ => ".",
        };
        match root.trim_end_matches('/') {
            "." => self.path.clone(),
            "" => format!("/{}", self.path),
            root => format!("{root}/{}", self.path),
        }
    }
}

/// A rule that could not look at something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Skipped {
    /// The rule.
    pub rule: String,
    /// What was not looked at; empty when nothing was.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Collects findings. Findings of rules that do not run are dropped.
#[derive(Debug)]
pub struct Sink<'a> {
    selection: &'a Selection,
    skill: Option<String>,
    found: Vec<Finding>,
    skipped: Vec<Skipped>,
    dropped: Option<Finding>,
}

impl<'a> Sink<'a> {
    /// An empty sink. Its findings belong to `skill`, when given.
    pub fn new(selection: &'a Selection, skill: Option<&Skill>) -> Self {
        Self {
            selection,
            skill: skill.map(|skill| skill.name.clone()),
            found: Vec::new(),
            skipped: Vec::new(),
            dropped: None,
        }
    }

    /// Whether a rule runs. Lets a family skip work whose result would be dropped.
    pub fn wants(&self, rule: &str) -> bool {
        self.selection.severity(rule).is_some()
    }

    /// Adds a finding of `rule` at a place and returns it, so that the caller can add to it.
    pub fn found(
        &mut self,
        rule: &'static str,
        path: &str,
        (line, col): Place,
        message: impl Into<String>,
    ) -> &mut Finding {
        #[expect(clippy::expect_used, reason = "every rule stands in the table")]
        let rule = catalogue::find(rule).expect("a rule of the table");
        let severity = self.selection.severity(rule.id);
        let finding = Finding {
            rule: rule.id,
            severity: severity.unwrap_or(Severity::Info),
            certainty: rule.certainty,
            root: None,
            path: path.to_owned(),
            line: line.max(1),
            col: col.max(1),
            skill: self.skill.clone(),
            message: message.into(),
            hint: rule.fix.to_owned(),
            source: rule.sources,
            fixable: false,
            suppressed: None,
            fingerprint: String::new(),
            count: None,
            fix: None,
        };
        match severity {
            Some(_) => self.found.push_mut(finding),
            None => self.dropped.insert(finding),
        }
    }

    /// Records that a rule could not look at something; `path` is empty when it could not look at anything.
    pub fn skipped(&mut self, rule: &'static str, path: &str, reason: impl Into<String>) {
        if self.wants(rule) {
            self.skipped.push(Skipped {
                rule: rule.to_owned(),
                path: path.to_owned(),
                reason: reason.into(),
            });
        }
    }

    /// The findings, and what was skipped.
    pub fn into_parts(self) -> (Vec<Finding>, Vec<Skipped>) {
        (self.found, self.skipped)
    }
}
