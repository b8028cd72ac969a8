//! Merges, pushes, clones.

use std::collections::BTreeSet;

use super::super::findings::Findings;
use super::super::scope::{Scope, argument, argument_line, reach};
use super::{commands, has_tool, with_tool};
use crate::expression::{Comparison, Expression, Namespace, Operand};
use crate::finding::Severity;
use crate::model::{COMMAND_TOOL, OnResult, Step};
use crate::template::Template;

/// Failures of a merge that can be recovered. **Source**: the reference.
const RECOVERABLE: [&str; 4] = ["dirty_tree", "post_rebase_test_gate", "rebase", "test_gate"];
/// Steps before a merge within which something must commit. **Source**: the reference.
const COMMIT_HOPS: usize = 5;
/// Commands of git that change a repository, without the word git. **Source**: the reference.
const MUTATIONS: [&[&str]; 10] = [
    &["checkout"],
    &["worktree", "add"],
    &["branch", "-d"],
    &["branch", "-D"],
    &["push"],
    &["reset"],
    &["merge"],
    &["rebase"],
    &["commit"],
    &["cherry-pick"],
];
const CLONE_CALLABLE: &str = "autoskillit.workspace.clone.clone_repo";

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    merges(scope, out);
    pushes(scope, out);
    isolation(scope, out);
    for (_, facts) in scope.steps() {
        clone(facts.step, out);
    }
}

fn merges(scope: &Scope<'_>, out: &mut Findings) {
    let raw = scope.graph.successors(scope.facts.len(), false);
    for at in with_tool(scope, "merge_worktree") {
        let step = scope.step(at);
        if let Some(base) = argument(step, "base_branch").and_then(variable) {
            let publishes = |step: usize| {
                let step = scope.step(step);
                has_tool(step, "push_to_remote")
                    && argument(step, "branch").and_then(variable).as_ref() == Some(&base)
            };
            if reach(&raw, &[0], publishes).contains(&at) {
                let message =
                    format!("`context.{base}` is merged into, and some way here has not pushed it");
                out.field(
                    "merge-base-unpublished",
                    step,
                    "with.base_branch",
                    argument_line(step, "base_branch"),
                    message,
                );
            }
        }
        if !commits_before(scope, at) {
            let message = "nothing commits before the merge, which fails with a dirty tree then; put a commit step before it";
            out.step("merge-without-commit-guard", step, message);
        }
        if let Some(OnResult::List(branches)) = &step.on_result {
            let routed: BTreeSet<&str> = branches
                .iter()
                .filter_map(|branch| branch.when.as_ref()?.parsed.as_ref().ok())
                .flat_map(failed_steps)
                .collect();
            let missing: Vec<&str> = RECOVERABLE
                .into_iter()
                .filter(|failure| !routed.contains(failure))
                .collect();
            if !missing.is_empty() && !branches.is_empty() {
                let message = format!(
                    "these failures can be recovered and have no branch: {}",
                    missing.join(", ")
                );
                out.step("merge-routing-incomplete", step, message).field =
                    Some(String::from("on_result"));
            }
        }
        let kept = step.capture.iter().any(|capture| {
            capture
                .template
                .references()
                .any(|reference| reference.name() == "cleanup_succeeded")
        });
        if !kept {
            let message = "the merge does not capture cleanup_succeeded, so that a worktree left behind goes unseen";
            out.step("merge-cleanup-uncaptured", step, message);
        }
    }
}

/// The variable of a text that is nothing but one.
fn variable(text: &str) -> Option<String> {
    let template = Template::parse(text);
    let reference = template.sole()?;
    (reference.namespace == Namespace::Context
        && reference.filters.is_empty()
        && reference.path.len() == 1)
        .then(|| reference.name().to_owned())
}

fn commits_before(scope: &Scope<'_>, at: usize) -> bool {
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut front: Vec<usize> = scope.predecessors[at].clone();
    for _ in 0..COMMIT_HOPS {
        let commits = |at: &usize| {
            let step = scope.step(*at);
            let command = argument(step, "cmd").filter(|_| has_tool(step, COMMAND_TOOL));
            step.name.starts_with("commit_guard")
                || command.is_some_and(|command| command.contains("git commit"))
        };
        if front.iter().any(commits) {
            return true;
        }
        seen.extend(&front);
        let next: BTreeSet<usize> = front
            .iter()
            .flat_map(|at| &scope.predecessors[*at])
            .copied()
            .filter(|at| !seen.contains(at))
            .collect();
        front = next.into_iter().collect();
    }
    false
}

