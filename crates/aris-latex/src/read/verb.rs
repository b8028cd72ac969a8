//! Addresses and code in the text, which are read as bytes.

use super::{Cmd, How, Kind, Meaning, Reader, Role, Token, narrow, style};

impl Reader<'_> {
    /// `\url{…}`: read as bytes if it stands in a file, because `%` and `#` are ordinary there. The address of
    /// `\href{address}{text}` is hidden, and the text follows as a group.
    pub(super) fn url(&mut self, _: Token, how: How) {
        let (old, shown) = (self.style, how != "hidden");
        self.style = self.style.set(style::URL, style::MATHS);
        let next = self.next_visible();
        match next.kind {
            Kind::Begin if let Some(length) = self.raw_group_length() => {
                self.raw_word(length, 1, shown);
            }
            Kind::Begin => {
                let tokens = self.balanced(next);
                let shown: &[Token] = if shown { &tokens } else { &[] };
                for (_, text, token) in self.flatten(shown).parts() {
                    self.writer.write(text, token, self.style);
                }
            }
            Kind::Word if shown => self.write_word(next),
            _ => self.unread(next),
        }
        self.style = old;
    }

    /// Takes `length` bytes of the file as one word, and drops the `close` bytes after them.
    fn raw_word(&mut self, length: usize, close: usize, shown: bool) {
        let here = self.here();
        self.skip_bytes(length + close);
        if shown && length > 0 {
            let file = narrow(here.file);
            self.write_word(Token::new(Kind::Word, file, here.offset, length));
        }
    }

    /// Bytes to the brace that closes the group just opened; `None` if a blank line comes first or the group is too long.
    fn raw_group_length(&self) -> Option<usize> {
        /// Addresses are short; a longer group is read as tokens.
        const MAX_ADDRESS: usize = 8_192;
        let (mut depth, mut blank) = (0_usize, false);
        let rest = self.at_file().then(|| self.rest_of_file())?;
        for (at, byte) in rest.bytes().take(MAX_ADDRESS).enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 0 => return Some(at),
                b'}' => depth -= 1,
                b'\n' if blank => return None,
                b'\n' => blank = true,
                b' ' | b'\t' | b'\r' => {}
                _ => blank = false,
            }
        }
        None
    }

    /// `\verb|…|`, `\lstinline[…]|…|`, `\mintinline{language}|…|`.
    pub(super) fn verb(&mut self, token: Token, how: How) {
        if how == "inline" {
            if self.command_name(token) == "mintinline" {
                drop(self.argument());
            }
            // Looking for options must not turn the code into tokens.
            if !self.at_file() || self.rest_of_file().starts_with('[') {
                drop(self.optional());
            }
        }
        let old = self.style;
        self.style = self.style.set(style::CODE, style::MATHS);
        if self.at_file() {
            self.verb_from_file();
        } else {
            self.star();
            self.verb_from_tokens();
        }
        self.style = old;
    }

    /// `\MakeShortVerb{\|}`: text between two of these is code, until `\DeleteShortVerb{\|}`.
    pub(super) fn short_verb(&mut self, _: Token, how: How) {
        let tokens = self.argument();
        let mark = self.raw(&tokens);
        let mark = mark.trim_start_matches('\\').chars().next();
        self.short_verbs.retain(|old| Some(old) != mark);
        self.short_verbs.extend(mark.filter(|_| how != "end"));
    }

    /// `\newmint[name]{language}{options}`, `\newmintinline`: a command that prints its source; `\newminted`: an environment.
    pub(super) fn new_verb(&mut self, _: Token, ending: How) {
        let name = self.optional();
        let language = self.name_argument();
        drop(self.argument());
        let name = name.map_or(language + ending, |name| self.flat(&name).trim().to_owned());
        let name = self.names.intern(&name);
        if ending == "code" {
            return self.set_environment(name, "raw");
        }
        self.set_meaning(
            name,
            Meaning::Known(Cmd::new("verb", "inline", Role::Fixed)),
        );
    }

    /// `\lstnewenvironment{name}…`: an environment that prints its source.
    pub(super) fn new_listing(&mut self, token: Token, spec: How) {
        let name = self.named("");
        self.skip_arguments(token, spec);
        self.set_environment(name, "raw");
    }

    /// Writes a word up to a short-verb mark, and the code up to the next mark.
    pub(super) fn write_verbs(&mut self, token: Token) {
        let at = self.text(token).find(|c| self.short_verbs.contains(c));
        let Some(at) = at.filter(|_| self.at_file() && self.is_straight(token)) else {
            return self.write_word(token);
        };
        let (before, after) = token.split(at);
        self.write_word(before);
        if let Some(file) = self.file_mut() {
            file.pos -= after.len as usize;
        }
        let start = self.here();
        self.verb(token, "");
        if self.here() == start {
            // No second mark on the line: this one is text.
            let (mark, _) = self.split_letter(after);
            self.raw_word(mark.len as usize, 0, true);
        }
    }

    /// `\string\x`: the name itself.
    pub(super) fn string(&mut self, _: Token, _: How) {
        let token = self.next();
        let text = self.text(token).to_owned();
        self.write(token, &text);
    }

    /// ``\catcode`\%=12``: keeps track of whether `@` is a letter, and reports other changes of how the text is read.
    pub(super) fn change_code(&mut self, token: Token, _: How) {
        let of = self.code().unwrap_or('\\');
        self.drop_sign('=');
        let code = self.number();
        let is_plain = matches!(code, Some(11 | 12));
        if of == '@' {
            self.letters.at = code == Some(11);
        } else if !is_plain || "\\{}$&#^_%~".contains(of) {
            self.changes_reading(token);
        }
    }

    fn verb_from_file(&mut self) {
        if self.rest_of_file().starts_with('*') {
            self.skip_bytes(1);
        }
        let mut rest = self.rest_of_file().chars();
        let open = rest.next().unwrap_or('\n');
        let close = if open == '{' { '}' } else { open };
        let line = rest.as_str().split('\n').next().unwrap_or("");
        if let Some(length) = line.find(close) {
            self.raw_word(0, open.len_utf8(), false);
            self.raw_word(length, close.len_utf8(), true);
        }
    }

    /// Inside an argument, where TeX itself would complain (or listings reads tokens).
    fn verb_from_tokens(&mut self) {
        let first = self.next();
        let code = match first.kind {
            Kind::Begin => self.balanced(first),
            Kind::Word => {
                let mark = self.letter(first);
                self.closed_by(mark).unwrap_or_default()
            }
            _ => return self.unread(first),
        };
        for token in code {
            self.write_word(token);
        }
    }
}
