//! YAML and JSON as a tree whose scalars stay as written, each node with its place.
//!
//! One parser for both: JSON is a part of YAML. Anchors, aliases and merge keys are resolved; duplicate keys, several
//! documents and collections as keys are mistakes. Numbers keep their text, so that `1e-4` in a grid is `1e-4` on a command
//! line.

mod builder;

use serde_saphyr::granit_parser::Parser;

use crate::problem::Problem;

use builder::{Builder, small};

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// The value.
    pub value: Value,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar; `plain` when it was not in quotes, so that it may be a number, a truth value or null.
    Scalar {
        /// Its text.
        text: String,
        /// Whether it stood without quotes.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file.
    Map(Vec<(Key, Node)>),
}

/// A key of a map and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its text.
    pub text: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// What a scalar means. **Source**: the core schema of YAML 1.2, numbers in decimal only.
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

impl Node {
    /// What the scalar means; `None` for lists and maps.
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

    /// Whether the scalar is null.
    pub fn is_null(&self) -> bool {
        self.kind() == Some(Kind::Null)
    }

    /// The scalar's text, whatever it means.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Looks a key of a map up.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Map(entries) => entries
                .iter()
                .find(|(known, _)| known.text == key)
                .map(|(_, node)| node),
            Value::Scalar { .. } | Value::List(_) => None,
        }
    }

    /// What the value is called in messages.
    pub fn noun(&self) -> &'static str {
        match (&self.value, self.kind()) {
            (Value::List(_), _) => "a list",
            (Value::Map(_), _) => "a map",
            (_, Some(Kind::Null)) => "null",
            (_, Some(Kind::Bool(_))) => "a truth value",
            (_, Some(Kind::Integer(_) | Kind::Float(_))) => "a number",
            _ => "a text",
        }
    }

    /// A problem at this place.
    pub fn problem(&self, message: impl Into<String>, hint: Option<&str>) -> Problem {
        Problem {
            line: self.line,
            column: self.column,
            message: message.into(),
            hint: hint.map(str::to_owned),
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

/// Reads one document. **Errors**: the first mistake of syntax.
pub fn read(text: &str) -> Result<Node, Problem> {
    // A byte order mark is no part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => builder.event(event, &span)?,
            Err(error) => {
                let marker = error.marker();
                let line = marker.line();
                let message = error.info().lines().next().unwrap_or_default().to_owned();
                let source = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
                return Err(Problem {
                    line: small(line),
                    column: small(marker.col() + 1),
                    message: format!("not valid YAML or JSON: {message}"),
                    hint: source.contains("${").then(|| {
                        String::from(
                            "inside { } and [ ] a placeholder must stand in quotes: \"${seed}\"",
                        )
                    }),
                });
            }
        }
    }
    builder.root.ok_or_else(|| Problem {
        line: 0,
        column: 0,
        message: String::from("the file is empty"),
        hint: None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scalars_stay_as_written_and_mean_what_yaml_says() {
        let node = read("lr: 1e-4\nn: 007\nname: \"12\"\non: yes\nnone:\nt: true\n").unwrap();
        let kind = |key: &str| node.get(key).unwrap().kind().unwrap();
        assert_eq!(node.get("lr").unwrap().text(), Some("1e-4"));
        assert_eq!(kind("lr"), Kind::Float(1e-4));
        assert_eq!(kind("n"), Kind::Integer(7));
        assert_eq!(kind("name"), Kind::Text("12"));
        assert_eq!(kind("on"), Kind::Text("yes"));
        assert_eq!(kind("none"), Kind::Null);
        assert_eq!(kind("t"), Kind::Bool(true));
    }

    #[test]
    fn merge_keys_yield_to_the_maps_own_keys() {
        let node = read("b: &b {lr: 1, wd: 2}\no:\n  <<: *b\n  lr: 3\n").unwrap();
        let merged = node.get("o").unwrap();
        assert_eq!(merged.get("lr").unwrap().text(), Some("3"));
        assert_eq!(merged.get("wd").unwrap().text(), Some("2"));
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, line, part) in [
            ("a: 1\nb: 2\na: 3\n", 3, "second time"),
            ("a: [1, 2\nb: 3\n", 2, "not valid"),
            ("a: 1\n---\nb: 2\n", 3, "second document"),
            ("? [1]\n: 2\n", 1, "as a key"),
            ("", 0, "empty"),
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
        assert!(read(&"[".repeat(5000)).is_err());
    }

    #[test]
    fn duplicates_are_found_in_large_maps_too() {
        let lines: Vec<String> = (0..5000).map(|key| format!("k{key}: 1\n")).collect();
        let mut text = lines.concat();
        assert!(read(&text).is_ok());
        text.push_str("k4999: 2\n");
        assert_eq!(read(&text).unwrap_err().line, 5001);
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

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}", yaml in "[\\[\\]{}\",:0-9e.\\-a-c &*#|>?!<\n]{0,60}") {
            let _one = read(&text);
            let _other = read(&yaml);
        }
    }
}
