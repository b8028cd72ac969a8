//! SR210: the strict mode of a shell script.

use aris_skills::script::Shebang;

use crate::code::shell::Script;

/// The strict modes that the `set` commands of a script lack, and the command that adds them: nounset, and pipefail unless the
/// shebang names `sh` or `dash`.
pub(crate) fn missing(
    script: &Script<'_>,
    shebang: Option<&Shebang>,
) -> Option<(&'static str, &'static str)> {
    let plain = shebang.is_some_and(|shebang| matches!(shebang.program.as_str(), "sh" | "dash"));
    let (mut nounset, mut pipefail) = (false, plain);
    for command in &script.commands {
        let called = script.called(command);
        let Some((_, arguments)) = called.filter(|(name, _)| name == "set") else {
            continue;
        };
        let mut named = false;
        for word in arguments {
            let word = script.raw(word);
            if named {
                nounset |= word == "nounset";
                pipefail |= word == "pipefail";
                named = false;
            } else if let Some(letters) = word.strip_prefix('-') {
                nounset |= letters.contains('u');
                named = letters.ends_with('o');
            } else if let Some(letters) = word.strip_prefix('+') {
                // `+o pipefail` switches off; ignore the other words of this `set`.
                if letters.ends_with('o') {
                    break;
                }
            }
        }
    }
    match (nounset, pipefail) {
        (true, true) => None,
        (false, true) => Some(("nounset", "set -u")),
        (true, false) => Some(("pipefail", "set -o pipefail")),
        (false, false) => Some(("nounset and pipefail", "set -uo pipefail")),
    }
}

#[cfg(test)]
mod tests {
    use aris_skills::Text;

    use super::*;

    #[test]
    fn options_add_up_over_all_set_commands() {
        for (source, expected) in [
            ("set -euo pipefail", None),
            ("set -u\nset -o pipefail", None),
            ("set -o nounset -o pipefail", None),
            ("set -e -o pipefail -u", None),
            ("if a; then set -uo pipefail; fi", None),
            ("#!/bin/sh\nset -eu", None),
            ("#!/usr/bin/env dash\nset -o nounset", None),
            ("#!/bin/sh\nset -e", Some("set -u")),
            ("#!/bin/zsh\nset -u", Some("set -o pipefail")),
            ("set -e", Some("set -uo pipefail")),
            ("# set -euo pipefail", Some("set -uo pipefail")),
            ("echo 'set -euo pipefail'", Some("set -uo pipefail")),
            (
                "cat <<EOF\nset -euo pipefail\nEOF",
                Some("set -uo pipefail"),
            ),
            ("set -o pipefail; set +u", Some("set -u")),
        ] {
            let text = Text::new(source.as_bytes());
            let shebang = Shebang::of(&text);
            let found = missing(&Script::read(source), shebang.as_ref());
            assert_eq!(found.map(|(_, command)| command), expected, "{source}");
        }
    }
}
