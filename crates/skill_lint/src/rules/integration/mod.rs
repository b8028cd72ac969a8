//! `SR5xx`: how skills find helpers and rely on each other. The Markdown files of skills and of `shared-references/` are looked at.

mod call;
mod contract;
mod page;
mod policy;
mod problem;
mod resolver;
mod table;
#[cfg(test)]
mod tests;
mod v1;
mod variables;

use std::collections::BTreeSet;
use std::path::PathBuf;

use aris_skills::git::WorkTree;
use aris_skills::{Skill, Tree};

use self::contract::{Contract, Contracts};
use self::page::{Block, Form, Kind, Page};
use self::problem::Problem;
use self::resolver::Difference;
use crate::config::{Config, Template};
use crate::finding::{Finding, Sink};
use crate::fix::Fix;

/// What the rules across skills need to know about one skill.
#[derive(Debug, Default)]
pub struct Facts {
    name: String,
    dir: String,
    /// Path of the SKILL.md.
    path: String,
    blocks: Vec<Block>,
    /// Page, helper, line and column of each call of an installed helper.
    calls: Vec<(String, String, usize, usize)>,
}

/// Looks at one skill.
pub fn skill(skill: &Skill, _tree: &Tree, config: &Config, sink: &mut Sink<'_>) -> Facts {
    let mut facts = Facts {
        name: skill.name.clone(),
        dir: skill.dir.clone(),
        ..Facts::default()
    };
    for file in &skill.files {
        let (Some(text), Some(document)) = (&file.text, &file.markdown) else {
            continue;
        };
        let kind = Kind {
            skill_md: file.skill_path == "SKILL.md",
            contract: contract::is_explaining(file.path(), config),
        };
        let page = page::read(file.path(), kind, text, document, &config.developer_tools);
        report(&page, file.path(), None, sink);
        facts.blocks.extend(page.blocks);
        let calls = page.calls.into_iter();
        let here = calls.map(|(name, line, col)| (file.path().to_owned(), name, line, col));
        facts.calls.extend(here);
        if kind.skill_md {
            file.path().clone_into(&mut facts.path);
        }
    }
    facts
}

fn report(page: &Page, path: &str, skill: Option<&str>, sink: &mut Sink<'_>) {
    for problem in &page.problems {
        put(problem, path, skill, sink);
    }
}

fn put(problem: &Problem, path: &str, skill: Option<&str>, sink: &mut Sink<'_>) {
    let Problem {
        rule,
        line,
        col,
        message,
        repair,
    } = problem;
    let found = sink.found(rule, path, *line, *col, message.clone());
    if let Some((span, lines)) = repair {
        found.fix(span.replaced(path, lines));
    }
    belongs(found, skill);
}

/// Findings across skills do not know their skill by themselves.
fn belongs(finding: &mut Finding, skill: Option<&str>) {
    if let Some(skill) = skill {
        finding.skill = Some(skill.to_owned());
    }
}

/// Looks across skills; `facts` are in the order of [`Tree::skills`].
pub fn tree(tree: &Tree, facts: &[Facts], config: &Config, sink: &mut Sink<'_>) {
    let pages = contract::shared_pages(tree, config, sink);
    let contracts = Contracts::read(tree, config, &pages, sink);
    let mut shared_blocks: Vec<Block> = Vec::new();
    for page in &pages {
        for problem in contract::unfilled(page) {
            put(&problem, &page.path, None, sink);
        }
        // Those in a skill were looked at with it.
        if page.skill.is_none() {
            let kind = Kind {
                skill_md: false,
                contract: contract::is_explaining(&page.path, config),
            };
            let tools = &config.developer_tools;
            let read = page::read(&page.path, kind, &page.text, &page.document, tools);
            report(&read, &page.path, None, sink);
            shared_blocks.extend(read.blocks);
        }
    }
    let tools = Tools::of(tree);
    for facts in facts {
        for (path, name, line, col) in &facts.calls {
            if let Some(message) = tools.fault(name, contracts.over(path)) {
                belongs(
                    sink.found("SR507", path, *line, *col, message),
                    Some(&facts.dir),
                );
            }
        }
        for block in &facts.blocks {
            check_block(block, Some(facts), tree, &contracts, &tools, config, sink);
        }
    }
    for block in &shared_blocks {
        check_block(block, None, tree, &contracts, &tools, config, sink);
    }
    for contract in contracts.all() {
        check_rows(contract, &tools, sink);
    }
}

