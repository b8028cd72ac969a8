//! SR1: how a skill is laid out, and whether its texts lead to its files.

mod files;
mod links;
mod missing;
mod place;
mod resources;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use aris_skills::{Skill, Tree, names};

use crate::config::Config;
use crate::finding::Sink;

/// Nothing is needed across skills.
#[derive(Debug, Default)]
pub struct Facts;

/// Looks at one skill.
pub fn skill(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) -> Facts {
    files::check(skill, config, sink);
    if sink.wants_any(&["SR106", "SR108"]) {
        resources::check(skill, sink);
    }
    if sink.wants_any(&["SR110", "SR111"]) {
        links::check(skill, tree, config, sink);
    }
    if sink.wants("SR125") {
        missing::check(skill, tree, config, sink);
    }
    Facts
}

/// Looks across skills: those inside others (SR114).
pub fn tree(tree: &Tree, _facts: &[Facts], _config: &Config, sink: &mut Sink<'_>) {
    let skills: BTreeSet<&str> = tree.skills.iter().map(|skill| skill.dir.as_str()).collect();
    for skill in tree.skills.iter().filter(|skill| !skill.dir.is_empty()) {
        let mut above = skill.dir.as_str();
        while !above.is_empty() {
            above = names::folder(above);
            if skills.contains(above) {
                let outer = if above.is_empty() { "." } else { above };
                let message = format!("this skill lies inside the skill `{outer}`");
                sink.found("SR114", &format!("{}/SKILL.md", skill.dir), 1, 1, message);
                break;
            }
        }
    }
}
