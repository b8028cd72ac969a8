//! Text of pages for readers: without characters that hide or reverse other text, and escaped for HTML, scripts and addresses.

use std::fmt::Write as _;

use aris_contract::text::is_hidden;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

/// `text` without control characters and bidirectional controls.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| !is_hidden(*c))
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect()
}

/// A text without generated blocks: those between comments with the same name that say `start` and `end`, or `begin` and `end`.
pub(crate) fn without_generated(text: &str) -> String {
    let mark = |line: &str| -> Option<(String, bool)> {
        let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
        let inner = inner.split('(').next()?.to_ascii_lowercase();
        let words = inner.split(|sign: char| !sign.is_alphanumeric());
        let (mut name, mut opens) = (Vec::new(), None);
        for word in words.filter(|word| !word.is_empty()) {
            match word {
                "start" | "begin" => opens = Some(true),
                "end" | "stop" => opens = Some(false),
                other => name.push(other),
            }
        }
        let ours = name.first() == Some(&"aris");
        Some((name.join(" "), opens.or(ours.then_some(true))?))
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some((name, true)) = mark(line) {
            let closes = |line: &&&str| mark(line) == Some((name.clone(), false));
            let rest = lines.get(at + 1..).unwrap_or_default();
            if let Some(length) = rest.iter().position(|line| closes(&line)) {
                at += length + 2;
                continue;
            }
        }
        kept.push(*line);
        at += 1;
    }
    kept.join("\n")
}

/// Appends `text`, escaped for HTML: between tags or in a quoted attribute.
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

/// `value` as JSON for a page's `<script>`: characters that are special in HTML or JavaScript are escaped.
pub(crate) fn script_json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_default();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                write!(out, "\\u{:04x}", u32::from(c)).unwrap_or_default();
            }
            c => out.push(c),
        }
    }
    out
}

/// `text` as part of a URL: everything except ASCII letters, digits and a few marks is percent-encoded.
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
        let mut html = String::new();
        escape(&mut html, hostile);
        assert_eq!(
            html,
            "&lt;/script&gt;&lt;img onerror=&#39;x&#39; a=&quot;b&quot;&gt;&amp;evil\u{2028}"
        );
        let js = script_json(&hostile);
        assert!(!js.contains(['<', '>', '&', '\0', '\u{2028}']));
        let back: String = serde_json::from_str(&js).expect("JSON, too");
        assert_eq!(back, hostile);
    }
}
