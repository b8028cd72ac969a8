//! Acronyms among the labels of the results that the paper writes out.

use std::collections::BTreeMap;

use crate::engine::ratio;
use crate::evidence::Evidence;
use crate::lexicon::LabelId;
use crate::mention::Mention;
use crate::passage::Paper;
use crate::words;

/// Names that a field writes in two ways which share no word: as result files have it, as papers have it.
const WORDINGS: &[(&str, &str)] = &[
    ("drop_path", "stochastic depth"),
    ("xgboost", "gradient boosting"),
    ("xgboost", "boosted trees"),
    ("lightgbm", "gradient boosting"),
    ("gbm", "gradient boosting"),
    ("io", "input and output"),
    ("ctx", "context length"),
    ("gamma", "discount"),
    ("l2", "weight decay"),
    ("wer", "word error rate"),
    ("cer", "character error rate"),
    ("mota", "tracking accuracy"),
    ("oom", "out of memory"),
    ("tau", "polyak"),
];

/// The least part of a written-out acronym that mentions it: "calibration error" for "expected calibration error".
pub(crate) const LEAST_ALIAS: f64 = 0.6;

/// Acronyms among the labels that the paper writes out: as many words in a row as letters, with these initials; two letters
/// need the acronym in brackets behind them.
pub(crate) fn acronyms(paper: &Paper, evidence: &Evidence) -> Vec<(LabelId, Vec<String>)> {
    let mut by_letters: BTreeMap<&str, Vec<LabelId>> = BTreeMap::new();
    for (id, label) in (0..).zip(&evidence.lexicon.labels) {
        for word in label.words.iter().filter(|word| {
            (2..=6).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase())
        }) {
            by_letters.entry(word).or_default().push(id);
        }
    }
    let mut found: Vec<(LabelId, Vec<String>)> = Vec::new();
    for passage in &paper.passages {
        let tokens = words::words(&passage.text);
        for start in 0..tokens.len() {
            let mut initials = String::new();
            for (length, token) in tokens.iter().skip(start).take(6).enumerate() {
                let next = passage.text.get(token.end..).unwrap_or("");
                let first_stop = length == 0 && words::is_stop(&token.text);
                if !token.raw.is_ascii()
                    || token.raw.bytes().any(|b| b.is_ascii_digit())
                    || first_stop
                {
                    break;
                }
                initials.extend(token.raw.chars().next());
                if words::is_stop(&token.text) {
                    continue;
                }
                let Some(labels) = by_letters.get(initials.as_str()) else {
                    continue;
                };
                let written = next.trim_start_matches([' ', '(', ':']).to_lowercase();
                let defined =
                    next.trim_start().starts_with('(') && written.starts_with(initials.as_str());
                let long = tokens
                    .iter()
                    .skip(start)
                    .take(length + 1)
                    .all(|token| token.raw.len() >= 3 || words::is_stop(&token.text));
                if length >= 1 && (defined || (initials.len() >= 3 && long)) {
                    let phrase: Vec<String> = tokens
                        .iter()
                        .skip(start)
                        .take(length + 1)
                        .map(|token| token.text.clone())
                        .collect();
                    for label in labels {
                        let rest = evidence.lexicon.label(*label).map(|label| {
                            label
                                .words
                                .iter()
                                .filter(|word| **word != initials)
                                .cloned()
                                .collect::<Vec<_>>()
                        });
                        let form: Vec<String> = phrase
                            .iter()
                            .cloned()
                            .chain(rest.unwrap_or_default())
                            .collect();
                        if !found
                            .iter()
                            .any(|(known, known_form)| known == label && *known_form == form)
                            && found.len() < 300
                        {
                            found.push((*label, form));
                        }
                    }
                }
            }
        }
    }
    for (key, phrase) in WORDINGS {
        for (id, label) in (0..).zip(&evidence.lexicon.labels) {
            let key_words = words::canonical(key);
            let whole = label.compact == words::compact(key);
            if !whole && !key_words.iter().all(|word| label.words.contains(word)) {
                continue;
            }
            let rest = label
                .words
                .iter()
                .filter(|word| !whole && !key_words.contains(word))
                .cloned();
            let form: Vec<String> = rest.chain(words::canonical(phrase)).collect();
            if found.len() < 400 {
                found.push((id, form));
            }
        }
    }
    // Rates are throughputs.
    for (id, label) in (0..).zip(&evidence.lexicon.labels) {
        if label.words.windows(2).any(|pair| {
            pair.first().is_some_and(|word| word == "per")
                && pair.get(1).is_some_and(|word| word == "second")
        }) {
            found.push((id, vec!["throughput".to_owned()]));
        }
    }
    found
}

pub(crate) fn add_aliases(
    text: &str,
    aliases: &[(LabelId, Vec<String>)],
    found: &mut Vec<Mention>,
) {
    if aliases.is_empty() {
        return;
    }
    let tokens = words::words(text);
    for (label, form) in aliases {
        let Some(last) = form.last() else { continue };
        for (at, _) in tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| token.text == *last)
        {
            let from = (at + 1).saturating_sub(form.len());
            let have = form
                .iter()
                .filter(|word| {
                    tokens
                        .get(from..=at)
                        .is_some_and(|window| window.iter().any(|token| token.text == **word))
                })
                .count();
            let share = ratio(have, form.len());
            let Some(place) = tokens
                .get(from)
                .map(|token| token.start)
                .filter(|_| share >= LEAST_ALIAS)
            else {
                continue;
            };
            match found.iter_mut().find(|mention| mention.label == *label) {
                Some(known) => {
                    known.strength = known.strength.max(share);
                    if !known.places.contains(&place) {
                        known.places.push(place);
                    }
                }
                None => found.push(Mention {
                    label: *label,
                    strength: share,
                    places: vec![place],
                }),
            }
        }
    }
}
