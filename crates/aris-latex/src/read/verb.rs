//! What is read as bytes: addresses and code in the text.

use super::{
    reader::{Frame, Reader},
    style,
    token::{Kind, Token},
};

impl Reader<'_> {
    /// `\url{…}`: read as bytes where it stands in a file, because `%` and `#` are ordinary there.
    pub(super) fn url(&mut self) {
        let old = self.style;
        self.style = self.style.set(style::URL, style::MATHS);
        self.verbatim_argument(true);
        self.style = old;
    }

    /// `\href{address}{text}`: the text follows as a group.
    pub(super) fn href(&mut self) {
        self.skip_optional();
        self.verbatim_argument(false);
    }

    fn verbatim_argument(&mut self, shown: bool) {
        let next = self.next_visible();
        if next.kind != Kind::Begin {
            if shown && next.kind == Kind::Word {
                self.write_word(next);
            } else {
                self.unread(next);
            }
            return;
        }
        if self.at_file()
            && let Some(length) = self.raw_group_length()
        {
            let here = self.here();
            if shown && length > 0 {
                self.write_word(Token::new(
                    Kind::Word,
                    super::token::narrow(here.file),
                    here.offset,
                    length,
                ));
            }
            if let Some(Frame::File { cursor, .. }) = self.frames.last_mut() {
                cursor.pos = here.offset + length + 1;
                cursor.fresh = false;
            }
            return;
        }
        let tokens = self.balanced(next);
        if shown {
            for piece in self.pieces(&tokens) {
                self.writer.write(&piece.text, piece.source, self.style);
            }
        }
    }

    /// Bytes to the brace that closes the group just opened, if it is on this or the next lines.
    fn raw_group_length(&self) -> Option<usize> {
        /// Addresses are short; a longer group is read as tokens.
        const MAX_ADDRESS: usize = 8_192;
        let Some(Frame::File { text, cursor, .. }) = self.frames.last() else {
            return None;
        };
        let mut depth = 0_usize;
        let mut blank = false;
        for (at, byte) in text
            .as_bytes()
            .iter()
            .skip(cursor.pos)
            .take(MAX_ADDRESS)
            .enumerate()
        {
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
    pub(super) fn verb(&mut self, token: Token, listing: bool) {
        if listing {
            if self.command_name(token) == "mintinline" {
                drop(self.argument());
            }
            // Looking for options must not turn the code into tokens.
            if !self.at_file() || self.rest_of_file().starts_with('[') {
                self.skip_optional();
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

    /// Whether the next token comes straight from a file.
    pub(super) fn at_file(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::File { base, .. }) if self.stack.len() == *base)
    }

    pub(super) fn rest_of_file(&self) -> &str {
        match self.frames.last() {
            Some(Frame::File { text, cursor, .. }) => text.get(cursor.pos..).unwrap_or(""),
            _ => "",
        }
    }

    fn verb_from_file(&mut self) {
        let Some(Frame::File { text, cursor, .. }) = self.frames.last_mut() else {
            return;
        };
        if text
            .get(cursor.pos..)
            .is_some_and(|rest| rest.starts_with('*'))
        {
            cursor.pos += 1;
        }
        let start = cursor.pos;
        let rest = text.get(cursor.pos..).unwrap_or("");
        let Some(open) = rest.chars().next() else {
            return;
        };
        let close = if open == '{' { '}' } else { open };
        let body = rest.get(open.len_utf8()..).unwrap_or("");
        let Some(length) = body.find([close, '\n']) else {
            return;
        };
        if !body.get(length..).unwrap_or("").starts_with(close) {
            return;
        }
        cursor.pos += open.len_utf8() + length + close.len_utf8();
        cursor.fresh = false;
        let file = super::token::narrow(self.here().file);
        if length > 0 {
            self.write_word(Token::new(
                Kind::Word,
                file,
                start + open.len_utf8(),
                length,
            ));
        }
    }

    /// Inside an argument, where TeX itself would complain (or listings reads tokens).
    fn verb_from_tokens(&mut self) {
        let first = self.next();
        if first.kind == Kind::Begin {
            let tokens = self.balanced(first);
            for token in tokens {
                self.write_word(token);
            }
            return;
        }
        if first.kind != Kind::Word {
            self.unread(first);
            return;
        }
        let Some(mark) = self.text(first).chars().next() else {
            return;
        };
        let (_, rest) = first.split(mark.len_utf8());
        let mut token = if rest.len > 0 { rest } else { self.next() };
        loop {
            match token.kind {
                Kind::Stop | Kind::Par => {
                    self.unread(token);
                    return;
                }
                _ => {}
            }
            if let Some(at) = self.text(token).find(mark) {
                let (before, after) = token.split(at);
                let (_, after) = after.split(mark.len_utf8());
                self.write_word(before);
                self.unread(after);
                return;
            }
            self.write_word(token);
            token = self.next();
        }
    }
}
