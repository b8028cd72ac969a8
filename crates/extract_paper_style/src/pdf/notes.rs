//! Which lines of a page are footnotes.
//!
//! Only what cannot be anything else is one: lines smaller than most of the page, below everything else in their column but the page's
//! own foot, that begin with a mark, which is raised or is raised where the text calls it. All else stays running text.

use std::collections::BTreeSet;

use crate::pdf::blocks::{Line, RAISED};

/// Stands before a line of a footnote in the text of a page; no other line holds a control character.
pub(crate) const NOTE: char = '\u{e}';

/// Part of the text's size that footnotes have at most: 9 of 10 points, or 10 of 11.
const SMALL: f64 = 0.93;
/// By which part the sizes of a note's lines differ at most.
const SAME: f64 = 0.08;
/// Sizes from one line of a note to the next at most.
const STEP: f64 = 1.7;
/// Sizes from the last note to the page's foot at least, lines that the foot has at most, and bytes of one in the text's size.
const FOOT: (f64, usize, usize) = (2.0, 2, 40);
/// Blocks of a page that are looked at; a page has less than ten footnotes.
const BLOCKS: usize = 64;
/// Digits of a mark at most.
const DIGITS: usize = 3;

/// The numbers of the lines that are footnotes; `raised` holds the signs that are raised in the page's text.
pub(crate) fn notes(lines: &[Line], raised: &BTreeSet<char>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let Some(usual) = usual_size(lines) else {
        return found;
    };
    let (mut at, mut blocks) = (0, 0);
    while let Some(line) = lines.get(at) {
        if line.size > SMALL * usual || !begins_note(line, raised) {
            at += 1;
            continue;
        }
        let end = at + block(lines.get(at..).unwrap_or_default(), raised);
        blocks += 1;
        if blocks > BLOCKS {
            break;
        }
        if is_foot(lines, at..end, usual) {
            found.extend(at..end);
        }
        at = end;
    }
    found
}

/// The size of most letters of the page.
fn usual_size(lines: &[Line]) -> Option<f64> {
    let mut sizes: Vec<(f64, usize)> = lines
        .iter()
        .map(|line| (line.size, line.text.len()))
        .collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = sizes.iter().map(|(_, length)| length).sum::<usize>() / 2;
    let mut below = 0;
    let middle = sizes.iter().find(|(_, length)| {
        below += length;
        below > half
    });
    middle.map(|(size, _)| *size)
}

/// Whether a line begins with a mark and words: `1 See`, `*Equal`.
fn begins_note(line: &Line, raised: &BTreeSet<char>) -> bool {
    let text = line.text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut letters = text.chars();
    let mark = letters.next();
    let superscript = matches!(
        mark,
        Some('¹' | '²' | '³' | '⁴' | '⁵' | '⁶' | '⁷' | '⁸' | '⁹')
    );
    let sign = matches!(mark, Some('*' | '∗' | '⋆' | '†' | '‡' | '§' | '¶'));
    let rest = if (1..=DIGITS).contains(&digits) {
        text.get(digits..).unwrap_or_default()
    } else if superscript || sign {
        letters.as_str()
    } else {
        return false;
    };
    let is_raised = superscript || line.first < RAISED * line.size;
    let is_called = mark.is_some_and(|mark| raised.contains(&mark));
    // `1.` begins an item, `1,000` a number.
    let words = rest.trim_start_matches(['*', '∗', '†', '‡', ' ']);
    let begins = words.starts_with(|letter: char| {
        letter.is_alphabetic() || matches!(letter, '“' | '"' | '(' | '[' | '‘')
    });
    let letters = words.chars().filter(|letter| letter.is_alphabetic());
    begins && letters.take(2).count() == 2 && (is_raised || is_called) && !is_caption(words)
}

fn is_caption(text: &str) -> bool {
    ["Figure ", "Fig. ", "Table "]
        .iter()
        .any(|name| text.starts_with(name))
}

/// How many lines go on in one size and column from the first one.
fn block(lines: &[Line], raised: &BTreeSet<char>) -> usize {
    let goes_on = |pair: &[Line]| {
        let [one, next] = pair else {
            return false;
        };
        let step = next.bottom - one.bottom;
        let same = (one.size - next.size).abs() <= SAME * one.size.max(next.size);
        let near = step > 0.0 && step <= STEP * one.size;
        let begins = step > 0.0 && begins_note(next, raised);
        same && (near || begins) && overlap(one, next) && !is_caption(&next.text)
    };
    1 + lines.windows(2).take_while(|pair| goes_on(pair)).count()
}

fn overlap(one: &Line, other: &Line) -> bool {
    one.left < other.right && other.left < one.right
}

