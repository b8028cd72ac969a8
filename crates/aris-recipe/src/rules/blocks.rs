//! Rules for blocks, which are steps with a common budget.

use std::collections::BTreeMap;

use super::scope::argument;
use super::{Findings, Id, Scope};
use crate::model::Kind;

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
    let blocks = members.into_iter().map(|(name, members)| {
        let alone = |edges: &[Vec<usize>]| -> Vec<usize> {
            let outside = |at: &usize| members.binary_search(at).is_err();
            let alone = members.iter().filter(|at| edges[**at].iter().all(outside));
            alone.copied().collect()
        };
        Block {
            name,
            entries: alone(&scope.predecessors),
            exits: alone(&scope.successors),
            members,
        }
    });
    let mut blocks: Vec<Block<'_>> = blocks.collect();
    blocks.sort_by_key(|block| block.members.first().copied());
    blocks
}

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for block in all(scope) {
        let names = scope.sorted_names(&block.members);
        let mut tell = |rule, at, message: String| {
            out.step(rule, scope.step(at), message).steps = Some(names.clone());
        };
        for (rule, message) in [budget(scope, &block), producers(scope, &block)].concat() {
            tell(rule, block.entry(), message);
        }
        for (ends, what, at) in [
            (&block.entries, "ways in", block.entry()),
            (&block.exits, "ways out", block.exit()),
        ] {
            if ends.len() != 1 {
                let listed = match scope.names(ends).join(", ").as_str() {
                    "" => String::new(),
                    names => format!(" ({names})"),
                };
                let (name, count) = (block.name, ends.len());
                let message =
                    format!("block `{name}` has {count} {what}{listed}; it needs exactly one");
                tell(Id::BlockEntryExitReachable, at, message);
            }
        }
    }
}

/// Reports where a block uses more than its budget.
fn budget(scope: &Scope<'_>, block: &Block<'_>) -> Vec<(Id, String)> {
    let Some(budget) = scope.data.budget(block.name) else {
        return Vec::new();
    };
    let name = block.name;
    let steps = block.members.iter().map(|at| scope.step(*at));
    let tools = steps.filter(|step| step.tool.is_some());
    let (commands, others): (Vec<_>, Vec<_>) = tools.partition(|step| step.kind() == Kind::Command);
    let (count, others) = (commands.len(), others.len());
    let mut over = Vec::new();
    if let Some(most) = budget.run_cmd.filter(|most| count > *most) {
        let message = format!("block `{name}` has {count} run_cmd steps, and its budget is {most}");
        over.push((Id::BlockRunCmdBudget, message));
    }
    if let Some(most) = budget.mcp_tools.filter(|most| others > *most) {
        let message = format!(
            "block `{name}` calls {others} tools besides run_cmd, and its budget is {most}"
        );
        over.push((Id::BlockMcpToolBudget, message));
    }
    let texts = commands.iter().filter_map(|step| argument(step, "cmd"));
    let calls: usize = texts.map(|text| text.matches("gh api").count()).sum();
    if budget.forbid_gh_api && calls > 0 {
        let message = format!(
            "commands of block `{name}` call `gh api` {calls} times, which its budget forbids"
        );
        over.push((Id::BlockGhApiForbidden, message));
    }
    over
}

/// Reports variables that several steps of a block capture.
fn producers(scope: &Scope<'_>, block: &Block<'_>) -> Vec<(Id, String)> {
    let mut producers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for step in block.members.iter().map(|at| scope.step(*at)) {
        for capture in &step.capture {
            let steps = producers.entry(&capture.variable).or_default();
            steps.push(&step.name);
        }
    }
    producers.retain(|_, steps| steps.len() > 1);
    let told = producers.into_iter().map(|(name, steps)| {
        let message = format!(
            "`context.{name}` is captured by several steps of block `{}`: {}",
            block.name,
            steps.join(", ")
        );
        (Id::BlockSingleProducer, message)
    });
    told.collect()
}

impl Block<'_> {
    fn entry(&self) -> usize {
        let first = self.entries.first().or(self.members.first());
        first.copied().unwrap_or_default()
    }

    fn exit(&self) -> usize {
        let last = self.exits.first().or(self.members.last());
        last.copied().unwrap_or_default()
    }
}
