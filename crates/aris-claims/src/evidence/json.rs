//! A strict JSON reader that keeps numbers as written and knows every line.
//!
//! RFC 8259, plus `NaN`, `Infinity` and `-Infinity` as Python writes them (they are kept and never match a claim).
//! Duplicate keys are refused: which of the two was meant cannot be known.

use std::collections::BTreeSet;

use super::tree::{MAX_DEPTH, Malformed, Node, Value};

/// Reads one JSON document; `first_line` is the number of its first line in the file.
pub(crate) fn read(text: &str, first_line: u32) -> Result<Node, Malformed> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: first_line,
        line_start: 0,
    };
    reader.space();
    let node = reader.node(0)?;
    reader.space();
    if reader.at < reader.bytes.len() {
        return Err(reader.error("text after the end of the value"));
    }
    Ok(node)
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    line: u32,
    line_start: usize,
}

impl Reader<'_> {
    fn error(&self, message: &str) -> Malformed {
        Malformed {
            line: usize::try_from(self.line).unwrap_or(0),
            column: self.at.saturating_sub(self.line_start) + 1,
            message: message.to_owned(),
        }
    }

    fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line = self.line.saturating_add(1);
                    self.line_start = self.at;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                _ => break,
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node, Malformed> {
        if depth > MAX_DEPTH {
            return Err(self.error("nested too deeply"));
        }
        let line = self.line;
        let value = match self.byte() {
            b'{' => self.map(depth)?,
            b'[' => self.list(depth)?,
            b'"' => Value::Text(self.string()?),
            b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => self.plain()?,
            0 if self.at >= self.bytes.len() => {
                return Err(self.error("the file ends where a value belongs"));
            }
            _ => return Err(self.error("expected a value")),
        };
        Ok(Node { line, value })
    }

    fn map(&mut self, depth: usize) -> Result<Value, Malformed> {
        self.at += 1;
        let mut entries = Vec::new();
        let mut seen = BTreeSet::new();
        self.space();
        if self.byte() == b'}' {
            self.at += 1;
            return Ok(Value::Map(entries));
        }
        loop {
            self.space();
            if self.byte() != b'"' {
                return Err(self.error("expected a key in double quotes"));
            }
            let key = self.string()?;
            if !seen.insert(key.clone()) {
                return Err(self.error(&format!("duplicate key {key:?}")));
            }
            self.space();
            if self.byte() != b':' {
                return Err(self.error("expected ':' after the key"));
            }
            self.at += 1;
            self.space();
            entries.push((key, self.node(depth + 1)?));
            self.space();
            match self.byte() {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(Value::Map(entries));
                }
                _ => return Err(self.error("expected ',' or '}'")),
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Malformed> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.byte() == b']' {
            self.at += 1;
            return Ok(Value::List(items));
        }
        loop {
            self.space();
            items.push(self.node(depth + 1)?);
            self.space();
            match self.byte() {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(Value::List(items));
                }
                _ => return Err(self.error("expected ',' or ']'")),
            }
        }
    }

    fn plain(&mut self) -> Result<Value, Malformed> {
        let start = self.at;
        while matches!(self.byte(), b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') {
            self.at += 1;
        }
        let word = self.text.get(start..self.at).unwrap_or("");
        let known = matches!(
            word,
            "true" | "false" | "null" | "NaN" | "Infinity" | "-Infinity"
        ) || is_number(word);
        if known {
            Ok(Value::Plain(word.to_owned()))
        } else {
            self.at = start;
            Err(self.error("expected a value"))
        }
    }

    fn string(&mut self) -> Result<String, Malformed> {
        self.at += 1;
        let mut out = String::new();
        let mut from = self.at;
        loop {
            match self.bytes.get(self.at) {
                None => return Err(self.error("the file ends inside a string")),
                Some(b'"') => {
                    out.push_str(self.text.get(from..self.at).unwrap_or(""));
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(self.text.get(from..self.at).unwrap_or(""));
                    self.at += 1;
                    let c = self.escape()?;
                    out.push(c);
                    from = self.at;
                }
                Some(byte) if *byte < 0x20 => {
                    return Err(self.error("control character in a string"));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Malformed> {
        let c = match self.byte() {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.error("unknown escape")),
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode(&mut self) -> Result<char, Malformed> {
        let high = self.hex4()?;
        let code = if (0xD800..0xDC00).contains(&high) {
            if !self
                .text
                .get(self.at..)
                .is_some_and(|rest| rest.starts_with("\\u"))
            {
                return Err(self.error("half a surrogate pair"));
            }
            self.at += 2;
            let low = self.hex4()?;
            if !(0xDC00..0xE000).contains(&low) {
                return Err(self.error("half a surrogate pair"));
            }
            0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        } else {
            high
        };
        char::from_u32(code).ok_or_else(|| self.error("half a surrogate pair"))
    }

    fn hex4(&mut self) -> Result<u32, Malformed> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.error("expected four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}

/// RFC 8259 number grammar.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (digits.get(..at).unwrap_or(""), digits.get(at + 1..)),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(all_digits)
        && exponent.is_none_or(|text| all_digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keeps_numbers_as_written_and_lines() {
        let node = read(
            "{\n \"a\": [1.50, -2e-3],\n \"b\\u00e9\": \"x\\ny\", \"c\": NaN}",
            1,
        )
        .unwrap();
        let Value::Map(entries) = node.value else {
            panic!("a map")
        };
        let Value::List(items) = &entries[0].1.value else {
            panic!("a list")
        };
        assert_eq!(
            items[0],
            Node {
                line: 2,
                value: Value::Plain("1.50".to_owned())
            }
        );
        assert_eq!(items[1].value, Value::Plain("-2e-3".to_owned()));
        assert_eq!(
            entries[1],
            (
                "bé".to_owned(),
                Node {
                    line: 3,
                    value: Value::Text("x\ny".to_owned())
                }
            )
        );
    }

    #[test]
    fn refuses_with_line_and_column() {
        for (input, line, column, message) in [
            ("{\"a\": 1,}", 1, 9, "expected a key in double quotes"),
            ("{\"a\": 1\n \"b\": 2}", 2, 2, "expected ',' or '}'"),
            ("[1, 2", 1, 6, "expected ',' or ']'"),
            ("{\"a\": 1, \"a\": 2}", 1, 13, "duplicate key \"a\""),
            ("[01]", 1, 2, "expected a value"),
            ("", 1, 1, "the file ends where a value belongs"),
            ("1 2", 1, 3, "text after the end of the value"),
            ("\"\\ud800x\"", 1, 8, "half a surrogate pair"),
        ] {
            let error = read(input, 1).unwrap_err();
            assert_eq!(
                (error.line, error.column, error.message.as_str()),
                (line, column, message),
                "{input}"
            );
        }
        assert!(read(&"[".repeat(100_000), 1).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn never_panics(text in "\\PC{0,60}", json in "[\\[\\]{}\",:0-9eE.\\-a-z \\\\u\n]{0,60}") {
            let _a = read(&text, 1);
            let _b = read(&json, 1);
        }
    }
}