/// Whether nothing but the page's foot stands below a block in its column, and the text above it.
fn is_foot(lines: &[Line], block: std::ops::Range<usize>, usual: f64) -> bool {
    let own = lines.get(block.clone()).unwrap_or_default();
    let (Some(first), Some(last)) = (own.first(), own.last()) else {
        return false;
    };
    let start = own
        .iter()
        .map(|line| line.left)
        .fold(f64::INFINITY, f64::min);
    let end = own
        .iter()
        .map(|line| line.right)
        .fold(f64::NEG_INFINITY, f64::max);
    let beside = |line: &Line| start < line.right && line.left < end;
    let (mut text_above, mut foot) = (false, 0);
    for (at, line) in lines.iter().enumerate() {
        if block.contains(&at) || !beside(line) {
            continue;
        }
        if line.bottom < first.bottom {
            text_above |= line.size > SMALL * usual;
        } else if line.bottom - last.bottom >= FOOT.0 * last.size
            && (line.size <= SMALL * usual || line.text.len() <= FOOT.2)
        {
            foot += 1;
        } else {
            return false;
        }
    }
    text_above && foot <= FOOT.1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line in a column of 200 points that begins at `x`; its first letter has the size `first`.
    fn line(x: f64, y: f64, size: f64, first: f64, text: &str) -> Line {
        Line {
            text: text.to_owned(),
            left: x,
            right: x + 200.0,
            bottom: -y,
            size,
            first,
            begins: false,
        }
    }

    fn found(lines: &[Line], raised: &str) -> Vec<usize> {
        notes(lines, &raised.chars().collect())
            .into_iter()
            .collect()
    }

    /// Two columns of text, the first with lines at its foot.
    fn page(foot: &[Line]) -> Vec<Line> {
        let text = "Gadgets were long thought to be green by all of us";
        let column = |x: f64, count: u32| {
            (0..count).map(move |row| line(x, 700.0 - 12.0 * f64::from(row), 10.0, 10.0, text))
        };
        column(50.0, 20)
            .chain(foot.iter().cloned())
            .chain(column(300.0, 50))
            .collect()
    }

    #[test]
    fn notes_at_the_foot_of_a_column_are_found() {
        let foot = [
            line(50.0, 120.0, 8.0, 6.0, "1See the book."),
            line(50.0, 111.0, 8.0, 8.0, "It is long."),
            line(50.0, 99.0, 8.0, 6.0, "∗ Equal contribution"),
            line(150.0, 40.0, 10.0, 10.0, "7"),
        ];
        assert_eq!(found(&page(&foot), ""), [20, 21, 22]);
        let plain = [line(50.0, 120.0, 8.0, 8.0, "1 See the book.")];
        assert_eq!(found(&page(&plain), "1"), [20]);
    }

    #[test]
    fn what_may_be_something_else_stays() {
        let note = || line(50.0, 120.0, 8.0, 6.0, "1 See the book.");
        for (foot, why) in [
            (
                vec![line(50.0, 120.0, 8.0, 8.0, "1 See the book.")],
                "a mark that is not raised",
            ),
            (
                vec![line(50.0, 120.0, 8.0, 6.0, "1. See the book.")],
                "an item",
            ),
            (
                vec![line(50.0, 120.0, 8.0, 6.0, "See the book.")],
                "no mark",
            ),
            (
                vec![line(50.0, 120.0, 8.0, 6.0, "1 2 3 4")],
                "ticks of an axis",
            ),
            (
                vec![line(50.0, 120.0, 10.0, 7.0, "2H gadgets wobble")],
                "the size of the text",
            ),
            (
                vec![note(), line(50.0, 108.0, 10.0, 10.0, "Text below.")],
                "text below",
            ),
            (
                vec![note(), line(50.0, 111.0, 8.0, 8.0, "Figure 1: A gadget.")],
                "a caption below",
            ),
        ] {
            assert_eq!(found(&page(&foot), ""), [] as [usize; 0], "{why}");
        }
        assert_eq!(found(&[note()], ""), [] as [usize; 0], "no text above");
        assert_eq!(found(&[], ""), [] as [usize; 0]);
    }

    proptest::proptest! {
        #[test]
        fn no_lines_make_it_panic(lines in proptest::collection::vec((proptest::num::f64::ANY, proptest::num::f64::ANY, proptest::num::f64::ANY, "(1|\\*|¹|¶)?[a .é]{0,4}"), 0..40)) {
            let lines: Vec<Line> = lines.iter().map(|(x, y, size, text)| line(*x, *y, *size, size / 2.0, text)).collect();
            let found = notes(&lines, &BTreeSet::new());
            proptest::prop_assert!(found.iter().all(|at| *at < lines.len()));
        }
    }
}
