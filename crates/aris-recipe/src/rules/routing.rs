//! Ways through the steps.

use crate::rules::Id;
use std::collections::{BTreeMap, BTreeSet};

use super::findings::Findings;
use super::scope::{Scope, is_call, reach};
use crate::finding::Severity;
use crate::graph::Components;
use crate::model::{Kind, Step, Target, Via};

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
        let names: BTreeSet<&str> = members
            .iter()
            .map(|at| scope.step(*at).name.as_str())
            .collect();
        let listed = names.iter().copied().collect::<Vec<_>>().join(", ");
        let (severity, message) = if !members.iter().any(|at| leaves(scope, *at, &inside)) {
            (
                Severity::Error,
                format!("no route leaves the loop of {listed}; a run that enters it never ends"),
            )
        } else if still_cyclic(scope, &inside) {
            (
                Severity::Warning,
                format!(
                    "nothing bounds how often the loop of {listed} runs; give one of its steps max_visits, or retries with on_exhausted, \
                 so that every way round passes it"
                ),
            )
        } else {
            continue;
        };
        if let Some(first) = members.first() {
            let finding = out.step(Id::UnboundedCycle, scope.step(*first), message);
            finding.severity = severity;
            finding.steps = Some(names.into_iter().map(str::to_owned).collect());
        }
    }
}

/// Whether a step of a loop can lead out of it. Exhaustion counts for steps that can exhaust something: agents with retries,
/// and bounded steps.
fn leaves(scope: &Scope<'_>, at: usize, inside: &BTreeSet<usize>) -> bool {
    let step = scope.step(at);
    let ends = |route: &str| match scope.recipe.target(route) {
        Some(Target::Step(name)) => scope
            .recipe
            .position(&name)
            .is_some_and(|to| !inside.contains(&to)),
        Some(Target::Done | Target::Escalate) => true,
        None => false,
    };
    let exhausts =
        scope.graph.bounds.contains_key(&at) || (step.kind() == Kind::Agent && step.retries() > 0);
    step.is_stop()
        || ends_unwritten(step)
        || (exhausts && ends(step.exhausted_route()))
        || step
            .routes()
            .into_iter()
            .any(|(field, route)| field != "on_exhausted" && ends(&route.text))
}

/// Whether success ends the run because no route is written down.
pub(super) fn ends_unwritten(step: &Step) -> bool {
    let goes_on = !matches!(
        step.kind(),
        Kind::Stop | Kind::Confirm | Kind::SubRecipe(_) | Kind::UnknownAction(_) | Kind::Nothing
    );
    goes_on && step.on_success.is_none() && step.on_result.is_none()
}

/// Whether a loop is left when every bounded step has used up its executions: such a step only leads where it leads when it is
/// exhausted or skipped.
fn still_cyclic(scope: &Scope<'_>, inside: &BTreeSet<usize>) -> bool {
    let places: BTreeMap<usize, usize> = inside
        .iter()
        .enumerate()
        .map(|(place, at)| (*at, place))
        .collect();
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); inside.len()];
    let mut connect = |from: usize, to: usize| {
        if let (Some(from), Some(to)) = (places.get(&from), places.get(&to)) {
            edges[*from].push(*to);
        }
    };
    let first = inside.first().copied().unwrap_or_default();
    let last = inside.last().copied().unwrap_or_default();
    // Routes are in the order of their steps, so those of one loop lie close together.
    let begin = scope.graph.routes.partition_point(|edge| edge.from < first);
    for edge in scope.graph.routes[begin..]
        .iter()
        .take_while(|edge| edge.from <= last)
    {
        if edge.via == Via::Exhausted || !scope.graph.bounds.contains_key(&edge.from) {
            connect(edge.from, edge.to);
        }
    }
    for at in inside {
        let target = scope
            .graph
            .skips
            .get(at)
            .and_then(|skip| skip.target.as_ref()?.step());
        if let Some(to) = target.and_then(|name| scope.recipe.position(name)) {
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
        let declared = step
            .skip_input()
            .is_some_and(|name| scope.inputs.contains(name));
        if !declared {
            let message = match step.skip_input() {
                Some(name) => {
                    format!("skip_when_false names `{name}`, which is no input of this recipe")
                }
                None => format!("skip_when_false is `{}`; it must be inputs.NAME", skip.text),
            };
            out.text(
                Id::SkipWhenFalseUndeclared,
                step,
                "skip_when_false",
                skip,
                message,
            );
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
    gate.and_then(|gate| gate.default.as_deref())
        .is_some_and(crate::value::is_truthy)
}

fn sub_recipes(scope: &Scope<'_>, out: &mut Findings) {
    let Some(known) = &scope.data.sub_recipes else {
        return;
    };
    let names: BTreeMap<&str, usize> = known
        .keys()
        .enumerate()
        .map(|(at, name)| (name.as_str(), at))
        .collect();
    let edges: Vec<Vec<usize>> = known
        .values()
        .map(|placed| {
            placed
                .iter()
                .filter_map(|name| names.get(name.as_str()).copied())
                .collect()
        })
        .collect();
    let components = Components::of(&edges);
    for (_, facts) in scope.steps() {
        let Some(name) = &facts.step.sub_recipe else {
            continue;
        };
        let Some(at) = names.get(name.text.as_str()) else {
            let near = crate::near::nearest(&name.text, names.keys().copied());
            let message = format!(
                "there is no sub-recipe `{}` in the folders of sub-recipes{near}",
                name.text
            );
            let finding = out.text(
                Id::UnknownSubRecipe,
                facts.step,
                "sub_recipe",
                name,
                message,
            );
            // Nothing is placed unless a run switches the gate on.
            if !on_by_default(scope, facts.step) {
                finding.severity = Severity::Warning;
            }
            continue;
        };
        let looped = reach(&edges, &[*at], |_| false)
            .into_iter()
            .find(|at| components.is_cyclic(*at));
        if let Some(looped) = looped {
            let members = components.members(looped);
            let circle: Vec<&str> = names
                .iter()
                .filter(|(_, at)| members.contains(at))
                .map(|(name, _)| *name)
                .collect();
            let message = format!(
                "sub-recipe `{}` leads into a circle: {}",
                name.text,
                circle.join(", ")
            );
            out.text(
                Id::CircularSubRecipe,
                facts.step,
                "sub_recipe",
                name,
                message,
            );
        }
    }
}
