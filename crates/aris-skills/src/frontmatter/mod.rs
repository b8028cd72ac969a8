//! The YAML block at the top of a SKILL.md.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag};

use crate::pattern::{Pattern, compiled};
use crate::text::Text;

/// Deepest nesting that is read. Real frontmatter has three levels; a thousand brackets attack recursive readers.
const DEPTH_LIMIT: usize = 64;

/// Most nodes that are built. An alias counts every time it is used.
const NODE_LIMIT: usize = 20_000;

/// The frontmatter of a file. It begins if the first line is `---`, and ends at the next such line; trailing white space is
/// ignored.
#[derive(Clone, Debug)]
pub struct Frontmatter {
    /// Line number of the closing marker; the body starts after it.
    pub last: usize,
    /// Bytes of [`Text::raw`] between the two marker lines.
    pub range: Range<usize>,
    /// The mapping, or why there is none.
    pub yaml: Result<Yaml, YamlFault>,
}

/// Why a frontmatter is not a YAML mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlFault {
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub col: usize,
    /// What is wrong, lower case, without a full stop.
    pub message: String,
    /// Whether common parsers accept the text anyway. Its meaning for them is then unknown.
    pub disputed: bool,
}

/// Faults under the YAML 1.2 grammar that parsers of the libyaml family, which most hosts use, accept.
///
/// **Source**: 1,015 frontmatters of public skills and 289 made ones, read by this parser, `PyYAML` 6.0.3 and ruamel.yaml 0.19.1.
const DISPUTED: [&str; 5] = [
    "invalid indentation in multiline quoted scalar",
    "found high surrogate without following low surrogate",
    "a BOM must not appear inside a document",
    "comments must be separated from other tokens by whitespace",
    "plain scalar cannot start with '-' followed by",
];

/// A tab at the beginning of a line. Inside quotes, only the grammar's letter makes it a fault.
const TAB: &str = "tab cannot be used as indentation";

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A scalar without quotes.
    Plain,
    /// A scalar in quotes, or after `|` or `>`.
    Quoted,
    /// A collection written by indentation.
    Block,
    /// `[…]` or `{…}`.
    Flow,
}

/// A YAML node with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yaml {
    /// Its value.
    pub value: Value,
    /// How it is written.
    pub style: Style,
    /// A scalar's text before its type is decided (`1.0`, `yes`), with quotes and escapes resolved; empty for collections.
    pub text: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub col: usize,
    /// Byte range in [`Text::raw`]; for an alias that of the alias itself.
    pub range: Range<usize>,
}

/// The value of a node, typed by the core schema of YAML 1.2: `yes`, `on` and dates are strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Empty, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number; its digits are in [`Yaml::text`].
    Int,
    /// A number with a point or an exponent, `.inf`, `.nan`.
    Float,
    /// Any other scalar, and every scalar in quotes.
    Str(String),
    /// A sequence.
    Seq(Vec<Yaml>),
    /// A mapping in the order of the file; no two keys are equal.
    Map(Vec<(Yaml, Yaml)>),
}

impl Value {
    /// Name of the type for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int => "an integer",
            Self::Float => "a float",
            Self::Str(_) => "a string",
            Self::Seq(_) => "a list",
            Self::Map(_) => "a mapping",
        }
    }
}

