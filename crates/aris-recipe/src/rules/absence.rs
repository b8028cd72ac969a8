//! Rule for variables that `with` reads although the run may come to the step without capturing them.
//!
//! It computes the variables that are captured on every path, until nothing changes, and looks for a path only where there is something to
//! report.

use std::collections::{BTreeMap, VecDeque};

use super::flow::{Way, certain, leaving};
use super::{Findings, Id, Scope};
use crate::expression::{Expression, Namespace, Operand};
use crate::model::Via;
use aris_yaml::Text;

/// Reports variables that `with` reads and that some path to the step does not capture.
pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let numbers = scope.numbers();
    let ways = ways(scope, &numbers);
    let leaving = leaving(scope.facts.len(), &ways);
    let present = certain(&leaving);
    let mut missing: BTreeMap<(&str, usize), BTreeMap<usize, &Text>> = BTreeMap::new();
    for ((at, facts), present) in scope.steps().zip(&present) {
        let Some(present) = present else {
            continue;
        };
        for (key, reference) in facts.reads(Namespace::Context) {
            let Some((name, number)) = numbers.get_key_value(reference.name()) else {
                continue;
            };
            if !facts.step.may_lack(name) && !present.contains(*number) {
                let readers = missing.entry((name, *number)).or_default();
                readers.insert(at, key);
            }
        }
    }
    for ((name, number), readers) in missing {
        let came_from = without(&leaving, number);
        for (at, key) in readers {
            let path = path(scope, &came_from, at);
            let message = format!(
                "`context.{name}` is empty when the run comes here by {path}; if that is meant, list it in \
                                   optional_context_refs"
            );
            out.step(Id::MaybeAbsentContext, scope.step(at), message)
                .at_argument(key);
        }
    }
}

/// All edges, each with the variables that are there after it: captured by the step, or found not to be empty by the condition.
fn ways(scope: &Scope<'_>, numbers: &BTreeMap<&str, usize>) -> Vec<Way> {
    let captured = |at: usize, via: &Via| -> Vec<usize> {
        let step = scope.step(at);
        let names: Vec<&Text> = match via {
            Via::Failure | Via::Exhausted | Via::Skip => Vec::new(),
            Via::ContextLimit => step.capture_partial.iter().collect(),
            _ => step.captures().map(|capture| &capture.variable).collect(),
        };
        let names = names.into_iter();
        names
            .filter_map(|name| numbers.get(&**name).copied())
            .collect()
    };
    let routes = scope.graph.routes.iter();
    let mut ways: Vec<Way> = routes
        .map(|edge| {
            let (from, to) = (edge.from, edge.to);
            let mut holds = captured(from, &edge.via);
            // The condition of the branch that was taken.
            let branch = scope.step(from).branch(&edge.via);
            let tested = branch.and_then(|(_, branch)| branch.condition());
            let names = tested.map(not_empty).unwrap_or_default();
            holds.extend(names.into_iter().filter_map(|name| numbers.get(name)));
            Way { from, to, holds }
        })
        .collect();
    let mut bare = |from, to| {
        let holds = Vec::new();
        ways.push(Way { from, to, holds });
    };
    for (from, skip) in &scope.graph.skips {
        if let Some(to) = scope.recipe.place(skip.target.as_ref()) {
            bare(*from, to);
        }
    }
    for (at, facts) in scope.steps() {
        if facts.step.sub_recipe.is_some() && at + 1 < scope.facts.len() {
            bare(at, at + 1);
        }
    }
    ways
}

/// Variables that are not empty when a condition holds.
fn not_empty(expression: &Expression) -> Vec<&str> {
    let reference = match (expression, expression.equality()) {
        (Expression::And(parts), _) => return parts.iter().flat_map(not_empty).collect(),
        (Expression::Truth(Operand::Reference(reference)), _) => reference,
        (_, Some((reference, text))) if !text.is_empty() => reference,
        _ => return Vec::new(),
    };
    let plain = reference.namespace == Namespace::Context && reference.filters.is_empty();
    plain.then(|| reference.name()).into_iter().collect()
}

/// For each step that can be reached without capturing a variable: the step before it on a shortest such path.
fn without(leaving: &[Vec<&Way>], number: usize) -> Vec<Option<usize>> {
    let mut came_from: Vec<Option<usize>> = vec![None; leaving.len()];
    let mut open = VecDeque::from([0]);
    while let Some(at) = open.pop_front() {
        for way in &leaving[at] {
            if way.to != 0 && came_from[way.to].is_none() && !way.holds.contains(&number) {
                came_from[way.to] = Some(at);
                open.push_back(way.to);
            }
        }
    }
    came_from
}

/// Most steps that a path in a message names.
const PATH_SHOWN: usize = 12;

fn path(scope: &Scope<'_>, came_from: &[Option<usize>], to: usize) -> String {
    let mut steps = vec![to];
    while let Some(before) = steps.last().and_then(|at| came_from[*at]) {
        steps.push(before);
    }
    steps.reverse();
    let names = scope.names(&steps);
    if names.len() <= PATH_SHOWN {
        return names.join(" > ");
    }
    let (begin, end) = (names.split_at(3).0, names.split_at(names.len() - 6).1);
    format!("{} > … > {}", begin.join(" > "), end.join(" > "))
}
