//! What a skill's text relies on that some host or installer does not give: SR703, SR704.

use std::collections::BTreeMap;

use aris_skills::markdown::Document;
use aris_skills::mention::Matcher;
use aris_skills::{Frontmatter, Skill, Text, names};

use crate::config::Config;
use crate::finding::Sink;
use crate::profile::Profile;

/// Checks one skill.
pub(super) fn check(skill: &Skill, config: &Config, sink: &mut Sink<'_>) {
    left_behind(skill, sink);
    // A repository that is not meant for every host may rely on one.
    let portable = matches!(config.profile, Profile::Portable | Profile::All);
    if portable || config.only.iter().any(|rule| rule == "SR704") {
        host_features(skill, sink);
    }
}

/// Whether `npx skills add` leaves a file out when it copies a skill. Source: its installer, which leaves out these names and
/// those that start with `_` at any depth.
fn is_left_behind(name: &str) -> bool {
    name.starts_with('_') || matches!(name, "README.md" | "metadata.json")
}

fn left_behind(skill: &Skill, sink: &mut Sink<'_>) {
    let paths: Vec<&str> = skill
        .files
        .iter()
        .map(|file| file.skill_path.as_str())
        .filter(|path| is_left_behind(names::file_name(path)))
        .collect();
    let Some((file, text)) = skill
        .skill_md()
        .and_then(|file| Some((file, file.text.as_ref()?)))
    else {
        return;
    };
    if paths.is_empty() {
        return;
    }
    let matcher = Matcher::new(paths.iter().copied());
    let mut first = vec![None; paths.len()];
    matcher.find(text.raw(), &mut |found, start| {
        let named = text
            .raw()
            .get(start..)
            .zip(paths.get(found))
            .is_some_and(|(rest, path)| begins_with(rest, names::file_name(path)));
        if let Some(slot @ None) = first.get_mut(found).filter(|_| named) {
            *slot = Some(start);
        }
    });
    // One name may be that of several files: the place is reported once.
    let mut by_place: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (path, start) in paths.iter().zip(first) {
        if let Some(start) = start {
            by_place.entry(start).or_default().push(path);
        }
    }
    for (start, files) in by_place {
        let (line, col) = text.place(start);
        let named = match files.as_slice() {
            [one, more @ ..] if !more.is_empty() => format!("`{one}` and {} more", more.len()),
            _ => format!("`{}`", files.concat()),
        };
        let message = format!("{named} will be left out when `npx skills add` copies the skill");
        sink.found("SR703", file.path(), line, col, message);
    }
}

/// Whether a text begins with a name, case aside. A folder that holds the file is a mention too, but not of this name.
fn begins_with(text: &str, name: &str) -> bool {
    text.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// Features of one host, where `compatibility` does not say so.
fn host_features(skill: &Skill, sink: &mut Sink<'_>) {
    let Some((file, text, document)) = skill
        .skill_md()
        .and_then(|file| Some((file, file.text.as_ref()?, file.markdown.as_ref()?)))
    else {
        return;
    };
    let mapping = skill.frontmatter.as_ref().and_then(Frontmatter::mapping);
    let entry = |key: &str| mapping.and_then(|mapping| mapping.entry(key));
    let declared = entry("compatibility")
        .and_then(|(_, value)| value.as_str())
        .is_some_and(|text| text.to_lowercase().contains("claude"));
    if declared {
        return;
    }
    let mut found = |line: usize, col: usize, feature: &str| {
        let message =
            format!("{feature} works in Claude Code only, and `compatibility` does not say so");
        sink.found("SR704", file.path(), line, col, message);
    };
    if let Some((key, value)) = entry("context")
        && value.as_str() == Some("fork")
    {
        found(key.line, key.col, "`context: fork`");
    }
    if let Some((key, _)) = entry("hooks") {
        found(key.line, key.col, "`hooks`");
    }
    if let Some((line, col)) = dynamic_context(text, document) {
        found(line, col, "a command that runs when the skill is loaded");
    }
}

/// The first command that Claude Code runs at load time: a `` !`…` `` at a line's start or behind a blank, or a ```` ```! ```` block.
fn dynamic_context(text: &Text, document: &Document) -> Option<(usize, usize)> {
    let block = document
        .fences
        .iter()
        .find(|fence| fence.info.starts_with('!'))
        .map(|fence| (fence.open, 1));
    let inline = document.spans.iter().find_map(|span| {
        let before = text.raw().get(..span.range.start)?.strip_suffix('!')?;
        let single = text.raw().get(span.range.clone())?.starts_with("``");
        let outside = before.chars().next_back().is_none_or(char::is_whitespace);
        (outside && !single).then(|| (span.line, span.col - 1))
    });
    [block, inline].into_iter().flatten().min()
}
