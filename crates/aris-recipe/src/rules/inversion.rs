//! Readers of a variable that routes are decided by, on whose way no such decision is certain.
//!
//! A condition `context.x == value` is known behind its edge; where ways meet, only what all of them know stays known.

use crate::rules::Id;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::bits::Bits;
use super::findings::Findings;
use super::scope::Scope;
use crate::expression::{Comparison, Expression, Namespace, Operand};

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
    let bound = decisions.len();
    let count = scope.facts.len();
    let mut leaving: Vec<Vec<(usize, Option<usize>)>> = vec![Vec::new(); count];
    for edge in scope.graph.routes.iter().chain(&scope.graph.bypasses) {
        let number = edge
            .via
            .branch()
            .and_then(|branch| decided.get(&(edge.from, branch)).copied());
        leaving[edge.from].push((edge.to, number));
    }
    let mut known: Vec<Bits> = vec![Bits::all(bound); count];
    known[0] = Bits::empty(bound);
    let mut reached = vec![false; count];
    reached[0] = true;
    let mut open = VecDeque::from([0]);
    while let Some(at) = open.pop_front() {
        for (to, decision) in &leaving[at] {
            let mut there = known[at].clone();
            if let Some(number) = decision {
                there.insert(*number);
            }
            let fresh = !std::mem::replace(&mut reached[*to], true);
            if known[*to].keep(&there) || fresh {
                open.push_back(*to);
            }
        }
    }
    let taken: BTreeSet<usize> = decided
        .iter()
        .filter(|((from, _), _)| reached[*from])
        .map(|(_, number)| *number)
        .collect();
    let mut of_variable: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for ((variable, _), number) in decisions
        .iter()
        .filter(|(_, number)| taken.contains(number))
    {
        of_variable.entry(variable).or_default().push(*number);
    }
    for (at, facts) in scope.steps() {
        for (key, reference) in facts.reads(Namespace::Context) {
            let name = reference.name();
            let (Some(numbers), Some(producers)) =
                (of_variable.get(name), scope.producers.get(name))
            else {
                continue;
            };
            // A step that nothing reaches knows nothing.
            if reached[at] && numbers.iter().any(|number| known[at].contains(*number)) {
                continue;
            }
            let producer = producers
                .first()
                .map_or("", |at| scope.step(*at).name.as_str());
            let message = format!(
                "`context.{name}`, which `{producer}` captures, decides routes, and this step also reads it where none of these routes was taken; read \
                 it before the routes part, or after one of them"
            );
            out.field(
                Id::CaptureInversionDetection,
                facts.step,
                format!("with.{}", key.text),
                key.line,
                message,
            );
        }
    }
}

/// The variable and the value of a condition that is nothing but `context.x == value`.
fn decision(expression: &Expression) -> Option<(&str, &str)> {
    let Expression::Compare {
        left,
        comparison: Comparison::Equal,
        right,
    } = expression
    else {
        return None;
    };
    let (Operand::Reference(reference), Operand::Literal(value)) = (left, right) else {
        return None;
    };
    let plain = reference.namespace == Namespace::Context
        && reference.path.len() == 1
        && reference.filters.is_empty();
    let word = !value.is_empty()
        && value
            .chars()
            .all(|sign| sign.is_alphanumeric() || sign == '_');
    (plain && word).then(|| (reference.name(), value.as_str()))
}
