//! JavaScript and TypeScript as tokens: names, punctuation and literals, without comments. A rule sees what is called with
//! which arguments, and no word inside a string or comment counts as code.
//!
//! Not a parser. The token before a `/` decides whether it starts a regular expression, as in editors. This is wrong for a
//! regular expression after `)` or `}`; the damage ends at the end of that line.
//!
//! **Source**: ECMA-262, 2025, 12 (lexical grammar).

use std::ops::Range;

use aris_skills::pattern::{Pattern, compiled};

/// Kind of a token.
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

/// One token and its range in the source, in bytes.
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
            source,
            at: 0,
            templates: Vec::new(),
            tokens: Vec::new(),
        };
        if source.starts_with("#!") {
            lexer.at = source.find('\n').unwrap_or(source.len());
        }
        while lexer.token().is_some() {}
        for (open, _) in std::mem::take(&mut lexer.templates) {
            lexer.end_template(open, Kind::Template, source.len());
        }
        Self {
            source,
            tokens: lexer.tokens,
        }
    }

    /// The token's source text; empty when there is no such token.
    pub(crate) fn raw(&self, index: usize) -> &'a str {
        let range = self.tokens.get(index).map(|token| token.range.clone());
        range.map_or("", |range| self.source.get(range).unwrap_or(""))
    }

    pub(crate) fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The value of a string literal without its quotes; escapes are kept as written.
    pub(crate) fn string(&self, index: usize) -> Option<&'a str> {
        let raw = self.raw(index);
        (self.kind(index) == Some(Kind::Text)).then(|| raw.get(1..raw.len() - 1))?
    }
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    /// Open templates: index of the token, and number of braces that are open in the current substitution.
    templates: Vec<(usize, usize)>,
    tokens: Vec<Token>,
}

/// White space and comments. `TOKEN`: a string, a number, a name, or any other single character. A string without its end runs
/// to the end of the line; its quote as a token of its own would turn the rest of the line into code.
const BLANK: &str = r"(?s)[ \t\n\f\r]+|//[^\n]*|/\*.*?(?:\*/|\z)";
const TOKEN: &str = r#""(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[0-9][0-9A-Za-z_$.[^\x00-\x7F]]*|[A-Za-z_$[^\x00-\x7F]][0-9A-Za-z_$[^\x00-\x7F]]*|."#;

/// The next token where a value has just ended (`/` divides), and `ELSEWHERE`, where a regular expression may begin.
static AFTER_VALUE: Pattern = Pattern::new(|| compiled(&format!("{BLANK}|{TOKEN}")));
static ELSEWHERE: Pattern = Pattern::new(|| {
    let regex = r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\]?)*(?:/[0-9A-Za-z_$[^\x00-\x7F]]*)?";
    compiled(&format!("{BLANK}|{regex}|{TOKEN}"))
});

/// The end of a template, the beginning of a substitution, or an escape.
static TEMPLATE: Pattern = Pattern::new(|| compiled(r"(?s)`|\$\{|\\."));

/// Words after which a value begins.
const BEFORE_VALUE: &str =
    "return typeof case in of delete void throw new else do await yield instanceof";

impl Lexer<'_> {
    /// Reads one token, white space or comment; `None` at the end.
    fn token(&mut self) -> Option<()> {
        let may_be_regex = self.regex_may_start();
        let pattern = if may_be_regex {
            &ELSEWHERE
        } else {
            &AFTER_VALUE
        };
        let found = pattern.find_at(self.source, self.at)?;
        let (text, start) = (found.as_str(), found.start());
        self.at = found.end();
        let first = *text.as_bytes().first()?;
        let kind = match first {
            b' ' | b'\t' | b'\n' | b'\x0C' | b'\r' => return Some(()),
            b'/' if text.starts_with("//") || text.starts_with("/*") => return Some(()),
            b'/' if may_be_regex => Kind::Regex,
            b'"' | b'\'' if is_closed(text) => Kind::Text,
            b'0'..=b'9' => Kind::Number,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' | 0x80.. => Kind::Name,
            b'`' => Kind::Text,
            mark => Kind::Mark(mark),
        };
        match (first, self.templates.last_mut()) {
            (b'`', _) => {
                self.templates.push((self.tokens.len(), 0));
                self.push(kind, start);
                self.template();
                return Some(());
            }
            (b'}', Some((_, 0))) => {
                self.template();
                return Some(());
            }
            (b'{', Some((_, braces))) => *braces += 1,
            (b'}', Some((_, braces))) => *braces -= 1,
            _ => {}
        }
        self.push(kind, start);
        Some(())
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let range = start..self.at;
        self.tokens.push(Token { kind, range });
    }

    /// A `/` divides after a value; everywhere else it starts a regular expression.
    fn regex_may_start(&self) -> bool {
        let Some(last) = self.tokens.last() else {
            return true;
        };
        match last.kind {
            Kind::Text | Kind::Template | Kind::Number | Kind::Regex => false,
            Kind::Mark(byte) => !matches!(byte, b')' | b']' | b'}'),
            Kind::Name => {
                let name = self.source.get(last.range.clone()).unwrap_or_default();
                BEFORE_VALUE.split(' ').any(|word| word == name)
            }
        }
    }

    /// Reads on in the innermost template, to its end or to its next substitution. The template's token comes before those of
    /// its substitutions.
    fn template(&mut self) {
        let Some((open, _)) = self.templates.last().copied() else {
            return;
        };
        while let Some(found) = TEMPLATE.find_at(self.source, self.at) {
            self.at = found.end();
            match found.as_str() {
                "`" => {
                    self.templates.pop();
                    let kind = self.tokens.get(open).map_or(Kind::Text, |token| token.kind);
                    return self.end_template(open, kind, self.at);
                }
                "${" => return self.end_template(open, Kind::Template, self.at),
                _ => {}
            }
        }
        self.at = self.source.len();
    }

    fn end_template(&mut self, open: usize, kind: Kind, end: usize) {
        if let Some(token) = self.tokens.get_mut(open) {
            (token.kind, token.range.end) = (kind, end);
        }
    }
}

/// Whether a string ends with its quote and that quote is not escaped.
fn is_closed(text: &str) -> bool {
    let mut bytes = text.bytes().rev();
    let escapes = bytes.clone().skip(1).take_while(|byte| *byte == b'\\');
    text.len() > 1 && bytes.next() == text.bytes().next() && escapes.count() % 2 == 0
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
