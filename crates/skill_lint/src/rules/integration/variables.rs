//! What Claude Code does with `$…` in instruction text: it replaces exact forms before the model or a shell sees them.
//!
//! **Source**: Claude Code documentation of skills, string substitutions.

use aris_skills::pattern::{Pattern, compiled};
use regex::Captures;

use super::resolver::{Line, indent_of};

/// Names after `CLAUDE_` that Claude Code replaces in the text of a skill.
const KNOWN: &str = "SESSION_ID EFFORT SKILL_DIR PROJECT_DIR PLUGIN_ROOT PLUGIN_DATA";

const EXACT: &str = "${CLAUDE_SKILL_DIR}";

/// A place in a fence: which of its lines, and the byte in that line.
pub(super) type Place = (usize, usize);

/// The uses of the skill's directory that a shell reads as an empty variable; none when the fence also has the exact form, which
/// the host replaces. Comments and escaped dollars are no uses.
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

/// `$CLAUDE_SKILL_DIR`, and what stands before the colon in `${CLAUDE_SKILL_DIR:`.
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

/// The lines from the first to the last use, rewritten as the generated resolver does it: the exact form in single quotes is what
/// the host replaces, and the environment serves where no host did. Gives the indices of the first and last line; `None` where a use
/// may stand in single quotes, for another shell that would not know the variable (`sh -c '…'`).
pub(super) fn replaced_directory(lines: &[Line<'_>]) -> Option<(usize, usize, Vec<String>)> {
    let places = unreplaced_directory(lines);
    let is_quoted = |(line, byte): &(usize, usize)| {
        let before = lines.get(*line).and_then(|(_, line)| line.get(..*byte));
        before.is_some_and(|before| before.matches('\'').count() % 2 == 1)
    };
    if places.iter().any(is_quoted) {
        return None;
    }
    let (first, last) = (places.first()?.0, places.last()?.0);
    let indent = lines.get(first).map_or("", |(_, line)| indent_of(line));
    let mut out = vec![
        format!("{indent}_aris_skill='{EXACT}'"),
        format!(
            "{indent}case \"$_aris_skill\" in '$'*) _aris_skill=\"${{CLAUDE_SKILL_DIR:-}}\" ;; esac"
        ),
    ];
    for (_, line) in lines.get(first..=last)? {
        if line.trim_start().starts_with('#') {
            out.push((*line).to_owned());
            continue;
        }
        let renamed = USE.replace_all(line, |found: &Captures<'_>| {
            let found = found.get_match();
            if is_escaped(line.as_bytes(), found.start()) {
                found.as_str().to_owned()
            } else {
                found.as_str().replace("CLAUDE_SKILL_DIR", "_aris_skill")
            }
        });
        out.push(renamed.into_owned());
    }
    Some((first, last, out))
}

static NAMED: Pattern = Pattern::new(|| compiled(r"\$\{CLAUDE_([A-Z0-9_]+)\}"));

/// `${CLAUDE_X}` in a line with an X that Claude Code does not know: byte and X.
pub(super) fn unknown_names(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let found = NAMED.captures_iter(line);
    let named = found.filter_map(|found| Some((found.get_match().start(), found.get(1)?.as_str())));
    named.filter(|(_, name)| !KNOWN.split(' ').any(|known| known == *name))
}

static ARGUMENT: Pattern = Pattern::new(|| compiled(r"(?:^|[^\\])\$([0-9])(?:[^0-9]|$)"));

/// The first byte of a line at which stands `$` and one digit: neither `\$1` nor `$12`.
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
    fn what_another_shell_reads_is_not_rewritten() {
        let line = "sh -c 'echo \"$CLAUDE_SKILL_DIR/x\"'";
        assert_eq!(replaced_directory(&numbered(line)), None);
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
    fn the_repair_keeps_everything_else_and_is_done_once() {
        let text = "T=\"\"\n  if [ -f \"$CLAUDE_SKILL_DIR/x\" ]; then # \\$CLAUDE_SKILL_DIR\n  # $CLAUDE_SKILL_DIR\n    T=\"${CLAUDE_SKILL_DIR:-}/x\"\nfi";
        let lines = numbered(text);
        let (first, last, new) = replaced_directory(&lines).unwrap();
        assert_eq!((first, last), (1, 3));
        assert_eq!(
            new,
            [
                "  _aris_skill='${CLAUDE_SKILL_DIR}'",
                "  case \"$_aris_skill\" in '$'*) _aris_skill=\"${CLAUDE_SKILL_DIR:-}\" ;; esac",
                "  if [ -f \"$_aris_skill/x\" ]; then # \\$CLAUDE_SKILL_DIR",
                "  # $CLAUDE_SKILL_DIR",
                "    T=\"${_aris_skill:-}/x\"",
            ]
        );
        assert_eq!(replaced_directory(&numbered(&new.join("\n"))), None);
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
            if let Some((first, last, new)) = replaced_directory(&lines) {
                prop_assert!(first <= last && new.len() == last - first + 3);
                let mut repaired: Vec<String> = lines.iter().map(|(_, line)| (*line).to_owned()).collect();
                repaired.splice(first..=last, new);
                let repaired = repaired.join("\n");
                prop_assert_eq!(unreplaced_directory(&numbered(&repaired)), vec![]);
            }
            for (_, line) in lines {
                let _seen = (unknown_names(line).count(), argument(line));
            }
        }
    }
}
