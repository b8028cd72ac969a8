//! Shell commands.

use aris_contract::text::shell_line;

use crate::grid::yaml11;
use crate::problem::Problems;
use crate::tree::{Kind, Node, one_or_many};

/// Whether a command has a pipe, so that the shell does not report how the first program exits.
///
/// Quotes, escapes and comments are recognized; the text of a here-document is read as commands.
pub fn pipes(command: &str) -> bool {
    scan(command).0
}

/// Whether a path is written for a shell, which would put something else in its place: `~/x`, `$HOME/x`, `a/${NAME}.json`.
pub(crate) fn is_for_a_shell(path: &str) -> bool {
    let name =
        |text: &str| text.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let mut variables = path.split('/').filter_map(|part| part.strip_prefix('$'));
    path == "~" || path.starts_with("~/") || path.contains("${") || variables.any(name)
}

/// Whether a command has a pipe, and whether it ends in a comment.
fn scan(command: &str) -> (bool, bool) {
    let (mut pipe, mut comment) = (false, false);
    let mut quote = None;
    let mut before = ' ';
    let mut rest = command.chars().peekable();
    while let Some(letter) = rest.next() {
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('"') | None, '\\') => drop(rest.next()),
            (None, '\'' | '"') => quote = Some(letter),
            (None, '#') if before.is_whitespace() => {
                while rest.next_if(|next| *next != '\n').is_some() {}
                comment = rest.peek().is_none();
            }
            (None, '|') if rest.next_if_eq(&'|').is_some() || before == '>' => {}
            (None, '|') => pipe = true,
            _ => {}
        }
        before = letter;
    }
    (pipe, comment)
}

/// Appends a map of arguments to a command: `--key value`, a list as several words, `true` as a bare flag; `false` and null are left out.
/// **Source**: queue design §3.
pub(crate) fn append_arguments(
    command: &mut String,
    args: &Node,
    problems: &mut Problems,
    mut text: impl FnMut(&Node, &mut Problems) -> String,
) {
    let hint = "args: {seed: 200, n_hidden: 64}";
    let entries = problems.map(args, "args must be a map", Some(hint));
    let any = entries.is_some_and(|entries| !entries.is_empty());
    match scan(command) {
        _ if !any => {}
        (_, true) => problems.at(
            args,
            String::from("args would be part of the comment at the end of cmd"),
            Some("remove the comment, or write the arguments in cmd before it"),
        ),
        (true, false) => problems.warn(
            args,
            String::from("args go to the last program of the pipe in cmd; write them in cmd to give them to another one"),
        ),
        (false, false) => {}
    }
    for (key, value) in entries.unwrap_or_default() {
        let items = match value.kind() {
            Some(Kind::Null | Kind::Bool(false)) => continue,
            Some(Kind::Bool(true)) => &[][..],
            _ => one_or_many(value),
        };
        let name = &key.text;
        let dashes = if name.starts_with('-') { "" } else { "--" };
        let mut words = vec![format!("{dashes}{name}")];
        for item in items {
            if item.written().is_none() {
                let must_be = "must be a scalar or a list of scalars";
                problems.at(item, format!("the argument {name:?} {must_be}"), None);
            }
            yaml11::warn(name, item, problems);
            words.push(text(item, problems));
        }
        if !command.is_empty() {
            command.push(' ');
        }
        command.push_str(&shell_line(&words));
    }
}

/// The text of an argument without placeholders.
pub(crate) fn as_written(node: &Node, _: &mut Problems) -> String {
    node.written().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_one_between_programs() {
        for (text, expected) in [
            ("python a.py | tee log", true),
            ("a 2>&1 |& tee log", true),
            ("a || b", false),
            ("a; (b|c)", true),
            ("echo 'a | b' \"c | d\" \\| # e | f", false),
            ("echo a#b | cat", true),
            ("a >| b", false),
            ("# x\na | b", true),
        ] {
            assert_eq!(pipes(text), expected, "{text}");
        }
        for (text, expected) in [
            ("a # b", true),
            ("a #", true),
            ("a # b\nc", false),
            ("a '# b'", false),
            ("a x#b", false),
        ] {
            assert_eq!(scan(text).1, expected, "{text}");
        }
    }
}
