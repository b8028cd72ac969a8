//! Control sequences that print one fixed text, and accent commands.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unicode_normalization::char::compose;

/// The text that names print, from the lines `WHAT NAME TEXT` of a table.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    include_str!("names.txt").lines().filter_map(|line| {
        let (what, rest) = line.split_once(' ')?;
        let (name, text) = rest.split_once(' ')?;
        Some((what, name, text))
    })
}

/// The table's text for a name of the kind `what`.
pub(super) fn text_of(what: &str, name: &str) -> Option<&'static str> {
    static ALL: LazyLock<BTreeMap<(&str, &str), &str>> = LazyLock::new(|| {
        let all = names().map(|(what, name, text)| ((what, name), text));
        all.collect()
    });
    ALL.get(&(what, name)).copied()
}

/// The fixed text that a control sequence prints: `α` for `alpha`. `None` if it prints no fixed text.
pub fn symbol(name: &str) -> Option<&'static str> {
    let kinds = ["symbol", "sign", "function"];
    kinds.iter().find_map(|what| text_of(what, name))
}

/// The combining mark of an accent command, by its name without backslash: U+0308 for `"`.
pub fn accent(name: &str) -> Option<char> {
    let mark = text_of("accent", name)?;
    char::from_u32(u32::from_str_radix(mark, 16).ok()?)
}

/// The lines `WHAT [HOW]: NAMES` of a table; those that begin with `#` are comments.
pub(super) fn entries(table: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once(':'));
    lines.map(|(what, names)| {
        let (what, how) = what.split_once(' ').unwrap_or((what, ""));
        (what, how, names)
    })
}

/// The text of an accent over `base`, which may be empty or longer than a character.
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
    let mark = self::accent(accent);
    let composed = mark.and_then(|mark| compose(first, mark));
    let letter = composed.map_or([Some(first), mark], |letter| [Some(letter), None]);
    letter.into_iter().flatten().chain(rest.chars()).collect()
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