impl Yaml {
    /// The entries of a mapping; empty for other nodes.
    pub fn entries(&self) -> &[(Self, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a key that is a string.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Key and value of a key that is a string.
    pub fn entry(&self, key: &str) -> Option<&(Self, Self)> {
        let mut entries = self.entries().iter();
        entries.find(|(name, _)| name.as_str() == Some(key))
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// This node and all nodes below it, in file order.
    pub fn nodes(&self) -> Vec<&Self> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            found.push(node);
            match &node.value {
                Value::Seq(items) => open.extend(items.iter().rev()),
                Value::Map(entries) => {
                    for (key, value) in entries.iter().rev() {
                        open.push(value);
                        open.push(key);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

impl Frontmatter {
    /// The frontmatter of a text; `None` when line 1 does not open it, or when it is not closed.
    pub fn of(text: &Text) -> Option<Self> {
        if text.line(1).trim_end() != "---" {
            return None;
        }
        let (last, _) = text
            .lines_from(2)
            .find(|(_, line)| line.trim_end() == "---")?;
        let range = text.start(2)..text.start(last);
        let source = text.raw().get(range.clone()).unwrap_or_default();
        let yaml = mapping(source, 1, range.start);
        Some(Self { last, range, yaml })
    }

    /// The top-level mapping, if there is one.
    pub fn mapping(&self) -> Option<&Yaml> {
        self.yaml.as_ref().ok()
    }

    /// The value of a top-level key.
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        self.mapping()?.get(key)
    }
}

/// Reads one YAML document that must be a mapping. `lines_before` and `bytes_before` count what precedes it in its file.
fn mapping(source: &str, lines_before: usize, bytes_before: usize) -> Result<Yaml, YamlFault> {
    let (line, col, kind) = match document(source, lines_before, bytes_before)? {
        Some(yaml) if matches!(yaml.value, Value::Map(_)) => return Ok(yaml),
        Some(yaml) => (yaml.line, yaml.col, yaml.value.kind()),
        None => (lines_before.max(1), 1, "empty"),
    };
    Err(YamlFault {
        line,
        col,
        message: format!("the frontmatter is {kind}, not a mapping"),
        disputed: false,
    })
}

/// Reads one YAML document; `None` when it is empty. `lines_before` and `bytes_before` count what precedes `source` in its
/// file.
pub fn document(
    source: &str,
    lines_before: usize,
    bytes_before: usize,
) -> Result<Option<Yaml>, YamlFault> {
    let mut build = Build {
        source,
        lines_before,
        bytes_before,
        open: Vec::new(),
        anchors: Vec::new(),
        nodes: 0,
        done: None,
    };
    for next in Parser::new_from_str(source) {
        let (event, span) = next.map_err(|error| build.scan_fault(&error))?;
        build.event(event, &span)?;
    }
    Ok(build.done)
}

/// A collection that is not closed yet.
struct Open {
    node: Yaml,
    anchor: usize,
    /// A mapping's key whose value has not been read.
    key: Option<Yaml>,
}

struct Build<'a> {
    source: &'a str,
    lines_before: usize,
    bytes_before: usize,
    open: Vec<Open>,
    anchors: Vec<(usize, Yaml)>,
    nodes: usize,
    done: Option<Yaml>,
}

impl Build<'_> {
    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), YamlFault> {
        match event {
            Event::DocumentStart(..) if self.done.is_some() => {
                Err(self.fault(span, "a second YAML document starts here"))
            }
            Event::Scalar(text, style, anchor, tag) => {
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    _ => Style::Quoted,
                };
                let text = text.into_owned();
                let is_string = |tag: &Tag| tag.is_yaml_core_schema_tag("str");
                let value = if style == Style::Quoted || tag.as_deref().is_some_and(is_string) {
                    Value::Str(text.clone())
                } else {
                    plain(&text)
                };
                let node = self.node(value, style, text, span);
                self.remember(anchor, &node);
                self.place(node, span)
            }
            Event::SequenceStart(style, anchor, _) => {
                self.start(Value::Seq(Vec::new()), style, anchor, span)
            }
            Event::MappingStart(style, anchor, _) => {
                self.start(Value::Map(Vec::new()), style, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(mut open) = self.open.pop() else {
                    return Ok(());
                };
                if open.node.style == Style::Flow {
                    open.node.range.end = self.bytes_before + end_of(span);
                }
                self.remember(open.anchor, &open.node);
                self.place(open.node, span)
            }
            Event::Alias(id) => {
                let found = self.anchors.iter().rev().find(|(anchor, _)| *anchor == id);
                let Some((_, target)) = found else {
                    return Err(self.fault(span, "an alias to a node that is not finished"));
                };
                let mut node = target.clone();
                self.nodes += node.nodes().len();
                let here = self.node(Value::Null, Style::Plain, String::new(), span);
                (node.line, node.col, node.range) = (here.line, here.col, here.range);
                self.place(node, span)
            }
            _ => Ok(()),
        }
    }

    fn start(
        &mut self,
        value: Value,
        style: StructureStyle,
        anchor: usize,
        span: &Span,
    ) -> Result<(), YamlFault> {
        if self.open.len() >= DEPTH_LIMIT {
            return Err(self.fault(span, "nested deeper than 64 levels"));
        }
        let style = match style {
            StructureStyle::Block => Style::Block,
            StructureStyle::Flow => Style::Flow,
        };
        let node = self.node(value, style, String::new(), span);
        self.open.push(Open {
            node,
            anchor,
            key: None,
        });
        Ok(())
    }

    fn remember(&mut self, anchor: usize, node: &Yaml) {
        if anchor != 0 {
            self.anchors.push((anchor, node.clone()));
        }
    }

    /// Adds a finished node to the open collection.
    fn place(&mut self, node: Yaml, span: &Span) -> Result<(), YamlFault> {
        self.nodes += 1;
        if self.nodes > NODE_LIMIT {
            return Err(self.fault(span, "more than 20,000 nodes"));
        }
        let Some(parent) = self.open.last_mut() else {
            self.done = Some(node);
            return Ok(());
        };
        parent.node.range.end = parent.node.range.end.max(node.range.end);
        match (&mut parent.node.value, parent.key.take()) {
            (Value::Seq(items), _) => items.push(node),
            (Value::Map(entries), Some(key)) => entries.push((key, node)),
            (Value::Map(entries), None) => {
                if let Some((first, _)) = entries.iter().find(|(key, _)| same(key, &node)) {
                    let (key, line) = (&node.text, first.line);
                    return Err(YamlFault {
                        line: node.line,
                        col: node.col,
                        message: format!("the key `{key}` is given twice, first in line {line}"),
                        disputed: false,
                    });
                }
                parent.key = Some(node);
            }
            _ => {}
        }
        Ok(())
    }

    fn node(&self, value: Value, style: Style, text: String, span: &Span) -> Yaml {
        let start = span.start.byte_offset().unwrap_or(0);
        Yaml {
            value,
            style,
            text,
            line: span.start.line() + self.lines_before,
            col: span.start.col() + 1,
            range: self.bytes_before + start..self.bytes_before + end_of(span).max(start),
        }
    }

    fn fault(&self, span: &Span, message: &str) -> YamlFault {
        YamlFault {
            line: span.start.line() + self.lines_before,
            col: span.start.col() + 1,
            message: message.to_owned(),
            disputed: false,
        }
    }

    fn scan_fault(&self, error: &ScanError) -> YamlFault {
        // A fault at the end of the file is reported on the last existing line.
        let lines = self.source.lines().count().max(1);
        let line = error.marker().line().clamp(1, lines);
        let message = error.info();
        let before = self.source.lines().take(line - 1);
        let quotes = before.flat_map(str::bytes).filter(|byte| *byte == b'"');
        let disputed = DISPUTED.iter().any(|known| message.contains(known))
            || (message.contains(TAB) && quotes.count() % 2 == 1);
        YamlFault {
            line: line + self.lines_before,
            col: error.marker().col() + 1,
            message,
            disputed,
        }
    }
}

fn end_of(span: &Span) -> usize {
    span.end.byte_offset().unwrap_or(0)
}

/// Whether two keys are equal: same type and content, regardless of place.
fn same(left: &Yaml, right: &Yaml) -> bool {
    match (&left.value, &right.value) {
        (Value::Int | Value::Float, Value::Int | Value::Float) => left.text == right.text,
        (Value::Seq(_) | Value::Map(_), _) | (_, Value::Seq(_) | Value::Map(_)) => false,
        (left, right) => left == right,
    }
}

/// The type of a plain scalar, by the core schema of YAML 1.2 (§10.3.2).
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Value::Float,
        _ if INT.is_match(text) => Value::Int,
        _ if FLOAT.is_match(text) => Value::Float,
        _ => Value::Str(text.to_owned()),
    }
}

static INT: Pattern = Pattern::new(|| compiled("^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"));

static FLOAT: Pattern = Pattern::new(|| {
    compiled(r"^[-+]?(?:\.(?:inf|Inf|INF)|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$")
});

#[cfg(test)]
mod tests;
