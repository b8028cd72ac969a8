//! Fields of a result whose values the contract of a skill lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::outcome::Outcome;
use crate::expression::Namespace;
use crate::model::Step;
use crate::rules::data::{Manifest, SkillOutput};
use crate::rules::{called_skill, skill_in};
use crate::value::to_text;

/// A field of a step's result.
struct Listed<'m> {
    /// What the contract says about it. Without a list of values, any value is valid.
    output: &'m SkillOutput,
    /// Whether the step captures it or is routed by it; then it must not be absent.
    is_used: bool,
    /// Whether the step captures one value of it, or is routed by one.
    decides: bool,
}

/// The outputs of all skills, by skill.
#[derive(Debug, Default)]
pub(super) struct ListedValues(BTreeMap<String, Vec<SkillOutput>>);

impl ListedValues {
    pub(super) fn of(manifest: &Manifest) -> Self {
        let skills = manifest.skills.iter();
        let outputs = skills.map(|(name, contract)| (name.clone(), contract.outputs.clone()));
        Self(outputs.collect())
    }

    /// The fields of a call of a step. Its arguments are filled in, because the name of a skill may come from an input or a lens.
    fn fields(&self, step: &Step, with: &Map<String, Value>) -> Vec<Listed<'_>> {
        let command = with.get("skill_command").map(to_text).unwrap_or_default();
        let skill = called_skill(step).or_else(|| skill_in(&command));
        let outputs = skill.and_then(|skill| self.0.get(skill));
        let listed = outputs.into_iter().flatten().map(|output| Listed {
            output,
            is_used: uses(step, &output.name, true),
            decides: uses(step, &output.name, false),
        });
        listed.collect()
    }

    fn names(
        &self,
        step: &Step,
        calls: &[Map<String, Value>],
        which: impl Fn(&Listed<'_>) -> bool,
    ) -> BTreeSet<String> {
        let fields = calls.iter().flat_map(|with| self.fields(step, with));
        let named = fields.filter(|field| which(field));
        named.map(|field| field.output.name.clone()).collect()
    }

    /// Fields with a closed set of values, if one value is captured or routes the step.
    pub(super) fn decisive(&self, step: &Step, calls: &[Map<String, Value>]) -> BTreeSet<String> {
        self.names(step, calls, |field| field.decides && field.is_closed())
    }

    /// Fields that are lists, as the contract says.
    pub(super) fn lists(&self, step: &Step, calls: &[Map<String, Value>]) -> BTreeSet<String> {
        self.names(step, calls, |field| field.output.kind.ends_with("_list"))
    }

    /// Why an outcome fails the step: several calls do not agree on a field although one value is to decide, or a value is not in its set.
    /// Of a `partial` outcome, as with a full context window, only fields that are captured count, and they may be absent.
    pub(super) fn refuse(
        &self,
        step: &Step,
        calls: &[Map<String, Value>],
        outcome: &Outcome,
        partial: bool,
    ) -> Option<String> {
        let fields = calls.iter().map(|with| {
            let mut fields = self.fields(step, with);
            if partial {
                fields.retain(|field| keeps(step, &field.output.name));
                for field in &mut fields {
                    field.is_used = false;
                }
            }
            fields
        });
        let fields: Vec<Vec<Listed<'_>>> = fields.collect();
        let all = || fields.iter().flatten().filter(|field| field.is_closed());
        let apart = |field: &Listed<'_>| {
            let name = &field.output.name;
            match outcome.result.as_ref()?.get(name)? {
                Value::Array(values) if field.decides => {
                    let values: Vec<_> = values.iter().map(to_text).collect();
                    let values = values.join(", ");
                    Some(format!("the calls do not agree on {name}: {values}"))
                }
                _ => None,
            }
        };
        if let Some(why) = all().find_map(apart) {
            return Some(why);
        }
        let results = outcome.all_results();
        results.iter().enumerate().find_map(|(at, result)| {
            let fields = fields.get(at).or(fields.last())?;
            fields.iter().find_map(|field| field.refuse(result))
        })
    }
}

impl Listed<'_> {
    fn is_closed(&self) -> bool {
        !self.output.allowed_values.is_empty()
    }

    /// Why a result is invalid: its value is not in the set, or is absent although the step uses it.
    fn refuse(&self, result: &Value) -> Option<String> {
        let (name, allowed) = (&self.output.name, &self.output.allowed_values);
        let value = result.get(name).map(to_text).unwrap_or_default();
        if allowed.is_empty() || allowed.iter().any(|allowed| *allowed == value) {
            return None;
        }
        let allowed = allowed.join(", ");
        if value.trim().is_empty() {
            let why = format!("the answer has no {name}, which is one of {allowed}");
            return self.is_used.then_some(why);
        }
        Some(format!("{name} is {value:?}, not one of {allowed}"))
    }
}

/// Whether a step captures a field of its result from a session that did not end.
fn keeps(step: &Step, field: &str) -> bool {
    let mut captured = step.capture.iter().chain(&step.capture_list);
    captured.any(|capture| capture.reads(field) && step.captures_partly(capture))
}

/// Whether a step captures a field of its result, with `lists` also into a list, or is routed by it.
fn uses(step: &Step, field: &str, lists: bool) -> bool {
    let listed = step.capture_list.iter().filter(|_| lists);
    let mut captured = step.capture.iter().chain(listed);
    captured.any(|capture| capture.reads(field))
        || step.asks().any(|one| one.is(Namespace::Result, field))
}
