//! Which numbers are claims, and of what kind?
//!
//! Only words and marks around a number decide here, never the results: years, references, enumerators, numbers in names,
//! code, formulas and statements attributed to a citation are no claims. A whole number without unit is a *weak* claim:
//! it is reported only when the results speak of it.

use crate::attribution::attributed;
use crate::number::{Number, Style};
use crate::passage::{MaskKind, Passage, PassageKind};
use crate::vocabulary::{
    CHANGE_VERBS, CHANGES, COMPARATIVES, MONTHS, REFERENCE_WORDS, SOFTWARE, WHOLE_REFERENCES,
};

/// What a claim states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A measured value.
    Measurement,
    /// The spread of a measured value: the number after ±.
    Uncertainty,
    /// A difference in percentage points or in the unit of the measure.
    Difference,
    /// A relative change in per cent.
    RelativeChange,
    /// A factor: 3.2×.
    Ratio,
    /// A number of runs, seeds, datasets, parameters.
    Count,
    /// A setting: learning rate, batch size.
    Configuration,
    /// A statement about all cases: "consistently", "on every dataset".
    Scope,
}

/// Whether a number is a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Not a claim, and why.
    No(&'static str),
    /// A claim that needs evidence.
    Strong(Kind),
    /// A claim if the results speak of it.
    Weak(Kind),
}

/// Judges one number of a passage.
pub(crate) fn class(passage: &Passage, numbers: &[Number], at: usize) -> Class {
    let Some(number) = numbers.get(at) else {
        return Class::No("no number");
    };
    if let Some(reason) = never(passage, number) {
        return Class::No(reason);
    }
    let text = passage.text.as_str();
    let cell = passage.kind == PassageKind::Cell;
    let before = before_words(text, number.range.start, 16);
    let after = after_words(text, number.end, 5);
    if !cell && let Some(reason) = no_claim(passage, number, &before, &after) {
        return Class::No(reason);
    }
    if number.uncertainty_of.is_some() {
        return Class::Strong(Kind::Uncertainty);
    }
    if let Some(kind) = change(number, &before, &after, cell) {
        return Class::Strong(kind);
    }
    if number.style == Style::Spelled {
        return Class::Weak(Kind::Count);
    }
    // `5,083` and `12M` are written as measurements are; `512` may be anything.
    let written = text.get(number.range.clone()).unwrap_or("");
    let large = number.value.significant_digits() > 1
        && (written.contains([',', '\u{2009}', '\u{202f}', '\u{a0}'])
            || written.ends_with(['k', 'K', 'M', 'B', 'T', 'n']));
    let plain_integer =
        number.last_digit >= 0 && number.style == Style::Digits && number.unit.is_none() && !large;
    let with_uncertainty = numbers
        .get(at + 1)
        .is_some_and(|next| next.uncertainty_of == Some(at));
    let plain_integer = plain_integer && !with_uncertainty;
    if plain_integer && !cell {
        Class::Weak(Kind::Count)
    } else {
        Class::Strong(Kind::Measurement)
    }
}

/// What is no claim wherever it stands.
fn never(passage: &Passage, number: &Number) -> Option<&'static str> {
    let text = passage.text.as_str();
    let start = number.range.start;
    match passage.kind {
        PassageKind::Other => return Some("front matter"),
        PassageKind::Heading => return Some("heading"),
        PassageKind::Title => return Some("title"),
        PassageKind::Formula => return Some("formula"),
        _ => {}
    }
    if number.embedded {
        return Some("part of a name");
    }
    for (kind, reason) in [
        (MaskKind::Cite, "citation"),
        (MaskKind::Reference, "reference"),
        (MaskKind::Code, "code"),
    ] {
        if passage
            .masked(number.range.end.saturating_sub(1), kind)
            .is_some()
        {
            return Some(reason);
        }
    }
    if let Some(math) = passage.masked(number.range.end.saturating_sub(1), MaskKind::Math)
        && symbolic(
            text.get(math.clone()).unwrap_or(""),
            start.saturating_sub(math.start),
        )
    {
        return Some("part of a formula");
    }
    None
}

