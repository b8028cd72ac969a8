//! Does a change go the way that its words say?
//!
//! "Reduces latency by 40 %" is contradicted by a latency that grew by 40 %. Asked only where the size of the change follows
//! from two values: then it is known which values are meant, and the sentence tells which side it speaks of.

use crate::claim::{Kind, after_words, before_words};
use crate::engine::Engine;
use crate::judge::Judgement;
use crate::lexicon::LabelId;
use crate::number::Number;
use crate::series::SeriesId;

/// Stems that say which way a value goes.
const UP: &[&str] = &[
    "increas", "grow", "grew", "rise", "rose", "rais", "more", "higher", "larger", "above",
    "greater", "climb", "longer",
];
const DOWN: &[&str] = &[
    "reduc", "drop", "decreas", "lower", "fall", "fell", "less", "fewer", "smaller", "below",
    "declin", "shrink", "shrank", "shorter", "sav",
];
/// Stems that say which way is better.
const BETTER: &[&str] = &[
    "improv",
    "better",
    "faster",
    "quicker",
    "outperform",
    "surpass",
    "speedup",
];
const WORSE: &[&str] = &["worse", "slower", "degrad", "underperform", "deteriorat"];

/// Words before the side that is compared with.
const AGAINST: &[&str] = &[
    "than",
    "over",
    "from",
    "versus",
    "vs",
    "against",
    "above",
    "below",
    "compared",
    "relative",
    "behind",
    "ahead",
    "outperforms",
    "outperform",
    "outperformed",
    "beats",
    "surpasses",
];

/// Words that turn a statement round, or make it no statement.
const TURNED: &[&str] = &[
    "not",
    "no",
    "never",
    "neither",
    "nor",
    "without",
    "instead",
    "although",
    "while",
    "whereas",
    "but",
    "if",
    "would",
    "only",
    "respectively",
];

/// Least strength of a mention that tells which side is meant.
const CLEAR: f64 = 0.6;

/// Bytes between such a word and the side behind it.
const NEAR: usize = 48;

impl Engine<'_> {
    /// What the values show instead, when they go the other way; `None` when they do not, or when the words leave it open.
    pub(crate) fn contrary(
        &self,
        passage: usize,
        number: &Number,
        judgement: &Judgement,
    ) -> Option<String> {
        if !judgement.status.is_match()
            || !matches!(
                judgement.kind,
                Kind::Difference | Kind::RelativeChange | Kind::Ratio
            )
        {
            return None;
        }
        let found = judgement.evidence.first()?;
        let (a, (b, _)) = (found.series, found.against?);
        let (sentence, offset) = self.sentence_text(passage, number.range.start);
        let lower = sentence.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        if words.iter().any(|word| TURNED.contains(word)) {
            return None;
        }
        let at = number.range.start.checked_sub(offset)?;
        let way = way(sentence, at, number.end.checked_sub(offset)?)?;
        let subject = self.subject(passage, number, a, b)?;
        let other = if subject == a { b } else { a };
        let (ours, theirs) = (self.headline(subject)?, self.headline(other)?);
        let measured = self.series(subject)?;
        let lower_is_better = measured.lower_is_better && !measured.rate;
        // "Days per day" may be a cost or a rate.
        let per = self
            .measure(measured)
            .and_then(|label| self.evidence.lexicon.label(label))
            .is_some_and(|label| label.words.iter().any(|word| word == "per"));
        if per && matches!(way, Way::Better | Way::Worse) {
            return None;
        }
        let says_up = match way {
            Way::Up => true,
            Way::Down => false,
            Way::Better => !lower_is_better,
            Way::Worse => lower_is_better,
        };
        if ours == theirs || (ours > theirs) == says_up {
            return None;
        }
        Some(format!(
            "the results go the other way: {ours} ({}) against {theirs} ({})",
            self.pattern(subject),
            self.pattern(other)
        ))
    }

    /// The side that the sentence is about.
    fn subject(
        &self,
        passage: usize,
        number: &Number,
        a: SeriesId,
        b: SeriesId,
    ) -> Option<SeriesId> {
        let (one, two) = (self.series(a)?, self.series(b)?);
        let only = |x: &[LabelId], y: &[LabelId]| -> Vec<LabelId> {
            x.iter()
                .copied()
                .filter(|label| y.binary_search(label).is_err())
                .collect()
        };
        let (only_a, only_b) = (
            only(&one.labels, &two.labels),
            only(&two.labels, &one.labels),
        );
        let sentence = self
            .sentence_at(passage, number.range.start)
            .and_then(|at| self.passages.get(passage)?.sentences.get(at))?;
        let place = |labels: &[LabelId]| {
            sentence
                .mentions
                .iter()
                .filter(|mention| mention.strength >= CLEAR && labels.contains(&mention.label))
                .flat_map(|mention| mention.places.iter().copied())
                .min()
        };
        let text = self.paper.passages.get(passage)?.text.as_str();
        let against = |place: usize| {
            let from = text.floor_char_boundary(place.saturating_sub(NEAR).max(sentence.start));
            let before = text.get(from..place).unwrap_or("");
            let clause = before
                .rsplit([',', ';', '('])
                .next()
                .unwrap_or("")
                .to_lowercase();
            clause
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| AGAINST.contains(&word))
                || ["improves on", "improve on", "improves upon", "improved on"]
                    .iter()
                    .any(|words| clause.contains(words))
        };
        let opens = |place: usize| place.saturating_sub(sentence.start) < NEAR / 2;
        match (place(&only_a), place(&only_b)) {
            (Some(of_a), Some(of_b)) => match (against(of_a), against(of_b)) {
                (true, false) => Some(b),
                (false, true) => Some(a),
                _ => None,
            },
            // One side is left unsaid: the other is the subject only when it opens the sentence.
            (Some(of_a), None) => {
                if against(of_a) {
                    Some(b)
                } else {
                    opens(of_a).then_some(a)
                }
            }
            (None, Some(of_b)) => {
                if against(of_b) {
                    Some(a)
                } else {
                    opens(of_b).then_some(b)
                }
            }
            (None, None) => None,
        }
    }
}

