//! JSON as real repositories contain it.
//!
//! RFC 8259, and in addition: a byte order mark, `//`, `/* */` and `#` comments, commas before a closing bracket, control
//! characters in texts, texts in single quotes, keys without quotes, and `NaN`, `Infinity` and `-Infinity`, which become plain
//! scalars that mean a text. A key that occurs twice in one object is an error, because it is unclear which one is meant.

use std::collections::BTreeMap;

use crate::builder::small;
use crate::problem::{Place, Problem, problem};
use crate::{Node, Text, Value};

/// Most levels of nested lists and objects. **Source**: results have a dozen levels; deeper nesting attacks the stack.
const MAX_DEPTH: usize = 128;

/// Reads a text that consists of one value. **Errors**: the first mistake, with its place.
pub fn read_json(text: &str) -> Result<Node, Problem> {
    JsonReader::new(text, 1).whole()
}

/// The same, but a repeated key is allowed, so that the caller can report it; [`Node::get`] returns the last one.
pub fn read_repeating_json(text: &str) -> Result<Node, Problem> {
    let mut reader = JsonReader::new(text, 1);
    reader.may_repeat = true;
    reader.whole()
}

/// Reads JSON item by item, so that a long list need not be held in memory.
#[derive(Debug)]
pub struct JsonReader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    line: u32,
    /// The column of the byte `counted`, from 1, in characters.
    column: u32,
    counted: usize,
    /// Whether an item of the outermost list has been read.
    within: bool,
    /// Whether a key may occur twice in one object.
    may_repeat: bool,
}

