//! Lenses: one step that makes several calls at the same time, each with its own values.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::machine::Machine;
use super::outcome::{Outcome, OutcomeStatus, RetryReason};
use super::state::State;
use crate::expression::quoted;
use crate::model::Step;
use crate::template::Template;
use crate::value::items;

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// Its values in one text, as its name for people.
    pub name: String,
    /// Names and their values.
    pub values: Vec<(String, String)>,
}

impl Machine {
    /// The calls of a step, in order.
    ///
    /// **Errors**: there is none, or the lists are not equally long. A step that looked at nothing must not succeed.
    pub fn lenses(&self, step: &Step, state: &State) -> Result<Vec<Lens>, String> {
        let scope = state.scope(&Value::Null);
        let mut columns: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, node) in &step.lenses {
            let value = match node.to_json() {
                Value::String(text) => Template::parse(&text).value(&scope),
                other => other,
            };
            let items = items(&value, &[',', '\n']);
            if let Some((first, known)) = columns.first()
                && known.len() != items.len()
            {
                return Err(format!(
                    "lenses: {first} has {} values and {} has {}",
                    known.len(),
                    name.text,
                    items.len()
                ));
            }
            columns.push((&name.text, items));
        }
        let count = columns.first().map_or(0, |(_, items)| items.len());
        if count == 0 {
            let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            return Err(format!("lenses: {} has no values", names.join(", ")));
        }
        let lens = |at: usize| {
            let values = columns
                .iter()
                .map(|(name, items)| ((*name).to_owned(), items[at].clone()));
            let values: Vec<(String, String)> = values.collect();
            let texts: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
            let name = texts.join(" ");
            Lens { name, values }
        };
        Ok((0..count).map(lens).collect())
    }
}

impl Lens {
    /// A text with each `{name}` replaced, and quoted for a shell in a command. `${name}` belongs to the shell.
    pub(super) fn fill(&self, text: &str, in_command: bool) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let found = after
                .split_once('}')
                .filter(|_| !before.ends_with('$'))
                .and_then(|(name, behind)| {
                    let (_, value) = self.values.iter().find(|(known, _)| known == name)?;
                    Some((value, behind))
                });
            rest = if let Some((value, behind)) = found {
                let value = if in_command {
                    quoted(value)
                } else {
                    value.clone()
                };
                filled.push_str(&value);
                behind
            } else {
                filled.push('{');
                after
            };
        }
        filled + rest
    }
}

impl Outcome {
    /// An outcome with the results of several calls.
    pub fn of_results(status: OutcomeStatus, results: Vec<Map<String, Value>>) -> Self {
        Self {
            result: Some(agreed(&results)),
            results,
            ..Self::of(status)
        }
    }

    /// The outcome of several calls: a success when all are. Its results are those of the calls that succeeded; a field on which they do
    /// not agree becomes a list, so that no single call decides.
    pub fn of_lenses(step: &Step, ended: Vec<(String, Self)>) -> Self {
        // The first of these that occurs counts: another try does not repair a failure.
        const ORDER: [OutcomeStatus; 4] = [
            OutcomeStatus::Failure,
            OutcomeStatus::Exhausted,
            OutcomeStatus::ContextLimit,
            OutcomeStatus::Stale,
        ];
        let count = ended.len();
        let mut notes = Vec::new();
        let mut others = Vec::new();
        let mut tainted = false;
        let mut results = Vec::new();
        for (name, outcome) in ended {
            let status = outcome.meaning(step);
            tainted |= outcome.is_tainted();
            let note = outcome
                .note
                .map_or(String::new(), |note| format!(" ({note})"));
            if status == OutcomeStatus::Success {
                results.push(outcome.result.unwrap_or_default());
                if !note.is_empty() {
                    notes.push(format!("{name}:{note}"));
                }
            } else {
                notes.push(format!("{name}: {}{note}", status.word()));
                others.push(status);
            }
        }
        let status = ORDER.into_iter().find(|status| others.contains(status));
        if !others.is_empty() {
            notes.insert(0, format!("{} of {count} lenses succeeded", results.len()));
        }
        Self {
            retry_reason: tainted.then_some(RetryReason::CloneContamination),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            ..Self::of_results(status.unwrap_or(OutcomeStatus::Success), results)
        }
    }
}

/// Fields with the value that all results give, else with the list of the values that they give; a missing value counts as empty.
fn agreed(results: &[Map<String, Value>]) -> Map<String, Value> {
    let fields: BTreeSet<&String> = results.iter().flat_map(Map::keys).collect();
    let value = |field: &String| {
        let mut values: Vec<Value> = Vec::new();
        for result in results {
            let value = result.get(field).cloned();
            let value = value.unwrap_or_else(|| Value::from(""));
            if !values.contains(&value) {
                values.push(value);
            }
        }
        match values.len() {
            1 => values.remove(0),
            _ => Value::Array(values),
        }
    };
    let fields = fields.into_iter();
    fields.map(|field| (field.clone(), value(field))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::parse;

    #[test]
    fn names_are_filled_in_once_and_quoted_in_commands() {
        let lens = Lens {
            name: String::from("a"),
            values: vec![
                (String::from("slug"), String::from("it's {path}")),
                (String::from("path"), String::from("p")),
            ],
        };
        assert_eq!(
            lens.fill("x-{slug} {path} ${path} {other} {", false),
            "x-it's {path} p ${path} {other} {"
        );
        assert_eq!(lens.fill("x {slug}", true), r"x 'it'\''s {path}'");
    }

    #[test]
    fn no_single_lens_decides() {
        let recipe = parse("steps:\n  a: {tool: run_skill, lenses: {x: [1]}}\n").unwrap();
        let step = recipe.step("a").unwrap();
        let success = |result: Value| Outcome::success(result.as_object().unwrap().clone());
        let of = |all: &[Outcome]| {
            let named = all
                .iter()
                .enumerate()
                .map(|(at, outcome)| (at.to_string(), outcome.clone()));
            Outcome::of_lenses(step, named.collect())
        };
        let go = success(json!({"verdict": "GO", "path": "a"}));
        let both = of(&[go.clone(), success(json!({"verdict": "GO", "path": "b"}))]);
        assert_eq!(
            json!(both.result),
            json!({"verdict": "GO", "path": ["a", "b"]})
        );
        assert_eq!(
            (both.status, both.results.len()),
            (OutcomeStatus::Success, 2)
        );
        let one_silent = of(&[go.clone(), success(json!({}))]);
        assert_eq!(one_silent.result.unwrap()["verdict"], json!(["GO", ""]));
        let failed = of(&[
            go,
            Outcome::of(OutcomeStatus::Stale),
            Outcome::of(OutcomeStatus::Failure),
        ]);
        assert_eq!(
            (failed.status, failed.results.len()),
            (OutcomeStatus::Failure, 1)
        );
        assert_eq!(
            failed.note.unwrap(),
            "1 of 3 lenses succeeded; 1: stale; 2: failure"
        );
    }
}
