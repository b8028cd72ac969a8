//! Accent commands to Unicode.

use unicode_normalization::char::compose;

/// Accents and the combining marks that they are.
pub(super) const MARKS: [(&str, char); 17] = [
    ("`", '\u{300}'),
    ("'", '\u{301}'),
    ("^", '\u{302}'),
    ("\"", '\u{308}'),
    ("~", '\u{303}'),
    ("=", '\u{304}'),
    (".", '\u{307}'),
    ("u", '\u{306}'),
    ("v", '\u{30c}'),
    ("H", '\u{30b}'),
    ("c", '\u{327}'),
    ("k", '\u{328}'),
    ("r", '\u{30a}'),
    ("d", '\u{323}'),
    ("b", '\u{331}'),
    ("t", '\u{361}'),
    ("G", '\u{30f}'),
];

/// The combining mark of an accent command: that of `\\"` for `"`.
///
/// **Source**: L. Lamport, *LaTeX*, table 3.1; `inputenc`'s utf8 definitions.
pub fn accent(name: &str) -> Option<char> {
    let mark = MARKS.iter().find(|(accent, _)| *accent == name)?;
    Some(mark.1)
}

/// The text of an accent over `base`, which may be empty or longer than a letter.
pub(crate) fn apply(accent: &str, base: &str) -> String {
    let mut letters = base.trim().chars();
    let Some(first) = letters.next() else {
        // An accent over nothing shows itself: `\~{}`, `\^{}`.
        return if matches!(accent, "~" | "^" | "`" | "'") {
            accent.to_string()
        } else {
            String::new()
        };
    };
    let first = match first {
        'ı' if accent != "." => 'i',
        'ȷ' => 'j',
        other => other,
    };
    let rest = letters.as_str();
    let Some(mark) = self::accent(accent) else {
        return format!("{first}{rest}");
    };
    match compose(first, mark) {
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
            ("\"", "u", "ü"),
            ("'", "e", "é"),
            ("'", "ı", "í"),
            ("c", "c", "ç"),
            ("v", "s", "š"),
            ("H", "o", "ő"),
            ("~", "", "~"),
            ("k", "O", "Ǫ"),
            (".", "ı", "ı\u{307}"),
            ("^", "q", "q\u{302}"),
            ("d", "a", "ạ"),
            ("\"", "", ""),
        ] {
            assert_eq!(apply(accent, base), expected);
        }
    }
}
