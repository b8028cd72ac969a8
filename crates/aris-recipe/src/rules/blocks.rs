//! Blocks: steps with a common budget.

use crate::rules::Id;
use std::collections::{BTreeMap, BTreeSet};

use super::findings::Findings;
use super::scope::{Scope, argument};
use crate::finding::Finding;
use crate::model::{COMMAND_TOOL, Step};

/// The steps of one block, in the order of the file.
#[derive(Debug)]
struct Block<'a> {
    name: &'a str,
    members: Vec<usize>,
    /// Members that no member leads to.
    entries: Vec<usize>,
    /// Members that lead to no member.
    exits: Vec<usize>,
}

/// All blocks, in the order of the file.
fn all<'a>(scope: &Scope<'a>) -> Vec<Block<'a>> {
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, facts) in scope.steps() {
        if let Some(block) = &facts.step.block {
            members.entry(&block.text).or_default().push(at);
        }
    }
    let mut blocks: Vec<Block<'_>> = members
        .into_iter()
        .map(|(name, members)| {
            let inside: BTreeSet<usize> = members.iter().copied().collect();
            let alone = |edges: &[Vec<usize>]| -> Vec<usize> {
                let none_inside =
                    |at: &&usize| !edges[**at].iter().any(|other| inside.contains(other));
                members.iter().filter(none_inside).copied().collect()
            };
            Block {
                name,
                entries: alone(&scope.predecessors),
                exits: alone(&scope.successors),
                members,
            }
        })
        .collect();
    blocks.sort_by_key(|block| block.members.first().copied());
    blocks
}

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for block in all(scope) {
        budget(scope, &block, out);
        producers(scope, &block, out);
        for (ends, what, at) in [
            (&block.entries, "ways in", block.entry()),
            (&block.exits, "ways out", block.exit()),
        ] {
            if ends.len() != 1 {
                let names: Vec<&str> = ends
                    .iter()
                    .map(|at| scope.step(*at).name.as_str())
                    .collect();
                let listed = if names.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", names.join(", "))
                };
                let message = format!(
                    "block `{}` has {} {what}{listed}; it needs exactly one",
                    block.name,
                    ends.len()
                );
                about(
                    out.step(Id::BlockEntryExitReachable, scope.step(at), message),
                    &block,
                    scope,
                );
            }
        }
    }
}

fn about(finding: &mut Finding, block: &Block<'_>, scope: &Scope<'_>) {
    let mut names: Vec<String> = block
        .members
        .iter()
        .map(|at| scope.step(*at).name.clone())
        .collect();
    names.sort();
    finding.steps = Some(names);
}

fn budget(scope: &Scope<'_>, block: &Block<'_>, out: &mut Findings) {
    let Some(budget) = scope.data.budget(block.name) else {
        return;
    };
    let tools = block.tools(scope);
    let commands = tools.get(COMMAND_TOOL).copied().unwrap_or_default();
    let others: usize = tools.values().sum::<usize>() - commands;
    let mut over = |rule, message| {
        about(
            out.step(rule, scope.step(block.entry()), message),
            block,
            scope,
        );
    };
    if let Some(most) = budget.run_cmd.filter(|most| commands > *most) {
        let message = format!(
            "block `{}` has {commands} run_cmd steps, and its budget is {most}",
            block.name
        );
        over(Id::BlockRunCmdBudget, message);
    }
    if let Some(most) = budget.mcp_tools.filter(|most| others > *most) {
        let message = format!(
            "block `{}` calls {others} tools besides run_cmd, and its budget is {most}",
            block.name
        );
        over(Id::BlockMcpToolBudget, message);
    }
    let calls = block.gh_api(scope);
    if budget.forbid_gh_api && calls > 0 {
        let message = format!(
            "commands of block `{}` call `gh api` {calls} times, which its budget forbids",
            block.name
        );
        over(Id::BlockGhApiForbidden, message);
    }
}

fn producers(scope: &Scope<'_>, block: &Block<'_>, out: &mut Findings) {
    let mut producers: BTreeMap<&str, Vec<&Step>> = BTreeMap::new();
    for at in &block.members {
        for capture in &scope.step(*at).capture {
            producers
                .entry(&capture.variable.text)
                .or_default()
                .push(scope.step(*at));
        }
    }
    for (name, steps) in producers.into_iter().filter(|(_, steps)| steps.len() > 1) {
        let listed: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        let message = format!(
            "`context.{name}` is captured by several steps of block `{}`: {}",
            block.name,
            listed.join(", ")
        );
        about(
            out.step(Id::BlockSingleProducer, scope.step(block.entry()), message),
            block,
            scope,
        );
    }
}

impl Block<'_> {
    fn entry(&self) -> usize {
        self.entries
            .first()
            .or(self.members.first())
            .copied()
            .unwrap_or_default()
    }

    fn exit(&self) -> usize {
        self.exits
            .first()
            .or(self.members.last())
            .copied()
            .unwrap_or_default()
    }

    /// Tools of its steps, each with how many steps call it.
    fn tools<'s>(&self, scope: &'s Scope<'_>) -> BTreeMap<&'s str, usize> {
        let mut tools = BTreeMap::new();
        for at in &self.members {
            if let Some(tool) = &scope.step(*at).tool {
                *tools.entry(tool.text.as_str()).or_default() += 1;
            }
        }
        tools
    }

    fn gh_api(&self, scope: &Scope<'_>) -> usize {
        self.members
            .iter()
            .map(|at| scope.step(*at))
            .filter(|step| {
                step.tool
                    .as_ref()
                    .is_some_and(|tool| tool.text == COMMAND_TOOL)
            })
            .filter_map(|step| argument(step, "cmd"))
            .map(|command| command.matches("gh api").count())
            .sum()
    }
}
