//! Code spans and links, block by block.
//!
//! A block is a run of lines in which a code span or a link may go on over the line end: it ends at a blank line, a fence, a
//! heading, a list item, a table row and a change of quoting.

use std::ops::Range;

use super::{Document, Fence, Link, LinkKind, Span, unquoted};
use crate::text::Text;

/// Longest block in lines: a paragraph longer than this is data, and is read in pieces.
const BLOCK_LIMIT: usize = 400;

/// Longest target or title in bytes: longer ones are data, and looking for their end from every bracket would take quadratic time.
const TARGET_LIMIT: usize = 2_000;

/// Reads the lines outside `fences` into `document`.
pub(super) fn read(text: &Text, first: usize, fences: &[Fence], document: &mut Document) {
    let mut block = Block::default();
    let mut fences = fences.iter().peekable();
    for (number, line) in text.lines_from(first) {
        while fences.next_if(|fence| fence.last < number).is_some() {}
        if fences.peek().is_some_and(|fence| fence.open <= number) {
            block.finish(text, document);
            continue;
        }
        let (depth, inner) = unquoted(line, usize::MAX);
        if inner.trim().is_empty() {
            block.finish(text, document);
            continue;
        }
        if depth != block.depth || starts_block(inner) || block.lines >= BLOCK_LIMIT {
            block.finish(text, document);
        }
        block.depth = depth;
        block.push(inner, text.start(number) + line.len() - inner.len());
        if is_alone(inner) {
            block.finish(text, document);
        }
    }
    block.finish(text, document);
}

/// Lines that end the block before them.
fn starts_block(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let ordered = digits.len() < line.len()
        && line.len() - digits.len() <= 9
        && (digits.starts_with(". ") || digits.starts_with(") "));
    ordered
        || line.starts_with(['#', '|'])
        || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// Lines that are a block of their own.
fn is_alone(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['#', '|']) || definition(line).is_some()
}

/// Lines of one block, joined with line feeds.
#[derive(Default)]
struct Block {
    joined: String,
    /// Offset in `joined` and the offset in the file that it stands for, one for each line.
    places: Vec<(usize, usize)>,
    depth: usize,
    lines: usize,
}

impl Block {
    fn push(&mut self, line: &str, start: usize) {
        if !self.joined.is_empty() {
            self.joined.push('\n');
        }
        self.places.push((self.joined.len(), start));
        self.joined.push_str(line);
        self.lines += 1;
    }

    /// The offset in the file of an offset in the joined text.
    fn offset(&self, at: usize) -> usize {
        let line = self.places.partition_point(|(joined, _)| *joined <= at);
        let place = line.checked_sub(1).and_then(|line| self.places.get(line));
        place.map_or(at, |(joined, file)| file + (at - joined))
    }

    fn range(&self, joined: &Range<usize>) -> Range<usize> {
        let start = self.offset(joined.start);
        start
            ..self.offset(joined.end.saturating_sub(1)).max(start) + usize::from(!joined.is_empty())
    }

    fn finish(&mut self, text: &Text, document: &mut Document) {
        if self.joined.contains(['`', '[']) {
            self.scan(text, document);
        }
        self.joined.clear();
        self.places.clear();
        self.lines = 0;
    }

    fn scan(&self, text: &Text, document: &mut Document) {
        if let Some((label, target)) = definition(&self.joined) {
            let place = text.place(self.offset(0));
            self.link(document, LinkKind::Definition, place, label, target);
            return;
        }
        let runs = Runs::of(&self.joined);
        let bytes = self.joined.as_bytes();
        // Opening brackets, with whether a `!` stands before them, and their place.
        let mut brackets: Vec<(usize, bool, (usize, usize))> = Vec::new();
        let mut cursor = Cursor::default();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 2,
                b'`' => {
                    let length = runs.length(at);
                    match runs.closing(at, length) {
                        Some(close) => {
                            let place = cursor.place(text, self.offset(at));
                            self.span(document, at..close + length, length, place);
                            at = close + length;
                        }
                        None => at += length,
                    }
                }
                b'[' => {
                    let image = at > 0
                        && bytes.get(at - 1) == Some(&b'!')
                        && (at < 2 || bytes.get(at - 2) != Some(&b'\\'));
                    brackets.push((at, image, cursor.place(text, self.offset(at))));
                    at += 1;
                }
                b']' => {
                    let opened = brackets.pop();
                    at += 1;
                    if let Some((open, image, (line, col))) = opened
                        && bytes.get(at) == Some(&b'(')
                        && let Some((target, end)) = target(&self.joined, at + 1)
                    {
                        let (kind, col) = if image {
                            (LinkKind::Image, col - 1)
                        } else {
                            (LinkKind::Inline, col)
                        };
                        self.link(document, kind, (line, col), open + 1..at - 1, target);
                        at = end;
                    }
                }
                _ => at += 1,
            }
        }
    }

    fn span(
        &self,
        document: &mut Document,
        joined: Range<usize>,
        marks: usize,
        (line, col): (usize, usize),
    ) {
        let inside = joined.start + marks..joined.end - marks;
        let content = self.joined.get(inside).unwrap_or_default();
        let range = self.range(&joined);
        document.spans.push(Span {
            line,
            col,
            range,
            text: content.replace('\n', " "),
        });
    }

    fn link(
        &self,
        document: &mut Document,
        kind: LinkKind,
        (line, col): (usize, usize),
        label: Range<usize>,
        target: Range<usize>,
    ) {
        let of = |range: &Range<usize>| {
            let text = self.joined.get(range.clone()).unwrap_or_default();
            text.replace('\n', " ")
        };
        document.links.push(Link {
            kind,
            text: of(&label),
            target: of(&target),
            line,
            col,
            target_range: self.range(&target),
        });
    }
}

