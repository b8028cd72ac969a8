//! Files of a skill that some installer leaves out: SR703.

use std::collections::BTreeMap;

use aris_skills::mention::Matcher;
use aris_skills::{Skill, names};

use crate::finding::Sink;

/// Whether `npx skills add` leaves a file out when it copies a skill. Source: its installer, which leaves out these names and
/// those that start with `_` at any depth.
fn is_left_behind(name: &str) -> bool {
    name.starts_with('_') || matches!(name, "README.md" | "metadata.json")
}

/// Checks one skill.
pub(super) fn check(skill: &Skill, sink: &mut Sink<'_>) {
    let paths = skill.files.iter().map(|file| file.skill_path.as_str());
    let paths = paths.filter(|path| is_left_behind(names::file_name(path)));
    let paths: Vec<&str> = paths.collect();
    let Some((file, text, _)) = skill.instruction() else {
        return;
    };
    if paths.is_empty() {
        return;
    }
    let matcher = Matcher::new(paths.iter().copied());
    let mut first = vec![None; paths.len()];
    matcher.find(text.raw(), &mut |found, start| {
        let rest = text.raw().get(start..).unwrap_or_default();
        if let (Some(path), Some(slot @ None)) = (paths.get(found), first.get_mut(found))
            && begins_with(rest, names::file_name(path))
        {
            *slot = Some(start);
        }
    });
    // Several files can have the same name; the place is reported once.
    let mut by_place: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (path, start) in paths.iter().zip(first) {
        if let Some(start) = start {
            by_place.entry(start).or_default().push(path);
        }
    }
    for (start, files) in by_place {
        let named = match files.as_slice() {
            [one, more @ ..] if !more.is_empty() => format!("`{one}` and {} more", more.len()),
            _ => format!("`{}`", files.concat()),
        };
        let message = format!("{named} will be left out when `npx skills add` copies the skill");
        sink.found("SR703", file.path(), text.place(start), message);
    }
}

/// Whether a text begins with a name, ignoring case. The matcher also finds mentions of the file's folder; those do not count.
fn begins_with(text: &str, name: &str) -> bool {
    text.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}
