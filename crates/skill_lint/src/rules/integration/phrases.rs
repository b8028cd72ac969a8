//! Sentences that promise an integration without making one (SR508), and orders to call another skill that name no receipt (SR511).
//!
//! **Source**: integration contract, its list of anti-patterns and §3.

use std::sync::LazyLock;

use aris_skills::Text;
use regex::Regex;

use crate::pattern::compiled;

/// Lines of prose that belong together, with the numbers of the lines.
pub(super) struct Paragraph<'a> {
    pub(super) lines: Vec<(usize, &'a str)>,
}

/// A word: its text in lower case, and where it stands.
struct Word {
    text: String,
    /// Which of the paragraph's lines, and the byte in it.
    at: (usize, usize),
    /// Whether only space, emphasis or quotes stand between it and the word before.
    follows: bool,
}

/// One place of a phrase.
enum Part {
    /// One of these words.
    Of(&'static [&'static str]),
    /// Any one word.
    Any,
}

use Part::{Any, Of};

const PHRASES: &[&[Part]] = &[
    &[
        Of(&["optional", "optionally"]),
        Of(&["and"]),
        Of(&["automatic", "automatically"]),
    ],
    &[
        Of(&["automatic", "automatically"]),
        Of(&["and", "but"]),
        Of(&["optional"]),
    ],
    &[
        Of(&["intelligently"]),
        Of(&[
            "decide",
            "decides",
            "choose",
            "chooses",
            "determine",
            "determines",
        ]),
    ],
    &[
        Of(&["copy"]),
        Of(&["the"]),
        Of(&["following"]),
        Any,
        Of(&["lines"]),
        Of(&["into"]),
        Of(&["each"]),
    ],
    &[
        Of(&["can", "could"]),
        Of(&["see"]),
        Of(&["from"]),
        Of(&["the"]),
        Of(&["logs"]),
    ],
    &[
        Of(&["users", "you"]),
        Of(&["should"]),
        Of(&["remember"]),
        Of(&["to"]),
    ],
    &[
        Of(&["trust"]),
        Of(&["the"]),
        Of(&["llm", "model", "agent"]),
        Of(&["to"]),
        Of(&["self-report"]),
    ],
    &[
        Of(&["if"]),
        Of(&["the"]),
        Of(&["user"]),
        Of(&["seems"]),
        Of(&["to"]),
        Of(&["want"]),
    ],
];

/// A heading with one of these shows what not to do.
const COUNTER_HEADINGS: &[&str] = &[
    "anti-pattern",
    "do not",
    "don't",
    "don’t",
    "refuse",
    "avoid",
    "forbidden",
    "never",
];

/// Whether what stands under this heading shows what not to do.
pub(super) fn is_counter_heading(text: &str) -> bool {
    let text = text.to_lowercase();
    COUNTER_HEADINGS.iter().any(|part| text.contains(part))
}

/// A word of each phrase, and the word that begins an order.
static HINTS: LazyLock<Regex> = LazyLock::new(|| {
    compiled("(?i:automatic|intelligently|following|logs|remember|self-report|seems)|MUST ")
});

/// The lines of a text that hold a word of what is looked for, in order: tells most paragraphs apart without reading their words.
pub(super) fn hinted_lines(text: &Text) -> Vec<usize> {
    let mut lines: Vec<usize> = Vec::new();
    let mut end = 0;
    for hint in HINTS.find_iter(text.raw()) {
        if hint.start() >= end {
            let (line, _) = text.place(hint.start());
            end = text.start(line + 1);
            lines.push(line);
        }
    }
    lines
}

/// The phrases of a paragraph: line number, byte in the line, and the words. Not where one of their lines carries a `❌`.
pub(super) fn anti_patterns(paragraph: &Paragraph<'_>) -> Vec<(usize, usize, String)> {
    let words = words(paragraph);
    let mut found = Vec::new();
    for start in 0..words.len() {
        for phrase in PHRASES {
            let Some(window) = words.get(start..start + phrase.len()) else {
                continue;
            };
            let is_phrase = (phrase.iter().zip(window).enumerate()).all(|(at, (part, word))| {
                (at == 0 || word.follows)
                    && match part {
                        Of(choices) => choices.contains(&word.text.as_str()),
                        Any => true,
                    }
            });
            if !is_phrase {
                continue;
            }
            let (first, byte) = window.first().map_or((0, 0), |word| word.at);
            let last = window.last().map_or(first, |word| word.at.0);
            let lines = paragraph.lines.get(first..=last).unwrap_or_default();
            if let Some((number, _)) = lines.first()
                && !lines.iter().any(|(_, line)| line.contains('❌'))
            {
                let words: Vec<&str> = window.iter().map(|word| word.text.as_str()).collect();
                found.push((*number, byte, words.join(" ")));
            }
        }
    }
    found
}

