//! A job's template, compiled: literal text and tables of what each value of an axis puts in its place.

use super::cells::{Axis, Cells};
use crate::json;
use crate::problem::{Problems, nearest};
use crate::shell;
use crate::tree::{Kind, Node, Value};

/// Text with places for values.
#[derive(Default)]
pub(super) struct Text(Vec<Part>);

enum Part {
    Literal(String),
    /// What to put for each value of an axis.
    Table {
        axis: usize,
        entries: Vec<String>,
    },
}

/// What a text is for: how values are put into it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    /// For a program: as it is.
    Plain,
    /// A shell's command.
    Shell,
    /// One word of a shell's command, quoted as a whole where it needs be.
    Word,
    /// A glob: what a value holds is no pattern.
    Glob,
}

/// A piece of a template: literal text, or `${name}`.
enum Piece<'a> {
    Literal(String),
    Place { name: &'a str, raw: bool },
}

impl Text {
    pub(super) fn push_literal(&mut self, text: &str) {
        if let Some(Part::Literal(last)) = self.0.last_mut() {
            last.push_str(text);
        } else {
            self.0.push(Part::Literal(text.to_owned()));
        }
    }

    /// Takes blanks and line feeds off the end, as far as they are literal.
    pub(super) fn trim_end(&mut self) {
        if let Some(Part::Literal(last)) = self.0.last_mut() {
            last.truncate(last.trim_end().len());
        }
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// The same text between quotes of JSON.
    pub(super) fn json_string(mut self) -> Self {
        for part in &mut self.0 {
            match part {
                Part::Literal(text) => *text = json::escaped(text),
                Part::Table { entries, .. } => {
                    for entry in entries {
                        *entry = json::escaped(entry);
                    }
                }
            }
        }
        let mut text = Self::default();
        text.push_literal("\"");
        text.append(self);
        text.push_literal("\"");
        text
    }

    /// Appends the text for one cell.
    pub(super) fn render(&self, cell: &[usize], out: &mut String) {
        for part in &self.0 {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Table { axis, entries } => {
                    out.push_str(entries.get(cell[*axis]).map_or("", String::as_str));
                }
            }
        }
    }
}

/// Compiles one scalar.
pub(super) fn text(node: &Node, usage: Use, cells: &Cells, problems: &mut Problems) -> Text {
    let source = node.written().unwrap_or_default();
    let pieces = pieces(source, node, problems);
    if usage == Use::Word {
        return one_word(&pieces, node, cells, problems);
    }
    let mut state = Quotes::default();
    let mut compiled = Text::default();
    for piece in &pieces {
        match piece {
            Piece::Literal(text) => {
                state.read(text);
                compiled.push_literal(text);
            }
            Piece::Place { name, raw } => {
                let shell = usage == Use::Shell;
                let Some((at, axis)) = axis(name, shell, node, cells, problems) else {
                    let raw = if *raw { ":raw" } else { "" };
                    let text = format!("${{{name}{raw}}}");
                    state.read(&text);
                    compiled.push_literal(&text);
                    continue;
                };
                let entries = axis
                    .values
                    .iter()
                    .map(|value| match usage {
                        Use::Shell if !raw => state.place(&value.text).unwrap_or_else(|| {
                            problems.at(
                                node,
                                format!(
                                    "the value {:?} of {name} means something to the shell where ${{{name}}} stands",
                                    value.text
                                ),
                                Some(&format!(
                                    "write \"${{{name}}}\" in quotes to pass it as one word, or ${{{name}:raw}} to put it in as shell text"
                                )),
                            );
                            String::new()
                        }),
                        Use::Glob => globbed(&value.text),
                        _ => value.text.clone(),
                    })
                    .collect();
                compiled.0.push(Part::Table { axis: at, entries });
            }
        }
    }
    compiled
}

/// Quoted for the shell when any of its values needs it: the same form for all jobs of a phase.
fn one_word(pieces: &[Piece<'_>], node: &Node, cells: &Cells, problems: &mut Problems) -> Text {
    let mut parts = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Literal(text) => parts.push(Part::Literal(text.clone())),
            Piece::Place { name, .. } => {
                if let Some((at, axis)) = axis(name, false, node, cells, problems) {
                    parts.push(Part::Table {
                        axis: at,
                        entries: axis.values.iter().map(|value| value.text.clone()).collect(),
                    });
                }
            }
        }
    }
    let plain = !parts.is_empty()
        && parts.iter().all(|part| match part {
            Part::Literal(text) => shell::is_plain(text),
            Part::Table { entries, .. } => entries.iter().all(|text| shell::is_plain(text)),
        });
    if plain {
        return Text(parts);
    }
    let quote = |text: &mut String| *text = text.replace('\'', "'\\''");
    for part in &mut parts {
        match part {
            Part::Literal(text) => quote(text),
            Part::Table { entries, .. } => entries.iter_mut().for_each(quote),
        }
    }
    let mut word = Text::default();
    word.push_literal("'");
    word.append(Text(parts));
    word.push_literal("'");
    word
}

