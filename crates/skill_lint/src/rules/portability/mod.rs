//! SR7: what works on one host, installer or operating system but not on another.

mod fences;
mod paths;
mod placement;
#[cfg(test)]
mod tests;
mod uses;

use std::collections::BTreeSet;

use aris_skills::{Skill, Tree};

use crate::finding::Sink;

/// Looks at one skill.
pub fn skill(skill: &Skill, sink: &mut Sink<'_>) {
    uses::check(skill, sink);
    fences::check(skill, sink);
}

/// Looks across skills, and at files outside skills. `listed` are the folders that manifests name as skills.
pub fn tree(tree: &Tree, listed: &BTreeSet<String>, sink: &mut Sink<'_>) {
    placement::check(tree, listed, sink);
}
