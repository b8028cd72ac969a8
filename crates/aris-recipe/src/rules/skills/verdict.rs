//! Verdicts: whether every value has its way, and whether conditions ask for values that exist.

use crate::rules::Id;
use std::collections::BTreeMap;

use super::super::data::Manifest;
use super::super::findings::Findings;
use super::super::scope::{Scope, captured_field, comparisons};
use super::gate::{self, Ends, Values};
use crate::expression::{Comparison, Namespace, Reference};
use crate::model::{OnResult, Step};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let none = Manifest::default();
    let manifest = scope.data.manifest.as_ref().unwrap_or(&none);
    let variables = values_of_variables(scope, manifest);
    let ends = Ends::of(scope);
    for (at, facts) in scope.steps() {
        let step = facts.step;
        let contract = facts
            .skill
            .as_ref()
            .and_then(|skill| manifest.skills.get(skill.name));
        let mut fields: BTreeMap<&str, Values<'_>> = BTreeMap::new();
        for output in contract.into_iter().flat_map(|contract| &contract.outputs) {
            if !output.allowed_values.is_empty() {
                unrouted(step, &output.name, &output.allowed_values, out);
                fields.insert(
                    &output.name,
                    output.allowed_values.iter().map(String::as_str).collect(),
                );
            }
        }
        impossible(step, &fields, &variables, out);
        gate::check(scope, &ends, at, &fields, &variables, out);
    }
}

/// Values of a routing output that no condition names.
fn unrouted(step: &Step, output: &str, values: &[String], out: &mut Findings) {
    let captured = step.captures().any(|capture| {
        capture
            .template
            .references()
            .any(|reference| reference.namespace == Namespace::Result && reference.name() == output)
    });
    let conditions = step.conditions();
    let decides = conditions.iter().any(|(_, _, expression)| {
        expression
            .references()
            .iter()
            .any(|reference| reference.namespace == Namespace::Result && reference.name() == output)
    });
    if !captured || !decides {
        return;
    }
    let named = |value: &&String| {
        conditions
            .iter()
            .any(|(_, text, _)| has_word(&text.text, value))
    };
    let unrouted: Vec<&String> = values.iter().filter(|value| !named(value)).collect();
    if unrouted.len() < 2 {
        return;
    }
    for value in unrouted {
        let message = format!(
            "`{value}` of `{output}` has no branch of its own, and is not the only one; two verdicts that share the default are told \
             apart by nobody"
        );
        out.step(Id::UnroutedVerdictValue, step, message).field = Some(String::from("on_result"));
    }
}

/// Whether a word stands in a text, bounded by anything that is no part of a word.
fn has_word(text: &str, word: &str) -> bool {
    let part = |sign: char| sign.is_alphanumeric() || sign == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|after| after.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// Variables that are only ever captured from outputs whose values are known.
fn values_of_variables<'a>(
    scope: &Scope<'a>,
    manifest: &'a Manifest,
) -> BTreeMap<&'a str, Values<'a>> {
    let mut known = BTreeMap::new();
    for (variable, producers) in &scope.producers {
        let mut values = Values::new();
        let all_known = producers.iter().all(|at| {
            let facts = &scope.facts[*at];
            let contract = facts
                .skill
                .as_ref()
                .and_then(|skill| manifest.skills.get(skill.name));
            facts
                .step
                .captures()
                .filter(|capture| capture.variable.text == *variable)
                .all(|capture| {
                    let output = captured_field(capture).and_then(|field| contract?.output(field));
                    let allowed = output
                        .map(|output| &output.allowed_values)
                        .filter(|allowed| !allowed.is_empty());
                    values.extend(allowed.into_iter().flatten().map(String::as_str));
                    allowed.is_some()
                })
        });
        if all_known {
            known.insert(*variable, values);
        }
    }
    known
}

fn impossible(
    step: &Step,
    fields: &BTreeMap<&str, Values<'_>>,
    variables: &BTreeMap<&str, Values<'_>>,
    out: &mut Findings,
) {
    let values = |reference: &Reference| {
        let plain = reference.filters.is_empty() && reference.path.len() == 1;
        match reference.namespace {
            Namespace::Result if plain => fields.get(reference.name()),
            Namespace::Context if plain => variables.get(reference.name()),
            _ => None,
        }
    };
    for (branch, text, expression) in step.conditions() {
        for (reference, comparison, literal) in comparisons(expression) {
            if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
                continue;
            }
            // Empty is what is absent, and that is always possible.
            if let Some(values) =
                values(reference).filter(|values| !literal.is_empty() && !values.contains(literal))
            {
                let listed = values.iter().copied().collect::<Vec<_>>().join(", ");
                let message = format!("`{reference}` is never `{literal}`; it is one of {listed}");
                out.text(
                    Id::ImpossibleComparison,
                    step,
                    format!("on_result[{branch}]"),
                    text,
                    message,
                );
            }
        }
    }
    if let Some(OnResult::Field {
        field: Some(field),
        routes,
    }) = &step.on_result
        && let Some(values) = fields.get(field.text.as_str())
    {
        for (key, _) in routes
            .iter()
            .filter(|(key, _)| !key.text.is_empty() && !values.contains(key.text.as_str()))
        {
            let listed = values.iter().copied().collect::<Vec<_>>().join(", ");
            let message = format!(
                "`result.{}` is never `{}`; it is one of {listed}",
                field.text, key.text
            );
            out.text(
                Id::ImpossibleComparison,
                step,
                format!("on_result.routes.{}", key.text),
                key,
                message,
            );
        }
    }
}
