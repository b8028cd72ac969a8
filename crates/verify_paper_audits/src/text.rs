//! Makes text from outside fit for messages: short, and without characters that terminals interpret.

use std::collections::BTreeMap;

use aris_contract::text::is_hidden;

/// Longest text from outside in a message or in evidence, in characters.
const MAX: usize = 200;

/// `text` cut to 200 characters, with control characters escaped.
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

/// Whether a terminal or browser may interpret the character in a line instead of showing it.
fn obeyed(character: char) -> bool {
    character.is_control() || is_hidden(character)
}

/// Each text once, with its count if it occurs several times: `2 a, b`.
pub(crate) fn tallied(texts: impl Iterator<Item = String>) -> String {
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

/// A whole line with such characters replaced and tabs as spaces; for people only.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if obeyed(c) => '\u{fffd}',
            c => c,
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
