//! YAML and JSON as a tree that keeps scalars as written, each node with its place.
//!
//! [`read`] reads YAML, which includes strict JSON. It resolves anchors, aliases and merge keys. A key that occurs twice in a
//! mapping stays in the tree twice, so that the caller can report it; [`Node::get`] returns the last one, as YAML loaders do.
//! [`read_json`] and [`JsonReader`] read JSON with comments and other extensions of real files. Numbers keep their text: `1e-4`
//! stays `1e-4`.
//!
//! [`typed()`] deserializes YAML into a Rust type and reports all mistakes. This crate does not write YAML.

#![warn(missing_docs)]

mod builder;
mod json;
mod number;
pub mod problem;
pub mod typed;

use std::ops::Deref;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value as Json};

use builder::{Builder, place_of};
pub use json::{JsonReader, read_json, read_repeating_json};
pub use number::Number;
pub use problem::Problem;
use problem::{Place, problem};
pub use typed::{Keys, typed, typed_node};

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Line, from 1. An alias's value has the place of the alias.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The value.
    pub value: Value,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar.
    Scalar {
        /// Its text.
        text: String,
        /// Whether it was written without quotes, so that it may be a number, a truth value or null.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A mapping in file order; a key may occur twice.
    Map(Vec<(Text, Node)>),
}

/// A text and its place; used for keys of mappings too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when the text does not come from a file.
    pub column: u32,
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// The meaning of a scalar.
///
/// **Source**: the core schema of YAML 1.2, with decimal numbers only; `yes`, `on` and similar words are texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'a> {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// Anything else.
    Text(&'a str),
}

impl Default for Node {
    /// Null at the first place, for a file without a document.
    fn default() -> Self {
        Self {
            line: 1,
            column: 1,
            value: Value::Scalar {
                text: String::new(),
                plain: true,
            },
        }
    }
}

impl Node {
    fn at(place: Place, value: Value) -> Self {
        let Place { line, column } = place;
        Self {
            line,
            column,
            value,
        }
    }

