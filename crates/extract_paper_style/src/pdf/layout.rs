//! Pages of text from the output of `pdftotext -bbox-layout`: XHTML with pages, blocks, lines and words.
//!
//! Each page is read as soon as it is complete, so memory never holds more than one page of XML.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};

use crate::pdf::line::{Line, RAISED};
use crate::pdf::{LIMIT, notes};

/// Most bytes of XML of one page.
const PAGE: usize = 64 << 20;
/// Largest relative difference between the sizes of lines of one block.
const SIZES: f64 = 0.08;
/// A block ends where the step to the next line is larger than this many usual steps.
const STEP: f64 = 1.25;
/// Largest gap, in line sizes, between a number and its title. Cells of a table are further apart.
const CELL: f64 = 3.0;
/// Fewest numbers in a margin that are line numbers.
const NUMBERED: usize = 6;
/// Part of the page's width by which a block may reach beyond its column.
const GUTTER: f64 = 0.02;

/// The lines of a page, without footnotes and line numbers; an empty line marks the end of a block.
pub(crate) type Page = Vec<String>;

/// Collects the text from the output of `pdftotext` as it arrives.
#[derive(Default)]
pub(crate) struct Pages {
    /// The XML of the page in progress.
    rest: Vec<u8>,
    /// Bytes of text read so far.
    bytes: usize,
    pub(crate) read: Vec<Page>,
}

impl Pages {
    /// Takes the next piece of output.
    pub(crate) fn take(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if self.is_long() {
                return;
            }
            self.rest.extend_from_slice(part);
            if self.rest.trim_ascii_end().ends_with(b"</page>") {
                let xml = std::mem::take(&mut self.rest);
                let page = page(&String::from_utf8_lossy(&xml));
                self.bytes += page.iter().map(String::len).sum::<usize>();
                self.read.push(page);
            }
        }
    }

    /// Whether a page or the whole text is too long; see [`LIMIT`].
    pub(crate) fn is_long(&self) -> bool {
        self.rest.len() > PAGE || self.bytes > LIMIT
    }
}

/// The text of a page; no lines if its XML is damaged.
fn page(xml: &str) -> Page {
    let start = xml.find("<page ").unwrap_or(0);
    let xml = clean(xml.get(start..).unwrap_or_default());
    let document = Document::parse(&xml);
    document.map_or_else(|_| Page::new(), |page| text(&page))
}

/// Replaces the characters that XML forbids and poppler writes nevertheless.
pub(crate) fn clean(xml: &str) -> String {
    xml.replace(
        |letter: char| letter < ' ' && letter != '\n' || matches!(letter, '\u{fffe}' | '\u{ffff}'),
        " ",
    )
}

fn length(node: Node<'_, '_>, name: &str) -> f64 {
    let found = node.attribute(name).and_then(|text| text.parse().ok());
    let found = found.filter(|length: &f64| length.is_finite());
    found.unwrap_or(0.0)
}

fn height(word: Node<'_, '_>) -> f64 {
    length(word, "yMax") - length(word, "yMin")
}

/// The elements of this name.
fn all<'a, 'b>(page: &'a Document<'b>, name: &str) -> Vec<Node<'a, 'b>> {
    let found = page.descendants().filter(|node| node.has_tag_name(name));
    found.collect()
}

/// The lines of a block, each with its words.
type Block<'a, 'b> = Vec<Vec<Node<'a, 'b>>>;

/// Two columns: the x of the page's middle, how far a line may reach beyond it, and the gutter between the columns if lines on
/// both sides leave one.
struct Columns {
    middle: f64,
    slack: f64,
    gutter: Option<(f64, f64)>,
}

impl Columns {
    fn of(blocks: &[Block<'_, '_>], left: f64, right: f64) -> Self {
        let mut columns = Self {
            middle: f64::midpoint(left, right),
            slack: GUTTER * (right - left),
            gutter: None,
        };
        let (mut end, mut start) = (f64::NEG_INFINITY, f64::INFINITY);
        for line in blocks.iter().flatten() {
            match columns.side(line) {
                1 => end = end.max(reach(line).1),
                2 => start = start.min(reach(line).0),
                _ => {}
            }
        }
        columns.gutter = (end.is_finite() && end < start).then_some((end, start));
        columns
    }

