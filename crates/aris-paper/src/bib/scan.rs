//! The low-level parts of a BibTeX file: names, blanks, lines, brackets, and possible beginnings of entries.

use super::Place;
use crate::braces::Braces;

/// Characters between two marks on one line. Bounds the work of each position lookup on very long lines.
const STRIDE: usize = 512;

/// The text with its lines and brackets indexed, so that no lookup scans the whole text again.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    braces: Braces,
    /// Start of each line, and every [`STRIDE`]th character of long lines; and whether the line's first visible character is
    /// `%`.
    marks: Vec<(Place, bool)>,
}

/// The head of an entry: `@`, type, opening bracket.
#[derive(Debug)]
pub(super) struct Head<'a> {
    pub(super) at: usize,
    /// As written.
    pub(super) kind: &'a str,
    /// Where the type ends.
    pub(super) end: usize,
    /// Offset of `{` or `(`; `None` when neither follows.
    pub(super) open: Option<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut marks = Vec::new();
        let mut offset = 0;
        for (content, line) in text.split('\n').zip(1..) {
            let is_remark = content.trim_start().starts_with('%');
            let ends = [(content.len(), '\n')];
            let characters = content.char_indices().chain(ends).enumerate();
            for (number, (at, _)) in characters.step_by(STRIDE) {
                let place = Place {
                    offset: offset + at,
                    line,
                    column: number + 1,
                };
                marks.push((place, is_remark));
            }
            offset += content.len() + 1;
        }
        Self {
            text,
            braces: Braces::new(text),
            marks,
        }
    }

    /// The last mark at or before an offset.
    fn mark(&self, at: usize) -> (Place, bool) {
        let after = self.marks.partition_point(|(place, _)| place.offset <= at);
        let mark = self.marks.get(after.saturating_sub(1));
        mark.copied().unwrap_or_default()
    }

    /// Line and column of an offset.
    pub(super) fn place(&self, at: usize) -> Place {
        let offset = at.min(self.text.len());
        let (mark, _) = self.mark(offset);
        let between = self.text.as_bytes().get(mark.offset..offset);
        // Count the bytes that begin a character.
        let begins = |byte: &&u8| **byte & 0xC0 != 0x80;
        let characters = between.unwrap_or_default().iter().filter(begins).count();
        Place {
            offset,
            line: mark.line,
            column: mark.column + characters,
        }
    }

    /// Whether the line of this offset begins with `%`.
    pub(super) fn is_commented(&self, at: usize) -> bool {
        self.mark(at).1
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The first offset at or after `at` whose byte is not accepted.
    pub(super) fn run(&self, at: usize, accept: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let end = rest.iter().position(|byte| !accept(*byte));
        at + end.unwrap_or(rest.len())
    }

    /// Skips white space.
    pub(super) fn space(&self, at: usize) -> usize {
        self.run(at, |byte| byte.is_ascii_whitespace())
    }

    /// The offset after the line break of this offset's line.
    pub(super) fn next_line(&self, at: usize) -> usize {
        let end = self.run(at, |byte| byte != b'\n');
        (end + 1).min(self.text.len())
    }

    /// End of the BibTeX name that begins here; `at` itself when there is none.
    ///
    /// **Source**: bibtex.web, `id_class`
    pub(super) fn word_end(&self, at: usize) -> usize {
        self.run(at, |byte| {
            byte > b' ' && byte != 0x7F && !b"\"#%'(),={}@".contains(&byte)
        })
    }

    /// The name in a `name =` at this offset, and the offset after the `=`.
    pub(super) fn named(&self, at: usize) -> Option<(&'a str, usize)> {
        let end = self.word_end(at);
        let sign = self.space(end);
        let is_named = end > at && self.byte(sign) == Some(b'=');
        is_named.then(|| (self.slice(at, end), sign + 1))
    }

    /// End of the citation key that begins here. An `@` is part of the key unless an entry begins there; this keeps the search
    /// for keys after every `@` of a damaged file linear. A leading `@` is part of the key if the key ends with a comma. An `=`
    /// is part of it unless a field's value follows.
    pub(super) fn key_end(&self, at: usize, close: u8) -> usize {
        let mut end = at;
        loop {
            end = self.run(end, |byte| {
                !b",=@".contains(&byte) && byte != close && !byte.is_ascii_whitespace()
            });
            let word = self.word_end(end + 1);
            let in_key = match self.byte(end) {
                Some(b'@') if end == at => self.byte(word) == Some(b','),
                Some(b'@') => word == end + 1 || !matches!(self.byte(word), Some(b'{' | b'(')),
                Some(b'=') if end > at => (self.byte(end + 1))
                    .is_some_and(|next| !b"{\"".contains(&next) && !next.is_ascii_whitespace()),
                _ => false,
            };
            if !in_key {
                return end;
            }
            end += 1;
        }
    }

    /// The closing bracket for the opening one at this offset.
    pub(super) fn closing(&self, open: usize) -> u8 {
        match self.byte(open) {
            Some(b'(') => b')',
            _ => b'}',
        }
    }

    /// Offset of the closing bracket for the opening one at this offset. A parenthesis must close before the next `@`.
    pub(super) fn close_of(&self, open: usize) -> Option<usize> {
        if self.byte(open) == Some(b'{') {
            return self.braces.close_of(open);
        }
        let end = self.run(open + 1, |byte| byte != b')' && byte != b'@');
        (self.byte(end) == Some(b')')).then_some(end)
    }

    /// The `"` that ends the value opened here: the next one outside braces.
    pub(super) fn closing_quote(&self, open: usize) -> Option<usize> {
        let mut at = open + 1;
        loop {
            at = self.run(at, |byte| !b"\"{}".contains(&byte));
            match self.byte(at)? {
                b'"' => return Some(at),
                b'{' => at = self.close_of(at)? + 1,
                _ => return None,
            }
        }
    }

    /// The head of the entry at this `@`; `None` when no name follows.
    pub(super) fn head(&self, at: usize) -> Option<Head<'a>> {
        let start = self.space(at + 1);
        let end = self.word_end(start);
        let open = self.space(end);
        (end > start).then(|| Head {
            at,
            kind: self.slice(start, end),
            end,
            open: matches!(self.byte(open), Some(b'{' | b'(')).then_some(open),
        })
    }

    /// Whether only blanks separate this offset from the start of its line or from a closing bracket.
    pub(super) fn is_entry_position(&self, at: usize) -> bool {
        let before = self.slice(0, at).trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '\r', '}', ')'])
    }

    /// The next `@` in `at..end` that can only begin an entry: after its bracket come a key, or a macro's name, and the right
    /// sign.
    pub(super) fn entry_start(&self, at: usize, end: usize) -> Option<usize> {
        let begins = |head: &Head<'_>| {
            let Some(open) = head.open else { return false };
            let name = self.space(open + 1);
            let (name_end, sign) = match head.kind.to_ascii_lowercase().as_str() {
                "comment" | "preamble" => return true,
                "string" => (self.word_end(name), b'='),
                _ => (self.key_end(name, self.closing(open)), b','),
            };
            let at = self.space(name_end);
            at < end && self.byte(at) == Some(sign)
        };
        let mut signs = self.text.get(at..end)?.match_indices('@');
        signs.find_map(|(offset, _)| {
            let sign = at + offset;
            let begins = self.is_entry_position(sign) && begins(&self.head(sign)?);
            begins.then_some(sign)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = format!("äb\n{}ö!", "é".repeat(2000));
        let source = Source::new(&text);
        let cases = [
            (0, 1, 1),
            (2, 1, 2),
            (3, 1, 3),
            (4, 2, 1),
            (4 + 4000, 2, 2001),
            (4 + 4002, 2, 2002),
        ];
        for (offset, line, column) in cases {
            assert_eq!(
                source.place(offset),
                Place {
                    offset,
                    line,
                    column
                }
            );
        }
        assert_eq!(source.place(9_999_999).offset, text.len());
    }

    #[test]
    fn entry_starts_need_a_place_and_a_key() {
        let text = "mail a@misc{x, or\n @misc{y z}\n\t@misc(k ,\n}@string{a=1}";
        let source = Source::new(text);
        let found = source.entry_start(0, text.len()).unwrap();
        assert_eq!(source.slice(found, found + 8), "@misc(k ");
        let next = source.entry_start(found + 1, text.len()).unwrap();
        assert_eq!(source.slice(next, next + 7), "@string");
        assert_eq!(source.entry_start(found + 1, next), None);
    }

    #[test]
    fn keys_may_hold_an_at_sign() {
        for (text, key) in [
            ("doe@2020,", "doe@2020"),
            ("a@b@c }", "a@b@c"),
            ("a@misc{b,", "a"),
            ("a@@b,", "a@@b"),
            ("@misc{b,", ""),
            ("a@", "a@"),
            ("a=b,", "a=b"),
            ("a={b},", "a"),
        ] {
            let source = Source::new(text);
            assert_eq!(source.slice(0, source.key_end(0, b'}')), key, "{text}");
        }
    }

    #[test]
    fn comment_lines() {
        let source = Source::new("a\n  % @misc{x}\n@b");
        assert!(source.is_commented(6));
        assert!(!source.is_commented(16));
        assert_eq!(source.next_line(6), 15);
        assert_eq!(source.next_line(16), 17);
    }
}
