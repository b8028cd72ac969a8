//! Lines that should not stand in a skill: SR119 to SR122.

use aris_skills::markdown::Document;
use aris_skills::text::column;
use aris_skills::{Skill, SourceFile, Text};

use super::prose;
use crate::finding::Sink;
use crate::fix::Fix;

/// Fences whose text is a program of Windows, where a backslash is right.
const WINDOWS_FENCES: [&str; 8] = [
    "powershell",
    "pwsh",
    "ps1",
    "ps",
    "bat",
    "batch",
    "cmd",
    "dosbatch",
];

/// Checks the lines of instruction files and scripts.
pub(super) fn check(skill: &Skill, sink: &mut Sink<'_>) {
    for file in &skill.files {
        let Some(text) = &file.text else { continue };
        let instruction = file.markdown.as_ref().filter(|_| file.is_instruction());
        if instruction.is_some() || file.script.is_some() {
            machine_paths(file, text, sink);
        }
        if let Some(document) = instruction {
            open_fence(file, document, sink);
            backslash_paths(file, text, document, sink);
            template_text(file, text, document, sink);
        }
    }
}

fn open_fence(file: &SourceFile, document: &Document, sink: &mut Sink<'_>) {
    let Some(fence) = document.fences.last().filter(|fence| fence.unclosed) else {
        return;
    };
    let message = "the fence opened here is still open at the end of the file";
    sink.found("SR119", file.path(), fence.open, 1, message);
}

fn machine_paths(file: &SourceFile, text: &Text, sink: &mut Sink<'_>) {
    if !["Users", "/home/"]
        .iter()
        .any(|part| text.raw().contains(part))
    {
        return;
    }
    for (number, line) in text.lines() {
        if let Some((at, path)) = prose::machine_path(line) {
            let message = format!("`{path}` is a path of one machine");
            sink.found("SR120", file.path(), number, column(line, at), message);
        }
    }
}

fn backslash_paths(file: &SourceFile, text: &Text, document: &Document, sink: &mut Sink<'_>) {
    if !text.raw().contains('\\') {
        return;
    }
    for (number, line) in text.lines() {
        if !line.contains('\\') || is_windows(document, number) {
            continue;
        }
        for (at, path) in prose::backslash_paths(line) {
            let start = text.start(number) + at;
            let fix = Fix::replace(
                file.path(),
                start..start + path.len(),
                path.replace('\\', "/"),
            );
            let message = format!("`{path}` has backslashes");
            sink.found("SR121", file.path(), number, column(line, at), message)
                .fix(fix);
        }
    }
}

/// Whether a line belongs to a program of Windows.
fn is_windows(document: &Document, line: usize) -> bool {
    document.fence_at(line).is_some_and(|fence| {
        let word = fence.info.split_whitespace().next().unwrap_or_default();
        WINDOWS_FENCES
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    })
}

fn template_text(file: &SourceFile, text: &Text, document: &Document, sink: &mut Sink<'_>) {
    if !text.raw().contains("TODO") {
        return;
    }
    for (number, line) in text.lines() {
        let Some((at, found)) = prose::template_text(line) else {
            continue;
        };
        let in_code =
            document.in_fence(number) || document.span_at(text.start(number) + at).is_some();
        if !in_code {
            let message = format!("template text `{found}` is left in");
            sink.found("SR122", file.path(), number, column(line, at), message);
        }
    }
}
