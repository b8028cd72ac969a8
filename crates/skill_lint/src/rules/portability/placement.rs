//! Where skills and files are in the tree: SR701, SR705, SR706.

use std::collections::{BTreeMap, BTreeSet};

use aris_skills::{Tree, names};

use super::paths;
use crate::finding::{FILE, Sink};

/// Checks the paths of a tree.
pub(super) fn check(tree: &Tree, listed: &BTreeSet<String>, sink: &mut Sink<'_>) {
    deep_skills(tree, listed, sink);
    equal_when_folded(tree, sink);
    refused_names(tree, sink);
}

/// Levels between a skill and the nearest folder above it that is named `skills`; `None` when there is no such folder.
fn levels_below_skills(root_name: &str, directory: &str) -> Option<usize> {
    let parts = directory.split('/').filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let (_, above) = parts.split_last()?;
    match above.iter().rposition(|part| *part == "skills") {
        Some(at) => Some(parts.len() - 1 - at),
        None => (root_name == "skills").then_some(parts.len()),
    }
}

fn deep_skills(tree: &Tree, listed: &BTreeSet<String>, sink: &mut Sink<'_>) {
    let root_name = tree.root.file_name().unwrap_or_default().to_string_lossy();
    for dir in tree.skills.iter().map(|skill| skill.dir.as_str()) {
        let levels = levels_below_skills(&root_name, dir).unwrap_or(0);
        // A manifest names the skill, or the folder that contains it.
        if levels < 2 || listed.contains(dir) || listed.contains(names::folder(dir)) {
            continue;
        }
        let path = format!("{dir}/SKILL.md");
        let message =
            format!("the skill lies {levels} levels below `skills`, hosts look one level deep");
        sink.found("SR701", &path, FILE, message);
    }
}

fn equal_when_folded(tree: &Tree, sink: &mut Sink<'_>) {
    let mut by_folded: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in &tree.files {
        let group = by_folded.entry(paths::folded(&file.path)).or_default();
        group.push(&file.path);
    }
    for group in by_folded.values().filter(|group| group.len() > 1) {
        for path in group {
            let other = group.iter().find(|other| *other != path).unwrap_or(path);
            let message = format!("differs from `{other}` in case only");
            sink.found("SR705", path, FILE, message);
        }
    }
}

fn refused_names(tree: &Tree, sink: &mut Sink<'_>) {
    // A set, so that each folder is listed once.
    let files = tree.files.iter().map(|file| file.path.as_str());
    let folders = tree.folders.iter().map(String::as_str);
    let all: BTreeSet<&str> = files.chain(folders).collect();
    for path in all {
        if let Some(fault) = paths::fault(names::file_name(path)) {
            sink.found("SR706", path, FILE, format!("the name {fault}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::levels_below_skills;

    #[test]
    fn levels_are_counted_from_the_nearest_folder_called_skills() {
        for (root, directory, levels) in [
            ("repo", "skills/pdf", Some(1)),
            ("repo", "skills/office/pdf", Some(2)),
            ("repo", "plugins/a/skills/pdf", Some(1)),
            ("repo", "skills/a/skills/pdf", Some(1)),
            ("repo", "pdf", None),
            ("repo", "skills", None),
            ("skills", "pdf", Some(1)),
            ("skills", "office/pdf", Some(2)),
            ("skills", "", None),
        ] {
            assert_eq!(levels_below_skills(root, directory), levels, "{directory}");
        }
    }
}
