//! JSON with the place of every value, as strict as RFC 8259 and so as strict as the hosts.

/// Deepest nesting that is read; manifests have six levels.
const DEPTH_LIMIT: usize = 100;

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
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) key: String,
    /// Byte at which the key begins.
    pub(super) offset: usize,
    pub(super) value: Json,
}

/// Where and why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) message: &'static str,
}

impl Json {
    /// The members of an object; none for anything else.
    pub(super) fn members(&self) -> &[Member] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let mut members = self.members().iter().rev();
        members
            .find(|member| member.key == key)
            .map(|member| &member.value)
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

/// Reads a text that is one JSON value.
pub(super) fn parse(text: &str) -> Result<Json, Fault> {
    let mut reader = Reader { text, at: 0 };
    let json = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(json),
        Some(_) => Err(reader.fault("text after the JSON value")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn space(&mut self) {
        let is_space = |b: &&u8| b" \t\n\r".contains(b);
        self.at += self.rest().iter().take_while(is_space).count();
    }

    fn fault(&self, message: &'static str) -> Fault {
        Fault {
            offset: self.at,
            message,
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, Fault> {
        if depth > DEPTH_LIMIT {
            return Err(self.fault("nested too deeply"));
        }
        self.space();
        let offset = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return Err(self.fault("the text ends where a value should be")),
        };
        Ok(Json { value, offset })
    }

    fn object(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut members = Vec::new();
        self.space();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            let offset = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.fault("a key in double quotes should be here"));
            }
            let key = self.string()?;
            self.space();
            if !self.take(b':') {
                return Err(self.fault("a colon should be here"));
            }
            let value = self.value(depth + 1)?;
            members.push(Member { key, offset, value });
            self.space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or `}` should be here"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or `]` should be here"));
            }
        }
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let words = [
            ("true", Value::Bool),
            ("false", Value::Bool),
            ("null", Value::Null),
        ];
        for (word, value) in words {
            if self.rest().starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.fault("no JSON value begins like this"))
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let count = self
            .rest()
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        self.at += count;
        if count == 0 {
            return Err(self.fault("a digit should be here"));
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value, Fault> {
        self.take(b'-');
        if self.take(b'0') {
            if self.peek().is_some_and(|b| b.is_ascii_digit()) {
                return Err(self.fault("a number does not begin with 0"));
            }
        } else {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(Value::Number)
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let plain = (self.rest().iter()).take_while(|b| !matches!(b, b'"' | b'\\' | 0..0x20));
            let end = self.at + plain.count();
            out.push_str(self.text.get(self.at..end).unwrap_or_default());
            self.at = end;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.fault("a control character inside a string")),
                None => return Err(self.fault("a string without an end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        self.at += 1;
        let simple = match self.peek() {
            Some(b @ (b'"' | b'\\' | b'/')) => char::from(b),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                let high = self.hex()?;
                if (0xD800..0xDC00).contains(&high) && self.rest().starts_with(b"\\u") {
                    let back = self.at;
                    self.at += 2;
                    let low = self.hex()?;
                    if (0xDC00..0xE000).contains(&low) {
                        let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                        return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = back;
                }
                return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return Err(self.fault("an escape that JSON does not have")),
        };
        self.at += 1;
        Ok(simple)
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4);
        let code = digits
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.fault("four hexadecimal digits should be here"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_keep_their_places() {
        let text = " {\"a\": [1, {\"b\": \"é\\u00e9\\ud83d\\ude00\"}], \"a\": null}";
        let json = parse(text).unwrap();
        assert_eq!(json.offset, 1);
        let place = json.get("a").map(|value| value.offset);
        assert_eq!(place, text.find("null"));
        assert_eq!(json.get("a").map(Json::kind), Some("null"));
        let first = &json.members()[0];
        assert_eq!((first.offset, first.value.offset), (2, 7));
        let inner = &first.value.items()[1];
        assert_eq!(inner.get("b").and_then(Json::as_str), Some("éé😀"));
    }

    #[test]
    fn faults_name_their_place() {
        for (text, offset) in [
            ("", 0),
            ("{\"a\": 1,}", 8),
            ("[1,]", 3),
            ("{a: 1}", 1),
            ("{\"a\" 1}", 5),
            ("{} x", 3),
            ("\"a\nb\"", 2),
            ("\"a", 2),
            ("\"\\x\"", 2),
            ("\"\\u12G4\"", 3),
            ("01", 1),
            ("1.", 2),
            ("-", 1),
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
        fn it_agrees_with_serde(text in "[\\[\\]{}\",:0-2eE.+ \\-tnu\\\\a\n]{0,24}") {
            let ours = parse(&text).is_ok();
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            // A lone half of a surrogate pair, and a number too large for a float, are JSON by the RFC and refused by serde.
            let stricter = theirs.as_ref().is_err_and(|error| {
                let error = error.to_string();
                error.contains("surrogate") || error.contains("hex escape") || error.contains("out of range")
            });
            prop_assert!(ours == theirs.is_ok() || stricter, "{:?} {:?}", text, theirs);
        }

        #[test]
        fn any_text_is_safe(text in any::<String>()) {
            if let Err(fault) = parse(&text) {
                prop_assert!(fault.offset <= text.len());
            }
        }
    }
}
