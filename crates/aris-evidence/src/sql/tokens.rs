//! Splits SQL into tokens, as far as needed to find operands.
//!
//! **Source**: the tokenizer of SQLite. SQLite itself reports syntax errors; this tokenizer accepts any text.

use std::collections::BTreeSet;

use crate::read::cell::is_long;

/// A token and its byte offset in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'s> {
    pub(crate) kind: Kind,
    pub(crate) text: &'s str,
    pub(crate) start: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name without quotes, or a keyword.
    Word,
    /// A name in quotes.
    Quoted,
    /// A string or blob literal, or a whole number that an `i64` cannot hold.
    Text,
    Number,
    /// Parentheses, commas, operators and everything else.
    Sign,
}

impl Token<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is one of these signs or words, separated by spaces; case is ignored.
    pub(crate) fn is_any(&self, texts: &str) -> bool {
        let mut texts = texts.split_ascii_whitespace();
        matches!(self.kind, Kind::Sign | Kind::Word)
            && texts.any(|text| self.text.eq_ignore_ascii_case(text))
    }
}

/// The tokens of an SQL text, without white space and comments.
pub(crate) fn tokens(sql: &str) -> Vec<Token<'_>> {
    let bytes = sql.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let (kind, length) = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => (None, 1),
            b'-' if rest.starts_with(b"--") => (None, run(rest, |byte| byte != b'\n')),
            b'/' if rest.starts_with(b"/*") => {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                (None, end.map_or(rest.len(), |end| end + 4))
            }
            b'\'' => (Some(Kind::Text), quoted(rest, b'\'')),
            b'"' | b'`' => (Some(Kind::Quoted), quoted(rest, *byte)),
            b'[' => {
                let end = rest.iter().position(|byte| *byte == b']');
                (Some(Kind::Quoted), end.map_or(rest.len(), |end| end + 1))
            }
            b'x' | b'X' if rest.get(1) == Some(&b'\'') => {
                let text = rest.get(1..).unwrap_or_default();
                (Some(Kind::Text), 1 + quoted(text, b'\''))
            }
            b'0'..=b'9' => (Some(Kind::Number), number(rest)),
            b'.' if rest.get(1).is_some_and(u8::is_ascii_digit) => {
                (Some(Kind::Number), number(rest))
            }
            byte if is_part(*byte) => (Some(Kind::Word), run(rest, is_part)),
            _ => {
                let long = ["->>", "->", "||", "<=", ">=", "<>", "!=", "==", "<<", ">>"];
                let sign = long.iter().find(|sign| rest.starts_with(sign.as_bytes()));
                (Some(Kind::Sign), sign.map_or(1, |sign| sign.len()))
            }
        };
        if let (Some(mut kind), Some(text)) = (kind, sql.get(at..at + length)) {
            let start = at;
            if kind == Kind::Number && is_long(text) {
                kind = Kind::Text;
            }
            found.push(Token { kind, text, start });
        }
        at += length.max(1);
    }
    found
}

/// The names and words of an SQL text, in lower case and without quotes.
pub(crate) fn words(sql: &str) -> BTreeSet<String> {
    tokens(sql).iter().filter_map(name).collect()
}

/// The names before equals signs, each once.
pub(crate) fn compared(sql: &str) -> BTreeSet<String> {
    let tokens = tokens(sql);
    let pairs = tokens.array_windows::<2>();
    let names = pairs.filter(|[_, sign]| sign.is_any("= =="));
    names.filter_map(|[token, _]| name(token)).collect()
}

fn name(token: &Token<'_>) -> Option<String> {
    match token.kind {
        Kind::Word => Some(token.text.to_ascii_lowercase()),
        Kind::Quoted | Kind::Text => {
            let quote = token.text.chars().next_back()?;
            let inner = token.text.strip_suffix(quote)?.get(1..)?;
            let plain = inner.replace(&format!("{quote}{quote}"), &quote.to_string());
            Some(plain.to_ascii_lowercase())
        }
        _ => None,
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

fn run(bytes: &[u8], part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| part(**byte)).count()
}

/// The length of a quoted token, in which a doubled quote stands for one quote.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte == quote {
            if bytes.get(at) != Some(&quote) {
                return at;
            }
            at += 1;
        }
    }
    bytes.len()
}

/// The length of a number, including its exponent.
fn number(bytes: &[u8]) -> usize {
    let mut length = run(bytes, |byte| is_part(byte) || byte == b'.');
    let exponent = length.checked_sub(1).and_then(|last| bytes.get(last));
    let decimal = !bytes.starts_with(b"0x") && !bytes.starts_with(b"0X");
    if decimal
        && matches!(exponent, Some(b'e' | b'E'))
        && matches!(bytes.get(length), Some(b'-' | b'+'))
    {
        length += 1;
        length += run(bytes.get(length..).unwrap_or_default(), is_part);
    }
    length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_names_comments_and_signs_are_told_apart() {
        let sql = "select a.\"b \"\" c\", 'it''s' -- x 'y\n/* \" */ from [d e]*1.5e-3->>x'00'<=.5;";
        let texts: Vec<&str> = tokens(sql).iter().map(|token| token.text).collect();
        assert_eq!(
            texts,
            [
                "select",
                "a",
                ".",
                "\"b \"\" c\"",
                ",",
                "'it''s'",
                "from",
                "[d e]",
                "*",
                "1.5e-3",
                "->>",
                "x'00'",
                "<=",
                ".5",
                ";"
            ]
        );
        let names = words("Select \"A \"\" b\" from `c` where 'd' = [e]");
        for name in ["select", "a \" b", "c", "d"] {
            assert!(names.contains(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_tokens_are_in_order(sql in "\\PC{0,40}", signs in "['\"`\\[\\]/*\\-.0-9eExX a-c>|<=\n]{0,40}") {
            for sql in [sql, signs] {
                let mut end = 0;
                for token in tokens(&sql) {
                    prop_assert!(token.start >= end && !token.text.is_empty());
                    end = token.end();
                    prop_assert_eq!(sql.get(token.start..end), Some(token.text));
                }
                words(&sql);
            }
        }
    }
}