    /// 0 for a line across both columns, 1 for the left column, 2 for the right one.
    fn side(&self, line: &[Node<'_, '_>]) -> usize {
        let (from, to) = reach(line);
        usize::from(to <= self.middle + self.slack)
            + 2 * usize::from(from >= self.middle - self.slack)
    }

    fn side_of_all(&self, block: &Block<'_, '_>) -> usize {
        block.iter().fold(3, |side, line| side & self.side(line))
    }

    /// Splits a block with lines of both columns, which poppler makes of close columns, into two; other blocks stay as they are.
    /// A line across both columns is split if it leaves the gutter free.
    fn parted<'a, 'b>(&self, block: &Block<'a, 'b>) -> Vec<Block<'a, 'b>> {
        let whole = || vec![block.clone()];
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for line in block {
            match (self.side(line), self.gutter) {
                (1, _) => one.push(line.clone()),
                (2, _) => other.push(line.clone()),
                (0, Some((end, start))) => {
                    let at = line.partition_point(|word| length(*word, "xMax") <= end + 1.0);
                    let (left, right) = line.split_at(at);
                    if left.is_empty() || right.is_empty() || reach(right).0 < start - 1.0 {
                        return whole();
                    }
                    one.push(left.to_vec());
                    other.push(right.to_vec());
                }
                _ => return whole(),
            }
        }
        if one.is_empty() || other.is_empty() {
            return whole();
        }
        vec![one, other]
    }
}

/// The leftmost and the rightmost x of words or blocks, in points.
fn reach(words: &[Node<'_, '_>]) -> (f64, f64) {
    let left = words.iter().map(|word| length(*word, "xMin"));
    let right = words.iter().map(|word| length(*word, "xMax"));
    (
        left.fold(f64::INFINITY, f64::min),
        right.fold(f64::NEG_INFINITY, f64::max),
    )
}

/// The blocks of a page in reading order. On a page with two columns the left one comes first, between one block across both
/// columns and the next. Other pages keep poppler's order.
fn ordered<'a, 'b>(page: &'a Document<'b>) -> Vec<Block<'a, 'b>> {
    let found = all(page, "block");
    let (left, right) = reach(&found);
    let named = |node: Node<'a, 'b>, name| {
        let children = node.children();
        children.filter(move |child: &Node<'a, 'b>| child.has_tag_name(name))
    };
    let lines = |block| named(block, "line").map(|line| named(line, "word").collect());
    let blocks = found.into_iter().map(|block| lines(block).collect());
    let blocks: Vec<Block<'a, 'b>> = blocks.collect();
    let columns = Columns::of(&blocks, left, right);
    let parted = blocks.iter().flat_map(|block| columns.parted(block));
    let mut parted: Vec<Block<'a, 'b>> = parted.collect();
    let words = |wanted: usize| -> usize {
        let own = parted
            .iter()
            .filter(|block| columns.side_of_all(block) == wanted);
        own.flatten().map(Vec::len).sum()
    };
    let [wide, one, other] = [0, 1, 2].map(words);
    if one.min(other) * 4 < one + other + wide {
        return blocks;
    }
    let top = |block: &Block<'_, '_>| {
        let tops = block.iter().flatten().map(|word| length(*word, "yMin"));
        tops.fold(f64::INFINITY, f64::min)
    };
    parted.sort_by(|one, other| top(one).total_cmp(&top(other)));
    let mut band = 0;
    let mut placed: Vec<_> = Vec::with_capacity(parted.len());
    for block in parted {
        let side = columns.side_of_all(&block);
        band += usize::from(side == 0);
        placed.push((band, side, block));
    }
    placed.sort_by_key(|(band, side, _)| (*band, *side));
    placed.into_iter().map(|(_, _, block)| block).collect()
}

/// Ids of the words that number the lines of a manuscript: they stand beside all other text and count upwards.
fn line_numbers(page: &Document<'_>) -> BTreeSet<u32> {
    let number = |word: &Node<'_, '_>| word.text()?.parse::<u32>().ok();
    let words = all(page, "word");
    let text = words.iter().filter(|word| number(word).is_none());
    let (left, right) = reach(&text.copied().collect::<Vec<_>>());
    let mut found = BTreeSet::new();
    for is_left in [true, false] {
        let beside = |word: &&Node<'_, '_>| {
            if is_left {
                length(**word, "xMax") <= left
            } else {
                length(**word, "xMin") >= right
            }
        };
        let mut margin: Vec<_> = words.iter().filter(beside).collect();
        margin.sort_by(|one, other| length(**one, "yMin").total_cmp(&length(**other, "yMin")));
        let counts: Vec<u32> = margin.iter().filter_map(|word| number(word)).collect();
        let steps = counts.iter().zip(counts.iter().skip(1));
        let upwards = steps.filter(|(one, next)| (1..=10).contains(&next.saturating_sub(**one)));
        // The page number may stand above or below them.
        if counts.len() >= NUMBERED && upwards.count() + 3 >= counts.len() {
            found.extend(margin.iter().map(|word| word.id().get()));
        }
    }
    found
}

