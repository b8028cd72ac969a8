//! Builds a tree from the parser's events.

use std::collections::{BTreeMap, BTreeSet};

use granit_parser::{Event, Marker, ScalarStyle};

use crate::problem::{Place, Problem, problem};
use crate::{Node, Text, Value};

/// Most levels of nested collections. **Source**: recipes and manifests have five levels; deeper nesting attacks the stack.
const MAX_DEPTH: usize = 64;
/// Most nodes that aliases may add to a file.
const MAX_ALIASED: usize = 1_000_000;

#[derive(Default)]
pub(crate) struct Builder {
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    aliased: usize,
    pub(crate) root: Option<Node>,
}

/// A collection that is not closed yet.
struct Open {
    place: Place,
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
    pub(crate) fn event(&mut self, event: Event<'_>, place: Place) -> Result<(), Problem> {
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => {
                let text = text.into_owned();
                let plain = style == ScalarStyle::Plain;
                (Node::at(place, Value::Scalar { text, plain }), anchor)
            }
            Event::Alias(id) => {
                let Some(node) = self.anchors.get(&id) else {
                    return Err(wrong(place, "an alias inside its own anchor"));
                };
                self.aliased += size(node);
                if self.aliased > MAX_ALIASED {
                    return Err(wrong(place, "aliases multiply this file beyond all use"));
                }
                // For messages, the place of the alias is more useful than that of the anchor.
                (Node::at(place, node.value.clone()), 0)
            }
            Event::SequenceStart(_, anchor, _) => {
                return self.begin(place, anchor, Items::List(Vec::new()));
            }
            Event::MappingStart(_, anchor, _) => {
                let items = Items::Map {
                    entries: Vec::new(),
                    key: None,
                    merged: Vec::new(),
                };
                return self.begin(place, anchor, items);
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                None => return Ok(()),
                Some(open) => (Node::at(open.place, closed(open.items)), open.anchor),
            },
            Event::DocumentStart(..) if self.root.is_some() => {
                return Err(wrong(place, "a second document in one file"));
            }
            _ => return Ok(()),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.add(node, place)
    }

    fn begin(&mut self, place: Place, anchor: usize, items: Items) -> Result<(), Problem> {
        if self.open.len() >= MAX_DEPTH {
            return Err(wrong(place, "nested too deeply"));
        }
        self.open.push(Open {
            place,
            anchor,
            items,
        });
        Ok(())
    }

    /// Adds a node to the innermost open collection; without one it becomes the root.
    fn add(&mut self, node: Node, place: Place) -> Result<(), Problem> {
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
                        let (line, column) = (node.line, node.column);
                        *key = Some(Text { text, line, column });
                    }
                    Value::List(_) | Value::Map(_) => {
                        return Err(wrong(place, "a list or a mapping as a key"));
                    }
                },
                Some(name) if name.text == "<<" => merged.push(node),
                Some(name) => entries.push((name, node)),
            },
        }
        Ok(())
    }
}

/// Closes a collection. A mapping's own keys win over merged ones, wherever the merge key is; of two merged mappings the first
/// wins.
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

fn wrong(place: Place, message: &str) -> Problem {
    problem(place, message, None)
}

/// Converts the parser's position, whose columns begin at 0.
pub(crate) fn place_of(marker: &Marker) -> Place {
    Place {
        line: small(marker.line()),
        column: small(marker.col() + 1),
    }
}

pub(crate) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
