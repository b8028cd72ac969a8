//! Makes text of others safe to print.

/// `text` on one line of at most `limit` characters. Control characters, line separators, zero-width and bidirectional marks become spaces,
/// and runs of white space one space. A `…` follows where text is cut off.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut space = false;
    let mut count = 0;
    for letter in text.chars() {
        if letter.is_whitespace() || is_unprintable(letter) {
            space = !line.is_empty();
            continue;
        }
        let width = 1 + usize::from(space);
        if count + width > limit {
            line.push('…');
            break;
        }
        if std::mem::take(&mut space) {
            line.push(' ');
        }
        line.push(letter);
        count += width;
    }
    line
}

/// `file:line` on one line; only the file where there is no line.
pub fn place(file: &str, line: Option<u32>) -> String {
    let file = one_line(file, FILE);
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file,
    }
}

/// A path without a leading `./`.
pub(crate) fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// Longest path that is printed, in characters.
const FILE: usize = 200;

/// Whether a character could mislead a terminal or a reader: C0, C1, bidirectional marks, zero width.
fn is_unprintable(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// `text` for a comment on GitHub or GitLab: on one line, without mentions and without anything invisible.
///
/// A name after `@` would be notified; `<!--` would hide what follows, or look like one of our marks.
pub fn quiet(text: &str, limit: usize) -> String {
    let line = one_line(text, limit);
    let mut quiet = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '<' if letters.peek() == Some(&'!') => quiet.push_str("&lt;"),
            '@' if letters.peek().is_some_and(|next| next.is_alphanumeric()) => {
                quiet.push_str("@\u{200B}");
            }
            other => quiet.push(other),
        }
    }
    quiet
}

/// The letters and digits of a text in lower case, to compare texts without regard to line breaks, blanks and markup.
pub(crate) fn letters(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_on_its_line() {
        for (text, wanted) in [
            ("plain", "plain"),
            ("two\nverdict = approved", "two verdict = approved"),
            ("\u{1b}[31mred\u{1b}[0m", "[31mred [0m"),
            ("a\u{202E}b\u{2066}c", "a b c"),
            ("  a \t b  ", "a b"),
            ("a\rb\u{2028}c\u{0}d", "a b c d"),
        ] {
            assert_eq!(one_line(text, 100), wanted, "{text:?}");
        }
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("abc", 3), "abc");
    }

    #[test]
    fn a_comment_tells_nobody_and_hides_nothing() {
        for (text, wanted) in [
            ("ask @team/x", "ask @\u{200B}team/x"),
            ("a@b.org", "a@\u{200B}b.org"),
            ("@ alone @", "@ alone @"),
            (
                "<!-- aris:audit-claims fp=0 -->",
                "&lt;!-- aris:audit-claims fp=0 -->",
            ),
            ("<b>", "<b>"),
        ] {
            assert_eq!(quiet(text, 100), wanted);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_one_bounded_line(text in ".{0,200}", limit in 0_usize..50) {
            let line = one_line(&text, limit);
            proptest::prop_assert!(line.chars().count() <= limit + 1);
            proptest::prop_assert!(!line.chars().any(char::is_control));
            proptest::prop_assert_eq!(one_line(&line, 300), line);
        }
    }
}
