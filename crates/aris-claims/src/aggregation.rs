//! What the words around a number say about how runs were combined, and how loosely it is meant.

use crate::fit::Approximate;

/// What the words around a number say about how runs were combined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Aggregation {
    pub(crate) mean: bool,
    pub(crate) median: bool,
    pub(crate) best: bool,
    pub(crate) worst: bool,
    pub(crate) spread: bool,
    pub(crate) standard_error: bool,
    /// Half of a confidence interval.
    pub(crate) interval: bool,
    pub(crate) total: bool,
    pub(crate) last: bool,
    /// The ends of a range: "between 1.8 and 2.8".
    pub(crate) range: bool,
}

/// Bytes by which a word behind a comma counts as farther away.
const APART: usize = 40;

impl Aggregation {
    /// Reads the words of a text; `near` is the byte of the number, and of two aggregates in one sentence the nearer one
    /// before it counts.
    pub(crate) fn read(text: &str, near: Option<usize>) -> Self {
        let lower = text.to_lowercase();
        let mut found = Self::default();
        let mut kinds: Vec<(usize, usize)> = Vec::new();
        for (kind, names) in AGGREGATES.iter().enumerate() {
            for name in *names {
                for (at, _) in lower.match_indices(name) {
                    let before = lower.get(..at).and_then(|text| text.chars().next_back());
                    let after = lower
                        .get(at + name.len()..)
                        .and_then(|text| text.chars().next());
                    let whole = !before.is_some_and(char::is_alphanumeric)
                        && !after.is_some_and(char::is_alphanumeric);
                    if whole {
                        kinds.push((at, kind));
                    }
                }
            }
        }
        if let Some(near) = near {
            let numbers_between = |from: usize, to: usize| {
                let between = lower.get(from.min(to)..from.max(to)).unwrap_or("");
                // The number itself does not stand between it and a word behind it.
                let own = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '%' | '$');
                let between = if from > to {
                    between.trim_start_matches(own)
                } else {
                    between
                };
                between.bytes().filter(u8::is_ascii_digit).count()
            };
            // The nearest word without another number in between; else the nearest of all.
            // "is 415.0 MW, the best 397.4": a word behind a comma belongs to what follows it.
            let apart = |at: usize| {
                let behind = lower.get(near..at).unwrap_or("");
                let bytes = behind.as_bytes();
                behind.char_indices().any(|(at, c)| {
                    c == ';' || c == ',' && !bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
                })
            };
            let distance = |at: usize| {
                at.abs_diff(near)
                    + if apart(at) { APART } else { 0 }
                    + 30 * numbers_between(at, near).min(3)
                    + if at > near { 15 } else { 0 }
            };
            let nearest = kinds.iter().map(|(at, _)| distance(*at)).min();
            kinds.retain(|(at, _)| Some(distance(*at)) == nearest);
            // A median or a best value is said of the next number only, and what stands in brackets of those in them.
            kinds.retain(|(at, kind)| {
                let between = lower.get((*at).min(near)..near.max(*at)).unwrap_or("");
                let apart = between.contains(')') && !between.contains('(');
                !apart && (*kind == 0 || numbers_between(*at, near) == 0)
            });
            // A spread is announced before its number.
            kinds.retain(|(at, kind)| !matches!(kind, 4 | 5) || *at < near);
        }
        for (_, kind) in kinds {
            match kind {
                0 => found.mean = true,
                1 => found.median = true,
                2 => found.best = true,
                3 => found.worst = true,
                4 => found.spread = true,
                5 => found.standard_error = true,
                6 => found.total = true,
                _ => found.last = true,
            }
        }
        found
    }

    /// Whether any way of combining is named.
    pub(crate) fn any(self) -> bool {
        self != Self::default()
    }
}

pub(crate) const AGGREGATES: [&[&str]; 8] = [
    &[
        "mean",
        "means",
        "average",
        "averaged",
        "averages",
        "averaging",
        "avg",
        "avg.",
        "on average",
    ],
    &["median"],
    &["best", "highest", "maximum", "max", "fastest", "top run"],
    &["worst", "lowest", "minimum", "slowest"],
    &[
        "standard deviation",
        "standard deviations",
        "std",
        "std.",
        "deviation",
        "spread",
        "s.d.",
        "sd",
    ],
    &["standard error", "standard errors", "s.e.m.", "sem"],
    &["total", "in total", "overall", "sum"],
    &[
        "final",
        "last",
        "finally",
        "end of training",
        "after training",
    ],
];

/// Words before a number that loosen it.
pub(crate) fn approximate(text: &str, start: usize) -> Approximate {
    let before = text
        .get(..start)
        .unwrap_or("")
        .trim_end_matches(['$', '(', ' ', '\u{a0}', '+', '-', '−']);
    let lower = before.to_lowercase();
    let ends = |names: &[&str]| {
        names.iter().any(|name| {
            lower
                .strip_suffix(name)
                .is_some_and(|rest| !rest.chars().next_back().is_some_and(char::is_alphabetic))
        })
    };
    if before.ends_with(['~', '≈', '∼', '≃'])
        || ends(&[
            "about",
            "roughly",
            "approximately",
            "around",
            "circa",
            "some",
            "ca.",
            "near",
            "close to",
            "approx.",
        ])
    {
        Approximate::About
    } else if before.ends_with(['>', '≥'])
        || ends(&[
            "more than",
            "over",
            "at least",
            "above",
            "exceeds",
            "exceeding",
            "greater than",
            "well over",
        ])
    {
        Approximate::AtLeast
    } else if before.ends_with(['<', '≤'])
        || ends(&[
            "less than",
            "under",
            "below",
            "nearly",
            "almost",
            "at most",
            "up to",
            "fewer than",
            "within",
        ])
    {
        Approximate::AtMost
    } else {
        Approximate::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_aggregate_counts() {
        let text = "The best seed reaches 84.7%, the worst 84.1%, and the median is 84.21%.";
        let at = |number: &str| Aggregation::read(text, text.find(number));
        assert!(at("84.7").best && !at("84.7").worst);
        assert!(at("84.1%").worst && !at("84.1%").median);
        assert!(at("84.21").median && !at("84.21").worst);
        assert!(Aggregation::read("on average 3.2 ms", Some(11)).mean);
        assert!(!Aggregation::read("meaning 3.2 ms", Some(8)).any());
    }

    #[test]
    fn loosening_words_stand_directly_before() {
        for (text, expected) in [
            ("about 50", Approximate::About),
            ("takes ~ 50", Approximate::About),
            ("more than 50", Approximate::AtLeast),
            ("up to 50", Approximate::AtMost),
            ("over 50", Approximate::AtLeast),
            ("moreover 50", Approximate::No),
            ("50", Approximate::No),
        ] {
            assert_eq!(approximate(text, text.len() - 2), expected, "{text}");
        }
    }
}
