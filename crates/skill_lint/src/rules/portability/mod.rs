//! SR7: what works on one host, installer or operating system and not on another.

mod fences;
mod listed;
mod paths;
mod placement;
#[cfg(test)]
mod tests;
mod uses;

use aris_skills::{Skill, Tree};

use crate::config::Config;
use crate::finding::Sink;

/// Nothing is needed across skills.
#[derive(Debug, Default)]
pub struct Facts;

/// Looks at one skill.
pub fn skill(skill: &Skill, _tree: &Tree, _config: &Config, sink: &mut Sink<'_>) -> Facts {
    uses::check(skill, sink);
    fences::check(skill, sink);
    Facts
}

/// Looks across skills, and at files that belong to none.
pub fn tree(tree: &Tree, _facts: &[Facts], _config: &Config, sink: &mut Sink<'_>) {
    placement::check(tree, sink);
}
