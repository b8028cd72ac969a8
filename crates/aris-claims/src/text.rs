//! Numbers in running text.

use std::collections::BTreeSet;

use crate::aggregation::{Aggregation, approximate};
use crate::claim::Kind;
use crate::context::{Scored, Weights};
use crate::decimal::Decimal;
use crate::delta::Change;
use crate::engine::Engine;
use crate::evidence::SlotKind;
use crate::fit::Shown;
use crate::judge::{Binding, Case, Judgement};
use crate::number::{Number, Style};
use crate::report::Status;
use crate::units::Dimension;

/// Bytes by which a number behind another one counts as farther away.
const BEHIND: usize = 40;

/// Gain of a series that measures the noun behind a whole number.
pub(crate) const NOUN: f64 = 1.5;

impl Engine<'_> {
    /// Judges a number in running text.
    pub(crate) fn judge_text(
        &self,
        passage: usize,
        number: &Number,
        kind: Kind,
        weak: bool,
    ) -> Option<Judgement> {
        let text = self.paper.passages.get(passage)?.text.as_str();
        let weights = self.text_weights(passage, number.range.start, number.range.end);
        let (sentence, offset) = self.sentence_text(passage, number.range.start);
        let at = number.range.start.saturating_sub(offset);
        let shown = Shown::new(number, None, approximate(text, number.range.start));
        let scored = self.score_for(&weights, shown.unit, false);
        if matches!(kind, Kind::Difference | Kind::RelativeChange | Kind::Ratio) {
            let mut weights = weights;
            self.name_rival(passage, number, &mut weights);
            // The unit of a relative change is not that of the measure.
            let measured = shown
                .unit
                .filter(|unit| kind == Kind::Difference && unit.dimension != Dimension::Percent);
            let scored = self.score_for(&weights, measured, true);
            let points = crate::claim::after_words(text, number.end, 3)
                .iter()
                .any(|word| word.starts_with("point") || word == "pp" || word == "pts");
            let named = self.named_in_sentence(passage, number);
            let change = Change {
                named: &named,
                shown,
                kind,
                weights: &weights,
                scored: &scored,
                sentence,
                at,
                end: number.end.saturating_sub(offset),
                points,
                stated: self.stated_pair(passage, number, kind),
            };
            let judged = self.judge_change(&change);
            if !judged.status.is_match()
                && let Some(along) = self.judge_axis_change(passage, number, &change)
            {
                return Some(along);
            }
            // The results may hold the change itself: `speedup`, `prob_improvement`.
            if !judged.status.is_match()
                && let Some(own) =
                    self.judge_stored_change(passage, number, &shown, &weights, &scored)
            {
                return Some(own);
            }
            return Some(judged);
        }
        let other = crate::claim::after_words(text, number.end, 1);
        if weak && other.iter().any(|word| crate::count::is_other(word)) {
            return None;
        }
        if number.value.is_integer()
            && number.last_digit >= 0
            && number.unit.is_none()
            && let Some(judgement) =
                self.judge_count(text, number, &self.with_runs(passage, number, &weights))
        {
            return Some(judgement);
        }
        let mut aggregation = Aggregation::read(sentence, Some(at));
        if kind == Kind::Uncertainty {
            aggregation = Aggregation {
                spread: true,
                interval: says_interval(sentence),
                ..Aggregation::default()
            };
        }
        let others = self.other_numbers(passage, number);
        aggregation.range = self.in_range(passage, number, sentence, at);
        let everywhere = says_everywhere(sentence, at);
        let noun = crate::claim::after_words(text, number.end, 3)
            .into_iter()
            .take_while(|word| {
                !matches!(
                    word.as_str(),
                    "and"
                        | "or"
                        | "of"
                        | "for"
                        | "on"
                        | "in"
                        | "with"
                        | "to"
                        | "at"
                        | "over"
                        | "per"
                        | "from"
                        | "is"
                        | "are"
                        | "than"
                )
            })
            .find(|word| {
                word.len() > 3
                    && word.ends_with('s')
                    && !word.ends_with("ss")
                    && !matches!(word.as_str(), "times" | "does" | "this" | "versus" | "less")
            })
            .map(|word| crate::words::stem(&word));
        let scored = self.with_noun(scored, noun.as_deref().filter(|_| weak));
        let named = self.named_in_sentence(passage, number);
        let rivalry = crate::clause::speaks_of_rivals(sentence, at);
        let case = Case {
            shown,
            aggregation,
            weights: &weights,
            scored: &scored,
            binding: Binding::Text,
            sentence: &named,
            rivalry,
            goes_on: crate::clause::goes_on(sentence),
            everywhere,
            noun,
            weak,
            others: &others,
        };
        if kind != Kind::Uncertainty
            && !aggregation.range
            && let Some(judgement) = self
                .judge_setting(passage, number, &shown, everywhere, &weights)
                .filter(|judgement| {
                    // "One" is no wrong version of 0.35.
                    number.style != Style::Spelled
                        || judgement
                            .evidence
                            .first()
                            .is_none_or(|found| found.value.is_integer())
                })
        {
            return Some(judgement);
        }
        let judged = self.judge(&case);
        if aggregation.mean
            && let Some(judgement) = self.mean_over_cases(&case, sentence, judged.as_ref())
        {
            return Some(judgement);
        }
        if weak
            && judged
                .as_ref()
                .is_none_or(|judgement| !judgement.status.is_match())
            && let Some(judgement) = self.judge_cardinality(text, number, &weights)
        {
            return Some(judgement);
        }
        // A word such as "two" that contradicts nothing nearby is no claim.
        judged.filter(|judgement| {
            number.style != Style::Spelled || judgement.status != Status::NumberMismatch
        })
    }

    /// A change that a result file states itself, under a key such as `speedup` or `prob_improvement`.
    pub(crate) fn judge_stored_change(
        &self,
        passage: usize,
        number: &Number,
        shown: &Shown,
        weights: &Weights,
        scored: &[Scored],
    ) -> Option<Judgement> {
        const STORED: &[&str] = &[
            "speedup",
            "improvement",
            "gain",
            "reduction",
            "delta",
            "difference",
            "diff",
            "sav",
            "saving",
            "increas",
            "decreas",
            "drop",
            "change",
            "gap",
            "overhead",
        ];
        let stored: Vec<Scored> =
            scored
                .iter()
                .copied()
                .filter(|candidate| {
                    self.series(candidate.series).is_some_and(|series| {
                        series
                            .slots
                            .iter()
                            .filter(|slot| slot.kind == SlotKind::Key)
                            .any(|slot| {
                                weights
                                    .get(&slot.label)
                                    .is_some_and(|weight| *weight >= 0.5)
                                    && self.evidence.lexicon.label(slot.label).is_some_and(
                                        |label| {
                                            label
                                                .words
                                                .iter()
                                                .any(|word| STORED.contains(&word.as_str()))
                                        },
                                    )
                            })
                    })
                })
                .collect();
        let (sentence, offset) = self.sentence_text(passage, number.range.start);
        let aggregation =
            Aggregation::read(sentence, Some(number.range.start.saturating_sub(offset)));
        let named = self.named_in_sentence(passage, number);
        let case = Case::plain(*shown, aggregation, weights, &stored, Binding::Text, &named);
        self.judge(&case)
            .filter(|judgement| judgement.status.is_match())
    }

    /// Weights for a count of runs: there `runs/run_3.json` is a name as good as any.
    pub(crate) fn with_runs(&self, passage: usize, number: &Number, weights: &Weights) -> Weights {
        let mut weights = weights.clone();
        let sentence = self
            .sentence_at(passage, number.range.start)
            .and_then(|at| self.passages.get(passage)?.sentences.get(at));
        for mention in sentence.map_or(&[][..], |sentence| &sentence.mentions) {
            let words = self
                .evidence
                .lexicon
                .label(mention.label)
                .map_or(&[][..], |label| &label.words);
            if words.iter().all(|word| crate::count::is_run(word)) {
                crate::context::raise(&mut weights, mention.label, mention.strength);
            }
        }
        weights
    }

    /// Puts series that measure the counted noun first: `100 epochs` is about epochs.
    pub(crate) fn with_noun(&self, mut scored: Vec<Scored>, noun: Option<&str>) -> Vec<Scored> {
        let Some(noun) = noun else { return scored };
        for candidate in &mut scored {
            let measure = self
                .series(candidate.series)
                .and_then(|series| self.measure(series))
                .and_then(|label| self.evidence.lexicon.label(label));
            if measure.is_some_and(|label| label.words.iter().any(|word| word == noun)) {
                candidate.score += NOUN;
            }
        }
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.series.cmp(&b.series)));
        scored
    }

    /// Labels that the number's own sentence names for the most part.
    pub(crate) fn named_in_sentence(&self, passage: usize, number: &Number) -> BTreeSet<u32> {
        self.sentence_at(passage, number.range.start)
            .and_then(|at| {
                self.passages
                    .get(passage)
                    .and_then(|analysed| analysed.sentences.get(at))
            })
            .map(|sentence| {
                sentence
                    .mentions
                    .iter()
                    .filter(|mention| mention.strength >= 0.4)
                    .map(|mention| mention.label)
                    .collect()
            })
            .unwrap_or_default()
    }

    /// The number is an end of a range: "1.8–2.8", "between 1.8 and 2.8".
    pub(crate) fn in_range(
        &self,
        passage: usize,
        number: &Number,
        sentence: &str,
        at: usize,
    ) -> bool {
        let Some(analysed) = self.passages.get(passage) else {
            return false;
        };
        let index = analysed
            .numbers
            .iter()
            .position(|other| other.range == number.range);
        let ends = number.range_from.is_some()
            || index.is_some_and(|index| {
                analysed
                    .numbers
                    .get(index + 1)
                    .is_some_and(|next| next.range_from == Some(index))
            });
        let before = sentence.get(..at).unwrap_or("").to_lowercase();
        // "from 3.7 to 3.1" is a change.
        if before
            .rfind("from ")
            .is_some_and(|from| before.len() - from < 40)
            && !before.contains("rang")
        {
            return false;
        }
        let near = before
            .rfind("between ")
            .or_else(|| before.rfind("range"))
            .is_some_and(|from| {
                before.len() - from < 28 && !before.get(from..).unwrap_or("").contains(',')
            });
        ends || near
    }

    /// The other whole numbers of the sentence, the nearest first.
    pub(crate) fn other_numbers(&self, passage: usize, number: &Number) -> Vec<Decimal> {
        let Some((_, inside)) = self.sentence_of(passage, number) else {
            return Vec::new();
        };
        let mut others: Vec<(usize, Decimal)> = inside
            .filter(|other| other.range != number.range && other.value.is_integer())
            .map(|other| {
                // "After 100 epochs A, after 200 epochs B": the step stands before its value.
                let behind = other.range.start > number.range.start;
                let distance = other.range.start.abs_diff(number.range.start);
                (distance + if behind { BEHIND } else { 0 }, other.value)
            })
            .collect();
        others.sort_unstable();
        others.into_iter().map(|(_, value)| value).collect()
    }
}

