//! Statements about all cases: "consistently outperforms", "on every dataset", "always".
//!
//! The cases are the values of the own method that the sentence speaks of, each against the same value of the other
//! methods; one case in which the own method is not better contradicts the statement.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::claim::Kind;
use crate::context::Weights;
use crate::decimal::Decimal;
use crate::engine::{Engine, index};
use crate::evidence::SlotKind;
use crate::judge::{Found, Judgement};
use crate::lexicon::LabelId;
use crate::passage::PassageKind;
use crate::report::Status;
use crate::series::{Facet, SeriesId};

/// Gain of cases whose column the sentence names, and of cases in which a named method takes part.
const VARIED: f64 = 1.5;

/// Words that speak of all cases.
const QUANTIFIERS: &[&str] = &[
    "consistently",
    "always",
    "every",
    "all",
    "uniformly",
    "invariably",
    "each",
    "any",
    "never",
    "universally",
    "everywhere",
    "throughout",
    "across the board",
    "without exception",
    "regardless",
    "systematically",
    "both",
];

/// Words of comparison.
const COMPARISONS: &[&str] = &[
    "outperform",
    "speeds",
    "accelerat",
    "better",
    "beat",
    "improv",
    "win",
    "exceed",
    "superior",
    "best",
    "faster",
    "lower",
    "higher",
    "significant",
    "rais",
    "surpass",
    "dominat",
    "reduc",
    "ahead",
    "above",
    "below",
    "cheaper",
    "smaller",
    "more accurate",
    "highest",
    "lowest",
    "fastest",
    "gain",
    "strongest",
    "wins",
    "leads",
    "outscore",
    "slower",
    "worse",
    "fewer",
    "less",
    "more",
    "first",
];

/// A value of the own method that has counterparts: score, value, the same of other methods.
type Case = (f64, SeriesId, Vec<SeriesId>);

