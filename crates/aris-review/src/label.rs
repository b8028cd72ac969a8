//! The severity and dimension that a comment states itself.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::Severity;

/// A comment's label, `[severity] dimension: …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// The severity in brackets.
    pub severity: Severity,
    /// The word before the colon.
    pub dimension: &'a str,
    /// What follows.
    pub message: &'a str,
}

/// Words that give a comment without a label its severity, separated by `|`; the gravest list is first. **Source**: citation gates, §6.2.
const LISTS: [(Severity, &str); 3] = [
    (
        Severity::Critical,
        "must|critical|security|data loss|wrong|broken|incorrect|bug|error|never",
    ),
    (
        Severity::Warning,
        "should|consider|recommend|prefer|suggest|missing|lacks",
    ),
    (Severity::Info, "nit|optional|minor|style|cosmetic|could"),
];

static WORDS: LazyLock<Vec<(Severity, Regex)>> = LazyLock::new(|| {
    let lists = LISTS.into_iter();
    let found = lists.filter_map(|(severity, list)| Some((severity, in_any_form(list)?)));
    found.collect()
});

/// Reads the label at the very beginning of a body: `^\[(critical|warning|info)\]\s+(\S+):\s+`, case-sensitive.
pub fn label(body: &str) -> Option<Label<'_>> {
    let (word, rest) = body.strip_prefix('[')?.split_once(']')?;
    let severity = word.parse().ok()?;
    let subject = rest.trim_start();
    let end = subject.find(char::is_whitespace)?;
    let (dimension, message) = subject.split_at_checked(end)?;
    let dimension = dimension.strip_suffix(':')?;
    let spaced = subject.len() < rest.len();
    (spaced && !dimension.is_empty()).then(|| Label {
        severity,
        dimension,
        message: message.trim_start(),
    })
}

/// The severity of a comment: that of its label, else that of the first list with a word in the comment, else a warning.
pub fn severity(body: &str) -> Severity {
    if let Some(label) = label(body) {
        return label.severity;
    }
    // In a regular expression an underscore is part of a word.
    let body = body.replace('_', " ");
    let found = WORDS.iter().find(|(_, words)| words.is_match(&body));
    found.map_or(Severity::Warning, |(severity, _)| *severity)
}

/// A regular expression for the words of a list: as they are, as plurals, and with -ed or -ing (style, styled, styling; prefer, preferred).
fn in_any_form(list: &str) -> Option<Regex> {
    let forms = list.split('|').map(|word| {
        if let Some(stem) = word.strip_suffix('e') {
            return format!("{stem}(?:e[sd]?|ing)");
        }
        let last = word.chars().next_back().unwrap_or_default();
        format!("{word}(?:s|es|{last}?ed|{last}?ing)?")
    });
    let forms: Vec<String> = forms.collect();
    let forms = forms.join("|").replace(' ', r"\W+");
    Regex::new(&format!(r"(?i)\b(?:{forms})\b")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stands_at_the_very_beginning() {
        for (body, wanted) in [
            (
                "[warning] external: no citation",
                Some((Severity::Warning, "external", "no citation")),
            ),
            (
                "[critical]\texternal:\nx",
                Some((Severity::Critical, "external", "x")),
            ),
            ("[info] a:b: x", Some((Severity::Info, "a:b", "x"))),
            (
                "[info] report-quality: error-prone",
                Some((Severity::Info, "report-quality", "error-prone")),
            ),
            (
                "[warning] external: ",
                Some((Severity::Warning, "external", "")),
            ),
            ("[warning] external:", None),
            ("[warning]external: x", None),
            ("[Warning] external: x", None),
            (" [warning] external: x", None),
            ("[fatal] external: x", None),
            ("[warning] : x", None),
            ("[warning] two words: x", None),
            ("text\n[warning] external: x", None),
            ("[warning", None),
            ("", None),
        ] {
            let read = label(body).map(|label| (label.severity, label.dimension, label.message));
            assert_eq!(read, wanted, "{body:?}");
        }
    }

    #[test]
    fn a_label_beats_words_and_words_are_whole() {
        use Severity::{Critical, Info, Warning};
        for (body, wanted) in [
            ("[warning] external: no citation", Warning),
            ("[info] slop: error-prone and wrong", Info),
            ("this must be cited", Critical),
            ("Errors everywhere", Critical),
            ("a data  loss", Critical),
            ("data is lost", Warning),
            ("you Should, I think", Warning),
            ("I suggested it", Warning),
            ("preferred", Warning),
            ("considering that", Warning),
            ("recommends", Warning),
            ("the unit of analysis", Warning),
            ("nit: comma", Info),
            ("nits", Info),
            ("stylish", Warning),
            ("styling", Info),
            ("you could cite X", Info),
            ("could be wrong", Critical),
            ("debugging", Warning),
            ("terror", Warning),
            ("", Warning),
        ] {
            assert_eq!(severity(body), wanted, "{body:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(body in ".{0,80}") {
            severity(&body);
            severity(&format!("[info] {body}"));
        }
    }
}