/// What is no claim in running text.
fn no_claim(
    passage: &Passage,
    number: &Number,
    before: &[String],
    after: &[String],
) -> Option<&'static str> {
    let text = passage.text.as_str();
    let whole = number.last_digit >= 0 && number.style == Style::Digits;
    let previous = before.last().map_or("", String::as_str);
    let next = after.first().map_or("", String::as_str);
    if REFERENCE_WORDS.contains(&previous)
        && (whole || !WHOLE_REFERENCES.contains(&previous))
        && number.unit.is_none()
        && !number.times
        && directly_before(text, number.range.start)
    {
        return Some("numbered reference");
    }
    if previous == "and" && whole {
        // "Sections 2 and 3"
        if before
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()))
            && before
                .iter()
                .rev()
                .nth(2)
                .is_some_and(|word| REFERENCE_WORDS.contains(&word.as_str()))
        {
            return Some("numbered reference");
        }
    }
    if SOFTWARE.contains(&previous)
        && previous.len() > 1
        && previous != "by"
        && previous != "node"
        && number.unit.is_none()
    {
        return Some("version");
    }
    if whole
        && number.unit.is_none()
        && !number.times
        && named_by_number(text, number, previous, next)
    {
        return Some("part of a name");
    }
    if whole && number.unit.is_none() && is_year(text, number) && !counted(next) {
        return Some("year");
    }
    if whole
        && (MONTHS.contains(&previous) && previous != "may"
            || MONTHS.contains(&next) && next != "may")
    {
        return Some("date");
    }
    if enumerator(passage, number) {
        return Some("list number");
    }
    if number.style == Style::Spelled
        && matches!(
            next,
            "of" | "can"
                | "could"
                | "may"
                | "might"
                | "should"
                | "would"
                | "another"
                | "thing"
                | "or"
                | "is"
                | "and"
                | "must"
                | ""
        )
    {
        return Some("a pronoun");
    }
    if attributed(passage, number) {
        return Some(crate::quantity::ATTRIBUTED);
    }
    None
}

/// Words of a change around the number: difference, relative change, ratio.
fn change(number: &Number, before: &[String], after: &[String], cell: bool) -> Option<Kind> {
    let next = after.first().map_or("", String::as_str);
    let second = after.get(1).map_or("", String::as_str);
    let points = matches!(next, "points" | "point" | "pp" | "pts" | "pt")
        || (matches!(next, "percentage" | "percent") && matches!(second, "points" | "point"));
    if points {
        return Some(Kind::Difference);
    }
    if number.times {
        return Some(Kind::Ratio);
    }
    if cell {
        let signed = number.sign == Some(crate::number::Sign::Plus);
        return signed.then(|| {
            if number.is_percent() {
                Kind::RelativeChange
            } else {
                Kind::Difference
            }
        });
    }
    let previous: Vec<&str> = before.iter().rev().map(String::as_str).collect();
    let skip = [
        "only",
        "about",
        "roughly",
        "approximately",
        "nearly",
        "almost",
        "a",
        "an",
        "over",
        "mere",
        "up",
        "to",
        "just",
        "around",
        "some",
        "further",
        "more",
        "than",
        "another",
        "at",
        "least",
        "still",
    ];
    let meaningful: Vec<&str> = previous
        .iter()
        .copied()
        .skip_while(|word| skip.contains(word))
        .collect();
    let lead = meaningful.first().copied().unwrap_or("");
    if lead == "of" && meaningful.get(1).copied() == Some("factor") {
        return Some(Kind::Ratio);
    }
    let verb_before = previous
        .iter()
        .take(6)
        .any(|word| CHANGE_VERBS.iter().any(|verb| word.starts_with(verb)));
    // "drops by 39%, and the time by 19 hours": the verb may stand further back.
    let by = lead == "by"
        && (verb_before
            || before
                .iter()
                .any(|word| CHANGE_VERBS.iter().any(|verb| word.starts_with(verb))));
    let of_change = matches!(lead, "of" | "is" | "was" | "to")
        && meaningful
            .iter()
            .skip(1)
            .take(if lead == "of" { 2 } else { 5 })
            .any(|word| CHANGES.contains(word));
    let of_change = of_change && lead != "to";
    let comparative = COMPARATIVES.contains(&next) && !matches!(next, "off")
        || (COMPARATIVES.contains(&second)
            && number.unit.is_some()
            && !matches!(
                next,
                "in" | "for" | "with" | "and" | "or" | "of" | "on" | "at"
            ));
    let comparative = comparative || (next == "relative" || matches!(next, "absolute"));
    let comparative = comparative
        || next == "of" && matches!(second, "additional" | "extra") && number.unit.is_some();
    let change_noun = CHANGES.contains(&next)
        || (CHANGES.contains(&second)
            && !matches!(
                next,
                "the" | "a" | "and" | "of" | "in" | "with" | "no" | "on" | "for"
            ));
    let signed = number.sign == Some(crate::number::Sign::Plus);
    if by
        || of_change
        || comparative
        || (change_noun && (number.unit.is_some() || number.last_digit < 0))
        || signed
    {
        return Some(if number.is_percent() {
            Kind::RelativeChange
        } else {
            Kind::Difference
        });
    }
    None
}

