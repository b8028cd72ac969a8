//! Rules for routes: steps, loops, skips and sub-recipes.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::leaves;
use super::scope::{is_call, reach};
use super::{Findings, Id, Scope};
use crate::finding::Severity;
use crate::graph::Components;
use crate::model::{Kind, Step, Via};
use crate::near::nearest;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    unreachable(scope, out);
    cycles(scope, out);
    skips(scope, out);
    sub_recipes(scope, out);
}

fn unreachable(scope: &Scope<'_>, out: &mut Findings) {
    let reached = scope.reach(&[0], |_| false);
    for (at, facts) in scope.steps() {
        if !reached.contains(&at) {
            let message = "this step can never be reached; give it a route or remove it";
            out.step(Id::UnreachableStep, facts.step, message);
        }
    }
}

fn cycles(scope: &Scope<'_>, out: &mut Findings) {
    for members in scope.graph.components.cyclic() {
        let inside: BTreeSet<usize> = members.iter().copied().collect();
        let names = scope.sorted_names(&members);
        let listed = names.join(", ");
        let leads_out = |route: &str| match scope.recipe.position(route) {
            Some(to) => !inside.contains(&to),
            None => scope.recipe.target(route).is_some(),
        };
        let (severity, message) = if !members.iter().any(|at| leaves(scope, *at, leads_out)) {
            let why =
                format!("no route leaves the loop of {listed}; a run that enters it never ends");
            (Severity::Error, why)
        } else if still_cyclic(scope, &inside) {
            let why = format!(
                "nothing bounds how often the loop of {listed} runs; give one of its steps max_visits, or retries with on_exhausted, \
                 so that every way round passes it"
            );
            (Severity::Warning, why)
        } else {
            continue;
        };
        if let Some(first) = members.first() {
            let finding = out.step(Id::UnboundedCycle, scope.step(*first), message);
            finding.severity = severity;
            finding.steps = Some(names);
        }
    }
}

/// Whether success ends the run because no route is written down.
pub(super) fn ends_unwritten(step: &Step) -> bool {
    let goes_on = !matches!(
        step.kind(),
        Kind::Stop | Kind::Confirm | Kind::SubRecipe(_) | Kind::UnknownAction(_) | Kind::Nothing
    );
    goes_on && step.on_success.is_none() && step.on_result.is_none()
}

/// Whether a loop can go on when every bounded step has used up its executions. Such a step leads only where it leads when it is exhausted
/// or skipped.
fn still_cyclic(scope: &Scope<'_>, inside: &BTreeSet<usize>) -> bool {
    let places: BTreeMap<usize, usize> = inside.iter().copied().zip(0..).collect();
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); inside.len()];
    let mut connect = |from: usize, to: usize| {
        if let (Some(from), Some(to)) = (places.get(&from), places.get(&to)) {
            edges[*from].push(*to);
        }
    };
    let first = inside.first().copied().unwrap_or_default();
    let last = inside.last().copied().unwrap_or_default();
    // Routes are in the order of their steps, so those of one loop are close together.
    let routes = &scope.graph.routes;
    let begin = routes.partition_point(|edge| edge.from < first);
    for edge in routes[begin..].iter().take_while(|edge| edge.from <= last) {
        if edge.via == Via::Exhausted || !scope.graph.bounds.contains_key(&edge.from) {
            connect(edge.from, edge.to);
        }
    }
    for at in inside {
        let skip = scope.graph.skips.get(at);
        let target = skip.and_then(|skip| skip.target.as_ref());
        if let Some(to) = scope.recipe.place(target) {
            connect(*at, to);
        }
    }
    !Components::of(&edges).cyclic().is_empty()
}

fn skips(scope: &Scope<'_>, out: &mut Findings) {
    for (_, facts) in scope.steps() {
        let step = facts.step;
        if is_call(step) && step.on_result.is_some() && step.on_failure.is_none() {
            let message = "the step has on_result and no on_failure: a call that fails has no result to route by";
            out.step(Id::OnResultMissingFailureRoute, step, message);
        }
        let Some(skip) = &step.skip_when_false else {
            continue;
        };
        let wrong = match step.skip_input() {
            Some(name) if scope.inputs.contains(name) => None,
            Some(name) => Some(format!(
                "skip_when_false names `{name}`, which is no input of this recipe"
            )),
            None => {
                let skip = &skip.text;
                Some(format!(
                    "skip_when_false is `{skip}`; it must be inputs.NAME"
                ))
            }
        };
        if let Some(message) = wrong {
            out.step(Id::SkipWhenFalseUndeclared, step, message)
                .place("skip_when_false", skip.line);
        }
        if step.kind() == Kind::Agent && step.on_context_limit.is_none() {
            let message = "the step may be skipped and has no on_context_limit: name the step that follows when the agent's context is full";
            out.step(Id::AdvisoryStepMissingContextLimit, step, message);
        }
    }
}

fn on_by_default(scope: &Scope<'_>, placeholder: &Step) -> bool {
    let gate = placeholder.gate.as_ref();
    let gate = gate.and_then(|gate| scope.recipe.ingredient(&gate.text));
    let default = gate.and_then(|gate| gate.default.as_deref());
    default.is_some_and(crate::value::is_truthy)
}

fn sub_recipes(scope: &Scope<'_>, out: &mut Findings) {
    let Some(known) = &scope.data.sub_recipes else {
        return;
    };
    let names: BTreeMap<&str, usize> = known.keys().map(String::as_str).zip(0..).collect();
    let place = |name: &String| names.get(name.as_str()).copied();
    let edges = known.values();
    let edges = edges.map(|placed| placed.iter().filter_map(place).collect());
    let edges: Vec<Vec<usize>> = edges.collect();
    let components = Components::of(&edges);
    for (_, facts) in scope.steps() {
        let Some(name) = &facts.step.sub_recipe else {
            continue;
        };
        let Some(at) = names.get(name.text.as_str()) else {
            let near = nearest(&name.text, names.keys().copied());
            let name_text = &name.text;
            let message =
                format!("there is no sub-recipe `{name_text}` in the folders of sub-recipes{near}");
            let finding = out.step(Id::UnknownSubRecipe, facts.step, message);
            finding.place("sub_recipe", name.line);
            // Nothing is placed unless a run switches the gate on.
            if !on_by_default(scope, facts.step) {
                finding.severity = Severity::Warning;
            }
            continue;
        };
        let mut reached = reach(&edges, &[*at], |_| false).into_iter();
        if let Some(looped) = reached.find(|at| components.is_cyclic(*at)) {
            let members = components.members(looped);
            let circle = names.iter().filter(|(_, at)| members.contains(at));
            let circle: Vec<&str> = circle.map(|(name, _)| *name).collect();
            let (name_text, circle) = (&name.text, circle.join(", "));
            let message = format!("sub-recipe `{name_text}` leads into a circle: {circle}");
            out.step(Id::CircularSubRecipe, facts.step, message)
                .place("sub_recipe", name.line);
        }
    }
}
