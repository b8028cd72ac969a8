//! Where tokens come from: the stack of tokens put back, the files below it, and the budget of work.

use super::{Cmd, File, Kind, Meaning, Reader, Token, lexer, narrow};
use crate::{Place, ProblemKind};

/// Tokens that expansion and argument scanning may handle besides [`WORK_PER_BYTE`] for each byte read.
const WORK_BASE: usize = 500_000;
const WORK_PER_BYTE: usize = 4;
/// Bytes written by expansion that count as one token; texts shorter than [`FEW_BYTES`] count nothing.
const BYTES_PER_WORK: usize = 4;
const FEW_BYTES: usize = 64;

type Text = &'static str;

impl Reader<'_> {
    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        let Some(frame) = self.frames.last_mut() else {
            return Token::new(Kind::Stop, 0, 0, 0);
        };
        while self.stack.len() > frame.base
            && let Some(token) = self.stack.pop()
        {
            let Kind::Certain(number) = token.kind else {
                return token;
            };
            self.writer.doubts.leave(number);
        }
        match &mut frame.file {
            Some(file) => lexer::next(file, self.letters, &mut self.names),
            None => Token::new(Kind::Stop, 0, 0, 0),
        }
    }

    /// The innermost file. `None` while tokens are processed without a file.
    pub(super) fn file(&self) -> Option<&File> {
        self.frames.last()?.file.as_ref()
    }

    pub(super) fn file_mut(&mut self) -> Option<&mut File> {
        self.frames.last_mut()?.file.as_mut()
    }

    /// The files that are open, innermost first.
    pub(super) fn files(&self) -> impl Iterator<Item = &File> {
        let frames = self.frames.iter().rev();
        frames.filter_map(|frame| frame.file.as_ref())
    }

    /// Whether the next token comes straight from a file.
    pub(super) fn at_file(&self) -> bool {
        let frame = self.frames.last();
        frame.is_some_and(|frame| frame.file.is_some() && self.stack.len() == frame.base)
    }

    /// The rest of the innermost file.
    pub(super) fn rest_of_file(&self) -> &str {
        self.file().map_or("", File::rest)
    }

    /// Skips bytes of the innermost file and drops the tokens put back. Reading goes on in the middle of a line.
    pub(super) fn skip_bytes(&mut self, bytes: usize) {
        if let Some(frame) = self.frames.last_mut()
            && let Some(file) = &mut frame.file
        {
            self.stack.truncate(frame.base);
            file.pos += bytes;
            file.fresh = false;
        }
    }

    /// The first character of a word; the others are put back.
    pub(super) fn first_letter(&mut self, word: Token) -> Token {
        let (first, rest) = self.split_letter(word);
        self.unread(rest);
        first
    }

    /// The first character of a word, as a `char`; the others are put back.
    pub(super) fn letter(&mut self, word: Token) -> char {
        let first = self.first_letter(word);
        self.text(first).chars().next().unwrap_or(' ')
    }

    /// Splits a word behind its first character.
    pub(super) fn split_letter(&self, word: Token) -> (Token, Token) {
        let first = self.text(word).chars().next();
        word.split(first.map_or(0, char::len_utf8))
    }

    pub(super) fn unread(&mut self, token: Token) {
        // Splitting a word may leave an empty one.
        if token.kind != Kind::Stop && (token.kind != Kind::Word || token.len > 0) {
            self.stack.push(token);
        }
    }

    /// Puts tokens back so that the first comes next.
    pub(super) fn unread_all(&mut self, tokens: &[Token]) {
        self.stack
            .extend(tokens.iter().rev().filter(|token| token.kind != Kind::Stop));
    }

    /// Puts back a group that holds tokens.
    pub(super) fn unread_group(&mut self, like: Token, tokens: &[Token]) {
        self.unread(like.with(Kind::End));
        self.unread_all(tokens);
        self.unread(like.with(Kind::Begin));
    }

    /// Puts back tokens between two texts.
    pub(super) fn unread_between(&mut self, like: Token, open: Text, tokens: &[Token], end: Text) {
        self.unread_text(like, end);
        self.unread_all(tokens);
        self.unread_text(like, open);
    }

    /// Puts back a command that prints a text. Its name begins with a space, so no command of a document has it.
    pub(super) fn unread_text(&mut self, like: Token, text: Text) {
        if text.is_empty() {
            return;
        }
        let name = self.names.intern(&[" ", text].concat());
        if matches!(self.meaning(name), Meaning::Unknown) {
            // Without an undo entry the meaning outlives the group.
            let undo = self.undo.len();
            self.set_meaning(name, Meaning::Known(Cmd::free("symbol", text)));
            self.undo.truncate(undo);
        }
        self.unread(like.with(Kind::Name(name)));
    }

    /// The next token without spaces before it.
    pub(super) fn next_visible(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    pub(super) fn peek(&mut self) -> Token {
        let token = self.next();
        self.unread(token);
        token
    }

    /// Counts work; false when the budget is used up.
    pub(super) fn spend(&mut self, tokens: usize) -> bool {
        self.work += tokens;
        let budget = WORK_BASE + WORK_PER_BYTE * self.loading.bytes;
        if self.work > budget && !self.exhausted {
            self.exhausted = true;
            let place = self.here();
            let message = "macro expansion takes too long and is cut off";
            self.problem(ProblemKind::Expansion, place, message);
        }
        !self.exhausted
    }

    /// The same for bytes that expansion writes.
    pub(super) fn spend_bytes(&mut self, bytes: usize) -> bool {
        bytes < FEW_BYTES || self.spend(bytes / BYTES_PER_WORK)
    }

    /// Whether a token was just read from the innermost file.
    pub(super) fn is_straight(&self, token: Token) -> bool {
        let read = |file: &File| file.number == token.file && file.pos == token.end();
        token.exp == 0 && self.file().is_some_and(read)
    }

    /// A word that was just read with those that follow it on its line, so that running text is written in few pieces.
    pub(super) fn words(&mut self, mut word: Token) -> Token {
        if !self.at_file() || !self.is_straight(word) {
            return word;
        }
        let more = lexer::more_words(self.rest_of_file());
        self.skip_bytes(more);
        word.len += narrow(more);
        word
    }

    /// The position of the next byte in the innermost file.
    pub(super) fn here(&self) -> Place {
        let file = self.files().next();
        let at = file.map(|file| Place::new(file.number as usize, file.pos));
        at.unwrap_or_default()
    }

    /// The literal source of a token.
    pub(super) fn text(&self, token: Token) -> &str {
        token.of(&self.doc.files)
    }

    /// What stands before a token in its file.
    pub(super) fn before(&self, token: Token) -> &str {
        let file = self.doc.files.get(token.file as usize);
        file.and_then(|file| file.text.get(..token.at as usize))
            .unwrap_or("")
    }

    /// The place to show for a token: its own, or that of the call if a macro produced it.
    pub(super) fn place(&self, token: Token) -> Place {
        self.writer.place(token)
    }
}

impl File {
    /// The text that is left.
    pub(super) fn rest(&self) -> &str {
        self.text.get(self.pos..self.end).unwrap_or("")
    }
}
