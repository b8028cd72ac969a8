//! Collecting findings, and the order they are given in.

use super::{Id, RULES, Scope};
use crate::finding::{Finding, Severity};
use crate::model::{Recipe, Step};
use aris_yaml::Text;

/// What the rules found so far, each with the place of its rule: those of the table, then those of the project.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<(usize, Finding)>);

impl Findings {
    /// A finding about the file; line 0 is no line.
    pub(super) fn file(&mut self, rule: Id, line: u32, message: impl Into<String>) -> &mut Finding {
        let at = self.0.len();
        let finding = Finding::about_file(rule.name(), rule.rule().severity, message).at(line);
        self.0.push((rule as usize, finding));
        &mut self.0[at].1
    }

    /// A finding of a rule of the project, about a step or about the file.
    pub(super) fn project(
        &mut self,
        number: usize,
        (rule, severity): (String, Severity),
        step: Option<&Step>,
        message: String,
    ) -> &mut Finding {
        let at = self.0.len();
        let mut finding = Finding::about_file(rule, severity, message);
        if let Some(step) = step {
            finding = finding.at(own_line(step, step.line)).in_step(&step.name);
        }
        self.0.push((RULES.len() + number, finding));
        &mut self.0[at].1
    }

    /// A finding about a step, at its name.
    pub(super) fn step(
        &mut self,
        rule: Id,
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
        rule: Id,
        step: &Step,
        field: impl Into<String>,
        line: u32,
        message: impl Into<String>,
    ) -> &mut Finding {
        let finding = self.step(rule, step, message);
        finding.place(step, field, line);
        finding
    }

    /// A finding about a text in a field of a step.
    pub(super) fn text(
        &mut self,
        rule: Id,
        step: &Step,
        field: impl Into<String>,
        text: &Text,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.field(rule, step, field, text.line, message)
    }

    /// The findings of a profile: first those about the file, then by step in the order of the file; for each by rule, line, field
    /// and message. Nothing of it depends on the order in which the rules ran.
    pub(super) fn finish(self, scope: &Scope<'_>) -> Vec<Finding> {
        let mut found: Vec<(Key, Finding)> = self
            .0
            .into_iter()
            .filter(|(place, _)| {
                RULES
                    .get(*place)
                    .is_none_or(|rule| rule.is_in(scope.profile))
            })
            .map(|(place, mut finding)| {
                let rule = RULES.get(place);
                if let Some(rule) = rule.filter(|rule| rule.severity == finding.severity) {
                    finding.severity = rule.severity_in(scope.profile);
                }
                (key(&finding, place, scope.recipe), finding)
            })
            .collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found.dedup_by(|(_, one), (_, other)| one == other);
        found.into_iter().map(|(_, finding)| finding).collect()
    }
}

impl Finding {
    /// Says at which field of a step it is, and in which line; 0 is no line.
    pub(super) fn place(&mut self, step: &Step, field: impl Into<String>, line: u32) {
        self.field = Some(field.into());
        let line = Some(own_line(step, line)).filter(|line| *line > 0);
        self.line = line.or(self.line);
    }

    /// Says in which line of the file it is; 0 is no line.
    pub(super) fn at_line(&mut self, line: u32) -> &mut Self {
        self.line = (line > 0).then_some(line);
        self
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

/// Lines of a step that came from another file are that file's.
fn own_line(step: &Step, line: u32) -> u32 {
    if step.origin.is_some() { 0 } else { line }
}
