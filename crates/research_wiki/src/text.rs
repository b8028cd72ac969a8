//! Text for others to read: of pages as it may be shown: without what hides or turns other text, and escaped for its place.

use std::fmt::Write as _;

use aris_contract::text::is_hidden;

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
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                write!(out, "\\u{:04x}", u32::from(c)).unwrap_or_default();
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The first `count` characters, with an ellipsis where something is left out.
pub(crate) fn first(text: &str, count: usize) -> String {
    match text.char_indices().nth(count) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
    }
}

/// `text` as part of an address: everything but ASCII letters, digits and a few marks as `%XX`.
pub(crate) fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'(' | b')')
        {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap_or_default();
        }
    }
    out
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
