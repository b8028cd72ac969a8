//! The text of a PDF from the words and their boxes that `pdftotext -raw -bbox` of poppler writes, in the order in which they are drawn.
//!
//! Its plain output sorts the blocks of a page by a guess that mixes up the columns of papers, and does not show where a caption ends.

use crate::pdf::built_in::LIMIT;
use crate::pdf::layout::{Page, Place};

/// Bytes of a line that are looked at; what is longer is no word.
const LINE: usize = 1 << 16;

/// Takes the output as it comes, and keeps only the text.
#[derive(Default)]
pub(crate) struct Boxes {
    /// The line that has begun.
    line: Vec<u8>,
    page: Option<Page>,
    pages: String,
    found: bool,
    long: bool,
}

impl Boxes {
    /// Takes the next piece.
    pub(crate) fn take(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE.saturating_sub(self.line.len());
            self.line
                .extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.read(String::from_utf8_lossy(&line).trim());
            }
        }
    }

    fn read(&mut self, line: &str) {
        if line.starts_with("<page") {
            self.found = true;
            self.page = Some(Page::default());
        } else if line == "</page>" {
            if let Some(page) = self.page.take() {
                self.pages.push_str(&page.text());
                self.pages.push('\u{c}');
            }
        } else if let (Some(page), Some((letters, place))) = (&mut self.page, word(line)) {
            self.long |= self.pages.len() + page.bytes() > LIMIT;
            if !self.long {
                page.add(&letters, place);
            }
        }
    }

    /// Whether there is more than [`LIMIT`] of text.
    pub(crate) const fn is_long(&self) -> bool {
        self.long
    }

    /// Pages, each ended by a form feed; `None` when there was none.
    pub(crate) fn text(self) -> Option<String> {
        self.found.then_some(self.pages)
    }
}

/// `<word xMin="1.5" yMin="2" xMax="30" yMax="12">letters</word>`; `yMin` counts from the page's upper edge.
fn word(line: &str) -> Option<(String, Place)> {
    let line = line.strip_prefix("<word ")?.strip_suffix("</word>")?;
    let (attributes, letters) = line.split_once('>')?;
    let mut values = attributes.split('"').skip(1).step_by(2);
    let mut value = || values.next()?.parse::<f64>().ok();
    let (left, above, right, below) = (value()?, value()?, value()?, value()?);
    let (width, height) = (right - left, below - above);
    // Text that runs upwards stands in a high box.
    let upwards = height > 2.0 * width && letters.chars().nth(2).is_some();
    let place = Place {
        at: (left, -below),
        direction: if upwards { (0.0, 1.0) } else { (1.0, 0.0) },
        advance: if upwards { height } else { width },
        size: if upwards { width } else { height },
    };
    let mut plain = letters.to_owned();
    for (entity, letter) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ] {
        plain = plain.replace(entity, letter);
    }
    Some((plain, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read when it comes in pieces of seven bytes.
    fn text(xhtml: &str) -> Option<String> {
        let mut boxes = Boxes::default();
        for piece in xhtml.as_bytes().chunks(7) {
            boxes.take(piece);
        }
        boxes.text()
    }

    #[test]
    fn words_become_lines_and_blocks() {
        let word = |x: f64, y: f64, size: f64, letters: &str| {
            let right = x + 5.0 * size;
            let below = y + size;
            format!(
                "    <word xMin=\"{x}\" yMin=\"{y}\" xMax=\"{right}\" yMax=\"{below}\">{letters}</word>\n"
            )
        };
        let words = [
            word(50.0, 40.0, 8.0, "Head"),
            word(50.0, 60.0, 10.0, "One"),
            word(103.0, 60.0, 10.0, "&lt;two&gt;"),
            word(153.0, 59.0, 7.0, "2"),
            word(50.0, 72.0, 10.0, "three"),
            word(50.0, 84.0, 10.0, "four"),
            // A gap, then the next column.
            word(50.0, 110.0, 10.0, "five"),
            word(300.0, 60.0, 10.0, "six"),
        ]
        .concat();
        let stamp = "    <word xMin=\"10\" yMin=\"60\" xMax=\"20\" yMax=\"200\">stamp</word>\n";
        let xhtml = format!("<doc>\n  <page width=\"1\">\n{words}{stamp}  </page>\n</doc>\n");
        assert_eq!(
            text(&xhtml).as_deref(),
            Some("Head\n\nOne <two>2\nthree\nfour\n\nfive\n\nsix\n\nstamp\n\u{c}")
        );
        assert_eq!(text("Usage: pdftotext"), None);
    }

    #[test]
    fn a_text_without_end_takes_no_memory() {
        let mut boxes = Boxes::default();
        boxes.take(b"<page>\n");
        let word = format!(
            "<word x=\"1\" y=\"1\" X=\"2\" Y=\"2\">{}</word>\n",
            "a".repeat(60_000)
        );
        while !boxes.is_long() {
            boxes.take(word.as_bytes());
        }
        boxes.take(word.as_bytes());
        boxes.take(b"</page>\n");
        assert!(boxes.pages.len() < LIMIT + 100_000);
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut boxes = Boxes::default();
        for _ in 0..1000 {
            boxes.take(&[b'a'; 1000]);
        }
        assert_eq!(boxes.line.len(), LINE);
        boxes.take(b"\n<page>\n");
        assert!(boxes.line.is_empty() && boxes.found);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(<page>\n|</page>\n|<word xMin=\"1\" yMin=\"|\" xMax=\"2\" yMax=\"3\">a</word>\n|NaN|inf|[-0-9.\"<>a]|\n){0,60}") {
            drop(self::text(&text));
        }
    }
}
