//! Counts: how many seeds, runs, folds were there; how many datasets, tasks, systems?

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::{Kind, after_words};
use crate::context::Weights;
use crate::decimal::Decimal;
use crate::engine::{Engine, index};
use crate::evidence::SlotKind;
use crate::fit::Closeness;
use crate::fit::Hit;
use crate::judge::{Found, Judgement};
use crate::lexicon::LabelId;
use crate::number::Number;
use crate::report::Status;
use crate::series::{Facet, SeriesId};
use crate::words;

/// Difference of weights up to which two labels are named equally well.
const TIE: f64 = 0.05;

/// Nouns for repeated runs.
const RUNS: &[&str] = &[
    "seed",
    "run",
    "trial",
    "repetition",
    "repeat",
    "fold",
    "replicate",
    "replica",
    "restart",
    "annotator",
    "rater",
];

impl Engine<'_> {
    /// Judges a count by the noun behind it; `None`: the noun says nothing, the number may be something else.
    pub(crate) fn judge_count(
        &self,
        text: &str,
        number: &Number,
        weights: &Weights,
    ) -> Option<Judgement> {
        let nouns = after_words(text, number.end, 4);
        let hyphen = text
            .get(number.range.end..)
            .is_some_and(|after| after.starts_with('-'));
        // The first noun in plural is what is counted: "196 tokens repeat" and "256 sequences run" count no runs.
        let counted = nouns
            .iter()
            .take(if hyphen { 1 } else { 3 })
            .find(|word| hyphen || word.ends_with('s') && word.len() > 3);
        // "11 further runs" are other runs.
        let other = nouns.iter().take(3).any(|word| is_other(word));
        let plural = !other
            && counted.is_some_and(|word| {
                words::canonical(word)
                    .iter()
                    .any(|word| RUNS.contains(&word.as_str()))
            });
        if plural && number.value.is_integer() {
            let judged = self.judge_runs(number, weights);
            // A configuration may say it: `cv_folds: 10`.
            if judged
                .as_ref()
                .is_none_or(|judged| !judged.status.is_match())
                && let Some(configured) = self.configured_runs(number.value, &nouns)
            {
                return Some(configured);
            }
            return judged;
        }
        None
    }

    /// How many runs do the nearest mentioned series have?
    fn judge_runs(&self, number: &Number, weights: &Weights) -> Option<Judgement> {
        let wanted = number.value;
        let mut labels: Vec<(f64, LabelId)> = weights
            .iter()
            .map(|(label, weight)| (*weight, *label))
            .collect();
        labels.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let everywhere = self.evidence.series.len() * 7 / 10;
        let mut all: BTreeMap<usize, Vec<SeriesId>> = BTreeMap::new();
        for (id, series) in (0..).zip(&self.evidence.series) {
            if series.runs() > 1 && !series.config {
                all.entry(series.runs()).or_default().push(id);
            }
        }
        let mut nearest: Option<(f64, Judgement)> = None;
        for (weight, label) in labels {
            // Labels that are named equally well: one that confirms is enough.
            if let Some((known, judgement)) = &nearest
                && weight < known - TIE
            {
                return Some(judgement.clone());
            }
            let list = self
                .postings
                .get(index(label))
                .map_or(&[][..], Vec::as_slice);
            if weight < 0.35 || list.len() > everywhere.max(3) {
                continue;
            }
            let mut counts: BTreeMap<usize, Vec<SeriesId>> = BTreeMap::new();
            for id in list {
                if let Some(series) = self
                    .series(*id)
                    .filter(|series| series.runs() > 1 && !series.config && !series.count)
                {
                    counts.entry(series.runs()).or_default().push(*id);
                }
            }
            if !counts.is_empty() {
                let judgement = Self::run_count(wanted, &counts);
                if judgement.status.is_match() {
                    return Some(judgement);
                }
                nearest = nearest.or(Some((weight, judgement)));
            }
        }
        if let Some((_, judgement)) = nearest {
            return Some(judgement);
        }
        if all.is_empty() {
            None
        } else {
            Some(Self::run_count(wanted, &all))
        }
    }

    /// A setting of that name with that value.
    fn configured_runs(&self, wanted: Decimal, nouns: &[String]) -> Option<Judgement> {
        let canonical: Vec<String> = nouns
            .iter()
            .take(3)
            .flat_map(|word| words::canonical(word))
            .filter(|word| is_run(word))
            .collect();
        (0..)
            .zip(&self.evidence.series)
            .find(|(id, series)| {
                let named = series
                    .measure
                    .and_then(|label| self.evidence.lexicon.label(label))
                    .is_some_and(|label| label.words.iter().any(|word| canonical.contains(word)));
                let rival = series
                    .labels
                    .iter()
                    .any(|label| self.rivals.contains(label));
                series.stats.is_none()
                    && !series.count
                    && !rival
                    && named
                    && self.headline(*id) == Some(wanted)
            })
            .map(|(id, _)| {
                let hit = Hit {
                    facet: Facet::Single,
                    closeness: Closeness::Exact,
                    value: wanted,
                };
                Judgement::new(
                    Status::ExactMatch,
                    Kind::Count,
                    vec![Self::found(id, hit)],
                    "",
                )
            })
    }

    /// Files, keys or fields that carry the noun and a distinguishing part: `movie_a`, `movie_b`, `movie_c` are three movies;
    /// four rows under `annotator` are four annotators.
    fn named_after(&self, nouns: &[String], wanted: Decimal) -> Option<Judgement> {
        let noun = nouns.first()?;
        let mut labels: BTreeSet<LabelId> = BTreeSet::new();
        let mut example = None;
        for label in self.evidence.lexicon.with_word(noun) {
            let known = self.evidence.lexicon.label(*label)?;
            let distinguished = known.words.len() == 2 && known.words.first() == Some(noun);
            let list = self
                .postings
                .get(index(*label))
                .map_or(&[][..], Vec::as_slice);
            let path = list
                .first()
                .and_then(|id| self.series(*id))
                .is_some_and(|series| {
                    series
                        .slots
                        .iter()
                        .any(|slot| slot.label == *label && slot.kind != SlotKind::Key)
                });
            if distinguished && path {
                labels.insert(*label);
                example = example.or(list.first().copied());
            }
        }
        (labels.len() >= 2 && Decimal::from_count(labels.len()) == wanted).then_some(())?;
        let hit = Hit {
            facet: Facet::Count,
            closeness: Closeness::Exact,
            value: wanted,
        };
        let mut found = Self::found(example?, hit);
        found.derived = Some(format!("number of different {noun}s"));
        Some(Judgement::new(
            Status::ExactMatch,
            Kind::Count,
            vec![found],
            "",
        ))
    }

    fn run_count(wanted: Decimal, counts: &BTreeMap<usize, Vec<SeriesId>>) -> Judgement {
        let hit = counts
            .iter()
            .find(|(count, _)| Decimal::from_count(**count) == wanted);
        // Otherwise the count that most quantities have.
        let usual = counts
            .iter()
            .max_by_key(|(count, list)| (list.len(), **count));
        let found = |(count, list): (&usize, &Vec<SeriesId>)| {
            list.first().map(|series| Found {
                series: *series,
                facet: Facet::Count,
                against: None,
                derived: Some("number of runs".to_owned()),
                value: Decimal::from_count(*count),
            })
        };
        if let Some(entry) = hit {
            Judgement::new(
                Status::ExactMatch,
                Kind::Count,
                found(entry).into_iter().collect(),
                "",
            )
        } else {
            let evidence: Vec<Found> = usual.and_then(found).into_iter().collect();
            Judgement::new(Status::AggregationMismatch, Kind::Count, evidence, "")
        }
    }

    /// Counts of what the results distinguish: values of a column, keys side by side. Only ever confirms, except for a
    /// column with the very name of the noun.
    pub(crate) fn judge_cardinality(
        &self,
        text: &str,
        number: &Number,
        weights: &Weights,
    ) -> Option<Judgement> {
        let nouns: Vec<String> = after_words(text, number.end, 3)
            .iter()
            .flat_map(|word| words::canonical(word))
            .collect();
        let wanted = number.value;
        if let Some(judgement) = self.named_after(&nouns, wanted) {
            return Some(judgement);
        }
        let noun = nouns.iter().find(|word| CASES.contains(&word.as_str()))?;
        let mut named: Option<(usize, SeriesId)> = None;
        let mut columns: BTreeMap<LabelId, (BTreeSet<LabelId>, SeriesId)> = BTreeMap::new();
        for (id, series) in (0..).zip(&self.evidence.series) {
            for slot in &series.slots {
                let Some(name) = slot.name else { continue };
                if self
                    .evidence
                    .lexicon
                    .label(name)
                    .is_some_and(|label| label.words.contains(noun))
                {
                    columns
                        .entry(name)
                        .or_insert_with(|| (BTreeSet::new(), id))
                        .0
                        .insert(slot.label);
                }
            }
        }
        for (values, id) in columns.values() {
            if Decimal::from_count(values.len()) == wanted {
                named = Some((values.len(), *id));
            }
        }
        if named.is_none() {
            for scored in self.score(weights).iter().take(12) {
                let Some(series) = self.series(scored.series) else {
                    continue;
                };
                for slot in 0..series.slots.len() {
                    let size = self.family(scored.series, slot).len();
                    if size > 1 && Decimal::from_count(size) == wanted {
                        named = named.or(Some((size, scored.series)));
                    }
                }
            }
        }
        named.map(|(count, series)| {
            let hit = Hit {
                facet: Facet::Count,
                closeness: Closeness::Exact,
                value: Decimal::from_count(count),
            };
            let mut found = Self::found(series, hit);
            found.derived = Some(format!("number of different {noun}s"));
            Judgement::new(Status::ExactMatch, Kind::Count, vec![found], "")
        })
    }
}

