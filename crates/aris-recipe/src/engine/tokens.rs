//! Reads fields from text that a command or a session printed.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::value::to_text;

/// How the fields of a session's final text are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Fields that continue over several lines.
    pub lists: BTreeSet<String>,
    /// Lists of paths, which also continue; a line with a blank in it ends them, because it is prose.
    #[serde(default)]
    pub paths: BTreeSet<String>,
    /// Fields with a closed set of values that decide where the run goes.
    pub single: BTreeSet<String>,
    /// Fields that may also be given as `name: value`, as tools of `AutoSkillit` print them. These are only the fields that the step reads,
    /// because prose has colons, too. The last one counts, but `name = value` comes first.
    #[serde(default)]
    pub with_colon: BTreeSet<String>,
}

/// Fields of a command's stdout: one for each line `name=value`; of several with one name the last one counts.
pub fn of_stdout(stdout: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    for line in stdout.lines() {
        if let Some((name, value)) = line.split_once('=')
            && is_name(name)
        {
            fields.insert(name.to_owned(), Value::from(value));
        }
    }
    fields
}

/// Collects the fields of a command's stdout, which comes in pieces and may have any length.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    found: Map<String, Value>,
    /// The bytes since the last line feed.
    open: Vec<u8>,
    /// Whether the present line is longer than any value may be.
    skips: bool,
    /// The field whose value was too long.
    too_long: Option<String>,
}

impl Fields {
    /// Longest line that is read, in bytes.
    pub const LINE: usize = 16 << 20;

    /// Takes the next piece.
    pub fn feed(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if !self.skips {
                self.open.extend_from_slice(part);
            }
            if self.open.len() > Self::LINE {
                let line = String::from_utf8_lossy(self.open.get(..256).unwrap_or_default());
                let name = line.split_once('=').map(|(name, _)| name);
                let name = name.filter(|name| is_name(name)).map(str::to_owned);
                self.too_long = self.too_long.take().or(name);
                self.skips = true;
                self.open = Vec::new();
            }
            if part.ends_with(b"\n") {
                self.line();
            }
        }
    }

    fn line(&mut self) {
        let line = std::mem::take(&mut self.open);
        self.skips = false;
        self.found
            .extend(of_stdout(&String::from_utf8_lossy(&line)));
    }

    /// The fields.
    ///
    /// **Errors**: the name of a field whose value has more than [`Fields::LINE`] bytes.
    pub fn end(mut self) -> Result<Map<String, Value>, String> {
        self.line();
        self.too_long.map_or(Ok(self.found), Err)
    }
}

/// Fields of a session's final text: lines `name = value`, the name bare or between `*` or `**`.
///
/// A value is the rest of its line. Where that is empty, and for lists, it continues over the lines that follow, until the next field, a
/// blank line or a code fence. Of several fields with one name the last one counts. But if a field of [`Reading::single`] is given twice
/// with different values, its value is both of them, which no set of values has, because it is not known which one is meant. For such a
/// field, another value on the lines of quotes and lists, or in a JSON object in the text, counts as well.
pub fn of_final_text(text: &str, reading: &Reading) -> Map<String, Value> {
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut is_open, mut is_paths) = (false, false);
    for line in text.lines() {
        if let Some((name, value)) = field(line) {
            let is_list = value.is_empty() || reading.lists.contains(&name);
            is_paths = !is_list && reading.paths.contains(&name);
            is_open = is_list || is_paths;
            found.push((name, value));
        } else if ends_a_value(line) || is_paths && unmarked(line.trim()).contains(' ') {
            is_open = false;
        } else if let Some((_, value)) = found.last_mut().filter(|_| is_open) {
            if !value.is_empty() {
                value.push('\n');
            }
            value.push_str(line.trim());
        }
    }
    let mut fields = Map::new();
    for (name, value) in found {
        add(&mut fields, name, Value::from(value), reading);
    }
    let with_colon = text.lines().rev().filter_map(|line| line.split_once(": "));
    for (name, value) in with_colon.filter(|(name, _)| reading.with_colon.contains(*name)) {
        let value = || Value::from(value.trim());
        fields.entry(name).or_insert_with(value);
    }
    if !reading.single.is_empty() {
        contradict(&mut fields, beside(text), reading);
    }
    fields
}