/// The lines of a page, and the raised characters in or after words, which refer to footnotes.
fn lines(page: &Document<'_>) -> (Vec<Line>, BTreeSet<char>) {
    let mut out: Vec<Line> = Vec::new();
    let mut raised = BTreeSet::new();
    let numbers = line_numbers(page);
    for block in ordered(page) {
        let mut begins = true;
        for mut words in block {
            words.retain(|word| !numbers.contains(&word.id().get()));
            let letters = |word: &&Node<'_, '_>| word.text().unwrap_or_default().chars().count();
            let (Some(first), Some(last)) = (words.first(), words.last()) else {
                continue;
            };
            let longest = *words.iter().max_by_key(letters).unwrap_or(first);
            let (size, bottom) = (height(longest), length(longest, "yMax"));
            let mut text = String::new();
            for word in &words {
                let letters = word.text().unwrap_or_default();
                if height(*word) < RAISED * size
                    && length(*word, "yMax") < bottom
                    && !text.is_empty()
                {
                    raised.extend(letters.chars().next());
                }
                push(&mut text, letters);
                text.push(' ');
            }
            if text.trim().is_empty() {
                continue;
            }
            let line = Line {
                text: text.trim().to_owned(),
                left: length(*first, "xMin"),
                right: length(*last, "xMax"),
                bottom,
                size,
                first: height(*first),
                begins: std::mem::take(&mut begins),
            };
            match out.last_mut() {
                Some(last) if is_one(last, &line) => {
                    last.text.extend([" ", &line.text]);
                    (last.right, last.bottom, last.size) = (line.right, line.bottom, line.size);
                }
                _ => out.push(line),
            }
        }
    }
    (out, raised)
}

/// Whether `next` continues the printed line of `last`: poppler makes separate blocks of parts with a gap between them, such as
/// the number of a heading or the parts of a running head.
fn is_one(last: &Line, next: &Line) -> bool {
    let number = last.text.len() <= 8 && !last.text.contains(' ');
    let same = (last.size - next.size).abs() <= SIZES * next.size;
    // The mark of a footnote is small and raised.
    let level = if number && last.size < RAISED * next.size {
        0.0..RAISED * next.size
    } else {
        -0.3 * next.size..0.3 * next.size
    };
    (number || last.begins && next.begins && same)
        && level.contains(&(next.bottom - last.bottom))
        && (0.0..CELL * next.size).contains(&(next.left - last.right))
}

/// Appends characters: ligatures as letters, control characters and white space as spaces.
fn push(text: &mut String, letters: &str) {
    for letter in letters.chars() {
        match letter {
            '\u{fb00}' => text.push_str("ff"),
            '\u{fb01}' => text.push_str("fi"),
            '\u{fb02}' => text.push_str("fl"),
            '\u{fb03}' => text.push_str("ffi"),
            '\u{fb04}' => text.push_str("ffl"),
            _ if letter.is_control() || letter.is_whitespace() => text.push(' '),
            _ => text.push(letter),
        }
    }
}

