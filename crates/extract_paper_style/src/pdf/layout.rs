//! Lines of a page from letters and their places, in the order in which the page draws them: papers are drawn column by column.
//!
//! A blank line stands where a block ends: after a larger step than the page's usual one, after a step upwards (the next column, a
//! formula), and where the size or the direction of the letters changes.

use std::collections::BTreeSet;

use crate::pdf::notes::{self, NOTE};

/// Part of a letter's size that the space between two words has at least; TeX never shrinks one below a fifth, and moves letters
/// of a word apart by less than a tenth.
const SPACE: f64 = 0.12;
/// Sizes between two letters on one line from which on they belong to different cells or columns.
const CELL: f64 = 3.0;
/// Part of a letter's size by which indices are raised or lowered at most.
const RAISED: f64 = 0.5;
/// Part of a line's size that raised signs have at most.
pub(crate) const RAISED_SIZE: f64 = 0.9;
/// How far the letters before it a letter may stand back, in sizes: an accent, a struck letter.
const BACK: f64 = 1.0;
/// Usual steps from line to line from which on a block ends.
const STEP: f64 = 1.25;
/// By which part the sizes of the letters of one block differ at most.
pub(crate) const SIZES: f64 = 0.08;

/// Bytes that a line counts for beside its letters: two for line feeds, one for [`NOTE`], the rest because a line in memory is larger than they are.
const LINE: usize = 24;

/// Where a letter stands. Lengths are in one unit, whatever it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// Where it begins; the second number grows upwards.
    pub(crate) at: (f64, f64),
    /// Direction of its line, of length 1.
    pub(crate) direction: (f64, f64),
    /// From its beginning to that of the next letter.
    pub(crate) advance: f64,
    /// Height of its font.
    pub(crate) size: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) direction: (f64, f64),
    /// Distance of the line from the page's corner, growing upwards.
    pub(crate) across: f64,
    /// Where its first letter begins.
    pub(crate) start: f64,
    /// Where its last letter ends.
    pub(crate) end: f64,
    /// Of its largest letter.
    pub(crate) size: f64,
    /// Of its first letter.
    pub(crate) first: f64,
    /// Whether it follows on the line before it with a gap, as the next cell of a table.
    pub(crate) cell: bool,
}

/// A page while it is drawn.
#[derive(Default)]
pub(crate) struct Page {
    lines: Vec<Line>,
    /// Raised signs that stand in or behind words, where footnotes are called.
    raised: BTreeSet<char>,
    bytes: usize,
}

impl Page {
    /// Adds a letter, several that one sign stands for, or a word.
    pub(crate) fn add(&mut self, letters: &str, place: Place) {
        let (dx, dy) = place.direction;
        let (x, y) = place.at;
        let (along, across) = (x * dx + y * dy, y * dx - x * dy);
        let mut cell = false;
        let goes_on = self.lines.last_mut().filter(|line| {
            let size = line.size.max(place.size);
            let level = straight(line.direction, place.direction)
                && (across - line.across).abs() <= RAISED * size;
            let gap = along - line.end;
            cell = level && gap >= CELL * size;
            level && gap > -BACK * size && !cell
        });
        if let Some(line) = goes_on {
            if along - line.end > SPACE * place.size && !line.text.ends_with(' ') {
                line.text.push(' ');
                self.bytes += 1;
            }
            push(&mut line.text, letters, &mut self.bytes);
            if place.size < RAISED_SIZE * line.size && across > line.across {
                self.raised.extend(letters.chars().next());
            }
            // An index does not move the line.
            if place.size > line.size {
                (line.size, line.across) = (place.size, across);
            }
            line.end = along + place.advance;
        } else if !letters.trim().is_empty() {
            let mut text = String::new();
            push(&mut text, letters, &mut self.bytes);
            self.lines.push(Line {
                text,
                direction: place.direction,
                across,
                start: along,
                end: along + place.advance,
                size: place.size,
                first: place.size,
                cell,
            });
            self.bytes += LINE;
        }
    }

