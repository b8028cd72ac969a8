//! Text in terminal cells; some characters take two cells.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Width in cells of a column of ids: that of the longest, at most a third of a line.
pub(super) fn width_of<'a>(ids: impl Iterator<Item = &'a str>, columns: usize) -> usize {
    ids.map(str::width).max().unwrap_or(0).min(columns / 3)
}

/// A text on one line in at most `cells` cells. If it is too long, it ends in `…`; control characters become blanks.
pub(super) fn cut(text: &str, cells: usize) -> String {
    let mut fitting = String::new();
    let mut used = 0;
    for char in text.chars() {
        let char = if char.is_control() { ' ' } else { char };
        let width = char.width().unwrap_or(0);
        if used + width > cells {
            // `…` replaces the last characters, which may be two cells wide.
            while used + 1 > cells {
                let Some(last) = fitting.pop() else {
                    return fitting;
                };
                used -= last.width().unwrap_or(0);
            }
            fitting.push('…');
            return fitting;
        }
        fitting.push(char);
        used += width;
    }
    fitting
}

/// A text in exactly `cells` cells.
pub(super) fn pad(text: &str, cells: usize) -> String {
    let mut text = cut(text, cells);
    let blanks = cells.saturating_sub(text.width());
    text.extend(std::iter::repeat_n(' ', blanks));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_signs_are_never_halved() {
        for (text, cells, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("学習", 4, "学習"),
            ("学習", 3, "学…"),
            ("学習中", 4, "学…"),
            ("学", 1, "…"),
            ("a\tb\u{1b}c", 9, "a b c"),
            ("abc", 0, ""),
        ] {
            assert_eq!(cut(text, cells), expected, "{text} in {cells}");
        }
        assert_eq!(pad("学習中", 5), "学習…");
        assert_eq!(pad("学", 4), "学  ");
    }
}