/// The text of a page, with an empty line where a block ends, the size changes, or the step is larger than usual.
fn text(page: &Document<'_>) -> Page {
    let (lines, raised) = lines(page);
    let steps = lines.iter().zip(lines.iter().skip(1));
    let steps = steps.map(|(one, next)| next.bottom - one.bottom);
    let mut steps: Vec<f64> = steps.filter(|step| *step > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len().saturating_sub(1) / 2);
    let usual = usual.copied().unwrap_or(0.0);
    let notes = notes::notes(&lines, &raised);
    let mut out = Page::new();
    let mut last: Option<Line> = None;
    for (_, line) in (0..).zip(lines).filter(|(at, _)| !notes.contains(at)) {
        if let Some(last) = last {
            let step = line.bottom - last.bottom;
            let other = (last.size - line.size).abs() > SIZES * last.size.max(line.size);
            if line.begins || other || step <= 0.0 || step > STEP * usual {
                out.push(String::new());
            }
        }
        out.push(line.text.clone());
        last = Some(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads XML in pieces of seven bytes; the lines of a page are separated by `|`.
    fn text(xml: &str) -> Vec<String> {
        let mut pages = Pages::default();
        for piece in xml.as_bytes().chunks(7) {
            pages.take(piece);
        }
        pages.read.iter().map(|page| page.join("|")).collect()
    }

    /// The XML of a line from its left edge, upper edge, size and words.
    fn line(left: f64, top: f64, size: f64, words: &str) -> String {
        let mut out = String::new();
        let mut x = left;
        for word in words.split(' ') {
            let right = x + 0.5 * size * f64::from(u32::try_from(word.len()).unwrap_or(0));
            let below = top + size;
            let word = format!(
                "<word xMin=\"{x}\" yMin=\"{top}\" xMax=\"{right}\" yMax=\"{below}\">{word}</word>\n"
            );
            out.push_str(&word);
            x = right + 0.3 * size;
        }
        format!(
            "<line xMin=\"{left}\" yMin=\"{top}\" xMax=\"{x}\" yMax=\"{}\">\n{out}</line>\n",
            top + size
        )
    }

    #[test]
    fn words_become_lines_and_blocks() {
        let block = |lines: &[String]| format!("<block xMin=\"0\">\n{}</block>\n", lines.concat());
        let page = [
            block(&[line(50.0, 20.0, 8.0, "Head")]),
            block(&[line(50.0, 60.0, 12.0, "1")]),
            block(&[line(70.0, 60.0, 12.0, "The &lt;Title\u{1}&gt;")]),
            block(&[
                line(50.0, 90.0, 10.0, "One \u{fb01}ne"),
                line(50.0, 102.0, 10.0, "line"),
                line(50.0, 114.0, 8.0, "small"),
                line(50.0, 150.0, 8.0, "far"),
            ]),
        ];
        let xml = format!(
            "<doc>\n<page width=\"1\">\n<flow>\n{}</flow>\n</page>\n<page width=\"1\">\n</page>\n</doc>\n",
            page.concat()
        );
        let expected = "Head||1 The <Title >||One fine|line||small||far";
        assert_eq!(text(&xml), [expected, ""]);
        assert_eq!(text("<doc>\n</doc>"), [""; 0]);
        assert_eq!(text("<page a=\"1\"><line></page>"), [""], "a damaged page");
    }

    #[test]
    fn a_block_of_lines_of_two_columns_is_parted() {
        let block = |lines: &[String]| {
            let right = if lines.len() > 2 { 560.0 } else { 290.0 };
            format!(
                "<block xMin=\"50\" xMax=\"{right}\">\n{}</block>\n",
                lines.concat()
            )
        };
        let own = |left: f64, top: f64, name: &str| {
            line(
                left,
                top,
                10.0,
                &format!("{name} takes one whole line, or most of it"),
            )
        };
        // One line across both columns.
        let both = |top: f64, one: &str, other: &str| {
            let (one, other) = (own(50.0, top, one), own(310.0, top, other));
            let one = one.trim_end().trim_end_matches("</line>");
            let other = other.split_once('\n').map_or("", |(_, words)| words);
            format!("{one}{other}")
        };
        let page = [
            block(&[own(50.0, 100.0, "a"), own(50.0, 112.0, "b")]),
            block(&[
                own(310.0, 100.0, "d"),
                own(310.0, 112.0, "e"),
                both(124.0, "c", "f"),
            ]),
        ];
        let xml = format!("<page width=\"1\">\n{}</page>\n", page.concat());
        let read = text(&xml).concat();
        let first = read.split('|').filter(|line| !line.is_empty());
        let first: String = first.filter_map(|line| line.chars().next()).collect();
        assert_eq!(first, "abcdef");
    }

    proptest::proptest! {
        #[test]
        fn no_output_makes_it_panic(xml in "(<page a=\"1\">|</page>\n|<block>|</block>|<line xMin=\"-1e300\">|</line>|<word yMin=\"9\" yMax=\"NaN\">|<word yMax=\"7\">|1|\\*a|é|</word>|&|<){0,60}") {
            drop(text(&xml));
        }
    }
}
