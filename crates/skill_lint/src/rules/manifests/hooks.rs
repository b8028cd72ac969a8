//! `hooks/hooks.json` of a plugin: its form, and the plugin's files that its commands name (SR611).
//!
//! **Source**: Claude Code documentation of hooks: `${CLAUDE_PLUGIN_ROOT}` is the plugin's folder, and a shell runs the
//! command.

use aris_skills::pattern::{Pattern, compiled};
use serde_json::Value;

use super::manifest::{HOOKS, Manifest, Problem};
use super::places::{Places, below};

const RULE: &str = "SR611";

/// Checks the hooks of the plugin at `root`.
pub(super) fn check(hooks: &Manifest, root: &str, places: &Places<'_>) -> Vec<Problem> {
    let mut problems = hooks.faults(&HOOKS, |_, _| RULE);
    let mut open = vec![(String::new(), &hooks.value)];
    while let Some((at, value)) = open.pop() {
        let mut files = |at: String, text: &str, may_run: bool| {
            for (path, is_run) in plugin_files(text) {
                let found = below(root, path);
                let can_run = |path| places.file(path).is_some_and(|file| file.executable);
                let says = match &found {
                    None => "leaves the plugin",
                    Some(found) if !places.exists(found) => "does not exist",
                    Some(found) if may_run && is_run && !can_run(found) => {
                        "is run without an interpreter and is not executable"
                    }
                    Some(_) => continue,
                };
                let message = format!("hook file `{path}` {says}");
                problems.push(hooks.problem(RULE, &at, message));
            }
        };
        if let Some(text) = value.get("command").and_then(Value::as_str) {
            files(format!("{at}/command"), text, true);
            let args = value.get("args").and_then(Value::as_array);
            for (number, argument) in args.into_iter().flatten().enumerate() {
                let text = argument.as_str().unwrap_or_default();
                files(format!("{at}/args/{number}"), text, false);
            }
        }
        let items = value.as_array().into_iter().flatten().enumerate();
        open.extend(items.map(|(number, item)| (format!("{at}/{number}"), item)));
        let members = value.as_object().into_iter().flatten();
        open.extend(members.map(|(key, member)| (format!("{at}/{key}"), member)));
    }
    problems.sort_by_key(|problem| problem.place);
    problems
}

/// A path below the folder of the plugin.
static FILE: Pattern = Pattern::new(|| {
    compiled(r#"\$(?:\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT)["']?/([^\s"';|&()<>]+)"#)
});

/// The plugin's files that a shell command names, and whether each is the program of its command. Paths with variables or
/// patterns are skipped.
fn plugin_files(command: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for file in FILE.captures_iter(command) {
        let before = command.get(..file.get_match().start()).unwrap_or_default();
        let before = before.strip_suffix(['"', '\'']).unwrap_or(before);
        let before = before.trim_end();
        let is_run = before.is_empty() || before.ends_with([';', '|', '&', '(']);
        let path = file.get(1).map_or("", |path| path.as_str());
        if !path.contains(['$', '*', '?', '`', '{']) {
            found.push((path, is_run));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{messages, of, sample};
    use super::*;

    #[test]
    fn files_in_commands_are_found_with_how_they_are_used() {
        for (command, expected) in [
            ("\"${CLAUDE_PLUGIN_ROOT}/a b", &[("a", true)][..]),
            ("\"${CLAUDE_PLUGIN_ROOT}\"/a.sh x", &[("a.sh", true)]),
            (
                "bash \"${CLAUDE_PLUGIN_ROOT}/h/a.sh\"",
                &[("h/a.sh", false)],
            ),
            (
                "x; $CLAUDE_PLUGIN_ROOT/a && ${CLAUDE_PLUGIN_ROOT}/b",
                &[("a", true), ("b", true)],
            ),
            ("X=1 ${CLAUDE_PLUGIN_ROOT}/$Y", &[]),
            ("cd ${CLAUDE_PLUGIN_ROOT}; echo CLAUDE_PLUGIN_ROOT/x", &[]),
            ("${CLAUDE_PLUGIN_DATA}/a", &[]),
        ] {
            assert_eq!(plugin_files(command), expected, "{command}");
        }
    }

    #[test]
    fn hook_files_exist_and_can_be_run() {
        let tree = sample(&["p/run*", "p/plain", "out"]);
        let places = Places(&tree);
        let checked = |hook: &str| {
            let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{hook}]}}]}}}}"#);
            messages(&check(&of(&text), "p", &places))
        };
        for (hook, expected) in [
            (
                r#"{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/run x"}"#,
                None,
            ),
            (
                r#"{"type":"command","command":"sh ${CLAUDE_PLUGIN_ROOT}/plain"}"#,
                None,
            ),
            (
                r#"{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/plain"}"#,
                Some("hook file `plain` is run without an interpreter and is not executable"),
            ),
            (
                r#"{"type":"command","command":"sh ${CLAUDE_PLUGIN_ROOT}/none"}"#,
                Some("hook file `none` does not exist"),
            ),
            (
                r#"{"type":"command","command":"sh ${CLAUDE_PLUGIN_ROOT}/../out"}"#,
                Some("hook file `../out` leaves the plugin"),
            ),
            (
                r#"{"type":"command","command":"node","args":["${CLAUDE_PLUGIN_ROOT}/plain"]}"#,
                None,
            ),
            (
                r#"{"type":"command","command":"node","args":["${CLAUDE_PLUGIN_ROOT}/no.js"]}"#,
                Some("hook file `no.js` does not exist"),
            ),
            (
                r#"{"type":"prompt","prompt":"${CLAUDE_PLUGIN_ROOT}/none"}"#,
                None,
            ),
        ] {
            let found = checked(hook);
            let message = found.first().map(|found| found.split_at(6).1);
            assert_eq!(message, expected, "{hook}");
        }
    }

    proptest! {
        #[test]
        fn no_command_breaks_it(command in "(\\$|\\{|CLAUDE_PLUGIN_ROOT|\\}|/|\"|a|é| |;){0,20}") {
            for (path, _) in plugin_files(&command) {
                prop_assert!(!path.is_empty() && command.contains(path));
            }
        }
    }
}
