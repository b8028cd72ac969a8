//! Rules for verdicts: every value has a branch, and conditions compare with values that exist.

use super::super::scope::{Values, comparisons};
use super::gate::{self, Ends};
use crate::expression::{Comparison, Namespace};
use crate::model::Step;
use crate::rules::{Findings, Id, Scope};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let ends = Ends::of(scope);
    for (at, facts) in scope.steps() {
        let contract = facts.contract.into_iter();
        for output in contract.flat_map(|contract| &contract.outputs) {
            unrouted(facts.step, &output.name, &output.allowed_values, out);
        }
        impossible(scope, at, out);
        gate::check(scope, &ends, at, out);
    }
}

/// Reports values that no condition names, of an output that routes the step.
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

/// Whether a text has a word, with no part of a word directly before or after it.
fn has_word(text: &str, word: &str) -> bool {
    let part = |sign: char| sign.is_alphanumeric() || sign == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + word.len()..).unwrap_or_default();
        !before.ends_with(part) && !after.starts_with(part)
    })
}

fn impossible(scope: &Scope<'_>, at: usize, out: &mut Findings) {
    let step = scope.step(at);
    let mut told = |never: &str, value: &str, values: &Values<'_>, field: String, line| {
        let listed = values.iter().copied().collect::<Vec<_>>().join(", ");
        let message = format!("`{never}` is never `{value}`; it is one of {listed}");
        out.step(Id::ImpossibleComparison, step, message)
            .place(field, line);
    };
    // An absent value is empty, and that is always possible.
    let is_possible = |value: &str, values: &Values<'_>| value.is_empty() || values.contains(value);
    for (branch, text, expression) in step.conditions() {
        for (reference, comparison, literal) in comparisons(expression) {
            let values = scope.values(at, reference).filter(|_| reference.is_plain());
            let Some(values) = values else {
                continue;
            };
            let compares = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            if compares && !is_possible(literal, &values) {
                let field = step.branches()[branch].field(branch);
                told(&reference.to_string(), literal, &values, field, text.line);
            }
        }
    }
}
