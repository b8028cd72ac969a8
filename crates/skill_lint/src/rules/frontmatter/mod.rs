//! SR0: the frontmatter of a SKILL.md.

mod check;
mod keys;
mod name;
mod repair;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use aris_skills::tree::{EntryKind, SKILL_FILE};
use aris_skills::{Skill, Tree, names};

use crate::config::Config;
use crate::finding::{FILE, Place, Sink};
use crate::fix::{Change, Fix};
use crate::rules::Facts;
use check::Surroundings;

pub(crate) use name::is_kebab;

/// Checks one skill. Returns the path of its SKILL.md, and the `name` declared there with its line and column.
pub fn skill(
    skill: &Skill,
    tree: &Tree,
    config: &Config,
    sink: &mut Sink<'_>,
) -> Option<(String, String, Place)> {
    let (file, text, document) = skill.instruction()?;
    let path = file.path();
    if text.had_bom() {
        let message = "the file begins with a byte order mark";
        let found = sink.found("SR019", path, FILE, message);
        found.fix(Fix::of(path, Change::RemoveBom));
    }
    let around = Surroundings {
        directory: &skill.name,
        // A repository that is a single skill may be cloned into a folder of any name.
        is_clone: skill.dir.is_empty() && tree.root.join(".git").exists(),
        extra_keys: &config.frontmatter.extra_keys,
    };
    let frontmatter = document.frontmatter.as_ref();
    check::check(path, text, frontmatter, &around, sink);
    let (name, place) = frontmatter.and_then(check::declared_name)?;
    Some((path.to_owned(), name.to_owned(), place))
}

/// Looks across skills: names used twice (SR018), and files that should be called SKILL.md (SR002).
pub fn tree(tree: &Tree, facts: &[Facts], sink: &mut Sink<'_>) {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, name, place) in facts.iter().flat_map(|facts| &facts.declared) {
        let other = *first.entry(name.as_str()).or_insert(path);
        if other != path.as_str() {
            let message = format!("the name `{name}` is also that of `{other}`");
            sink.found("SR018", path, *place, message);
        }
    }
    for file in &tree.files {
        let name = names::file_name(&file.path);
        let folder = names::folder(&file.path);
        let meant = names::file_name(SKILL_FILE).eq_ignore_ascii_case(name) && name != SKILL_FILE;
        let right = names::join(folder, SKILL_FILE);
        if meant && file.kind != EntryKind::Special && tree.file(&right).is_none() {
            let message = format!("hosts look for `{SKILL_FILE}`, this is `{name}`");
            sink.found("SR002", &file.path, FILE, message)
                .fix(Fix::rename(&file.path, &right));
        }
    }
}
