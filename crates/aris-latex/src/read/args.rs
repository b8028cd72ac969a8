//! Arguments of commands.

use super::{Frame, Kind, Meaning, Reader, Source, Token};
use crate::{Place, ProblemKind, path};

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
        self.drop_sign('*')
    }

    /// Drops a sign that follows; whether there was one.
    pub(super) fn drop_sign(&mut self, sign: char) -> bool {
        let token = self.next_visible();
        let is_sign = token.kind == Kind::Word && self.text(token).starts_with(sign);
        self.unread(if is_sign { token.split(1).1 } else { token });
        is_sign
    }

    /// Drops a token of a kind that follows at once; whether there was one.
    pub(super) fn drop_kind(&mut self, kind: Kind) -> bool {
        let token = self.next();
        if token.kind != kind {
            self.unread(token);
        }
        token.kind == kind
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
    pub(super) fn delimited(&mut self, open: char, close: char) -> Option<Vec<Token>> {
        let mut taken = Vec::new();
        let mut token = self.next();
        while token.kind == Kind::Space {
            taken.push(token);
            token = self.next();
        }
        if token.kind != Kind::Word || !self.text(token).starts_with(open) || self.exhausted {
            self.unread(token);
            self.unread_all(&taken);
            return None;
        }
        let (head, rest) = token.split(1);
        taken.push(head);
        self.unread(rest);
        let start = taken.len();
        let mut depth = 0_usize;
        while taken.len() <= start + MAX_OPTIONAL {
            let token = self.next();
            match token.kind {
                Kind::Begin => depth += 1,
                Kind::End if depth > 0 => depth -= 1,
                Kind::Word
                    if depth == 0
                        && let Some(at) = self.text(token).find(close) =>
                {
                    let (before, after) = token.split(at);
                    self.unread(after.split(1).1);
                    let mut inner = taken.split_off(start);
                    inner.extend((before.len > 0).then_some(before));
                    self.spend(inner.len());
                    return Some(inner);
                }
                Kind::Stop | Kind::Par | Kind::End => {
                    self.unread(token);
                    break;
                }
                _ => {}
            }
            taken.push(token);
        }
        self.spend(taken.len());
        self.unread_all(&taken);
        None
    }

    pub(super) fn optional(&mut self) -> Option<Vec<Token>> {
        self.delimited('[', ']')
    }

    /// Drops an optional argument.
    pub(super) fn skip_optional(&mut self) {
        drop(self.optional());
    }

    /// Drops the arguments of a command that `spec` names (see `commands.txt`); what is printed of them somewhere is told.
    pub(super) fn skip_arguments(&mut self, token: Token, spec: &str) {
        for letter in spec.chars() {
            let dropped = match letter {
                's' => {
                    self.star();
                    continue;
                }
                'g' => {
                    self.skip_glue();
                    continue;
                }
                'o' | 'O' => self.optional().unwrap_or_default(),
                'p' => self.delimited('(', ')').unwrap_or_default(),
                _ => self.argument(),
            };
            self.handles(&dropped);
            self.unread_argument(token, &dropped, letter.is_ascii_uppercase());
        }
    }

    /// Drops a length, a number or an assignment of one: `=12pt plus 1pt`, `-0.5\baselineskip`.
    pub(super) fn skip_glue(&mut self) {
        if !self.skip_length() {
            return;
        }
        for keyword in ["plus", "minus"] {
            let is_spaced = self.peek().kind == Kind::Space;
            let is_keyword = |text: &str| text.starts_with(keyword).then_some(keyword.len());
            let Some(word) = self.take(is_keyword) else {
                continue;
            };
            let value = self.peek_after_space();
            let begins = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
            if self.text(value).starts_with(begins) {
                self.skip_length();
            } else {
                // A word of the text.
                self.unread(word);
                if is_spaced {
                    self.unread(word.with(Kind::Space));
                }
                return;
            }
        }
    }

    /// Drops a number with its unit, or a register with a factor perhaps; whether one of them was there.
    fn skip_length(&mut self) -> bool {
        let run = |text: &str| text.find(|c: char| !c.is_ascii_digit() && !"=+-.,".contains(c));
        let run = |text: &str| Some(run(text).unwrap_or(text.len()));
        let mut is_number = false;
        while !is_number && let Some(signs) = self.take(run) {
            is_number = self.text(signs).contains(|c: char| c.is_ascii_digit());
        }
        let mut next = self.peek();
        let is_spaced = next.kind == Kind::Space;
        if !is_number {
            next = self.peek_after_space();
        }
        if matches!(next.kind, Kind::Name(_)) {
            // `\the\value{x}`: a length register, or a counter with its argument.
            let register = self.next_visible();
            if self.command_name(register) == "value" {
                drop(self.argument());
            }
            return true;
        }
        if is_number {
            self.take(|text| {
                unit_length(text).filter(|length| !is_spaced || *length == text.len())
            });
        }
        is_number
    }

    /// Takes as many bytes as `length` says from the beginning of the next word, which may stand behind spaces.
    fn take(&mut self, length: impl Fn(&str) -> Option<usize>) -> Option<Token> {
        let word = self.peek_after_space();
        let is_word = word.kind == Kind::Word;
        let length = length(self.text(word)).filter(|length| is_word && *length > 0)?;
        let (taken, rest) = self.next_visible().split(length);
        self.unread(rest);
        Some(taken)
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

    /// Looks at tokens on their own.
    pub(super) fn apart<T>(&mut self, tokens: &[Token], look: impl FnOnce(&mut Self) -> T) -> T {
        let base = self.stack.len();
        self.frames.push(Frame { base, file: None });
        self.unread_all(tokens);
        let found = look(self);
        self.frames.pop();
        self.stack.truncate(base);
        found
    }

    /// The text of tokens with macros expanded, in pieces with their places; other commands print their symbol
    /// or nothing.
    pub(super) fn pieces(&mut self, tokens: &[Token]) -> Vec<Piece> {
        self.apart(tokens, |reader| reader.all_pieces(false))
    }

    /// The same for what has to be exact, `is_name`: what is not evaluated here stays as it is written.
    fn all_pieces(&mut self, is_name: bool) -> Vec<Piece> {
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
                    Meaning::Macro(body)
                        if !is_name || body.doubt == 0 && self.is_followed(&body) =>
                    {
                        self.expand(token, name, &body);
                        continue;
                    }
                    Meaning::Known(cmd) if cmd.what == "space" => " ",
                    Meaning::Known(cmd) if cmd.what == "jobname" => self.job_name(),
                    Meaning::Known(cmd) if cmd.prints().is_some() => cmd.how,
                    Meaning::Known(cmd)
                        if matches!(cmd.what, "nothing" | "string" | "expandafter") =>
                    {
                        continue;
                    }
                    _ if is_name => &self.written(token),
                    _ => continue,
                },
                _ => continue,
            };
            pieces.push(Piece {
                text: text.to_owned(),
                source: self.source(token, token.kind == Kind::Word),
            });
        }
        pieces
    }

    /// A command as it is written, with its first argument.
    fn written(&mut self, token: Token) -> String {
        let mut text = self.raw(&[token]);
        if self.peek().kind == Kind::Begin {
            let argument = self.argument();
            text = format!("{}{{{}}}", text.trim_end(), self.raw(&argument));
        }
        text
    }

    /// The name of a file or the like, where all of it is evaluated, or else as it is written.
    pub(super) fn exact(&mut self, tokens: &[Token]) -> Result<String, String> {
        let pieces = self.apart(tokens, |reader| reader.all_pieces(true));
        let text: String = pieces.into_iter().map(|piece| piece.text).collect();
        let text = text.trim().to_owned();
        if is_evaluated(&text) {
            Ok(text)
        } else {
            Err(text)
        }
    }

    /// What `\jobname` prints: the root document's name.
    pub(super) fn job_name(&self) -> &str {
        path::file_name(&self.doc.root).trim_end_matches(".tex")
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
            match token.kind {
                Kind::Space => out.push(' '),
                Kind::Param(number) => out.extend(["#", &number.to_string()]),
                _ => out.push_str(text),
            }
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

    /// Comma-separated keys with the place of each; commands that are not evaluated here as they are written.
    pub(super) fn keys(&mut self, tokens: &[Token]) -> Vec<(String, Place)> {
        let mut keys: Vec<(String, Place)> = Vec::new();
        let mut current: Option<(String, Place)> = None;
        for piece in self.apart(tokens, |reader| reader.all_pieces(true)) {
            for (at, c) in piece.text.char_indices() {
                if c == ',' && is_evaluated(&piece.text) {
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

/// Whether no command and no parameter is left in a text.
pub(super) fn is_evaluated(text: &str) -> bool {
    !text.contains(['\\', '#'])
}

/// Length of a TeX unit at the beginning of a word (The `TeXbook`, chapter 10).
fn unit_length(text: &str) -> Option<usize> {
    const UNITS: [&str; 14] = [
        "filll", "fill", "fil", "pt", "em", "ex", "mm", "cm", "in", "pc", "bp", "sp", "mu", "dd",
    ];
    let rest = text.strip_prefix("true").unwrap_or(text);
    let unit = UNITS.iter().find(|unit| rest.starts_with(**unit))?;
    Some(text.len() - rest.len() + unit.len())
}
