//! Collects findings, and puts them in order.

use super::{Id, RULES, Scope};
use crate::finding::Finding;
use crate::model::Step;
use aris_yaml::Text;

/// The findings so far, each with the number of its rule: those of the table, then those of the project.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<(usize, Finding)>);

impl Findings {
    pub(super) fn tell(&mut self, place: usize, finding: Finding) -> &mut Finding {
        let at = self.0.len();
        self.0.push((place, finding));
        &mut self.0[at].1
    }

    /// A finding about the file; line 0 means no line.
    pub(super) fn file(&mut self, rule: Id, line: u32, message: impl Into<String>) -> &mut Finding {
        let finding = Finding::about_file(rule.name(), rule.rule().severity, message);
        self.tell(rule as usize, finding.at(line))
    }

    /// A finding about a step, at its name.
    pub(super) fn step(
        &mut self,
        rule: Id,
        step: &Step,
        message: impl Into<String>,
    ) -> &mut Finding {
        let finding = self.file(rule, step.line, message);
        step.name.clone_into(&mut finding.step);
        finding
    }

    /// The findings of a profile: first those about the file, then by step in the order of the file; for each by rule, line, field and
    /// message. The order in which the rules ran does not matter.
    pub(super) fn finish(self, scope: &Scope<'_>) -> Vec<Finding> {
        let mut found: Vec<(usize, Finding)> = Vec::new();
        for (place, mut finding) in self.0 {
            let rule = RULES.get(place);
            if rule.is_some_and(|rule| !rule.is_in(scope.profile)) {
                continue;
            }
            if let Some(rule) = rule.filter(|rule| rule.severity == finding.severity) {
                finding.severity = rule.severity_in(scope.profile);
            }
            let step = scope.recipe.step(&finding.step);
            let origin = step.and_then(|step| step.origin.as_ref());
            if let Some(origin) = origin {
                finding.file = Some(origin.file.clone());
            }
            found.push((place, finding));
        }
        found.sort_by_cached_key(|(place, finding)| {
            let step = (scope.recipe.position(&finding.step), finding.step.clone());
            let line = finding.line.unwrap_or_default();
            let said = (finding.field.clone(), finding.message.clone());
            (step, *place, line, said)
        });
        found.dedup_by(|(_, one), (_, other)| one == other);
        found.into_iter().map(|(_, finding)| finding).collect()
    }
}

impl Finding {
    /// Sets the field, and the line; 0 means no line.
    pub(super) fn place(&mut self, field: impl Into<String>, line: u32) -> &mut Self {
        self.field = Some(field.into());
        self.line = Some(line).filter(|line| *line > 0).or(self.line);
        self
    }

    /// Sets an argument of a step as the place.
    pub(super) fn at_argument(&mut self, key: &Text) -> &mut Self {
        self.place(format!("with.{}", key.text), key.line)
    }
}
