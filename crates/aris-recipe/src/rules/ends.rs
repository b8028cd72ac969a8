//! Rules for ends: a run comes to an end from every step, and what happens where no route is written down.

use super::routing::ends_unwritten;
use super::scope::{is_call, reach};
use super::{Findings, Id, Scope};
use crate::graph::SkipReason;
use crate::model::{Kind, Step, Target, Via, may_be_route};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    endless(scope, out);
    for (at, facts) in scope.steps() {
        let step = facts.step;
        let skip = scope.graph.skips.get(&at);
        if let Some(skip) = skip.filter(|skip| skip.how.is_guess()) {
            let message = match (&skip.target, skip.how) {
                (Some(target), how) if how != SkipReason::Nothing => format!(
                    "a skipped run continues at `{}`, which is chosen from the routes ({how}); write it down as on_skip",
                    target.name()
                ),
                _ => String::from(
                    "nothing says where the run continues when the step is skipped; it halts there without on_skip",
                ),
            };
            out.step(Id::AmbiguousSkipRoute, step, message);
        }
        if ends_unwritten(step)
            && let Some(key) = misspelt(scope, step)
        {
            let message = format!(
                "nothing reads `{key}`, so that the run would end there as done; write on_success: STEP, or on_success: done if that is meant"
            );
            out.step(Id::MisspeltRoute, step, message).field = Some(key.to_owned());
        } else if ends_unwritten(step) {
            let message = "the step has no on_success, and the run ends there as done; write on_success: done if that is meant";
            out.step(Id::NoSuccessRoute, step, message);
        }
        if is_call(step) && step.on_failure.is_none() && step.on_result.is_none() {
            let message = "the step has no on_failure, and the run halts there when the call fails";
            out.step(Id::NoFailureRoute, step, message);
        }
        let is_free =
            !scope.graph.bounds.contains_key(&at) && !scope.graph.components.is_cyclic(at);
        let idle = is_free && step.retries == Some(0);
        if let Some(route) = step.on_exhausted.as_ref().filter(|_| idle) {
            let message = "this route is never taken: retries are 0 and the step is on no loop";
            out.step(Id::InertExhaustRoute, step, message)
                .place("on_exhausted", route.line);
        }
    }
}

/// The key of a step that nothing reads, and that may be meant as the route after success.
fn misspelt<'s>(scope: &'s Scope<'_>, step: &Step) -> Option<&'s str> {
    let faults = scope.recipe.faults.iter();
    let mut unknown =
        faults.filter(|(rule, fault)| *rule == Id::UnknownKey && fault.step == step.name);
    unknown.find_map(|(_, fault)| fault.field.as_deref().filter(|key| may_be_route(key)))
}

/// Reports the steps from which no end can be reached, in one finding.
fn endless(scope: &Scope<'_>, out: &mut Findings) {
    let count = scope.facts.len();
    let mut backwards = vec![Vec::new(); count];
    for edge in scope.graph.routes.iter().chain(&scope.graph.bypasses) {
        if edge.via != Via::Exhausted || can_exhaust(scope, edge.from) {
            backwards[edge.to].push(edge.from);
        }
    }
    let ends: Vec<usize> = (0..count).filter(|at| ends(scope, *at)).collect();
    let saved = reach(&backwards, &ends, |_| false);
    let reached = scope.reach(&[0], |_| false);
    let lost: Vec<usize> = reached.difference(&saved).copied().collect();
    if let Some(first) = lost.first() {
        let names = scope.sorted_names(&lost);
        let listed = names.join(", ");
        let message = format!("no stop step, `done` or `escalate` can be reached from {listed}");
        let finding = out.step(Id::NoTerminalPath, scope.step(*first), message);
        finding.steps = Some(names);
    }
}

/// Whether a step can exhaust something: agents with retries, and bounded steps.
pub(super) fn can_exhaust(scope: &Scope<'_>, at: usize) -> bool {
    let step = scope.step(at);
    scope.graph.bounds.contains_key(&at) || (step.kind() == Kind::Agent && step.retries() > 0)
}

/// Whether a run can end at a step. A misspelled route counts too: another rule reports it, and its meaning is not known.
fn ends(scope: &Scope<'_>, at: usize) -> bool {
    leaves(scope, at, |route| {
        !matches!(scope.recipe.target(route), Some(Target::Step(_)))
    })
}

/// Whether a run can end at a step, or leave it by a route that leads `out`.
pub(super) fn leaves(scope: &Scope<'_>, at: usize, out: impl Fn(&str) -> bool) -> bool {
    let step = scope.step(at);
    let mut ways = step.routes().into_iter();
    step.is_stop()
        || ends_unwritten(step)
        || (can_exhaust(scope, at) && out(step.exhausted_route()))
        || ways.any(|way| way.via != Via::Exhausted && out(way.to))
}