/// Whether a line ends a value: a blank line, a code fence, or the mark with which sessions of `AutoSkillit` end (`%%ORDER_UP%%`).
fn ends_a_value(line: &str) -> bool {
    let line = line.trim();
    let is_mark = line.len() > 4 && line.starts_with("%%") && line.ends_with("%%");
    line.is_empty() || line.starts_with("```") || is_mark
}

/// Adds the values that are given elsewhere for the same fields, where they decide otherwise.
fn contradict(fields: &mut Map<String, Value>, elsewhere: Vec<(String, Value)>, reading: &Reading) {
    for (name, value) in elsewhere {
        let differs = |given: &Value| first_word(&to_text(given)) != first_word(&to_text(&value));
        if reading.single.contains(&name) && fields.get(&name).is_some_and(differs) {
            add(fields, name, value, reading);
        }
    }
}

/// The fields of a JSON object that is the whole answer of a session or a driver; `None` where the text is not a JSON object.
///
/// A field that is given twice counts as in [`of_final_text`]. Objects within the object count as well; items of lists do not.
pub fn of_object(text: &str, reading: &Reading) -> Option<Map<String, Value>> {
    let pairs: Pairs = serde_json::from_str(text.trim()).ok()?;
    Some(pairs.fields(reading))
}

/// The same for a JSON list of objects.
pub fn of_objects(text: &str, reading: &Reading) -> Option<Vec<Map<String, Value>>> {
    let objects: Vec<Pairs> = serde_json::from_str(text.trim()).ok()?;
    Some(objects.into_iter().map(|one| one.fields(reading)).collect())
}

fn add(fields: &mut Map<String, Value>, name: String, value: Value, reading: &Reading) {
    let before = fields.get(&name);
    let before = before.filter(|before| reading.single.contains(&name) && **before != value);
    let both = before.map(|before| format!("{}, then {}", to_text(before), to_text(&value)));
    fields.insert(name, both.map_or(value, Value::from));
}

/// An object with all its members: of a key that is given twice, `serde_json` keeps only the last value.
struct Pairs(Vec<(String, Value)>);

impl Pairs {
    fn fields(self, reading: &Reading) -> Map<String, Value> {
        let (mut fields, mut within) = (Map::new(), Vec::new());
        for (name, value) in self.0 {
            inner(&value, &mut within);
            add(&mut fields, name, value, reading);
        }
        contradict(&mut fields, within, reading);
        fields
    }
}

/// The members of an object, and those of the objects in it. Items of lists do not count: one of many reviews may differ from the whole.
fn inner(value: &Value, found: &mut Vec<(String, Value)>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        found.push((name.clone(), value.clone()));
        inner(value, found);
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Pairs;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Fields that a text gives elsewhere than on lines of their own: on lines of quotes, lists and code, and in JSON objects.
fn beside(text: &str) -> Vec<(String, Value)> {
    let lines = text.lines();
    let marked = lines.filter(|line| unmarked(line).len() < line.len());
    let fields = marked.filter_map(|line| field(unmarked(line)));
    let fields = fields.map(|(name, value)| (name, Value::from(value)));
    let mut found: Vec<_> = fields.collect();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('{')) {
        at += start;
        let rest = text.get(at..text.floor_char_boundary(at + OBJECT));
        let rest = rest.unwrap_or_default();
        let mut objects = serde_json::Deserializer::from_str(rest).into_iter();
        if let Some(Ok(Pairs(pairs))) = objects.next() {
            for (name, value) in pairs {
                inner(&value, &mut found);
                found.push((name, value));
            }
            at += objects.byte_offset();
        } else {
            at += 1;
        }
    }
    found
}

/// Longest JSON object within a text, in bytes.
const OBJECT: usize = 1 << 20;

/// A line without the signs of a quote, a list (also a numbered one, or one with boxes) or code at its beginning.
fn unmarked(line: &str) -> &str {
    let line = line.trim_start_matches(|sign: char| !sign.is_alphabetic() && !"_{".contains(sign));
    let boxed = line.strip_prefix(['x', 'X']);
    let boxed = boxed.and_then(|rest| rest.strip_prefix("] "));
    boxed.unwrap_or(line)
}

