//! Which labels of the results does a stretch of text speak of, and where?

use std::collections::BTreeMap;

use crate::languages;
use crate::lexicon::{LabelId, Lexicon};
use crate::words::{self, Word};

/// A label that a text mentions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mention {
    pub(crate) label: LabelId,
    /// How much of the label is there: above 0, at most 1.
    pub(crate) strength: f64,
    /// Bytes where its telling words stand.
    pub(crate) places: Vec<usize>,
}

/// The least part of a label that counts as a mention.
const LEAST_COVERAGE: f64 = 0.3;

/// Part of the heaviest word's weight from which a word marks where the label stands.
const TELLING: f64 = 0.6;

/// The longest name that is joined from words: `Gated Sparse Attention Net` against `gatedsparseattentionnet`.
const LONGEST_NAME: usize = 5;

/// The labels that a text mentions, by label number.
///
/// `bare_numbers`: a number standing alone names an axis value (a column head `64`); in running text it needs its axis
/// beside it (`64 threads`).
pub(crate) fn mentions(text: &str, lexicon: &Lexicon, bare_numbers: bool) -> Vec<Mention> {
    let tokens = words::words(text);
    let mut found: BTreeMap<LabelId, Parts> = BTreeMap::new();
    names(&tokens, text, lexicon, &mut found);
    for (at, token) in tokens.iter().enumerate() {
        if words::is_stop(&token.text) {
            continue;
        }
        for label in lexicon.with_word(&token.text) {
            note(&mut found, lexicon, *label, &token.text, at, 1.0);
        }
        for code in languages::codes(&token.raw) {
            for label in lexicon.with_word(code) {
                note(&mut found, lexicon, *label, code, at, 0.95);
            }
        }
        // Names are not abbreviated: `view` is not `ViewPool`.
        let name = text
            .get(token.start..token.end)
            .is_some_and(|written| written.chars().skip(1).any(char::is_uppercase));
        for known in lexicon.abbreviations(&token.text).filter(|_| !name) {
            for label in lexicon.with_word(known) {
                note(&mut found, lexicon, *label, known, at, 0.8);
            }
        }
    }
    let mut out: Vec<Mention> = Vec::new();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let mut candidates = Vec::new();
    for (id, parts) in &found {
        let Some(label) = lexicon.label(*id) else {
            continue;
        };
        if let Some((strength, found)) = &parts.whole {
            for (at, length) in found {
                candidates.push((*id, *strength, vec![*at], Some((*at, at + length))));
                spans.push((*at, at + length));
            }
            continue;
        }
        let total: f64 = label.weights.iter().sum();
        let mut covered = 0.0;
        let mut best = 0.0_f64;
        let mut telling: Vec<(f64, &[(usize, f64)])> = Vec::new();
        let mut span: Option<(usize, usize)> = None;
        for (index, (word, weight)) in label.words.iter().zip(&label.weights).enumerate() {
            let Some(places) = parts.words.get(&index) else {
                continue;
            };
            let digits = word.bytes().all(|b| b.is_ascii_digit());
            if digits && !bare_numbers && !beside(places, parts, &tokens, index) {
                continue;
            }
            if digits && label.words.len() > 1 && !beside(places, parts, &tokens, index) {
                continue;
            }
            let strength = places
                .iter()
                .map(|(_, strength)| *strength)
                .fold(0.0, f64::max);
            covered += weight * strength;
            best = best.max(*weight);
            telling.push((*weight, places));
            for (at, _) in places {
                span = Some(span.map_or((*at, at + 1), |(from, to): (usize, usize)| {
                    (from.min(*at), to.max(at + 1))
                }));
            }
        }
        let coverage = if total > 0.0 { covered / total } else { 0.0 };
        if coverage < LEAST_COVERAGE {
            continue;
        }
        let full = coverage > 0.95 && label.words.len() > 1;
        if let (true, Some((from, to))) = (full, span)
            && to - from <= label.words.len() + 1
        {
            spans.push((from, to));
        }
        let mut places: Vec<usize> = telling
            .iter()
            .filter(|(weight, _)| *weight >= best * TELLING)
            .flat_map(|(_, places)| places.iter().map(|(at, _)| *at))
            .collect();
        places.sort_unstable();
        places.dedup();
        candidates.push((*id, coverage.min(1.0), places, span));
    }
    for (label, mut strength, places, span) in candidates {
        // A name inside a longer known name is not that name: `gating` in `w/o gating`.
        if let Some((from, to)) = span {
            let swallowed = spans
                .iter()
                .any(|(start, end)| *start <= from && to <= *end && end - start > to - from);
            if swallowed {
                strength *= 0.4;
            }
        }
        let places: Vec<usize> = places
            .iter()
            .filter_map(|at| tokens.get(*at))
            .map(|token| token.start)
            .collect();
        match out.iter_mut().find(|mention| mention.label == label) {
            Some(known) => {
                known.strength = known.strength.max(strength);
                known.places.extend(places);
            }
            None => out.push(Mention {
                label,
                strength,
                places,
            }),
        }
    }
    out
}

/// What was found of one label.
#[derive(Debug, Default)]
struct Parts {
    /// The whole name: strength, and first token and number of tokens of each place.
    whole: Option<(f64, Vec<(usize, usize)>)>,
    /// Tokens and strengths by index of the label's word.
    words: BTreeMap<usize, Vec<(usize, f64)>>,
}

