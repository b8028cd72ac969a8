//! What the checks of pages report before it becomes a finding.

use std::ops::Range;

use aris_skills::Text;
use aris_skills::text::column;

use crate::fix::Fix;

/// A fault in a Markdown file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) rule: &'static str,
    pub(super) line: usize,
    pub(super) col: usize,
    pub(super) message: String,
    /// Lines to put in the place of others.
    pub(super) repair: Option<(Span, Vec<String>)>,
}

impl Problem {
    pub(super) fn new(rule: &'static str, line: usize, col: usize, message: String) -> Self {
        Self {
            rule,
            line,
            col,
            message,
            repair: None,
        }
    }

    /// At a byte of a line.
    pub(super) fn at(
        text: &Text,
        rule: &'static str,
        line: usize,
        byte: usize,
        message: String,
    ) -> Self {
        Self::new(rule, line, column(text.line(line), byte), message)
    }
}

/// Whole lines of a file, as bytes, and how they end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    range: Range<usize>,
    end: &'static str,
}

impl Span {
    /// From one line to another, both included; nothing when the last lies before the first.
    pub(super) fn of(text: &Text, first: usize, last: usize) -> Self {
        let range = text.start(first)..text.start(last + 1);
        let before = text.raw().get(..range.start).unwrap_or_default();
        Self {
            end: if before.ends_with("\r\n") {
                "\r\n"
            } else {
                "\n"
            },
            range,
        }
    }

    /// The repair that puts these lines there.
    pub(super) fn replaced(&self, path: &str, lines: &[String]) -> Fix {
        let text: String = (lines.iter())
            .flat_map(|line| [line.as_str(), self.end])
            .collect();
        Fix::replace(path, self.range.clone(), text)
    }
}
