//! Arguments of commands.

use std::sync::LazyLock;

use regex::Regex;

use super::{Frame, Kind, Meaning, Reader, Token, UNCLOSED_GROUP};
use crate::{Label, ProblemKind, path, root::compiled};

/// Most tokens of an optional argument. Longer text in brackets is not an argument.
const MAX_OPTIONAL: usize = 4_000;

/// Most tokens of a length.
const MAX_LENGTH: usize = 8;

/// Arguments of more tokens than this are dropped once the budget is used up.
const LONG: usize = 1_000;

/// A length, and how it may stretch and shrink; `\` stands for any control sequence. **Source**: The `TeXbook`, chapters 10 and
/// 24.
static GLUE: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let unit = "(?:true)?(?:fill?l?|pt|em|ex|mm|cm|in|pc|bp|sp|mu|dd)";
    let number = format!(r"[0-9][0-9=+\-.,]*(?:\\|{unit}| {unit}\b)?");
    [
        format!(r"^[ =+\-.,]*(?:{number}|\\)"),
        format!(r"^ ?plus ?[-.]*{number}"),
        format!(r"^ ?minus ?[-.]*{number}"),
    ]
    .map(|pattern| compiled(&pattern))
});

/// The text of tokens; each part of it with its byte offset and the token that it comes from.
#[derive(Default)]
pub(super) struct Flat {
    pub(super) text: String,
    parts: Vec<(usize, Token)>,
}

impl Flat {
    /// The parts in order: byte offset, text, token.
    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, &str, Token)> {
        let ends = self.parts.iter().skip(1).map(|(start, _)| *start);
        let parts = self.parts.iter().zip(ends.chain([self.text.len()]));
        parts.map(|((start, token), end)| {
            let text = self.text.get(*start..end).unwrap_or("");
            (*start, text, *token)
        })
    }

    /// For a byte offset: the rest of its part's text, and the rest of the token that the part comes from.
    pub(super) fn at(&self, offset: usize) -> Option<(&str, Token)> {
        let behind = self.parts.partition_point(|(start, _)| *start <= offset);
        let (start, token) = self.parts.get(behind.checked_sub(1)?)?;
        let next = self.parts.get(behind);
        let end = next.map_or(self.text.len(), |(end, _)| *end);
        Some((self.text.get(offset..end)?, token.after(offset - start)))
    }
}

