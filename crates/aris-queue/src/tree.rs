//! YAML and JSON as a tree whose scalars stay as written, each node with its place.
//!
//! One parser for both: JSON is a part of YAML. Anchors, aliases and merge keys are resolved; duplicate keys, several
//! documents and collections as keys are mistakes. Numbers keep their text, so that `1e-4` in a grid is `1e-4` on a command
//! line.

use std::collections::{BTreeMap, BTreeSet};

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span};

use crate::problem::Problem;

/// Collections that may lie in each other. **Source**: a manifest has five levels; deeper is an attack on the stack.
const MAX_DEPTH: usize = 64;
/// Nodes that aliases may add to a file.
const MAX_ALIASED: usize = 1_000_000;
/// Keys up to which duplicates are looked for one by one.
const SMALL_MAP: usize = 24;

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// The value.
    pub value: Value,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar; `plain` when it was not in quotes, so that it may be a number, a truth value or null.
    Scalar {
        /// Its text.
        text: String,
        /// Whether it stood without quotes.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file.
    Map(Vec<(Key, Node)>),
}

/// A key of a map and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its text.
    pub text: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// What a scalar means. **Source**: the core schema of YAML 1.2, numbers in decimal only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'a> {
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

impl Node {
    /// What the scalar means; `None` for lists and maps.
    pub fn kind(&self) -> Option<Kind<'_>> {
        let Value::Scalar { text, plain } = &self.value else {
            return None;
        };
        if !plain {
            return Some(Kind::Text(text));
        }
        Some(match text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
            "true" | "True" | "TRUE" => Kind::Bool(true),
            "false" | "False" | "FALSE" => Kind::Bool(false),
            text => number(text).unwrap_or(Kind::Text(text)),
        })
    }

    /// Whether the scalar is null.
    pub fn is_null(&self) -> bool {
        self.kind() == Some(Kind::Null)
    }

    /// The scalar's text, whatever it means.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Looks a key of a map up.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Map(entries) => entries
                .iter()
                .find(|(known, _)| known.text == key)
                .map(|(_, node)| node),
            Value::Scalar { .. } | Value::List(_) => None,
        }
    }

    /// What the value is called in messages.
    pub fn noun(&self) -> &'static str {
        match (&self.value, self.kind()) {
            (Value::List(_), _) => "a list",
            (Value::Map(_), _) => "a map",
            (_, Some(Kind::Null)) => "null",
            (_, Some(Kind::Bool(_))) => "a truth value",
            (_, Some(Kind::Integer(_) | Kind::Float(_))) => "a number",
            _ => "a text",
        }
    }

    /// A problem at this place.
    pub fn problem(&self, message: impl Into<String>, hint: Option<&str>) -> Problem {
        Problem {
            line: self.line,
            column: self.column,
            message: message.into(),
            hint: hint.map(str::to_owned),
        }
    }
}

fn number(text: &str) -> Option<Kind<'_>> {
    let first = text.as_bytes().first()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return None;
    }
    if let Ok(number) = text.parse() {
        return Some(Kind::Integer(number));
    }
    let shaped = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
    if !shaped {
        return None;
    }
    text.parse().ok().map(Kind::Float)
}

/// Reads one document. **Errors**: the first mistake of syntax.
pub fn read(text: &str) -> Result<Node, Problem> {
    // A byte order mark is no part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => builder.event(event, &span)?,
            Err(error) => {
                let marker = error.marker();
                let line = marker.line();
                let message = error.info().lines().next().unwrap_or_default().to_owned();
                let source = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
                return Err(Problem {
                    line: small(line),
                    column: small(marker.col() + 1),
                    message: format!("not valid YAML or JSON: {message}"),
                    hint: source.contains("${").then(|| {
                        String::from(
                            "inside { } and [ ] a placeholder must stand in quotes: \"${seed}\"",
                        )
                    }),
                });
            }
        }
    }
    builder.root.ok_or_else(|| Problem {
        line: 0,
        column: 0,
        message: String::from("the file is empty"),
        hint: None,
    })
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
    column: u32,
    anchor: usize,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    Map {
        entries: Vec<(Key, Node)>,
        key: Option<Key>,
        seen: BTreeSet<String>,
        merged: Vec<Node>,
    },
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), Problem> {
        let (line, column) = (small(span.start.line()), small(span.start.col() + 1));
        let at = |value| Node {
            line,
            column,
            value,
        };
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => (
                at(Value::Scalar {
                    text: text.into_owned(),
                    plain: style == ScalarStyle::Plain,
                }),
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
                // The place of use says more than that of the anchor.
                (at(node.value.clone()), 0)
            }
            Event::SequenceStart(_, anchor, _) => {
                return self.begin(line, column, anchor, Items::List(Vec::new()), span);
            }
            Event::MappingStart(_, anchor, _) => {
                let items = Items::Map {
                    entries: Vec::new(),
                    key: None,
                    seen: BTreeSet::new(),
                    merged: Vec::new(),
                };
                return self.begin(line, column, anchor, items, span);
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                None => return Ok(()),
                Some(open) => (
                    Node {
                        line: open.line,
                        column: open.column,
                        value: closed(open.items),
                    },
                    open.anchor,
                ),
            },
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
        column: u32,
        anchor: usize,
        items: Items,
        span: &Span,
    ) -> Result<(), Problem> {
        if self.open.len() >= MAX_DEPTH {
            return Err(wrong(span, "nested too deeply"));
        }
        self.open.push(Open {
            line,
            column,
            anchor,
            items,
        });
        Ok(())
    }

    fn place(&mut self, node: Node, span: &Span) -> Result<(), Problem> {
        match self.open.last_mut().map(|open| &mut open.items) {
            None if self.root.is_some() => {
                return Err(node.problem("a second document in one file", None));
            }
            None => self.root = Some(node),
            Some(Items::List(items)) => items.push(node),
            Some(Items::Map {
                entries,
                key,
                seen,
                merged,
            }) => match key.take() {
                None => match node.value {
                    Value::Scalar { text, .. } => {
                        *key = Some(Key {
                            text,
                            line: node.line,
                            column: node.column,
                        });
                    }
                    Value::List(_) | Value::Map(_) => {
                        return Err(wrong(span, "a list or a map as a key"));
                    }
                },
                Some(name) if name.text == "<<" => merged.push(node),
                Some(name) => {
                    if is_duplicate(entries, seen, &name.text) {
                        return Err(Problem {
                            line: name.line,
                            column: name.column,
                            message: format!("key {:?} stands here for the second time", name.text),
                            hint: Some(String::from("remove one of the two")),
                        });
                    }
                    entries.push((name, node));
                }
            },
        }
        Ok(())
    }
}

