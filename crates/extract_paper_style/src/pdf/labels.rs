//! What stands before a title: `3.1`, `B.`, `Chapter 2`.

/// Signs that sections are numbered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Arabic,
    Roman,
    Letter,
}

/// What the word before a number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Part,
    Chapter,
    Appendix,
}

/// The word before a number, and what follows it: `3` of `Chapter 3`.
pub(crate) fn unnamed(text: &str) -> Option<(Named, &str)> {
    let (name, rest) = text.split_once(' ')?;
    let named = match name {
        "Part" | "PART" | "Teil" => Named::Part,
        "Chapter" | "CHAPTER" | "Section" | "SECTION" | "Kapitel" => Named::Chapter,
        "Appendix" | "APPENDIX" | "Anhang" => Named::Appendix,
        _ => return None,
    };
    Some((named, rest.trim_start()))
}

/// Whether a line says no more than `Chapter 3`.
pub(crate) fn is_label(line: &str) -> bool {
    named(line).is_some() && line.split_whitespace().nth(2).is_none()
}

/// The word before the number that a line begins with.
pub(crate) fn named(text: &str) -> Option<Named> {
    let (named, rest) = unnamed(text)?;
    let number = rest.split_whitespace().next()?;
    numbers(number.trim_end_matches(['.', ':'])).map(|_| named)
}

/// A title without the number before it, and without the word before that; the same when nothing is left.
pub(crate) fn unlabelled(title: &str) -> &str {
    let bare = unnamed(title).map_or(title, |(_, rest)| rest);
    let Some((number, rest)) = bare.split_once(char::is_whitespace) else {
        return title;
    };
    let number = number.trim_end_matches(['.', ':', ')']);
    let number = number.strip_prefix('§').unwrap_or(number);
    // Headings of standards have up to six numbers.
    let is_long = number.len() <= 24
        && number
            .starts_with(|letter: char| letter.is_ascii_digit() || letter.is_ascii_uppercase())
        && number.split('.').count() > 1
        && number
            .split('.')
            .skip(1)
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let rest = rest.trim_start_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, ':' | '.' | '—' | '–' | '-')
    });
    let is_number = is_long || numbers(number).is_some();
    if is_number && rest.contains(char::is_alphabetic) {
        rest
    } else {
        title
    }
}

/// `3`, `3.1`, `3.1.2`, `IV`, `B`, `B.1`.
pub(crate) fn numbers(text: &str) -> Option<(Kind, Vec<usize>)> {
    const ROMAN: [&str; 12] = [
        "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
    ];
    if let Some(at) = ROMAN.iter().position(|roman| *roman == text) {
        return Some((Kind::Roman, vec![at + 1]));
    }
    let mut kind = Kind::Arabic;
    let mut numbers = Vec::new();
    for (index, part) in text.split('.').enumerate() {
        let number = match part.as_bytes() {
            [letter @ b'A'..=b'Z'] if index == 0 => {
                kind = Kind::Letter;
                usize::from(letter - b'A') + 1
            }
            [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9'] => part.parse().ok()?,
            _ => return None,
        };
        numbers.push(number);
    }
    (numbers.len() <= 3).then_some((kind, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_titles_are_told_from_words() {
        for (title, expected) in [
            ("1 Introduction", "Introduction"),
            ("3.14.2.1 General", "General"),
            ("Appendix B: Proofs", "Proofs"),
            ("Chapter 2 – Method", "Method"),
            ("IV. Results", "Results"),
            ("A.1 Of Theorem 1", "Of Theorem 1"),
            ("Introduction", "Introduction"),
            ("Chapter 2", "Chapter 2"),
            ("3D Gadgets", "3D Gadgets"),
            ("12 3", "12 3"),
            ("", ""),
        ] {
            assert_eq!(unlabelled(title), expected);
        }
    }

    #[test]
    fn numbers_of_headings_are_read() {
        assert_eq!(numbers("3.1"), Some((Kind::Arabic, vec![3, 1])));
        assert_eq!(numbers("IV"), Some((Kind::Roman, vec![4])));
        assert_eq!(numbers("B.2"), Some((Kind::Letter, vec![2, 2])));
        for none in ["", "3.", "2020", "a", "1.2.3.4", "1.A", "+1"] {
            assert_eq!(numbers(none), None, "{none}");
        }
    }
}
