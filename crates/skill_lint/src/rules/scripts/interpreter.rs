//! SR201 and SR202: the first line that a script needs.

use aris_skills::Text;
use aris_skills::script::{ScriptKind, Shebang};

/// Whether a kind of script needs a shebang.
pub(crate) fn is_needed(kind: ScriptKind) -> bool {
    !matches!(kind, ScriptKind::Ts | ScriptKind::Ps1)
}

/// Whether the interpreter fits the kind: a shell for sh, `python3` (`python3.12`) or `uv run` for Python, one of node, bun,
/// deno, tsx for JavaScript and TypeScript. For other kinds always true.
pub(crate) fn fits(kind: ScriptKind, shebang: &Shebang) -> bool {
    let program = shebang.program.as_str();
    match kind {
        ScriptKind::Sh => matches!(
            program,
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash"
        ),
        ScriptKind::Py => {
            let version = program.strip_prefix("python3");
            version.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                || (program == "uv" && shebang.args.iter().any(|word| word == "run"))
        }
        ScriptKind::Js | ScriptKind::Ts => matches!(program, "node" | "bun" | "deno" | "tsx"),
        ScriptKind::Ps1 | ScriptKind::Rb | ScriptKind::Pl => true,
    }
}

/// Whether the interpreter belongs to the language but does not fit: `python`, `nodejs`. For another language the shebang may
/// be right and the file's name wrong.
pub(crate) fn is_relative(kind: ScriptKind, shebang: &Shebang) -> bool {
    match kind {
        ScriptKind::Py => shebang.program.starts_with("python") || shebang.program == "uv",
        ScriptKind::Js => shebang.program == "nodejs",
        _ => false,
    }
}

/// Whether the shebang says only that the language runs the script, so that replacing it loses nothing: no version, no option,
/// no folder of its own.
pub(crate) fn is_plain(kind: ScriptKind, shebang: &Shebang) -> bool {
    const STARTS: [&str; 5] = [
        "/usr/bin/env ",
        "/usr/bin/env -S ",
        "/usr/bin/",
        "/usr/local/bin/",
        "/bin/",
    ];
    let names: &[&str] = match kind {
        ScriptKind::Py => &["python", "uv"],
        ScriptKind::Js => &["nodejs"],
        _ => &[],
    };
    let line = shebang.raw.trim();
    let mut rests = STARTS.iter().filter_map(|start| line.strip_prefix(start));
    rests.any(|rest| names.contains(&rest))
}

/// The usual shebang for the kind; `None` for TypeScript and PowerShell, which have none.
pub(crate) fn usual(kind: ScriptKind, text: &Text) -> Option<&'static str> {
    Some(match kind {
        ScriptKind::Sh => "#!/usr/bin/env bash",
        // Only `uv run --script` reads inline script metadata (PEP 723).
        ScriptKind::Py if text.lines().any(|(_, line)| line == "# /// script") => {
            "#!/usr/bin/env -S uv run --script"
        }
        ScriptKind::Py => "#!/usr/bin/env python3",
        ScriptKind::Js => "#!/usr/bin/env node",
        ScriptKind::Rb => "#!/usr/bin/env ruby",
        ScriptKind::Pl => "#!/usr/bin/env perl",
        ScriptKind::Ts | ScriptKind::Ps1 => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_language_is_no_relative() {
        for (kind, line, expected) in [
            (ScriptKind::Py, "#!/usr/bin/env python", true),
            (ScriptKind::Py, "#!/bin/bash", false),
            (ScriptKind::Sh, "#!/usr/bin/env perl", false),
            (ScriptKind::Js, "#!/usr/bin/env nodejs", true),
        ] {
            let shebang = Shebang::of(&Text::new(line.as_bytes())).unwrap();
            assert_eq!(is_relative(kind, &shebang), expected, "{line}");
        }
    }

    #[test]
    fn a_line_that_says_more_is_not_plain() {
        for (line, expected) in [
            ("#! /usr/bin/env python\r", true),
            ("#!/usr/bin/env -S python", true),
            ("#!/usr/local/bin/python", true),
            ("#!/usr/bin/env python2", false),
            ("#!/usr/bin/env -S python -O", false),
            ("#!/usr/bin/env -S A=b python", false),
            ("#!/usr/bin/python -u", false),
            ("#!/opt/venv/bin/python", false),
        ] {
            let shebang = Shebang::of(&Text::new(line.as_bytes())).unwrap();
            assert_eq!(is_plain(ScriptKind::Py, &shebang), expected, "{line}");
        }
    }

    #[test]
    fn interpreters_fit_their_kind() {
        for (kind, line, expected) in [
            (ScriptKind::Sh, "#!/bin/sh", true),
            (ScriptKind::Sh, "#!/usr/bin/env -S bash -e", true),
            (ScriptKind::Sh, "#!/usr/bin/env python3", false),
            (ScriptKind::Py, "#!/usr/bin/env python3", true),
            (ScriptKind::Py, "#!/usr/bin/python3.12", true),
            (ScriptKind::Py, "#!/usr/bin/env python", false),
            (ScriptKind::Py, "#!/usr/bin/env python2", false),
            (ScriptKind::Py, "#!/usr/bin/env -S uv run --script", true),
            (ScriptKind::Py, "#!/usr/bin/env uv", false),
            (ScriptKind::Js, "#!/usr/bin/env node", true),
            (ScriptKind::Ts, "#!/usr/bin/env -S deno run", true),
            (ScriptKind::Js, "#!/bin/sh", false),
            (ScriptKind::Rb, "#!/usr/bin/env ruby", true),
        ] {
            let shebang = Shebang::of(&Text::new(line.as_bytes())).unwrap();
            assert_eq!(fits(kind, &shebang), expected, "{line}");
            if let Some(usual) = usual(kind, &Text::default()) {
                let shebang = Shebang::of(&Text::new(usual.as_bytes())).unwrap();
                assert!(fits(kind, &shebang), "{usual}");
            }
        }
    }
}
