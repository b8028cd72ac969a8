//! `claims.toml`: what the author says a number means.
//!
//! ```toml
//! [[claim]]
//! file = "sections/results.tex"
//! text = "84.7"                                    # the number as the reader sees it
//! near = "averaged over five seeds"                # words of the source line; optional
//! evidence = "results/ours/seed_*.json#/eval/top1" # path and pointer, * for any characters
//! aggregate = "mean"                               # value (default for one value), mean (default for several),
//!                                                  # median, max, min, std, sum, count
//!
//! [[claim]]
//! file = "sections/intro.tex"
//! text = "53"
//! ignore = "result of the cited survey"            # not a claim, and why
//! ```
//!
//! A pin decides which value is meant, never whether it agrees: a pinned number that its evidence does not show is a
//! mismatch. A pin that fits no number is reported, so that pins do not rot.

use serde::{Deserialize, Serialize};

use crate::report::{ClaimReport, Status};

/// The pins of a paper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// One entry per pinned number.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Pin>,
}

/// One pinned number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Source file, as the report names it.
    pub file: String,
    /// The number as the reader sees it.
    pub text: String,
    /// Words that the source line holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
    /// Path and pointer of the value or values, `*` for any characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// How several values are combined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<Aggregate>,
    /// Why the number is not a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore: Option<String>,
}

/// How several values are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregate {
    /// The only value.
    Value,
    /// Arithmetic mean.
    Mean,
    /// Median.
    Median,
    /// Largest.
    Max,
    /// Smallest.
    Min,
    /// Standard deviation, sample or population.
    Std,
    /// Sum.
    Sum,
    /// Number of values.
    Count,
}

impl Pins {
    /// Reads a `claims.toml`; the message names line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let pins: Self = toml_edit::de::from_str(text).map_err(|error| error.to_string())?;
        for (at, pin) in pins.claims.iter().enumerate() {
            if pin.evidence.is_some() == pin.ignore.is_some() {
                return Err(format!(
                    "claim {}: exactly one of evidence and ignore is needed ({} in {})",
                    at + 1,
                    pin.text,
                    pin.file
                ));
            }
        }
        Ok(pins)
    }

    /// The pin for a number, by file, text and source line.
    pub(crate) fn find(&self, file: &str, text: &str, line: &str) -> Option<(usize, &Pin)> {
        self.claims.iter().enumerate().find(|(_, pin)| {
            pin.file == file
                && pin.text == text
                && pin
                    .near
                    .as_ref()
                    .is_none_or(|near| line.contains(near.as_str()))
        })
    }
}

/// A `claims.toml` for the claims that no value could be found for, and for those that several fit.
///
/// Every suggestion is a comment: the author uncomments what is right.
pub fn suggest(report: &ClaimReport) -> String {
    use std::fmt::Write as _;
    let mut out = String::from("# Suggested pins. Uncomment what is right, delete the rest.\n");
    for claim in &report.claims {
        if !matches!(
            claim.status,
            Status::AmbiguousMapping | Status::MissingEvidence
        ) {
            continue;
        }
        let _unused = write!(
            out,
            "\n# {}:{}: {}\n# [[claim]]\n# file = {}\n# text = {}\n",
            claim.place.file,
            claim.place.line,
            claim.detail.replace('\n', " "),
            quoted(&claim.place.file),
            quoted(&claim.text)
        );
        let mut any = false;
        for reference in claim.evidence.iter().chain(&claim.alternatives) {
            let _unused = writeln!(
                out,
                "# evidence = {} # shows {}",
                quoted(&reference.path),
                reference.value
            );
            any = true;
        }
        if !any {
            out.push_str("# evidence = \"results/…#/…\"\n# ignore = \"…\"\n");
        }
    }
    out
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// Whether a text fits a pattern in which `*` stands for any characters; linear in the text for each star.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else {
        return false;
    };
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        if let Some(previous) = last.replace(part) {
            let Some((_, after)) = rest.split_once::<&str>(previous) else {
                return false;
            };
            rest = after;
        }
    }
    match last {
        None => rest.is_empty(),
        Some(tail) => rest.ends_with(tail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_read_strictly() {
        let pins = Pins::parse("[[claim]]\nfile = \"a.tex\"\ntext = \"84.7\"\nevidence = \"r/*.json#/acc\"\naggregate = \"mean\"\n").unwrap();
        assert_eq!(pins.claims[0].aggregate, Some(Aggregate::Mean));
        assert!(pins.find("a.tex", "84.7", "anything").is_some());
        assert!(pins.find("b.tex", "84.7", "anything").is_none());
        for text in [
            "[[claim]]\nfile = \"a.tex\"\ntext = \"1\"\n",
            "[[claim]]\nfile = \"a.tex\"\ntext = \"1\"\nevidence = \"x\"\nignore = \"y\"\n",
            "[[claim]]\nfile = \"a.tex\"\ntext = \"1\"\nevidense = \"x\"\n",
            "nonsense",
        ] {
            assert!(Pins::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expected) in [
            ("r/seed_*.json#/acc", "r/seed_3.json#/acc", true),
            ("r/seed_*.json#/acc", "r/seed_3.json#/acc5", false),
            ("r/*/seed_*.json#/acc", "r/ours/seed_3.json#/acc", true),
            ("r/a", "r/a", true),
            ("r/a", "r/ab", false),
            ("*", "anything", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }
}
