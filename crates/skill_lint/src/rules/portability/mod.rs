//! SR7: what works on one host, installer or operating system and not on another.

mod fences;
mod listed;
mod paths;
mod placement;
#[cfg(test)]
mod tests;
mod uses;

use aris_skills::{Skill, Tree};

use crate::finding::Sink;

/// Looks at one skill.
pub fn skill(skill: &Skill, sink: &mut Sink<'_>) {
    uses::check(skill, sink);
    fences::check(skill, sink);
}

/// Looks across skills, and at files that belong to none.
pub fn tree(tree: &Tree, sink: &mut Sink<'_>) {
    placement::check(tree, sink);
}
