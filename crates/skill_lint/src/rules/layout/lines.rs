//! Lines that should not stand in a skill: SR119, SR120.

use aris_skills::markdown::Document;
use aris_skills::text::column;
use aris_skills::{Skill, SourceFile, Text};

use super::prose;
use crate::finding::Sink;

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
