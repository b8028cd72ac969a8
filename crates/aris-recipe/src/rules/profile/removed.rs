//! Worktrees: who makes them, what comes after a merge removed them.

use crate::rules::Id;
use std::collections::{BTreeMap, BTreeSet};

use super::super::findings::Findings;
use super::super::scope::{Scope, captured_field};
use super::{has_tool, with_tool};
use crate::expression::Namespace;

/// Tools and the fields of results that name what they remove. **Source**: the reference.
const REMOVERS: [(&str, &[&str]); 2] = [
    ("merge_worktree", &["worktree_path", "branch_name"]),
    ("remove_clone", &["clone_path"]),
];

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let mut from_clone: BTreeMap<&str, bool> = BTreeMap::new();
    for (_, facts) in scope.steps() {
        let step = facts.step;
        if has_tool(step, "test_check") || has_tool(step, "merge_worktree") {
            for (key, reference) in facts
                .reads(Namespace::Context)
                .filter(|(key, _)| key.text == "worktree_path")
            {
                if from_clone.get(reference.name()) == Some(&true) {
                    let message = format!(
                        "`{reference}` is the root of a clone (result.clone_path), not a worktree"
                    );
                    out.text(
                        Id::CloneRootAsWorktree,
                        step,
                        "with.worktree_path",
                        key,
                        message,
                    );
                }
            }
        }
        for capture in &step.capture {
            let clone = capture.template.references().any(|reference| {
                reference.namespace == Namespace::Result && reference.name() == "clone_path"
            });
            from_clone.insert(&capture.variable.text, clone);
        }
    }
    stale(scope, out);
}

fn stale(scope: &Scope<'_>, out: &mut Findings) {
    // Where each variable comes from; of several captures the last in the file counts, as in the reference.
    let mut origin: BTreeMap<&str, &str> = BTreeMap::new();
    for (_, facts) in scope.steps() {
        for capture in &facts.step.capture {
            if let Some(field) =
                captured_field(capture).filter(|_| capture.template.references().count() == 1)
            {
                origin.insert(&capture.variable.text, field);
            }
        }
    }
    for (tool, fields) in REMOVERS {
        for at in with_tool(scope, tool) {
            let after = scope
                .step(at)
                .on_success
                .as_ref()
                .and_then(|route| scope.recipe.position(&route.text));
            let Some(after) = after else {
                continue;
            };
            for (variable, _) in origin.iter().filter(|(_, field)| fields.contains(field)) {
                let renews = |step: usize| {
                    scope
                        .step(step)
                        .capture
                        .iter()
                        .any(|capture| capture.variable.text == *variable)
                };
                let mut behind: BTreeSet<usize> = scope.reach(&[after], renews);
                behind.remove(&at);
                for step in behind {
                    for (key, _) in scope.facts[step]
                        .reads(Namespace::Context)
                        .filter(|(_, reference)| reference.name() == *variable)
                    {
                        let message = format!(
                            "`context.{variable}` names what step `{}` ({tool}) has removed by then",
                            scope.step(at).name
                        );
                        let field = format!("with.{}", key.text);
                        out.text(
                            Id::StaleRefAfterMerge,
                            scope.step(step),
                            field.clone(),
                            key,
                            message.clone(),
                        );
                        out.text(
                            Id::NoteRefInvalidated,
                            scope.step(step),
                            field,
                            key,
                            message,
                        );
                    }
                }
            }
        }
    }
}
