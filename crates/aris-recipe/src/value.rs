//! Values at run time: looked up in three namespaces, turned into text, tested for truth.

use std::borrow::Cow;

use serde_json::Value;

/// Largest whole number that a double holds exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A value as text: null is empty, whole numbers have no fraction, lists are joined by commas, objects are JSON with sorted
/// keys.
pub fn to_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::Bool(truth) => Cow::Borrowed(if *truth { "true" } else { "false" }),
        Value::String(text) => Cow::Borrowed(text),
        Value::Number(number) => Cow::Owned(match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        }),
        Value::Array(items) => Cow::Owned(items.iter().map(to_text).collect::<Vec<_>>().join(",")),
        Value::Object(_) => Cow::Owned(sorted_json(value)),
    }
}

/// A value as JSON with sorted keys, without blanks.
pub fn sorted_json(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

/// The items of a list, or the parts of a text between separators: trimmed, and without blank ones.
pub(crate) fn items(value: &Value, separators: &[char]) -> Vec<String> {
    let whole = to_text(value);
    let texts: Vec<Cow<'_, str>> = match value {
        Value::Array(items) => items.iter().map(to_text).collect(),
        _ => whole.split(separators).map(Cow::Borrowed).collect(),
    };
    let trimmed = texts.iter().map(|text| text.trim());
    let said = trimmed.filter(|text| !text.is_empty());
    said.map(str::to_owned).collect()
}

/// Whether a text counts as true. Untrue, trimmed and in lower case: nothing, `false`, `0`, `no`, `off`, `none`, `null`.
pub fn is_truthy(text: &str) -> bool {
    !matches!(
        text.trim().to_lowercase().as_str(),
        "" | "false" | "0" | "no" | "off" | "none" | "null"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_have_one_text() {
        for (value, text) in [
            (json!(null), ""),
            (json!(true), "true"),
            (json!(3.0), "3"),
            (json!(-2), "-2"),
            (json!(1.5), "1.5"),
            (json!(["a", 1, null]), "a,1,"),
            (
                json!({"b": [1, {"d": 1, "c": "x"}], "a": 2}),
                r#"{"a":2,"b":[1,{"c":"x","d":1}]}"#,
            ),
        ] {
            assert_eq!(to_text(&value), text, "{value}");
        }
    }

    #[test]
    fn truth_is_a_closed_list() {
        for text in ["", " ", "False", "0", "NO", "off", "none", " null "] {
            assert!(!is_truthy(text), "{text:?}");
        }
        for text in ["true", "1", "00", "GO", "x", "nil"] {
            assert!(is_truthy(text), "{text:?}");
        }
    }
}
