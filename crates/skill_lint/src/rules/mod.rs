//! The rules, one folder for each family.

pub mod dynamic;
pub mod frontmatter;
pub mod integration;
pub mod layout;
pub mod manifests;
pub mod own;
pub mod portability;
pub mod scripts;
pub mod security;

use aris_skills::{Skill, Tree};

use crate::config::Config;
use crate::finding::Sink;

/// What the rules across skills need to know about one skill.
#[derive(Debug)]
pub struct Facts {
    frontmatter: frontmatter::Facts,
    dynamic: dynamic::Facts,
    integration: integration::Facts,
}

/// Looks at one skill with all families.
pub fn skill(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) -> Facts {
    let frontmatter = frontmatter::skill(skill, tree, config, sink);
    layout::skill(skill, tree, config, sink);
    scripts::skill(skill, tree, config, sink);
    let dynamic = dynamic::skill(skill, config, sink);
    security::skill(skill, config, sink);
    let integration = integration::skill(skill, config, sink);
    manifests::skill(skill, sink);
    portability::skill(skill, sink);
    own::skill(skill, sink);
    Facts {
        frontmatter,
        dynamic,
        integration,
    }
}

/// Looks across skills with all families; `facts` are in the order of [`Tree::skills`].
pub fn tree(tree: &Tree, facts: &[Facts], config: &Config, sink: &mut Sink<'_>) {
    frontmatter::tree(tree, facts.iter().map(|facts| &facts.frontmatter), sink);
    layout::tree(tree, sink);
    dynamic::tree(tree, facts.iter().map(|facts| &facts.dynamic), config, sink);
    let integration = facts.iter().map(|facts| &facts.integration);
    integration::tree(tree, integration, config, sink);
    let listed = manifests::tree(tree, sink);
    portability::tree(tree, &listed, sink);
    own::tree(tree, sink);
}
