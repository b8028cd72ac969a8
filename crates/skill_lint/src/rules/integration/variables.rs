//! Claude Code's substitutions in instruction text: it replaces exact forms of `$…` before the model or a shell sees them.
//!
//! **Source**: Claude Code documentation of skills, string substitutions.

use super::resolver::Line;
use aris_skills::pattern::{Pattern, compiled};

/// Names after `CLAUDE_` that Claude Code replaces in the text of a skill.
const KNOWN: &str = "SESSION_ID EFFORT SKILL_DIR PROJECT_DIR PLUGIN_ROOT PLUGIN_DATA";

const EXACT: &str = "${CLAUDE_SKILL_DIR}";

/// A place in a fence: index of the line, and byte in the line.
pub(super) type Place = (usize, usize);

/// The uses of the skill's directory that a shell would expand to nothing. None when the fence also has the exact form, which
/// the host replaces. Comments and escaped dollars are skipped.
pub(super) fn unreplaced_directory(lines: &[Line<'_>]) -> Vec<Place> {
    let code =
        || (lines.iter().enumerate()).filter(|(_, (_, line))| !line.trim_start().starts_with('#'));
    if code().any(|(_, (_, line))| line.contains(EXACT)) {
        return Vec::new();
    }
    code()
        .flat_map(|(index, (_, line))| uses(line).map(move |byte| (index, byte)))
        .collect()
}

/// `$CLAUDE_SKILL_DIR`, or `${CLAUDE_SKILL_DIR:` with its colon.
static USE: Pattern =
    Pattern::new(|| compiled(r"\$CLAUDE_SKILL_DIR(?-u:\b)|\$\{CLAUDE_SKILL_DIR:"));

/// Bytes of the uses in a line.
fn uses(line: &str) -> impl Iterator<Item = usize> {
    let found = USE.find_iter(line).map(|found| found.start());
    found.filter(|at| !is_escaped(line.as_bytes(), *at))
}

fn is_escaped(bytes: &[u8], at: usize) -> bool {
    let slashes = bytes.iter().take(at).rev().take_while(|b| **b == b'\\');
    slashes.count() % 2 == 1
}

/// Two lines that set the skill's directory for the shell, where the host has replaced the exact form, in single quotes. On
/// other hosts the variable keeps its value from the environment.
pub(super) fn given_directory() -> [String; 2] {
    [
        format!("_aris_skill='{EXACT}'"),
        String::from(
            "case \"$_aris_skill\" in '$'*) ;; *) export CLAUDE_SKILL_DIR=\"$_aris_skill\" ;; esac",
        ),
    ]
}

static NAMED: Pattern = Pattern::new(|| compiled(r"\$\{CLAUDE_([A-Z0-9_]+)\}"));

/// `${CLAUDE_X}` in a line, where Claude Code does not know X: byte and X.
pub(super) fn unknown_names(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let found = NAMED.captures_iter(line);
    let named = found.filter_map(|found| Some((found.get_match().start(), found.get(1)?.as_str())));
    named.filter(|(_, name)| !KNOWN.split(' ').any(|known| known == *name))
}

static ARGUMENT: Pattern = Pattern::new(|| compiled(r"(?:^|[^\\])\$([0-9])(?:[^0-9]|$)"));

/// The first `$` followed by exactly one digit, not escaped: neither `\$1` nor `$12`. Byte of the `$`, and the digit.
pub(super) fn argument(line: &str) -> Option<(usize, &str)> {
    let digit = ARGUMENT.captures(line)?.get(1)?;
    Some((digit.start() - 1, digit.as_str()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(text: &str) -> Vec<Line<'_>> {
        text.lines().zip(1..).map(|(line, at)| (at, line)).collect()
    }

    #[test]
    fn only_the_exact_form_is_replaced() {
        for (text, expected) in [
            ("x \"$CLAUDE_SKILL_DIR/a\"", &[(0, 3)][..]),
            ("y\n[ -n \"${CLAUDE_SKILL_DIR:-}\" ]", &[(1, 6)]),
            (
                "a $CLAUDE_SKILL_DIR ${CLAUDE_SKILL_DIR:+x}",
                &[(0, 2), (0, 20)],
            ),
            ("$CLAUDE_SKILL_DIRS", &[]),
            ("# $CLAUDE_SKILL_DIR", &[]),
            ("echo \"\\$CLAUDE_SKILL_DIR\"", &[]),
            ("echo \"\\\\$CLAUDE_SKILL_DIR\"", &[(0, 8)]),
            ("d='${CLAUDE_SKILL_DIR}'\nx ${CLAUDE_SKILL_DIR:-}", &[]),
            ("# ${CLAUDE_SKILL_DIR}\nx ${CLAUDE_SKILL_DIR:-}", &[(1, 2)]),
        ] {
            assert_eq!(unreplaced_directory(&numbered(text)), expected, "{text}");
        }
    }

    #[test]
    fn names_that_no_host_knows() {
        assert_eq!(
            unknown_names("${CLAUDE_SKILL_DIR} ${CLAUDE_SKILLS_DIR} ${CLAUDE_ROOT:-x} ${CLAUDE_}")
                .collect::<Vec<_>>(),
            [(20, "SKILLS_DIR")]
        );
    }

    #[test]
    fn arguments_are_one_digit() {
        for (line, expected) in [
            ("awk '{print $2}'", Some((12, "2"))),
            ("$0", Some((0, "0"))),
            ("\\$1 $12 $x ${1}", None),
            ("$10 é$3", Some((6, "3"))),
            ("$", None),
        ] {
            assert_eq!(argument(line), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_breaks_them(text in "([$\\\\{}:#'/a1é\n]|CLAUDE_|SKILL_DIR|\\$CLAUDE_SKILL_DIR){0,12}") {
            let lines = numbered(&text);
            let given = given_directory().join("\n");
            let repaired = numbered(&given).into_iter().chain(lines.clone()).collect::<Vec<_>>();
            prop_assert_eq!(unreplaced_directory(&repaired), vec![]);
            for (_, line) in lines {
                let _seen = (unknown_names(line).count(), argument(line));
            }
        }
    }
}
