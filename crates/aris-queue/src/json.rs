//! JSON from trees and pieces.

use std::fmt::Write as _;

use crate::tree::{Kind, Node, Value};

/// `text` between quotes of JSON, without them.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if u32::from(char) < 0x20 => {
                // Writing to a String cannot fail.
                write!(out, "\\u{:04x}", u32::from(char)).unwrap_or_default();
            }
            char => out.push(char),
        }
    }
    out
}

/// `text` as a string of JSON.
pub(crate) fn string(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Appends `"key": value` and `end`.
pub(crate) fn entry(out: &mut String, key: &str, value: &str, end: &str) {
    out.push_str(&string(key));
    out.push_str(": ");
    out.push_str(value);
    out.push_str(end);
}

/// A scalar: numbers keep their text where JSON allows it.
pub(crate) fn scalar(node: &Node) -> String {
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
        Value::Map(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, node)| format!("{}: {}", string(&key.text), value(node)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}