    /// The meaning of the scalar; `None` for lists and mappings.
    pub fn kind(&self) -> Option<Kind<'_>> {
        let Value::Scalar { text, plain } = &self.value else {
            return None;
        };
        if !plain {
            return Some(Kind::Text(text));
        }
        Some(match text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
            "true" | "True" | "TRUE" => Kind::Bool(true),
            "false" | "False" | "FALSE" => Kind::Bool(false),
            text => number(text).unwrap_or(Kind::Text(text)),
        })
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.kind() == Some(Kind::Null)
    }

    /// The scalar's text as written, regardless of its meaning; `None` for lists and mappings.
    pub fn written(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Like [`Node::written`]; `None` also for null.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// A truth value. Accepts YAML 1.1's spellings in any case, because it is for fields that must be truth values.
    pub fn truth(&self) -> Option<bool> {
        let Value::Scalar { text, .. } = &self.value else {
            return None;
        };
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => Some(true),
            "false" | "no" | "off" | "n" => Some(false),
            _ => None,
        }
    }

    /// A whole number, unless it is in quotes.
    pub fn integer(&self) -> Option<i64> {
        match self.kind() {
            Some(Kind::Integer(number)) => Some(number),
            _ => None,
        }
    }

    /// The value of a key of a mapping; of repeated keys the last.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let known = |(name, _): &&(Text, Self)| name.text == key;
        self.entries()
            .iter()
            .rev()
            .find(known)
            .map(|(_, node)| node)
    }

    /// The entries of a mapping in file order; empty for other nodes.
    pub fn entries(&self) -> &[(Text, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            Value::Scalar { .. } | Value::List(_) => &[],
        }
    }

    /// The items of a list; empty for other nodes.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Scalar { .. } | Value::Map(_) => &[],
        }
    }

    /// Whether it is a mapping.
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }

    /// The kind of value, with its article, for messages.
    pub fn noun(&self) -> &'static str {
        match (&self.value, self.kind()) {
            (Value::List(_), _) => "a list",
            (Value::Map(_), _) => "a mapping",
            (_, Some(Kind::Null)) => "null",
            (_, Some(Kind::Bool(_))) => "a truth value",
            (_, Some(Kind::Integer(_) | Kind::Float(_))) => "a number",
            _ => "a text",
        }
    }

    /// Checks that no mapping contains a key twice. **Errors**: at the second place; the message names the first.
    pub fn check_keys(&self) -> Result<(), Problem> {
        self.repeated_key()
            .map_or(Ok(()), |keys| Err(json::said_twice(keys)))
    }

    /// A key that occurs twice in one mapping: its first and its second place.
    pub fn repeated_key(&self) -> Option<(&Text, &Text)> {
        json::twice(self.entries()).or_else(|| self.children().find_map(Self::repeated_key))
    }

    /// The items of a list, or the values of a mapping.
    pub fn children(&self) -> impl Iterator<Item = &Self> {
        let values = self.entries().iter().map(|(_, node)| node);
        self.items().iter().chain(values)
    }

    /// Appends the value as JSON. Numbers stay as written if that is valid JSON; numbers that do not fit an `f64` become texts.
    pub fn write_json(&self, out: &mut String) {
        self.write(out, "");
    }

    /// The same as a new text, with a blank after each comma and colon.
    pub fn spaced_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, " ");
        out
    }

    fn write(&self, out: &mut String, blank: &str) {
        let comma = |out: &mut String, index| {
            if index > 0 {
                out.push(',');
                out.push_str(blank);
            }
        };
        match &self.value {
            Value::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    comma(out, index);
                    item.write(out, blank);
                }
                out.push(']');
            }
            Value::Map(entries) => {
                out.push('{');
                for (index, (key, node)) in entries.iter().enumerate() {
                    comma(out, index);
                    out.push_str(&Json::from(key.text.as_str()).to_string());
                    out.push(':');
                    out.push_str(blank);
                    node.write(out, blank);
                }
                out.push('}');
            }
            Value::Scalar { text, .. } => match self.kind() {
                Some(Kind::Float(number)) if number.is_finite() && json::is_number(text) => {
                    out.push_str(text);
                }
                _ => out.push_str(&self.to_json().to_string()),
            },
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|(key, node)| (key.text.clone(), node.to_json()))
                    .collect::<Map<_, _>>(),
            ),
            Value::Scalar { text, .. } => match self.kind() {
                Some(Kind::Null) => Json::Null,
                Some(Kind::Bool(truth)) => Json::Bool(truth),
                Some(Kind::Integer(number)) => Json::from(number),
                Some(Kind::Float(number)) => match text.parse::<u64>() {
                    Ok(large) => Json::from(large),
                    Err(_) => serde_json::Number::from_f64(number)
                        .map_or_else(|| Json::from(text.as_str()), Json::Number),
                },
                _ => Json::from(text.as_str()),
            },
        }
    }
}

fn number(text: &str) -> Option<Kind<'_>> {
    let first = text.as_bytes().first()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return None;
    }
    if let Ok(number) = text.parse() {
        return Some(Kind::Integer(number));
    }
    let shaped = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
    if !shaped {
        return None;
    }
    text.parse().ok().map(Kind::Float)
}

