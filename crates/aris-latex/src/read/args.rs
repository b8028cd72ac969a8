//! Arguments of commands.

use super::{
    commands::Act,
    reader::{Frame, Meaning, Reader},
    token::{Kind, Token},
    writer::Source,
};
use crate::{Place, ProblemKind};

/// Tokens an optional argument may have; what is longer is not one.
const MAX_OPTIONAL: usize = 4_000;

/// A piece of flattened text and where it stands.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) source: Source,
}

impl Reader<'_> {
    /// Drops a star that follows; whether there was one.
    pub(super) fn star(&mut self) -> bool {
        let token = self.next_visible();
        if token.kind == Kind::Word && self.text(token).starts_with('*') {
            let (_, rest) = token.split(1);
            self.unread(rest);
            return true;
        }
        self.unread(token);
        false
    }

    /// The next mandatory argument: a group's content, or one token.
    pub(super) fn argument(&mut self) -> Vec<Token> {
        let token = self.next_visible();
        match token.kind {
            Kind::Begin => self.balanced(token),
            Kind::Stop => Vec::new(),
            Kind::End | Kind::Par | Kind::Align => {
                self.unread(token);
                Vec::new()
            }
            Kind::Word => vec![self.first_letter(token)],
            _ => vec![token],
        }
    }

    /// A braced argument, or nothing when none follows.
    pub(super) fn braced(&mut self) -> Option<Vec<Token>> {
        let token = self.next_visible();
        if token.kind == Kind::Begin {
            return Some(self.balanced(token));
        }
        self.unread(token);
        None
    }

    /// The rest of a group whose opening brace was read.
    pub(super) fn balanced(&mut self, begin: Token) -> Vec<Token> {
        let (mut tokens, mut depth) = (Vec::new(), 0_usize);
        loop {
            let token = self.next();
            match token.kind {
                Kind::Begin => depth += 1,
                Kind::End if depth == 0 => break,
                Kind::End => depth -= 1,
                Kind::Stop => {
                    self.problem_at(ProblemKind::UnclosedGroup, begin, "`{` is never closed");
                    break;
                }
                _ => {}
            }
            tokens.push(token);
        }
        self.spend(tokens.len());
        tokens
    }

    /// An optional argument between `open` and `close` (single characters), if one follows.
    fn delimited(&mut self, open: char, close: char) -> Option<Vec<Token>> {
        let mut skipped = Vec::new();
        let mut first = self.next();
        while first.kind == Kind::Space {
            skipped.push(first);
            first = self.next();
        }
        if first.kind != Kind::Word || !self.text(first).starts_with(open) || self.exhausted {
            self.unread(first);
            self.unread_all(&skipped);
            return None;
        }
        let (head, rest) = first.split(1);
        let mut tokens = Vec::new();
        let mut depth = 0_usize;
        let mut token = if rest.len > 0 { rest } else { self.next() };
        loop {
            match token.kind {
                Kind::Begin => depth += 1,
                Kind::End if depth > 0 => depth -= 1,
                Kind::Word if depth == 0 => {
                    if let Some(at) = self.text(token).find(close) {
                        let (before, after) = token.split(at);
                        let (_, after) = after.split(1);
                        if before.len > 0 {
                            tokens.push(before);
                        }
                        self.unread(after);
                        self.spend(tokens.len());
                        return Some(tokens);
                    }
                }
                Kind::Stop | Kind::Par | Kind::End => {
                    self.unread(token);
                    break;
                }
                _ => {}
            }
            tokens.push(token);
            if tokens.len() > MAX_OPTIONAL {
                break;
            }
            token = self.next();
        }
        self.spend(tokens.len());
        self.unread_all(&tokens);
        self.unread(head);
        self.unread_all(&skipped);
        None
    }

    pub(super) fn optional(&mut self) -> Option<Vec<Token>> {
        self.delimited('[', ']')
    }

    /// Drops an optional argument.
    pub(super) fn skip_optional(&mut self) {
        drop(self.optional());
    }

    /// Drops the arguments that `spec` names (see [`Cmd::Skip`]).
    pub(super) fn skip_arguments(&mut self, spec: &str) {
        for letter in spec.chars() {
            match letter {
                's' => drop(self.star()),
                'o' => self.skip_optional(),
                'p' => drop(self.delimited('(', ')')),
                'g' => self.skip_glue(),
                _ => {
                    let tokens = self.argument();
                    self.handles(&tokens);
                }
            }
        }
    }

    /// Drops a length, a number or an assignment of one: `=12pt plus 1pt`, `-0.5\baselineskip`.
    pub(super) fn skip_glue(&mut self) {
        for _ in 0..4 {
            let token = self.next_visible();
            if let Kind::Name(_) = token.kind {
                // `\the\value{x}`: a length register, or a counter with its argument.
                let name = self.text(token).to_owned();
                if name.starts_with("\\value") {
                    drop(self.argument());
                }
                return self.skip_stretch();
            }
            if token.kind != Kind::Word {
                self.unread(token);
                return;
            }
            let length = glue(self.text(token));
            let (taken, rest) = token.split(length);
            let only_sign = self
                .text(taken)
                .bytes()
                .all(|b| !b.is_ascii_digit() && !b.is_ascii_alphabetic());
            let has_unit = self.text(taken).bytes().any(|b| b.is_ascii_alphabetic());
            if rest.len > 0 {
                self.unread(rest);
                if !only_sign || taken.len == 0 {
                    return;
                }
                continue;
            }
            if only_sign {
                continue;
            }
            if !has_unit {
                let next = self.next();
                match next.kind {
                    // `0.5\textwidth`
                    Kind::Name(_) => {}
                    // `12 pt`
                    Kind::Space => {
                        let unit = self.peek();
                        let width = if unit.kind == Kind::Word {
                            unit_length(self.text(unit))
                        } else {
                            0
                        };
                        if width > 0 && width == unit.len as usize {
                            self.next();
                        } else {
                            self.unread(next);
                            return;
                        }
                    }
                    _ => {
                        self.unread(next);
                        return;
                    }
                }
            }
            return self.skip_stretch();
        }
    }

    /// Drops `plus 1pt minus 1pt`.
    fn skip_stretch(&mut self) {
        for _ in 0..2 {
            let space = self.next();
            let word = if space.kind == Kind::Space {
                self.next()
            } else {
                space
            };
            let text = if word.kind == Kind::Word {
                self.text(word)
            } else {
                ""
            };
            let keyword = if text.starts_with("plus") {
                4
            } else if text.starts_with("minus") {
                5
            } else {
                0
            };
            let (_, rest) = word.split(keyword);
            let value = if rest.len > 0 {
                rest
            } else {
                self.peek_after_space()
            };
            let number = self
                .text(value)
                .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
            if keyword == 0 || !number {
                self.unread(word);
                if space.kind == Kind::Space {
                    self.unread(space);
                }
                return;
            }
            if rest.len > 0 {
                let (_, left) = rest.split(glue(self.text(rest)));
                self.unread(left);
            } else {
                self.next_visible();
            }
        }
    }

    pub(super) fn peek_after_space(&mut self) -> Token {
        let token = self.next();
        if token.kind != Kind::Space {
            self.unread(token);
            return token;
        }
        let after = self.peek();
        self.unread(token);
        after
    }

    /// The text of tokens with macros expanded, in pieces with their places; other commands print their symbol
    /// or nothing.
    pub(super) fn pieces(&mut self, tokens: &[Token]) -> Vec<Piece> {
        let base = self.stack.len();
        self.frames.push(Frame { base, file: None });
        self.unread_all(tokens);
        let mut pieces = Vec::new();
        loop {
            let token = self.next();
            let text = match token.kind {
                Kind::Stop => break,
                Kind::Word if !self.spend_bytes(token.len as usize) => continue,
                Kind::Word => self.text(token),
                Kind::Space | Kind::Tie | Kind::Par => " ",
                Kind::Super => "^",
                Kind::Sub => "_",
                Kind::Hash => "#",
                Kind::Align => "&",
                Kind::Name(name) => match self.meaning(name) {
                    Meaning::Macro(body) => {
                        self.expand(token, name, &body);
                        continue;
                    }
                    Meaning::Known(cmd) => match cmd.act {
                        Act::Symbol(text) | Act::Operator(text) | Act::Function(text) => text,
                        Act::Space => " ",
                        _ => continue,
                    },
                    Meaning::Unknown => continue,
                },
                _ => continue,
            };
            pieces.push(Piece {
                text: text.to_owned(),
                source: self.source(token, token.kind == Kind::Word),
            });
        }
        self.frames.pop();
        self.stack.truncate(base);
        pieces
    }

    /// The text of tokens with macros expanded.
    pub(super) fn flat(&mut self, tokens: &[Token]) -> String {
        if let [only] = tokens
            && only.kind == Kind::Word
        {
            return self.text(*only).to_owned();
        }
        self.pieces(tokens)
            .into_iter()
            .map(|piece| piece.text)
            .collect()
    }

    /// The text of the next argument without spaces around it.
    pub(super) fn name_argument(&mut self) -> String {
        let tokens = self.argument();
        self.flat(&tokens).trim().to_owned()
    }

    /// The same, and where it stands.
    pub(super) fn key_argument(&mut self) -> (String, Place) {
        let tokens = self.argument();
        let place = tokens.first().map(|token| self.place(*token));
        let text = self.flat(&tokens).trim().to_owned();
        (text, place.unwrap_or_else(|| self.here()))
    }

    /// The source of tokens as written.
    pub(super) fn raw(&self, tokens: &[Token]) -> String {
        let mut out = String::new();
        for token in tokens {
            let text = self.text(*token);
            out.push_str(if token.kind == Kind::Space { " " } else { text });
            let is_word = text.ends_with(|c: char| c.is_ascii_alphabetic());
            if matches!(token.kind, Kind::Name(_)) && is_word {
                out.push(' ');
            }
        }
        out
    }

    /// The comma-separated keys of a braced argument, with the place of each; nothing when none follows.
    pub(super) fn braced_keys(&mut self) -> Option<Vec<(String, Place)>> {
        let tokens = self.braced()?;
        Some(self.keys(&tokens))
    }

    /// Comma-separated keys with the place of each.
    pub(super) fn keys(&mut self, tokens: &[Token]) -> Vec<(String, Place)> {
        let mut keys: Vec<(String, Place)> = Vec::new();
        let mut current: Option<(String, Place)> = None;
        for piece in self.pieces(tokens) {
            for (at, c) in piece.text.char_indices() {
                if c == ',' {
                    keys.extend(current.take());
                } else if let Some((key, _)) = &mut current {
                    key.push(c);
                } else if !c.is_whitespace() {
                    current = Some((c.to_string(), piece.source.after(at).place));
                }
            }
        }
        keys.extend(current);
        for (key, _) in &mut keys {
            key.truncate(key.trim_end().len());
        }
        keys
    }
}

/// Length of a number with unit, as `=-.5pt`, at the beginning of a word.
fn glue(text: &str) -> usize {
    let number = text
        .bytes()
        .take_while(|b| b.is_ascii_digit() || matches!(b, b'=' | b'+' | b'-' | b'.' | b','))
        .count();
    number + text.get(number..).map_or(0, unit_length)
}

/// Length of a TeX unit at the beginning of a word (The `TeXbook`, chapter 10).
fn unit_length(text: &str) -> usize {
    const UNITS: [&str; 14] = [
        "filll", "fill", "fil", "pt", "em", "ex", "mm", "cm", "in", "pc", "bp", "sp", "mu", "dd",
    ];
    let offset = if text.starts_with("true") { 4 } else { 0 };
    let rest = text.get(offset..).unwrap_or("");
    UNITS
        .iter()
        .find(|unit| rest.starts_with(**unit))
        .map_or(0, |unit| offset + unit.len())
}
