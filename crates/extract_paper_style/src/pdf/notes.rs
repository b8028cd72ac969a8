//! Finds the footnotes of a page.
//!
//! Only what cannot be anything else is a footnote: lines smaller than most of the page and below all other text in their column
//! (except the page's own foot) that begin with a mark. The mark is raised there, or where the text refers to it. Everything else
//! stays running text.

use std::collections::BTreeSet;

use crate::pdf::line::{Line, RAISED};

/// Largest size of a footnote, as a part of the text's size: 9 of 10 points, or 10 of 11.
const SMALL: f64 = 0.93;
/// Most bytes of a line in the page's foot that has the size of the text.
const FOOT: usize = 40;
/// Most lines of a page that are tried as footnotes; a page has fewer than ten.
const MOST: usize = 64;
/// Most bytes of a mark.
const MARK: usize = 8;
const SIGNS: [char; 7] = ['*', '∗', '⋆', '†', '‡', '§', '¶'];
const SUPERSCRIPTS: [char; 9] = ['¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Indices of the lines that are footnotes; `raised` holds the characters that are raised in the page's text.
pub(crate) fn notes(lines: &[Line], raised: &BTreeSet<char>) -> BTreeSet<usize> {
    let usual = usual_size(lines);
    let small = |line: &Line| line.size <= SMALL * usual;
    let begins = |line: &&Line| small(line) && begins_note(line, raised);
    let mut found = BTreeSet::new();
    for start in lines.iter().filter(begins).take(MOST) {
        let is_near = |line: &Line| line.left < start.right && start.left < line.right;
        let column = lines.iter().enumerate().filter(|(_, line)| is_near(line));
        let (above, below): (Vec<_>, Vec<_>) =
            column.partition(|(_, line)| line.bottom < start.bottom);
        let is_last = |line: &Line| {
            if small(line) {
                !is_caption(&line.text)
            } else {
                line.text.len() <= FOOT && line.bottom > start.bottom + 2.0 * start.size
            }
        };
        let is_below = above.iter().any(|(_, line)| !small(line));
        if is_below && below.iter().all(|(_, line)| is_last(line)) {
            let own = below.iter().filter(|(_, line)| small(line));
            found.extend(own.map(|(at, _)| *at));
        }
    }
    found
}

/// The size that most of the page's text has (the median by bytes).
fn usual_size(lines: &[Line]) -> f64 {
    let sizes = lines.iter().map(|line| (line.size, line.text.len()));
    let half = sizes.clone().map(|(_, length)| length).sum::<usize>() / 2;
    let mut sizes: Vec<_> = sizes.collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut below = 0;
    let middle = sizes.iter().find(|(_, length)| {
        below += length;
        below > half
    });
    middle.map_or(0.0, |(size, _)| *size)
}

/// Whether a line begins with a mark and words: `1 See`, `*Equal`. `1.` begins an item, `1,000` a number.
fn begins_note(line: &Line, raised: &BTreeSet<char>) -> bool {
    let is_mark = |letter: char| {
        letter.is_ascii_digit()
            || letter == ' '
            || SIGNS.contains(&letter)
            || SUPERSCRIPTS.contains(&letter)
    };
    let words = line.text.trim_start_matches(is_mark);
    let mark = line.text.chars().next().filter(|mark| is_mark(*mark));
    let is_called = line.first < RAISED * line.size
        || mark.is_some_and(|mark| raised.contains(&mark) || SUPERSCRIPTS.contains(&mark));
    let begins = words.starts_with(|letter: char| {
        letter.is_alphabetic() || matches!(letter, '“' | '"' | '(' | '[' | '‘')
    });
    let letters = words.chars().filter(|letter| letter.is_alphabetic());
    let is_short = mark.is_some() && line.text.len() - words.len() <= MARK;
    is_called && begins && is_short && letters.take(2).count() == 2 && !is_caption(words)
}

fn is_caption(text: &str) -> bool {
    ["Figure ", "Fig. ", "Table "]
        .iter()
        .any(|name| text.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line in a column of 200 points that begins at `x`; its first word has the size `first`.
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