impl<'t> JsonReader<'t> {
    /// A reader for `text`, which begins at line `line` of its file.
    pub fn new(text: &'t str, line: u32) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            line,
            column: 1,
            counted: 0,
            within: false,
            may_repeat: false,
        }
    }

    fn whole(mut self) -> Result<Node, Problem> {
        let node = self.value()?;
        self.end()?;
        Ok(node)
    }

    /// Reads one value.
    pub fn value(&mut self) -> Result<Node, Problem> {
        self.space()?;
        self.node(0)
    }

    /// Checks that the text ends here. **Errors**: more text follows.
    pub fn end(&mut self) -> Result<(), Problem> {
        self.space()?;
        if self.at < self.bytes.len() {
            return Err(self.error("there is more after the end of the value"));
        }
        Ok(())
    }

    /// Enters the outermost list; `false` when the value is not a list.
    pub fn enter_list(&mut self) -> Result<bool, Problem> {
        self.space()?;
        Ok(self.take(b'['))
    }

    /// The next item of the entered list; `None` after the last.
    pub fn item(&mut self) -> Result<Option<Node>, Problem> {
        if !self.separated(b']', self.within)? {
            return Ok(None);
        }
        self.within = true;
        self.node(1).map(Some)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    /// Line and column of the current byte. Counts on from the previous place, so that one long line is not counted again for
    /// each value.
    fn place(&mut self) -> Place {
        let skipped = self.bytes.get(self.counted..self.at).unwrap_or_default();
        let characters = skipped.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.column = self.column.saturating_add(small(characters));
        self.counted = self.at;
        Place {
            line: self.line,
            column: self.column,
        }
    }

    fn error(&mut self, message: impl Into<String>) -> Problem {
        problem(self.place(), message, None)
    }

    fn newline(&mut self) {
        self.line = self.line.saturating_add(1);
        self.column = 1;
        self.counted = self.at;
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Result<(), Problem> {
        while let Some(byte) = self.peek() {
            let next = self.bytes.get(self.at + 1);
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.newline();
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'#' => self.skip_line(),
                b'/' if next == Some(&b'/') => self.skip_line(),
                b'/' if next == Some(&b'*') => {
                    let start = self.place();
                    self.at += 2;
                    while !self.rest().starts_with(b"*/") {
                        self.step(start, "a comment is not closed")?;
                    }
                    self.at += 2;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Moves on by one byte within a token that began at `start`. **Errors**: the file ends first; `open` names the token in
    /// the message.
    fn step(&mut self, start: Place, open: &str) -> Result<(), Problem> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        match byte {
            None => return Err(problem(start, open, None)),
            Some(b'\n') => self.newline(),
            Some(_) => {}
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    /// Moves to the next item, past its comma unless it is the first; `false` at the closing bracket, which is consumed.
    fn separated(&mut self, close: u8, comma: bool) -> Result<bool, Problem> {
        self.space()?;
        let separated = comma && self.take(b',');
        self.space()?;
        if self.take(close) {
            return Ok(false);
        }
        if comma && !separated {
            let close = char::from(close);
            return Err(self.error(format!("expected `,` or `{close}`")));
        }
        Ok(true)
    }

    fn node(&mut self, depth: usize) -> Result<Node, Problem> {
        let place = self.place();
        let value = match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => {
                return Err(self.error(format!("nested deeper than {MAX_DEPTH} levels")));
            }
            Some(b'{') => self.map(depth)?,
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                while self.separated(b']', !items.is_empty())? {
                    items.push(self.node(depth + 1)?);
                }
                Value::List(items)
            }
            Some(b'"' | b'\'') => Value::Scalar {
                text: self.string()?,
                plain: false,
            },
            Some(_) => {
                let word = self.word();
                let known = matches!(
                    word,
                    "true" | "false" | "null" | "NaN" | "Infinity" | "-Infinity"
                );
                if !known && !is_number(word) {
                    let word: String = word.chars().take(20).collect();
                    return Err(self.error(match word.as_str() {
                        "" => String::from("expected a value"),
                        "True" | "False" | "None" => {
                            format!("`{word}` is Python; JSON has true, false and null")
                        }
                        _ => {
                            format!("`{word}` is no value of JSON; write text in double quotes")
                        }
                    }));
                }
                self.at += word.len();
                Value::Scalar {
                    text: word.to_owned(),
                    plain: true,
                }
            }
            None => return Err(self.error("the file ends where a value is expected")),
        };
        Ok(Node::at(place, value))
    }

    fn map(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut entries: Vec<(Text, Node)> = Vec::new();
        while self.separated(b'}', !entries.is_empty())? {
            let Place { line, column } = self.place();
            let text = if let Some(b'"' | b'\'') = self.peek() {
                self.string()?
            } else {
                let word = self.word();
                let begins = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$');
                if !word.starts_with(begins) {
                    return Err(self.error("expected a key in double quotes"));
                }
                self.at += word.len();
                word.to_owned()
            };
            self.space()?;
            if !self.take(b':') {
                return Err(self.error(format!("expected `:` after the key `{text}`")));
            }
            self.space()?;
            let key = Text { text, line, column };
            entries.push((key, self.node(depth + 1)?));
        }
        match twice(&entries) {
            Some(keys) if !self.may_repeat => Err(said_twice(keys)),
            _ => Ok(Value::Map(entries)),
        }
    }

    /// The letters, digits and number signs at the current byte.
    fn word(&self) -> &'t str {
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._$".contains(byte);
        let length = self.rest().iter().take_while(|byte| part(byte)).count();
        self.text.get(self.at..self.at + length).unwrap_or_default()
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.place();
        let quote = self.peek();
        self.at += 1;
        let mut out = String::new();
        let mut from = self.at;
        loop {
            match self.peek() {
                byte if byte == quote => {
                    out.push_str(self.text.get(from..self.at).unwrap_or_default());
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(self.text.get(from..self.at).unwrap_or_default());
                    self.at += 1;
                    out.push(self.escape()?);
                    from = self.at;
                }
                _ => self.step(start, "a text is not closed")?,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Problem> {
        let c = match self.peek() {
            Some(byte @ (b'"' | b'\'' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.error("an unknown escape; a backslash is written `\\\\`")),
        };
        self.at += 1;
        Ok(c)
    }

    /// The character of `\uXXXX` or of a surrogate pair; the replacement character for half a pair, which Python can write.
    fn unicode(&mut self) -> Result<char, Problem> {
        let high = self.hex4()?;
        let mut code = high;
        if (0xd800..0xdc00).contains(&high) {
            let after = self.at;
            if self.take(b'\\') && self.take(b'u') {
                let low = self.hex4()?;
                if (0xdc00..0xe000).contains(&low) {
                    code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                }
            }
            if code == high {
                self.at = after;
            }
        }
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex4(&mut self) -> Result<u32, Problem> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => Err(self.error("expected four hexadecimal digits")),
        }
    }
}

/// Whether `word` is a number by the grammar of RFC 8259.
pub(crate) fn is_number(word: &str) -> bool {
    let begins = |sign: char| sign == '-' || sign.is_ascii_digit();
    word.starts_with(begins) && serde_json::from_str::<serde::de::IgnoredAny>(word).is_ok()
}

/// Two entries with the same key, if there are any.
pub(crate) fn twice(entries: &[(Text, Node)]) -> Option<(&Text, &Text)> {
    /// Up to this number of entries, comparing all pairs is faster than sorting.
    const FEW: usize = 8;
    let mut keys = entries.iter().map(|(key, _)| key);
    if entries.len() <= FEW {
        let before = |(at, (key, _)): (usize, &(Text, Node))| {
            entries
                .iter()
                .take(at)
                .any(|(known, _)| known.text == key.text)
        };
        if !entries.iter().enumerate().any(before) {
            return None;
        }
    }
    let mut seen = BTreeMap::new();
    keys.find_map(|key| Some((seen.insert(&key.text, key)?, key)))
}

pub(crate) fn said_twice((first, second): (&Text, &Text)) -> Problem {
    problem(
        second,
        format!(
            "the key `{}` is given twice, first in line {}, column {}",
            second.text, first.line, first.column
        ),
        Some("remove one of the two"),
    )
}
