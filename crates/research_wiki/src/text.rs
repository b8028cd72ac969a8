//! Text for others to read: of pages as it may be shown: without what hides or turns other text, and escaped for its place.

use std::fmt::Write as _;

use aris_contract::text::is_hidden;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// `text` without control characters and without the characters that turn the direction of what follows them.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| !is_hidden(*c))
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect()
}

/// Appends `text` for HTML, between tags or in a quoted attribute.
pub(crate) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if is_hidden(c) => {}
            c => out.push(c),
        }
    }
}

/// Appends `text` as a JavaScript string that is also safe inside a page.
pub(crate) fn js_string(out: &mut String, text: &str) {
    let json = serde_json::Value::from(text).to_string();
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                write!(out, "\\u{:04x}", u32::from(c)).unwrap_or_default();
            }
            c => out.push(c),
        }
    }
}

/// `text` as part of an address: everything but ASCII letters, digits and a few marks as `%XX`.
pub(crate) fn percent(text: &str) -> String {
    const SIGNS: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'/')
        .remove(b':')
        .remove(b'(')
        .remove(b')');
    utf8_percent_encode(text, SIGNS).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hostile_gets_through() {
        let hostile = "</script><img onerror='x' a=\"b\">&\u{202e}evil\u{0}\u{2028}";
        assert!(!clean(hostile).contains(['\u{202e}', '\0']));
        let (mut html, mut js) = (String::new(), String::new());
        escape(&mut html, hostile);
        assert_eq!(
            html,
            "&lt;/script&gt;&lt;img onerror=&#39;x&#39; a=&quot;b&quot;&gt;&amp;evil\u{2028}"
        );
        js_string(&mut js, hostile);
        assert!(!js.contains(['<', '>', '&', '\0', '\u{2028}']));
        let back: String = serde_json::from_str(&js).expect("JSON, too");
        assert_eq!(back, hostile);
    }
}
