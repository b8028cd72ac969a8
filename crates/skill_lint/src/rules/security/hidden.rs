//! SR409: invisible characters that change what is read: direction controls, tags, zero-width spaces.
//!
//! **Source**: Unicode 17, chapters 23.2 and 23.9; UTS #51 for flags made of tags; CVE-2021-42574.

use aris_skills::pattern::{Pattern, compiled};

/// A flag emoji made of a black flag and tags up to the cancel tag; or, as the group, a hidden character.
static HIDDEN: Pattern = Pattern::new(|| {
    compiled(
        r"\x{1F3F4}[\x{E0020}-\x{E007E}]*\x{E007F}?|([\x{202A}-\x{202E}\x{2066}-\x{2069}\x{E0000}-\x{E007F}\x{200B}\x{2060}\x{180E}])",
    )
});

/// The first hidden character of each line that has one: byte offset, character, and number of hidden characters in the line.
pub(crate) fn find(text: &str) -> Vec<(usize, char, u64)> {
    let mut found: Vec<(usize, char, u64)> = Vec::new();
    let mut line_end = 0;
    let all = HIDDEN.captures_iter(text);
    for hidden in all.filter_map(|captures| captures.get(1)) {
        match found.last_mut() {
            Some(last) if hidden.start() < line_end => last.2 += 1,
            _ => {
                let rest = text.get(hidden.start()..).unwrap_or_default();
                line_end = hidden.start() + rest.find('\n').unwrap_or(rest.len());
                found.extend(rest.chars().next().map(|c| (hidden.start(), c, 1)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_found_once_a_line() {
        for (text, expected) in [
            ("plain", vec![]),
            ("é, 中文, \u{200D} joins 👩\u{200D}🔬, \u{FEFF}", vec![]),
            (
                "a\u{200B}b\u{2060}\nc\u{202E}",
                vec![(1, '\u{200B}', 2), (10, '\u{202E}', 1)],
            ),
            ("\u{180E}", vec![(0, '\u{180E}', 1)]),
            ("\u{2066}", vec![(0, '\u{2066}', 1)]),
            ("\u{E0041}", vec![(0, '\u{E0041}', 1)]),
            // The flag of Scotland.
            (
                "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
                vec![],
            ),
            ("🏴\u{E0067}\u{E007F}\u{E0041}", vec![(12, '\u{E0041}', 1)]),
            ("🏴 \u{E0067}", vec![(5, '\u{E0067}', 1)]),
        ] {
            assert_eq!(find(text), expected, "{text:?}");
        }
    }
}
