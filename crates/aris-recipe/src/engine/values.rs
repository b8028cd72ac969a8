//! Fields of a result whose values the contract of a skill lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::outcome::Outcome;
use crate::expression::Namespace;
use crate::model::{Recipe, Step};
use crate::rules::called_skill;
use crate::rules::data::Manifest;
use crate::value::to_text;

/// A field with a closed set of values.
#[derive(Debug)]
struct Listed {
    name: String,
    /// Empty: any will do.
    allowed: Vec<String>,
    /// It has a value on each line.
    is_list: bool,
    /// The step captures it or is routed by it: it may not be absent.
    is_used: bool,
    /// One value of it is captured, or routes the step.
    decides: bool,
}

/// Such fields of all steps, by step.
#[derive(Debug, Default)]
pub(super) struct ListedValues(BTreeMap<String, Vec<Listed>>);

impl ListedValues {
    pub(super) fn of(recipe: &Recipe, manifest: &Manifest) -> Self {
        let of_step = |step: &Step| {
            let contract = manifest.skills.get(called_skill(step)?)?;
            let outputs = contract.outputs.iter();
            let listed = outputs.map(|output| Listed {
                name: output.name.clone(),
                is_list: output.kind.ends_with("_list"),
                allowed: output.allowed_values.clone(),
                is_used: uses(step, &output.name, true),
                decides: uses(step, &output.name, false),
            });
            Some((step.name.clone(), listed.collect()))
        };
        Self(recipe.steps.iter().filter_map(of_step).collect())
    }

    fn names(&self, step: &str, which: impl Fn(&Listed) -> bool) -> BTreeSet<String> {
        let fields = self.0.get(step).into_iter().flatten();
        let named = fields.filter(|field| which(field));
        named.map(|field| field.name.clone()).collect()
    }

    /// Fields that have one value of a closed set, by which a step is routed or which it captures.
    pub(super) fn decisive(&self, step: &str) -> BTreeSet<String> {
        self.names(step, |field| field.decides && !field.allowed.is_empty())
    }

    /// Fields of which the contract says that they have several values.
    pub(super) fn lists(&self, step: &str) -> BTreeSet<String> {
        self.names(step, |field| field.is_list)
    }

    /// Why an outcome does not count as a success: the first field whose value is not in its set, or on which several calls do not agree
    /// while one value is to decide.
    pub(super) fn refuse(&self, step: &str, outcome: &Outcome) -> Option<String> {
        let closed = |field: &&Listed| !field.allowed.is_empty();
        let fields: Vec<&Listed> = self.0.get(step)?.iter().filter(closed).collect();
        let apart = |field: &Listed| match outcome.result.as_ref()?.get(&field.name)? {
            Value::Array(values) if field.decides => {
                let values: Vec<_> = values.iter().map(to_text).collect();
                let (name, values) = (&field.name, values.join(", "));
                Some(format!("the calls do not agree on {name}: {values}"))
            }
            _ => None,
        };
        if let Some(why) = fields.iter().copied().find_map(apart) {
            return Some(why);
        }
        outcome.all_results().iter().find_map(|result| {
            fields.iter().find_map(|field| {
                let value = result.get(&field.name).map(to_text).unwrap_or_default();
                let name = &field.name;
                let allowed = field.allowed.join(", ");
                if value.trim().is_empty() {
                    let why = format!("the answer has no {name}, which is one of {allowed}");
                    return field.is_used.then_some(why);
                }
                let known = field.allowed.iter().any(|allowed| *allowed == value);
                (!known).then(|| format!("{name} is {value:?}, not one of {allowed}"))
            })
        })
    }
}

/// Whether a step captures a field of its result, in `lists` too, or is routed by it.
fn uses(step: &Step, field: &str, lists: bool) -> bool {
    let listed = step.capture_list.iter().filter(|_| lists);
    let mut captured = step.capture.iter().chain(listed);
    captured.any(|capture| capture.reads(field))
        || step.asks().any(|one| one.is(Namespace::Result, field))
}
