//! Splits text into lines with their byte ranges.

use std::ops::Range;

/// For each line, the byte range of its content and the range including its end (`\n` or `\r\n`).
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        (start..start + content.len(), start..at)
    })
}
