//! Collecting findings, and the order they are given in.

use super::{Id, Scope};
use crate::finding::Finding;
use crate::model::{Recipe, Step};
use aris_yaml::Text;

/// What the rules found so far.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<(Id, Finding)>);

impl Findings {
    /// A finding about the file; line 0 is no line.
    pub(super) fn file(&mut self, rule: Id, line: u32, message: impl Into<String>) -> &mut Finding {
        let at = self.0.len();
        let finding = Finding::about_file(rule.name(), rule.rule().severity, message).at(line);
        self.0.push((rule, finding));
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
        finding.field = Some(field.into());
        if let Some(line) = Some(own_line(step, line)).filter(|line| *line > 0) {
            finding.line = Some(line);
        }
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
            .filter(|(id, _)| id.rule().is_in(scope.profile))
            .map(|(id, mut finding)| {
                if finding.severity == id.rule().severity {
                    finding.severity = id.rule().severity_in(scope.profile);
                }
                (key(&finding, id, scope.recipe), finding)
            })
            .collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found.dedup_by(|(_, one), (_, other)| one == other);
        found.into_iter().map(|(_, finding)| finding).collect()
    }
}

type Key = (Option<usize>, String, Id, u32, Option<String>, String);

fn key(finding: &Finding, rule: Id, recipe: &Recipe) -> Key {
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
