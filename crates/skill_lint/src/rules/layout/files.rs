//! Sizes, names and kinds of the files of a skill: SR101, SR103, SR113, SR118, SR124.

use aris_skills::tree::EntryKind;
use aris_skills::{Skill, SourceFile, names};

use super::contents;
use crate::config::Config;
use crate::finding::Sink;

/// Checks the files and folders of a skill, one by one.
pub(super) fn check(skill: &Skill, config: &Config, sink: &mut Sink<'_>) {
    body(skill, config, sink);
    for file in &skill.files {
        reference(file, config, sink);
        asset(file, config, sink);
        link(file, sink);
        let hidden_litter = file.file_name() == ".DS_Store";
        if hidden_litter || names::extension(&file.skill_path) == "pyc" {
            litter(file.path(), sink);
        }
    }
    for folder in &skill.folders {
        let path = skill.path_of(folder);
        let name = names::file_name(folder);
        if matches!(name, "__pycache__" | "node_modules") {
            litter(&path, sink);
        }
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn body(skill: &Skill, config: &Config, sink: &mut Sink<'_>) {
    let Some((file, text)) = skill
        .skill_md()
        .and_then(|file| Some((file, file.text.as_ref()?)))
    else {
        return;
    };
    let first = skill.first_body_line();
    let lines = count((text.len() + 1).saturating_sub(first));
    let most = config.limit("SR101", "max_lines");
    if lines > most {
        let message = format!("the body has {lines} lines, {most} are advised");
        sink.found("SR101", file.path(), 1, 1, message).count(lines);
    }
}

fn reference(file: &SourceFile, config: &Config, sink: &mut Sink<'_>) {
    let path = file.skill_path.as_str();
    if !names::is_below(path, &["references"]) || names::extension(path) != "md" {
        return;
    }
    let (Some(text), Some(document)) = (&file.text, &file.markdown) else {
        return;
    };
    let most = config.limit("SR103", "max_lines");
    let lines = count(text.len());
    if lines <= most {
        return;
    }
    let searched = text
        .lines()
        .take(contents::SEARCHED_LINES)
        .filter(|(number, _)| !document.in_fence(*number))
        .map(|(_, line)| line);
    if !contents::has_contents(searched) {
        let message = format!(
            "{lines} lines without a contents list in the first {}",
            contents::SEARCHED_LINES
        );
        sink.found("SR103", file.path(), 1, 1, message).count(lines);
    }
}

fn asset(file: &SourceFile, config: &Config, sink: &mut Sink<'_>) {
    let most = config.limit("SR113", "max_bytes");
    let bytes = file.entry.size;
    if names::is_below(&file.skill_path, &["assets"]) && bytes > most {
        let message = format!("{bytes} bytes, {most} are allowed under assets/");
        sink.found("SR113", file.path(), 1, 1, message).count(bytes);
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
    sink.found("SR118", file.path(), 1, 1, message);
}

fn litter(path: &str, sink: &mut Sink<'_>) {
    let message = "a file that a tool left behind, and git does not ignore".to_owned();
    sink.found("SR124", path, 1, 1, message);
}