impl Engine<'_> {
    /// Judges the quantifiers of one passage: range of the word, judgement.
    pub(crate) fn judge_scopes(&self, passage: usize) -> Vec<(Range<usize>, Judgement)> {
        let mut out = Vec::new();
        let Some(text) = self.paper.passages.get(passage) else {
            return out;
        };
        if !matches!(
            text.kind,
            PassageKind::Abstract | PassageKind::Text | PassageKind::Caption
        ) {
            return out;
        }
        let Some(analysed) = self.passages.get(passage) else {
            return out;
        };
        for sentence in &analysed.sentences {
            let Some(body) = text.text.get(sentence.start..sentence.end) else {
                continue;
            };
            if let Some((range, judgement)) = self.judge_never(body) {
                out.push((
                    sentence.start + range.start..sentence.start + range.end,
                    judgement,
                ));
                continue;
            }
            let lower = body.to_lowercase();
            if !COMPARISONS
                .iter()
                .any(|word| word_at(&lower, word, true).is_some())
            {
                continue;
            }
            let Some((at, word)) = QUANTIFIERS
                .iter()
                .filter_map(|word| word_at(&lower, word, false).map(|at| (at, *word)))
                .min_by_key(|(at, word)| (rank(word).min(1), *at))
            else {
                continue;
            };
            let range = sentence.start + at..sentence.start + at + word.len();
            let weights = self.text_weights(passage, range.start, range.end);
            if lower.contains("significant") {
                out.extend(
                    self.judge_significance(body)
                        .map(|judgement| (range, judgement)),
                );
                continue;
            }
            if let Some(judgement) = self.judge_scope(
                body,
                &weights,
                sentence
                    .mentions
                    .iter()
                    .map(|mention| mention.label)
                    .collect(),
            ) {
                out.push((range, judgement));
            }
        }
        out
    }

    /// "Significant on all languages": every p value of the context is below the threshold.
    fn judge_significance(&self, body: &str) -> Option<Judgement> {
        let threshold = crate::number::scan(body)
            .into_iter()
            .find(|number| {
                number.value < Decimal::new(2, -1)
                    && body
                        .get(..number.range.start)
                        .is_some_and(|before| before.trim_end().ends_with('<'))
            })
            .map_or(Decimal::new(5, -2), |number| number.value);
        let is_p = |label: LabelId| {
            let compact = self
                .evidence
                .lexicon
                .label(label)
                .map_or("", |label| label.compact.as_str());
            matches!(
                compact,
                "p" | "pvalue" | "pvalues" | "pval" | "padj" | "pvals"
            )
        };
        let mut cases: Vec<(SeriesId, Decimal)> = Vec::new();
        for (id, series) in (0..).zip(&self.evidence.series) {
            if series.config
                || series.count
                || !series
                    .slots
                    .iter()
                    .any(|slot| slot.kind == SlotKind::Key && is_p(slot.label))
            {
                continue;
            }
            cases.extend(
                series
                    .headline(&self.evidence.leaves)
                    .map(|(_, value)| (id, value)),
            );
        }
        if cases.len() < 2 {
            return None;
        }
        let losses: Vec<Found> = cases
            .iter()
            .filter(|(_, value)| *value >= threshold)
            .map(|(id, value)| Found::of(*id, Facet::Single, *value))
            .collect();
        if losses.is_empty() {
            let evidence = cases
                .first()
                .map(|(id, value)| Found::of(*id, Facet::Single, *value));
            return Some(Judgement::new(
                Status::ExactMatch,
                Kind::Scope,
                evidence.into_iter().collect(),
                format!("holds for all {} p values", cases.len()),
            ));
        }
        let reason = format!(
            "{} of {} p values are not below {threshold}",
            losses.len(),
            cases.len()
        );
        Some(Judgement::new(
            Status::ScopeOverclaim,
            Kind::Scope,
            losses,
            reason,
        ))
    }

    /// Compares the own method with the others over the cases of the context.
    fn judge_scope(
        &self,
        body: &str,
        weights: &Weights,
        mentioned: Vec<LabelId>,
    ) -> Option<Judgement> {
        let own = *self.own.first()?;
        let mut all: Vec<Case> = Vec::new();
        for scored in self.score_for(weights, None, true) {
            let Some(series) = self.series(scored.series) else {
                continue;
            };
            if series.config
                || series.count
                || series.spread
                || series.axis
                || series.labels.binary_search(&own).is_err()
            {
                continue;
            }
            let rivals = self.rivals_of(scored.series, own);
            if !rivals.is_empty() {
                all.push((scored.score, scored.series, rivals));
            }
            if all.len() >= 400 {
                break;
            }
        }
        // "Every tissue": the cases lie in a column of that name. Methods that are named must be among the rivals.
        let nouns = crate::words::canonical(body);
        for (score, id, rivals) in &mut all {
            let Some(series) = self.series(*id) else {
                continue;
            };
            let varied = series
                .slots
                .iter()
                .filter_map(|slot| slot.name)
                .filter_map(|name| self.evidence.lexicon.label(name));
            if varied
                .into_iter()
                .any(|name| name.words.iter().any(|word| nouns.contains(word)))
            {
                *score += VARIED;
            }
            let named = rivals
                .iter()
                .filter_map(|rival| self.series(*rival))
                .any(|rival| {
                    rival
                        .labels
                        .iter()
                        .any(|label| self.rivals.contains(label) && mentioned.contains(label))
                });
            if named {
                *score += VARIED;
            }
        }
        let cases = self.family_of_cases(&all, &mentioned)?;
        let mut wins = 0_usize;
        let mut losses: Vec<Found> = Vec::new();
        for (_, id, rivals) in &cases {
            let Some(series) = self.series(*id) else {
                continue;
            };
            let Some((facet, ours)) = series.headline(&self.evidence.leaves) else {
                continue;
            };
            // Only the rivals that the sentence names, if it names any.
            let named: Vec<SeriesId> = rivals
                .iter()
                .copied()
                .filter(|rival| {
                    self.series(*rival).is_some_and(|rival| {
                        rival.labels.iter().any(|label| {
                            mentioned.contains(label) && series.labels.binary_search(label).is_err()
                        })
                    })
                })
                .collect();
            for rival in if named.is_empty() { rivals } else { &named } {
                let Some((other_facet, theirs)) = self
                    .series(*rival)
                    .and_then(|rival| rival.headline(&self.evidence.leaves))
                else {
                    continue;
                };
                let better = if series.lower_is_better {
                    ours < theirs
                } else {
                    ours > theirs
                };
                if better {
                    wins += 1;
                } else {
                    losses.push(scope_found(*id, facet, *rival, other_facet, ours));
                }
            }
        }
        if losses.is_empty() {
            if wins < 2 {
                return None;
            }
            let evidence = cases.first().map(|(_, id, rivals)| {
                scope_found(
                    *id,
                    Facet::Single,
                    rivals.first().copied().unwrap_or(*id),
                    Facet::Single,
                    Decimal::from_count(wins),
                )
            });
            return Some(Judgement::new(
                Status::ExactMatch,
                Kind::Scope,
                evidence.into_iter().collect(),
                format!("holds in all {wins} comparisons"),
            ));
        }
        // A statement that most cases contradict has been misread: authors overstate, they do not invert.
        if losses.len() > wins {
            return None;
        }
        let reason = format!(
            "{} of {} comparisons contradict it",
            losses.len(),
            losses.len() + wins
        );
        losses.truncate(4);
        Some(Judgement::new(
            Status::ScopeOverclaim,
            Kind::Scope,
            losses,
            reason,
        ))
    }

    /// The cases that belong together: one measure over datasets, or one record over its keys. Of all such families the one
    /// that the context fits best.
    fn family_of_cases(&self, all: &[Case], mentioned: &[LabelId]) -> Option<Vec<Case>> {
        let mut families: BTreeMap<(bool, Vec<LabelId>), Vec<usize>> = BTreeMap::new();
        for (at, (_, id, _)) in all.iter().enumerate() {
            let Some(series) = self.series(*id) else {
                continue;
            };
            let paths: Vec<LabelId> = series
                .slots
                .iter()
                .filter(|slot| slot.kind == SlotKind::Path)
                .map(|slot| slot.label)
                .collect();
            let mut by_measure = paths.clone();
            by_measure.extend(self.measure(series));
            families.entry((true, by_measure)).or_default().push(at);
            let keys = series
                .slots
                .iter()
                .filter(|slot| slot.kind == SlotKind::Key)
                .count();
            let mut by_record = paths;
            by_record.extend(
                series
                    .slots
                    .iter()
                    .filter(|slot| slot.kind == SlotKind::Key)
                    .take(keys.saturating_sub(1))
                    .map(|slot| slot.label),
            );
            families.entry((false, by_record)).or_default().push(at);
        }
        let score = |members: &Vec<usize>| {
            members
                .iter()
                .filter_map(|at| all.get(*at))
                .map(|(score, ..)| *score)
                .fold(f64::MIN, f64::max)
        };
        // A family over measures mixes them; it counts only when there is none over cases.
        let rank = |key: &(bool, Vec<LabelId>), members: &Vec<usize>| {
            score(members) + if key.0 { 0.3 } else { 0.0 }
        };
        let (key, members) = families
            .iter()
            .filter(|((by_measure, _), members)| {
                members.len() >= 2 && (*by_measure || members.len() >= 3)
            })
            .max_by(|(a_key, a), (b_key, b)| {
                rank(a_key, a)
                    .total_cmp(&rank(b_key, b))
                    .then(b_key.cmp(a_key))
            })?;
        let mut chosen = members.clone();
        // "Better" without a measure means all measures of quality of these cases.
        let measure_named = mentioned.iter().any(|label| {
            self.measures.get(index(*label)) == Some(&true) && !self.methods.contains(label)
        });
        if key.0 && !measure_named {
            let paths = key.1.split_last().map_or(&[][..], |(_, paths)| paths);
            for ((by_measure, other), members) in &families {
                let same =
                    *by_measure && other.split_last().is_some_and(|(_, other)| other == paths);
                let first = members.first().and_then(|at| all.get(*at));
                let costs = first
                    .and_then(|(_, id, _)| self.series(*id))
                    .is_some_and(|series| series.lower_is_better);
                if same && !costs {
                    chosen.extend(members);
                }
            }
            chosen.sort_unstable();
            chosen.dedup();
        }
        Some(
            chosen
                .iter()
                .filter_map(|at| all.get(*at))
                .cloned()
                .collect(),
        )
    }

    /// The same quantity of other methods.
    pub(crate) fn rivals_of(&self, id: SeriesId, own: LabelId) -> Vec<SeriesId> {
        let Some(series) = self.series(id) else {
            return Vec::new();
        };
        let rarest = series
            .labels
            .iter()
            .filter(|label| **label != own)
            .min_by_key(|label| {
                self.postings
                    .get(index(**label))
                    .map_or(usize::MAX, Vec::len)
            });
        let Some(pool) = rarest.and_then(|label| self.postings.get(index(*label))) else {
            return Vec::new();
        };
        pool.iter()
            .copied()
            .filter(|other| {
                self.series(*other).is_some_and(|other| {
                    let missing: Vec<&LabelId> = series
                        .labels
                        .iter()
                        .filter(|label| other.labels.binary_search(label).is_err())
                        .collect();
                    let extra = other
                        .labels
                        .iter()
                        .filter(|label| series.labels.binary_search(label).is_err())
                        .count();
                    missing == [&own] && extra == 1 && !other.config && !other.count
                })
            })
            .collect()
    }
}

fn scope_found(id: SeriesId, facet: Facet, rival: SeriesId, other: Facet, value: Decimal) -> Found {
    Found {
        series: id,
        facet,
        against: Some((rival, other)),
        derived: Some("comparison".to_owned()),
        value,
    }
}

/// Adverbs bind before determiners: in "consistently on all datasets" the claim is "consistently".
fn rank(word: &str) -> usize {
    match word {
        "consistently" | "always" | "uniformly" | "invariably" | "never" | "universally"
        | "everywhere" | "systematically" => 0,
        "every" | "across the board" | "without exception" | "throughout" => 1,
        "all" | "each" | "any" => 2,
        _ => 3,
    }
}

/// Where a word stands as a word; `prefix`: the word may go on.
fn word_at(lower: &str, word: &str, prefix: bool) -> Option<usize> {
    lower.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = lower.get(..*at).and_then(|text| text.chars().next_back());
        let after = lower
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(char::is_alphanumeric)
            && (prefix || !after.is_some_and(char::is_alphanumeric))
    })
}