/// Which way the words point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
    Better,
    Worse,
}

/// The way that the words beside the number point; nothing when the sentence has words for both ways.
fn way(sentence: &str, at: usize, end: usize) -> Option<Way> {
    let of = |word: &str| {
        [
            (Way::Up, UP),
            (Way::Down, DOWN),
            (Way::Better, BETTER),
            (Way::Worse, WORSE),
        ]
        .into_iter()
        .find(|(_, stems)| stems.iter().any(|stem| word.starts_with(stem)))
        .map(|(way, _)| way)
    };
    let lower = sentence.to_lowercase();
    let mut all = lower.split(|c: char| !c.is_alphabetic()).filter_map(of);
    let first = all.next()?;
    if all.any(|way| way != first) {
        return None;
    }
    let mut before = before_words(sentence, at, 6);
    before.reverse();
    let after = after_words(sentence, end, 3);
    after.iter().chain(&before).find_map(|word| of(word))
}

#[cfg(test)]
mod tests {
    use crate::{EvidenceReader, Pins};
    use aris_latex::{Document, Loaded};

    fn contrary(body: &str) -> Vec<String> {
        let text = format!("\\begin{{document}}{body}\\end{{document}}");
        let mut files = |_: &str| Loaded::Text(text.as_str().into());
        let document = Document::read("main.tex", &mut files).unwrap();
        let mut reader = EvidenceReader::default();
        let csv = "system,seed,accuracy,latency_ms\nours,0,84.1,60\nours,1,86.1,60\nplain,0,80.1,120\nplain,1,82.1,120\n";
        reader.add("results/runs.csv", csv.as_bytes()).unwrap();
        crate::audit(&document, &reader.finish(), &Pins::default())
            .claims
            .into_iter()
            .filter_map(|claim| claim.contrary)
            .collect()
    }

    #[test]
    fn a_change_that_goes_the_other_way_is_seen() {
        for (body, count) in [
            ("Ours reduces the latency by 50\\% compared with plain.", 0),
            (
                "Ours increases the latency by 100\\% compared with plain.",
                1,
            ),
            (
                "The accuracy of ours is 4.0 points higher than that of plain.",
                0,
            ),
            (
                "The accuracy of ours is 4.0 points lower than that of plain.",
                1,
            ),
            (
                "The accuracy of ours is not 4.0 points lower than that of plain.",
                0,
            ),
        ] {
            assert_eq!(contrary(body).len(), count, "{body}");
        }
    }
}
