//! Pages of text from what `pdftotext -bbox-layout` writes: XHTML with pages, blocks, lines and words, in reading order.
//!
//! A page is read as soon as it is there, so memory holds one page of XML, whatever the PDF holds.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};

use crate::pdf::LIMIT;
use crate::pdf::notes::{self, NOTE};

/// Bytes of XML that a page may take.
const PAGE: usize = 64 << 20;
/// Part of a line's size that raised signs have at most.
pub(crate) const RAISED: f64 = 0.9;
/// By which part the sizes of the lines of one block differ at most.
const SIZES: f64 = 0.08;
/// Usual steps from line to line from which on a block ends.
const STEP: f64 = 1.25;
/// Sizes between a number and the title that it belongs to at most; from there on cells of a table are apart.
const CELL: f64 = 3.0;

/// Numbers in a margin from which on they are those of lines.
const NUMBERED: usize = 6;
/// Part of a page's width by which a block may reach beyond its column.
const GUTTER: f64 = 0.02;

/// A line of a page. Lengths are in points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) left: f64,
    pub(crate) right: f64,
    /// Distance from the page's upper edge.
    pub(crate) bottom: f64,
    /// Height of its letters.
    pub(crate) size: f64,
    /// Height of its first word.
    pub(crate) first: f64,
    /// Whether it begins a block.
    pub(crate) begins: bool,
}

/// Takes the output as it comes, and keeps only the text.
#[derive(Default)]
pub(crate) struct Blocks {
    /// What belongs to no finished page.
    rest: Vec<u8>,
    /// Bytes of it in which no page ends.
    looked: usize,
    text: String,
    pages: usize,
    long: bool,
}

impl Blocks {
    /// Takes the next piece.
    pub(crate) fn take(&mut self, piece: &[u8]) {
        const END: &[u8] = b"</page>";
        if self.long {
            return;
        }
        self.rest.extend_from_slice(piece);
        loop {
            let from = self.looked.saturating_sub(END.len());
            let unseen = self.rest.get(from..).unwrap_or_default();
            let Some(at) = unseen.windows(END.len()).position(|word| word == END) else {
                break;
            };
            let more = self.rest.split_off(from + at + END.len());
            let page = std::mem::replace(&mut self.rest, more);
            self.looked = 0;
            self.page(&String::from_utf8_lossy(&page));
        }
        self.looked = self.rest.len();
        self.long |= self.looked > PAGE || self.text.len() > LIMIT;
    }

    fn page(&mut self, xml: &str) {
        let Some((_, page)) = xml.split_once("<page ") else {
            return;
        };
        self.pages += 1;
        let raw = clean(&format!("<page {page}"));
        if let Ok(document) = Document::parse(&raw) {
            let (lines, raised) = lines(&document);
            write(&lines, &raised, &mut self.text);
        }
        self.text.push('\u{c}');
    }

    /// Whether there is more than [`LIMIT`] of text.
    pub(crate) const fn is_long(&self) -> bool {
        self.long
    }

    /// Pages, each ended by a form feed; `None` when there was none.
    pub(crate) fn text(self) -> Option<String> {
        (self.pages > 0).then_some(self.text)
    }
}

/// XML without the characters that XML cannot hold and poppler writes all the same.
pub(crate) fn clean(xml: &str) -> String {
    xml.replace(
        |letter: char| letter < ' ' && letter != '\n' || matches!(letter, '\u{fffe}' | '\u{ffff}'),
        " ",
    )
}

fn length(node: Node<'_, '_>, name: &str) -> f64 {
    let found = node.attribute(name).and_then(|text| text.parse().ok());
    found
        .filter(|length: &f64| length.is_finite())
        .unwrap_or(0.0)
}

