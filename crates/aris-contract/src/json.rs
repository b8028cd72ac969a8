//! Strict JSON, for documents on which a verdict depends.
//!
//! `serde_json` alone takes the last of two equal keys, and other readers take the first; a document that two programs read
//! differently cannot carry a verdict. The following are refused, with line and column: a byte order mark, text that is not
//! UTF-8, duplicate keys at any depth, `NaN` and infinities, text after the value, and documents that exceed the limits on bytes
//! or nesting.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value};

use crate::failure::{ErrorKind, Failure};

/// How large and how deep a document may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the whole document.
    pub bytes: usize,
    /// Levels of nested lists and objects.
    pub depth: usize,
}

impl Limits {
    /// For artifacts and traces: 64 MiB, 64 levels. An honest audit of a thesis is below 2 MB and 8 levels.
    pub const ARTIFACT: Self = Self {
        bytes: 64 << 20,
        depth: 64,
    };
}

/// A value in the form for files: indented, with a line feed at the end.
pub fn pretty(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Why a document was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}")]
pub struct JsonError {
    /// What is wrong, without the position.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1 (0 at the end of an empty line, as `serde_json` counts).
    pub column: usize,
}

impl JsonError {
    fn start(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            line: 1,
            column: 1,
        }
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let message = text.strip_suffix(&suffix).unwrap_or(&text);
        Self {
            message: plain(message),
            line: error.line(),
            column: error.column(),
        }
    }
}

/// Replaces serde's names of Rust types by JSON's terms.
fn plain(message: &str) -> String {
    const WORDS: [(&str, &str); 5] = [
        ("EOF while parsing", "document ends within"),
        ("invalid type: sequence,", "invalid type: list,"),
        ("invalid type: map,", "invalid type: object,"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected an object"),
    ];
    let message = WORDS.iter().fold(message.to_owned(), |text, (from, to)| {
        text.replace(from, to)
    });
    let Some((before, expected)) = message.rsplit_once("expected ") else {
        return message;
    };
    let expected = match expected {
        // A derived deserializer accepts a list for an object and then complains about its length.
        name if name.starts_with("struct ") && before.starts_with("invalid length ") => {
            return String::from("invalid type: list, expected an object");
        }
        name if name.starts_with("struct ") => "an object",
        "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        other => other,
    };
    format!("{before}expected {expected}")
}

impl Failure for JsonError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Validation
    }

    fn details(&self) -> Map<String, Value> {
        Map::from_iter([
            (String::from("line"), Value::from(self.line)),
            (String::from("column"), Value::from(self.column)),
        ])
    }
}

/// Reads any JSON value strictly; keys keep their order.
pub fn value(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    let text = text(bytes, limits)?;
    if text.trim_ascii().is_empty() {
        return Err(JsonError::start("document is empty"));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict {
        depth: limits.depth,
    }
    .deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Reads a value of type `T` strictly. A wrong type is reported with its line and column.
pub fn typed<T: DeserializeOwned>(bytes: &[u8], limits: Limits) -> Result<T, JsonError> {
    // The first pass refuses what serde's derive would accept; the second pass checks the types.
    value(bytes, limits)?;
    Ok(serde_json::from_slice(bytes)?)
}

fn text(bytes: &[u8], limits: Limits) -> Result<&str, JsonError> {
    if bytes.len() > limits.bytes {
        return Err(JsonError::start(format!(
            "document has {} bytes, more than the limit of {}",
            bytes.len(),
            limits.bytes
        )));
    }
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return Err(JsonError::start("document starts with a byte order mark"));
    }
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(JsonError::start("document is UTF-16, not UTF-8"));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        JsonError {
            message: String::from("document is not UTF-8"),
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: 1 + before.len() - line_start,
        }
    })
}

/// Builds a `Value`; refuses too many levels and duplicate keys.
struct Strict {
    depth: usize,
}