/// Names of what lies under folders called `tools` or `scripts`.
struct Tools {
    /// Files and folders, with and without their extension.
    names: BTreeSet<String>,
    /// Folders on the disk that may have more: those of the repository, and of the skills beside the only one that is looked at.
    beside: Vec<PathBuf>,
}

impl Tools {
    fn of(tree: &Tree) -> Self {
        let mut names = BTreeSet::new();
        for file in &tree.files {
            let mut below = false;
            for part in file.path.split('/') {
                if below {
                    names.insert(part.to_owned());
                    if let Some((stem, _)) = part.rsplit_once('.') {
                        names.insert(stem.to_owned());
                    }
                }
                below |= part == "tools" || part == "scripts";
            }
        }
        let mut beside = Vec::new();
        if let Some(top) = WorkTree::top_around(&tree.root) {
            beside.extend([".aris/tools", "tools"].map(|folder| top.join(folder)));
        }
        let is_skill = tree.skills.iter().any(|skill| skill.dir.is_empty());
        if let Some(skills) = tree.root.parent().filter(|_| is_skill) {
            let entries = aris_fs::list_sorted(skills).unwrap_or_default();
            beside.extend(entries.iter().map(|entry| entry.path.join("scripts")));
        }
        Self { names, beside }
    }

    fn have(&self, name: &str) -> bool {
        self.names.contains(name) || self.beside.iter().any(|folder| folder.join(name).exists())
    }

    /// What is wrong with a call of an installed helper: nobody has one of this name.
    fn fault(&self, name: &str, contract: Option<&Contract>) -> Option<String> {
        let rows = contract.is_some_and(|contract| !contract.rows_for(name).is_empty());
        if rows || self.have(name) || aris_contract::helpers::find(name).is_some() {
            return None;
        }
        let near = |other: &str| strsim::damerau_levenshtein(name, other);
        let mut known: Vec<&str> = self.names.iter().map(String::as_str).collect();
        for helper in aris_contract::helpers::all() {
            known.extend(helper.names());
        }
        let best =
            (known.into_iter().min_by_key(|other| near(other))).filter(|best| near(best) <= 2);
        let meant = best.map_or_else(String::new, |best| format!("; did you mean `{best}`?"));
        Some(format!("there is no helper `{name}`{meant}"))
    }
}

