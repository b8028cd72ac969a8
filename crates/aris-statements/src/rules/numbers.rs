//! Checks numbers in the text against the data that `claims.toml` binds them to, and against each other within a sentence.
//!
//! A person or an agent decides once, in `claims.toml`, which value a number means. A number without a binding is not compared
//! with data.
//!
//! **Source**: "Numbers are bound, never guessed" (statuses and verdict); citation gates, §8.4.

use aris_claims::decimal::Decimal;
use aris_claims::number::{Number, Style, scan};
use aris_review::{Edit, Severity};

use super::{Check, METHODOLOGICAL, quoted};
use crate::prose::Prose;
use crate::statement::Statement;
use crate::words;

/// The audit result of one number, statement or table cell that `claims.toml` binds to data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundNumber {
    /// File that contains it, named as the documents are.
    pub file: String,
    /// Its line, from 1; 0 when the place was not found.
    pub line: usize,
    /// Its status in the artifact of the claim audit: `exact_match`, `number_mismatch`, `binding_lost`, …
    pub status: String,
    /// The shown value, the value from the data, and both places.
    pub message: String,
    /// The written text, and the data's value in the same digits, if it can be computed.
    pub edit: Option<Edit>,
}

/// The rules that need bindings.
const RULES: [&str; 2] = ["numeric-mismatch", "numeric-binding"];

/// Reports bindings that do not hold. Numbers that agree, are waived or unbound give no finding.
pub(super) fn bound(bound: Option<&[BoundNumber]>, out: &mut Check) {
    let Some(bound) = bound else {
        out.not_checked(RULES, "no claims.toml binds the document's numbers");
        return;
    };
    for number in bound {
        let rule = match number.status.as_str() {
            "number_mismatch" | "scope_overclaim" => "numeric-mismatch",
            "binding_lost" | "binding_error" => "numeric-binding",
            _ => continue,
        };
        let place = (number.file.as_str(), number.line);
        let message = number.message.clone();
        let finding = out.add(rule, Severity::Critical, METHODOLOGICAL, place, message);
        finding.edit.clone_from(&number.edit);
    }
}

/// Compares verbs of change with the two numbers after them. A person decides, because a rank rises to a smaller number.
pub(super) fn directions(prose: &Prose, statements: &[Statement], out: &mut Check) {
    for statement in statements {
        let text = statement.text(prose);
        let Some((verb, from, to)) = against_its_numbers(text) else {
            continue;
        };
        let message = format!(
            "{} says {verb}, and goes from {from} to {to}; correct the word or the numbers",
            quoted(text)
        );
        let place = statement.place();
        let rule = "direction-mismatch";
        let finding = out.add(rule, Severity::Warning, METHODOLOGICAL, place, message);
        finding.requires_decision = true;
    }
}

/// Finds "Fell from 6.1 to 7.4": the verb and both numbers as written.
///
/// Only unambiguous cases: the verb is in the past and directly before "from", and the numbers are values of one measure.
/// "Declined from 6 to 12 months", "from 1990 to 2010" and "from 10 to 20 °C" may give a period or a range of another axis, so
/// whole numbers and numbers with a unit other than per cent are skipped.
fn against_its_numbers(text: &str) -> Option<(String, &str, &str)> {
    let numbers = scan(text);
    numbers.windows(2).find_map(|pair| {
        let [from, to] = pair else { return None };
        let before = text
            .get(..from.range.start)?
            .trim_end()
            .strip_suffix("from")?;
        let between = text.get(from.end..to.range.start)?;
        let mut behind = before.split_whitespace().rev();
        let verb = behind.find(|word| !word.ends_with("ly"))?.to_lowercase();
        let against = if words::is("rose", &verb) {
            from.value > to.value
        } else {
            words::is("fell", &verb) && from.value < to.value
        };
        let same =
            from.multiplier == to.multiplier && (from.unit.is_none() || from.unit == to.unit);
        // An unknown unit after the numbers rules the pair out.
        let after = text.get(to.end..)?.trim_start();
        let ends =
            after.is_empty() || after.starts_with(['.', ',', ';', '(', ')', '[']) || goes_on(after);
        let values = same && ends && is_value(from) && is_value(to);
        (against && between.trim() == "to" && values).then_some((
            verb,
            text.get(from.range.start..from.end)?,
            text.get(to.range.start..to.end)?,
        ))
    })
}

/// Whether a word that is not a unit follows: "from 6.1 to 7.4 over three seeds". "In" alone may be inches.
fn goes_on(after: &str) -> bool {
    const WORDS: [&str; 9] = [
        "in", "on", "over", "with", "after", "when", "across", "while", "and",
    ];
    let Some((word, rest)) = after.split_once(char::is_whitespace) else {
        return false;
    };
    WORDS.contains(&word) && rest.starts_with(char::is_alphabetic)
}

/// Whether the number has decimals, no sign, and no unit except per cent.
fn is_value(number: &Number) -> bool {
    number.style == Style::Digits
        && number.last_digit < 0
        && number.value > Decimal::new(0, 0)
        && (number.unit.is_none() || number.is_percent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_held_to_the_two_numbers_behind_it() {
        for (text, contrary) in [
            ("The pH rose from 6.1 to 7.4.", false),
            ("The pH fell from 6.1 to 7.4.", true),
            ("Accuracy rose slightly from 84.7% to 81.2%.", true),
            ("Accuracy dropped from 81.2 to 84.7%.", true),
            ("Plots range from 6.1 to 7.4.", false),
            (
                "The error fell, while the score went from 3.1 to 4.2.",
                false,
            ),
            ("Mortality fell when the dose went from 0.5 to 1.5.", false),
            ("Populations declined from 1990 to 2010.", false),
            ("Scores declined from 6 to 12 months.", false),
            ("Growth declined from 0.5 to 1.5 m.", false),
            ("Resolution increased from 1.5 m to 0.5 m.", false),
            ("The balance fell from -0.5 to -0.3.", false),
            ("Latency fell from 1.2 s to 900.0 ms.", false),
            ("Activity fell from 6.1 to 7.4 pH units.", false),
            ("The loss fell from 6.1 to 7.4 in our runs.", true),
            ("The error fell from 6.1 to 7.4 [1].", true),
            ("Accuracy rose from 80.1 to 75.2 over three seeds.", true),
            ("The width grew from 1.5 to 0.5 in.", false),
        ] {
            assert_eq!(against_its_numbers(text).is_some(), contrary, "{text}");
        }
    }

    #[test]
    fn only_bindings_that_fail_are_findings() {
        let number = |status: &str| BoundNumber {
            edit: None,
            file: String::from("paper.tex"),
            line: 3,
            status: status.to_owned(),
            message: String::from("12.4 is shown, the data give 12.9"),
        };
        let all = [
            "exact_match",
            "rounding_ok",
            "number_mismatch",
            "scope_overclaim",
            "binding_lost",
            "binding_error",
            "unbound",
            "waived",
        ]
        .map(number);
        let mut out = Check::default();
        bound(Some(&all), &mut out);
        let rules: Vec<&str> = out
            .findings
            .iter()
            .filter_map(|found| found.rule.as_deref())
            .collect();
        let expected = [
            "numeric-mismatch",
            "numeric-mismatch",
            "numeric-binding",
            "numeric-binding",
        ];
        assert_eq!(rules, expected);
        assert!(out.not_checked.is_empty());
        bound(None, &mut out);
        assert_eq!(out.not_checked.len(), RULES.len());
    }
}
