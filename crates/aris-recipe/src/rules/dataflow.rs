//! Rule for captured variables that nothing reads. It makes one pass over the components of the graph, with sets of variables as numbers.

use std::collections::{BTreeMap, BTreeSet};

use bit_set::BitSet;

use super::scope::{Facts, argument};
use super::{Findings, Id, Scope};
use crate::expression::{Namespace, Reference};
use crate::graph::Components;
use crate::model::{Capture, Step};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (step, capture) in dead_outputs(scope) {
        let name = &capture.variable;
        let message = format!(
            "`context.{}` is captured and no step after this one reads it; remove the capture, or list it in observability if people \
             read it",
            name.text
        );
        out.step(Id::DeadOutput, step, message)
            .place(&capture.field, name.line);
    }
}

/// Captures that no step reads.
fn dead_outputs<'a>(scope: &Scope<'a>) -> Vec<(&'a Step, &'a Capture)> {
    let numbers = scope.numbers();
    let components = Components::of(&scope.successors);
    let read_after = read_after(scope, &components, &numbers);
    let mentioned = mentioned(scope);
    let mut dead = Vec::new();
    for (at, facts) in scope.steps() {
        let step = facts.step;
        let own_field = match (&step.on_result, step.by_field()) {
            (Some(_), None) => continue,
            (_, field) => field.map_or("", |field| field.text.as_str()),
        };
        for capture in &step.capture {
            let name = capture.variable.text.as_str();
            let after = read_after.get(components.component(at));
            let read = after.zip(numbers.get(name));
            let read = read.is_some_and(|(after, number)| after.contains(*number));
            let is_used = read || name == own_field || mentioned.contains(name);
            if !is_used && !is_kept_for_people(scope, step, capture) {
                dead.push((step, capture));
            }
        }
    }
    dead
}

/// For each component of the graph, the variables that are read after one of its steps: later in the component, if it is a cycle, or after
/// it.
fn read_after(
    scope: &Scope<'_>,
    components: &Components,
    numbers: &BTreeMap<&str, usize>,
) -> Vec<BitSet> {
    let mut order: Vec<usize> = (0..scope.facts.len()).collect();
    // Components are numbered from the ends of the graph backwards, so the components after one come before it here.
    order.sort_by_key(|at| components.component(*at));
    let mut reads: Vec<BitSet> = Vec::new();
    let mut after: Vec<BitSet> = Vec::new();
    for members in order.chunk_by(|one, other| components.same(*one, *other)) {
        let (mut own, mut behind) = (BitSet::new(), BitSet::new());
        for at in members {
            own.extend(reads_of(&scope.facts[*at]).filter_map(|name| numbers.get(name).copied()));
            for to in &scope.successors[*at] {
                let component = components.component(*to);
                if let (Some(read), Some(later)) = (reads.get(component), after.get(component)) {
                    behind.union_with(read);
                    behind.union_with(later);
                }
            }
        }
        if members.first().is_some_and(|at| components.is_cyclic(*at)) {
            behind.union_with(&own);
        }
        reads.push(own);
        after.push(behind);
    }
    after
}

/// Variables that a step reads in its arguments and conditions.
fn reads_of<'s>(facts: &'s Facts<'_>) -> impl Iterator<Item = &'s str> {
    let asked = facts.step.asks();
    let asked = asked.filter(|reference| reference.namespace == Namespace::Context);
    let reads = facts
        .reads(Namespace::Context)
        .map(|(_, reference)| reference);
    reads.chain(asked).map(Reference::name)
}

/// Variables that a note or message names as `context.x`, or that a tier of `resume` reads.
fn mentioned(scope: &Scope<'_>) -> BTreeSet<String> {
    let tiers = scope.recipe.resume.iter();
    let mut names: BTreeSet<String> = tiers.map(|tier| tier.present.text.clone()).collect();
    for step in &scope.recipe.steps {
        for text in [&step.note, &step.message].into_iter().flatten() {
            for after in text.text.split("context.").skip(1) {
                let ends = |sign: char| !(sign.is_alphanumeric() || sign == '_');
                names.extend(after.split(ends).next().map(str::to_owned));
            }
        }
    }
    names
}

fn is_kept_for_people(scope: &Scope<'_>, step: &Step, capture: &Capture) -> bool {
    let name = capture.variable.text.as_str();
    let command = argument(step, "skill_command").unwrap_or_default();
    let merges = step.tool.as_deref() == Some("merge_worktree");
    (merges && capture.reads("cleanup_succeeded"))
        || step.observability.iter().any(|kept| kept.text == name)
        || scope.data.exempts(name, command)
}
