//! What surrounds a number, as weights on the labels of the results.
//!
//! The nearer a label stands to the number the more it counts; a comma, a bracket or a word such as "whereas" between
//! them makes it count less. Sentences before, the section's title and the paper's own method ("we") count little: they
//! decide only when the sentence does not.

use crate::clause::{assigned_symbol, boundaries, contrasted, proximity, rival_place};
use std::collections::BTreeMap;
use std::ops::Range;

use crate::engine::{Analysed, Engine, Sentence, index};
use crate::lexicon::LabelId;
use crate::mention::Mention;
use crate::number::Number;
use crate::passage::PassageKind;
use crate::series::SeriesId;
use crate::units::{Dimension, Unit};

/// Weights of labels, 0 to 1.
pub(crate) type Weights = BTreeMap<LabelId, f64>;

/// Weight of a label in the previous sentence of the passage, and in the one before.
const BEFORE: [f64; 2] = [0.34, 0.22];
/// Factor on them when the sentence itself names no measure.
const ELLIPSIS: f64 = 1.6;
/// Weight of a label that contains the symbol the number is assigned to: `d` in `d=256` for `d_model`.
const SYMBOL: f64 = 0.85;
/// The longest name, with the mark behind it, that a number of its own follows.
const TAKEN: usize = 28;
/// Weight of a label in the section's title.
const TITLE: f64 = 0.3;
/// Weight of the own method when the sentence names no method.
const OWN: f64 = 0.4;

/// Gain of a series in the number's unit, loss of one without.
const SAME_UNIT: f64 = 0.8;
/// Loss of a series whose measure stands farther from the number than another one, per unit of weight.
const FARTHER: f64 = 3.0;
/// Loss of a series whose measure is not mentioned.
const UNMEASURED: f64 = 0.8;

/// Weight of the complete method, which ablations are compared with.
const FULL: f64 = 0.32;

/// How near "the baseline" must stand to take the place of the own method.
const RIVAL_NEAR: f64 = 0.6;
/// Weight of every other method when the sentence says "the baseline".
const RIVAL: f64 = 0.6;

/// Series that are kept for a number; what follows is too far from its words to be meant.
const KEPT: usize = 300;

/// Part of the best sum of weights below which a series of a large tree is left out.
const FAR: f64 = 0.4;

/// A series with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) series: SeriesId,
    pub(crate) score: f64,
    /// Part of the series' information that the context mentions, 0 to 1.
    pub(crate) coverage: f64,
}

/// Penalty on what a series has and the context does not mention.
const UNMENTIONED: f64 = 0.25;

