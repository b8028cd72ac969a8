//! Calls of a script by its bare path, which need an execute bit that some installers drop.

/// Extensions of scripts that have an interpreter.
const SCRIPTS: [&str; 8] = ["sh", "bash", "py", "js", "mjs", "cjs", "rb", "pl"];

/// Where a line of a shell fence calls a script by its bare path: the byte where the path starts, and the path.
///
/// A bare path is a first word of a command (after a prompt, variables, `sudo`, `time`, `exec`, `&&`, `|`, `$(`) that
/// lies in a `scripts` or `bin` directory.
pub(crate) fn bare_call(line: &str) -> Option<(usize, &str)> {
    if line.trim_start().starts_with('#') {
        return None;
    }
    let mut first = true;
    for (at, word) in words(line) {
        if matches!(
            word,
            "&&" | "||" | "|" | ";" | "(" | "{" | "then" | "do" | "else" | "!"
        ) {
            first = true;
            continue;
        }
        if !first {
            first = word.ends_with(';');
            continue;
        }
        if is_transparent(word) {
            continue;
        }
        first = word.ends_with(';');
        let path = word.trim_end_matches(';').trim_matches(['"', '\'']);
        if is_script_path(path) {
            let quote = word.len() - word.trim_start_matches(['"', '\'']).len();
            return Some((at + quote, path));
        }
    }
    None
}

/// Words before a command that leave it a command: prompts, assignments and wrappers.
fn is_transparent(word: &str) -> bool {
    matches!(
        word,
        "$" | ">" | "%" | "sudo" | "time" | "exec" | "nohup" | "if" | "while" | "env"
    ) || word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn is_script_path(path: &str) -> bool {
    let Some((folders, name)) = path.rsplit_once('/') else {
        return false;
    };
    let plain = path
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-./~${}:".contains(&byte));
    let in_scripts = folders
        .split('/')
        .any(|folder| folder == "scripts" || folder == "bin");
    let has_kind = name
        .rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && SCRIPTS.contains(&extension));
    plain && in_scripts && has_kind
}

/// Words between spaces, with the byte where each starts. Quotes are part of the word.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split([' ', '\t'])
        .scan(0_usize, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .filter(|(_, word)| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::bare_call;

    #[test]
    fn a_script_called_by_its_path_is_found() {
        for (line, column, path) in [
            ("scripts/x.sh --all", 0, "scripts/x.sh"),
            ("$ ./scripts/x.py", 2, "./scripts/x.py"),
            ("  A=1 bin/x.rb", 6, "bin/x.rb"),
            ("cd a && scripts/x.sh", 8, "scripts/x.sh"),
            (
                "\"${CLAUDE_SKILL_DIR}/scripts/x.sh\" -v",
                1,
                "${CLAUDE_SKILL_DIR}/scripts/x.sh",
            ),
            ("echo a | scripts/x.sh", 9, "scripts/x.sh"),
        ] {
            assert_eq!(bare_call(line), Some((column, path)), "{line}");
        }
    }

    #[test]
    fn a_script_after_an_interpreter_or_as_an_argument_is_not() {
        for line in [
            "bash scripts/x.sh",
            "python3 scripts/x.py a",
            "chmod +x scripts/x.sh",
            "# scripts/x.sh",
            "scripts/",
            "scripts/notes.md",
            "x.sh",
            "/usr/bin/python3 a",
            "",
            "./x.sh",
        ] {
            assert_eq!(bare_call(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_call_lies_where_it_says(line in r"([a-z=$./;|& é#]|scripts/|\.sh){0,30}") {
            if let Some((at, path)) = bare_call(&line) {
                prop_assert!(line.get(at..).is_some_and(|rest| rest.starts_with(path)));
            }
        }
    }
}
