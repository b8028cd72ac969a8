//! YAML and JSON as a tree whose scalars stay as written, each node with its line. JSON is a part of YAML.
//!
//! Anchors, aliases and merge keys are resolved. A key that stands twice in a mapping stays twice, so that a rule can report
//! it; [`Node::get`] gives the last one, as YAML loaders do.

use std::collections::{BTreeMap, BTreeSet};

use granit_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value as Json};

/// Collections that may lie in each other. **Source**: a recipe has five levels; deeper is an attack on the stack.
const MAX_DEPTH: usize = 64;
/// Nodes that aliases may add to a file.
const MAX_ALIASED: usize = 1_000_000;

/// A value and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// From 1.
    pub line: u32,
    /// The value.
    pub value: Value,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar.
    Scalar {
        /// Its text.
        text: String,
        /// Whether it stood without quotes, so that it may be a number, a truth value or null.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order of the file; a key may stand twice.
    Map(Vec<(Text, Node)>),
}

/// A text and its line; also a key of a mapping.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text {
    /// The text.
    pub text: String,
    /// From 1.
    pub line: u32,
}

/// What a scalar means.
///
/// **Source**: the core schema of YAML 1.2, numbers in decimal only; `yes`, `on` and their like are texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// Anything else.
    Text(&'a str),
}

/// Why a file is not YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// From 1; 0 when there is no place.
    pub line: u32,
    /// From 1; 0 when there is no place.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl Node {
    /// What the scalar means; `None` for lists and mappings.
    pub fn scalar(&self) -> Option<Scalar<'_>> {
        let Value::Scalar { text, plain } = &self.value else {
            return None;
        };
        if !plain {
            return Some(Scalar::Text(text));
        }
        Some(match text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
            "true" | "True" | "TRUE" => Scalar::Bool(true),
            "false" | "False" | "FALSE" => Scalar::Bool(false),
            text => number(text).unwrap_or(Scalar::Text(text)),
        })
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.scalar() == Some(Scalar::Null)
    }

    /// The scalar's text as written, whatever it means; `None` for null, lists and mappings.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// A truth value. YAML 1.1's spellings count too, in any case: this is for fields that are truth values by definition.
    pub fn truth(&self) -> Option<bool> {
        let Value::Scalar { text, .. } = &self.value else {
            return None;
        };
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => Some(true),
            "false" | "no" | "off" | "n" => Some(false),
            _ => None,
        }
    }

    /// A whole number that is not in quotes.
    pub fn integer(&self) -> Option<i64> {
        match self.scalar() {
            Some(Scalar::Integer(number)) => Some(number),
            _ => None,
        }
    }

    /// The value under a key of a mapping; of several the last.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let known = |(name, _): &&(Text, Self)| name.text == key;
        self.entries()
            .iter()
            .rev()
            .find(known)
            .map(|(_, node)| node)
    }

    /// The entries of a mapping in the order of the file; empty for everything else.
    pub fn entries(&self) -> &[(Text, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            Value::Scalar { .. } | Value::List(_) => &[],
        }
    }

    /// The items of a list; empty for everything else.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Scalar { .. } | Value::Map(_) => &[],
        }
    }

    /// Whether it is a mapping.
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }

    /// What the value is called in messages, with its article.
    pub fn noun(&self) -> &'static str {
        match (&self.value, self.scalar()) {
            (Value::List(_), _) => "a list",
            (Value::Map(_), _) => "a mapping",
            (_, Some(Scalar::Null)) => "null",
            (_, Some(Scalar::Bool(_))) => "a truth value",
            (_, Some(Scalar::Integer(_) | Scalar::Float(_))) => "a number",
            _ => "a text",
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|(key, node)| (key.text.clone(), node.to_json()))
                    .collect::<Map<_, _>>(),
            ),
            Value::Scalar { text, .. } => match self.scalar() {
                Some(Scalar::Null) => Json::Null,
                Some(Scalar::Bool(truth)) => Json::Bool(truth),
                Some(Scalar::Integer(number)) => Json::from(number),
                Some(Scalar::Float(number)) => {
                    Number::from_f64(number).map_or_else(|| Json::from(text.as_str()), Json::Number)
                }
                _ => Json::from(text.as_str()),
            },
        }
    }
}

