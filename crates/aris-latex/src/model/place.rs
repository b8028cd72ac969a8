//! Where something stands in the sources.

use std::sync::{Arc, OnceLock};

/// A byte position in one of [`Document::files`](crate::Document::files).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index into [`Document::files`](crate::Document::files).
    pub file: usize,
    /// Byte offset in that file's text, always on a character boundary.
    pub offset: usize,
}

impl Place {
    pub(crate) const fn new(file: usize, offset: usize) -> Self {
        Self { file, offset }
    }
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
    /// Built when a position is first asked for.
    steps: OnceLock<Vec<Step>>,
}

/// Byte offset, line and column of where a line begins. A long line has further steps, so that finding a column never walks all
/// of it.
type Step = (usize, usize, usize);

/// Bytes between two steps of a line; a few less where that would split a character.
const STRIDE: usize = 1024;

fn steps(text: &str) -> Vec<Step> {
    let (mut steps, mut offset) = (Vec::new(), 0);
    for (before, line) in text.split('\n').enumerate() {
        let (mut rest, line, mut column) = (line, before + 1, 1);
        loop {
            steps.push((offset, line, column));
            let (stride, more) = rest.split_at(rest.floor_char_boundary(STRIDE));
            offset += stride.len();
            if more.is_empty() {
                break;
            }
            column += stride.chars().count();
            rest = more;
        }
        offset += 1;
    }
    steps
}

impl SourceFile {
    /// A file with its text.
    pub fn new(path: impl Into<String>, text: Arc<str>) -> Self {
        Self {
            path: path.into(),
            text,
            steps: OnceLock::new(),
        }
    }

    fn steps(&self) -> &[Step] {
        self.steps.get_or_init(|| steps(&self.text))
    }

    /// Line and column (both from 1, the column in characters) of a byte offset. An offset beyond the end
    /// gives the end; one inside a character gives that character.
    pub(crate) fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let behind = self.steps().partition_point(|(start, ..)| *start <= offset);
        let step = self.steps().get(behind.saturating_sub(1));
        step.map_or((1, 1), |(start, line, column)| {
            let between = self.text.get(*start..offset).unwrap_or("");
            (*line, column + between.chars().count())
        })
    }

    /// Where a line begins.
    fn begin(&self, line: usize) -> Option<usize> {
        let first = self.steps().partition_point(|(_, at, _)| *at < line);
        let (start, at, _) = self.steps().get(first)?;
        (*at == line).then_some(*start)
    }

    /// The line around a byte offset, trimmed, at most `max` characters of it around the offset, cut with `…`.
    pub(crate) fn quote(&self, offset: usize, max: usize) -> String {
        let (line, _) = self.line_column(offset);
        let whole = self.line(line);
        let text = whole.trim();
        if text.char_indices().nth(max).is_none() {
            return text.to_owned();
        }
        let start = self.begin(line).unwrap_or(0);
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
        let rest = self.begin(line).and_then(|start| self.text.get(start..));
        let line = rest.and_then(|rest| rest.split('\n').next());
        line.unwrap_or("").trim_end_matches('\r')
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
