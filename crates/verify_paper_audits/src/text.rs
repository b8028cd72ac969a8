//! Foreign text made fit for messages: short, and without characters that a terminal obeys.

use std::collections::BTreeMap;

/// Characters kept of a foreign text in a message or in evidence.
const MAX: usize = 200;

/// `text` cut after 200 characters, with control characters written as escapes.
pub(crate) fn short(text: &str) -> String {
    let mut out = String::new();
    for (at, character) in text.chars().enumerate() {
        if at == MAX {
            out.push('…');
            break;
        }
        if obeyed(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}

/// Whether a terminal or browser may act on the character instead of showing it: controls, and the marks that change the
/// direction of text (Unicode 16, UAX #9: U+202A–202E, U+2066–2069, U+200E, U+200F, U+061C).
pub(crate) fn obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Each text once, with how often it occurs: `2 a, b`.
pub(crate) fn counted(texts: impl Iterator<Item = String>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let each = counts.into_iter().map(|(text, count)| match count {
        1 => text,
        count => format!("{count} {text}"),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// A whole line with obeyed characters replaced, tabs as spaces; for people only.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c == '\t' {
                ' '
            } else if obeyed(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_terminal_obeys_remains() {
        assert_eq!(short("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(short(&"é".repeat(500)).chars().count(), MAX + 1);
        assert_eq!(clean("a\tb\u{202e}c"), "a b\u{fffd}c");
    }
}
