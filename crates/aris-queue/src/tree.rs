//! YAML and JSON files of the queue as trees; problems say where they are. A key that is given twice is an error.

pub use aris_yaml::{Kind, Node, Text as Key, Value};

use crate::problem::{Problem, problem};

/// A new value with the place of another one.
pub(crate) fn made(from: &Node, value: Value) -> Node {
    Node {
        line: from.line,
        column: from.column,
        value,
    }
}

/// A text in quotes with the place of another value.
pub(crate) fn quoted(from: &Node, text: &str) -> Node {
    let text = text.to_owned();
    made(from, Value::Scalar { text, plain: false })
}

/// An entry of a map; its key has the place of its value.
pub(crate) fn pair(name: &str, node: Node) -> (Key, Node) {
    let key = Key {
        text: name.to_owned(),
        line: node.line,
        column: node.column,
    };
    (key, node)
}

/// A value as Python prints it, which is what commands of a grid get.
pub(crate) fn printed(node: &Node) -> String {
    let inside = |node: &Node| match node.kind() {
        Some(Kind::Text(text)) => format!("'{text}'"),
        _ => printed(node),
    };
    match (&node.value, node.kind()) {
        (_, Some(Kind::Null)) => String::from("None"),
        (_, Some(Kind::Bool(true))) => String::from("True"),
        (_, Some(Kind::Bool(false))) => String::from("False"),
        (Value::Scalar { text, .. }, _) => text.clone(),
        (Value::List(items), _) => {
            let items: Vec<String> = items.iter().map(inside).collect();
            format!("[{}]", items.join(", "))
        }
        (Value::Map(entries), _) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| format!("'{}': {}", key.text, inside(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// The value of a key; null counts as absent.
pub(crate) fn present<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    node.get(key).filter(|node| !node.is_null())
}

/// The items of a list; any other value counts as a list with one item.
pub(crate) fn one_or_many(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => std::slice::from_ref(node),
    }
}

/// Reads one document. **Errors**: the first syntax error, or a key that is given twice.
pub fn read(text: &str) -> Result<Node, Problem> {
    let node = aris_yaml::read(text).map_err(|wrong| {
        let line = usize::try_from(wrong.line).unwrap_or(usize::MAX);
        let source = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        Problem {
            line: wrong.line,
            column: wrong.column,
            message: format!("not valid YAML or JSON: {}", wrong.message),
            hint: source.contains("${").then(|| {
                String::from("inside { } and [ ] a placeholder must be in quotes: \"${seed}\"")
            }),
        }
    })?;
    let node = node.ok_or_else(|| problem(&Node::default(), "the file is empty", None))?;
    node.check_keys().map(|()| node)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mistakes_have_their_place() {
        for (text, line, part) in [
            ("a: 1\nb: 2\na: 3\n", 3, "is given twice"),
            ("a:\n  - {b: 1,\n     b: 2}\n", 3, "is given twice"),
            ("a: [1, 2\nb: 3\n", 2, "not valid"),
            ("a: 1\n---\nb: 2\n", 2, "second document"),
            ("? [1]\n: 2\n", 1, "as a key"),
            ("", 1, "empty"),
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
    }

    #[test]
    fn duplicates_are_found_in_large_maps_too() {
        let lines: Vec<String> = (0..5000).map(|key| format!("k{key}: 1\n")).collect();
        let mut text = lines.concat();
        assert!(read(&text).is_ok());
        text.push_str("k4999: 2\n");
        assert_eq!(read(&text).unwrap_err().line, 5001);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}", yaml in "[\\[\\]{}\",:0-9e.\\-a-c &*#|>?!<\n]{0,60}") {
            let _one = read(&text);
            let _other = read(&yaml);
        }
    }
}
