//! Edits of one line that a rule proposes.

use serde::{Deserialize, Serialize};

/// A part of a finding's line, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    old: String,
    new: String,
}

/// A line as it is, and as it would be after an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Suggestion {
    /// The line as it is, without its line break.
    pub line: String,
    /// The line after the edit.
    pub becomes: String,
}

impl Edit {
    /// Replaces `old` with `new`.
    pub fn new(old: &str, new: &str) -> Self {
        Self {
            old: old.to_owned(),
            new: new.to_owned(),
        }
    }

    /// The edit of this line; `None` unless the old text is in it exactly once as a whole word, and where the line could be read as a mark
    /// of a review.
    pub fn of_line(&self, line: &str) -> Option<Suggestion> {
        if self.old.is_empty() {
            return None;
        }
        let mut places = line.match_indices(&self.old).filter(|(at, old)| {
            let before = line.get(..*at).unwrap_or_default();
            let after = line.get(at + old.len()..).unwrap_or_default();
            let (mut left, mut right) = (before.chars().rev(), after.chars());
            let (left, beyond) = (left.next(), left.next());
            let first = old.chars().next();
            let signed = left == Some('-') && first.is_some_and(|first| first.is_ascii_digit());
            !signed
                && !goes_on(left, beyond, first)
                && !goes_on(right.next(), right.next(), old.chars().next_back())
        });
        let (at, old) = places.next()?;
        if places.next().is_some() {
            return None;
        }
        let (before, after) = (line.get(..at)?, line.get(at + old.len()..)?);
        Some(Suggestion {
            line: line.to_owned(),
            becomes: format!("{before}{}{after}", self.new),
        })
        .filter(|suggestion| suggestion.fits(line))
    }
}

impl Suggestion {
    /// Whether it is about this line, is a single line, and contains nothing that could be read as a mark of a review.
    pub(crate) fn fits(&self, line: &str) -> bool {
        let harmless = |text: &str| {
            !text.contains("<!--")
                && !text.contains(|letter: char| letter.is_control() && letter != '\t')
        };
        self.line == line && harmless(line) && harmless(&self.becomes)
    }
}

/// Whether a word or number goes on beyond `inner`, its first or last character: `mark` is the next character, and `outer` the one after
/// that.
fn goes_on(mark: Option<char>, outer: Option<char>, inner: Option<char>) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    match mark {
        Some('-' | '.' | ':' | '/' | '+') => outer.is_some_and(is_word),
        // Citation keys are separated by commas, so a comma continues only a number.
        Some(',') => is_digit(outer) && is_digit(inner),
        other => other.is_some_and(is_word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_word_that_stands_there_once_is_replaced() {
        for (line, old, wanted) in [
            (r"We reach 34.5\%.", "34.5", Some(r"We reach NEW\%.")),
            ("We reach 34.5.", "34.5", Some("We reach NEW.")),
            ("From 34.5 to 34.5.", "34.5", None),
            ("134.5 and 34.5", "34.5", Some("134.5 and NEW")),
            ("-34.5 and 34.51", "34.5", None),
            ("34.5-fold", "34.5", None),
            (
                r"\cite{Smith2020,jones}",
                "Smith2020",
                Some(r"\cite{NEW,jones}"),
            ),
            (r"\cite{a,Smith2020}", "Smith2020", Some(r"\cite{a,NEW}")),
            ("<!-- 34.5", "34.5", None),
            ("nothing", "34.5", None),
        ] {
            let found = Edit::new(old, "NEW").of_line(line);
            let found = found.map(|suggestion| suggestion.becomes);
            assert_eq!(found.as_deref(), wanted, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(line in ".{0,40}", old in ".{0,3}") {
            if let Some(found) = Edit::new(&old, "x").of_line(&line) {
                proptest::prop_assert_eq!(found.line, line);
            }
        }
    }
}
