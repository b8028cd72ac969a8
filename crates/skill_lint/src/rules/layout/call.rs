//! Whether a piece of code calls a script in a way that a reader can copy.

/// Words that run a script. Source: the linter's definition of an entry point, and PowerShell.
pub(super) const INTERPRETERS: [&str; 14] = [
    "python",
    "python3",
    "uv",
    "bash",
    "sh",
    "zsh",
    "node",
    "bun",
    "deno",
    "tsx",
    "ruby",
    "perl",
    "pwsh",
    "powershell",
];

/// Whether code calls the script whose mention ends its path at `start..end` (bytes of `code`): an interpreter word stands
/// before it, or an argument behind it.
pub(crate) fn is_call(code: &str, start: usize, end: usize) -> bool {
    let before = code.get(..start).unwrap_or_default();
    let after = code.get(end..).unwrap_or_default();
    let by_interpreter = before
        .split(|char: char| !(char.is_ascii_alphanumeric() || char == '_'))
        .any(|word| INTERPRETERS.contains(&word));
    by_interpreter || has_argument(after)
}

/// Whether the text behind a script's name begins with an argument: white space, and then neither a comment, an operator,
/// a dash that separates an explanation, nor the end.
fn has_argument(after: &str) -> bool {
    let rest = after.trim_start_matches(['"', '\'', '}']);
    if !rest.starts_with([' ', '\t']) {
        return false;
    }
    let rest = rest.trim();
    !rest.is_empty()
        && !rest.starts_with(['#', '|', '>', '&', ';', ')', '(', '=', '→', '–', '—', '←'])
        && rest != "-"
        && !rest.starts_with("- ")
        && !rest.starts_with("-- ")
}

#[cfg(test)]
mod tests {
    use super::is_call;

    #[test]
    fn a_call_has_an_interpreter_or_an_argument() {
        for (code, expected) in [
            ("python3 scripts/x.py", true),
            ("uv run scripts/x.py", true),
            ("scripts/x.py --all", true),
            ("scripts/x.py FILE", true),
            ("\"$DIR/scripts/x.py\" a", true),
            ("scripts/x.py \\", true),
            ("scripts/x.py", false),
            ("x.py  # counts", false),
            ("x.py - counts", false),
            ("cat x.py | less", false),
            ("├── x.py", false),
        ] {
            let start = code.find("x.py").unwrap();
            assert_eq!(is_call(code, start, start + 4), expected, "{code}");
        }
    }
}
