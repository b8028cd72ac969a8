//! What a sentence with a change compares: two numbers of its own, or the own method with a named one.

use crate::aggregation::approximate;
use crate::claim::Kind;
use crate::context::Weights;
use crate::engine::Engine;
use crate::fit::Shown;
use crate::number::{Number, Style};

impl Engine<'_> {
    /// The two numbers of the sentence that stand as "from A to B" or "B instead of A" and are not the change itself.
    pub(crate) fn stated_pair(
        &self,
        passage: usize,
        number: &Number,
        kind: Kind,
    ) -> Option<(Shown, Shown)> {
        let text = self.paper.passages.get(passage)?.text.as_str();
        let (sentence, inside) = self.sentence_of(passage, number)?;
        let inside: Vec<&Number> = inside
            .filter(|other| !other.embedded && other.uncertainty_of.is_none())
            .filter(|other| other.range != number.range)
            .collect();
        let mut best: Option<(usize, (Shown, Shown))> = None;
        for pair in inside.windows(2) {
            let [first, second] = pair else { continue };
            let between = text
                .get(first.end..second.range.start)?
                .trim()
                .to_lowercase();
            let before = text
                .get(sentence.start..first.range.start)?
                .trim_end()
                .to_lowercase();
            let forward = between.len() < 24
                && (between == "to" || between.starts_with("to ") || between.ends_with(" to"))
                && (before.ends_with("from") || before.contains("from "));
            let backward = between.len() < 24 && between.contains("instead of");
            if !(forward || backward) || first.times || second.times {
                continue;
            }
            let shown = |other: &Number| {
                Shown::new(
                    other,
                    second.unit.or(first.unit),
                    approximate(text, other.range.start),
                )
            };
            // "from four to six views" are settings, not values.
            let telling = |other: &Number| {
                other.style != Style::Spelled
                    && (other.last_digit < 0
                        || other.unit.is_some()
                        || other.value.significant_digits() >= 3)
            };
            let varied =
                |other: &Number| other.unit.is_none() && self.axis_label(other.value).is_some();
            if !telling(first) && !telling(second) || varied(first) && varied(second) {
                continue;
            }
            let ordered = if forward {
                (shown(first), shown(second))
            } else {
                (shown(second), shown(first))
            };
            // Only a pair right before or after the change belongs to it.
            // and no other statement stands between them.
            let gap = if second.end <= number.range.start {
                text.get(second.end..number.range.start)
            } else {
                text.get(number.range.end..first.range.start)
            };
            let gap = gap.unwrap_or("");
            if gap.contains(';')
                || gap.contains(" and ")
                || second.end > number.range.start && gap.contains(',')
            {
                continue;
            }
            let distance = if second.end <= number.range.start {
                number.range.start - second.end
            } else {
                first.range.start.saturating_sub(number.range.end)
            };
            let comparable = kind != Kind::Difference
                || number.unit.is_none()
                || number.unit.map(|unit| unit.dimension)
                    == ordered.0.unit.map(|unit| unit.dimension);
            if distance <= 60
                && comparable
                && best.as_ref().is_none_or(|(known, _)| distance < *known)
            {
                best = Some((distance, ordered));
            }
        }
        best.map(|(_, pair)| pair)
    }

    /// "3.7× faster than TFT", "over TFT it is 13.2": the method behind such a word is the other side, whatever else is named.
    pub(crate) fn name_rival(&self, passage: usize, number: &Number, weights: &mut Weights) {
        let Some(text) = self.paper.passages.get(passage) else {
            return;
        };
        let Some(sentence) = self
            .sentence_at(passage, number.range.start)
            .and_then(|at| {
                self.passages
                    .get(passage)
                    .and_then(|analysed| analysed.sentences.get(at))
            })
        else {
            return;
        };
        let (start, end) = (number.range.start, number.end);
        let after = text.text.get(end..sentence.end).unwrap_or("");
        let before = text.text.get(sentence.start..start).unwrap_or("");
        let digit_free = |from: usize, to: usize| {
            !text
                .text
                .get(from..to)
                .unwrap_or("")
                .bytes()
                .any(|b| b.is_ascii_digit())
        };
        let behind = [
            " than ",
            " over ",
            " below ",
            " above ",
            " relative to ",
            " compared to ",
            " compared with ",
            " ahead of ",
            " behind ",
            " against ",
            " versus ",
        ]
        .iter()
        .filter_map(|word| after.find(word).map(|at| end + at + word.len()))
        .filter(|at| at - end < 48)
        .min();
        let ahead = [
            "over ",
            "Over ",
            "against ",
            "Against ",
            "Compared to ",
            "Compared with ",
            "than ",
            "Relative to ",
        ]
        .iter()
        .filter_map(|word| {
            before
                .rfind(word)
                .map(|at| sentence.start + at + word.len())
        })
        .max();
        let mut named: Vec<u32> = Vec::new();
        for mention in &sentence.mentions {
            if !self.methods.contains(&mention.label)
                || self.own.contains(&mention.label)
                || mention.strength < 0.5
            {
                continue;
            }
            let near = mention.places.iter().any(|place| {
                let (place, is_behind) = (
                    *place,
                    behind.is_some_and(|from| {
                        from <= *place && *place < from + 24 && digit_free(end, from)
                    }),
                );
                is_behind
                    || ahead.is_some_and(|from| {
                        from <= place
                            && place < from + 24
                            && place < start
                            && start - from < 60
                            && (digit_free(place + 1, start)
                                || before.trim_start().starts_with("Over "))
                    })
            });
            if near {
                named.push(mention.label);
            }
        }
        if named.is_empty() {
            return;
        }
        for (label, weight) in weights.iter_mut() {
            if named.contains(label) {
                *weight = weight.max(1.0);
            } else if self.methods.contains(label)
                && !self.own.contains(label)
                && !self.full.contains(label)
            {
                *weight *= 0.5;
            }
        }
    }
}
