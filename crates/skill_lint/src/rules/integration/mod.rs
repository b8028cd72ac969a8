//! `SR5xx`: how skills find helpers and rely on each other. Checks the Markdown files of skills and of `shared-references/`.

mod call;
mod contract;
mod page;
mod resolver;
mod table;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::BTreeSet;
use std::path::PathBuf;

use aris_skills::git::WorkTree;
use aris_skills::{Skill, Tree};

use self::contract::{Contracts, Row};
use self::page::Find;
pub use self::page::Page;
use super::Facts;
use crate::config::Config;
use crate::finding::{Place, Sink};
use crate::fix::Fix;

/// Looks at one skill.
pub fn skill(skill: &Skill, config: &Config, sink: &mut Sink<'_>) -> Vec<Page> {
    let mut pages = Vec::new();
    for file in &skill.files {
        if let (Some(text), Some(document)) = (&file.text, &file.markdown) {
            let page = Page {
                path: file.path().to_owned(),
                skill_md: file.skill_path == "SKILL.md",
                explains: contract::is_explaining(file.path(), config),
                ..Page::default()
            };
            pages.push(page.read(text, document, &config.integration.developer_tools, sink));
        }
    }
    pages
}

/// Looks across skills.
pub fn tree(tree: &Tree, facts: &[Facts], config: &Config, sink: &mut Sink<'_>) {
    let shared = contract::shared_pages(tree, config, sink);
    let rules = Across {
        contracts: Contracts::read(tree, config, &shared, sink),
        tools: Tools::of(tree),
    };
    for page in &shared {
        contract::unfilled(page, sink);
        // Pages inside a skill were checked with it.
        if !page.in_skill {
            let read = Page {
                path: page.path.clone(),
                explains: contract::is_explaining(&page.path, config),
                ..Page::default()
            };
            let tools = &config.integration.developer_tools;
            let read = read.read(&page.text, &page.document, tools, sink);
            rules.check(&read, None, sink);
        }
    }
    for facts in facts {
        for page in &facts.pages {
            rules.check(page, Some(&facts.skill), sink);
        }
    }
    rules.table(sink);
}

/// The rules that need more than one page.
struct Across {
    contracts: Contracts,
    tools: Tools,
}

impl Across {
    /// SR502, SR503, SR507 and SR518 on one page.
    fn check(&self, page: &Page, skill: Option<&String>, sink: &mut Sink<'_>) {
        let mut found = |rule, place: Place, message: String, fix: Option<Fix>| {
            let found = sink.found(rule, &page.path, place, message).fix(fix);
            // The sink of this pass knows no skill.
            found.skill = skill.cloned();
        };
        let rows = self.contracts.over(&page.path);
        for (name, place) in &page.calls {
            if let Some(message) = self.tools.fault(name, rows) {
                found("SR507", *place, message, None);
            }
        }
        for block in page.older.iter().filter(|_| !page.explains) {
            if let Some(fault) = &block.fault {
                found("SR502", block.place, fault.clone(), None);
            }
            let helper = &block.helper;
            if helper.contains('.') && !self.tools.have(helper) {
                found("SR507", block.place, nowhere(helper), None);
            }
            if let Some(table) = rows.first()
                && page.skill_md
                && !rows.iter().any(|row| row.is_for(helper))
            {
                let message = format!(
                    "`{helper}` has no row in the policy table of {}",
                    table.file
                );
                found("SR503", block.place, message, None);
            }
        }
        for find in &page.finds {
            let body = match &find.body {
                Err(message) => {
                    found("SR518", find.place, (*message).to_owned(), None);
                    continue;
                }
                Ok(body) => body,
            };
            let skill = skill.map_or("", String::as_str);
            let Some(text) = generated(skill, find, rows) else {
                continue;
            };
            if !text.lines().eq(body.lines.iter().map(String::as_str)) {
                let helpers = find.helpers.join(" ");
                let message = format!("the block is not the one generated for {helpers}");
                let lines = text.lines();
                let new: String = lines
                    .flat_map(|line| [body.indent.as_str(), line, body.end])
                    .collect();
                let fix = (!body.quoted).then(|| Fix::replace(&page.path, body.range.clone(), new));
                found("SR518", find.place, message, fix);
            }
        }
    }

    /// SR504 and SR507 on the rows of a policy table. SR507 skips helpers that the table's suite does not ship.
    fn table(&self, sink: &mut Sink<'_>) {
        let mut cells = BTreeSet::new();
        for row in self.contracts.rows() {
            let name = row.name();
            if !row.has_policy && cells.insert((&row.file, row.policy_at)) {
                let message =
                    format!("the policy of `{name}` does not start with A, B, C, D1, D2 or E");
                sink.found("SR504", &row.file, row.policy_at, message);
            }
            if row.shipped && !self.tools.have(name) {
                sink.found("SR507", &row.file, row.name_at, nowhere(name));
            }
        }
    }
}

fn nowhere(helper: &str) -> String {
    format!("`{helper}` is in no folder `tools` or `scripts` of the tree")
}

/// The lines that belong between the markers of a block; `None` when the block names an unknown helper.
fn generated(skill: &str, find: &Find, rows: &[Row]) -> Option<String> {
    let helper = |name: &String| {
        let row = rows.iter().find(|row| row.names().contains(&name.as_str()));
        match row.and_then(|row| Some((row.owner.as_deref()?, row.names()))) {
            Some(known) => Some(known),
            None => aris_contract::helpers::find(name).map(|row| (row.owner.as_str(), row.names())),
        }
    };
    let helpers: Vec<(&str, Vec<&str>)> = find.helpers.iter().map(helper).collect::<Option<_>>()?;
    Some(aris_launch::find_block(skill, &helpers))
}

/// Names of the files and folders under folders called `tools` or `scripts`.
struct Tools {
    /// Files and folders, with and without their extension.
    names: BTreeSet<String>,
    /// Folders on the disk that may have more: those of the repository, and those of sibling skills when only one skill is
    /// checked.
    beside: Vec<PathBuf>,
}

impl Tools {
    fn of(tree: &Tree) -> Self {
        let mut names = BTreeSet::new();
        for file in &tree.files {
            let mut parts = file.path.split('/');
            if parts.any(|part| part == "tools" || part == "scripts") {
                for part in parts {
                    names.insert(part.to_owned());
                    names.extend(part.rsplit_once('.').map(|(stem, _)| stem.to_owned()));
                }
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

    /// The fault of a call of an installed helper: no helper has this name.
    fn fault(&self, name: &str, rows: &[Row]) -> Option<String> {
        let in_table = rows.iter().any(|row| row.is_for(name));
        if in_table || self.have(name) || aris_contract::helpers::find(name).is_some() {
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
