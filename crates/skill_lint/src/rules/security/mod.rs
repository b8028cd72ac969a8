//! `SR4xx`: what a skill could do to the person who installs it.
//!
//! The scripts family calls `program` for the rules about code, while it has the script parsed. The other rules look at the
//! texts of the skill.

mod hidden;
mod javascript;
mod powershell;
mod secrets;
mod shell;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use aris_skills::markdown::{Document, Fence};
use aris_skills::pattern::{Pattern, compiled};
use aris_skills::{Skill, SourceFile, Text};

use crate::catalogue::Severity;
use crate::code::shell::Script;
use crate::code::{self, Code, Hit, download};
use crate::config::Config;
use crate::finding::Sink;

/// Folders whose files may contain text that looks like a secret.
const SAMPLES: &[&str] = &["tests", "test", "testdata", "fixtures"];

/// Looks at one skill.
pub fn skill(skill: &Skill, config: &Config, sink: &mut Sink<'_>) {
    for file in &skill.files {
        if let Some(text) = &file.text {
            any_text(file, text, config, sink);
        }
    }
    for (file, text, document) in skill.instructions() {
        fences(file, text, document, sink);
    }
    if let Some((file, text, document)) = skill.instruction() {
        injections(file, text, document, sink);
    }
}

/// The rules about the code of one file under `scripts/` or `bin/`.
pub(crate) fn program(file: &SourceFile, text: &Text, code: &Code<'_>, sink: &mut Sink<'_>) {
    let hits = match code {
        Code::Shell(script) => shell::hits(script),
        Code::Python(python) => python.hits.clone(),
        Code::JavaScript(script) => javascript::hits(script),
        Code::PowerShell(code) => powershell::hits(code),
        Code::Other => return,
    };
    code::report(hits, file.path(), text, sink);
}

/// SR406 and SR409.
fn any_text(file: &SourceFile, text: &Text, config: &Config, sink: &mut Sink<'_>) {
    let mut parts = file.skill_path.split('/');
    if parts.any(|part| SAMPLES.contains(&part)) {
        return;
    }
    if sink.wants("SR406") && file.entry.size < config.limit("SR406", "max_bytes") {
        let hits = secrets::find(text.raw()).into_iter();
        let hits = hits.map(|(at, owner)| Hit::new("SR406", at, format!("{owner} in the file")));
        code::report(hits.collect(), file.path(), text, sink);
    }
    if sink.wants("SR409") && file.entry.size < config.limit("SR409", "max_bytes") {
        for (at, character, count) in hidden::find(text.raw()) {
            let code = u32::from(character);
            let more = match count - 1 {
                0 => String::new(),
                more => format!(", and {more} more on this line"),
            };
            let message = format!("hidden character U+{code:04X}{more}");
            sink.found("SR409", file.path(), text.place(at), message);
        }
    }
}

/// SR405 in the fences of an instruction file.
fn fences(file: &SourceFile, text: &Text, document: &Document, sink: &mut Sink<'_>) {
    let mut found: BTreeMap<usize, (usize, &str)> = BTreeMap::new();
    for fence in &document.fences {
        if fence.is_script() {
            let range = fence.range(text);
            for at in download::in_script(&Script::read(text.part(range.clone()))) {
                let (line, col) = text.place(range.start + at);
                found.insert(line, (col, download::MESSAGE));
            }
        }
        for (number, line) in joined(text, fence) {
            let trimmed = line.trim_start().trim_start_matches(['>', ' ']);
            if trimmed.starts_with('#') || trimmed.starts_with("//") {
                continue;
            }
            // A comment at the end of a line is not run.
            let code = line.split(" #").next().unwrap_or(&line);
            let shell = download::in_line(code);
            let at = shell.or_else(|| download::in_powershell(code).first().copied());
            if let Some(at) = at.filter(|at| !download::is_printed(code, *at)) {
                let (line, col) = text.place(text.start(number) + at);
                let message = shell.map_or("a download is evaluated", |_| download::MESSAGE);
                found.entry(line).or_insert((col, message));
            }
        }
    }
    for (line, (col, message)) in found {
        sink.found("SR405", file.path(), (line, col), message)
            .at_most(Severity::Warn);
    }
}

/// The lines of a fence, each with its line number. Lines that end in `\` are joined with the next; byte offsets from the first
/// line stay valid.
fn joined(text: &Text, fence: &Fence) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for number in fence.content() {
        let line = text.line(number);
        match lines.last_mut() {
            Some((first, whole)) if open => {
                // Replace the backslash and the line end by blanks.
                whole.pop();
                let length = text.start(number) - text.start(*first);
                whole.extend(std::iter::repeat_n(' ', length.saturating_sub(whole.len())));
                whole.push_str(line);
            }
            _ => lines.push((number, line.to_owned())),
        }
        open = line.ends_with('\\');
    }
    lines
}

/// `` !`…` `` at the start of a line or after a space.
static COMMAND: Pattern = Pattern::new(|| compiled("(?:^| )(!`([^`]+)`)"));

/// Placeholders for the skill's arguments in a command.
static ARGUMENTS: Pattern = Pattern::new(|| compiled(r"\$(?:ARGUMENTS|[0-9])"));

/// The commands in a line that run when the skill is loaded: byte of the `!`, and whether the command contains the skill's
/// arguments.
fn commands(line: &str) -> impl Iterator<Item = (usize, bool)> {
    let found = COMMAND.captures_iter(line);
    found.filter_map(|found| {
        let takes_arguments = ARGUMENTS.is_match(found.get(2)?.as_str());
        Some((found.get(1)?.start(), takes_arguments))
    })
}

/// SR410: `` !`…` `` in the body, and blocks whose info string starts with `!`.
///
/// **Source**: Claude Code documentation, skills: dynamic context injection.
fn injections(file: &SourceFile, text: &Text, document: &Document, sink: &mut Sink<'_>) {
    let mut report = |place, takes_arguments| {
        let (mut message, mut most) = ("a command runs when the skill is loaded", Severity::Info);
        if takes_arguments {
            message = "the user's arguments become part of a command that runs on loading";
            most = Severity::Error;
        }
        let found = sink.found("SR410", file.path(), place, message);
        found.at_most(most);
    };
    for (number, line) in text.lines_from(document.first_line) {
        for (at, takes_arguments) in commands(line).take(code::MOST_ON_A_LINE) {
            report(text.place(text.start(number) + at), takes_arguments);
        }
    }
    let fences = document.fences.iter();
    for fence in fences.filter(|fence| fence.info.starts_with('!')) {
        let mut lines = fence.content().map(|number| text.line(number));
        let takes_arguments = lines.any(|line| ARGUMENTS.is_match(line));
        report((fence.open, 1), takes_arguments);
    }
}
