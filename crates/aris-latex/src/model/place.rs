//! Where something stands in the sources.

use std::sync::Arc;

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
    /// Byte offset at which each line begins; the first is 0.
    lines: Vec<usize>,
}

impl SourceFile {
    /// Indexes the lines of `text`.
    pub fn new(path: impl Into<String>, text: Arc<str>) -> Self {
        let lines = std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|(_, b)| *b == b'\n')
                    .map(|(at, _)| at + 1),
            )
            .collect();
        Self {
            path: path.into(),
            text,
            lines,
        }
    }

    /// Line and column (both from 1, the column in characters) of a byte offset. An offset beyond the end
    /// gives the end; one inside a character gives that character.
    pub(crate) fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let column = self
            .text
            .get(start..offset)
            .map_or(0, |before| before.chars().count())
            + 1;
        (line, column)
    }

    /// The text of a line (from 1) without its line end; empty when there is no such line.
    pub fn line(&self, line: usize) -> &str {
        let Some(start) = line.checked_sub(1).and_then(|at| self.lines.get(at)) else {
            return "";
        };
        let end = self.lines.get(line).copied().unwrap_or(self.text.len());
        self.text
            .get(*start..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r'])
    }
}