/// The axis of a placeholder. In text for the shell everything else is the shell's: `${HOME}`, `${x:-1}`.
fn axis<'a>(
    name: &str,
    shell: bool,
    node: &Node,
    cells: &'a Cells,
    problems: &mut Problems,
) -> Option<(usize, &'a Axis)> {
    let found = cells
        .axes
        .iter()
        .enumerate()
        .find(|(_, axis)| axis.name == name);
    if found.is_none() && shell {
        // `${N%.pt}`: a shell's expansion of a variable that is called like an axis.
        let end = name.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let variable = name.get(..end.unwrap_or(name.len())).unwrap_or(name);
        let near = nearest(variable, cells.axes.iter().map(|axis| axis.name.as_str()));
        if let Some(near) = near.filter(|_| name != "GPU") {
            problems.warn(
                node,
                format!("${{{name}}} is left to the shell, which has no value of the grid; the grid has ${{{near}}}"),
            );
        }
    } else if found.is_none() && name != "GPU" {
        let near = nearest(name, cells.axes.iter().map(|axis| axis.name.as_str())).map_or_else(
            || format!("give the grid an axis {name:?}, or write $${{{name}}} for a variable of the shell"),
            |near| format!("did you mean ${{{near}}}?"),
        );
        problems.at(node, format!("${{{name}}} has no value"), Some(&near));
    }
    found
}

fn pieces<'a>(source: &'a str, node: &Node, problems: &mut Problems) -> Vec<Piece<'a>> {
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

/// Where in a shell's text a place stands. **Source**: POSIX shell, quoting (2.2).
#[derive(Clone, Copy, Default)]
struct Quotes {
    single: bool,
    double: bool,
    escaped: bool,
    /// The text before holds a command substitution, a here-document, a comment or `$'`: quotes mean something else from there
    /// on, so only plain words are safe.
    unclear: bool,
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

    /// What stands for `value` here; `None`: no text could.
    fn place(self, value: &str) -> Option<String> {
        if shell::is_plain(value) {
            return Some(value.to_owned());
        }
        if self.unclear {
            None
        } else if self.single {
            Some(value.replace('\'', "'\\''"))
        } else if self.double && !self.escaped {
            let mut text = String::with_capacity(value.len());
            for char in value.chars() {
                // `!` only means something to an interactive shell.
                if matches!(char, '\\' | '"' | '$' | '`') {
                    text.push('\\');
                }
                text.push(char);
            }
            Some(text)
        } else if !self.escaped && is_list(value) {
            // A list, which means a pattern of file names outside quotes.
            Some(shell::word(value))
        } else {
            None
        }
    }
}

/// Brackets around or behind plain text: `[64,64]`, `layer[0]`.
fn is_list(value: &str) -> bool {
    shell::is_plain(&value.replace(['[', ']'], "_"))
}

fn globbed(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for char in value.chars() {
        if matches!(char, '*' | '?' | '[') {
            text.push('[');
            text.push(char);
            text.push(']');
        } else {
            text.push(char);
        }
    }
    text
}

/// Any value of a template as JSON with places: a scalar that is one placeholder keeps the type of the axis.
pub(super) fn value(node: &Node, usage: Use, cells: &Cells, problems: &mut Problems) -> Text {
    match &node.value {
        Value::Scalar { text: source, .. } => {
            let whole = source
                .strip_prefix("${")
                .and_then(|rest| rest.strip_suffix('}'))
                .and_then(|name| cells.axes.iter().position(|axis| axis.name == name));
            if let (Some(axis), Use::Plain) = (whole, usage) {
                let entries = cells.axes[axis]
                    .values
                    .iter()
                    .map(|value| value.json.clone())
                    .collect();
                return Text(vec![Part::Table { axis, entries }]);
            }
            if matches!(node.kind(), Some(Kind::Text(_))) {
                text(node, usage, cells, problems).json_string()
            } else {
                let mut literal = Text::default();
                literal.push_literal(&json::scalar(node));
                literal
            }
        }
        Value::List(items) => {
            let mut list = Text::default();
            list.push_literal("[");
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    list.push_literal(", ");
                }
                list.append(value(item, usage, cells, problems));
            }
            list.push_literal("]");
            list
        }
        Value::Map(entries) => {
            let mut map = Text::default();
            map.push_literal("{");
            for (at, (key, item)) in entries.iter().enumerate() {
                if at > 0 {
                    map.push_literal(", ");
                }
                map.push_literal(&format!("{}: ", json::string(&key.text)));
                map.append(value(item, usage, cells, problems));
            }
            map.push_literal("}");
            map
        }
    }
}

/// The value of an axis as JSON.
pub(super) fn of_axis(at: usize, axis: &Axis) -> Text {
    let entries = axis.values.iter().map(|value| value.json.clone()).collect();
    Text(vec![Part::Table { axis: at, entries }])
}

/// The arguments of a template as words of the shell, each with a blank before it.
pub(super) fn arguments(args: &Node, cells: &Cells, problems: &mut Problems) -> Text {
    let mut words = Text::default();
    let Value::Map(entries) = &args.value else {
        problems.at(
            args,
            format!("args must be a map, not {}", args.noun()),
            Some("args: {seed: \"${seed}\"}"),
        );
        return words;
    };
    for (key, node) in entries {
        let flag = if key.text.starts_with('-') {
            key.text.clone()
        } else {
            format!("--{}", key.text)
        };
        let items = match (&node.value, node.kind()) {
            (_, Some(Kind::Null | Kind::Bool(false))) => continue,
            (_, Some(Kind::Bool(true))) => &[][..],
            (Value::List(items), _) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        words.push_literal(&format!(" {}", shell::word(&flag)));
        for item in items {
            if item.written().is_none() {
                problems.at(
                    item,
                    format!(
                        "the argument {:?} must be a scalar or a list of scalars",
                        key.text
                    ),
                    None,
                );
            }
            words.push_literal(" ");
            words.append(text(item, Use::Word, cells, problems));
        }
    }
    words
}
