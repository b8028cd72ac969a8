//! What a BibTeX file is made of below the entry: names, blanks, lines, and where an entry may begin.

/// The text with its lines; all questions are answered without running over the text again.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    /// Start of each line and whether its first visible character is `%`.
    lines: Vec<(usize, bool)>,
}

/// The head of an entry: `@`, type, opening bracket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) at: usize,
    pub(super) kind_start: usize,
    pub(super) kind: &'a str,
    /// Offset of `{` or `(`; `None` when neither follows.
    pub(super) open: Option<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            lines.push((start, line.trim_start().starts_with('%')));
            start += line.len();
        }
        Self { text, lines }
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Tells whether the line of this offset begins with `%`.
    pub(super) fn is_commented(&self, at: usize) -> bool {
        let after = self.lines.partition_point(|line| line.0 <= at);
        after
            .checked_sub(1)
            .and_then(|index| self.lines.get(index))
            .is_some_and(|line| line.1)
    }

    /// The offset after the line break of this offset's line.
    pub(super) fn next_line(&self, at: usize) -> usize {
        let after = self.lines.partition_point(|line| line.0 <= at);
        self.lines.get(after).map_or(self.text.len(), |line| line.0)
    }

    /// Skips white space.
    pub(super) fn skip_space(&self, at: usize) -> usize {
        self.run(at, |byte| byte.is_ascii_whitespace())
    }

    /// The end of a BibTeX name that begins here; `at` itself when there is none.
    ///
    /// **Source**: bibtex.web, `id_class`
    pub(super) fn word_end(&self, at: usize) -> usize {
        self.run(at, is_name_byte)
    }

    /// The end of a citation key that begins here. An `@` belongs to it unless an entry begins there: so looking for keys behind
    /// every `@` of a damaged file stays linear. At the start it belongs to a key that ends with a comma. An `=` belongs to it unless a
    /// field's value follows.
    pub(super) fn key_end(&self, at: usize, close: u8) -> usize {
        let mut end = at;
        loop {
            end = self.run(end, |byte| {
                !matches!(byte, b',' | b'=' | b'@') && byte != close && !byte.is_ascii_whitespace()
            });
            let word = self.word_end(end + 1);
            let begins = word > end + 1 && matches!(self.byte(word), Some(b'{' | b'('));
            let in_key = match self.byte(end) {
                Some(b'@') => !begins,
                Some(b'=') => (self.byte(end + 1)).is_some_and(|next| {
                    !matches!(next, b'{' | b'"') && !next.is_ascii_whitespace()
                }),
                _ => false,
            };
            let is_key = self.byte(end) == Some(b'@') && self.byte(word) == Some(b',');
            if end == at && !is_key || !in_key {
                return end;
            }
            end += 1;
        }
    }

    /// Tells whether `name =` stands here.
    pub(super) fn is_field(&self, at: usize) -> bool {
        let word = self.word_end(at);
        word > at && self.byte(self.skip_space(word)) == Some(b'=')
    }

    /// The first offset at or after `at` whose byte is not accepted.
    pub(super) fn run(&self, at: usize, accept: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + rest
            .iter()
            .position(|byte| !accept(*byte))
            .unwrap_or(rest.len())
    }

    /// The next `@` at or after `at`.
    pub(super) fn next_at(&self, at: usize) -> Option<usize> {
        self.text.get(at..)?.find('@').map(|offset| at + offset)
    }

    /// What stands behind this `@`; `None` when it is not a name.
    pub(super) fn head(&self, at: usize) -> Option<Head<'a>> {
        let kind_start = self.skip_space(at + 1);
        let kind_end = self.word_end(kind_start);
        if kind_end == kind_start {
            return None;
        }
        let open = self.skip_space(kind_end);
        let open = matches!(self.byte(open), Some(b'{' | b'(')).then_some(open);
        Some(Head {
            at,
            kind_start,
            kind: self.slice(kind_start, kind_end),
            open,
        })
    }

    /// Tells whether only blanks stand between the start of the line, or a closing bracket, and this offset.
    pub(super) fn is_entry_position(&self, at: usize) -> bool {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let last = before
            .iter()
            .rev()
            .find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(last, None | Some(b'\n' | b'\r' | b'}' | b')'))
    }

    /// The next `@` at or after `at` and before `end` that can only be the beginning of an entry.
    pub(super) fn entry_start(&self, at: usize, end: usize) -> Option<usize> {
        let mut from = at;
        while let Some(next) = self.next_at_before(from, end) {
            if self.is_entry_position(next)
                && self
                    .head(next)
                    .is_some_and(|head| head.open.is_some() && self.has_key(&head, end))
            {
                return Some(next);
            }
            from = next + 1;
        }
        None
    }

    fn next_at_before(&self, from: usize, end: usize) -> Option<usize> {
        self.text
            .get(from..end)?
            .find('@')
            .map(|offset| from + offset)
    }

    /// Tells whether a key, or a macro's name, and the right sign follow the bracket before `limit`.
    fn has_key(&self, head: &Head<'_>, limit: usize) -> bool {
        let Some(open) = head.open else { return false };
        let close = if self.byte(open) == Some(b'(') {
            b')'
        } else {
            b'}'
        };
        let key = self.skip_space(open + 1);
        let kind = head.kind;
        let is_string = kind.eq_ignore_ascii_case("string");
        let end = if is_string {
            self.word_end(key)
        } else {
            self.key_end(key, close)
        };
        let sign = self.skip_space(end);
        if kind.eq_ignore_ascii_case("comment") || kind.eq_ignore_ascii_case("preamble") {
            return true;
        }
        let wanted = if is_string { b'=' } else { b',' };
        sign < limit && self.byte(sign) == Some(wanted)
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte > b' '
        && byte != 0x7F
        && !matches!(
            byte,
            b'"' | b'#' | b'%' | b'\'' | b'(' | b')' | b',' | b'=' | b'{' | b'}' | b'@'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

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
