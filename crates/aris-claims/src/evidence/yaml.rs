//! YAML through the event parser that serde-saphyr re-exports: scalars stay as written, with their lines.
//!
//! Anchors are resolved; a file with several documents becomes a list. Aliases may not multiply the file beyond
//! [`MAX_NODES`] nodes.

use std::collections::BTreeMap;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::tree::{MAX_DEPTH, Malformed, Node, Value};

/// Nodes that one YAML file may hold after its aliases are resolved.
const MAX_NODES: usize = 500_000;

/// Reads a YAML file; an empty file is an empty map.
pub(crate) fn read(text: &str) -> Result<Node, Malformed> {
    let mut documents = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: BTreeMap<usize, Node> = BTreeMap::new();
    let mut nodes = 0_usize;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| malformed(&error))?;
        let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX);
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => {
                let text = text.into_owned();
                let value = if style == ScalarStyle::Plain {
                    Value::Plain(text)
                } else {
                    Value::Text(text)
                };
                (Node { line, value }, anchor)
            }
            Event::Alias(id) => match anchors.get(&id) {
                Some(node) => {
                    nodes += size(node);
                    (node.clone(), 0)
                }
                None => return Err(at(&span, "an alias inside its own anchor")),
            },
            Event::SequenceStart(_, anchor, _) => {
                open.push(Open::List {
                    line,
                    anchor,
                    items: Vec::new(),
                });
                check_depth(&open, &span)?;
                continue;
            }
            Event::MappingStart(_, anchor, _) => {
                open.push(Open::Map {
                    line,
                    anchor,
                    entries: Vec::new(),
                    key: None,
                });
                check_depth(&open, &span)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List {
                    line,
                    anchor,
                    items,
                }) => (
                    Node {
                        line,
                        value: Value::List(items),
                    },
                    anchor,
                ),
                Some(Open::Map {
                    line,
                    anchor,
                    entries,
                    ..
                }) => (
                    Node {
                        line,
                        value: Value::Map(entries),
                    },
                    anchor,
                ),
                None => continue,
            },
            _ => continue,
        };
        nodes += 1;
        if nodes > MAX_NODES {
            return Err(at(&span, "too many values"));
        }
        if anchor != 0 {
            anchors.insert(anchor, node.clone());
        }
        place(&mut open, &mut documents, node, &span)?;
    }
    if documents.len() == 1
        && let Some(only) = documents.pop()
    {
        return Ok(only);
    }
    let value = if documents.is_empty() {
        Value::Map(Vec::new())
    } else {
        Value::List(documents)
    };
    Ok(Node { line: 1, value })
}

/// A collection whose end has not been seen.
enum Open {
    List {
        line: u32,
        anchor: usize,
        items: Vec<Node>,
    },
    Map {
        line: u32,
        anchor: usize,
        entries: Vec<(String, Node)>,
        key: Option<String>,
    },
}

fn place(
    open: &mut [Open],
    documents: &mut Vec<Node>,
    node: Node,
    span: &Span,
) -> Result<(), Malformed> {
    match open.last_mut() {
        None => documents.push(node),
        Some(Open::List { items, .. }) => items.push(node),
        Some(Open::Map { entries, key, .. }) => match key.take() {
            None => match node.value {
                Value::Plain(text) | Value::Text(text) => *key = Some(text),
                Value::Map(_) | Value::List(_) => return Err(at(span, "a collection as a key")),
            },
            Some(name) if name == "<<" => merge(entries, node),
            Some(name) => {
                if entries
                    .iter()
                    .rev()
                    .take(512)
                    .any(|(known, _)| *known == name)
                {
                    return Err(at(span, &format!("duplicate key {name:?}")));
                }
                entries.push((name, node));
            }
        },
    }
    Ok(())
}

/// The merge key `<<`: keys of the merged map that are not set yet.
fn merge(entries: &mut Vec<(String, Node)>, node: Node) {
    match node.value {
        Value::Map(merged) => {
            for (key, value) in merged {
                if !entries.iter().any(|(known, _)| *known == key) {
                    entries.push((key, value));
                }
            }
        }
        Value::List(items) => items.into_iter().for_each(|item| merge(entries, item)),
        Value::Plain(_) | Value::Text(_) => {}
    }
}

fn size(node: &Node) -> usize {
    match &node.value {
        Value::Map(entries) => 1 + entries.iter().map(|(_, node)| size(node)).sum::<usize>(),
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Plain(_) | Value::Text(_) => 1,
    }
}

fn check_depth(open: &[Open], span: &Span) -> Result<(), Malformed> {
    if open.len() > MAX_DEPTH {
        Err(at(span, "nested too deeply"))
    } else {
        Ok(())
    }
}

fn at(span: &Span, message: &str) -> Malformed {
    Malformed {
        line: span.start.line(),
        column: span.start.col() + 1,
        message: message.to_owned(),
    }
}

fn malformed(error: &ScanError) -> Malformed {
    let marker = error.marker();
    let message = error
        .info()
        .lines()
        .next()
        .unwrap_or("not valid YAML")
        .to_owned();
    Malformed {
        line: marker.line(),
        column: marker.col() + 1,
        message,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_a_training_configuration() {
        let node = read("lr: 3.0e-4\nbatch_size: 256 # per GPU\nseeds: [0, 1, 2]\nname: \"12\"\nopt:\n  wd: 0.05\n").unwrap();
        let Value::Map(entries) = node.value else {
            panic!("a map")
        };
        assert_eq!(
            entries[0],
            (
                "lr".to_owned(),
                Node {
                    line: 1,
                    value: Value::Plain("3.0e-4".to_owned())
                }
            )
        );
        assert_eq!(entries[1].1.value, Value::Plain("256".to_owned()));
        assert_eq!(entries[3].1.value, Value::Text("12".to_owned()));
        let Value::Map(inner) = &entries[4].1.value else {
            panic!("a map")
        };
        assert_eq!(inner[0].1.line, 6);
    }

    #[test]
    fn anchors_merge_and_errors_have_lines() {
        let node = read("base: &b {lr: 1, wd: 2}\nours:\n  <<: *b\n  extra: 3\n").unwrap();
        let Value::Map(entries) = node.value else {
            panic!("a map")
        };
        let Value::Map(ours) = &entries[1].1.value else {
            panic!("a map")
        };
        assert_eq!(ours.len(), 3);
        let error = read("a: [1, 2\nb: 3\n").unwrap_err();
        assert!(error.line >= 1 && !error.message.is_empty());
        assert!(
            read("a: 1\na: 2\n")
                .unwrap_err()
                .message
                .contains("duplicate key")
        );
        assert!(read(&"[".repeat(5000)).is_err());
    }

    #[test]
    fn aliases_cannot_explode() {
        let mut text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n".to_owned();
        for level in 1..12 {
            let previous = level - 1;
            let items = vec![format!("*a{previous}"); 10].join(",");
            text = format!("{text}a{level}: &a{level} [{items}]\n");
        }
        assert!(read(&text).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn never_panics(text in "\\PC{0,60}", yaml in "[\\[\\]{}\",:0-9eE.\\-a-z &*#|>?!\n]{0,60}") {
            let _a = read(&text);
            let _b = read(&yaml);
        }
    }
}
