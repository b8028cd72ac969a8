//! Where something stands in the sources.

use std::sync::{Arc, OnceLock};

/// A byte position in one of [`Document::files`](crate::Document::files).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index into [`Document::files`](crate::Document::files).
    pub file: usize,
    /// Byte offset in that file's text, always on a character boundary.
    pub offset: usize,
}

/// A position as an editor shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Path as handed to the [`Loader`](crate::Loader), relative to the paper directory.
    pub path: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1, in characters.
    pub column: usize,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.path, self.line, self.column)
    }
}

/// One file that was read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path as handed to the loader: '/'-separated, relative to the paper directory, normalised.
    pub path: String,
    /// The whole text.
    pub text: Arc<str>,
    /// Made when a position is asked for first; a reader of the text alone needs none.
    index: OnceLock<Index>,
}

/// Where lines and characters are.
#[derive(Clone, Debug)]
struct Index {
    /// Byte offset at which each line begins; the first is 0.
    lines: Vec<usize>,
    /// Number of characters before each block of `BLOCK` bytes: columns in a paper of one long line cost no walk along it.
    chars: Vec<usize>,
}

impl Index {
    fn of(text: &str) -> Self {
        let lines = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let mut before = 0;
        let count = |block: &[u8]| {
            let known = before;
            before += block.iter().filter(|byte| begins(**byte)).count();
            known
        };
        let mut chars: Vec<usize> = text.as_bytes().chunks(BLOCK).map(count).collect();
        // The end of a text that fills its last block.
        chars.push(before);
        Self { lines, chars }
    }
}

/// Bytes between two known character counts.
const BLOCK: usize = 1024;

/// Whether a byte of UTF-8 begins a character.
const fn begins(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

impl SourceFile {
    /// A file with its text.
    pub fn new(path: impl Into<String>, text: Arc<str>) -> Self {
        Self {
            path: path.into(),
            text,
            index: OnceLock::new(),
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(&self.text))
    }

    /// Line and column (both from 1, the column in characters) of a byte offset. An offset beyond the end
    /// gives the end; one inside a character gives that character.
    pub(crate) fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self
            .index()
            .lines
            .partition_point(|start| *start <= offset)
            .max(1);
        let start = self.index().lines.get(line - 1).copied().unwrap_or(0);
        let column = self.chars_before(offset) - self.chars_before(start) + 1;
        (line, column)
    }

    /// Characters that begin before a byte offset within the text.
    fn chars_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let known = self.index().chars.get(block).copied().unwrap_or(0);
        let rest = self.text.as_bytes().get(block * BLOCK..offset);
        known
            + rest
                .unwrap_or(&[])
                .iter()
                .filter(|byte| begins(**byte))
                .count()
    }

    /// The line around a byte offset, trimmed, at most `max` characters of it around the offset, cut with `…`.
    pub(crate) fn quote(&self, offset: usize, max: usize) -> String {
        let (line, _) = self.line_column(offset);
        let whole = self.line(line);
        let text = whole.trim();
        if text.char_indices().nth(max).is_none() {
            return text.to_owned();
        }
        let start = self.index().lines.get(line - 1).copied().unwrap_or(0);
        let at = offset.saturating_sub(start + (whole.len() - whole.trim_start().len()));
        let at = text.floor_char_boundary(at.min(text.len()));
        let back = |from: usize, count: usize| {
            let before = text.get(..from).unwrap_or("").char_indices();
            before.rev().take(count).last().map_or(from, |(at, _)| at)
        };
        let from = back(at, max / 2).min(back(text.len(), max));
        let rest = text.get(from..).unwrap_or("");
        let cut = rest.char_indices().nth(max);
        let middle = cut.map_or(rest, |(to, _)| rest.get(..to).unwrap_or(""));
        let before = if from > 0 { "…" } else { "" };
        let after = if cut.is_some() { "…" } else { "" };
        format!("{before}{}{after}", middle.trim())
    }

    /// The text of a line (from 1) without its line end; empty when there is no such line.
    pub fn line(&self, line: usize) -> &str {
        let Some(start) = line
            .checked_sub(1)
            .and_then(|at| self.index().lines.get(at))
        else {
            return "";
        };
        let end = self
            .index()
            .lines
            .get(line)
            .copied()
            .unwrap_or(self.text.len());
        self.text
            .get(*start..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_quotes_in_one_long_line_are_those_of_a_walk_along_it() {
        let text: String = (0..30_000)
            .map(|n| if n % 7 == 0 { "é日x" } else { "ab c" })
            .collect();
        let text = format!("first\n  {text}\nlast");
        let file = SourceFile::new("a.tex", Arc::from(text.as_str()));
        let line = file.line(2).trim();
        for (at, _) in text.char_indices().step_by(997) {
            let before = text.get(..at).expect("in bounds");
            let line_start = before.rsplit('\n').next().unwrap_or(before);
            let column = line_start.chars().count() + 1;
            assert_eq!(file.line_column(at).1, column, "{at}");
            let quote = file.quote(at, 40);
            let middle = quote.trim_matches('…');
            assert!(
                file.line_column(at).0 != 2 || line.contains(middle),
                "{at}: {quote}"
            );
            assert!(middle.chars().count() <= 40, "{at}: {quote}");
        }
        let near = text.find("日").expect("there");
        assert!(file.quote(near, 9).contains('日'));
    }

    #[test]
    fn the_end_of_a_text_of_whole_blocks_has_its_column() {
        for length in [0, 1, 1023, 1024, 1025, 2048, 4096] {
            let file = SourceFile::new("a.tex", Arc::from("a".repeat(length)));
            assert_eq!(file.line_column(length), (1, length + 1));
            assert_eq!(file.line_column(length + 5), (1, length + 1));
        }
    }
}
