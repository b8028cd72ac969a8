//! Files of the skill that a command or a code span names but that do not exist: SR125.

use std::ops::Range;

use aris_skills::git::WorkTree;
use aris_skills::markdown::Document;
use aris_skills::{Skill, SourceFile, Text, Tree, names};

use crate::catalogue::Severity;
use crate::code::shell::Script;
use crate::config::Config;
use crate::finding::Sink;

/// Folders that the specification gives to a skill.
const FOLDERS: [&str; 4] = ["scripts", "references", "reference", "assets"];

/// How authors write the skill's own folder.
const SKILL: &str = "${CLAUDE_SKILL_DIR}/";

/// Words that run a script. Source: this linter's definition of an entry point, with PowerShell added.
const INTERPRETERS: &str =
    "python python3 uv bash sh zsh node bun deno tsx ruby perl pwsh powershell";

/// Commands that create the file that they name.
const MAKERS: &str = "mkdir touch tee cp mv rm ln install chmod";

/// Checks the instruction files of a skill.
pub(super) fn check(skill: &Skill, tree: &Tree, config: &Config, sink: &mut Sink<'_>) {
    for (file, text, document) in skill.instructions() {
        let is_there = |folder: &&str| text.raw().contains(&format!("{folder}/"));
        if !FOLDERS.iter().any(is_there) {
            continue;
        }
        for (range, called) in named(text, document) {
            let written = text.part(range.clone());
            let Some(path) = own_path(written, skill) else {
                continue;
            };
            if exists(path, file, skill, tree, config) {
                continue;
            }
            let meant = similar(path, skill);
            let sure = called || meant.is_some() || written.starts_with(SKILL);
            let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
            let message = format!("`{path}` does not exist{}", meant.unwrap_or_default());
            let found = sink.found("SR125", file.path(), text.place(range.start), message);
            if !sure {
                found.at_most(Severity::Warn);
            }
        }
    }
}

/// Byte ranges that may name a file: whole code spans and words of commands; and whether a command starts that file.
fn named(text: &Text, document: &Document) -> Vec<(Range<usize>, bool)> {
    let mut found = Vec::new();
    let commands = |range: Range<usize>, found: &mut Vec<(Range<usize>, bool)>| {
        let script = Script::read(text.part(range.clone()));
        for command in &script.commands {
            let Some((name, arguments)) = script.called(command) else {
                continue;
            };
            let is_in = |words: &str| words.split(' ').any(|word| word == name);
            let starts = is_in(INTERPRETERS);
            let mut script_stands = false;
            let mut after_output = false;
            for word in arguments.iter().filter(|_| !is_in(MAKERS)) {
                let raw = script.raw(word);
                let option = raw.starts_with('-');
                let marks = ['"', '\''];
                let quoted = raw.len() > 1 && raw.starts_with(marks) && raw.ends_with(marks);
                let quotes = usize::from(quoted);
                if !option && !after_output {
                    let start = range.start + word.start + quotes;
                    let end = range.start + word.end - quotes;
                    found.push((start..end, starts && !script_stands));
                }
                script_stands |= !option && raw != "run";
                after_output = option && (raw.starts_with("-o") || raw.starts_with("--o"));
            }
        }
    };
    for fence in document.fences.iter().filter(|fence| fence.is_script()) {
        commands(fence.range(text), &mut found);
    }
    for span in &document.spans {
        let marks = text.part(span.range.clone());
        let marks = marks.len() - marks.trim_start_matches('`').len();
        let inside = span.range.start + marks..span.range.end - marks;
        if span.text.contains([' ', '\t']) {
            commands(inside, &mut found);
        } else {
            found.push((inside, false));
        }
    }
    found
}

/// The part of `written` that is a path in the skill; `None` for patterns, folders, and files of others.
fn own_path<'w>(written: &'w str, skill: &Skill) -> Option<&'w str> {
    let marked = written.strip_prefix(SKILL);
    let path = marked.unwrap_or(written);
    let path = path.strip_prefix("./").unwrap_or(path);
    let in_skills = path.strip_prefix("skills/");
    let path = match in_skills.and_then(|rest| rest.split_once('/')) {
        Some((name, rest)) if name == skill.name => rest,
        Some(_) => return None,
        None => path,
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    let (folder, rest) = path.split_once('/')?;
    let is_file = !rest.is_empty() && !rest.ends_with(['/', '.']) && !rest.contains("..");
    let has_kind = marked.is_some() || !names::extension(rest).is_empty();
    let mut examples = "x foo example your-script NAME".split(' ');
    let example = examples.any(|name| name == names::stem(rest));
    (FOLDERS.contains(&folder) && is_file && has_kind && !example && path.bytes().all(plain))
        .then_some(path)
}

/// Whether a path exists relative to the skill, the file's folder, the root, the repository, a shared folder or another skill.
fn exists(path: &str, file: &SourceFile, skill: &Skill, tree: &Tree, config: &Config) -> bool {
    let mut folders = vec![skill.dir.as_str(), names::folder(file.path()), ""];
    folders.extend(config.shared_dirs());
    let here =
        |folder: &&str| names::resolve(folder, path).is_some_and(|place| tree.exists(&place));
    folders.iter().any(here)
        || (tree.files.iter()).any(|file| names::has_end(&file.path, path))
        || WorkTree::top_around(&tree.root).is_some_and(|top| top.join(path).exists())
}

/// The file of the skill with the most similar name, if one is similar enough.
fn similar<'s>(path: &str, skill: &'s Skill) -> Option<&'s str> {
    let near = |other: &str| {
        strsim::normalized_damerau_levenshtein(names::file_name(path), names::file_name(other))
    };
    let files = skill.files.iter().map(|file| file.skill_path.as_str());
    let same_kind = files.filter(|other| names::extension(other) == names::extension(path));
    let best = same_kind.max_by(|a, b| near(a).total_cmp(&near(b)))?;
    (near(best) >= 0.7).then_some(best)
}
