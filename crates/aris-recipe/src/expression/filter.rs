//! Filters, which follow after `|`.

use serde_json::Value;

use super::Filter;
use crate::value::{sorted_json, to_text};

/// All filters.
///
/// `trim`, `lower`, `upper`, `basename` and `shq` (quoted for a shell) make a text of a text; `default('x')` replaces an empty text;
/// `lines` makes a list of the lines that are not blank; `first` and `last` take one element of a list, or one line of a text; `json`
/// writes the value as JSON.
pub const FILTERS: [&str; 10] = [
    "trim", "lower", "upper", "default", "first", "last", "lines", "basename", "json", "shq",
];

/// Applies one filter.
pub(super) fn apply(value: Value, filter: &Filter) -> Value {
    if !filter.is_known() {
        return value;
    }
    let text = to_text(&value);
    let made = match filter.name.as_str() {
        "trim" => text.trim().to_owned(),
        "lower" => text.to_lowercase(),
        "upper" => text.to_uppercase(),
        "default" if text.is_empty() => filter.argument.clone().unwrap_or_default(),
        "basename" => {
            let path = text.trim_end_matches('/');
            path.rsplit('/').next().unwrap_or_default().to_owned()
        }
        "json" => sorted_json(&value),
        "shq" => quoted(&text),
        "lines" => return Value::from(lines(&value)),
        "first" => return elements(&value).into_iter().next().unwrap_or_default(),
        "last" => return elements(&value).into_iter().next_back().unwrap_or_default(),
        _ => return value,
    };
    Value::from(made)
}

/// A text, quoted as one word of a shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn lines(value: &Value) -> Vec<String> {
    let text = match value {
        Value::Array(items) => items.iter().map(to_text).collect::<Vec<_>>().join("\n"),
        other => to_text(other).into_owned(),
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(str::to_owned).collect()
}

fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items.clone(),
        other => lines(other).into_iter().map(Value::from).collect(),
    }
}
