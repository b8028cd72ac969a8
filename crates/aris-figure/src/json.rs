//! JSON with the place of every value, which `serde_json` does not give.
//!
//! Reads what RFC 8259 calls JSON and nothing more; half a surrogate pair is left out of a text. Linear in the length of the text.

/// How deep lists and objects may lie in each other. A figure needs five levels.
const DEPTH: usize = 32;

/// A value and the byte where it begins.
#[derive(Debug)]
pub(crate) struct Json {
    pub(crate) at: usize,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<Member>),
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: String,
    /// The byte where the key begins.
    pub(crate) at: usize,
    pub(crate) json: Json,
}

impl Value {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

/// Where the text stops being JSON, and why.
#[derive(Debug)]
pub(crate) struct Syntax {
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) fix: &'static str,
}

/// Reads one value that fills `text`.
pub(crate) fn parse(text: &str) -> Result<Json, Syntax> {
    let mut parser = Parser {
        bytes: text.as_bytes(),
        text,
        at: 0,
    };
    parser.space();
    let json = parser.value(0)?;
    parser.space();
    match parser.peek() {
        None => Ok(json),
        Some(_) => Err(parser.error(
            "there is more after the end of the figure",
            "remove it; a file holds one figure",
        )),
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, message: impl Into<String>, fix: &'static str) -> Syntax {
        Syntax {
            at: self.at,
            message: message.into(),
            fix,
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    fn value(&mut self, depth: usize) -> Result<Json, Syntax> {
        let at = self.at;
        let value = match self.peek() {
            Some(b'{' | b'[') if depth == DEPTH => {
                return Err(self.error(
                    format!("lists and objects lie deeper than {DEPTH} levels"),
                    "a figure has lists of objects and nothing below",
                ));
            }
            Some(b'{') => {
                let separators = ("a comma or } is expected", "separate members by commas");
                let member = |parser: &mut Self| parser.member(depth + 1);
                Value::Object(self.items(b'}', separators, member)?)
            }
            Some(b'[') => {
                let separators = ("a comma or ] is expected", "separate elements by commas");
                let value = |parser: &mut Self| parser.value(depth + 1);
                Value::List(self.items(b']', separators, value)?)
            }
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(byte) if byte.is_ascii_alphabetic() => self.word()?,
            Some(b'\'') => {
                return Err(self.error("a text in single quotes", "write it in double quotes"));
            }
            Some(b'/') => return Err(self.error("a comment", "JSON has none: remove it")),
            Some(b',' | b']' | b'}') => {
                return Err(self.error("a value is missing", "remove the comma that is too many"));
            }
            Some(_) => return Err(self.error("no value begins here", "write JSON")),
            None => {
                return Err(self.error(
                    "the file ends where a value is expected",
                    "is the file complete?",
                ));
            }
        };
        Ok(Json { at, value })
    }

    /// What stands between brackets, the first of which is here: items with commas between them.
    fn items<T>(
        &mut self,
        close: u8,
        (expected, fix): (&'static str, &'static str),
        item: impl Fn(&mut Self) -> Result<T, Syntax>,
    ) -> Result<Vec<T>, Syntax> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.take(close) {
            return Ok(items);
        }
        loop {
            self.space();
            items.push(item(self)?);
            self.space();
            if self.take(close) {
                return Ok(items);
            }
            if !self.take(b',') {
                return Err(self.error(expected, fix));
            }
        }
    }

    fn member(&mut self, depth: usize) -> Result<Member, Syntax> {
        let at = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.error(
                "a name in double quotes is expected",
                "write \"name\": value, and no comma after the last one",
            ));
        }
        let key = self.string()?;
        self.space();
        if !self.take(b':') {
            return Err(self.error(format!("no colon after {key:?}"), "write \"name\": value"));
        }
        self.space();
        let json = self.value(depth)?;
        Ok(Member { key, at, json })
    }

    fn word(&mut self) -> Result<Value, Syntax> {
        let end = self
            .bytes
            .get(self.at..)
            .unwrap_or_default()
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric())
            .map_or(self.bytes.len(), |length| self.at + length);
        let word = self.text.get(self.at..end).unwrap_or_default();
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "True" | "False" | "None" => {
                return Err(self.error(
                    format!("{word} is Python, not JSON"),
                    "write true, false or null",
                ));
            }
            "NaN" | "Infinity" => {
                return Err(self.error(format!("{word} is no number"), "write a finite number"));
            }
            _ => {
                let word: String = word.chars().take(20).collect();
                return Err(self.error(
                    format!("{word} is not quoted"),
                    "write texts in double quotes",
                ));
            }
        };
        self.at = end;
        Ok(value)
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<f64, Syntax> {
        let start = self.at;
        let bad = |parser: &Self| parser.error("this is no number of JSON", "write 12 or 12.5");
        self.take(b'-');
        if !self.take(b'0') && !self.digits() {
            return Err(bad(self));
        }
        if self.take(b'.') && !self.digits() {
            return Err(bad(self));
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'-') {
                self.take(b'+');
            }
            if !self.digits() {
                return Err(bad(self));
            }
        }
        if matches!(self.peek(), Some(byte) if byte.is_ascii_alphanumeric() || byte == b'.') {
            return Err(bad(self));
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(Syntax {
                at: start,
                message: String::from("the number is too large"),
                fix: "write a number below a million",
            }),
        }
    }

    fn string(&mut self) -> Result<String, Syntax> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            text.push_str(self.text.get(from..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.extend(self.escape()?);
                }
                Some(b'\n' | b'\r') => {
                    return Err(self.error(
                        "the line ends inside a text",
                        "close the text, or write \\n for a line break",
                    ));
                }
                Some(_) => {
                    return Err(self.error("a control character inside a text", "remove it"));
                }
                None => {
                    self.at = start;
                    return Err(self.error("a text is not closed", "add the closing quote"));
                }
            }
        }
    }

    /// The character after a backslash; none for half a surrogate pair.
    fn escape(&mut self) -> Result<Option<char>, Syntax> {
        let plain = match self.peek() {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'u') => {
                self.at += 1;
                let unit = self.unit()?;
                if !(0xd800..0xdc00).contains(&unit) {
                    return Ok(char::from_u32(unit));
                }
                let after = self.at;
                if self.take(b'\\') && self.take(b'u') {
                    let low = self.unit()?;
                    if (0xdc00..0xe000).contains(&low) {
                        return Ok(char::from_u32(
                            0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00),
                        ));
                    }
                }
                self.at = after;
                return Ok(None);
            }
            _ => return Err(self.error("an unknown escape", "write \\\\ for a backslash")),
        };
        self.at += 1;
        Ok(Some(plain))
    }

    fn unit(&mut self) -> Result<u32, Syntax> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        if digits.len() == 4
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && let Ok(unit) = u32::from_str_radix(digits, 16)
        {
            self.at += 4;
            return Ok(unit);
        }
        Err(self.error("\\u needs four hexadecimal digits", "write \\u00e9, say"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fails(text: &str) -> (usize, String) {
        let error = parse(text).expect_err(text);
        (error.at, error.message)
    }

    #[test]
    fn what_is_not_json_is_refused_where_it_stops() {
        for (text, at) in [
            ("", 0),
            ("{", 1),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("{'a':1}", 1),
            ("[NaN]", 1),
            ("[-Infinity]", 2),
            ("[01]", 2),
            ("[1.]", 3),
            ("[1e]", 3),
            ("[True]", 1),
            ("[red]", 1),
            ("[\"a\nb\"]", 3),
            ("[\"a", 1),
            ("[\"\\x\"]", 3),
            ("[\"\\u12g4\"]", 4),
            ("// x\n{}", 0),
            ("{} {}", 3),
            ("[1e999]", 1),
        ] {
            assert_eq!(fails(text).0, at, "{text:?}: {}", fails(text).1);
        }
        let deep = "[".repeat(100_000);
        assert!(fails(&deep).1.contains("deeper"));
    }

    #[test]
    fn escapes_are_read() {
        let json = parse(r#"["\u4e2d\ud83d\ude00\ud800x\n\"\/"]"#).expect("json");
        let Value::List(items) = json.value else {
            panic!("a list")
        };
        assert!(
            matches!(&items[0].value, Value::Text(text) if text == "\u{4e2d}\u{1f600}x\n\"/"),
            "{items:?}"
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,200}") {
            drop(parse(&text));
        }

        #[test]
        fn no_text_that_looks_like_json_makes_it_panic(text in "[\\[\\]{}\",:\\\\0-9eE.u+ tfn-]{0,60}") {
            if let Err(error) = parse(&text) {
                prop_assert!(error.at <= text.len());
            }
        }

        #[test]
        fn what_serde_writes_is_read(text in ".{0,40}", number in -1e6..1e6_f64) {
            let written = serde_json::json!({"a": [text, number, null, true]}).to_string();
            let Value::Object(members) = parse(&written).expect("json").value else { panic!("object") };
            let Value::List(items) = &members[0].json.value else { panic!("list") };
            prop_assert!(matches!(&items[0].value, Value::Text(read) if *read == text));
            prop_assert!(matches!(items[1].value, Value::Number(read) if read.to_bits() == number.to_bits()));
        }
    }
}
