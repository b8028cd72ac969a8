//! `SR7xx`.

use aris_skills::{Skill, Tree};

use crate::catalogue::Rule;
use crate::config::Config;
use crate::finding::Sink;

/// The rules of this family.
pub const RULES: &[Rule] = &[];

/// What the rules across skills need to know about one skill.
#[derive(Debug, Default)]
pub struct Facts;

/// Looks at one skill.
pub fn skill(_skill: &Skill, _tree: &Tree, _config: &Config, _sink: &mut Sink<'_>) -> Facts {
    Facts
}

/// Looks across skills; `facts` are in the order of [`Tree::skills`].
pub fn tree(_tree: &Tree, _facts: &[Facts], _config: &Config, _sink: &mut Sink<'_>) {}
