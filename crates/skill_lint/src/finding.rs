//! Findings, and the sink that rules put them into.

use aris_skills::Skill;

use crate::catalogue::{self, Rule, Severity};
use crate::fix::Fix;
use crate::sandbox::{Isolation, SandboxError};
use crate::selection::Selection;

/// Line and column from 1, the column in characters; 0 counts as 1.
pub type Place = (usize, usize);

/// The place of a finding about a file as a whole.
pub const FILE: Place = (1, 1);

/// One thing that a rule found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// File or folder, relative to the root.
    pub path: String,
    /// Line from 1; 1 for a finding about the file as a whole.
    pub line: usize,
    /// Column from 1, in characters.
    pub col: usize,
    /// What is wrong here: lower case, no full stop.
    pub message: String,
    /// What to do, where the rule's own hint does not say it well enough.
    pub hint: Option<String>,
    /// How bad, as the run decides: already the profile's.
    pub severity: Severity,
    /// For rules that count: how many. A baseline keeps the number, and the finding comes back when it grows.
    pub count: Option<u64>,
    /// How `--fix` repairs it.
    pub fix: Option<Fix>,
    /// Directory of the skill that it belongs to.
    pub skill: Option<String>,
    /// Its fingerprint, as soon as it is known.
    pub(crate) fingerprint: Option<String>,
}

impl Finding {
    /// Adds a hint of its own.
    pub fn hint(&mut self, hint: impl Into<String>) -> &mut Self {
        self.hint = Some(hint.into());
        self
    }

    /// Lowers the severity to at most `severity`.
    pub fn at_most(&mut self, severity: Severity) -> &mut Self {
        self.severity = self.severity.min(severity);
        self
    }

    /// Adds the number that a baseline keeps.
    pub fn count(&mut self, count: u64) -> &mut Self {
        self.count = Some(count);
        self
    }

    /// Adds a repair.
    pub fn fix(&mut self, fix: Fix) -> &mut Self {
        self.fix = Some(fix);
        self
    }
}

/// A rule that could not look at something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Skipped {
    /// The rule.
    pub rule: String,
    /// What was not looked at; empty when nothing was.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Takes findings. Those of rules that do not run are dropped at once.
#[derive(Debug)]
pub struct Sink<'a> {
    selection: &'a Selection,
    skill: Option<String>,
    found: Vec<Finding>,
    skipped: Vec<Skipped>,
    dropped: Option<Finding>,
    isolation: Option<Result<Isolation, SandboxError>>,
}

impl<'a> Sink<'a> {
    /// An empty sink. Findings belong to `skill` when there is one.
    pub fn new(selection: &'a Selection, skill: Option<&Skill>) -> Self {
        Self {
            selection,
            skill: skill.map(|skill| skill.dir.clone()),
            found: Vec::new(),
            skipped: Vec::new(),
            dropped: None,
            isolation: None,
        }
    }

    /// Whether a rule runs: lets a family skip work whose result would be dropped.
    pub fn wants(&self, rule: &str) -> bool {
        self.selection.severity(rule).is_some()
    }

    /// A finding of `rule` at a place. The rest is added to what comes back.
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
            rule,
            path: path.to_owned(),
            line: line.max(1),
            col: col.max(1),
            message: message.into(),
            hint: None,
            severity: severity.unwrap_or(Severity::Info),
            count: None,
            fix: None,
            skill: self.skill.clone(),
            fingerprint: None,
        };
        match severity {
            Some(_) => self.found.push(finding),
            None => self.dropped = Some(finding),
        }
        let last = match severity {
            Some(_) => self.found.last_mut(),
            None => self.dropped.as_mut(),
        };
        #[expect(clippy::expect_used, reason = "pushed or set above")]
        last.expect("just put there")
    }

    /// Says that a rule could not look at something; `path` is empty when it looked at nothing at all.
    pub fn skipped(&mut self, rule: &'static str, path: &str, reason: impl Into<String>) {
        if self.wants(rule) {
            self.skipped.push(Skipped {
                rule: rule.to_owned(),
                path: path.to_owned(),
                reason: reason.into(),
            });
        }
    }

    /// Says under what isolation programs of the tree ran, or why none could.
    pub fn ran_under(&mut self, isolation: Result<Isolation, SandboxError>) {
        self.isolation = Some(isolation);
    }

    /// Under what isolation programs of the tree ran; `None` when none was to.
    pub fn take_isolation(&mut self) -> Result<Option<Isolation>, SandboxError> {
        self.isolation.take().transpose()
    }

    /// Findings and what was passed over.
    pub fn into_parts(self) -> (Vec<Finding>, Vec<Skipped>) {
        (self.found, self.skipped)
    }
}