/// The blocks of a page in reading order: where it has two columns the left one first, from one block that is wider than a column
/// to the next. Else poppler's order, which mixes up columns that are close to each other.
fn ordered<'a, 'b>(page: &'a Document<'b>) -> Vec<Node<'a, 'b>> {
    let mut blocks: Vec<Node<'a, 'b>> = page
        .descendants()
        .filter(|node| node.has_tag_name("block"))
        .collect();
    let edge = |name: &str, of: fn(f64, f64) -> f64, start| {
        blocks
            .iter()
            .map(|block| length(*block, name))
            .fold(start, of)
    };
    let (left, right) = (
        edge("xMin", f64::min, f64::INFINITY),
        edge("xMax", f64::max, f64::NEG_INFINITY),
    );
    let (middle, slack) = (f64::midpoint(left, right), GUTTER * (right - left));
    // 0 for the left column, 1 for the right one, 2 for what is wider.
    let side = |block: &Node<'_, '_>| {
        if length(*block, "xMax") <= middle + slack {
            0
        } else if length(*block, "xMin") >= middle - slack {
            1
        } else {
            2
        }
    };
    let mut words = [0; 3];
    for block in &blocks {
        if let Some(count) = words.get_mut(side(block)) {
            *count += block
                .descendants()
                .filter(|node| node.has_tag_name("word"))
                .count();
        }
    }
    let [one, other, wide] = words;
    if one.min(other) * 4 < one + other + wide {
        return blocks;
    }
    blocks.sort_by(|one, other| length(*one, "yMin").total_cmp(&length(*other, "yMin")));
    let mut out = Vec::with_capacity(blocks.len());
    let mut columns = [Vec::new(), Vec::new()];
    for block in blocks {
        if let Some(column) = columns.get_mut(side(&block)) {
            column.push(block);
        } else {
            out.extend(columns.iter_mut().flat_map(std::mem::take));
            out.push(block);
        }
    }
    out.extend(columns.into_iter().flatten());
    out
}

/// The lines of a page, and the raised signs that stand in or behind words, where footnotes are called.
fn lines(page: &Document<'_>) -> (Vec<Line>, BTreeSet<char>) {
    let mut out: Vec<Line> = Vec::new();
    let mut raised = BTreeSet::new();
    let mut block = None;
    let blocks = ordered(page);
    let numbers = line_numbers(page);
    let lines = blocks.iter().flat_map(Node::children);
    for node in lines.filter(|node| node.has_tag_name("line")) {
        let is_word =
            |word: &Node<'_, '_>| word.has_tag_name("word") && !numbers.contains(&word.id().get());
        let words = || node.children().filter(is_word);
        let height = |word: Node<'_, '_>| length(word, "yMax") - length(word, "yMin");
        let letters = |word: Node<'_, '_>| word.text().unwrap_or_default().chars().count();
        let longest = words().max_by_key(|word| letters(*word));
        let size = longest.map_or(0.0, height);
        let bottom = longest.map_or(0.0, |word| length(word, "yMax"));
        let mut text = String::new();
        for word in words() {
            let letters = word.text().unwrap_or_default();
            if height(word) < RAISED * size && length(word, "yMax") < bottom && !text.is_empty() {
                raised.extend(letters.chars().next());
            }
            if !text.is_empty() {
                text.push(' ');
            }
            push(&mut text, letters);
        }
        if text.trim().is_empty() {
            continue;
        }
        let own = node.parent().map(|block| block.id());
        let line = Line {
            text: text.trim().to_owned(),
            left: words().next().map_or(0.0, |word| length(word, "xMin")),
            right: words().next_back().map_or(0.0, |word| length(word, "xMax")),
            bottom,
            size,
            first: words().next().map_or(size, height),
            begins: own != block,
        };
        block = own;
        // A number that stands apart from its title.
        match out.last_mut() {
            Some(last) if is_one(last, &line) => {
                last.text.push(' ');
                last.text.push_str(&line.text);
                last.right = line.right;
                (last.size, last.bottom) = (line.size, line.bottom);
            }
            _ => out.push(line),
        }
    }
    (out, raised)
}