fn note(
    found: &mut BTreeMap<LabelId, Parts>,
    lexicon: &Lexicon,
    id: LabelId,
    word: &str,
    at: usize,
    strength: f64,
) {
    let Some(label) = lexicon.label(id) else {
        return;
    };
    let Some(index) = label.words.iter().position(|known| known == word) else {
        return;
    };
    let places = found.entry(id).or_default().words.entry(index).or_default();
    if places.last().is_none_or(|(last, _)| *last != at) {
        places.push((at, strength));
    }
}

/// A number counts only beside another word of its label: the 10 of `cifar10` in `CIFAR-10`, not in `10 epochs`.
fn beside(places: &[(usize, f64)], parts: &Parts, tokens: &[Word], own: usize) -> bool {
    let near = |at: usize, other: usize| at.abs_diff(other) <= 1 && tokens.len() > other;
    places.iter().any(|(at, _)| {
        parts
            .words
            .iter()
            .filter(|(index, _)| **index != own)
            .flat_map(|(_, others)| others)
            .any(|(other, _)| near(*at, *other))
    })
}

/// Names written together or apart, and their initials.
fn names(tokens: &[Word], text: &str, lexicon: &Lexicon, found: &mut BTreeMap<LabelId, Parts>) {
    for start in 0..tokens.len() {
        let mut joined = String::new();
        let mut initials = String::new();
        let mut previous_end = None;
        for (length, token) in tokens.iter().skip(start).take(LONGEST_NAME).enumerate() {
            // Words joined across a sentence mark are no name.
            if let Some(end) = previous_end {
                let gap = text.get(end..token.start).unwrap_or("");
                if gap.contains(['.', ',', ';', ':', '(', ')', '=', '%']) || gap.len() > 4 {
                    break;
                }
            }
            previous_end = Some(token.end);
            if length > 0
                && tokens
                    .get(start + length - 1)
                    .is_some_and(|before| before.start == token.start)
            {
                // The second word of an expanded abbreviation repeats the written form.
                continue;
            }
            joined.push_str(&token.raw);
            initials.extend(token.raw.chars().next());
            // A word of a label written apart: `warm-up` for `warmup_updates`.
            if length >= 1 {
                let stemmed = words::stem(&joined);
                for label in lexicon.with_word(&stemmed) {
                    note(found, lexicon, *label, &stemmed, start, 1.0);
                }
            }
            let alone_digit = length == 0 && joined.bytes().all(|b| b.is_ascii_digit());
            // The column `or` of odds ratios is not the word "or".
            let function_word = length == 0
                && words::is_stop(&joined)
                && text
                    .get(token.start..token.end)
                    .is_some_and(|written| written == joined);
            if joined.len() > 1
                && !alone_digit
                && !function_word
                && let Some(label) = lexicon
                    .exact(&joined)
                    .or_else(|| lexicon.inflected(&joined))
            {
                whole(found, label, 1.0, start, length + 1);
            }
            if length >= 1
                && (2..=5).contains(&initials.len())
                && initials.bytes().all(|b| b.is_ascii_lowercase())
                && let Some(label) = lexicon.exact(&initials)
            {
                whole(found, label, 0.7, start, length + 1);
            }
        }
    }
}

fn whole(
    found: &mut BTreeMap<LabelId, Parts>,
    label: LabelId,
    strength: f64,
    at: usize,
    length: usize,
) {
    let parts = found.entry(label).or_default();
    match &mut parts.whole {
        Some((known, places)) if (*known - strength).abs() < f64::EPSILON => {
            // The longer of two names at one place.
            if places.last().is_none_or(|(last, _)| *last != at) {
                places.push((at, length));
            } else if let Some((_, known)) = places.last_mut() {
                *known = length.max(*known);
            }
        }
        Some((known, _)) if *known > strength => {}
        other => *other = Some((strength, vec![(at, length)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_as_papers_write_them() {
        let mut lexicon = Lexicon::default();
        for label in [
            "ours",
            "no_gating",
            "gating",
            "resnet50",
            "cifar10",
            "cifar100",
            "top1_acc",
            "top5_acc",
            "calib_error",
            "em",
            "8",
            "threads",
            "sparse_gate",
        ] {
            lexicon.intern(label);
        }
        lexicon.weigh();
        let strong = |text: &str, bare: bool| -> Vec<&str> {
            mentions(text, &lexicon, bare)
                .iter()
                .filter(|mention| mention.strength > 0.75)
                .map(|mention| lexicon.label(mention.label).unwrap().text.as_str())
                .collect()
        };
        for (text, bare, expected) in [
            (
                "our method on CIFAR-10 for 100 epochs",
                false,
                vec!["ours", "cifar10"],
            ),
            (
                "ResNet-50 reaches the best Top-1 accuracy",
                false,
                vec!["resnet50", "top1_acc"],
            ),
            ("w/o gating", false, vec!["no_gating"]),
            ("without gating", false, vec!["no_gating"]),
            ("calibration error", false, vec!["calib_error"]),
            ("Exact Match", false, vec![]),
            ("SparseGate", false, vec!["sparse_gate"]),
            ("8", true, vec!["8"]),
            ("with 8 layers", false, vec![]),
        ] {
            assert_eq!(strong(text, bare), expected, "{text}");
        }
        assert!(
            mentions("Exact Match", &lexicon, false)
                .iter()
                .any(|m| m.strength >= 0.7)
        );
    }
}