/// Linear for the maps that people write, a set for large ones.
fn is_duplicate(entries: &[(Key, Node)], seen: &mut BTreeSet<String>, name: &str) -> bool {
    if entries.len() < SMALL_MAP {
        return entries.iter().any(|(known, _)| known.text == name);
    }
    if seen.is_empty() {
        seen.extend(entries.iter().map(|(known, _)| known.text.clone()));
    }
    !seen.insert(name.to_owned())
}

fn closed(items: Items) -> Value {
    match items {
        Items::List(items) => Value::List(items),
        Items::Map {
            mut entries,
            merged,
            ..
        } => {
            // The map's own keys win, wherever the merge key stands; of two merged maps the first.
            for node in merged {
                let maps = match node.value {
                    Value::List(maps) => maps,
                    _ => vec![node],
                };
                for map in maps {
                    if let Value::Map(more) = map.value {
                        let fresh: Vec<_> = more
                            .into_iter()
                            .filter(|(key, _)| {
                                !entries.iter().any(|(known, _)| known.text == key.text)
                            })
                            .collect();
                        entries.extend(fresh);
                    }
                }
            }
            Value::Map(entries)
        }
    }
}

fn size(node: &Node) -> usize {
    match &node.value {
        Value::Map(entries) => 1 + entries.iter().map(|(_, node)| size(node)).sum::<usize>(),
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Scalar { .. } => 1,
    }
}

fn wrong(span: &Span, message: &str) -> Problem {
    Problem {
        line: small(span.start.line()),
        column: small(span.start.col() + 1),
        message: message.to_owned(),
        hint: None,
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
        let node = read("lr: 1e-4\nn: 007\nname: \"12\"\non: yes\nnone:\nt: true\n").unwrap();
        let kind = |key: &str| node.get(key).unwrap().kind().unwrap();
        assert_eq!(node.get("lr").unwrap().text(), Some("1e-4"));
        assert_eq!(kind("lr"), Kind::Float(1e-4));
        assert_eq!(kind("n"), Kind::Integer(7));
        assert_eq!(kind("name"), Kind::Text("12"));
        assert_eq!(kind("on"), Kind::Text("yes"));
        assert_eq!(kind("none"), Kind::Null);
        assert_eq!(kind("t"), Kind::Bool(true));
    }

    #[test]
    fn merge_keys_yield_to_the_maps_own_keys() {
        let node = read("b: &b {lr: 1, wd: 2}\no:\n  <<: *b\n  lr: 3\n").unwrap();
        let merged = node.get("o").unwrap();
        assert_eq!(merged.get("lr").unwrap().text(), Some("3"));
        assert_eq!(merged.get("wd").unwrap().text(), Some("2"));
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, line, part) in [
            ("a: 1\nb: 2\na: 3\n", 3, "second time"),
            ("a: [1, 2\nb: 3\n", 2, "not valid"),
            ("a: 1\n---\nb: 2\n", 3, "second document"),
            ("? [1]\n: 2\n", 1, "as a key"),
            ("", 0, "empty"),
            ("a: *x\n", 1, "not valid"),
        ] {
            let problem = read(text).unwrap_err();
            assert!(
                problem.line == line && problem.message.contains(part),
                "{text:?}: {problem:?}"
            );
        }
        let hint = read("args: {seed: ${seed}}\n").unwrap_err().hint.unwrap();
        assert!(hint.contains("quotes"));
        assert!(read(&"[".repeat(5000)).is_err());
    }

    #[test]
    fn duplicates_are_found_in_large_maps_too() {
        let lines: Vec<String> = (0..5000).map(|key| format!("k{key}: 1\n")).collect();
        let mut text = lines.concat();
        assert!(read(&text).is_ok());
        text.push_str("k4999: 2\n");
        assert_eq!(read(&text).unwrap_err().line, 5001);
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
