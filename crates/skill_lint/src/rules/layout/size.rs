//! How long a text is.

/// Bytes of a text without CJK that make one token, on average. A rule of thumb, hence an estimate.
const BYTES_PER_TOKEN: usize = 4;

/// Estimated tokens of a text: one for each CJK code point, one for every four other bytes.
pub(crate) fn tokens(text: &str) -> usize {
    if text.is_ascii() {
        return text.len() / BYTES_PER_TOKEN;
    }
    let mut cjk = 0;
    let mut bytes = 0;
    for char in text.chars() {
        if is_cjk(char) {
            cjk += 1;
        } else {
            bytes += char.len_utf8();
        }
    }
    cjk + bytes / BYTES_PER_TOKEN
}

/// Han, kana, Hangul, and their punctuation and full-width forms.
fn is_cjk(char: char) -> bool {
    matches!(char,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{1b000}'..='\u{1b16f}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn tokens_are_estimated_by_script() {
        for (text, expected) in [
            ("", 0),
            ("abcdefgh", 2),
            ("研究", 2),
            ("研究abcd", 3),
            ("éé", 1),
            ("かな한글。", 5),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }
}
