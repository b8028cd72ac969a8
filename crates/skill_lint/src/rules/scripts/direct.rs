//! SR201: scripts that an instruction file calls without naming an interpreter.

use std::collections::BTreeSet;

use aris_skills::{Skill, names};

use super::interpreter;
use crate::code::shell::Script;

/// Paths, relative to the skill, of the scripts without a shebang that are called as commands: in a shell fence, or in a code
/// span with arguments.
pub(super) fn called(skill: &Skill) -> BTreeSet<&str> {
    let open: Vec<&str> = (skill.files.iter())
        .filter(|file| {
            let script = file.script.as_ref();
            script.is_some_and(|script| {
                script.shebang.is_none() && interpreter::is_needed(script.kind)
            }) && names::may_be_entry_point(&file.skill_path)
        })
        .map(|file| file.skill_path.as_str())
        .collect();
    let mut found = BTreeSet::new();
    if open.is_empty() {
        return found;
    }
    for (_, text, document) in skill.instructions() {
        let fences = document.fences.iter().filter(|fence| fence.is_script());
        let fences = fences.map(|fence| text.part(fence.range(text)));
        let spans = document.spans.iter().map(|span| span.text.as_str());
        for source in fences.chain(spans.filter(|span| span.trim().contains(' '))) {
            let script = Script::read(source);
            let names = script
                .commands
                .iter()
                .filter_map(|command| command.words.first());
            for written in names.map(|name| script.raw(name).replace(['"', '\''], "")) {
                found.extend(
                    open.iter()
                        .filter(|path| is_own(&written, path, &skill.name)),
                );
            }
        }
    }
    found
}

/// Whether `written` names this file of the skill: directly, or after `./`, a variable or the skill's folder.
fn is_own(written: &str, path: &str, skill: &str) -> bool {
    let Some(before) = written.strip_suffix(path) else {
        return false;
    };
    match before.strip_suffix('/') {
        None => before.is_empty(),
        Some(".") => true,
        Some(folder) => {
            names::file_name(folder) == skill || folder.starts_with('$') && !folder.contains('/')
        }
    }
}
