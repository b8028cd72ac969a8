//! The line of a page that shows why it was found.

use std::path::Path;

use crate::search::words::{Phrase, words};
use crate::wiki;

/// Longest snippet, in characters.
const LENGTH: usize = 200;
/// Most lines that are searched; pages written by hand have fewer.
const LINES: usize = 2_000;

/// The first line with the most phrases; empty when no line has any or the page is gone.
pub(crate) fn of(path: &Path, phrases: &[Phrase]) -> String {
    let Ok(page) = wiki::read_page(path) else {
        return String::new();
    };
    let mut best = (0, "");
    for line in page.below_front().lines().take(LINES) {
        if line.starts_with("<!--") || line.starts_with('#') {
            continue;
        }
        let words = words(line);
        let count = phrases
            .iter()
            .filter(|phrase| phrase.count(&words) > 0)
            .count();
        if count > best.0 {
            best = (count, line);
        }
        if count == phrases.len() {
            break;
        }
    }
    cut(best.1.trim_start_matches(['>', ' ', '-', '*']), phrases)
}

/// The part of `line` that begins a little before its first matching word.
fn cut(line: &str, phrases: &[Phrase]) -> String {
    let line: String = line
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let count = line.chars().count();
    if count <= LENGTH {
        return line.trim().to_owned();
    }
    let mut before = 0;
    for word in line.split_inclusive(' ') {
        let found = words(word);
        if phrases.iter().any(|phrase| {
            let first = phrase.words.first().map_or("", String::as_str);
            found.iter().any(|word| word.starts_with(first))
        }) {
            break;
        }
        before += word.chars().count();
    }
    let start = before.saturating_sub(LENGTH / 4).min(count - LENGTH);
    let middle: String = line.chars().skip(start).take(LENGTH).collect();
    format!(
        "{}{}{}",
        if start > 0 { "…" } else { "" },
        middle.trim(),
        if start + LENGTH < count { "…" } else { "" }
    )
}