impl Engine<'_> {
    /// The index of the sentence of a passage that holds a byte.
    pub(crate) fn sentence_at(&self, passage: usize, at: usize) -> Option<usize> {
        let sentences = &self.passages.get(passage)?.sentences;
        sentences
            .iter()
            .position(|sentence| sentence.start <= at && at < sentence.end.max(sentence.start + 1))
    }

    /// The sentence that holds a number, and all numbers of that sentence.
    pub(crate) fn sentence_of(
        &self,
        passage: usize,
        number: &Number,
    ) -> Option<(&Sentence, impl Iterator<Item = &Number>)> {
        let Analysed { numbers, sentences } = self.passages.get(passage)?;
        let sentence = sentences.get(self.sentence_at(passage, number.range.start)?)?;
        let inside = move |other: &&Number| {
            sentence.start <= other.range.start && other.range.start < sentence.end
        };
        Some((sentence, numbers.iter().filter(inside)))
    }

    /// Weights for a number in running text at these bytes.
    pub(crate) fn text_weights(&self, passage: usize, start: usize, end: usize) -> Weights {
        let mut weights = Weights::new();
        let (Some(text), Some(analysed)) =
            (self.paper.passages.get(passage), self.passages.get(passage))
        else {
            return weights;
        };
        let Some(at) = self.sentence_at(passage, start) else {
            return weights;
        };
        let Some(sentence) = analysed.sentences.get(at) else {
            return weights;
        };
        let body = text.text.get(sentence.start..sentence.end).unwrap_or("");
        let boundaries = boundaries(body, sentence.start);
        let mut measured = false;
        for mention in &sentence.mentions {
            let method = self.methods.contains(&mention.label);
            let near = mention
                .places
                .iter()
                .filter(|place| !(start <= **place && **place < end))
                .map(|place| {
                    let near = proximity(&text.text, &boundaries, *place, start, end);
                    // "0.583 (ThermoMPNN: 0.534)": a method with a number of its own behind it.
                    let taken = method
                        && *place >= end
                        && text
                            .text
                            .get(end..*place)
                            .is_some_and(|gap| gap.contains(['(', ',', ';']))
                        && analysed.numbers.iter().any(|other| {
                            other.range.start > *place
                                && !other.embedded
                                && text
                                    .text
                                    .get(*place..other.range.start)
                                    .is_some_and(|name| {
                                        name.len() <= TAKEN
                                            && name.trim_end().ends_with([':', '=', '('])
                                    })
                        });
                    if taken { near * 0.3 } else { near }
                })
                .fold(0.0, f64::max);
            measured |= mention.strength >= 0.5
                && near > 0.0
                && !self.methods.contains(&mention.label)
                && self
                    .measures
                    .get(index(mention.label))
                    .copied()
                    .unwrap_or(false);
            // "averaged over five seeds" names no measure, though configurations count seeds.
            let words = self
                .evidence
                .lexicon
                .label(mention.label)
                .map_or(&[][..], |label| &label.words);
            let runs = !words.is_empty() && words.iter().all(|word| crate::count::is_run(word));
            if !runs {
                raise(&mut weights, mention.label, mention.strength * near);
            }
        }
        self.axis_values(
            passage,
            sentence.start..sentence.end,
            start..end,
            &boundaries,
            &mut weights,
        );
        let method_named = sentence
            .mentions
            .iter()
            .any(|mention| mention.strength >= 0.6 && self.methods.contains(&mention.label));
        // A sentence that names no measure goes on about the one before.
        let ellipsis = if measured { 1.0 } else { ELLIPSIS };
        for (back, weight) in BEFORE.iter().enumerate() {
            let Some(previous) = at
                .checked_sub(back + 1)
                .and_then(|at| analysed.sentences.get(at))
            else {
                break;
            };
            for mention in &previous.mentions {
                // A sentence with methods of its own does not go on about those before.
                if !(method_named && self.methods.contains(&mention.label)) {
                    raise(
                        &mut weights,
                        mention.label,
                        mention.strength * *weight * ellipsis,
                    );
                }
            }
        }
        if let Some(symbol) = assigned_symbol(&text.text, start) {
            for label in self.evidence.lexicon.with_word(&symbol) {
                // `d_model` and `d` are the symbol d; `n_images` is not the symbol N.
                let words = self
                    .evidence
                    .lexicon
                    .label(*label)
                    .map_or(&[][..], |label| label.words.as_slice());
                let is_symbol = match words {
                    [_] => true,
                    [first, second] => {
                        *first == symbol
                            && (symbol.len() > 1
                                || matches!(
                                    second.as_str(),
                                    "model" | "dimension" | "hidden" | "ff" | "inner"
                                )
                                || second.bytes().all(|b| b.is_ascii_digit()))
                    }
                    _ => false,
                };
                if is_symbol {
                    raise(&mut weights, *label, SYMBOL);
                }
            }
        }
        // The second side of a contrast is rarely the own method: "from 5 to 7", "instead of 5".
        let contrast = contrasted(text.text.get(sentence.start..start).unwrap_or(""));
        // Another number between the word and this one takes it.
        let rival = rival_place(body)
            .map(|at| sentence.start + at)
            .filter(|at| {
                let between = if *at < start {
                    text.text.get(*at..start)
                } else {
                    text.text.get(end..*at)
                };
                !between.unwrap_or("").bytes().any(|b| b.is_ascii_digit())
            });
        let crossed = |at: usize| text.text.get(end..at).unwrap_or("").contains(',');
        let rival = rival
            .filter(|at| *at < start || !crossed(*at))
            .map(|at| proximity(&text.text, &boundaries, at, start, end));
        let rival = if contrast {
            Some(rival.unwrap_or(0.0).max(0.9))
        } else {
            rival
        };
        let own = self
            .own
            .iter()
            .filter_map(|label| weights.get(label))
            .copied()
            .fold(0.0, f64::max);
        self.surroundings(passage, &mut weights);
        // "falls from A to B": B is what the paper reached.
        let before = text
            .text
            .get(sentence.start..start)
            .unwrap_or("")
            .trim_end_matches(['$', ' ', '~'])
            .to_lowercase();
        if before.ends_with(" to") && before.contains("from ") {
            for label in &self.rivals {
                if let Some(weight) = weights.get_mut(label) {
                    *weight *= 0.5;
                }
            }
        }
        if let Some(near) = rival.filter(|near| *near > own.max(RIVAL_NEAR)) {
            if own < OWN {
                for label in &self.own {
                    weights.remove(label);
                }
            }
            for label in &self.rivals {
                raise(&mut weights, *label, RIVAL * near);
            }
        }
        weights
    }

    /// Other numbers of the sentence that are values of an axis: `at 0 dB`, `with 8 threads`, `k = 10`.
    pub(crate) fn axis_values(
        &self,
        passage: usize,
        sentence: Range<usize>,
        own: Range<usize>,
        boundaries: &[usize],
        weights: &mut Weights,
    ) {
        let (Some(text), Some(analysed)) =
            (self.paper.passages.get(passage), self.passages.get(passage))
        else {
            return;
        };
        for number in &analysed.numbers {
            let apart = number.range.start < sentence.start
                || number.range.start >= sentence.end
                || number.range == own;
            if apart || own.contains(&number.range.start) {
                continue;
            }
            let Some(label) = self.axis_label(number.value) else {
                continue;
            };
            let Some(names) = self.axis_names.get(&label) else {
                continue;
            };
            let near = proximity(
                &text.text,
                boundaries,
                number.range.start,
                own.start,
                own.end,
            );
            let named = names.iter().any(|name| {
                let words = crate::words::canonical(self.label_text(*name));
                let unit =
                    crate::units::from_key(&words.iter().map(String::as_str).collect::<Vec<_>>())
                        .map(|(unit, _)| unit.symbol);
                let beside = |from: usize, to: usize| {
                    let around = text
                        .text
                        .get(text.text.floor_char_boundary(from)..text.text.floor_char_boundary(to))
                        .unwrap_or("");
                    crate::words::canonical(around)
                        .iter()
                        .any(|word| words.contains(word))
                };
                (unit.is_some() && number.unit.map(|unit| unit.symbol) == unit)
                    || beside(number.range.start.saturating_sub(24), number.range.start)
                    || beside(
                        number.range.end,
                        (number.range.end + 24).min(text.text.len()),
                    )
            });
            if named {
                raise(weights, label, near);
            }
        }
    }

    /// Adds the section's title and the default own method.
    pub(crate) fn surroundings(&self, passage: usize, weights: &mut Weights) {
        let Some(text) = self.paper.passages.get(passage) else {
            return;
        };
        if let Some(title) = text.section.and_then(|section| self.sections.get(section)) {
            raise_all(weights, title, TITLE);
        }
        for label in &self.own {
            raise(weights, *label, OWN);
        }
        for label in &self.full {
            raise(weights, *label, FULL);
        }
    }

    /// Scores all series that share a label with the weights, best first; ties by number.
    pub(crate) fn score(&self, weights: &Weights) -> Vec<Scored> {
        let large = self.evidence.series.len() > 5_000;
        let mut sums = self.sums.borrow_mut();
        let mut touched: Vec<SeriesId> = Vec::new();
        for (label, weight) in weights {
            let Some(list) = self.postings.get(index(*label)) else {
                continue;
            };
            // In a very large tree a label of most values only adds the same to all of them.
            if large && list.len() > 5_000 {
                continue;
            }
            let gain = self.info_of(*label) * weight;
            for series in list {
                if let Some(sum) = sums.get_mut(index(*series)) {
                    if *sum <= 0.0 {
                        touched.push(*series);
                    }
                    // A gain of exactly nothing would be counted twice.
                    *sum += gain.max(f64::MIN_POSITIVE);
                }
            }
        }
        // In a large tree what has a third of the best sum is far from being meant; the others are not even weighed.
        let most = touched
            .iter()
            .filter_map(|series| sums.get(index(*series)))
            .copied()
            .fold(0.0, f64::max);
        let least = if large { most * FAR } else { 0.0 };
        let mut scored: Vec<Scored> = touched
            .into_iter()
            .filter_map(|series| {
                let sum = sums.get_mut(index(series)).map_or(0.0, std::mem::take);
                if sum < least {
                    return None;
                }
                let total = self
                    .total
                    .get(index(series))
                    .copied()
                    .unwrap_or(0.0)
                    .max(0.01);
                Some(Scored {
                    series,
                    score: sum - UNMENTIONED * (total - sum).max(0.0),
                    coverage: (sum / total).min(1.0),
                })
            })
            .collect();
        let order =
            |a: &Scored, b: &Scored| b.score.total_cmp(&a.score).then(a.series.cmp(&b.series));
        if scored.len() > KEPT {
            scored.select_nth_unstable_by(KEPT, order);
            scored.truncate(KEPT);
        }
        scored.sort_unstable_by(order);
        scored
    }

    /// Scores for a number with a unit: series in that unit gain, series in another one are out; and what the context
    /// does not say is measured falls behind.
    pub(crate) fn score_for(
        &self,
        weights: &Weights,
        unit: Option<Unit>,
        cell: bool,
    ) -> Vec<Scored> {
        let mut scored = self.score(weights);
        scored.retain_mut(|candidate| {
            let Some(series) = self.series(candidate.series) else {
                return false;
            };
            let theirs = series
                .unit
                .map(|unit| unit.dimension)
                .filter(|dimension| !matches!(dimension, Dimension::Count | Dimension::Other));
            match (
                unit.map(|unit| unit.dimension)
                    .filter(|dimension| *dimension != Dimension::Other),
                theirs,
            ) {
                (Some(ours), Some(theirs)) if ours == theirs => candidate.score += SAME_UNIT,
                (Some(_), Some(_)) => return false,
                (Some(ours), None) if ours != Dimension::Percent && ours != Dimension::Count => {
                    candidate.score -= SAME_UNIT;
                }
                (None, Some(theirs)) if !cell && theirs != Dimension::Percent => {
                    candidate.score -= SAME_UNIT;
                }
                _ => {}
            }
            true
        });
        // Kilometres are not compared with counts where some value is in kilometres.
        let physical = unit.filter(|unit| {
            !matches!(
                unit.dimension,
                Dimension::Percent | Dimension::Count | Dimension::Other
            )
        });
        if let Some(unit) = physical.filter(|_| !cell) {
            let same = |candidate: &Scored| {
                self.series(candidate.series)
                    .and_then(|series| series.unit)
                    .map(|unit| unit.dimension)
                    == Some(unit.dimension)
            };
            if scored.iter().any(same) {
                scored.retain(|candidate| {
                    let measure = self
                        .series(candidate.series)
                        .and_then(|series| self.measure(series));
                    let words = measure
                        .and_then(|label| self.evidence.lexicon.label(label))
                        .map_or(&[][..], |label| label.words.as_slice());
                    same(candidate) || words.iter().any(|word| unit.dimension.is_named(word))
                });
            }
        }
        let measured_by = |candidate: &Scored| {
            let measure = self
                .series(candidate.series)
                .and_then(|series| self.measure(series));
            measure
                .and_then(|label| weights.get(&label))
                .copied()
                .unwrap_or(0.0)
        };
        let nearest = scored.iter().map(&measured_by).fold(0.0, f64::max);
        for candidate in scored.iter_mut().filter(|_| !cell) {
            let measured = measured_by(candidate);
            candidate.score -= FARTHER * (nearest - measured).min(0.5);
            if measured < 0.2 {
                candidate.score -= UNMEASURED;
            }
        }
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.series.cmp(&b.series)));
        scored
    }

    /// The text of the sentence around a byte, and where it starts.
    pub(crate) fn sentence_text(&self, passage: usize, at: usize) -> (&str, usize) {
        let Some(text) = self.paper.passages.get(passage) else {
            return ("", 0);
        };
        if text.kind == PassageKind::Cell {
            return (&text.text, 0);
        }
        let sentence = self.sentence_at(passage, at).and_then(|index| {
            self.passages
                .get(passage)
                .and_then(|analysed| analysed.sentences.get(index))
        });
        match sentence {
            Some(sentence) => (
                text.text.get(sentence.start..sentence.end).unwrap_or(""),
                sentence.start,
            ),
            None => ("", 0),
        }
    }
}

/// Raises a weight to at least this.
pub(crate) fn raise(weights: &mut Weights, label: LabelId, weight: f64) {
    if weight > 0.0 {
        let known = weights.entry(label).or_insert(0.0);
        *known = known.max(weight);
    }
}

/// Raises the weights of all mentions.
pub(crate) fn raise_all(weights: &mut Weights, mentions: &[Mention], factor: f64) {
    for mention in mentions {
        raise(weights, mention.label, mention.strength * factor);
    }
}
