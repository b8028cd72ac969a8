//! Tokens: the output of the lexer, and the content of macros.

use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::{Place, SourceFile};

/// Place of a token's own text, and the expansion it came from.
///
/// `file`, `at` and `len` always name the literal source, also inside a macro's body; `exp` is 0 for text of the
/// document itself, else an index into the reader's expansions, which know the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) file: u32,
    pub(crate) at: u32,
    pub(crate) len: u32,
    pub(crate) exp: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Plain text without special characters; a bracket is a word of its own.
    Word,
    /// White space with at most one line end.
    Space,
    /// A blank line, or `\par`.
    Par,
    Begin,
    End,
    Math,
    Align,
    Hash,
    /// `#1` in a macro's body.
    Param(u8),
    Super,
    Sub,
    Tie,
    /// A control sequence, by its interned name.
    Name(u32),
    /// An instruction that the reader puts on its own token stack: sets the link (citation or reference) of the text that
    /// follows; 0 ends it.
    Link(u32),
    /// An instruction: ends an environment of the document after its end code.
    EndEnvironment(u32),
    /// An instruction: ends a doubt as soon as it is read.
    Certain(u32),
    /// The end of the current file, or of the tokens being flattened. Stays until the frame is popped.
    Stop,
}

impl Token {
    pub(crate) fn new(kind: Kind, file: u32, at: usize, len: usize) -> Self {
        Self {
            kind,
            file,
            at: narrow(at),
            len: narrow(len),
            exp: 0,
        }
    }

    /// The name of a control sequence.
    pub(crate) fn name(self) -> Option<u32> {
        match self.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The same place, no text.
    pub(crate) fn fixed(self) -> Self {
        Self { len: 0, ..self }
    }

    /// The same place, another kind, no text.
    pub(crate) fn with(self, kind: Kind) -> Self {
        Self {
            kind,
            ..self.fixed()
        }
    }

    /// The rest of the token after some bytes. A token without text and without expansion stays where it is.
    pub(crate) fn after(mut self, bytes: usize) -> Self {
        if self.len > 0 || self.exp > 0 {
            self.at += narrow(bytes);
            self.len = self.len.saturating_sub(narrow(bytes));
        }
        self
    }

    /// Whether its text is a copy of text in the document itself.
    pub(crate) fn is_copy(self) -> bool {
        self.len > 0 && self.exp == 0
    }

    /// Where its own text stands.
    pub(crate) fn literal(self) -> Place {
        Place::new(self.file as usize, self.at as usize)
    }

    /// Where its own text ends.
    pub(crate) fn end(self) -> usize {
        (self.at + self.len) as usize
    }

    /// The part of its file's text that it names.
    pub(crate) fn of(self, files: &[SourceFile]) -> &str {
        let file = files.get(self.file as usize);
        let text = file.and_then(|file| file.text.get(self.at as usize..self.end()));
        text.unwrap_or("")
    }

    /// Splits a word after `bytes` bytes.
    pub(crate) fn split(self, bytes: usize) -> (Self, Self) {
        let (mut head, mut rest) = (self, self);
        head.len = narrow(bytes).min(self.len);
        rest.at += head.len;
        rest.len -= head.len;
        (head, rest)
    }
}

/// Offsets fit: the bytes read are bounded by [`MAX_TOTAL_BYTES`](crate::MAX_TOTAL_BYTES).
pub(crate) fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// An interner. Numbers are given in order of first use, so nothing depends on the hash.
#[derive(Default)]
pub(crate) struct Names(IndexSet<Arc<str>, RandomState>);

impl Names {
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        let known = self.0.get_index_of(text);
        narrow(known.unwrap_or_else(|| self.0.insert_full(text.into()).0))
    }

    pub(crate) fn text(&self, index: u32) -> &str {
        self.0.get_index(index as usize).map_or("", |text| text)
    }

    pub(crate) fn shared(&self, index: u32) -> Arc<str> {
        let name = self.0.get_index(index as usize).cloned();
        name.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interns() {
        let mut names = Names::default();
        let all: Vec<u32> = (0..5000).map(|n| names.intern(&n.to_string())).collect();
        for (n, index) in all.iter().enumerate() {
            assert_eq!(names.intern(&n.to_string()), *index);
            assert_eq!(names.text(*index), n.to_string());
        }
    }

    #[test]
    fn names_that_look_alike_are_told_apart() {
        let mut names = Names::default();
        let mut all: Vec<String> = Vec::new();
        for length in 0..20 {
            for fill in ["a", "b", "\0", "\u{1}", "é"] {
                all.push(fill.repeat(length));
                all.push(format!("{}\0", fill.repeat(length)));
                all.push(format!("\u{8}{}", fill.repeat(length)));
            }
        }
        all.sort();
        all.dedup();
        let numbers: Vec<u32> = all.iter().map(|name| names.intern(name)).collect();
        let expected: Vec<u32> = (0..).take(all.len()).collect();
        assert_eq!(numbers, expected);
        for (name, number) in all.iter().zip(numbers) {
            assert_eq!(
                (names.intern(name), names.text(number)),
                (number, name.as_str())
            );
        }
    }
}