fn number(text: &str) -> Option<Scalar<'_>> {
    let first = text.as_bytes().first()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return None;
    }
    if let Ok(number) = text.parse() {
        return Some(Scalar::Integer(number));
    }
    let shaped = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
    if !shaped {
        return None;
    }
    text.parse().ok().map(Scalar::Float)
}

/// Reads one document. **Errors**: the first mistake of syntax.
pub fn read(text: &str) -> Result<Node, Malformed> {
    // A byte order mark is no part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => builder.event(event, &span)?,
            Err(error) => {
                return Err(Malformed {
                    line: small(error.marker().line()),
                    column: small(error.marker().col() + 1),
                    message: error.info().lines().next().unwrap_or_default().to_owned(),
                });
            }
        }
    }
    Ok(builder.root.unwrap_or(Node {
        line: 1,
        value: Value::Scalar {
            text: String::new(),
            plain: true,
        },
    }))
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    aliased: usize,
    root: Option<Node>,
}

/// A collection whose end has not been seen.
struct Open {
    line: u32,
    anchor: usize,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    Map {
        entries: Vec<(Text, Node)>,
        key: Option<Text>,
        merged: Vec<Node>,
    },
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), Malformed> {
        let line = small(span.start.line());
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => (
                Node {
                    line,
                    value: Value::Scalar {
                        text: text.into_owned(),
                        plain: style == ScalarStyle::Plain,
                    },
                },
                anchor,
            ),
            Event::Alias(id) => {
                let Some(node) = self.anchors.get(&id) else {
                    return Err(wrong(span, "an alias inside its own anchor"));
                };
                self.aliased += size(node);
                if self.aliased > MAX_ALIASED {
                    return Err(wrong(span, "aliases multiply this file beyond all use"));
                }
                (node.clone(), 0)
            }
            Event::SequenceStart(_, anchor, _) => {
                return self.begin(line, anchor, Items::List(Vec::new()), span);
            }
            Event::MappingStart(_, anchor, _) => {
                let items = Items::Map {
                    entries: Vec::new(),
                    key: None,
                    merged: Vec::new(),
                };
                return self.begin(line, anchor, items, span);
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                None => return Ok(()),
                Some(open) => (
                    Node {
                        line: open.line,
                        value: closed(open.items),
                    },
                    open.anchor,
                ),
            },
            Event::DocumentStart(..) if self.root.is_some() => {
                return Err(wrong(span, "a second document in one file"));
            }
            _ => return Ok(()),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.place(node, span)
    }

    fn begin(
        &mut self,
        line: u32,
        anchor: usize,
        items: Items,
        span: &Span,
    ) -> Result<(), Malformed> {
        if self.open.len() >= MAX_DEPTH {
            return Err(wrong(span, "nested too deeply"));
        }
        self.open.push(Open {
            line,
            anchor,
            items,
        });
        Ok(())
    }

    fn place(&mut self, node: Node, span: &Span) -> Result<(), Malformed> {
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.root = Some(node),
            Some(Items::List(items)) => items.push(node),
            Some(Items::Map {
                entries,
                key,
                merged,
            }) => match key.take() {
                None => match node.value {
                    Value::Scalar { text, .. } => {
                        *key = Some(Text {
                            text,
                            line: node.line,
                        });
                    }
                    Value::List(_) | Value::Map(_) => {
                        return Err(wrong(span, "a list or a mapping as a key"));
                    }
                },
                Some(name) if name.text == "<<" => merged.push(node),
                Some(name) => entries.push((name, node)),
            },
        }
        Ok(())
    }
}

