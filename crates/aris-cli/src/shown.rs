//! Makes text from outside safe for a terminal: characters that move the cursor, change the title or reverse the direction of text are
//! written as `\u001b`.
//!
//! This is also JSON's escape, so a line of JSON keeps its meaning.

use std::borrow::Cow;

use aris_contract::text::is_hidden;

/// The escape sequences that [`Style`](crate::Style) writes.
const OURS: [&str; 7] = ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[36m"];

/// `bytes` made safe for a terminal. With `colour`, our own escape sequences stay. Bytes that are not UTF-8 stay.
pub(crate) fn shown(bytes: &[u8], colour: bool) -> Cow<'_, [u8]> {
    let harmless = |byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if bytes.iter().all(harmless) {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid();
        for (at, sign) in text.char_indices() {
            let after = text.get(at + sign.len_utf8()..).unwrap_or_default();
            let kept = match sign {
                '\r' => after.starts_with('\n'),
                '\u{1b}' => colour && OURS.iter().any(|ours| after.starts_with(ours)),
                other => !is_hidden(other),
            };
            if kept {
                out.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(sign)).as_bytes());
            }
        }
        out.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        let text = "a\u{1b}]0;t\u{7}b\u{9b}2J\u{202e}c\r\nd\re\u{7f}\u{1b}[8mf\u{1b}[1mg";
        let plain = String::from_utf8(shown(text.as_bytes(), false).into_owned()).expect("UTF-8");
        assert_eq!(
            plain,
            "a\\u001b]0;t\\u0007b\\u009b2J\\u202ec\r\nd\\u000de\\u007f\\u001b[8mf\\u001b[1mg"
        );
        let coloured = String::from_utf8(shown(text.as_bytes(), true).into_owned()).expect("UTF-8");
        assert!(coloured.ends_with("\\u001b[8mf\u{1b}[1mg"), "{coloured}");
        assert_eq!(*shown(b"\xff\x80 \xc3\xa9", false), *b"\xff\x80 \xc3\xa9");
        assert!(matches!(shown(b"plain\ttext\n", false), Cow::Borrowed(_)));
    }

    #[test]
    fn every_sequence_of_our_own_is_known() {
        let style = Style::coloured();
        for text in [
            style.bold("x"),
            style.bad("x"),
            style.doubtful("x"),
            style.good("x"),
            style.dim("x"),
        ] {
            assert_eq!(*shown(text.as_bytes(), true), *text.as_bytes(), "{text:?}");
            assert!(!shown(text.as_bytes(), false).contains(&0x1b));
        }
    }

    #[test]
    fn json_means_what_it_meant() {
        let value = serde_json::json!({"title": "a\u{9b}b\u{202e}c\u{7f}é\u{1b}"});
        let line = value.to_string();
        let printed = shown(line.as_bytes(), false);
        assert!(printed.is_ascii() || !String::from_utf8_lossy(&printed).contains('\u{202e}'));
        let read: serde_json::Value = serde_json::from_slice(&printed).expect("JSON");
        assert_eq!(read, value);
    }
}
