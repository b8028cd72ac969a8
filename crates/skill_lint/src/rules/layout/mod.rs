//! SR1: the layout of a skill, and whether its texts lead to its files.

mod files;
mod links;
mod missing;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use aris_skills::{Skill, Tree, names};

use crate::config::Config;
use crate::finding::{FILE, Sink};

/// Looks at one skill.
pub fn skill(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) {
    files::check(skill, config, sink);
    if sink.wants("SR106") || sink.wants("SR108") {
        reached(skill, sink);
    }
    if sink.wants("SR110") || sink.wants("SR111") {
        links::check(skill, tree, config, sink);
    }
    if sink.wants("SR125") {
        missing::check(skill, tree, config, sink);
    }
}

/// Whether the texts of a skill lead to its files: SR106, SR108.
fn reached(skill: &Skill, sink: &mut Sink<'_>) {
    let files = skill.files.iter().zip(skill.reachable());
    for (file, _) in files.filter(|(_, is_reachable)| !is_reachable) {
        if file.is_resource() {
            let message = "neither SKILL.md nor a text that it leads to mentions this resource";
            sink.found("SR106", file.path(), FILE, message);
        }
        if file.is_entry_point() {
            let message = "neither SKILL.md nor a text that it leads to mentions this entry point";
            sink.found("SR108", file.path(), FILE, message);
        }
    }
}

/// Looks across skills for skills inside other skills (SR114).
pub fn tree(tree: &Tree, sink: &mut Sink<'_>) {
    let skills: BTreeSet<&str> = tree.skills.iter().map(|skill| skill.dir.as_str()).collect();
    for skill in tree.skills.iter().filter(|skill| !skill.dir.is_empty()) {
        let mut above = skill.dir.as_str();
        while !above.is_empty() {
            above = names::folder(above);
            if skills.contains(above) {
                let outer = if above.is_empty() { "." } else { above };
                let message = format!("this skill lies inside the skill `{outer}`");
                sink.found("SR114", &format!("{}/SKILL.md", skill.dir), FILE, message);
                break;
            }
        }
    }
}
