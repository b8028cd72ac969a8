//! Static rules: what is wrong with a recipe, found without running it.

use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::model::Recipe;

/// Which rules apply, and how severe they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// All general and manifest rules.
    #[default]
    Core,
    /// The rules of the public reference only, with those of its project.
    Compat,
    /// As core; warnings of our own rules are errors.
    Strict,
}

/// Data that some rules need; a rule without its data is skipped and says so.
#[derive(Clone, Debug, Default)]
pub struct Data;

/// A rule that was not applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedRule {
    /// Its id.
    pub rule: String,
    /// Why.
    pub why: String,
}

/// Findings by weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Of severity error.
    pub error: usize,
    /// Of severity warning.
    pub warning: usize,
    /// Of severity info.
    pub info: usize,
}

/// What the rules found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order of the file, then of the rules.
    pub findings: Vec<Finding>,
    /// Rules whose data were not given.
    pub skipped_rules: Vec<SkippedRule>,
}

impl Report {
    /// Whether there is no error.
    pub fn is_valid(&self) -> bool {
        self.counts().error == 0
    }

    /// Findings by weight.
    pub fn counts(&self) -> Counts {
        let of = |severity| {
            self.findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        Counts {
            error: of(Severity::Error),
            warning: of(Severity::Warning),
            info: of(Severity::Info),
        }
    }
}

/// Applies the rules of a profile.
pub fn check(recipe: &Recipe, _data: &Data, _profile: Profile) -> Report {
    let mut report = Report::default();
    let mut missing = |absent: bool, rule, what: &str| {
        if absent {
            let message = format!("{what} is missing or empty");
            report
                .findings
                .push(Finding::about_file(rule, Severity::Error, message));
        }
    };
    missing(recipe.name.is_empty(), "missing-name", "name");
    missing(recipe.steps.is_empty(), "no-steps", "steps");
    missing(
        recipe.kitchen_rules.is_empty(),
        "missing-kitchen-rules",
        "kitchen_rules",
    );
    report
}
