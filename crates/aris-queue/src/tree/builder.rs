//! A tree from the parser's events.

use std::collections::{BTreeMap, BTreeSet};

use serde_saphyr::granit_parser::{Event, ScalarStyle, Span};

use super::{Key, Node, Value};
use crate::problem::Problem;

/// Collections that may lie in each other. **Source**: a manifest has five levels; deeper is an attack on the stack.
const MAX_DEPTH: usize = 64;
/// Nodes that aliases may add to a file.
const MAX_ALIASED: usize = 1_000_000;
/// Keys up to which duplicates are looked for one by one.
const SMALL_MAP: usize = 24;

#[derive(Default)]
pub(super) struct Builder {
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    aliased: usize,
    pub(super) root: Option<Node>,
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
    pub(super) fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), Problem> {
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

pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