/// Values that a condition compares `result.failed_step` with.
fn failed_steps(expression: &Expression) -> Vec<&str> {
    match expression {
        Expression::Or(parts) | Expression::And(parts) => {
            parts.iter().flat_map(failed_steps).collect()
        }
        Expression::Compare {
            left: Operand::Reference(reference),
            comparison: Comparison::Equal,
            right: Operand::Literal(value),
        } if reference.namespace == Namespace::Result && reference.name() == "failed_step" => {
            vec![value.as_str()]
        }
        _ => Vec::new(),
    }
}

fn pushes(scope: &Scope<'_>, out: &mut Findings) {
    let unaudited = scope.reach(&[0], |at| commands(scope.step(at), "audit-impl"));
    for at in with_tool(scope, "push_to_remote") {
        let step = scope.step(at);
        if unaudited.contains(&at) {
            let message =
                "some way here has not passed the audit of the implementation (audit-impl)";
            out.step("push-before-audit", step, message);
        }
        if !step.with.iter().any(|(key, _)| key.text == "remote_url") {
            let message = "the push does not say where to; add remote_url";
            out.step("push-missing-explicit-remote-url", step, message);
        }
        let resolver = scope.predecessors[at]
            .iter()
            .find(|before| commands(scope.step(**before), "resolve-merge-conflicts"));
        let forced =
            argument(step, "force").is_some_and(|force| force.trim().eq_ignore_ascii_case("true"));
        if let Some(before) = resolver.filter(|_| !forced) {
            let message = format!(
                "step `{}` resolves conflicts by a rebase, and the push behind it is not forced; add force: \"true\"",
                scope.step(*before).name
            );
            out.step("rebase-then-push-requires-force", step, message);
        }
    }
}

fn clone(step: &Step, out: &mut Findings) {
    let callable = step
        .python
        .as_ref()
        .is_some_and(|python| python.text == CLONE_CALLABLE);
    let captures = step.capture.iter().any(|capture| {
        capture
            .template
            .references()
            .any(|reference| reference.name() == "remote_url")
    });
    if !(callable && captures) {
        return;
    }
    let strategy = argument(step, "strategy").unwrap_or_default();
    let (severity, why) = match strategy {
        "" | "proceed" => return,
        "clone_local" => (Severity::Error, String::from("a local clone has no remote")),
        other => (
            Severity::Warning,
            format!("with strategy `{other}` there may be none"),
        ),
    };
    let message = format!("the address of the remote is captured, and {why}");
    out.step(
        "clone-local-strategy-with-remote-url-capture",
        step,
        message,
    )
    .severity = severity;
}

fn isolation(scope: &Scope<'_>, out: &mut Findings) {
    let clones = !with_tool(scope, "clone_repo").is_empty();
    for (_, facts) in scope.steps() {
        let step = facts.step;
        let from_input = facts
            .reads(Namespace::Inputs)
            .any(|(key, _)| key.text == "cwd");
        if !from_input {
            continue;
        }
        let line = argument_line(step, "cwd");
        if has_tool(step, "create_unique_branch") {
            let message = "the step changes the repository in the folder that an input names; work in a clone";
            out.field(
                "source-isolation-violation",
                step,
                "with.cwd",
                line,
                message,
            );
        }
        if has_tool(step, crate::model::AGENT_TOOL) && !clones {
            let message =
                "a skill works in the folder that an input names, and nothing clones it before";
            out.field(
                "source-isolation-violation",
                step,
                "with.cwd",
                line,
                message,
            )
            .severity = Severity::Warning;
        }
        let mutates = argument(step, "cmd").is_some_and(mutates);
        if has_tool(step, COMMAND_TOOL) && mutates {
            let message = "the command changes the repository in the folder that an input names; work in a clone";
            out.field("git-mutation-on-source", step, "with.cwd", line, message);
        }
    }
}

/// Whether a command has `git`, blanks and one of [`MUTATIONS`].
fn mutates(command: &str) -> bool {
    command.match_indices("git").any(|(at, found)| {
        let rest = command.get(at + found.len()..).unwrap_or_default();
        MUTATIONS.iter().any(|words| {
            let mut rest = Some(rest);
            for word in *words {
                rest = rest.and_then(|rest| {
                    let trimmed = rest.trim_start();
                    (trimmed.len() < rest.len())
                        .then(|| trimmed.strip_prefix(word))
                        .flatten()
                });
            }
            rest.is_some()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_are_words_behind_git() {
        for (command, found) in [
            ("git checkout main", true),
            ("cd x && git  worktree add -b y", true),
            ("git branch -D y", true),
            ("git branch --list", false),
            ("git status; git -C x push", false),
            ("gitpush", false),
        ] {
            assert_eq!(mutates(command), found, "{command}");
        }
    }
}
