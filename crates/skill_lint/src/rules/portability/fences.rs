//! Fences that use a shell variable of another fence: SR707. An agent runs each fence in a new shell.

use std::collections::{BTreeMap, BTreeSet};

use aris_skills::markdown::Fence;
use aris_skills::{Skill, Text};

use crate::code::shell::{Script, Word};
use crate::finding::Sink;

/// Commands whose operands are names of variables.
const DECLARE: [&str; 6] = ["export", "local", "declare", "typeset", "readonly", "read"];

/// Variables that every shell has, even if a fence sets them too.
const GIVEN: &str = "HOME PATH PWD OLDPWD USER SHELL TMPDIR LANG IFS TERM EDITOR RANDOM";

/// Checks the instruction files of a skill.
pub(super) fn check(skill: &Skill, sink: &mut Sink<'_>) {
    for (file, text, document) in skill.instructions() {
        let shells = document.fences.iter().filter(|fence| fence.is_script());
        // For each variable, the last fence so far that sets it.
        let mut set_in: BTreeMap<&str, usize> = BTreeMap::new();
        for fence in shells {
            let own = Variables::of(text, fence);
            for (name, place) in &own.used {
                let Some(open) = set_in.get(name) else {
                    continue;
                };
                let message = format!(
                    "`${name}` is set in the fence of line {open} only; each fence runs in a shell of its own"
                );
                sink.found("SR707", file.path(), text.place(*place), message);
            }
            set_in.extend(own.set.into_iter().map(|name| (name, fence.open)));
        }
    }
}

/// The variables of one fence.
struct Variables<'t> {
    set: BTreeSet<&'t str>,
    /// Variables that it uses without setting them, with the byte of the first use.
    used: BTreeMap<&'t str, usize>,
}

impl<'t> Variables<'t> {
    fn of(text: &'t Text, fence: &Fence) -> Self {
        let from = text.start(fence.open + 1);
        let script = Script::read(text.part(fence.range(text)));
        let (mut set, mut used) = (BTreeSet::new(), BTreeMap::new());
        for command in &script.commands {
            let name_of = |word: &Word| {
                let raw = script.raw(word);
                let end = raw.find(|c: char| !is_name(c)).unwrap_or(raw.len());
                raw.get(..end).filter(|name| !name.is_empty())
            };
            set.extend(command.assignments.iter().filter_map(name_of));
            if let [first, rest @ ..] = command.words.as_slice() {
                match script.raw(first) {
                    declare if DECLARE.contains(&declare) => {
                        set.extend(rest.iter().filter_map(name_of));
                    }
                    "for" | "select" => set.extend(rest.iter().take(1).filter_map(name_of)),
                    "printf" => set.extend(rest.iter().skip(1).take(1).filter_map(name_of)),
                    _ => {}
                }
            }
            let values = command.assignments.iter().chain(&command.words);
            let files = command.inputs.iter().chain(&command.outputs);
            for word in values.chain(files) {
                let expanded = expansions(script.raw(word)).into_iter();
                let expanded = expanded.map(|(name, at)| (name, word.start + at));
                for (name, at) in expanded.filter(|(_, at)| !script.is_literal(*at)) {
                    used.entry(name).or_insert(from + at);
                }
            }
        }
        used.retain(|name, _| !set.contains(name) && !GIVEN.split(' ').any(|given| given == *name));
        Self { set, used }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `$NAME` and `${NAME…}` outside single quotes, with the byte of the `$`. Expansions with a default (`${NAME:-x}`) are
/// skipped.
fn expansions(word: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let (mut single, mut double) = (false, false);
    let mut chars = word.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if !single => {
                chars.next();
            }
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' if !single => {
                let rest = word.get(at + 1..).unwrap_or_default();
                let braces = rest.starts_with('{');
                let rest = rest.strip_prefix('{').unwrap_or(rest);
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                let has_default =
                    braces && after.trim_start_matches(':').starts_with(['-', '=', '+']);
                let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                if starts && !has_default {
                    found.push((name, at));
                }
            }
            _ => {}
        }
    }
    found
}
