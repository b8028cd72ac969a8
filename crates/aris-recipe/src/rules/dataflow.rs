//! Which captured variables are read. One pass over the components of the graph, with sets of numbers for variables.

use crate::rules::Id;
use std::collections::{BTreeMap, BTreeSet};

use super::bits::Bits;
use super::findings::Findings;
use super::scope::{Facts, Scope, argument};
use crate::expression::{Namespace, Reference};
use crate::graph::Components;
use crate::model::{Capture, OnResult, Step};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (step, capture) in dead_outputs(scope) {
        let name = &capture.variable;
        let field = format!("capture.{}", name.text);
        let message = format!(
            "`context.{}` is captured and no step after this one reads it; remove the capture, or list it in observability if people \
             read it",
            name.text
        );
        out.text(Id::DeadOutput, step, field, name, message);
    }
}

/// Captures that nobody reads.
fn dead_outputs<'a>(scope: &Scope<'a>) -> Vec<(&'a Step, &'a Capture)> {
    let numbers = scope.numbers();
    let components = Components::of(&scope.successors);
    let read_after = read_after(scope, &components, &numbers);
    let mentioned = mentioned(scope);
    let mut dead = Vec::new();
    for (at, facts) in scope.steps() {
        let step = facts.step;
        if matches!(step.on_result, Some(OnResult::List(_))) {
            continue;
        }
        let own_field = match &step.on_result {
            Some(OnResult::Field {
                field: Some(field), ..
            }) => field.text.as_str(),
            _ => "",
        };
        for capture in &step.capture {
            let name = capture.variable.text.as_str();
            let read = numbers.get(name).is_some_and(|number| {
                read_after
                    .get(components.component(at))
                    .is_some_and(|bits| bits.contains(*number))
            });
            if !(read
                || name == own_field
                || mentioned.contains(name)
                || is_kept_for_people(scope, step, capture))
            {
                dead.push((step, capture));
            }
        }
    }
    dead
}

/// For each component of the graph, what is read in it after any of its steps, or behind it.
fn read_after(
    scope: &Scope<'_>,
    components: &Components,
    numbers: &BTreeMap<&str, usize>,
) -> Vec<Bits> {
    let bound = numbers.len();
    let mut order: Vec<usize> = (0..scope.facts.len()).collect();
    // Components are numbered from the ends of the graph backwards, so that those behind one are finished before it.
    order.sort_by_key(|at| components.component(*at));
    let mut reads: Vec<Bits> = Vec::new();
    let mut after: Vec<Bits> = Vec::new();
    for members in order.chunk_by(|one, other| components.same(*one, *other)) {
        let mut own = Bits::empty(bound);
        let mut behind = Bits::empty(bound);
        for at in members {
            for name in reads_of(&scope.facts[*at]) {
                if let Some(number) = numbers.get(name) {
                    own.insert(*number);
                }
            }
            for to in &scope.successors[*at] {
                let component = components.component(*to);
                if let (Some(read), Some(later)) = (reads.get(component), after.get(component)) {
                    behind.add(read);
                    behind.add(later);
                }
            }
        }
        if members.first().is_some_and(|at| components.is_cyclic(*at)) {
            behind.add(&own);
        }
        reads.push(own);
        after.push(behind);
    }
    after
}

/// Variables that a step reads in its arguments and conditions.
fn reads_of<'s>(facts: &'s Facts<'_>) -> impl Iterator<Item = &'s str> {
    let asked = facts
        .asks()
        .into_iter()
        .filter(|reference| reference.namespace == Namespace::Context);
    facts
        .reads(Namespace::Context)
        .map(|(_, reference)| reference.name())
        .chain(asked.map(Reference::name))
}

/// Variables that some note or message names as `context.x`, or that a tier of resume looks at.
fn mentioned(scope: &Scope<'_>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = scope
        .recipe
        .resume
        .iter()
        .map(|tier| tier.present.text.clone())
        .collect();
    for step in &scope.recipe.steps {
        for text in [&step.note, &step.message].into_iter().flatten() {
            for after in text.text.split("context.").skip(1) {
                let end = after
                    .find(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
                    .unwrap_or(after.len());
                names.insert(after.get(..end).unwrap_or_default().to_owned());
            }
        }
    }
    names
}

fn is_kept_for_people(scope: &Scope<'_>, step: &Step, capture: &Capture) -> bool {
    let name = capture.variable.text.as_str();
    let command = argument(step, "skill_command").unwrap_or_default();
    let cleanup = step
        .tool
        .as_ref()
        .is_some_and(|tool| tool.text == "merge_worktree")
        && capture
            .template
            .references()
            .any(|reference| reference.name() == "cleanup_succeeded");
    cleanup
        || step.observability.iter().any(|kept| kept.text == name)
        || scope.data.exempts(name, command)
}
