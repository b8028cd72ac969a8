//! Continuous integration and merge queues.

use std::collections::BTreeSet;

use super::super::findings::Findings;
use super::super::scope::{Scope, argument, argument_line, conditions, reach};
use super::{commands, has_tool, with_tool};
use crate::expression::{Comparison, Expression, Namespace, Operand};
use crate::model::{COMMAND_TOOL, OnResult, Step};

/// States of a pull request in a merge queue, `error` apart. **Source**: the reference.
const STATES: [&str; 6] = [
    "dropped_healthy",
    "ejected",
    "ejected_ci_failure",
    "merged",
    "stalled",
    "timeout",
];
/// Where everything else must lead. **Source**: the reference.
const FALLBACK: &str = "release_issue_timeout";

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (_, facts) in scope.steps() {
        let step = facts.step;
        let command = argument(step, "cmd")
            .filter(|_| has_tool(step, COMMAND_TOOL))
            .unwrap_or_default();
        if command.contains("gh run watch") || command.contains("gh run list") {
            let message =
                "the command polls continuous integration; wait_for_ci waits without races";
            out.field(
                "ci-polling-inline-shell",
                step,
                "with.cmd",
                argument_line(step, "cmd"),
                message,
            );
        }
        let waits = has_tool(step, "wait_for_ci");
        let asks = waits || has_tool(step, "get_ci_status");
        if asks && !step.with.iter().any(|(key, _)| key.text == "event") {
            let message =
                "without event, a run for another event that passed can hide one that failed";
            out.step("ci-missing-event-scope", step, message);
        }
        let workflow =
            argument(step, "workflow").filter(|workflow| waits && !workflow.starts_with("${{"));
        if let Some(workflow) = workflow {
            let message = format!(
                "workflow `{workflow}` is written down here and overrides the project's configuration"
            );
            out.field(
                "ci-hardcoded-workflow",
                step,
                "with.workflow",
                argument_line(step, "workflow"),
                message,
            );
        }
    }
    events(scope, out);
    conflict_gates(scope, out);
    if scope.recipe.step(FALLBACK).is_some() {
        for at in with_tool(scope, "wait_for_merge_queue") {
            merge_queue(scope.step(at), out);
        }
    }
}

fn events(scope: &Scope<'_>, out: &mut Findings) {
    let producers = scope
        .producers
        .get("merge_group_trigger")
        .map(Vec::as_slice)
        .unwrap_or_default();
    for at in with_tool(scope, "wait_for_ci") {
        let step = scope.step(at);
        let Some(event) = argument(step, "event").filter(|event| !event.starts_with("${{")) else {
            continue;
        };
        let before = reach(&scope.predecessors, &scope.predecessors[at], |_| false);
        if !producers.iter().any(|producer| before.contains(producer)) {
            let message = format!(
                "event `{event}` is written down, and nothing before this step finds out by merge_group_trigger which event the repository \
                 uses"
            );
            out.field(
                "event-scope-requires-upstream-capture",
                step,
                "with.event",
                argument_line(step, "event"),
                message,
            );
        }
    }
}

fn conflict_gates(scope: &Scope<'_>, out: &mut Findings) {
    let looks = |at: usize| {
        let step = scope.step(at);
        let command = argument(step, "cmd")
            .filter(|_| has_tool(step, COMMAND_TOOL))
            .unwrap_or_default();
        command.contains("merge-base")
            || command.contains("is-ancestor")
            || commands(step, "resolve-merge-conflicts")
    };
    for at in with_tool(scope, "wait_for_ci") {
        let step = scope.step(at);
        let failure = step
            .on_failure
            .as_ref()
            .and_then(|route| scope.recipe.position(&route.text));
        let Some(failure) = failure else {
            continue;
        };
        let unguarded: Vec<&str> = scope
            .reach(&[failure], looks)
            .into_iter()
            .map(|at| scope.step(at))
            .filter(|step| commands(step, "resolve-failures"))
            .map(|step| step.name.as_str())
            .collect();
        if !unguarded.is_empty() {
            let message = format!(
                "a failed run leads to {} without a look whether its base is stale (git merge-base --is-ancestor)",
                unguarded.join(", ")
            );
            out.step("ci-failure-missing-conflict-gate", step, message);
        }
    }
}

fn merge_queue(step: &Step, out: &mut Findings) {
    if let Some(OnResult::List(branches)) = step
        .on_result
        .as_ref()
        .filter(|results| !results.targets().is_empty())
    {
        let routed: BTreeSet<&str> = conditions(step)
            .into_iter()
            .filter_map(|(_, _, expression)| state(expression))
            .collect();
        let missing: Vec<&str> = STATES
            .into_iter()
            .filter(|state| !routed.contains(state))
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "these states of a pull request have no branch: {}",
                missing.join(", ")
            );
            out.step(
                "wait-for-merge-queue-routing-covers-all-pr-states",
                step,
                message,
            );
        }
        for branch in branches.iter().filter(|branch| branch.when.is_none()) {
            if let Some(route) = branch.route.as_ref().filter(|route| route.text != FALLBACK) {
                let message = format!(
                    "the default leads to `{}`; what cannot be told must lead to {FALLBACK}",
                    route.text
                );
                out.text(
                    "wait-for-merge-queue-routing-conforms-to-expected-targets",
                    step,
                    "on_result",
                    route,
                    message,
                );
            }
        }
    }
    if let Some(route) = step
        .on_failure
        .as_ref()
        .filter(|route| route.text != FALLBACK)
    {
        let message = format!(
            "a failed call leads to `{}`; it must lead to {FALLBACK}",
            route.text
        );
        out.text(
            "wait-for-merge-queue-routing-conforms-to-expected-targets",
            step,
            "on_failure",
            route,
            message,
        );
    }
}

fn state(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Compare {
            left: Operand::Reference(reference),
            comparison: Comparison::Equal,
            right: Operand::Literal(state),
        } if reference.namespace == Namespace::Result && reference.name() == "pr_state" => {
            Some(state)
        }
        _ => None,
    }
}
