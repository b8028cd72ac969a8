//! JavaScript and TypeScript as tokens: names, punctuation and literals without comments, so that a rule sees what is called with
//! what, and no word inside a string or comment is taken for code.
//!
//! Not a parser. Whether `/` starts a regular expression is decided by the token before it, as editors do; the one case that this
//! gets wrong (a regular expression after `)` or `}`) costs at most the rest of that line.
//!
//! **Source**: ECMA-262, 2025, 12 (lexical grammar).

use std::ops::Range;

/// Deepest nesting of templates that is followed.
const DEEPEST: usize = 60;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or keyword.
    Name,
    /// A string literal, or a template without substitutions.
    Text,
    /// A template with at least one `${…}`; the tokens inside follow it.
    Template,
    Number,
    Regex,
    /// One character of punctuation (`=>` and `?.` are two tokens).
    Mark(u8),
}

/// One token with its bytes in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

/// A script as tokens.
#[derive(Debug)]
pub(crate) struct Script<'a> {
    source: &'a str,
    pub(crate) tokens: Vec<Token>,
}

impl<'a> Script<'a> {
    /// Reads `source`.
    pub(crate) fn read(source: &'a str) -> Self {
        let mut lexer = Lexer {
            bytes: source.as_bytes(),
            at: 0,
            depth: 0,
            tokens: Vec::new(),
        };
        if source.starts_with("#!") {
            lexer.line();
        }
        lexer.code(false);
        Self {
            source,
            tokens: lexer.tokens,
        }
    }

