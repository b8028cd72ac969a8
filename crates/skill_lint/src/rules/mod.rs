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

// In the order in which they run and are listed.
macro_rules! families {
    ($($family:ident),* $(,)?) => {
        /// What all families know about one skill.
        #[derive(Debug)]
        pub struct Facts {
            $($family: $family::Facts,)*
        }

        /// Looks at one skill with all families.
        pub fn skill(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) -> Facts {
            Facts {
                $($family: $family::skill(skill, tree, config, sink),)*
            }
        }

        /// Looks across skills with all families.
        pub fn tree(tree: &Tree, facts: Vec<Facts>, config: &Config, sink: &mut Sink<'_>) {
            $(let mut $family = Vec::with_capacity(facts.len());)*
            for facts in facts {
                $($family.push(facts.$family);)*
            }
            $($family::tree(tree, &$family, config, sink);)*
        }
    };
}

families!(
    frontmatter,
    layout,
    scripts,
    dynamic,
    security,
    integration,
    manifests,
    portability,
    own,
);
