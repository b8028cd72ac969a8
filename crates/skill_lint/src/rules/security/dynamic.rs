//! What Claude Code runs by itself when it loads a skill: SR410.
//!
//! **Source**: Claude Code documentation, skills: dynamic context injection.

/// A command that runs when the skill is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Injection {
    /// Byte offset of the `!` in the line.
    pub(crate) at: usize,
    /// Whether the command holds the skill's arguments.
    pub(crate) takes_arguments: bool,
}

/// `` !`…` `` at the start of a line or after a space.
pub(crate) fn injections(line: &str) -> Vec<Injection> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(rest) = line.get(from..)
        && let Some(offset) = rest.find("!`")
    {
        let at = from + offset;
        let before = line.as_bytes().get(at.wrapping_sub(1));
        let command = line.get(at + 2..).unwrap_or("");
        let Some(end) = command.find('`') else {
            break;
        };
        let starts = at == 0 || before == Some(&b' ');
        if !starts || end == 0 {
            from = at + 2;
            continue;
        }
        found.push(Injection {
            at,
            takes_arguments: command.get(..end).is_some_and(takes_arguments),
        });
        from = at + 2 + end + 1;
    }
    found
}

/// Whether a command holds `$ARGUMENTS` or `$` and a digit.
pub(crate) fn takes_arguments(command: &str) -> bool {
    command.contains("$ARGUMENTS")
        || command
            .as_bytes()
            .windows(2)
            .any(|pair| matches!(pair, [b'$', digit] if digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injections_start_a_line_or_follow_a_space() {
        for (line, expected) in [
            ("!`git status`", vec![(0, false)]),
            (
                "state: !`git log $1` and !`x $ARGUMENTS`",
                vec![(7, true), (25, true)],
            ),
            ("x!`a`", vec![]),
            ("- !`a` $1", vec![(2, false)]),
            ("!``", vec![]),
            ("!`open", vec![]),
            ("(!`a`)", vec![]),
            ("!`awk $x`", vec![(0, false)]),
        ] {
            let found: Vec<(usize, bool)> = injections(line)
                .iter()
                .map(|found| (found.at, found.takes_arguments))
                .collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
