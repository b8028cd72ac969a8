//! Statements that something never happened: "every trial finished without loss". One count above zero contradicts them.

use std::ops::Range;

use crate::claim::Kind;
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::judge::{Found, Judgement};
use crate::report::Status;
use crate::series::{Facet, Series, SeriesId, leaf};

/// Nouns of mishaps, and the words that keys of their counts have.
const MISHAPS: &[(&str, &[&str])] = &[
    ("loss", &["lost", "loss"]),
    ("losses", &["lost", "loss"]),
    ("failure", &["failure", "failed", "fail"]),
    ("failures", &["failure", "failed", "fail"]),
    ("error", &["error"]),
    ("errors", &["error"]),
    ("crash", &["crash", "crashed"]),
    ("crashes", &["crash", "crashed"]),
    ("timeout", &["timeout"]),
    ("timeouts", &["timeout"]),
    ("collision", &["collision"]),
    ("collisions", &["collision"]),
    ("violation", &["violation", "violated"]),
    ("violations", &["violation", "violated"]),
];

/// Words that speak of all cases.
const ALL: &[&str] = &["every", "all", "each"];

impl Engine<'_> {
    /// Judges "every … without …" in one sentence: range of the quantifier in it, judgement.
    pub(crate) fn judge_never(&self, body: &str) -> Option<(Range<usize>, Judgement)> {
        let lower = body.to_ascii_lowercase();
        let without = lower.find(" without ")?;
        let noun = lower
            .get(without + " without ".len()..)?
            .split(|c: char| !c.is_alphabetic())
            .find(|word| !matches!(*word, "" | "a" | "any" | "single"))?;
        let (_, keys) = MISHAPS.iter().find(|(name, _)| *name == noun)?;
        // The quantifier stands in the same clause.
        let clause = lower
            .get(..without)?
            .rfind([',', ';', ':'])
            .map_or(0, |at| at + 1);
        let (at, word) = ALL.iter().find_map(|word| {
            lower
                .get(clause..without)?
                .match_indices(*word)
                .find(|(at, _)| {
                    let whole = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
                    let at = clause + at;
                    whole(lower.get(..at).and_then(|text| text.chars().next_back()))
                        && whole(
                            lower
                                .get(at + word.len()..)
                                .and_then(|text| text.chars().next()),
                        )
                })
                .map(|(at, word)| (clause + at, word))
        })?;
        let counts: Vec<(SeriesId, &Series)> = (0..)
            .zip(&self.evidence.series)
            .filter(|(_, series)| !series.config && !series.axis && self.counts(series, keys))
            .collect();
        let worst = counts
            .iter()
            .flat_map(|(id, series)| {
                series.members.iter().filter_map(|at| {
                    let value = leaf(&self.evidence.leaves, *at)?.value;
                    Some((value, std::cmp::Reverse((*id, *at))))
                })
            })
            .max()?;
        let (value, std::cmp::Reverse((id, at_leaf))) = worst;
        let found = Found::of(id, Facet::Member(at_leaf), value);
        let (status, reason) = if value.is_zero() {
            (Status::ExactMatch, format!("holds: no {noun} is counted"))
        } else {
            (
                Status::ScopeOverclaim,
                format!("a count of {noun} is above zero"),
            )
        };
        Some((
            at..at + word.len(),
            Judgement::new(status, Kind::Scope, vec![found], reason),
        ))
    }

    /// Whole numbers, none below zero, under a key with one of these words: a training loss is no count.
    fn counts(&self, series: &Series, keys: &[&str]) -> bool {
        let named = series
            .measure
            .and_then(|label| self.evidence.lexicon.label(label))
            .is_some_and(|label| label.words.iter().any(|word| keys.contains(&word.as_str())));
        named
            && series.unit.is_none()
            && series.members.iter().all(|at| {
                leaf(&self.evidence.leaves, *at)
                    .is_some_and(|leaf| leaf.value.is_integer() && leaf.value >= Decimal::new(0, 0))
            })
    }
}
