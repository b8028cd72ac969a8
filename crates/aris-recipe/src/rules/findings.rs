//! Collecting findings, and the order they are given in.

use std::borrow::Cow;

use super::table::{RULES, Rule};
use super::{Profile, Scope};
use crate::finding::{Finding, Severity};
use crate::model::{Recipe, Step};
use aris_yaml::Text;

/// What the rules found so far.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    /// A finding about the file; line 0 is no line.
    pub(super) fn file(
        &mut self,
        rule: &'static str,
        line: u32,
        message: impl Into<String>,
    ) -> &mut Finding {
        let severity = Rule::named(rule).map_or(Severity::Error, |rule| rule.severity);
        self.push(Finding::about_file(rule, severity, message).at(line))
    }

    /// A finding about a step, at its name.
    pub(super) fn step(
        &mut self,
        rule: &'static str,
        step: &Step,
        message: impl Into<String>,
    ) -> &mut Finding {
        let finding = self.file(rule, own_line(step, step.line), message);
        step.name.clone_into(&mut finding.step);
        finding
    }

    /// A finding about a field of a step, at the field's value.
    pub(super) fn field(
        &mut self,
        rule: &'static str,
        step: &Step,
        field: impl Into<String>,
        line: u32,
        message: impl Into<String>,
    ) -> &mut Finding {
        let finding = self.step(rule, step, message);
        finding.field = Some(field.into());
        if let Some(line) = Some(own_line(step, line)).filter(|line| *line > 0) {
            finding.line = Some(line);
        }
        finding
    }

    /// A finding about a text in a field of a step.
    pub(super) fn text(
        &mut self,
        rule: &'static str,
        step: &Step,
        field: impl Into<String>,
        text: &Text,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.field(rule, step, field, text.line, message)
    }

    fn push(&mut self, finding: Finding) -> &mut Finding {
        let at = self.0.len();
        self.0.push(finding);
        &mut self.0[at]
    }

    /// The findings of a profile: first those about the file, then by step in the order of the file; for each by rule, line, field
    /// and message. Nothing of it depends on the order in which the rules ran.
    pub(super) fn finish(self, scope: &Scope<'_>) -> Vec<Finding> {
        let mut found: Vec<(Key, Finding)> = self
            .0
            .into_iter()
            .filter_map(|mut finding| {
                let at = RULES.iter().position(|rule| rule.id == finding.rule)?;
                let rule = RULES.get(at)?;
                if !rule.is_in(scope.profile) {
                    return None;
                }
                raise(&mut finding, rule, scope.profile);
                Some((key(&finding, at, scope.recipe), finding))
            })
            .collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found.dedup_by(|(_, one), (_, other)| one == other);
        found.into_iter().map(|(_, finding)| finding).collect()
    }
}

type Key = (Option<usize>, String, usize, u32, Option<String>, String);

fn key(finding: &Finding, rule: usize, recipe: &Recipe) -> Key {
    (
        recipe.position(&finding.step),
        finding.step.clone(),
        rule,
        finding.line.unwrap_or_default(),
        finding.field.clone(),
        finding.message.clone(),
    )
}

fn raise(finding: &mut Finding, rule: &Rule, profile: Profile) {
    if finding.severity == rule.severity {
        finding.severity = rule.severity_in(profile);
    }
    finding.rule = Cow::Borrowed(rule.id);
}

/// Lines of a step that came from another file are that file's.
fn own_line(step: &Step, line: u32) -> u32 {
    if step.origin.is_some() { 0 } else { line }
}
