//! Where tokens come from: the stack of tokens put back, the files below it, and the budget of work.

use super::{
    lexer,
    reader::{Frame, Reader},
    token::{Kind, Token},
    writer::Source,
};
use crate::{Place, ProblemKind};

/// Tokens that expansion and argument scanning may handle besides [`WORK_PER_BYTE`] for each byte read.
const WORK_BASE: usize = 500_000;
const WORK_PER_BYTE: usize = 4;
/// Bytes written by expansion that count as one token, where they are not few.
const BYTES_PER_WORK: usize = 4;
const FEW_BYTES: usize = 64;

impl Reader<'_> {
    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        let Some(frame) = self.frames.last_mut() else {
            return Token::new(Kind::Stop, 0, 0, 0);
        };
        let (Frame::File { base, .. } | Frame::Barrier { base }) = frame;
        if self.stack.len() > *base
            && let Some(token) = self.stack.pop()
        {
            return token;
        }
        match frame {
            Frame::File {
                text, file, cursor, ..
            } => lexer::next(text, *file, cursor, self.letters, &mut self.names),
            Frame::Barrier { .. } => Token::new(Kind::Stop, 0, 0, 0),
        }
    }

    /// The first character of a word; the others are put back.
    pub(super) fn first_letter(&mut self, word: Token) -> Token {
        let width = self.text(word).chars().next().map_or(0, char::len_utf8);
        let (first, rest) = word.split(width);
        self.unread(rest);
        first
    }

    pub(super) fn unread(&mut self, token: Token) {
        // A word that was split may leave nothing.
        if token.kind != Kind::Stop && (token.kind != Kind::Word || token.len > 0) {
            self.stack.push(token);
        }
    }

    /// Puts tokens back so that the first comes next.
    pub(super) fn unread_all(&mut self, tokens: &[Token]) {
        self.stack
            .extend(tokens.iter().rev().filter(|token| token.kind != Kind::Stop));
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
            self.problem(
                ProblemKind::Expansion,
                place,
                "macro expansion takes too long and is cut off",
            );
        }
        !self.exhausted
    }

    /// The same for bytes that expansion writes.
    pub(super) fn spend_bytes(&mut self, bytes: usize) -> bool {
        bytes < FEW_BYTES || self.spend(bytes / BYTES_PER_WORK)
    }

    /// Whether a token was just read from the innermost file.
    pub(super) fn is_straight(&self, token: Token) -> bool {
        matches!(self.frames.last(), Some(Frame::File { file, cursor, .. })
            if token.exp == 0 && token.file == *file && (token.at + token.len) as usize == cursor.pos)
    }

    /// The position of the innermost file's cursor.
    pub(super) fn here(&self) -> Place {
        self.frames
            .iter()
            .rev()
            .find_map(|frame| match frame {
                Frame::File { file, cursor, .. } => Some(Place {
                    file: *file as usize,
                    offset: cursor.pos,
                }),
                Frame::Barrier { .. } => None,
            })
            .unwrap_or(Place { file: 0, offset: 0 })
    }

    /// The literal source of a token.
    pub(super) fn text(&self, token: Token) -> &str {
        let (from, to) = (token.at as usize, token.at as usize + token.len as usize);
        self.doc
            .files
            .get(token.file as usize)
            .and_then(|file| file.text.get(from..to))
            .unwrap_or("")
    }

    pub(super) fn literal(token: Token) -> Place {
        Place {
            file: token.file as usize,
            offset: token.at as usize,
        }
    }

    /// Where a token stands for the reader of the source: the call, when a macro produced it.
    pub(super) fn place(&self, token: Token) -> Place {
        if token.exp == 0 {
            return Self::literal(token);
        }
        self.expansions
            .get(token.exp as usize)
            .map_or_else(|| Self::literal(token), |exp| exp.call)
    }

    pub(super) fn source(&self, token: Token, copied: bool) -> Source {
        Source {
            place: self.place(token),
            copied: copied && token.exp == 0,
            exp: token.exp,
            literal: Self::literal(token),
        }
    }
}
