//! Sizes, names and kinds of the files of a skill: SR101, SR113, SR118, SR119.

use aris_skills::tree::EntryKind;
use aris_skills::{Skill, SourceFile, names};

use crate::config::Config;
use crate::finding::{FILE, Sink};

/// Checks each file of a skill.
pub(super) fn check(skill: &Skill, config: &Config, sink: &mut Sink<'_>) {
    body(skill, config, sink);
    for file in &skill.files {
        asset(file, config, sink);
        link(file, sink);
    }
    for (file, _, document) in skill.instructions() {
        if let Some(fence) = document.fences.last().filter(|fence| fence.unclosed) {
            let message = "the fence opened here is still open at the end of the file";
            sink.found("SR119", file.path(), (fence.open, 1), message);
        }
    }
}

fn body(skill: &Skill, config: &Config, sink: &mut Sink<'_>) {
    let Some((file, text, document)) = skill.instruction() else {
        return;
    };
    let lines = (text.len() + 1).saturating_sub(document.first_line) as u64;
    let most = config.limit("SR101", "max_lines");
    if lines > most {
        let message = format!("the body has {lines} lines, {most} are advised");
        sink.found("SR101", file.path(), FILE, message).count(lines);
    }
}

fn asset(file: &SourceFile, config: &Config, sink: &mut Sink<'_>) {
    let most = config.limit("SR113", "max_bytes");
    let bytes = file.entry.size;
    if names::is_below(&file.skill_path, &["assets"]) && bytes > most {
        let message = format!("{bytes} bytes, {most} are allowed under assets/");
        sink.found("SR113", file.path(), FILE, message).count(bytes);
    }
}

fn link(file: &SourceFile, sink: &mut Sink<'_>) {
    let EntryKind::Link {
        target, dangling, ..
    } = &file.entry.kind
    else {
        return;
    };
    let message = if *dangling {
        format!("the link leads to `{target}`, which does not exist")
    } else if file.skill_path == "SKILL.md" {
        "SKILL.md is a symbolic link, which Codex does not follow".to_owned()
    } else {
        return;
    };
    sink.found("SR118", file.path(), FILE, message);
}
