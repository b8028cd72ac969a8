//! A tree from the parser's events.

use std::collections::{BTreeMap, BTreeSet};

use granit_parser::{Event, ScalarStyle, Span};

use crate::problem::{Place, Problem, problem};
use crate::{Node, Text, Value};

/// Collections that may lie in each other. **Source**: a recipe and a manifest have five levels; deeper is an attack on the stack.
const MAX_DEPTH: usize = 64;
/// Nodes that aliases may add to a file.
const MAX_ALIASED: usize = 1_000_000;

#[derive(Default)]
pub(crate) struct Builder {
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    aliased: usize,
    pub(crate) root: Option<Node>,
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
        entries: Vec<(Text, Node)>,
        key: Option<Text>,
        merged: Vec<Node>,
    },
}

impl Builder {
    pub(crate) fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), Problem> {
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
                            column: node.column,
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

fn wrong(span: &Span, message: &str) -> Problem {
    let place = Place {
        line: small(span.start.line()),
        column: small(span.start.col() + 1),
    };
    problem(place, message, None)
}

pub(crate) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