    /// Bytes that [`Page::text`] has at most; memory that the page takes is bounded by them, too.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The page's text.
    pub(crate) fn text(&self) -> String {
        let steps = self.lines.iter().zip(self.lines.iter().skip(1));
        let mut usual: Vec<f64> = steps
            .map(|(one, next)| one.across - next.across)
            .filter(|step| *step > 0.0)
            .collect();
        usual.sort_by(f64::total_cmp);
        let usual = usual
            .get(usual.len().saturating_sub(1) / 2)
            .copied()
            .unwrap_or(0.0);
        let mut out = String::with_capacity(self.bytes);
        let notes = notes::notes(&self.lines, &self.raised);
        let mut last: Option<&Line> = None;
        for (at, line) in self.lines.iter().enumerate() {
            if let Some(last) = last {
                let step = last.across - line.across;
                let other = (last.size - line.size).abs() > SIZES * last.size.max(line.size);
                let turned = !straight(last.direction, line.direction);
                if line.cell || other || turned || step <= 0.0 || step > STEP * usual {
                    out.push('\n');
                }
            }
            if notes.contains(&at) {
                out.push(NOTE);
            }
            out.push_str(line.text.trim());
            out.push('\n');
            last = Some(line);
        }
        out
    }
}

/// Whether two directions of length 1 are the same, within eight degrees.
pub(crate) fn straight(one: (f64, f64), other: (f64, f64)) -> bool {
    one.0 * other.0 + one.1 * other.1 > 0.99
}

/// Appends letters: ligatures as their letters, what is no letter as a space.
fn push(text: &mut String, letters: &str, bytes: &mut usize) {
    let before = text.len();
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
    *bytes += text.len() - before;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of text: x, y, size; letters advance by half a size.
    fn page(lines: &[(f64, f64, f64, &str)]) -> String {
        let mut page = Page::default();
        for (x, y, size, text) in lines {
            let mut x = *x;
            for letter in text.chars() {
                let advance = size / 2.0;
                let place = Place {
                    at: (x, *y),
                    direction: (1.0, 0.0),
                    advance,
                    size: *size,
                };
                // `_` is a gap without a letter, as TeX sets words.
                if letter != '_' {
                    page.add(&letter.to_string(), place);
                }
                x += advance;
            }
        }
        let text = page.text();
        assert!(text.len() <= page.bytes(), "{text}");
        text
    }

    #[test]
    fn letters_become_words_lines_and_blocks() {
        let lines = [
            (50.0, 700.0, 14.0, "1_Title"),
            (50.0, 680.0, 10.0, "one_two"),
            // An index, and what follows it.
            (85.0, 684.0, 7.0, "3"),
            (88.5, 680.0, 10.0, ",_four"),
            (50.0, 668.0, 10.0, "the \u{fb01}fth"),
            // A gap; the next cell; the next column.
            (50.0, 640.0, 10.0, "cell"),
            (120.0, 640.0, 10.0, "cell"),
            (300.0, 700.0, 10.0, "column"),
        ];
        assert_eq!(
            page(&lines),
            "1 Title\n\none two3, four\nthe fifth\n\ncell\n\ncell\n\ncolumn\n"
        );
        assert_eq!(page(&[]), "");
    }

    proptest::proptest! {
        #[test]
        fn no_places_make_it_panic(places in proptest::collection::vec((proptest::num::f64::ANY, proptest::num::f64::ANY, -2.0..2.0_f64, proptest::num::f64::ANY, "[a \u{fb03}\n\u{c}é]{0,3}"), 0..40)) {
            let mut page = Page::default();
            for (x, y, turn, size, letters) in places {
                let place = Place { at: (x, y), direction: (turn, 1.0), advance: size, size };
                page.add(&letters, place);
            }
            let text = page.text();
            proptest::prop_assert!(text.len() <= page.bytes());
            let page_ends = text.contains('\u{c}');
            proptest::prop_assert!(!page_ends);
        }
    }
}
