//! Accent commands to Unicode.

use unicode_normalization::char::compose;

use super::pairs;

/// Accents and the combining marks that they are, as numbers of Unicode to the base of 16.
///
/// **Source**: L. Lamport, *LaTeX*, table 3.1; `inputenc`'s utf8 definitions.
pub(super) const MARKS: &str = include_str!("accents.txt");

/// The combining mark of an accent command: that of `\\"` for `"`.
pub fn accent(name: &str) -> Option<char> {
    let (_, mark) = pairs(MARKS).find(|(accent, _)| *accent == name)?;
    char::from_u32(u32::from_str_radix(mark, 16).ok()?)
}

/// The text of an accent over `base`, which may be empty or longer than a letter.
pub(crate) fn apply(accent: &str, base: &str) -> String {
    let mut letters = base.trim().chars();
    let Some(first) = letters.next() else {
        // An accent over nothing shows itself: `\~{}`, `\^{}`.
        let is_sign = matches!(accent, "~" | "^" | "`" | "'");
        return if is_sign { accent } else { "" }.to_owned();
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
