//! What is merged into was pushed before.

use super::super::findings::Findings;
use super::super::scope::{Scope, argument, argument_line, reach};
use super::{has_tool, with_tool};
use crate::expression::Namespace;
use crate::rules::Id;
use crate::template::Template;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let raw = scope.graph.successors(scope.facts.len(), false);
    for at in with_tool(scope, "merge_worktree") {
        let step = scope.step(at);
        let Some(base) = argument(step, "base_branch").and_then(variable) else {
            continue;
        };
        let publishes = |step: usize| {
            let step = scope.step(step);
            has_tool(step, "push_to_remote")
                && argument(step, "branch").and_then(variable).as_ref() == Some(&base)
        };
        if reach(&raw, &[0], publishes).contains(&at) {
            let message = format!(
                "`context.{base}` is merged into, and this step can be reached before it was pushed"
            );
            let line = argument_line(step, "base_branch");
            out.field(
                Id::MergeBaseUnpublished,
                step,
                "with.base_branch",
                line,
                message,
            );
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
