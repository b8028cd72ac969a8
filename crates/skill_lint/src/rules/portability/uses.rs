//! What a skill's text relies on that some host or installer does not give: SR702, SR703, SR704.

use aris_skills::mention::Matcher;
use aris_skills::text::column;
use aris_skills::{Skill, Text, Yaml, names};
use aris_skills::markdown::Document;

use super::calls;
use crate::config::Config;
use crate::finding::Sink;
use crate::profile::Profile;

/// Checks one skill.
pub(super) fn check(skill: &Skill, config: &Config, sink: &mut Sink<'_>) {
    bare_calls(skill, sink);
    left_behind(skill, sink);
    // A repository that is not meant for every host may rely on one.
    let portable = matches!(config.profile, Profile::Portable | Profile::All);
    if portable || config.only.iter().any(|rule| rule == "SR704") {
        host_features(skill, sink);
    }
}

fn bare_calls(skill: &Skill, sink: &mut Sink<'_>) {
    for (file, text, document) in skill.instructions() {
        for fence in document.fences.iter().filter(|fence| fence.is_shell()) {
            for number in fence.content() {
                let line = text.line(number);
                if let Some((at, path)) = calls::bare_call(line) {
                    let message = format!("`{path}` is called by its bare path");
                    sink.found("SR702", file.path(), number, column(line, at), message);
                }
            }
        }
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
    for (path, start) in paths.iter().zip(first) {
        if let Some(start) = start {
            let (line, col) = text.place(start);
            let message = format!("`{path}` is left out when `npx skills add` copies the skill");
            sink.found("SR703", file.path(), line, col, message);
        }
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
    let value = |key: &str| skill.frontmatter.as_ref().and_then(|found| found.get(key));
    let declared = value("compatibility")
        .and_then(Yaml::as_str)
        .is_some_and(|text| text.to_lowercase().contains("claude"));
    if declared {
        return;
    }
    let mut found = |line: usize, col: usize, feature: &str| {
        let message = format!("{feature} works in Claude Code only, and `compatibility` does not say so");
        sink.found("SR704", file.path(), line, col, message);
    };
    if let Some(context) = value("context").filter(|value| value.as_str() == Some("fork")) {
        found(context.line, context.col, "`context: fork`");
    }
    if let Some(hooks) = value("hooks") {
        found(hooks.line, hooks.col, "`hooks`");
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