/// Maths in which the number is not a free-standing value: indices, exponents, coefficients, intervals, formulas.
fn symbolic(math: &str, at: usize) -> bool {
    let Some(before) = math.get(..at) else {
        return true;
    };
    if before.ends_with(['_', '^']) || before.ends_with("_{") || before.ends_with("^{") {
        return true;
    }
    let after = math.get(at..).unwrap_or("");
    let letters = |text: &str| {
        text.chars()
            .any(|c| c.is_alphabetic() && !matches!(c, 'x' | 'e'))
    };
    let operators =
        |text: &str| text.contains(['∑', '∏', '∫', '√', '∈', '∞', '[', '|', '‖', '/', '∂', '∇']);
    let all_letters = letters(math) || operators(math);
    if !all_letters {
        return math.contains(['[', '{']) && !math.contains("^{") && !math.contains("{,}");
    }
    // `symbol = 512`, `n = 5`, `p < 0.05`, `\approx 3`: the value of a symbol may be a setting or a result.
    let tail = after.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '−' | '+')
    });
    let tail = tail.trim();
    let left = before.trim_end_matches(['-', '−', '+', ' ']);
    let assigned = left.ends_with(['=', '≈', '~', '∼', '<', '>', '≤', '≥', '≃', '±', '×']);
    let unit_like = |text: &str| {
        let word: String = text.chars().filter(|c| c.is_alphabetic()).collect();
        word.is_empty()
            || crate::units::from_word(&word).is_some()
            || matches!(
                word.as_str(),
                "x" | "e" | "M" | "B" | "k" | "K" | "pp" | "points"
            )
    };
    if assigned {
        // The rest of the formula may list further assignments: `\beta_1=0.9, \beta_2=0.999`.
        let ends = tail.is_empty()
            || tail.starts_with([',', ';', '%', '×', '±', '·', '^', ')', '–', '-'])
            || unit_like(tail);
        let subscript = left.trim_end_matches(['=', '≈', ' ']).ends_with('}')
            && before.contains("_{")
            && before.rfind("_{") > before.rfind('}');
        return !ends || subscript || math.contains(['∑', '∫', '∏']);
    }
    // `84.7 ms`, `3.2 × faster`
    let lead_free = left.is_empty() || left.ends_with([',', '(']);
    !(lead_free && unit_like(tail) && !operators(math))
}

/// `Expert 1`, `queue 3`: the number tells things of a kind apart.
fn named_by_number(text: &str, number: &Number, previous: &str, next: &str) -> bool {
    const KINDS: &[&str] = &[
        "queue",
        "layer",
        "block",
        "head",
        "level",
        "channel",
        "expert",
        "student",
        "annotator",
        "site",
        "fold",
        "seed",
        "run",
        "trial",
        "node",
        "user",
        "patient",
        "subject",
        "movie",
        "group",
        "cluster",
        "class",
        "model",
        "variant",
        "configuration",
        "setup",
        "day",
        "rater",
        "participant",
        "sample",
        "row",
        "column",
        "panel",
        "player",
        "agent",
        "worker",
        "thread",
        "rank",
        "station",
        "machine",
        "server",
    ];
    let small = number.value <= crate::decimal::Decimal::new(20, 0);
    let before = text.get(..number.range.start).unwrap_or("").trim_end();
    let written: String = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric())
        .collect::<Vec<char>>()
        .into_iter()
        .rev()
        .collect();
    let adjacent = written.to_lowercase() == previous;
    let name = written.chars().next().is_some_and(char::is_uppercase)
        && before.len() > written.len()
        && !before
            .trim_end_matches(written.as_str())
            .trim_end()
            .ends_with('.');
    small
        && adjacent
        && !counted(next)
        && (KINDS.contains(&previous)
            || name && previous.len() > 3 && KINDS.iter().any(|kind| previous.starts_with(kind)))
}

fn is_year(text: &str, number: &Number) -> bool {
    let written = text.get(number.range.clone()).unwrap_or("");
    written.len() == 4 && (written.starts_with("19") || written.starts_with("20"))
}

/// A noun that is counted: `2000 images` is no year.
fn counted(next: &str) -> bool {
    next.ends_with('s')
        && next.len() > 3
        && !matches!(
            next,
            "was" | "has" | "this" | "is" | "its" | "versus" | "as"
        )
}

fn enumerator(passage: &Passage, number: &Number) -> bool {
    let text = passage.text.as_str();
    let before = text.get(..number.range.start).unwrap_or("");
    let after = text.get(number.range.end..).unwrap_or("");
    let small = number.last_digit >= 0
        && number.value <= crate::decimal::Decimal::new(20, 0)
        && number.style == Style::Digits;
    if !small {
        return false;
    }
    let bracketed = before.ends_with(['(', '[']) && after.starts_with([')', ']']);
    let leading = before.trim().is_empty()
        && (after.starts_with(['.', ')', ':'])
            && !after
                .get(1..2)
                .is_some_and(|c| c.bytes().all(|b| b.is_ascii_digit())));
    bracketed || leading
}