/// The mapping's own keys win over merged ones, wherever the merge key stands; of two merged mappings the first wins.
fn closed(items: Items) -> Value {
    let (mut entries, merged) = match items {
        Items::List(items) => return Value::List(items),
        Items::Map {
            entries, merged, ..
        } => (entries, merged),
    };
    if !merged.is_empty() {
        let mut known: BTreeSet<String> = entries.iter().map(|(key, _)| key.text.clone()).collect();
        for node in merged {
            let maps = match node.value {
                Value::List(maps) => maps,
                _ => vec![node],
            };
            for (key, value) in maps.into_iter().flat_map(|map| match map.value {
                Value::Map(entries) => entries,
                Value::Scalar { .. } | Value::List(_) => Vec::new(),
            }) {
                if known.insert(key.text.clone()) {
                    entries.push((key, value));
                }
            }
        }
    }
    Value::Map(entries)
}

fn size(node: &Node) -> usize {
    match &node.value {
        Value::Map(entries) => 1 + entries.iter().map(|(_, node)| size(node)).sum::<usize>(),
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Scalar { .. } => 1,
    }
}

fn wrong(span: &Span, message: &str) -> Malformed {
    Malformed {
        line: small(span.start.line()),
        column: small(span.start.col() + 1),
        message: message.to_owned(),
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scalars_stay_as_written_and_mean_what_yaml_says() {
        let node = read("f: 1e-4\nn: 007\nname: \"12\"\non: yes\nnone:\nt: true\nv: NO\n").unwrap();
        let scalar = |key: &str| node.get(key).unwrap().scalar().unwrap();
        assert_eq!(scalar("f"), Scalar::Float(1e-4));
        assert_eq!(scalar("n"), Scalar::Integer(7));
        assert_eq!(node.get("n").unwrap().text(), Some("007"));
        assert_eq!(scalar("name"), Scalar::Text("12"));
        assert_eq!(scalar("on"), Scalar::Text("yes"));
        assert_eq!(node.get("on").unwrap().truth(), Some(true));
        assert_eq!(node.get("none").unwrap().text(), None);
        assert_eq!(scalar("t"), Scalar::Bool(true));
        assert_eq!(node.get("v").unwrap().text(), Some("NO"));
        assert_eq!(node.to_json()["f"], 1e-4);
    }

    #[test]
    fn merge_keys_yield_and_duplicates_stay() {
        let node = read("b: &b {x: 1, y: 2}\no:\n  <<: *b\n  x: 3\nd: 1\nd: 2\n").unwrap();
        let merged = node.get("o").unwrap();
        assert_eq!(merged.get("x").unwrap().text(), Some("3"));
        assert_eq!(merged.get("y").unwrap().text(), Some("2"));
        assert_eq!(node.get("d").unwrap().text(), Some("2"));
        assert_eq!(node.entries().len(), 4);
        assert_eq!(node.entries()[3].0.line, 6);
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, line, part) in [
            ("a: 1\nb: : [\n", 2, ""),
            ("a: 1\n---\nb: 2\n", 2, "second document"),
            ("? [1]\n: 2\n", 1, "as a key"),
        ] {
            let wrong = read(text).unwrap_err();
            assert!(
                wrong.line == line && wrong.message.contains(part),
                "{text:?}: {wrong:?}"
            );
        }
        assert!(read(&"[".repeat(5000)).is_err());
        assert!(read("").unwrap().is_null());
    }

    #[test]
    fn aliases_cannot_explode() {
        let mut text = String::from("a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
        for level in 1..12 {
            let previous = level - 1;
            let items = vec![format!("*a{previous}"); 10].join(",");
            text = format!("{text}a{level}: &a{level} [{items}]\n");
        }
        assert!(read(&text).unwrap_err().message.contains("aliases"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}", yaml in "[\\[\\]{}\",:0-9e.\\-a-c &*#|>?!<\n]{0,60}") {
            let _one = read(&text);
            let _other = read(&yaml);
        }
    }
}