fn words(paragraph: &Paragraph<'_>) -> Vec<Word> {
    let mut words = Vec::new();
    let mut follows = true;
    for (index, (_, line)) in paragraph.lines.iter().enumerate() {
        let mut rest = *line;
        while let Some(first) = rest.chars().next() {
            let byte = line.len() - rest.len();
            if first.is_alphanumeric() {
                let end = rest
                    .find(|c: char| !c.is_alphanumeric() && c != '-')
                    .unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                words.push(Word {
                    text: word.to_lowercase(),
                    at: (index, byte),
                    follows,
                });
                (rest, follows) = (after, true);
            } else {
                follows &= first.is_whitespace() || "*_\"'`“”‘’".contains(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    words
}

/// `MUST invoke`, `MUST run` or `MUST call` of another skill or helper in a paragraph that has no path in a code span: line number
/// and byte of each. The called thing is a slash command, a code span or a word such as *skill* within the next six words.
pub(super) fn orders_without_receipt(paragraph: &Paragraph<'_>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (number, line) in &paragraph.lines {
        for (byte, _) in line.match_indices("MUST ") {
            let rest = line.get(byte + "MUST ".len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['*', '_']).trim_start();
            let verb = ["invoke", "run", "call"].into_iter().find_map(|verb| {
                let after = rest.strip_prefix(verb)?;
                after.starts_with([' ', '*', '_']).then_some(after)
            });
            if verb.is_some_and(names_a_callee) {
                found.push((*number, byte));
            }
        }
    }
    if found.is_empty() || spans(paragraph).iter().any(|span| is_path(span)) {
        return Vec::new();
    }
    found
}

fn names_a_callee(after: &str) -> bool {
    (after.split_whitespace().take(6)).any(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '`');
        let slash = bare.trim_start_matches('`').strip_prefix('/');
        slash.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
            || bare.starts_with('`')
            || ["skill", "skills", "helper", "helpers", "verifier"].contains(&bare)
    })
}

/// The code spans of a paragraph that begin and end on one line.
fn spans<'a>(paragraph: &Paragraph<'a>) -> Vec<&'a str> {
    (paragraph.lines.iter())
        .flat_map(|(_, line)| line.split('`').skip(1).step_by(2))
        .collect()
}

/// Whether a code span is a path of something written: it has a folder, or the extension of a document. Scripts are what is
/// called, not what it leaves; a slash at the beginning makes a command.
fn is_path(span: &str) -> bool {
    const WRITTEN: &[&str] = &[
        ".json", ".jsonl", ".md", ".txt", ".toml", ".yaml", ".yml", ".csv", ".tsv", ".html",
        ".svg", ".png", ".pdf", ".log", ".tex", ".bib",
    ];
    let span = span.trim();
    let is_word = !span.is_empty() && !span.contains(char::is_whitespace);
    let is_script = [".py", ".sh", ".js", ".ts"]
        .iter()
        .any(|end| span.ends_with(end));
    is_word
        && !is_script
        && !span.starts_with('/')
        && !span.contains("://")
        && (span.contains('/') || WRITTEN.iter().any(|end| span.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paragraph(text: &str) -> Paragraph<'_> {
        Paragraph {
            lines: text.lines().zip(1..).map(|(line, at)| (at, line)).collect(),
        }
    }

    #[test]
    fn phrases_are_found_across_lines_and_emphasis() {
        for (text, expected) in [
            (
                "It is optional and automatic.",
                &[(1, 6, "optional and automatic")][..],
            ),
            (
                "é **Optionally** and *automatically*",
                &[(1, 5, "optionally and automatically")],
            ),
            (
                "this is automatic but\noptional",
                &[(1, 8, "automatic but optional")],
            ),
            (
                "x\nThe skill will intelligently\n  decide",
                &[(2, 15, "intelligently decide")],
            ),
            (
                "Copy the following 10 lines into each caller",
                &[(1, 0, "copy the following 10 lines into each")],
            ),
            (
                "one can see from the logs",
                &[(1, 4, "can see from the logs")],
            ),
            (
                "You should remember to run it",
                &[(1, 0, "you should remember to")],
            ),
            (
                "Trust the LLM to self-report",
                &[(1, 0, "trust the llm to self-report")],
            ),
            (
                "if the user seems to want this",
                &[(1, 0, "if the user seems to want")],
            ),
            ("optional. And automatic", &[]),
            ("optional, and automatic", &[]),
            ("- optional\n- and automatic", &[]),
            ("❌ optional and automatic", &[]),
            ("automatic and mandatory", &[]),
            ("optionality and automatic", &[]),
        ] {
            let found = anti_patterns(&paragraph(text));
            let found: Vec<_> = found
                .iter()
                .map(|(line, byte, words)| (*line, *byte, words.as_str()))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn headings_that_show_what_not_to_do() {
        for (heading, expected) in [
            ("Anti-patterns to refuse", true),
            ("What you must NEVER write", true),
            ("Don’t", true),
            ("Steps", false),
        ] {
            assert_eq!(is_counter_heading(heading), expected, "{heading}");
        }
    }

    #[test]
    fn orders_need_a_receipt() {
        for (text, expected) in [
            ("You MUST invoke `/proof-checker` now.", &[(1, 4)][..]),
            ("You MUST **run** the skill", &[(1, 4)]),
            ("a\nMUST call /audit", &[(2, 0)]),
            ("MUST invoke `verify.py`", &[(1, 0)]),
            ("MUST invoke `/audit`, which leaves `paper/AUDIT.json`", &[]),
            ("MUST invoke `/audit`\nand read `AUDIT.json`", &[]),
            ("MUST run three times", &[]),
            ("MUST runner /x", &[]),
            ("must invoke `/audit`", &[]),
        ] {
            assert_eq!(orders_without_receipt(&paragraph(text)), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_them(text in "((MUST|run|call|optional|and|automatic|the|[ `*/.❌é\n])){0,40}") {
            let paragraph = paragraph(&text);
            for (number, byte, _) in anti_patterns(&paragraph) {
                prop_assert!(paragraph.lines[number - 1].1.is_char_boundary(byte));
            }
            let _found = orders_without_receipt(&paragraph);
        }
    }
}
