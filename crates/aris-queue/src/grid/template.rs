//! A job's template, and how the values of a cell replace its placeholders.

use aris_contract::text::{is_plain_word, shell_line};

use super::{Axis, Scalar};
use crate::problem::{Problems, nearest};
use crate::tree::{Kind, Node, Value, made, quoted};

/// One cell: the axes, and the index of each axis's value.
#[derive(Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) axes: &'a [Axis],
    pub(super) at: &'a [usize],
}

impl<'a> Cell<'a> {
    /// The value of the axis with this name; `None`: there is no such axis, or it has no values.
    fn value(self, name: &str) -> Option<&'a Scalar> {
        let axis = self.axes.iter().position(|axis| axis.name == name)?;
        self.values().nth(axis)
    }

    /// The values of all axes.
    pub(super) fn values(self) -> impl Iterator<Item = &'a Scalar> {
        let pairs = self.axes.iter().zip(self.at);
        pairs.filter_map(|(axis, at)| axis.values.get(*at))
    }
}

/// How values are inserted into a text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    /// Unchanged, for programs.
    Plain,
    /// Quoted, for a shell's command.
    Shell,
    /// With wildcards escaped, for a glob.
    Glob,
    /// Unchanged, also in place of `{name}`, for preconditions.
    Braces,
}

/// A piece of a template: literal text, or `${name}`.
enum Piece<'a> {
    Literal(String),
    Place { name: &'a str, raw: bool },
}

/// The text of a scalar, with its placeholders replaced.
pub(super) fn text(node: &Node, usage: Use, cell: Cell<'_>, problems: &mut Problems) -> String {
    let source = node.written().unwrap_or_default();
    let mut quotes = Quotes::default();
    let mut text = String::new();
    for piece in pieces(source, usage == Use::Shell, node, problems) {
        let (name, raw) = match piece {
            Piece::Literal(literal) => {
                quotes.read(&literal);
                text.push_str(&literal);
                continue;
            }
            Piece::Place { name, raw } => (name, raw),
        };
        let Some(value) = value_of(name, usage == Use::Shell, node, cell, problems) else {
            let raw = if raw { ":raw" } else { "" };
            let place = format!("${{{name}{raw}}}");
            quotes.read(&place);
            text.push_str(&place);
            continue;
        };
        let value = &value.text;
        match usage {
            Use::Shell if !raw => {
                if let Some(placed) = quotes.place(value) {
                    text.push_str(&placed);
                    continue;
                }
                let message = format!(
                    "the value {value:?} of {name} means something to the shell where ${{{name}}} stands"
                );
                let hint = format!(
                    "write \"${{{name}}}\" in quotes to pass it as one word, or ${{{name}:raw}} to put it in as shell text"
                );
                problems.at(node, message, Some(&hint));
            }
            Use::Glob => text.push_str(&globbed(value)),
            Use::Plain | Use::Shell | Use::Braces => text.push_str(value),
        }
    }
    if usage == Use::Braces {
        for (axis, value) in cell.axes.iter().zip(cell.values()) {
            text = text.replace(&format!("{{{}}}", axis.name), &value.text);
        }
    }
    text
}

/// The value of a placeholder. In shell text, an unknown name is left to the shell: `${HOME}`, `${x:-1}`.
fn value_of<'a>(
    name: &str,
    shell: bool,
    node: &Node,
    cell: Cell<'a>,
    problems: &mut Problems,
) -> Option<&'a Scalar> {
    let found = cell.value(name);
    if found.is_none() && shell {
        // `${N%.pt}` is a shell expansion of a variable with the name of an axis.
        let end = name.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let variable = name.get(..end.unwrap_or(name.len())).unwrap_or(name);
        let near = nearest(variable, cell.axes.iter().map(|axis| axis.name.as_str()));
        if let Some(near) = near.filter(|_| name != "GPU") {
            problems.warn(
                node,
                format!("${{{name}}} is left to the shell, which has no value of the grid; the grid has ${{{near}}}"),
            );
        }
    } else if found.is_none() && name != "GPU" {
        let near = nearest(name, cell.axes.iter().map(|axis| axis.name.as_str())).map_or_else(
            || format!("give the grid an axis {name:?}; no shell reads this text: write the value in place of a variable of the environment"),
            |near| format!("did you mean ${{{near}}}?"),
        );
        problems.at(node, format!("${{{name}}} has no value"), Some(&near));
    }
    found
}