/// The word of a value that decides: "approved" of "approved: nothing is missing".
fn first_word(value: &str) -> &str {
    let end = |sign: char| !sign.is_alphanumeric() && !"_-".contains(sign);
    value.trim().split(end).next().unwrap_or_default()
}

/// What an answer says about a helper that could not look: its line `degraded: why`, or a field `degraded` that is true.
pub fn degraded(text: &str, fields: &Map<String, Value>) -> Option<String> {
    let of_line = |line: &str| {
        let line = unmarked(line);
        line.starts_with("degraded: ")
            .then(|| line.trim_end().chars().take(NOTE).collect())
    };
    text.lines().find_map(of_line).or_else(|| {
        let said = fields.get("degraded").map(to_text)?;
        crate::value::is_truthy(&said).then(|| String::from("degraded"))
    })
}

/// Longest note, in characters.
const NOTE: usize = 300;

fn field(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    if value.starts_with('=') {
        return None;
    }
    // The stars enclose the name or the whole line.
    let name = name.trim();
    let stars = name.chars().take_while(|sign| *sign == '*').count();
    let bare = name.trim_matches('*').trim();
    let whole = stars > 0 && !name.ends_with('*');
    let mut value = value.trim();
    if whole {
        let plain = value.strip_suffix(&"*".repeat(stars));
        value = plain.unwrap_or(value).trim();
    }
    is_name(bare).then(|| (bare.to_owned(), value.to_owned()))
}

fn is_name(name: &str) -> bool {
    let begins = |sign: char| sign.is_ascii_alphabetic() || sign == '_';
    let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    name.starts_with(begins) && name.bytes().all(goes_on)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_is_too_long_is_named_whatever_follows() {
        let mut fields = Fields::default();
        let long = "x".repeat(Fields::LINE);
        fields.feed(format!("a={long}\nb=1\n").as_bytes());
        fields.feed(format!("{long}y").as_bytes());
        assert_eq!(fields.end(), Err(String::from("a")));
    }

    #[test]
    fn stdout_gives_fields() {
        let found = of_stdout("a=1\nnoise\nx y=2\nb=x=y\na=3\n=5\n");
        assert_eq!(Value::Object(found), json!({"a": "3", "b": "x=y"}));
    }

    #[test]
    fn final_text_gives_fields() {
        let reading = Reading {
            lists: BTreeSet::from([String::from("parts")]),
            single: BTreeSet::from([String::from("gate")]),
            ..Reading::default()
        };
        let text = "I looked. a == b holds.\n\nverdict = GO\nDone.\nparts = a\nb\n**pr_url** = https://x/1?a=b\n*n* = 3\n**whole = bold**\nplan_parts =\n  one.md\n  \
                    two.md\n\nThat is all.\n```\nlate = 1\n```\nverdict = NO GO\ngate = a\ngate = a\ngate = b\n";
        assert_eq!(
            Value::Object(of_final_text(text, &reading)),
            json!({"verdict": "NO GO", "parts": "a\nb", "pr_url": "https://x/1?a=b", "n": "3", "whole": "bold", "plan_parts": "one.md\ntwo.md", "late": "1", "gate": "a, then b"})
        );
    }

    #[test]
    fn a_value_that_is_too_long_is_told() {
        let mut fields = Fields::default();
        fields.feed(b"a=1\nb=");
        (0..17).for_each(|_| fields.feed(&vec![b'x'; 1 << 20]));
        fields.feed(b"\nc=3\n");
        assert_eq!(fields.end(), Err(String::from("b")));
        let mut fields = Fields::default();
        (0..17).for_each(|_| fields.feed(&vec![b'x'; 1 << 20]));
        fields.feed(b"\nc=3");
        assert_eq!(fields.end().map(Value::Object), Ok(json!({"c": "3"})));
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "([a-c=\\r x]|\n){0,60}", cut in 0_usize..60) {
            let mut fields = Fields::default();
            let (one, two) = text.as_bytes().split_at(cut.min(text.len()));
            fields.feed(one);
            fields.feed(two);
            prop_assert_eq!(fields.end(), Ok(of_stdout(&text)));
        }

        #[test]
        fn no_text_makes_it_panic(text in "(\\PC|\n|=|\\*){0,80}") {
            let _one = of_stdout(&text);
            let _other = of_final_text(&text, &Reading::default());
        }
    }
}
