//! Numbers that belong to a cited work.

use crate::number::Number;
use crate::passage::{MaskKind, Passage};

/// Verbs with a cited work as their subject.
pub(crate) const REPORTING: &[&str] = &[
    "report",
    "achiev",
    "obtain",
    "show",
    "reach",
    "claim",
    "prun",
    "propos",
    "found",
    "find",
    "observ",
    "introduc",
    "demonstrat",
    "scale",
    "train",
    "use",
    "need",
    "requir",
    "stud",
    "measur",
    "has",
    "have",
    "had",
    "contain",
    "remov",
    "save",
    "cut",
    "improv",
    "describ",
    "compress",
    "estimat",
    "run",
    "ran",
    "list",
    "rais",
    "lower",
    "reduc",
    "increas",
    "beat",
    "outperform",
    "attain",
    "get",
    "got",
    "surpass",
    "collect",
    "label",
    "gain",
    "speed",
    "accelerat",
    "handl",
    "process",
    "evaluat",
    "test",
    "releas",
    "is",
    "was",
    "are",
    "were",
    "take",
    "took",
    "record",
    "cover",
    "predict",
    "solv",
];

/// The number belongs to a cited work: the citation is the subject of a verb before it ("[3] reports 84.7%"), or stands
/// directly behind what the number counts ("on 53,000 hours [4]"). A sentence with "we" or "our" speaks of the paper itself.
pub(crate) fn attributed(passage: &Passage, number: &Number) -> bool {
    let sentence = passage
        .sentences()
        .into_iter()
        .find(|range| range.contains(&number.range.start))
        .unwrap_or(0..passage.text.len());
    let cited: Vec<&std::ops::Range<usize>> = passage
        .masks
        .iter()
        .filter(|(range, kind)| *kind == MaskKind::Cite && sentence.contains(&range.start))
        .map(|(range, _)| range)
        .collect();
    if cited.is_empty() {
        return false;
    }
    let text = passage.text.get(sentence.clone()).unwrap_or("");
    let lower = format!(" {} ", text.to_lowercase());
    if [" we ", " our ", " ours ", " us "]
        .iter()
        .any(|word| lower.contains(word))
    {
        return false;
    }
    cited.iter().any(|cite| {
        if cite.end <= number.range.start {
            let between = passage.text.get(cite.end..number.range.start).unwrap_or("");
            if between.contains(';') {
                return false;
            }
            let verb = between
                .split(|c: char| !c.is_alphabetic())
                .filter(|word| !word.is_empty())
                .find(|word| {
                    !matches!(
                        word.to_lowercase().as_str(),
                        "then"
                            | "also"
                            | "which"
                            | "that"
                            | "who"
                            | "and"
                            | "later"
                            | "already"
                            | "et"
                            | "al"
                            | "further"
                    )
                });
            return verb.is_some_and(|verb| {
                let verb = verb.to_lowercase();
                REPORTING.iter().any(|stem| {
                    if stem.len() <= 3 {
                        verb == *stem || verb == format!("{stem}s") || verb == format!("{stem}d")
                    } else {
                        verb.starts_with(stem)
                    }
                })
            });
        }
        let between = passage.text.get(number.end..cite.start).unwrap_or("");
        between.split_whitespace().count() == 1 && !between.contains([',', ';', ':', '('])
    })
}
