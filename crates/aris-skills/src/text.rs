//! A text as lines.

use std::borrow::Cow;
use std::ops::Range;

/// The text of a file. Lines are split at LF, one CR at the end of each is removed, and an empty rest after the last LF is not
/// a line.
///
/// Bytes that are not UTF-8 become U+FFFD, and one leading byte order mark is removed; flags record both.
#[derive(Clone, Debug, Default)]
pub struct Text {
    raw: String,
    /// Byte offset of each line's first byte.
    starts: Vec<usize>,
    had_bom: bool,
    was_utf8: bool,
}

impl Text {
    /// Decodes these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let after_mark = bytes.strip_prefix(b"\xEF\xBB\xBF");
        let read = String::from_utf8_lossy(after_mark.unwrap_or(bytes));
        // Only a replacement makes the result owned.
        let was_utf8 = matches!(read, Cow::Borrowed(_));
        let raw = read.into_owned();
        let ends = raw.match_indices('\n').map(|(end, _)| end + 1);
        let starts = std::iter::once(0).chain(ends);
        let starts = starts.filter(|start| *start < raw.len()).collect();
        Self {
            raw,
            starts,
            had_bom: after_mark.is_some(),
            was_utf8,
        }
    }

    /// The whole text, with the file's own line ends.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The text in this byte range; empty when the range is outside the text.
    pub fn part(&self, range: Range<usize>) -> &str {
        self.raw.get(range).unwrap_or_default()
    }

    /// The end of a line, by its number from 1.
    pub fn line_end(&self, number: usize) -> &'static str {
        match self.part(self.start(number)..self.start(number + 1)) {
            line if line.ends_with("\r\n") => "\r\n",
            _ => "\n",
        }
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether the text has no line.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// A line by its number from 1, without its end; empty outside the file.
    pub fn line(&self, number: usize) -> &str {
        let Some(start) = number.checked_sub(1).and_then(|at| self.starts.get(at)) else {
            return "";
        };
        let mut end = self.starts.get(number).copied().unwrap_or(self.raw.len());
        // Every rule reads every line, so this compares single bytes instead of patterns.
        for mark in [b'\n', b'\r'] {
            if end > *start && self.raw.as_bytes().get(end - 1) == Some(&mark) {
                end -= 1;
            }
        }
        self.raw.get(*start..end).unwrap_or_default()
    }

    /// All lines with their numbers from 1.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        (1..=self.len()).map(|number| (number, self.line(number)))
    }

    /// The lines from number `first` (from 1) to the end.
    pub fn lines_from(&self, first: usize) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        (first.max(1)..=self.len()).map(|number| (number, self.line(number)))
    }

    /// Byte offset in [`Text::raw`] at which a line starts; for a line after the last, the length of the text.
    pub fn start(&self, line: usize) -> usize {
        let start = line.checked_sub(1).and_then(|at| self.starts.get(at));
        start.copied().unwrap_or(self.raw.len())
    }

    /// Whether the file began with a byte order mark.
    pub fn had_bom(&self) -> bool {
        self.had_bom
    }

    /// Whether the file was valid UTF-8.
    pub fn was_utf8(&self) -> bool {
        self.was_utf8
    }

    /// Line and column of a byte of [`Text::raw`], both from 1, the column in characters.
    pub fn place(&self, byte_offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= byte_offset);
        let line = line.max(1);
        let start = self.start(line);
        // The end of the file belongs to its last line, even after a line feed.
        let bytes = self.raw.as_bytes();
        let ends = byte_offset > start && bytes.get(byte_offset - 1) == Some(&b'\n');
        let before = bytes.get(start..byte_offset.max(start) - usize::from(ends));
        (line, 1 + characters(before.unwrap_or_default()))
    }
}

/// The column from 1, in characters, of a byte of `line`.
pub fn column(line: &str, byte: usize) -> usize {
    1 + characters(line.as_bytes().get(..byte).unwrap_or(line.as_bytes()))
}

/// Number of characters that begin in these bytes of valid UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_end_at_line_feeds_and_lose_one_carriage_return() {
        for (bytes, expected) in [
            (&b""[..], &[][..]),
            (b"\n", &[""]),
            (b"a", &["a"]),
            (b"a\n", &["a"]),
            (b"a\r\nb\r\r\n\nc\rd", &["a", "b\r", "", "c\rd"]),
            (b"\xEF\xBB\xBFa\n\xFF\n", &["a", "\u{FFFD}"]),
        ] {
            let text = Text::new(bytes);
            let lines: Vec<&str> = text.lines().map(|(_, line)| line).collect();
            assert_eq!(lines, expected, "{bytes:?}");
            assert_eq!(text.len(), expected.len());
        }
        let text = Text::new(b"\xEF\xBB\xBF\xEF\xBB\xBFx\xFF");
        assert!(text.had_bom() && !text.was_utf8());
        assert_eq!(text.line(1), "\u{FEFF}x\u{FFFD}");
        assert_eq!((text.line(0), text.line(2)), ("", ""));
    }

    #[test]
    fn places_count_characters() {
        let text = Text::new("aé\n😀b\n".as_bytes());
        for (byte, place) in [
            (0, (1, 1)),
            (1, (1, 2)),
            (3, (1, 3)),
            (4, (2, 1)),
            (8, (2, 2)),
            (9, (2, 3)),
            (10, (2, 3)),
        ] {
            assert_eq!(text.place(byte), place, "{byte}");
        }
        assert_eq!(column("é😀b", 6), 3);
    }

    proptest! {
        #[test]
        fn every_byte_has_a_place_in_its_line(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let text = Text::new(&bytes);
            for (offset, _) in text.raw().char_indices() {
                let (line, col) = text.place(offset);
                prop_assert!(text.start(line) <= offset && offset < text.start(line + 1));
                let before = text.raw().get(text.start(line)..offset).unwrap();
                prop_assert_eq!(col, before.chars().count() + 1);
            }
            let all: usize = text.lines().map(|(number, _)| text.start(number + 1) - text.start(number)).sum();
            prop_assert_eq!(all, text.raw().len());
        }
    }
}
