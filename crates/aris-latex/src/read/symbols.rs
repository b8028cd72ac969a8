//! Control sequences that print one fixed text, and accent commands.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unicode_normalization::char::compose;

/// What a control sequence prints, where that is one fixed text: `α` for `alpha`.
pub fn symbol(name: &str) -> Option<&'static str> {
    static ALL: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
        let functions = functions().map(|name| (name, name));
        let tables = pairs(OPERATORS).chain(pairs(SYMBOLS));
        tables.chain(functions).collect()
    });
    ALL.get(name).copied()
}

/// The lines `WHAT [HOW]: NAMES` of a table, one entry for each name; those that begin with `#` are comments.
pub(super) fn entries(table: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once(':'));
    lines.flat_map(|(what, names)| {
        let (what, how) = what.split_once(' ').unwrap_or((what, ""));
        names.split_whitespace().map(move |name| (what, how, name))
    })
}

/// The lines of a table: a name and what it prints.
pub(super) fn pairs(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.lines().filter_map(|line| line.split_once(' '))
}

/// Binary operators and relations: set off by spaces when they stand between two operands in maths.
pub(super) const OPERATORS: &str = include_str!("operators.txt");

/// Function names: spaced from letters and digits around them.
pub(super) fn functions() -> impl Iterator<Item = &'static str> {
    include_str!("functions.txt").split_whitespace()
}

/// Everything else.
pub(super) const SYMBOLS: &str = include_str!("symbols.txt");

/// Prefixes and units (siunitx manual, tables 1 to 6).
pub(super) const UNITS: &str = include_str!("units.txt");

/// The first entries of [`UNITS`] are prefixes.
pub(super) const PREFIXES: usize = 25;

/// Accents and the combining marks that they are, as numbers of Unicode to the base of 16.
///
/// **Source**: L. Lamport, *LaTeX*, table 3.1; `inputenc`'s utf8 definitions.
pub(super) const ACCENTS: &str = include_str!("accents.txt");

/// The combining mark of an accent command: that of `\\"` for `"`.
pub fn accent(name: &str) -> Option<char> {
    let (_, mark) = pairs(ACCENTS).find(|(accent, _)| *accent == name)?;
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
