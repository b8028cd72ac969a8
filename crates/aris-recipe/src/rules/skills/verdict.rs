//! Verdicts: whether every value has its way, and whether conditions ask for values that exist.

use std::collections::BTreeMap;

use super::super::data::{Manifest, SkillContract};
use super::super::scope::{Facts, captured_field, comparisons};
use super::gate::{self, Ends, Known, Values};
use crate::expression::{Comparison, Namespace};
use crate::model::Step;
use crate::rules::{Findings, Id, Scope};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let none = Manifest::default();
    let manifest = scope.data.manifest.as_ref().unwrap_or(&none);
    let variables = values_of_variables(scope, manifest);
    let ends = Ends::of(scope);
    for (at, facts) in scope.steps() {
        let step = facts.step;
        let contract = contract_of(facts, manifest);
        let mut fields: BTreeMap<&str, Values<'_>> = BTreeMap::new();
        for output in contract.into_iter().flat_map(|contract| &contract.outputs) {
            let values = &output.allowed_values;
            if !values.is_empty() {
                unrouted(step, &output.name, values, out);
                fields.insert(&output.name, values.iter().map(String::as_str).collect());
            }
        }
        let variables = &variables;
        let known = Known { fields, variables };
        impossible(step, &known, out);
        gate::check(scope, &ends, at, &known, out);
    }
}

fn contract_of<'m>(facts: &Facts<'_>, manifest: &'m Manifest) -> Option<&'m SkillContract> {
    manifest.skills.get(facts.skill.as_ref()?.name)
}

/// Values of a routing output that no condition names.
fn unrouted(step: &Step, output: &str, values: &[String], out: &mut Findings) {
    let captured = step.captures().any(|capture| capture.reads(output));
    let decides = step.asks().any(|one| one.is(Namespace::Result, output));
    if !captured || !decides || step.by_field().is_some() {
        return;
    }
    let named = |value: &&String| step.conditions().any(|(_, text, _)| has_word(text, value));
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
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + word.len()..).unwrap_or_default();
        !before.ends_with(part) && !after.starts_with(part)
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
            let contract = contract_of(facts, manifest);
            let captures = facts.step.captures();
            let mut captures = captures.filter(|capture| capture.variable.text == *variable);
            captures.all(|capture| {
                let output = captured_field(capture).and_then(|field| contract?.output(field));
                let allowed = output.map(|output| &output.allowed_values);
                let allowed = allowed.filter(|allowed| !allowed.is_empty());
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

fn impossible(step: &Step, known: &Known<'_>, out: &mut Findings) {
    let fields = &known.fields;
    let mut told = |never: &str, value: &str, values: &Values<'_>, field: String, line| {
        let listed = values.iter().copied().collect::<Vec<_>>().join(", ");
        let message = format!("`{never}` is never `{value}`; it is one of {listed}");
        out.step(Id::ImpossibleComparison, step, message)
            .place(field, line);
    };
    // Empty is what is absent, and that is always possible.
    let is_possible = |value: &str, values: &Values<'_>| value.is_empty() || values.contains(value);
    for (branch, text, expression) in step.conditions() {
        for (reference, comparison, literal) in comparisons(expression) {
            let values = match reference.namespace {
                Namespace::Result => fields.get(reference.name()),
                Namespace::Context => known.variables.get(reference.name()),
                Namespace::Inputs => None,
            };
            let Some(values) = values.filter(|_| reference.is_plain()) else {
                continue;
            };
            let compares = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            if compares && !is_possible(literal, values) {
                let field = step.branches()[branch].field(branch);
                told(&reference.to_string(), literal, values, field, text.line);
            }
        }
    }
}
