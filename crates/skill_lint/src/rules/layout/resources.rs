//! Whether the texts of a skill lead to its files: SR106 to SR109, SR116, SR123.

use std::collections::BTreeSet;

use aris_skills::markdown::{Document, Fence};
use aris_skills::mention::Matcher;
use aris_skills::{Skill, Text};

use super::call::is_call;
use crate::finding::Sink;

/// Checks the files of a skill against the texts that should mention them.
pub(super) fn check(skill: &Skill, sink: &mut Sink<'_>) {
    let mentions = skill.mentions();
    let mut called = None;
    for (at, file) in skill.files.iter().enumerate() {
        let path = file.path();
        if file.is_resource() {
            if !mentions.is_reachable(at) {
                let message = "no text that SKILL.md leads to mentions this resource".to_owned();
                sink.found("SR106", path, 1, 1, message);
            } else if !mentions.is_cited(at) {
                let message = format!(
                    "SKILL.md does not mention this resource, only {}",
                    others(skill, at)
                );
                sink.found("SR107", path, 1, 1, message);
            }
        }
        if file.is_entry_point() {
            if !mentions.is_reachable(at) {
                let message = "no text that SKILL.md leads to mentions this entry point".to_owned();
                sink.found("SR108", path, 1, 1, message);
            } else if !mentions.is_cited(at) {
                let message = format!(
                    "SKILL.md does not mention this entry point, only {}",
                    others(skill, at)
                );
                sink.found("SR109", path, 1, 1, message);
            } else if !called.get_or_insert_with(|| calls(skill)).contains(&at) {
                let message =
                    "no code in an instruction file calls this with an interpreter or an argument"
                        .to_owned();
                sink.found("SR123", path, 1, 1, message);
            }
        }
        let at_root = !file.skill_path.contains('/') && file.skill_path != "SKILL.md";
        if at_root && file.is_instruction() && mentions.mentioned_by(at).next().is_none() {
            let message = "no file of the skill mentions this instruction file".to_owned();
            sink.found("SR116", path, 1, 1, message);
        }
    }
}

/// The first file that mentions another, for a message.
fn others(skill: &Skill, at: usize) -> String {
    let by: Vec<&str> = skill
        .mentions()
        .mentioned_by(at)
        .filter_map(|by| Some(skill.files.get(by)?.skill_path.as_str()))
        .collect();
    match by.as_slice() {
        [] => "other files do".to_owned(),
        [one] => format!("`{one}` does"),
        [one, rest @ ..] => format!("`{one}` and {} more do", rest.len()),
    }
}

/// Positions of the entry points that some line in a fence or code span calls.
fn calls(skill: &Skill) -> BTreeSet<usize> {
    let entry_points: Vec<(usize, &str)> = skill
        .files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.is_entry_point())
        .map(|(at, file)| (at, file.skill_path.as_str()))
        .collect();
    let matcher = Matcher::new(entry_points.iter().map(|(_, path)| *path));
    let mut called = BTreeSet::new();
    for (_, text, document) in skill.instructions() {
        for code in code(text, document) {
            matcher.find(code, &mut |found, start| {
                let Some((at, _)) = entry_points.get(found) else {
                    return;
                };
                let end = code
                    .get(start..)
                    .and_then(|rest| rest.find(|char: char| !is_name(char)))
                    .map_or(code.len(), |length| start + length);
                if is_call(code, start, end) {
                    called.insert(*at);
                }
            });
        }
    }
    called
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || "_.-".contains(char)
}

/// Lines of fences and code spans.
fn code<'a>(text: &'a Text, document: &'a Document) -> impl Iterator<Item = &'a str> {
    let fenced = document
        .fences
        .iter()
        .flat_map(Fence::content)
        .map(|line| text.line(line));
    fenced.chain(document.spans.iter().map(|span| span.text.as_str()))
}
