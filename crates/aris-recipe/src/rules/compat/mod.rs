//! Rules of the public reference's own project: its tools, its skills, its ways of working. Only its profile has them.

mod integration;
mod plans;
mod project;
mod repository;
mod worktrees;

use super::findings::Findings;
use super::scope::{Scope, argument};
use crate::model::Step;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    project::check(scope, out);
    worktrees::check(scope, out);
    repository::check(scope, out);
    integration::check(scope, out);
    plans::check(scope, out);
}

fn has_tool(step: &Step, tool: &str) -> bool {
    step.tool.as_ref().is_some_and(|own| own.text == tool)
}

/// Whether the step is an agent's and its command names a text.
fn commands(step: &Step, text: &str) -> bool {
    has_tool(step, crate::model::AGENT_TOOL)
        && argument(step, "skill_command").is_some_and(|command| command.contains(text))
}

/// Places of the steps that call a tool.
fn with_tool(scope: &Scope<'_>, tool: &str) -> Vec<usize> {
    scope
        .steps()
        .filter(|(_, facts)| has_tool(facts.step, tool))
        .map(|(at, _)| at)
        .collect()
}