/// The last words before a byte, in lower case, oldest first.
pub(crate) fn before_words(text: &str, at: usize, count: usize) -> Vec<String> {
    let before = text.get(..at).unwrap_or("");
    let clause = before.rsplit([';', '—']).next().unwrap_or("");
    // Not beyond the beginning of the sentence.
    let clause = clause
        .rfind(". ")
        .and_then(|end| clause.get(end + 2..))
        .filter(|rest| rest.starts_with(char::is_uppercase))
        .unwrap_or(clause);
    let mut words: Vec<String> = clause
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '~' | '$' | '='))
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .filter(|word| !word.is_empty())
        .rev()
        .take(count)
        .collect();
    words.reverse();
    words
}

/// The first words after a byte, in lower case; a word that opens a new sentence ends them.
pub(crate) fn after_words(text: &str, at: usize, count: usize) -> Vec<String> {
    let after = text.get(at..).unwrap_or("");
    let mut out = Vec::new();
    for word in after
        .split(|c: char| c.is_whitespace() || c == '~')
        .filter(|word| !word.is_empty())
        .take(count)
    {
        let opens = word.starts_with([',', ';', '.', ')', ':']);
        if opens && out.is_empty() && word.chars().all(|c| !c.is_alphanumeric()) {
            break;
        }
        let bare = word
            .trim_matches(|c: char| !c.is_alphanumeric())
            .trim_start_matches('-')
            .to_lowercase();
        if !bare.is_empty() {
            out.push(bare);
        }
        if word.ends_with(['.', ';', ',', ')', ':']) {
            break;
        }
    }
    out
}

fn directly_before(text: &str, start: usize) -> bool {
    text.get(..start)
        .is_some_and(|before| before.ends_with([' ', '\u{a0}', '~', '.', '(']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::scan;

    fn classes(text: &str) -> Vec<Class> {
        let passage = Passage {
            kind: PassageKind::Text,
            text: text.to_owned(),
            masks: Vec::new(),
            section: None,
            cell: None,
        };
        let numbers = scan(text);
        (0..numbers.len())
            .map(|at| class(&passage, &numbers, at))
            .collect()
    }

    #[test]
    fn kinds_follow_the_words() {
        use Class::{Strong, Weak};
        for (text, expected) in [
            ("reaches 84.7% accuracy", vec![Strong(Kind::Measurement)]),
            ("improves by 2.3 points", vec![Strong(Kind::Difference)]),
            (
                "a 15% relative improvement",
                vec![Strong(Kind::RelativeChange)],
            ),
            ("reduces latency by 40%", vec![Strong(Kind::RelativeChange)]),
            ("reduces the error to 3.2%", vec![Strong(Kind::Measurement)]),
            ("is 3.2× faster", vec![Strong(Kind::Ratio)]),
            ("a factor of 6.87", vec![Strong(Kind::Ratio)]),
            ("serves 13.3 more requests", vec![Strong(Kind::Difference)]),
            ("a gain of 1.2 BLEU", vec![Strong(Kind::Difference)]),
            ("over 5 seeds", vec![Weak(Kind::Count)]),
            ("batch size 256", vec![Weak(Kind::Count)]),
            ("learning rate 3e-4", vec![Strong(Kind::Measurement)]),
            (
                "84.7 ± 0.3",
                vec![Strong(Kind::Measurement), Strong(Kind::Uncertainty)],
            ),
            ("85 ms slower", vec![Strong(Kind::Difference)]),
        ] {
            assert_eq!(classes(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_claim() {
        for text in [
            "in 2021",
            "see Section 2",
            "Figure 3 shows",
            "(1) we",
            "GPT-4 and ResNet-50",
            "PyTorch 2.1",
            "one of the methods",
            "Table 4.2",
        ] {
            assert!(
                classes(text)
                    .iter()
                    .all(|class| matches!(class, Class::No(_))),
                "{text}: {:?}",
                classes(text)
            );
        }
    }

    #[test]
    fn formulas_hold_settings_only_as_assignments() {
        for (math, at, expected) in [
            ("84.7 ± 0.3", 0, false),
            ("x_1", 2, true),
            ("d = 512", 4, false),
            ("L = 1/2 ∑_i", 4, true),
            ("β_1=0.9", 5, false),
            ("β_1=0.9", 3, true),
            ("2σ", 0, true),
            ("1.2×10^{-3}", 0, false),
            ("[0,1]", 1, true),
            ("84.7%", 0, false),
        ] {
            assert_eq!(symbolic(math, at), expected, "{math} at {at}");
        }
    }
}