impl Reader<'_> {
    /// Drops a star if one follows; returns whether it did.
    pub(super) fn star(&mut self) -> bool {
        self.drop_sign('*')
    }

    /// Drops a character if it follows; returns whether it did.
    pub(super) fn drop_sign(&mut self, sign: char) -> bool {
        let token = self.next_visible();
        let is_sign = token.kind == Kind::Word && self.text(token).starts_with(sign);
        self.unread(if is_sign { token.split(1).1 } else { token });
        is_sign
    }

    /// Drops the next token if it is of this kind, without skipping spaces; returns whether it did.
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
            Kind::Stop | Kind::End | Kind::Par | Kind::Align => {
                self.unread(token);
                Vec::new()
            }
            Kind::Word => vec![self.first_letter(token)],
            _ => vec![token],
        }
    }

    /// A braced argument; `None` if no group follows.
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
                    self.problem_at(ProblemKind::UnclosedGroup, begin, UNCLOSED_GROUP);
                    break;
                }
                _ => {}
            }
            tokens.push(token);
        }
        // Arguments within arguments are copied once for each level.
        if !self.spend(tokens.len()) && tokens.len() > LONG {
            tokens.clear();
        }
        tokens
    }

    /// An optional argument between `open` and `close` (single characters), if one follows.
    pub(super) fn delimited(&mut self, open: char, close: char) -> Option<Vec<Token>> {
        let mut spaces = Vec::new();
        let mut token = self.next();
        while token.kind == Kind::Space {
            spaces.push(token);
            token = self.next();
        }
        if token.kind == Kind::Word && self.text(token).starts_with(open) {
            let (head, rest) = token.split(1);
            self.unread(rest);
            if let Some(inner) = self.closed_by(close) {
                return Some(inner);
            }
            token = head;
        }
        self.unread(token);
        self.unread_all(&spaces);
        None
    }

    /// The tokens before the next `close` in this paragraph; that character is dropped. Takes nothing if it does not come.
    pub(super) fn closed_by(&mut self, close: char) -> Option<Vec<Token>> {
        let (mut inner, end) = self.up_to(MAX_OPTIONAL, |reader, token| match token.kind {
            Kind::Word => reader.text(token).contains(close).then_some(true),
            Kind::Par => Some(false),
            _ => None,
        })?;
        let (before, after) = end.split(self.text(end).find(close)?);
        self.unread(after.split(close.len_utf8()).1);
        inner.extend((before.len > 0).then_some(before));
        Some(inner)
    }

    /// Takes tokens until `look` returns `Some(true)` for one outside groups: those before it, and that token. Puts everything
    /// back if `look` returns `Some(false)` first, the group or the file ends, or there are more than `most` tokens.
    pub(super) fn up_to(
        &mut self,
        most: usize,
        look: impl Fn(&Self, Token) -> Option<bool>,
    ) -> Option<(Vec<Token>, Token)> {
        let (mut taken, mut depth) = (Vec::new(), 0_usize);
        while taken.len() <= most && !self.exhausted {
            let token = self.next();
            let is_end = look(self, token).filter(|is_end| depth == 0 || !is_end);
            match token.kind {
                _ if is_end == Some(true) => {
                    self.spend(taken.len());
                    return Some((taken, token));
                }
                Kind::Begin => depth += 1,
                Kind::End if depth > 0 => depth -= 1,
                kind if is_end.is_some() || matches!(kind, Kind::Stop | Kind::End) => {
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

    /// Drops the arguments of a command, given by the letters of `commands.txt`. Reports those that LaTeX may print elsewhere.
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
                'n' => {
                    let named = self.argument();
                    self.may_define(token, &named);
                    continue;
                }
                'o' | 'O' | 'q' => self.optional().unwrap_or_default(),
                'p' => self.delimited('(', ')').unwrap_or_default(),
                _ => self.argument(),
            };
            if matches!(letter, 'q' | 'd') {
                continue;
            }
            // A control sequence that is the whole argument may be defined by this command.
            if let [only] = *dropped {
                self.handled.extend(only.name());
            }
            let titles = self.titles(&dropped).filter(|_| letter == 'o');
            let is_text = titles.is_some_and(|titles| self.holds(&titles).numbers);
            self.unread_argument(token, &dropped, is_text || letter.is_ascii_uppercase());
        }
    }

    /// Drops a length, a number or an assignment of one: `=12pt plus 1pt`, `-0.5\baselineskip`, `\value{x}`.
    pub(super) fn skip_glue(&mut self) {
        let [length, stretches @ ..] = &*GLUE;
        if self.skip_pattern(length) {
            for stretch in stretches {
                self.skip_pattern(stretch);
            }
        }
    }

    /// Drops the text that a pattern matches, in which `\` stands for any control sequence; returns whether it matched.
    fn skip_pattern(&mut self, pattern: &Regex) -> bool {
        let (mut taken, mut text) = (Vec::new(), String::new());
        while taken.len() < MAX_LENGTH && !text.ends_with('\\') {
            let token = self.next();
            match token.kind {
                Kind::Word => text.push_str(self.text(token)),
                Kind::Space => text.push(' '),
                Kind::Name(_) => text.push('\\'),
                _ => {
                    self.unread(token);
                    break;
                }
            }
            taken.push(token);
        }
        self.unread_all(&taken);
        let length = pattern.find(&text).map_or(0, |found| found.len());
        let mut left = length;
        while left > 0 {
            let token = self.next();
            if token.kind == Kind::Word {
                let (taken, rest) = token.split(left);
                left -= taken.len as usize;
                self.unread(rest);
            } else {
                left -= 1;
            }
            if self.command_name(token) == "value" {
                drop(self.argument());
            }
        }
        length > 0
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

    /// Runs `look` with `tokens` as the only input.
    pub(super) fn apart<T>(&mut self, tokens: &[Token], look: impl FnOnce(&mut Self) -> T) -> T {
        let base = self.stack.len();
        self.frames.push(Frame { base, file: None });
        self.unread_all(tokens);
        let found = look(self);
        self.frames.pop();
        self.stack.truncate(base);
        found
    }

    /// The text of tokens with macros expanded; other commands print their symbol or nothing.
    pub(super) fn flatten(&mut self, tokens: &[Token]) -> Flat {
        self.apart(tokens, |reader| reader.flatten_all(false))
    }

    /// Flattens the rest of the input. With `is_name` the text has to be exact: what is not evaluated stays as written.
    fn flatten_all(&mut self, is_name: bool) -> Flat {
        let mut flat = Flat::default();
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
                    Meaning::Known(cmd) => match cmd.what {
                        "space" => " ",
                        "jobname" => &self.job_name(),
                        "nothing" | "string" | "expand_after" => continue,
                        _ if let Some(text) = cmd.prints() => text,
                        _ if is_name => &self.written(token),
                        _ => continue,
                    },
                    _ if is_name => &self.written(token),
                    _ => continue,
                },
                _ => continue,
            };
            let is_word = token.kind == Kind::Word;
            let from = if is_word { token } else { token.fixed() };
            flat.parts.push((flat.text.len(), from));
            flat.text.push_str(text);
        }
        flat
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

    /// The text of a name, of a file for instance, and whether all of it is evaluated. What is not evaluated stays as written.
    pub(super) fn exact(&mut self, tokens: &[Token]) -> (String, bool) {
        let flat = self.apart(tokens, |reader| reader.flatten_all(true));
        let text = flat.text.trim().to_owned();
        let known = is_evaluated(&text);
        (text, known)
    }

    /// What `\jobname` prints: the root document's name.
    pub(super) fn job_name(&self) -> String {
        let name = path::file_name(&self.doc.root);
        name.trim_end_matches(".tex").to_owned()
    }

    /// The text of tokens with macros expanded.
    pub(super) fn flat(&mut self, tokens: &[Token]) -> String {
        match tokens {
            // The fast path: most arguments are one word.
            [only] if only.kind == Kind::Word => self.text(*only).to_owned(),
            _ => self.flatten(tokens).text,
        }
    }

    /// The text of the next argument without spaces around it.
    pub(super) fn name_argument(&mut self) -> String {
        self.key_argument().key
    }

    /// The interned name that consists of a prefix and the text of the next argument.
    pub(super) fn named(&mut self, prefix: &str) -> u32 {
        let mut name = self.name_argument();
        name.insert_str(0, prefix);
        self.names.intern(&name)
    }

    /// The text of the next argument without spaces around it, and where it stands.
    pub(super) fn key_argument(&mut self) -> Label {
        let tokens = self.argument();
        let place = tokens.first().map(|token| self.place(*token));
        let key = self.flat(&tokens).trim().to_owned();
        let place = place.unwrap_or_else(|| self.here());
        Label { key, place }
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

    /// The comma-separated keys of a braced argument, each with its place; `None` if no group follows.
    pub(super) fn braced_keys(&mut self) -> Option<Vec<Label>> {
        let tokens = self.braced()?;
        Some(self.keys(&tokens))
    }

    /// Comma-separated keys, each with its place. Commands that are not evaluated stay as written.
    pub(super) fn keys(&mut self, tokens: &[Token]) -> Vec<Label> {
        let flat = self.apart(tokens, |reader| reader.flatten_all(true));
        let parts = flat.parts().filter(|(_, part, _)| is_evaluated(part));
        let commas = parts.flat_map(|(start, part, _)| {
            let commas = part.match_indices(',');
            commas.map(move |(at, _)| start + at)
        });
        let (mut keys, mut start) = (Vec::new(), 0);
        for end in commas.chain([flat.text.len()]) {
            let text = flat.text.get(start..end).unwrap_or("");
            let key = text.trim().to_owned();
            let blanks = text.len() - text.trim_start().len();
            if let Some((_, token)) = flat.at(start + blanks).filter(|_| !key.is_empty()) {
                let place = self.writer.place(token);
                keys.push(Label { key, place });
            }
            start = end + 1;
        }
        keys
    }
}

/// Whether no command and no parameter is left in a text.
pub(super) fn is_evaluated(text: &str) -> bool {
    !text.contains(['\\', '#'])
}
