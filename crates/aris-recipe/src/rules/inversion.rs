//! Rule for variables that decide routes: each step that reads one can only be reached after such a decision.
//!
//! A variable decides routes where a condition is `context.x == value`. Then every condition that reads it is a decision, which is known
//! after its edge. Where edges meet, only what is known on all of them stays known.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{Way, certain, leaving};
use super::{Findings, Id, Scope};
use crate::expression::{Expression, Namespace};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let mut numbers: BTreeMap<&Expression, usize> = BTreeMap::new();
    let mut decided: BTreeMap<(usize, usize), &Expression> = BTreeMap::new();
    for (at, facts) in scope.steps() {
        for (branch, _, expression) in facts.step.conditions() {
            let next = numbers.len();
            numbers.entry(expression).or_insert(next);
            decided.insert((at, branch), expression);
        }
    }
    if !numbers.keys().any(|one| decides(one).is_some()) {
        return;
    }
    let edges = scope.graph.routes.iter().chain(&scope.graph.bypasses);
    let ways: Vec<Way> = edges
        .map(|edge| {
            let branch = scope.step(edge.from).branch(&edge.via);
            let condition = branch.and_then(|(at, _)| decided.get(&(edge.from, at)));
            Way {
                from: edge.from,
                to: edge.to,
                holds: condition.map(|one| numbers[*one]).into_iter().collect(),
            }
        })
        .collect();
    let known = certain(&leaving(scope.facts.len(), &ways));
    // For each variable that decides routes, the conditions that read it.
    let mut of_variable: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let reached = || {
        decided
            .iter()
            .filter(|((from, _), _)| known[*from].is_some())
    };
    let variables = reached().filter_map(|(_, condition)| decides(condition));
    of_variable.extend(variables.map(|variable| (variable, BTreeSet::new())));
    for (_, condition) in reached() {
        for reference in condition.references() {
            let of_context = reference.namespace == Namespace::Context;
            let conditions = of_variable.get_mut(reference.name());
            if let Some(conditions) = conditions.filter(|_| of_context) {
                conditions.insert(numbers[*condition]);
            }
        }
    }
    for ((_, facts), known) in scope.steps().zip(&known) {
        for (key, reference) in facts.reads(Namespace::Context) {
            let name = reference.name();
            let numbers = of_variable.get(name).zip(scope.producers.get(name));
            let Some((numbers, producers)) = numbers else {
                continue;
            };
            // At a step that cannot be reached nothing is known.
            let holds = |number: &usize| known.as_ref().is_some_and(|all| all.contains(*number));
            if numbers.iter().any(holds) {
                continue;
            }
            let producers = scope.names(producers);
            let producer = producers.first().copied().unwrap_or_default();
            let message = format!(
                "`context.{name}`, which `{producer}` captures, decides routes, and this step also reads it where none of these routes was taken; read \
                 it before the routes part, or after one of them"
            );
            out.step(Id::CaptureInversionDetection, facts.step, message)
                .at_argument(key);
        }
    }
}

/// The variable of a condition that is just `context.x == value`.
fn decides(expression: &Expression) -> Option<&str> {
    let (reference, value) = expression.equality()?;
    let plain = reference.namespace == Namespace::Context && reference.is_plain();
    let in_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let word = !value.is_empty() && value.chars().all(in_word);
    (plain && word).then(|| reference.name())
}