/// A noun for repeated runs, in canonical form.
pub(crate) fn is_run(word: &str) -> bool {
    RUNS.contains(&word)
}

/// A noun for what results are split by, in canonical form.
pub(crate) fn is_case(word: &str) -> bool {
    CASES.contains(&word)
}

/// "11 further runs": not those of the results.
pub(crate) fn is_other(word: &str) -> bool {
    matches!(
        word,
        "further" | "other" | "additional" | "more" | "extra" | "failed" | "cancelled" | "excluded"
    )
}

/// Nouns for what results are split by.
const CASES: &[&str] = &[
    "dataset",
    "benchmark",
    "task",
    "domain",
    "language",
    "model",
    "method",
    "system",
    "baseline",
    "workload",
    "environment",
    "game",
    "corpus",
    "corpora",
    "family",
    "families",
    "variant",
    "configuration",
    "setting",
    "metric",
    "class",
    "category",
    "subset",
    "split",
    "scenario",
    "site",
    "hospital",
    "cohort",
    "species",
    "organ",
    "tissue",
    "movie",
    "sequence",
    "pair",
    "direction",
    "corruption",
    "machine",
    "platform",
    "node",
    "size",
    "kernel",
    "matrix",
    "matrices",
    "graph",
    "problem",
    "suite",
    "trace",
    "application",
    "program",
    "robot",
    "level",
    "strategy",
    "architecture",
];