/// The pieces of a template. In shell text, `${x:-${axis}}` is an expansion of the shell with a placeholder in it.
fn pieces<'a>(
    source: &'a str,
    shell: bool,
    node: &Node,
    problems: &mut Problems,
) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut rest = source;
    let literal = |pieces: &mut Vec<Piece<'a>>, text: &str| match pieces.last_mut() {
        Some(Piece::Literal(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => pieces.push(Piece::Literal(text.to_owned())),
    };
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            literal(&mut pieces, before);
            literal(&mut pieces, "${");
            rest = after;
            continue;
        }
        literal(&mut pieces, before);
        let end = after.find('}').unwrap_or(after.len());
        let inner = after.get(..end).and_then(|name| name.find("${"));
        if let Some((outer, inner)) = inner
            .filter(|_| shell)
            .and_then(|at| after.split_at_checked(at))
        {
            // A `$` before the inner `${` belongs to it.
            let dollar = usize::from(outer.ends_with('$'));
            let cut = outer.len() - dollar;
            literal(&mut pieces, "${");
            literal(&mut pieces, outer.get(..cut).unwrap_or_default());
            rest = after.get(cut..).unwrap_or(inner);
            continue;
        }
        let Some((name, after)) = after.split_once('}') else {
            problems.at(node, "${ without }", Some("$${ stands for ${ itself"));
            return pieces;
        };
        match name.strip_suffix(":raw") {
            Some(name) => pieces.push(Piece::Place { name, raw: true }),
            None => pieces.push(Piece::Place { name, raw: false }),
        }
        rest = after;
    }
    literal(&mut pieces, rest);
    pieces
}

/// The quoting state at a point of shell text. **Source**: POSIX shell, quoting (2.2).
#[derive(Clone, Copy, Default)]
struct Quotes {
    single: bool,
    double: bool,
    escaped: bool,
    /// The text so far holds a command substitution, a here-document, a comment or `$'`. After these, quotes have another meaning, and only
    /// plain words are safe.
    unclear: bool,
    /// Open `${`. In them a quote or a `}` may have another meaning.
    braces: u32,
    last: Option<char>,
}

impl Quotes {
    fn read(&mut self, text: &str) {
        for char in text.chars() {
            let last = self.last.replace(char);
            let pair = |one, other| last == Some(one) && char == other;
            self.unclear |= !self.single
                && (char == '`'
                    || pair('$', '(')
                    || pair('$', '\'')
                    || pair('<', '<')
                    || (char == '#' && !self.double && last.is_none_or(char::is_whitespace)));
            if !self.single && pair('$', '{') {
                self.braces += 1;
            } else if char == '}' && !self.single && !self.escaped {
                self.braces = self.braces.saturating_sub(1);
            }
            if self.escaped {
                self.escaped = false;
            } else if char == '\\' && !self.single {
                self.escaped = true;
            } else if char == '\'' && !self.double {
                self.single = !self.single;
            } else if char == '"' && !self.single {
                self.double = !self.double;
            }
        }
    }

    /// The text to insert for `value` at this point; `None`: no quoting would be safe.
    fn place(self, value: &str) -> Option<String> {
        // Letters outside ASCII have no special meaning in any shell.
        if is_plain_word(&value.replace(|c: char| !c.is_ascii() && c.is_alphanumeric(), "x")) {
            return Some(value.to_owned());
        }
        let in_braces = self.braces > 0 && (!self.double || value.contains(['}', '\'', '"']));
        if self.unclear || in_braces {
            None
        } else if self.single {
            Some(value.replace('\'', "'\\''"))
        } else if self.double && !self.escaped {
            let mut text = String::with_capacity(value.len());
            for char in value.chars() {
                // `!` is special only in interactive shells.
                if matches!(char, '\\' | '"' | '$' | '`') {
                    text.push('\\');
                }
                text.push(char);
            }
            Some(text)
        } else if !self.escaped && is_list(value) {
            // Outside quotes, a list would be a pattern of file names.
            Some(shell_line(&[value]))
        } else {
            None
        }
    }
}

/// Whether a value is plain except for brackets: `[64,64]`, `layer[0]`.
fn is_list(value: &str) -> bool {
    is_plain_word(&value.replace(['[', ']'], "_"))
}

fn globbed(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for char in value.chars() {
        match char {
            '*' | '?' | '[' => text.extend(['[', char, ']']),
            _ => text.push(char),
        }
    }
    text
}

/// Any value of a template, with its placeholders replaced. A scalar that is a single placeholder gets the type of the axis's value.
pub(super) fn value(node: &Node, usage: Use, cell: Cell<'_>, problems: &mut Problems) -> Node {
    let new = match &node.value {
        Value::Scalar { text: source, .. } => {
            let name = source.strip_prefix("${");
            let name = name.and_then(|rest| rest.strip_suffix('}'));
            match (name.and_then(|name| cell.value(name)), usage) {
                (Some(value), Use::Plain) => value.node.value.clone(),
                _ if matches!(node.kind(), Some(Kind::Text(_))) => {
                    return quoted(node, &text(node, usage, cell, problems));
                }
                _ => node.value.clone(),
            }
        }
        Value::List(items) => {
            let items = items.iter().map(|item| value(item, usage, cell, problems));
            Value::List(items.collect())
        }
        Value::Map(entries) => {
            let entries = entries.iter();
            let entries =
                entries.map(|(key, item)| (key.clone(), value(item, usage, cell, problems)));
            Value::Map(entries.collect())
        }
    };
    made(node, new)
}
