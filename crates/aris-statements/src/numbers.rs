//! Features of the numbers in a sentence.

use aris_claims::number::{Number, Style, scan, unit_word};

use crate::feature::{Feature, Features};
use crate::prose::passage::{MaskKind, Passage, before, from};
use crate::words;

/// The features of the numbers that state a value. Years, references, list numbers and parts of names do not.
pub(crate) fn features(sentence: &Passage) -> Features {
    let text = sentence.text.as_str();
    let hidden = sentence.masked(&[MaskKind::Cite, MaskKind::Reference, MaskKind::Code]);
    let maths = sentence.masked(&[MaskKind::Math]);
    let mut features = Features::default();
    for number in scan(text) {
        let at = number.range.start;
        let symbol = maths
            .at(at)
            .is_some_and(|math| is_symbolic(text.get(math.clone()).unwrap_or(""), at - math.start));
        if number.embedded || hidden.contains(at) || symbol || is_label(text, &number) {
            continue;
        }
        let behind = word(from(text, number.end).split(BREAKS).find(some));
        let points = matches!(behind.as_str(), "point" | "points" | "percentage" | "pp");
        // A spelled number mostly counts things, and "one" is often a pronoun.
        let states = number.style != Style::Spelled || number.unit.is_some() || points;
        let factor = number.times || before(text, at).trim_end().ends_with("factor of");
        features.extend([
            (Feature::Number, states),
            (Feature::Unit, number.unit.is_some()),
            (Feature::Percent, number.is_percent()),
            (Feature::Factor, factor),
            (Feature::Interval, number.uncertainty_of.is_some()),
        ]);
    }
    features
}

/// Characters that separate words.
const BREAKS: [char; 7] = [' ', '\u{a0}', '~', '(', ')', ',', '.'];

fn some(word: &&str) -> bool {
    !word.is_empty()
}

fn word(found: Option<&str>) -> String {
    let is_mark = |c: char| !c.is_alphanumeric();
    found.unwrap_or("").trim_matches(is_mark).to_lowercase()
}

/// Whether the number is a label or a date: "Section 4", "version 2.1", "(2)", "in 2021", "4 May".
fn is_label(text: &str, number: &Number) -> bool {
    if number.unit.is_some() || number.times {
        return false;
    }
    let before = before(text, number.range.start);
    let after = from(text, number.range.end);
    let written = text.get(number.range.clone()).unwrap_or("");
    let previous = word(before.rsplit(BREAKS).find(some));
    let next = word(after.split(BREAKS).find(some));
    let touches = before.ends_with(BREAKS);
    let year = written.len() == 4 && (written.starts_with("19") || written.starts_with("20"));
    let plural = next.len() > 3 && next.ends_with('s');
    let small = number.style == Style::Digits && written.len() <= 2;
    let month = |word: &str| word != "may" && words::is("months", word);
    touches && words::is("numbered", &previous)
        || year && !plural
        || small && (month(&previous) || month(&next))
        || small && before.ends_with(['(', '[']) && after.starts_with([')', ']'])
        || small && before.trim().is_empty() && after.starts_with([')', ':'])
}

/// Whether a number in a formula is a part of it and not a value: an index, an exponent, a coefficient, an end of an interval.
fn is_symbolic(math: &str, at: usize) -> bool {
    let before = before(math, at).trim_end_matches(['-', '−', '+', ' ']);
    let after =
        from(math, at).trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    if before.ends_with(['_', '^', '{', '√']) || before.contains('[') {
        return true;
    }
    let word: String = after.chars().filter(|c| c.is_alphabetic()).collect();
    let free = word.is_empty()
        || unit_word(&word).is_some()
        || after.starts_with([',', ';', '×', '±', '%', '·']);
    let assigned = before.ends_with(['=', '≈', '~', '∼', '<', '>', '≤', '≥', '±', '×', '–', '(']);
    !(free && (before.is_empty() || assigned || before.ends_with(',')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::passage::PassageKind;

    fn read(text: &str, masks: Vec<(std::ops::Range<usize>, MaskKind)>) -> Vec<&'static str> {
        let passage = Passage {
            kind: PassageKind::Text,
            text: text.to_owned(),
            masks,
            section: None,
        };
        features(&passage).iter().map(Feature::name).collect()
    }

    #[test]
    fn numbers_say_what_they_are() {
        for (text, expected) in [
            ("reaches 84.7% accuracy", &["number", "unit", "percent"][..]),
            ("is 3.2× faster", &["number", "factor"]),
            ("a factor of 6.87", &["number", "factor"]),
            ("85 ms slower", &["number", "unit"]),
            ("84.7 ± 0.3", &["number", "interval"]),
            ("over 5 seeds", &["number"]),
            ("by two points", &["number"]),
            ("2000 images", &["number"]),
        ] {
            assert_eq!(read(text, Vec::new()), expected, "{text}");
        }
    }

    #[test]
    fn labels_state_nothing() {
        for text in [
            "in 2021 we",
            "see Section 2",
            "Table 4.2",
            "(1) we",
            "GPT-4 and ResNet-50",
            "PyTorch 2.1",
            "one of the methods",
            "on 4 June",
        ] {
            assert_eq!(read(text, Vec::new()), [""; 0], "{text}");
        }
    }

    #[test]
    fn formulas_hold_values_only_where_nothing_is_calculated() {
        for (math, stated) in [
            ("84.7 ± 0.3", true),
            ("x_1", false),
            ("d = 512", true),
            ("2σ", false),
            ("1.2×10^{-3}", true),
            ("[0,1]", false),
            ("p < 0.05", true),
        ] {
            let masks = vec![(0..math.len(), MaskKind::Math)];
            assert_eq!(read(math, masks).contains(&"number"), stated, "{math}");
        }
    }
}