    /// The token as it is written; empty when there is no such token.
    pub(crate) fn raw(&self, index: usize) -> &'a str {
        self.tokens
            .get(index)
            .and_then(|token| self.source.get(token.range.clone()))
            .unwrap_or("")
    }

    pub(crate) fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// Whether the token is this name or punctuation mark.
    pub(crate) fn is(&self, index: usize, text: &str) -> bool {
        matches!(self.kind(index), Some(Kind::Name | Kind::Mark(_))) && self.raw(index) == text
    }

    /// The value of a string literal without its quotes; escapes are kept as written.
    pub(crate) fn string(&self, index: usize) -> Option<&'a str> {
        let raw = self.raw(index);
        (self.kind(index) == Some(Kind::Text)).then(|| raw.get(1..raw.len() - 1))?
    }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn line(&mut self) {
        while !self.done() && self.peek(0) != b'\n' {
            self.at += 1;
        }
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.at = self.at.min(self.bytes.len());
        self.tokens.push(Token {
            kind,
            range: start..self.at,
        });
    }

    /// Reads tokens to the end, or to the `}` that closes a substitution.
    fn code(&mut self, in_template: bool) {
        let mut braces = 0_usize;
        while !self.done() {
            let start = self.at;
            match self.peek(0) {
                byte if byte.is_ascii_whitespace() => self.at += 1,
                b'/' if self.peek(1) == b'/' => self.line(),
                b'/' if self.peek(1) == b'*' => {
                    self.at += 2;
                    while !self.done() && (self.peek(0), self.peek(1)) != (b'*', b'/') {
                        self.at += 1;
                    }
                    self.at += 2;
                }
                b'/' if self.regex_may_start() => {
                    self.regex();
                    self.push(Kind::Regex, start);
                }
                quote @ (b'"' | b'\'') => {
                    if self.string(quote) {
                        self.push(Kind::Text, start);
                    } else {
                        self.push(Kind::Mark(quote), start);
                    }
                }
                b'`' => self.template(),
                b'0'..=b'9' => {
                    while is_name(self.peek(0)) || self.peek(0) == b'.' {
                        self.at += 1;
                    }
                    self.push(Kind::Number, start);
                }
                byte if is_name(byte) => {
                    while is_name(self.peek(0)) {
                        self.at += 1;
                    }
                    self.push(Kind::Name, start);
                }
                b'}' if in_template && braces == 0 => {
                    self.at += 1;
                    return;
                }
                byte => {
                    if byte == b'{' {
                        braces += 1;
                    } else if byte == b'}' {
                        braces = braces.saturating_sub(1);
                    }
                    self.at += 1;
                    self.push(Kind::Mark(byte), start);
                }
            }
        }
    }

    /// A `/` divides after a value, and starts a regular expression elsewhere.
    fn regex_may_start(&self) -> bool {
        let Some(last) = self.tokens.last() else {
            return true;
        };
        match last.kind {
            Kind::Text | Kind::Template | Kind::Number | Kind::Regex => false,
            Kind::Mark(byte) => !matches!(byte, b')' | b']' | b'}'),
            Kind::Name => {
                let name = self.bytes.get(last.range.clone()).unwrap_or_default();
                matches!(
                    name,
                    b"return"
                        | b"typeof"
                        | b"case"
                        | b"in"
                        | b"of"
                        | b"delete"
                        | b"void"
                        | b"throw"
                        | b"new"
                        | b"else"
                        | b"do"
                        | b"await"
                        | b"yield"
                        | b"instanceof"
                )
            }
        }
    }

    fn regex(&mut self) {
        self.at += 1;
        let mut class = false;
        while !self.done() {
            match self.peek(0) {
                b'\n' => return,
                b'\\' => self.at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => {
                    self.at += 1;
                    while is_name(self.peek(0)) {
                        self.at += 1;
                    }
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads a string; without an end on its line only the quote is passed.
    fn string(&mut self, quote: u8) -> bool {
        let start = self.at;
        self.at += 1;
        while !self.done() {
            match self.peek(0) {
                b'\\' => self.at += 1,
                b'\n' => break,
                byte if byte == quote => {
                    self.at += 1;
                    return true;
                }
                _ => {}
            }
            self.at += 1;
        }
        // To the end of the line all the same: a quote alone would turn the rest of the line into code.
        let end = self.at.min(self.bytes.len());
        self.at = end.max(start + 1);
        false
    }

    /// Reads a template; its token stands before those of its substitutions.
    fn template(&mut self) {
        let start = self.at;
        let place = self.tokens.len();
        self.push(Kind::Text, start);
        self.at += 1;
        let mut kind = Kind::Text;
        let mut closed = false;
        while !self.done() {
            match (self.peek(0), self.peek(1)) {
                (b'`', _) => {
                    self.at += 1;
                    closed = true;
                    break;
                }
                (b'\\', _) => self.at += 2,
                (b'$', b'{') => {
                    kind = Kind::Template;
                    self.at += 2;
                    if self.depth < DEEPEST {
                        self.depth += 1;
                        self.code(true);
                        self.depth -= 1;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.bytes.len());
        if !closed {
            kind = Kind::Template;
        }
        let end = self.at;
        if let Some(token) = self.tokens.get_mut(place) {
            *token = Token {
                kind,
                range: start..end,
            };
        }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seen(source: &str) -> Vec<&str> {
        let script = Script::read(source);
        (0..script.tokens.len()).map(|i| script.raw(i)).collect()
    }

    #[test]
    fn tokens_are_code_and_nothing_else() {
        for (source, expected) in [
            (
                "a.b(1, 'x // y') // z",
                vec!["a", ".", "b", "(", "1", ",", "'x // y'", ")"],
            ),
            ("/* eval( */ f()", vec!["f", "(", ")"]),
            ("#!/usr/bin/env node\nf", vec!["f"]),
            (
                "x = /[/'\"]\\//gi.exec(y)",
                vec!["x", "=", "/[/'\"]\\//gi", ".", "exec", "(", "y", ")"],
            ),
            ("a / b / c", vec!["a", "/", "b", "/", "c"]),
            (
                "return /'/.test(x)",
                vec!["return", "/'/", ".", "test", "(", "x", ")"],
            ),
            (
                "`a ${b + `c ${d}`} e` f",
                vec!["`a ${b + `c ${d}`} e`", "b", "+", "`c ${d}`", "d", "f"],
            ),
            (
                "`${ {a: 1} }` g",
                vec!["`${ {a: 1} }`", "{", "a", ":", "1", "}", "g"],
            ),
            ("'it\\'s' \"a\"", vec!["'it\\'s'", "\"a\""]),
            ("it's\nf(1)", vec!["it", "'s", "f", "(", "1", ")"]),
        ] {
            assert_eq!(seen(source), expected, "{source}");
        }
        let script = Script::read("`a` `${b}` 'c'");
        assert_eq!(script.kind(0), Some(Kind::Text));
        assert_eq!(script.kind(1), Some(Kind::Template));
        assert_eq!(script.string(3), Some("c"));
    }

    #[test]
    fn nesting_without_end_is_survived() {
        for part in ["`${", "`", "/", "'", "{", "/*"] {
            let _script = Script::read(&part.repeat(50_000));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(source in "\\PC{0,80}|[a-z $(){}'\"`\\\\\n/*]{0,120}") {
            let script = Script::read(&source);
            for (index, token) in script.tokens.iter().enumerate() {
                prop_assert!(token.range.end <= source.len());
                script.string(index);
            }
        }
    }
}