/// SR502, SR503, SR507 and SR518 on one block.
fn check_block(
    block: &Block,
    facts: Option<&Facts>,
    tree: &Tree,
    contracts: &Contracts,
    tools: &Tools,
    config: &Config,
    sink: &mut Sink<'_>,
) {
    let skill = facts.map(|facts| facts.dir.as_str());
    let mut found = |rule: &'static str, message: String, fix: Option<Fix>| {
        let found = sink.found(rule, &block.path, block.line, block.col, message);
        if let Some(fix) = fix {
            found.fix(fix);
        }
        belongs(found, skill);
    };
    let contract = contracts.over(&block.path);
    let rows = contract.map_or_else(Vec::new, |contract| contract.rows_for(&block.helper));
    let owner = rows.iter().find_map(|row| row.owner.as_deref());
    let owns = match (facts, owner) {
        (Some(facts), Some(owner)) => block.kind.skill_md && facts.name == owner,
        (Some(facts), None) => {
            let own = format!("{}/scripts/{}", facts.dir, block.helper);
            block.kind.skill_md && tree.file(own.trim_start_matches('/')).is_some()
        }
        (None, _) => false,
    };
    let generated = |owns: bool| aris_launch::resolver_block(&block.variable, &block.helper, owns);
    let indented = |indent: &str| -> Vec<String> {
        let text = generated(owns);
        text.lines().map(|line| format!("{indent}{line}")).collect()
    };
    match &block.form {
        Form::Older {
            difference,
            repair,
            indent,
        } if !block.kind.contract => {
            let message = match difference {
                _ if !config.accept.contains(&Template::V1) => {
                    "this resolver is of the older template, which is not accepted here".to_owned()
                }
                Some(Difference::Chain(line)) => {
                    format!("line {line} of this resolver's chain is not the template's")
                }
                Some(Difference::Prelude) => {
                    "the template's four lines do not stand before this resolver's chain".to_owned()
                }
                None => String::new(),
            };
            if !message.is_empty() {
                let repair = repair.as_ref().filter(|_| config.emit == Template::V2);
                let fix = repair.map(|(span, kept)| {
                    let (variable, helper) = (&block.variable, &block.helper);
                    let mut lines = kept.clone();
                    lines.push(format!("{indent}# aris-resolver v2: {variable} {helper}"));
                    lines.extend(indented(indent));
                    lines.push(format!("{indent}# aris-resolver end"));
                    span.replaced(&block.path, &lines)
                });
                found("SR502", message, fix);
            }
        }
        Form::Older { .. } => {}
        Form::Marked { body, span, indent } => {
            let is = |owns: bool| generated(owns).lines().eq(body.iter().map(String::as_str));
            // Without a table nobody knows the owner; either form is then as generated.
            if !is(owns) && (owner.is_some() || !is(!owns)) {
                let message = format!(
                    "the block is not the one generated for `{}` and `{}`{}",
                    block.variable,
                    block.helper,
                    if owns {
                        " in the skill that owns it"
                    } else {
                        ""
                    }
                );
                let fix = span
                    .as_ref()
                    .map(|span| span.replaced(&block.path, &indented(indent)));
                found("SR518", message, fix);
            }
        }
    }
    if block.kind.contract {
        return;
    }
    if block.helper.contains('.') && !tools.have(&block.helper) {
        let message = format!(
            "`{}` is in no folder `tools` or `scripts` of the tree",
            block.helper
        );
        found("SR507", message, None);
    } else if matches!(block.form, Form::Marked { .. })
        && let Some(message) = tools.fault(&block.helper, contract)
    {
        found("SR507", message, None);
    }
    let Some(contract) = contract else {
        return;
    };
    if rows.is_empty() && block.kind.skill_md {
        let table = contract.files.first().map_or("", String::as_str);
        let message = format!(
            "`{}` has no row in the policy table of {table}",
            block.helper
        );
        found("SR503", message, None);
    }
}

/// SR504 and SR507 on the rows of a policy table. The last not where the table says that its suite does not ship the
/// helper.
fn check_rows(contract: &Contract, tools: &Tools, sink: &mut Sink<'_>) {
    let mut cells: BTreeSet<(usize, (usize, usize))> = BTreeSet::new();
    for (file, row) in &contract.rows {
        let path = contract.files.get(*file).map_or("", String::as_str);
        let (name, (line, col)) = (row.name(), row.name_at);
        if row.policies.is_empty() && cells.insert((*file, row.policy_at)) {
            let (line, col) = row.policy_at;
            let message =
                format!("the policy of `{name}` does not start with A, B, C, D1, D2 or E");
            sink.found("SR504", path, line, col, message);
        }
        if !row.shipped {
            continue;
        }
        if !tools.have(name) {
            let message = format!("`{name}` is in no folder `tools` or `scripts` of the tree");
            sink.found("SR507", path, line, col, message);
        }
    }
}
