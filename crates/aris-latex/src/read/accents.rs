//! Accent commands to Unicode.

/// Accent command, bases, results (same order).
const COMPOSED: [(char, &str, &str); 13] = [
    ('`', "AEIOUaeiouNnWwYy", "ÀÈÌÒÙàèìòùǸǹẀẁỲỳ"),
    (
        '\'',
        "AEIOUYaeiouyCcNnSsZzLlRrGgKkMmPpWw",
        "ÁÉÍÓÚÝáéíóúýĆćŃńŚśŹźĹĺŔŕǴǵḰḱḾḿṔṕẂẃ",
    ),
    (
        '^',
        "AEIOUaeiouCcGgHhJjSsWwYyZz",
        "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑ",
    ),
    ('"', "AEIOUYaeiouyHhWwXxt", "ÄËÏÖÜŸäëïöüÿḦḧẄẅẌẍẗ"),
    ('~', "ANOanoIiUuEeYyVv", "ÃÑÕãñõĨĩŨũẼẽỸỹṼṽ"),
    ('=', "AEIOUaeiouYyGg", "ĀĒĪŌŪāēīōūȲȳḠḡ"),
    (
        '.',
        "CcEeGgIZzAaOoBbDdFfHhMmNnPpRrSsTtWwXxYy",
        "ĊċĖėĠġİŻżȦȧȮȯḂḃḊḋḞḟḢḣṀṁṄṅṖṗṘṙṠṡṪṫẆẇẊẋẎẏ",
    ),
    ('u', "AEGIOUaegiou", "ĂĔĞĬŎŬăĕğĭŏŭ"),
    (
        'v',
        "CDENRSTZcdenrstzAaGgIiKkLlOoUuj",
        "ČĎĚŇŘŠŤŽčďěňřšťžǍǎǦǧǏǐǨǩĽľǑǒǓǔǰ",
    ),
    ('H', "OUou", "ŐŰőű"),
    ('c', "CcSsTtGKkLlNnRrEeDdHh", "ÇçŞşŢţĢĶķĻļŅņŖŗȨȩḐḑḨḩ"),
    ('k', "AEIUaeiuOo", "ĄĘĮŲąęįųǪǫ"),
    ('r', "AaUuwy", "ÅåŮůẘẙ"),
];

/// Accents whose command is followed by a base that Unicode only knows with a combining mark.
const COMBINING: [(char, char); 16] = [
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
];

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
    let composed =
        COMPOSED
            .iter()
            .find(|(name, ..)| *name == accent)
            .and_then(|(_, bases, results)| {
                bases
                    .chars()
                    .zip(results.chars())
                    .find(|(base, _)| *base == first)
                    .map(|(_, result)| result)
            });
    if let Some(letter) = composed {
        return format!("{letter}{rest}");
    }
    let mark = COMBINING
        .iter()
        .find(|(name, _)| *name == accent)
        .map(|(_, mark)| *mark);
    format!(
        "{first}{}{rest}",
        mark.map(String::from).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents() {
        for (name, bases, results) in COMPOSED {
            assert_eq!(bases.chars().count(), results.chars().count(), "{name}");
        }
        for (accent, base, expected) in [
            ('"', "u", "ü"),
            ('\'', "e", "é"),
            ('\'', "ı", "í"),
            ('c', "c", "ç"),
            ('v', "s", "š"),
            ('H', "o", "ő"),
            ('~', "", "~"),
            ('^', "q", "q\u{302}"),
            ('d', "a", "a\u{323}"),
            ('"', "", ""),
        ] {
            assert_eq!(apply(accent, base), expected);
        }
    }
}
