//! `hooks/hooks.json` of a plugin: commands that name files of the plugin (SR611).
//!
//! **Source**: Claude Code documentation of plugin hooks: `${CLAUDE_PLUGIN_ROOT}` is the plugin's folder, and a command is run by a
//! shell.

use super::json::Json;
use super::places::{Places, below};
use super::problem::Problem;

const RULE: &str = "SR611";

/// Checks the hooks of the plugin at `root`.
pub(super) fn check(hooks: &Json, root: &str, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut open = vec![hooks];
    while let Some(value) = open.pop() {
        if let Some(command) = value.get("command")
            && let Some(text) = command.as_str()
        {
            command_files(command, text, root, places, true, &mut problems);
            for argument in value.get("args").map_or(&[][..], Json::items) {
                if let Some(text) = argument.as_str() {
                    command_files(argument, text, root, places, false, &mut problems);
                }
            }
        }
        open.extend(value.items());
        open.extend(value.members().iter().map(|(_, value)| value));
    }
    problems.sort_by_key(|problem| problem.offset);
    problems
}

fn command_files(
    value: &Json,
    text: &str,
    root: &str,
    places: &Places,
    may_run: bool,
    problems: &mut Vec<Problem>,
) {
    for (path, is_run) in plugin_files(text) {
        let says = match below(root, path) {
            None => "leaves the plugin",
            Some(found) if !places.exists(&found) => "does not exist",
            Some(found) if may_run && is_run && !places.is_executable(&found) => {
                "is run without an interpreter and is not executable"
            }
            Some(_) => continue,
        };
        let message = format!("hook file `{path}` {says}");
        problems.push(Problem::new(RULE, value.offset, message));
    }
}

/// The files of the plugin that a shell command names, each with whether it is the program of its command. Paths with variables or
/// patterns cannot be told.
fn plugin_files(command: &str) -> Vec<(&str, bool)> {
    const NAME: &str = "CLAUDE_PLUGIN_ROOT";
    let mut found = Vec::new();
    for (at, _) in command.match_indices(NAME) {
        let before = command.get(..at).unwrap_or_default();
        let after = command.get(at + NAME.len()..).unwrap_or_default();
        let (before, after) = match (before.strip_suffix("${"), after.strip_prefix('}')) {
            (Some(before), Some(after)) => (before, after),
            _ => match before.strip_suffix('$') {
                Some(before) => (before, after),
                None => continue,
            },
        };
        let after = after.strip_prefix(['"', '\'']).unwrap_or(after);
        let Some(path) = after.strip_prefix('/') else {
            continue;
        };
        let end = path
            .find(|c: char| c.is_whitespace() || "\"';|&()<>".contains(c))
            .unwrap_or(path.len());
        let path = path.get(..end).unwrap_or_default();
        if path.is_empty() || path.contains(['$', '*', '?', '`', '{']) {
            continue;
        }
        let before = before
            .strip_suffix(['"', '\''])
            .unwrap_or(before)
            .trim_end();
        found.push((
            path,
            before.is_empty() || before.ends_with([';', '|', '&', '(']),
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::json::parse;
    use super::super::places::sample;
    use super::super::problem::brief;
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
        let places = sample(&["p/run*", "p/plain", "out"]);
        let checked = |hook: &str| {
            let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{hook}]}}]}}}}"#);
            brief(&check(&parse(&text).unwrap(), "p", &places), &text)
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
            let message = found
                .first()
                .map(|found| found.rsplit("\" ").next().unwrap());
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
