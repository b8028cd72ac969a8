//! Static rules: what is wrong with a recipe, found without running it.
//!
//! A report is a function of the recipe, the data and the profile, and of nothing else: same bytes, same findings, same order. The time
//! that rules take grows linearly with the recipe, except for data flow, which passes over sets of variables at each step.

mod absence;
mod blocks;
mod commands;
mod conditions;
pub mod data;
mod dataflow;
mod ends;
mod findings;
mod flow;
mod inputs;
mod inversion;
mod page;
mod project;
mod quoting;
mod routing;
mod scope;
mod skill_name;
mod skills;
mod structure;
pub mod table;

use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::model::{Recipe, Step};

pub use data::Data;
pub use page::page;
pub use project::ProjectRule;
pub use table::{Id, RULES, Rule};

use findings::Findings;
use scope::Scope;
use table::Need;

/// Which rules apply, and how severe they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Profile {
    /// All rules of the table.
    #[default]
    Core,
    /// Those of the public reference only.
    Compat,
    /// As core, but warnings of rules beyond the reference are errors.
    Strict,
}

/// A rule that was not applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SkippedRule {
    /// Its id.
    pub rule: String,
    /// Why.
    pub why: String,
}

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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

    /// How many findings there are of each severity.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for finding in &self.findings {
            match finding.severity {
                Severity::Error => counts.error += 1,
                Severity::Warning => counts.warning += 1,
                Severity::Info => counts.info += 1,
            }
        }
        counts
    }
}

/// Applies the rules of a profile.
pub fn check(recipe: &Recipe, data: &Data, profile: Profile) -> Report {
    let scope = Scope::new(recipe, data, profile);
    let mut out = Findings::default();
    structure::check(&scope, &mut out);
    routing::check(&scope, &mut out);
    if !recipe.steps.is_empty() {
        dataflow::check(&scope, &mut out);
        absence::check(&scope, &mut out);
        inversion::check(&scope, &mut out);
        ends::check(&scope, &mut out);
    }
    commands::check(&scope, &mut out);
    skills::check(&scope, &mut out);
    blocks::check(&scope, &mut out);
    conditions::check(&scope, &mut out);
    inputs::check(&scope, &mut out);
    project::check(&scope, &mut out);
    Report {
        findings: out.finish(&scope),
        skipped_rules: skipped(data, profile),
    }
}

fn skipped(data: &Data, profile: Profile) -> Vec<SkippedRule> {
    let table = RULES.iter().filter(|rule| rule.is_in(profile));
    let table = table.map(|rule| (rule.id, rule.needs));
    let project = data.rules.iter();
    let project = project.map(|rule| (rule.rule.as_str(), rule.data.as_slice()));
    let all = table.chain(project).filter_map(|(rule, needs)| {
        let (flag, absent) = Need::missing(needs, data)?.wanted(data);
        Some(SkippedRule {
            rule: rule.to_owned(),
            why: format!("{absent} ({flag})"),
        })
    });
    all.collect()
}

/// The skill that a step calls, where its name is known before the run.
pub fn called_skill(step: &Step) -> Option<&str> {
    skill_in(scope::argument(step, "skill_command")?)
}

/// The skill that a command calls.
pub(crate) fn skill_in(command: &str) -> Option<&str> {
    skill_name::Called::read(command).map(|called| called.name)
}
