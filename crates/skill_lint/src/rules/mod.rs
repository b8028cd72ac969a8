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

use self::dynamic::Program;
use self::integration::Page;
use crate::Error;
use crate::config::Config;
use crate::finding::{Place, Sink};
use crate::sandbox::Isolation;

/// What the rules across skills need to know about one skill.
#[derive(Debug)]
pub struct Facts {
    /// Its name.
    skill: String,
    /// The path of its SKILL.md, and the `name` declared there with its line and column.
    declared: Option<(String, String, Place)>,
    programs: Vec<Program>,
    pages: Vec<Page>,
}

/// Checks one skill with all families.
pub fn skill(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) -> Facts {
    let declared = frontmatter::skill(skill, tree, config, sink);
    layout::skill(skill, tree, config, sink);
    scripts::skill(skill, tree, config, sink);
    security::skill(skill, config, sink);
    manifests::skill(skill, sink);
    portability::skill(skill, sink);
    own::skill(skill, sink);
    Facts {
        skill: skill.name.clone(),
        declared,
        programs: dynamic::skill(skill, config, sink),
        pages: integration::skill(skill, config, sink),
    }
}

/// Checks across skills with all families; `facts` are in the order of [`Tree::skills`].
///
/// **Errors**: programs should run, and the sandbox cannot be set up.
pub fn tree(
    tree: &Tree,
    facts: &[Facts],
    config: &Config,
    sink: &mut Sink<'_>,
) -> Result<Option<Isolation>, Error> {
    frontmatter::tree(tree, facts, sink);
    layout::tree(tree, sink);
    let sandbox = dynamic::tree(tree, facts, config, sink)?;
    integration::tree(tree, facts, config, sink);
    let listed = manifests::tree(tree, sink);
    portability::tree(tree, &listed, sink);
    own::tree(tree, sink);
    Ok(sandbox)
}