/// Reads one document; `None` when there is none. **Errors**: the first syntax mistake.
pub fn read(text: &str) -> Result<Option<Node>, Problem> {
    // A byte order mark is not part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    // If the last line has no line feed, the parser adds one to a block scalar that ends there; it is removed below.
    let last = text.rsplit('\n').next().unwrap_or_default();
    let open_end = (!last.trim().is_empty()).then(|| text.chars().count());
    for event in Parser::new_from_str(text) {
        let (mut event, span) = event.map_err(|error| {
            let info = error.info();
            let message = info.lines().next().unwrap_or_default();
            problem(place_of(error.marker()), message, None)
        })?;
        if let Event::Scalar(text, ScalarStyle::Literal | ScalarStyle::Folded, ..) = &mut event
            && open_end == Some(span.end.index())
            && text.ends_with('\n')
        {
            text.to_mut().pop();
        }
        builder.event(event, place_of(&span.start))?;
    }
    Ok(builder.root)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tree(text: &str) -> Node {
        read(text).unwrap().unwrap()
    }

    #[test]
    fn scalars_stay_as_written_and_mean_what_yaml_says() {
        let node = tree("f: 1e-4\nn: 007\nname: \"12\"\non: yes\nnone: null\nt: true\nv: NO\n");
        let kind = |key: &str| node.get(key).unwrap().kind().unwrap();
        assert_eq!(kind("f"), Kind::Float(1e-4));
        for (end, text) in [("", "x"), ("\n", "x\n"), ("\n  ", "x\n")] {
            let block = tree(&format!("a: |\n  x{end}"));
            assert_eq!(block.get("a").unwrap().text(), Some(text), "{end:?}");
        }
        assert_eq!(kind("n"), Kind::Integer(7));
        assert_eq!(node.get("n").unwrap().text(), Some("007"));
        assert_eq!(kind("name"), Kind::Text("12"));
        assert_eq!(kind("on"), Kind::Text("yes"));
        assert_eq!(node.get("on").unwrap().truth(), Some(true));
        assert_eq!(node.get("none").unwrap().text(), None);
        assert_eq!(node.get("none").unwrap().written(), Some("null"));
        assert_eq!(kind("t"), Kind::Bool(true));
        assert_eq!(node.get("v").unwrap().text(), Some("NO"));
        assert_eq!(node.to_json()["f"], 1e-4);
    }

    #[test]
    fn merge_keys_yield_and_duplicates_stay() {
        let node = tree("b: &b {x: 1, y: 2}\no:\n  <<: *b\n  x: 3\nd: 1\nd: 2\n");
        let merged = node.get("o").unwrap();
        assert_eq!(merged.get("x").unwrap().text(), Some("3"));
        assert_eq!(merged.get("y").unwrap().text(), Some("2"));
        assert_eq!(node.get("d").unwrap().text(), Some("2"));
        assert_eq!(node.entries().len(), 4);
        assert_eq!(node.entries()[3].0.line, 6);
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, line, part) in [
            ("a: 1\nb: : [\n", 2, ""),
            ("a: 1\n---\nb: 2\n", 2, "second document"),
            ("? [1]\n: 2\n", 1, "as a key"),
        ] {
            let wrong = read(text).unwrap_err();
            assert!(
                wrong.line == line && wrong.message.contains(part),
                "{text:?}: {wrong:?}"
            );
        }
        assert!(read(&"[".repeat(5000)).is_err());
        assert_eq!(read(""), Ok(None));
        assert_eq!(read("# nothing\n"), Ok(None));
        assert!(tree("~").is_null());
    }

    #[test]
    fn places_are_where_it_stands_and_of_an_alias_where_it_is_used() {
        let node = tree("b: &b {x: 1}\no:\n  - *b\n");
        let place = |node: &Node| (node.line, node.column);
        let used = &node.get("o").unwrap().items()[0];
        assert_eq!(place(node.get("b").unwrap()), (1, 7));
        assert_eq!((place(used), used.is_map()), ((3, 5), true));
        assert_eq!(node.entries()[1].0.column, 1);
    }

    #[test]
    fn aliases_cannot_explode() {
        let mut text = String::from("a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
        for level in 1..12 {
            let previous = level - 1;
            let items = vec![format!("*a{previous}"); 10].join(",");
            text = format!("{text}a{level}: &a{level} [{items}]\n");
        }
        assert!(read(&text).unwrap_err().message.contains("aliases"));
    }

    #[test]
    fn json_is_read_as_repositories_hold_it() {
        let text = "\u{feff}// made by eval\n{\n  # best\n  \"a\": [1.50, -2e3, /* two\nlines */ 7,],\n 'b\\u00e9': \"raw\ttab\",\n c_1: NaN, \"d\": -Infinity,\n}\n";
        let node = read_json(text).unwrap();
        let place = |node: &Node| (node.line, node.column);
        assert_eq!(place(node.get("a").unwrap()), (4, 8));
        assert_eq!(place(&node.get("a").unwrap().items()[2]), (5, 10));
        assert_eq!(place(node.get("bé").unwrap()), (6, 13));
        assert_eq!(node.get("bé").unwrap().text(), Some("raw\ttab"));
        assert_eq!(node.get("c_1").unwrap().kind(), Some(Kind::Text("NaN")));
        let mut json = String::new();
        node.write_json(&mut json);
        assert_eq!(
            json,
            "{\"a\":[1.50,-2e3,7],\"bé\":\"raw\\ttab\",\"c_1\":\"NaN\",\"d\":\"-Infinity\"}"
        );
    }

    #[test]
    fn mistakes_in_json_have_their_place() {
        let deep = "[".repeat(100_000);
        for (text, line, column, part) in [
            ("", 1, 1, "the file ends"),
            ("[1, 2", 1, 6, "expected `,` or `]`"),
            ("{\"a\": 1\n \"b\": 2}", 2, 2, "expected `,` or `}`"),
            ("{\"a\" 1}", 1, 6, "expected `:` after the key `a`"),
            ("[,]", 1, 2, "expected a value"),
            ("[01]", 1, 2, "`01` is no value"),
            ("{1: 2}", 1, 2, "a key in double quotes"),
            ("[True]", 1, 2, "`True` is Python"),
            ("[red]", 1, 2, "`red` is no value"),
            (
                "{\"é\": 1, \"b\": {\n\"é\": 2, \"é\": 3}}",
                2,
                9,
                "`é` is given twice, first in line 2, column 1",
            ),
            ("[\"é\", \"b", 1, 7, "a text is not closed"),
            ("[1 /* x", 1, 4, "a comment is not closed"),
            ("\"\\x\"", 1, 3, "an unknown escape"),
            ("\"\\u12\"", 1, 4, "four hexadecimal digits"),
            ("1 2", 1, 3, "more after the end"),
            (&deep, 1, 129, "nested deeper"),
        ] {
            let wrong = read_json(text).unwrap_err();
            let start: String = text.chars().take(20).collect();
            assert!(
                (wrong.line, wrong.column) == (line, column) && wrong.message.contains(part),
                "{start:?}: {wrong:?}"
            );
        }
    }

    #[test]
    fn a_list_is_read_item_by_item() {
        let mut reader = JsonReader::new(" [1, {\"a\": 2},\n 3] ", 5);
        assert!(reader.enter_list().unwrap());
        let mut places = Vec::new();
        while let Some(item) = reader.item().unwrap() {
            places.push((item.line, item.column));
        }
        reader.end().unwrap();
        assert_eq!(places, [(5, 3), (5, 6), (6, 2)]);
        assert!(!JsonReader::new("{}", 1).enter_list().unwrap());
    }

    /// Any JSON value of a few levels.
    fn json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            "\\PC{0,8}|[\\x00-\\x1f\\\\\"/]{0,4}".prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
                proptest::collection::btree_map("\\PC{0,4}", inner, 0..6)
                    .prop_map(|map| Json::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_means_what_serde_json_reads(value in json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let node = read_json(&text).unwrap();
                prop_assert_eq!(&node.to_json(), &value);
                let mut written = String::new();
                node.write_json(&mut written);
                prop_assert_eq!(serde_json::from_str::<Json>(&written).unwrap(), value.clone());
            }
        }

        #[test]
        fn no_text_makes_json_panic(text in "\\PC{0,60}", json in "[\\[\\]{}\"':,#/*0-9eE.+\\-a-z \\\\u\n\t]{0,60}") {
            for text in [text, json] {
                if let Ok(node) = read_json(&text) {
                    let mut written = String::new();
                    node.write_json(&mut written);
                    prop_assert!(serde_json::from_str::<Json>(&written).is_ok(), "{}", written);
                }
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}", yaml in "[\\[\\]{}\",:0-9e.\\-a-c &*#|>?!<\n]{0,60}") {
            let _one = read(&text);
            let _other = read(&yaml);
        }
    }
}