/// The sentence speaks of a confidence interval.
fn says_interval(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    lower.contains("confidence")
        || lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "ci")
}

/// The sentence speaks of several methods at once.
pub(crate) fn says_everywhere(sentence: &str, at: usize) -> bool {
    let from = sentence
        .get(..at)
        .and_then(|before| before.rfind(';'))
        .map_or(0, |at| at + 1);
    let to = sentence
        .get(at..)
        .and_then(|after| after.find(';'))
        .map_or(sentence.len(), |end| at + end);
    // "prefers a peak of 1.5e-3 but is likewise trained for …": what follows "but" is another statement.
    let from = sentence
        .get(from..at)
        .and_then(|before| before.rfind(" but "))
        .map_or(from, |but| from + but);
    let to = sentence
        .get(at..to)
        .and_then(|after| after.find(" but "))
        .map_or(to, |but| at + but);
    let clause = sentence.get(from..to).unwrap_or("");
    let before = sentence.get(from..at).unwrap_or("").to_lowercase();
    // "the same batch size of 256 and a learning rate of 5e-5": the same is the batch size only.
    let used_up = ["same ", "identical "].iter().any(|word| {
        before.rfind(word).is_some_and(|from| {
            before
                .get(from..)
                .unwrap_or("")
                .bytes()
                .any(|b| b.is_ascii_digit())
        })
    });
    let lower = format!(" {} ", clause.to_lowercase());
    let lower = if used_up {
        lower.replace(" same ", " ").replace(" identical", " ")
    } else {
        lower
    };
    [
        " same ",
        " identical",
        " all methods",
        " all models",
        " all baselines",
        " all systems",
        " all runs",
        " both ",
        " every method",
        " every model",
        " each method",
        " each model",
        " also use",
        " equally ",
        " likewise",
        " as well",
    ]
    .iter()
    .any(|phrase| lower.contains(phrase))
}
