//! Whether a run comes to an end from everywhere, and what happens where no route is written down.

use super::findings::Findings;
use super::routing::ends_unwritten;
use super::scope::{Scope, is_call, reach};
use crate::graph::SkipReason;
use crate::model::{Kind, Step, Target, Via};
use crate::rules::Id;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    endless(scope, out);
    for (at, facts) in scope.steps() {
        let step = facts.step;
        if let Some(skip) = scope
            .graph
            .skips
            .get(&at)
            .filter(|skip| skip.how.is_guess())
        {
            let message = match (&skip.target, skip.how) {
                (Some(target), how) if how != SkipReason::Nothing => format!(
                    "a skipped run goes on at `{}`, which is chosen from the routes ({}); write it down as on_skip",
                    target.name(),
                    how
                ),
                _ => String::from(
                    "nothing says where the run goes on when the step is skipped; it halts there without on_skip",
                ),
            };
            out.step(Id::AmbiguousSkipRoute, step, message);
        }
        if ends_unwritten(step) {
            let message = "the step has no on_success, and the run ends there as done; write on_success: done if that is meant";
            out.step(Id::NoSuccessRoute, step, message);
        }
        if is_call(step) && step.on_failure.is_none() && step.on_result.is_none() {
            let message = "the step has no on_failure, and the run halts there when the call fails";
            out.step(Id::NoFailureRoute, step, message);
        }
        let idle =
            step.retries.is_some() && step.retries() == 0 && !scope.graph.bounds.contains_key(&at);
        if let Some(route) = step
            .on_exhausted
            .as_ref()
            .filter(|_| idle && !scope.graph.components.is_cyclic(at))
        {
            let message = "this route is never taken: retries are 0 and the step is on no loop";
            out.step(Id::InertExhaustRoute, step, message)
                .place("on_exhausted", route.line);
        }
    }
}

/// Steps from which no end can be reached, told once.
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
    let lost: Vec<usize> = scope
        .reach(&[0], |_| false)
        .into_iter()
        .filter(|at| *at < count && !saved.contains(at))
        .collect();
    if let Some(first) = lost.first() {
        let mut names = scope.names(&lost);
        names.sort_unstable();
        let message = format!(
            "no stop step, `done` or `escalate` can be reached from {}",
            names.join(", ")
        );
        let names = names.into_iter().map(str::to_owned);
        out.step(Id::NoTerminalPath, scope.step(*first), message)
            .steps = Some(names.collect());
    }
}

/// Exhaustion counts for steps that can exhaust something: agents with retries, and bounded steps.
pub(super) fn can_exhaust(scope: &Scope<'_>, at: usize) -> bool {
    let step = scope.step(at);
    scope.graph.bounds.contains_key(&at) || (step.kind() == Kind::Agent && step.retries() > 0)
}

fn ends(scope: &Scope<'_>, at: usize) -> bool {
    let step = scope.step(at);
    step.is_stop() || ends_unwritten(step) || ends_by_route(scope, at, step)
}

/// A route to an end. A misspelled one counts too: it is told as such, and what it was meant to be is not known.
fn ends_by_route(scope: &Scope<'_>, at: usize, step: &Step) -> bool {
    let leads_out = |route: &str| !matches!(scope.recipe.target(route), Some(Target::Step(_)));
    (can_exhaust(scope, at) && leads_out(step.exhausted_route()))
        || step
            .routes()
            .into_iter()
            .any(|way| way.via != Via::Exhausted && leads_out(way.to))
}
