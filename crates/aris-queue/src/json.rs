//! JSON from trees and pieces.

use crate::tree::{Kind, Node, Value};

/// `text` as a string of JSON.
fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// These keys and values as they stand in a map, on one line.
pub(crate) fn pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let pairs = pairs.into_iter();
    let pairs = pairs.map(|(key, value)| format!("{}: {value}", string(key)));
    pairs.collect::<Vec<_>>().join(", ")
}

/// A map.
fn map<'a>(entries: impl IntoIterator<Item = (&'a str, String)>) -> String {
    format!("{{{}}}", pairs(entries))
}

/// A scalar: numbers keep their text where JSON allows it.
fn scalar(node: &Node) -> String {
    let text = node.written().unwrap_or_default();
    match node.kind() {
        Some(Kind::Null) | None => String::from("null"),
        Some(Kind::Bool(flag)) => flag.to_string(),
        Some(Kind::Integer(number)) => number.to_string(),
        Some(Kind::Float(number)) if number.is_finite() => {
            match serde_json::from_str::<serde_json::Number>(text) {
                Ok(_) => text.to_owned(),
                Err(_) => format!("{number:?}"),
            }
        }
        Some(Kind::Float(_) | Kind::Text(_)) => string(text),
    }
}

/// Any value, on one line.
pub(crate) fn value(node: &Node) -> String {
    match &node.value {
        Value::Scalar { .. } => scalar(node),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(value).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(entries) => map(entries
            .iter()
            .map(|(key, node)| (key.text.as_str(), value(node)))),
    }
}
