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
    /// What the contract says of it. Without a set of values any will do.
    output: &'m SkillOutput,
    /// The step captures it or is routed by it: it may not be absent.
    is_used: bool,
    /// One value of it is captured, or routes the step.
    decides: bool,
}

/// The fields of all skills, by skill.
#[derive(Debug, Default)]
pub(super) struct ListedValues(BTreeMap<String, Vec<SkillOutput>>);

impl ListedValues {
    pub(super) fn of(manifest: &Manifest) -> Self {
        let skills = manifest.skills.iter();
        let outputs = skills.map(|(name, contract)| (name.clone(), contract.outputs.clone()));
        Self(outputs.collect())
    }

    /// The fields of a call of a step, whose arguments are filled in: the name of a skill may come from an input or a lens.
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

    /// Fields that have one value of a closed set, by which a step is routed or which it captures.
    pub(super) fn decisive(&self, step: &Step, calls: &[Map<String, Value>]) -> BTreeSet<String> {
        self.names(step, calls, |field| field.decides && field.is_closed())
    }

    /// Fields of which the contract says that they have several values.
    pub(super) fn lists(&self, step: &Step, calls: &[Map<String, Value>]) -> BTreeSet<String> {
        self.names(step, calls, |field| field.output.kind.ends_with("_list"))
    }

    /// Why an outcome does not count as what it says: the first field whose value is not in its set, or on which several calls do not agree
    /// while one value is to decide. Of a `partial` one, as with a full context window, only what is captured counts, and it may be absent.
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

    /// Why a result does not hold: its value is not in the set.
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

/// Whether a step captures a field of its result, in `lists` too, or is routed by it.
fn uses(step: &Step, field: &str, lists: bool) -> bool {
    let listed = step.capture_list.iter().filter(|_| lists);
    let mut captured = step.capture.iter().chain(listed);
    captured.any(|capture| capture.reads(field))
        || step.asks().any(|one| one.is(Namespace::Result, field))
}
