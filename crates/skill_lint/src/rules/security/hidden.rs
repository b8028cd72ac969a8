//! SR409: characters that nobody sees and that change what is read: direction controls, tags, zero-width spaces.
//!
//! **Source**: Unicode 17, chapters 23.2 and 23.9; UTS #51 for flags made of tags; CVE-2021-42574.

/// The first hidden character of each line that has one: byte offset, the character, and how many the line has.
pub(crate) fn find(text: &str) -> Vec<(usize, char, u64)> {
    let mut found: Vec<(usize, char, u64)> = Vec::new();
    if !may_hide(text.as_bytes()) {
        return found;
    }
    let mut on_this_line = false;
    // A black flag and the tags behind it are one emoji until the tag that ends it.
    let mut in_flag = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => on_this_line = false,
            '\u{1F3F4}' => {
                in_flag = true;
                continue;
            }
            '\u{E0020}'..='\u{E007E}' if in_flag => continue,
            '\u{E007F}' if in_flag => {}
            _ if is_hidden(c) => match found.last_mut() {
                Some(last) if on_this_line => last.2 += 1,
                _ => {
                    found.push((at, c, 1));
                    on_this_line = true;
                }
            },
            _ => {}
        }
        in_flag = false;
    }
    found
}

/// Whether a text has the first bytes of a hidden character: nearly all have none, and then no character needs a look.
fn may_hide(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte >= 0xE1) {
        match rest.get(at..at + 3) {
            Some(
                [0xE1, 0xA0, 0x8E]
                | [0xE2, 0x80, 0x8B | 0xAA..=0xAE]
                | [0xE2, 0x81, 0xA0 | 0xA6..=0xA9]
                | [0xF3, 0xA0, _],
            ) => return true,
            _ => rest = rest.get(at + 1..).unwrap_or_default(),
        }
    }
    false
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}'
        | '\u{E0000}'..='\u{E007F}'
        | '\u{200B}'
        | '\u{2060}'
        | '\u{180E}')
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
