//! Whether a script offers help: SR215.

use aris_skills::script::ScriptKind;

use crate::code::{Code, shell};

/// Whether a script replaces itself by another program and gives it all its arguments.
fn passes_arguments_on(script: &shell::Script<'_>) -> bool {
    script.commands.iter().any(|command| {
        let mut words = command.words.iter().map(|word| script.raw(word));
        words.next() == Some("exec") && words.any(|word| word == "\"$@\"")
    })
}

/// Whether a script has a `--help`, or hands all its arguments to a program that may.
pub(crate) fn offers_help(kind: ScriptKind, source: &str, code: &Code<'_>) -> bool {
    if matches!(code, Code::Shell(script) if passes_arguments_on(script))
        || source.contains("--help")
    {
        return true;
    }
    match (kind, code) {
        (_, Code::Python(python)) => python.has_parser(),
        (ScriptKind::Js | ScriptKind::Ts, _) => ["commander", "yargs", "cac", "meow"]
            .iter()
            .any(|name| has_word(source, name)),
        (ScriptKind::Ps1, _) => source
            .as_bytes()
            .windows(9)
            .any(|window| window.eq_ignore_ascii_case(b".synopsis")),
        _ => false,
    }
}

/// Whether a text holds a word that no letter, digit, `_` or `-` touches.
fn has_word(source: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    source.match_indices(word).any(|(at, _)| {
        let before = source.get(..at).unwrap_or_default();
        let after = source.get(at + word.len()..).unwrap_or_default();
        !before.ends_with(part) && !after.starts_with(part)
    })
}
