//! Variables that `with` reads although some way to the step never captured them.
//!
//! Sets of variables that every way captured, until nothing changes; a path is looked for only where there is something to tell.

use crate::model::Via;
use crate::rules::Id;
use std::collections::{BTreeMap, VecDeque};

use super::bits::Bits;
use super::findings::Findings;
use super::scope::Scope;
use crate::expression::{Comparison, Expression, Namespace, Operand};

/// An edge of control, with the variables that are there behind it: captured on it, or found not to be empty by its condition.
struct Way {
    from: usize,
    to: usize,
    present: Vec<usize>,
}

/// Variables that `with` reads and some way to the step never captured.
pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let numbers = scope.numbers();
    let ways = ways(scope, &numbers);
    let count = scope.facts.len();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, way) in ways.iter().enumerate() {
        leaving[way.from].push(number);
    }
    // What every way captured before a step; everything, for steps that no way has reached yet.
    let mut present: Vec<Option<Bits>> = vec![None; count];
    let Some(first) = present.first_mut() else {
        return;
    };
    *first = Some(Bits::empty(numbers.len()));
    let mut open = VecDeque::from([0]);
    let mut queued = vec![false; count];
    while let Some(at) = open.pop_front() {
        queued[at] = false;
        for way in leaving[at].iter().filter_map(|number| ways.get(*number)) {
            let Some(mut there) = present[at].clone() else {
                continue;
            };
            way.present.iter().for_each(|number| there.insert(*number));
            let changed = match &mut present[way.to] {
                Some(known) => known.keep(&there),
                unknown => {
                    *unknown = Some(there);
                    true
                }
            };
            if changed && !queued[way.to] {
                queued[way.to] = true;
                open.push_back(way.to);
            }
        }
    }
    let mut missing: BTreeMap<&str, BTreeMap<usize, (u32, String)>> = BTreeMap::new();
    for (at, facts) in scope.steps() {
        let Some(present) = &present[at] else {
            continue;
        };
        for (key, reference) in facts.reads(Namespace::Context) {
            let Some((name, number)) = numbers.get_key_value(reference.name()) else {
                continue;
            };
            let optional = facts
                .step
                .optional_context_refs
                .iter()
                .any(|optional| optional.text == *name);
            if !optional && !present.contains(*number) {
                missing
                    .entry(name)
                    .or_default()
                    .insert(at, (key.line, format!("with.{}", key.text)));
            }
        }
    }
    for (name, readers) in missing {
        let number = numbers.get(name).copied().unwrap_or_default();
        let came_from = without(&ways, &leaving, number);
        for (at, (line, field)) in readers {
            let path = path(scope, &came_from, at);
            let message = format!(
                "`context.{name}` is empty when the run comes here by {path}; if that is meant, list it in \
                                   optional_context_refs"
            );
            out.field(Id::MaybeAbsentContext, scope.step(at), field, line, message);
        }
    }
}

fn ways(scope: &Scope<'_>, numbers: &BTreeMap<&str, usize>) -> Vec<Way> {
    let captured = |at: usize, via: &Via| -> Vec<usize> {
        let step = scope.step(at);
        let number = |name: &str| numbers.get(name).copied();
        match via {
            Via::Failure | Via::Exhausted | Via::Skip => Vec::new(),
            Via::ContextLimit => step
                .capture_partial
                .iter()
                .filter_map(|name| number(&name.text))
                .collect(),
            _ => step
                .captures()
                .filter_map(|capture| number(&capture.variable.text))
                .collect(),
        }
    };
    let mut ways: Vec<Way> = scope
        .graph
        .routes
        .iter()
        .map(|edge| Way {
            from: edge.from,
            to: edge.to,
            present: captured(edge.from, &edge.via),
        })
        .collect();
    let conditions: BTreeMap<(usize, Via), Vec<usize>> = scope
        .steps()
        .flat_map(|(at, facts)| {
            facts
                .step
                .conditions()
                .into_iter()
                .map(move |found| (at, found))
        })
        .map(|(at, (branch, _, expression))| {
            let names = not_empty(expression).into_iter();
            let present = names
                .filter_map(|name| numbers.get(name).copied())
                .collect();
            ((at, Via::Result(branch.to_string())), present)
        })
        .collect();
    for (way, edge) in ways.iter_mut().zip(&scope.graph.routes) {
        let tested = conditions.get(&(edge.from, edge.via.clone()));
        way.present.extend(tested.into_iter().flatten());
    }
    for (from, skip) in &scope.graph.skips {
        let target = skip.target.as_ref().and_then(|target| target.step());
        if let Some(to) = target.and_then(|name| scope.recipe.position(name)) {
            ways.push(Way {
                from: *from,
                to,
                present: Vec::new(),
            });
        }
    }
    for (at, facts) in scope.steps() {
        if facts.step.sub_recipe.is_some() && at + 1 < scope.facts.len() {
            ways.push(Way {
                from: at,
                to: at + 1,
                present: Vec::new(),
            });
        }
    }
    ways
}

/// Variables that are not empty when a condition holds.
fn not_empty(expression: &Expression) -> Vec<&str> {
    let reference = match expression {
        Expression::And(parts) => return parts.iter().flat_map(not_empty).collect(),
        Expression::Truth(Operand::Reference(reference)) => reference,
        Expression::Compare {
            left: Operand::Reference(reference),
            comparison: Comparison::Equal,
            right: Operand::Literal(literal),
        } if !literal.is_empty() => reference,
        _ => return Vec::new(),
    };
    let plain = reference.namespace == Namespace::Context && reference.filters.is_empty();
    plain.then(|| reference.name()).into_iter().collect()
}

/// For each step that can be reached without capturing a variable: the step before it on a shortest such way.
fn without(ways: &[Way], leaving: &[Vec<usize>], number: usize) -> Vec<Option<usize>> {
    let mut came_from: Vec<Option<usize>> = vec![None; leaving.len()];
    let mut open = VecDeque::from([0]);
    while let Some(at) = open.pop_front() {
        for way in leaving[at].iter().filter_map(|way| ways.get(*way)) {
            if way.to != 0 && came_from[way.to].is_none() && !way.present.contains(&number) {
                came_from[way.to] = Some(at);
                open.push_back(way.to);
            }
        }
    }
    came_from
}

/// Steps that a path in a message names at most.
const PATH_SHOWN: usize = 12;

fn path(scope: &Scope<'_>, came_from: &[Option<usize>], to: usize) -> String {
    let mut steps = vec![to];
    while let Some(before) = steps.last().and_then(|at| came_from[*at]) {
        steps.push(before);
    }
    steps.reverse();
    let names: Vec<&str> = steps
        .iter()
        .map(|at| scope.step(*at).name.as_str())
        .collect();
    if names.len() <= PATH_SHOWN {
        return names.join(" > ");
    }
    let (begin, end) = (names.split_at(3).0, names.split_at(names.len() - 6).1);
    format!("{} > … > {}", begin.join(" > "), end.join(" > "))
}
