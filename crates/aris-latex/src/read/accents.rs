//! Accent commands to Unicode.

use unicode_normalization::char::compose;

/// Accents and the combining marks that they are.
const MARKS: [(char, char); 17] = [
    ('`', '\u{300}'),
    ('\'', '\u{301}'),
    ('^', '\u{302}'),
    ('"', '\u{308}'),
    ('~', '\u{303}'),
    ('=', '\u{304}'),
    ('.', '\u{307}'),
    ('u', '\u{306}'),
    ('v', '\u{30c}'),
    ('H', '\u{30b}'),
    ('c', '\u{327}'),
    ('k', '\u{328}'),
    ('r', '\u{30a}'),
    ('d', '\u{323}'),
    ('b', '\u{331}'),
    ('t', '\u{361}'),
    ('G', '\u{30f}'),
];

/// The combining mark of an accent command: that of `\\"` for `"`.
///
/// **Source**: L. Lamport, *LaTeX*, table 3.1; `inputenc`'s utf8 definitions.
pub fn accent(name: &str) -> Option<char> {
    let mut letters = name.chars();
    let (first, rest) = (letters.next()?, letters.next());
    let mark = MARKS.iter().find(|(name, _)| *name == first);
    mark.filter(|_| rest.is_none()).map(|(_, mark)| *mark)
}

/// The text of an accent over `base`, which may be empty or longer than a letter.
pub(crate) fn apply(accent: char, base: &str) -> String {
    let mut letters = base.trim().chars();
    let Some(first) = letters.next() else {
        // An accent over nothing shows itself: `\~{}`, `\^{}`.
        return if matches!(accent, '~' | '^' | '`' | '\'') {
            accent.to_string()
        } else {
            String::new()
        };
    };
    let first = match first {
        'ı' if accent != '.' => 'i',
        'ȷ' => 'j',
        other => other,
    };
    let rest = letters.as_str();
    let mark = MARKS.iter().find(|(name, _)| *name == accent);
    let Some((_, mark)) = mark else {
        return format!("{first}{rest}");
    };
    match compose(first, *mark) {
        Some(letter) => format!("{letter}{rest}"),
        None => format!("{first}{mark}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents() {
        for (accent, base, expected) in [
            ('"', "u", "ü"),
            ('\'', "e", "é"),
            ('\'', "ı", "í"),
            ('c', "c", "ç"),
            ('v', "s", "š"),
            ('H', "o", "ő"),
            ('~', "", "~"),
            ('k', "O", "Ǫ"),
            ('.', "ı", "ı\u{307}"),
            ('^', "q", "q\u{302}"),
            ('d', "a", "ạ"),
            ('"', "", ""),
        ] {
            assert_eq!(apply(accent, base), expected);
        }
    }
}
