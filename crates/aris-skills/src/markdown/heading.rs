//! Headings and the fragments that links can name.

use std::collections::{BTreeMap, BTreeSet};

use super::{Document, Fence};
use crate::text::Text;

/// A heading: `#` to `######` in front of the text, or a line under it of `=` or `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its line, for the underlined form that of the text.
    pub line: usize,
    /// 1 to 6.
    pub level: usize,
    /// Its text, without marks.
    pub text: String,
    /// The fragment that forges give it, numbered when an earlier heading has the same.
    pub anchor: String,
}

/// Headings and anchors of the lines outside `fences`.
pub(super) fn read(text: &Text, first: usize, fences: &[Fence], document: &mut Document) {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let mut fences = fences.iter().peekable();
    let mut before = "";
    for (number, line) in text.lines_from(first) {
        while fences.next_if(|fence| fence.last < number).is_some() {}
        if fences.peek().is_some_and(|fence| fence.open <= number) {
            before = "";
            continue;
        }
        attributes(line, &mut document.anchors);
        let heading = match (atx(line), underline(line)) {
            (Some((level, text)), _) => Some((number, level, text)),
            (None, Some(level)) if is_paragraph(before) => Some((number - 1, level, before.trim())),
            _ => None,
        };
        before = line;
        if let Some((line, level, text)) = heading {
            let plain = slug(text);
            let count = used.entry(plain.clone()).or_insert(0);
            let anchor = if *count == 0 {
                plain
            } else {
                format!("{plain}-{count}")
            };
            *count += 1;
            document.anchors.insert(anchor.clone());
            document.headings.push(Heading {
                line,
                level,
                text: text.to_owned(),
                anchor,
            });
            before = "";
        }
    }
}

/// Level and text of a heading with `#` marks.
fn atx(line: &str) -> Option<(usize, &str)> {
    let trimmed = line.trim_start_matches(' ');
    if line.len() - trimmed.len() > 3 {
        return None;
    }
    let text = trimmed.trim_start_matches('#');
    let level = trimmed.len() - text.len();
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let text = text.trim();
    let open = text.trim_end_matches('#');
    // Closing marks count only behind a blank.
    let text = if open.is_empty() || open.ends_with([' ', '\t']) {
        open.trim_end()
    } else {
        text
    };
    Some((level, text))
}

/// Level of a line under a heading's text.
fn underline(line: &str) -> Option<usize> {
    if line.starts_with("    ") {
        return None;
    }
    let line = line.trim();
    let made_of = |mark: char| !line.is_empty() && line.trim_matches(mark).is_empty();
    if made_of('=') {
        Some(1)
    } else {
        made_of('-').then_some(2)
    }
}

/// Whether a line can be the text of an underlined heading.
fn is_paragraph(line: &str) -> bool {
    let text = line.trim_start();
    let marker = text.starts_with(['#', '>', '|', '<'])
        || ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark));
    !text.is_empty() && line.len() - text.len() < 4 && !marker && underline(line).is_none()
}

/// A heading's text as a fragment: lower case, blanks to hyphens, everything else but letters, digits, `-` and `_` dropped, code
/// and link marks included.
pub fn slug(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    // `[text](target)` shows its text only.
    while let Some((before, after)) = rest.split_once("](") {
        shown.push_str(before);
        rest = match after.split_once(')') {
            Some((_, behind)) => behind,
            None => after,
        };
    }
    shown.push_str(rest);
    shown
        .trim()
        .chars()
        .flat_map(char::to_lowercase)
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || matches!(c, '-' | '_') || is_mark(c) => Some(c),
            _ => None,
        })
        .collect()
}

/// Marks that combine with the letter before them, and stay in a fragment with it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{900}'..='\u{DFF}' | '\u{FE0F}' | '\u{200D}')
}

/// `id="…"` and `name="…"` of HTML tags.
fn attributes(line: &str, anchors: &mut BTreeSet<String>) {
    if !line.contains('<') {
        return;
    }
    for name in [" id=", " name="] {
        for after in line.split(name).skip(1) {
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
            let value = match quote {
                Some(quote) => after.split(quote).nth(1),
                None => after.split([' ', '>', '/']).next(),
            };
            anchors.extend(value.filter(|value| !value.is_empty()).map(str::to_owned));
        }
    }
}
