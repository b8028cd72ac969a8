//! JSON with the place of every value, as strict as RFC 8259 and so as strict as the hosts.

use aris_yaml::{Kind, Node};

/// A value and the byte at which it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Json {
    pub(super) value: Value,
    pub(super) offset: usize,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Bool,
    Number,
    String(String),
    Array(Vec<Json>),
    /// Members in the order of the file; of equal keys the last one counts.
    Object(Vec<(String, Json)>),
}

/// Where and why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) message: String,
}

impl Json {
    /// The members of an object; none for anything else.
    pub(super) fn members(&self) -> &[(String, Self)] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let mut members = self.members().iter().rev();
        members
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The items of an array; none for anything else.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// The text of a string.
    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a string that is not blank.
    pub(super) fn as_name(&self) -> Option<&str> {
        self.as_str().filter(|text| !text.trim().is_empty())
    }

    /// Whether it is an object.
    pub(super) fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// Whether it is an array.
    pub(super) fn is_array(&self) -> bool {
        matches!(self.value, Value::Array(_))
    }

    /// The type as people call it.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool => "a boolean",
            Value::Number => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

/// Reads a text that is one JSON value. serde decides whether it is one; the places come from the reader that keeps them.
pub(super) fn parse(text: &str) -> Result<Json, Fault> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let start = |line: usize| {
        lines
            .iter()
            .take(line.saturating_sub(1))
            .map(|line| line.len())
            .sum::<usize>()
    };
    let read = serde_json::from_str::<serde_json::Value>(text).map_err(|error| {
        let said = error.to_string();
        let message = said
            .split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned();
        // The column is that of the byte that was read last.
        let offset = (start(error.line()) + error.column().saturating_sub(1)).min(text.len());
        Fault { offset, message }
    })?;
    let mut starts = vec![0];
    starts.extend(lines.iter().scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    }));
    let place = |line: u32, column: u32| {
        let line = usize::try_from(line).unwrap_or(1).max(1) - 1;
        let chars = usize::try_from(column).unwrap_or(1).max(1) - 1;
        let written = lines.get(line).copied().unwrap_or_default();
        let byte = written
            .char_indices()
            .nth(chars)
            .map_or(written.len(), |(byte, _)| byte);
        starts.get(line).copied().unwrap_or_default() + byte
    };
    Ok(match aris_yaml::read_json(text) {
        Ok(node) => of(&node, &place),
        // A key stands twice, which hosts take: the values are known, their places are not.
        Err(_) => without_places(read),
    })
}

fn without_places(read: serde_json::Value) -> Json {
    use serde_json::Value as Read;
    let value = match read {
        Read::Null => Value::Null,
        Read::Bool(_) => Value::Bool,
        Read::Number(_) => Value::Number,
        Read::String(text) => Value::String(text),
        Read::Array(items) => Value::Array(items.into_iter().map(without_places).collect()),
        Read::Object(members) => {
            let members = members.into_iter();
            Value::Object(
                members
                    .map(|(key, value)| (key, without_places(value)))
                    .collect(),
            )
        }
    };
    Json { value, offset: 0 }
}

fn of(node: &Node, place: &impl Fn(u32, u32) -> usize) -> Json {
    let value = match &node.value {
        aris_yaml::Value::List(items) => {
            Value::Array(items.iter().map(|item| of(item, place)).collect())
        }
        aris_yaml::Value::Map(members) => Value::Object(
            members
                .iter()
                .map(|(key, value)| (key.text.clone(), of(value, place)))
                .collect(),
        ),
        aris_yaml::Value::Scalar { text, .. } => match node.kind() {
            Some(Kind::Null) => Value::Null,
            Some(Kind::Bool(_)) => Value::Bool,
            Some(Kind::Integer(_) | Kind::Float(_)) => Value::Number,
            _ => Value::String(text.clone()),
        },
    };
    Json {
        value,
        offset: place(node.line, node.column),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_keep_their_places() {
        let text = " {\"a\": [1,\n\t{\"b\": \"é\\u00e9\\ud83d\\ude00\", \"c\": 1e5}],\n \"é\": 0, \"z\": null}";
        let json = parse(text).unwrap();
        assert_eq!(json.offset, 1);
        let place = json.get("z").map(|value| value.offset);
        assert_eq!(place, text.find("null"));
        assert_eq!(json.get("z").map(Json::kind), Some("null"));
        let twice = parse("{\"a\": 1, \"a\": null}").unwrap();
        assert_eq!(twice.get("a").map(Json::kind), Some("null"));
        let first = &json.members()[0].1;
        assert_eq!(first.offset, 7);
        let inner = &first.items()[1];
        assert_eq!(inner.get("b").and_then(Json::as_str), Some("éé😀"));
        assert_eq!(inner.get("c").map(Json::kind), Some("a number"));
    }

    #[test]
    fn faults_name_their_place() {
        for (text, offset) in [
            ("", 0),
            ("{\"a\": 1,}", 8),
            ("[1,]", 3),
            ("{a: 1}", 1),
            ("{} x", 3),
            ("// note\n{}", 0),
            ("True", 0),
        ] {
            let fault = parse(text).unwrap_err();
            assert_eq!(fault.offset, offset, "{text}: {fault:?}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn what_serde_reads_is_read(text in "[\\[\\]{}\",:0-2eE.+ \\-tnu\\\\a\n]{0,24}") {
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            prop_assert_eq!(parse(&text).is_ok(), theirs.is_ok(), "{:?}", theirs);
        }

        #[test]
        fn any_text_is_safe(text in any::<String>()) {
            if let Err(fault) = parse(&text) {
                prop_assert!(fault.offset <= text.len());
            }
        }
    }
}