impl Strict {
    fn below<E: serde::de::Error>(&self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Self { depth }),
            None => Err(E::custom("nested too deeply")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.below::<A::Error>()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.below::<A::Error>()?)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.below::<A::Error>()?;
        let mut object = Map::new();
        let mut seen = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("duplicate key {key:?}")));
            }
            let value = entries.next_value_seed(self.below::<A::Error>()?)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        value(
            bytes,
            Limits {
                bytes: 1000,
                depth: 4,
            },
        )
        .expect_err("refused")
        .to_string()
    }

    #[test]
    fn refusals_name_what_and_where() {
        let cases: [(&[u8], &str); 15] = [
            (b"\xEF\xBB\xBF{}", "byte order mark at line 1, column 1"),
            (b"\xFF\xFE{\0}\0", "UTF-16"),
            (b"\xFE\xFF\0{\0}", "UTF-16"),
            (b"\"\xFF\"", "not UTF-8 at line 1, column 2"),
            (b"{\n\n\"\xFF\"}", "not UTF-8 at line 3, column 2"),
            (b"{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}", "nested too deeply"),
            (b"{\n \"a\": \"\xFF\"}", "not UTF-8 at line 2, column 8"),
            (
                b"{\"a\":1,\n\"a\":2}",
                "duplicate key \"a\" at line 2, column 3",
            ),
            (b"{\"x\":{\"a\":1,\"a\":2}}", "duplicate key \"a\""),
            (b"{\"a\": NaN}", "expected value at line 1, column 7"),
            (b"[1e999]", "number out of range at line 1"),
            (b"{} {}", "trailing characters at line 1, column 4"),
            (b"[[[[[1]]]]]", "nested too deeply"),
            (b"\n", "document is empty at line 1, column 1"),
            (
                b"{\"a\":",
                "document ends within a value at line 1, column 5",
            ),
        ];
        for (bytes, expected) in cases {
            let got = refusal(bytes);
            assert!(got.contains(expected), "{got} should contain {expected}");
        }
        assert!(refusal(&[b' '; 1001]).contains("has 1001 bytes, more than the limit of 1000"));
        assert!(refusal(&[b' '; 1000]).contains("empty"));
    }

    #[test]
    fn wrong_types_are_named_as_json_names_them() {
        #[derive(Debug, serde::Deserialize)]
        struct Job {
            #[serde(rename = "gpus")]
            _gpus: u32,
        }
        fn refused<T: DeserializeOwned + fmt::Debug>(text: &str) -> String {
            let error = typed::<T>(text.as_bytes(), Limits::ARTIFACT).expect_err(text);
            error.message
        }
        for (text, said) in [
            ("[]", "invalid type: list, expected an object"),
            ("7", "invalid type: integer `7`, expected an object"),
            (
                r#"{"gpus":"x"}"#,
                "invalid type: string \"x\", expected a whole number",
            ),
            (
                r#"{"gpus":-1}"#,
                "invalid value: integer `-1`, expected a whole number",
            ),
        ] {
            assert_eq!(refused::<Job>(text), said);
        }
        let list = refused::<Vec<u8>>("{}");
        assert_eq!(list, "invalid type: object, expected a list");
        let number = refused::<f64>("[]");
        assert_eq!(number, "invalid type: list, expected a number");
    }

    #[test]
    fn a_refusal_is_an_invalid_input_with_its_place() {
        let error = value(b"{\n  x", Limits::ARTIFACT).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Validation);
        let details = Value::Object(error.details());
        assert_eq!(details, serde_json::json!({"line": 2, "column": 3}));
    }

    #[test]
    fn every_kind_of_value_is_kept_and_keys_keep_their_order() {
        let text = r#"{"z":null,"a":true,"m":[0,-1,18446744073709551615,1.5,"x\\y"],"b":{}}"#;
        let read = value(text.as_bytes(), Limits::ARTIFACT).expect("valid");
        assert_eq!(read.to_string(), text);
    }

    #[test]
    fn the_limit_for_artifacts_is_sixty_four_megabytes() {
        assert_eq!(Limits::ARTIFACT.bytes, 67_108_864);
    }

    #[test]
    fn equal_keys_of_different_spelling_are_duplicates() {
        assert!(refusal(b"{\"a\":1,\"\\u0061\":2}").contains("duplicate key"));
    }

    #[test]
    fn a_deep_document_neither_overflows_nor_passes() {
        let deep = "[".repeat(500_000);
        assert!(value(deep.as_bytes(), Limits::ARTIFACT).is_err());
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(value(nested(64).as_bytes(), Limits::ARTIFACT).is_ok());
        assert!(value(nested(65).as_bytes(), Limits::ARTIFACT).is_err());
    }

    #[test]
    fn typed_errors_carry_the_place_of_the_wrong_value() {
        #[derive(Debug, serde::Deserialize)]
        struct Point {
            #[expect(dead_code, reason = "only read")]
            x: u8,
        }
        let error =
            typed::<Point>(b"{\n  \"x\": \"one\"}", Limits::ARTIFACT).expect_err("wrong type");
        assert_eq!(error.line, 2);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic_and_accepted_documents_mean_the_same_to_serde_json(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)
        ) {
            if let Ok(value) = value(&bytes, Limits::ARTIFACT) {
                proptest::prop_assert_eq!(value, serde_json::from_slice::<Value>(&bytes).expect("valid"));
            }
        }

        #[test]
        fn json_like_text_never_panics(text in "[\\[\\]{}:,\"a-c0-9eE.+\\\\u -]{0,80}") {
            if let Ok(value) = value(text.as_bytes(), Limits::ARTIFACT) {
                proptest::prop_assert_eq!(value, serde_json::from_str::<Value>(&text).expect("valid"));
            }
        }
    }
}
