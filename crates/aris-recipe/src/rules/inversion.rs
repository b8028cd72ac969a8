//! Readers of a variable that routes are decided by, on whose way no such decision is certain.
//!
//! A condition `context.x == value` is known behind its edge; where ways meet, only what all of them know stays known.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{Way, certain, leaving};
use super::{Findings, Id, Scope};
use crate::expression::{Expression, Namespace};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let mut decisions: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut decided: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (at, facts) in scope.steps() {
        for (branch, _, expression) in facts.step.conditions() {
            if let Some(decision) = decision(expression) {
                let next = decisions.len();
                let number = *decisions.entry(decision).or_insert(next);
                decided.insert((at, branch), number);
            }
        }
    }
    if decisions.is_empty() {
        return;
    }
    let edges = scope.graph.routes.iter().chain(&scope.graph.bypasses);
    let ways: Vec<Way> = edges
        .map(|edge| {
            let branch = edge.via.branch().map(|branch| (edge.from, branch));
            let decision = branch.and_then(|branch| decided.get(&branch).copied());
            Way {
                from: edge.from,
                to: edge.to,
                holds: decision.into_iter().collect(),
            }
        })
        .collect();
    let known = certain(&leaving(scope.facts.len(), &ways));
    let reached = decided
        .iter()
        .filter(|((from, _), _)| known[*from].is_some());
    let taken: BTreeSet<usize> = reached.map(|(_, number)| *number).collect();
    let mut of_variable: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for ((variable, _), number) in decisions {
        if taken.contains(&number) {
            of_variable.entry(variable).or_default().push(number);
        }
    }
    for ((_, facts), known) in scope.steps().zip(&known) {
        for (key, reference) in facts.reads(Namespace::Context) {
            let name = reference.name();
            let numbers = of_variable.get(name).zip(scope.producers.get(name));
            let Some((numbers, producers)) = numbers else {
                continue;
            };
            // A step that nothing reaches knows nothing.
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

/// The variable and the value of a condition that is nothing but `context.x == value`.
fn decision(expression: &Expression) -> Option<(&str, &str)> {
    let (reference, value) = expression.equality()?;
    let plain = reference.namespace == Namespace::Context && reference.is_plain();
    let in_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let word = !value.is_empty() && value.chars().all(in_word);
    (plain && word).then(|| (reference.name(), value))
}