/// The words that number the lines of a manuscript: they stand beside all other text, and count upwards.
fn line_numbers(page: &Document<'_>) -> BTreeSet<u32> {
    let words = || page.descendants().filter(|node| node.has_tag_name("word"));
    let number = |word: Node<'_, '_>| word.text()?.parse::<u32>().ok();
    let text = || words().filter(|word| number(*word).is_none());
    let left = text()
        .map(|word| length(word, "xMin"))
        .fold(f64::INFINITY, f64::min);
    let right = text().map(|word| length(word, "xMax")).fold(0.0, f64::max);
    let beside = [
        words()
            .filter(|word| length(*word, "xMax") <= left)
            .collect(),
        words()
            .filter(|word| length(*word, "xMin") >= right)
            .collect::<Vec<_>>(),
    ];
    let mut found = BTreeSet::new();
    for mut margin in beside {
        margin.sort_by(|one, other| length(*one, "yMin").total_cmp(&length(*other, "yMin")));
        let counts: Vec<_> = margin.iter().filter_map(|word| number(*word)).collect();
        // The number of the page may stand above or below them.
        let pairs = || counts.iter().zip(counts.iter().skip(1));
        let upwards = pairs().filter(|(one, next)| (1..=10).contains(&next.saturating_sub(**one)));
        if counts.len() >= NUMBERED && upwards.count() + 3 >= counts.len() {
            found.extend(margin.iter().map(|word| word.id().get()));
        }
    }
    found
}

/// Whether `next` goes on on the line of `last`: poppler makes blocks of their own of what stands apart, as the number of a heading
/// and the parts of a running head.
fn is_one(last: &Line, next: &Line) -> bool {
    let number = last.text.len() <= 8 && !last.text.contains(' ');
    let same = (last.size - next.size).abs() <= SIZES * next.size;
    // The mark of a footnote is small and raised.
    let raised = number && last.size < RAISED * next.size;
    let level = if raised {
        0.0..RAISED * next.size
    } else {
        -0.3 * next.size..0.3 * next.size
    };
    (number || last.begins && next.begins && same)
        && level.contains(&(next.bottom - last.bottom))
        && (0.0..CELL * next.size).contains(&(next.left - last.right))
}

/// Appends letters: ligatures as their letters, what is no letter as a space.
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

/// Writes a page, with a blank line where a block ends, the size changes, or a step is larger than usual.
fn write(lines: &[Line], raised: &BTreeSet<char>, out: &mut String) {
    let steps = lines.iter().zip(lines.iter().skip(1));
    let mut usual: Vec<f64> = steps
        .map(|(one, next)| next.bottom - one.bottom)
        .filter(|step| *step > 0.0)
        .collect();
    usual.sort_by(f64::total_cmp);
    let middle = usual.get(usual.len().saturating_sub(1) / 2);
    let usual = middle.copied().unwrap_or(0.0);
    let notes = notes::notes(lines, raised);
    let mut last: Option<&Line> = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(last) = last {
            let step = line.bottom - last.bottom;
            let other = (last.size - line.size).abs() > SIZES * last.size.max(line.size);
            if line.begins || other || step <= 0.0 || step > STEP * usual {
                out.push('\n');
            }
        }
        if notes.contains(&at) {
            out.push(NOTE);
        }
        out.push_str(&line.text);
        out.push('\n');
        last = Some(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read when it comes in pieces of seven bytes.
    fn text(xml: &str) -> Option<String> {
        let mut blocks = Blocks::default();
        for piece in xml.as_bytes().chunks(7) {
            blocks.take(piece);
        }
        blocks.text()
    }

    /// A line: its left edge, its upper edge, its size, its words.
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
        let expected = "Head\n\n1 The <Title >\n\nOne fine\nline\n\nsmall\n\nfar\n\u{c}\u{c}";
        assert_eq!(text(&xml).as_deref(), Some(expected));
        assert_eq!(text("<doc>\n</doc>"), None);
        assert_eq!(
            text("<page a=\"1\"><line></page>").as_deref(),
            Some("\u{c}"),
            "a damaged page"
        );
    }

    proptest::proptest! {
        #[test]
        fn no_output_makes_it_panic(xml in "(<page a=\"1\">|</page>|<block>|</block>|<line xMin=\"-1e300\">|</line>|<word yMin=\"9\" yMax=\"NaN\">|<word yMax=\"7\">|1|\\*a|é|</word>|&|<){0,60}") {
            drop(text(&xml));
        }
    }
}