/// Places of offsets that only grow: each character of a long line is counted once.
#[derive(Default)]
struct Cursor {
    offset: usize,
    line: usize,
    col: usize,
}

impl Cursor {
    fn place(&mut self, text: &Text, offset: usize) -> (usize, usize) {
        if self.line > 0 && offset < text.start(self.line + 1) {
            let between = text.raw().get(self.offset..offset).unwrap_or_default();
            self.col += between.chars().count();
        } else {
            (self.line, self.col) = text.place(offset);
        }
        self.offset = offset;
        (self.line, self.col)
    }
}

/// Runs of backticks of a block, by their start.
struct Runs {
    /// Start and length, in order.
    runs: Vec<(usize, usize)>,
    /// Length and starts, sorted: the same runs to find the next of a length.
    by_length: Vec<(usize, usize)>,
}

impl Runs {
    fn of(text: &str) -> Self {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (at, byte) in text.bytes().enumerate() {
            if byte == b'`' {
                match runs.last_mut() {
                    Some((start, length)) if *start + *length == at => *length += 1,
                    _ => runs.push((at, 1)),
                }
            }
        }
        let mut by_length: Vec<(usize, usize)> = runs
            .iter()
            .map(|(start, length)| (*length, *start))
            .collect();
        by_length.sort_unstable();
        Self { runs, by_length }
    }

    /// How many backticks stand from `at` to the end of its run: an escaped first one is no mark.
    fn length(&self, at: usize) -> usize {
        let after = self.runs.partition_point(|(start, _)| *start <= at);
        let run = after.checked_sub(1).and_then(|run| self.runs.get(run));
        run.map_or(1, |(start, length)| (start + length - at).max(1))
    }

    /// Start of the next run of exactly this length behind the one at `at`.
    fn closing(&self, at: usize, length: usize) -> Option<usize> {
        let from = (length, at + length);
        let next = self.by_length.partition_point(|run| *run < from);
        let (found, start) = self.by_length.get(next)?;
        (*found == length).then_some(*start)
    }
}

/// The target of an inline link whose `(` lies before `from`: its bytes, and the byte behind the `)`.
fn target(text: &str, from: usize) -> Option<(Range<usize>, usize)> {
    let bytes = text.as_bytes();
    let start = blank_end(bytes, from);
    let (range, after) = destination(bytes, start)?;
    let mut at = blank_end(bytes, after);
    if at > after
        && let Some(close) = bytes.get(at).and_then(|quote| match quote {
            b'"' | b'\'' => Some(*quote),
            b'(' => Some(b')'),
            _ => None,
        })
    {
        at += 1;
        let limit = at + TARGET_LIMIT;
        while at < limit && bytes.get(at).is_some_and(|byte| *byte != close) {
            at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
        }
        at = blank_end(bytes, at + 1);
    }
    (bytes.get(at) == Some(&b')')).then_some((range, at + 1))
}

/// A link target at `start`, `<…>` or without blanks and with balanced parentheses: its bytes, and the byte behind it.
fn destination(bytes: &[u8], start: usize) -> Option<(Range<usize>, usize)> {
    if bytes.get(start) == Some(&b'<') {
        let mut at = start + 1;
        loop {
            match bytes.get(at).filter(|_| at - start < TARGET_LIMIT)? {
                b'>' => return Some((start + 1..at, at + 1)),
                b'\n' | b'<' => return None,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        if at - start > TARGET_LIMIT {
            return None;
        }
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            0..=b' ' | 0x7F => break,
            _ => {}
        }
        at += 1;
    }
    let at = at.min(bytes.len());
    (depth == 0).then_some((start..at, at))
}

fn blank_end(bytes: &[u8], from: usize) -> usize {
    let blanks = bytes.iter().skip(from);
    from + blanks
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count()
}

/// A link definition alone on its line, `[label]: target "title"`: the bytes of label and target. Footnotes (`[^1]: …`) are none.
fn definition(text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let bytes = text.as_bytes();
    let open = blank_end(bytes, 0);
    if bytes.get(open) != Some(&b'[') || bytes.get(open + 1) == Some(&b'^') || open > 3 {
        return None;
    }
    let mut close = open + 1;
    loop {
        match bytes.get(close)? {
            b']' => break,
            b'[' | b'\n' => return None,
            b'\\' => close += 2,
            _ => close += 1,
        }
    }
    if bytes.get(close + 1) != Some(&b':') || close == open + 1 {
        return None;
    }
    let start = blank_end(bytes, close + 2);
    let (range, after) = destination(bytes, start)?;
    let rest = text.get(after..)?.trim();
    let title = rest.is_empty() || rest.starts_with(['"', '\'', '(']);
    (title && (!range.is_empty() || after > range.end)).then_some((open + 1..close, range))
}
