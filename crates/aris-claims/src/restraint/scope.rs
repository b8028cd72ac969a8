//! Statements about all cases: do they say of which measure and against whom?

use std::ops::Range;

use crate::claim::before_words;
use crate::engine::{Engine, index};
use crate::judge::{Found, Judgement};
use crate::lexicon::LabelId;

use super::NAMED;

/// Why a statement about all cases is left open.
pub(super) const UNCLEAR: &str = "the sentence does not say of which measure or against whom";

/// What becomes of a statement about all cases.
pub(super) enum Scope {
    Stands,
    /// Neither right nor wrong can be said.
    Unclear,
    /// It is no statement about results.
    Nothing,
}

impl Engine<'_> {
    /// Whether a statement about all cases says of whom, of which measure and against whom.
    pub(super) fn scope_stands(
        &self,
        passage: usize,
        range: &Range<usize>,
        judgement: &Judgement,
    ) -> Scope {
        const SUBJECTS: &[&str] = &["we", "our", "ours", "it", "its", "they"];
        const GENERIC: &[&str] = &[
            "all",
            "any",
            "every",
            "other",
            "others",
            "baseline",
            "baselines",
            "published",
            "competing",
            "previous",
            "prior",
            "best",
            "them",
            "both",
        ];
        let (sentence, offset) = self.sentence_text(passage, range.start);
        let at = range.start.saturating_sub(offset);
        let before = before_words(sentence, at, 3);
        let word = sentence
            .get(at..range.end.saturating_sub(offset))
            .unwrap_or("")
            .to_lowercase();
        let after = sentence
            .get(range.end.saturating_sub(offset)..)
            .unwrap_or("")
            .trim_start();
        // "nothing at all", "averaged over all rooms", "five trials each."
        let idiom = word == "all" && before.last().is_some_and(|last| last == "at");
        let average = before.iter().any(|word| word == "averaged");
        let distributive = word == "each" && after.starts_with([',', '.', ')', ';']);
        if idiom || average || distributive {
            return Scope::Nothing;
        }
        let index_of = self.sentence_at(passage, range.start);
        let mentions: Vec<LabelId> = index_of
            .and_then(|at| self.passages.get(passage)?.sentences.get(at))
            .into_iter()
            .flat_map(|sentence| &sentence.mentions)
            .filter(|mention| mention.strength >= NAMED)
            .map(|mention| mention.label)
            .collect();
        let words: Vec<String> = sentence
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let clause = clause_around(sentence, at);
        let clause = offset + clause.start..offset + clause.end;
        let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let method = |label: &LabelId| self.methods.contains(label) || self.own.contains(label);
        let than = words.iter().position(|word| word == "than");
        let rival = than
            .and_then(|at| words.get(at + 1))
            .is_some_and(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
        // Counts that had to be zero and levels of significance are no comparisons: they need no sides.
        let compares = judgement
            .evidence
            .first()
            .is_some_and(|found| found.derived.as_deref() == Some("comparison"));
        if !compares {
            return Scope::Stands;
        }
        if !mentions.iter().any(method) && !says(SUBJECTS) && !rival {
            return Scope::Nothing;
        }
        let Some(first) = judgement.evidence.first() else {
            return Scope::Stands;
        };
        let sides = |found: &Found| {
            let against = found.against.map(|(id, _)| id);
            [Some(found.series), against]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        };
        let has = |label: &LabelId| {
            judgement.evidence.iter().flat_map(sides).any(|id| {
                self.series(id)
                    .is_some_and(|series| series.labels.binary_search(label).is_ok())
            })
        };
        // "In RMSE we are ahead": another measure does not contradict.
        let measured: Vec<&LabelId> = index_of
            .and_then(|at| self.passages.get(passage)?.sentences.get(at))
            .into_iter()
            .flat_map(|sentence| &sentence.mentions)
            .filter(|mention| mention.strength >= NAMED)
            .filter(|mention| mention.places.iter().any(|place| clause.contains(place)))
            .map(|mention| &mention.label)
            .filter(|label| !method(label))
            .filter(|label| self.measures.get(index(**label)).copied().unwrap_or(false))
            .collect();
        if !measured.is_empty() && !measured.into_iter().any(has) {
            return Scope::Unclear;
        }
        // "faster than the beamformer": an unknown rival.
        let beaten = first.against.and_then(|(id, _)| self.series(id));
        if let (Some(than), Some(beaten)) = (than, beaten)
            && let Some(accused) = self.series(first.series)
        {
            let known = beaten
                .labels
                .iter()
                .filter(|label| accused.labels.binary_search(label).is_err())
                .any(|label| mentions.contains(label));
            let rest = words.get(than + 1..).unwrap_or(&[]);
            let generic = rest
                .iter()
                .take(4)
                .any(|word| GENERIC.contains(&word.as_str()));
            if !known && !generic && !rest.is_empty() {
                return Scope::Unclear;
            }
        }
        Scope::Stands
    }
}

/// The clause of a sentence around a byte: up to the next comma, semicolon, colon or bracket on either side.
pub(super) fn clause_around(sentence: &str, at: usize) -> Range<usize> {
    const ENDS: [char; 5] = [',', ';', ':', '(', ')'];
    let start = sentence.get(..at).and_then(|before| before.rfind(ENDS));
    let end = sentence.get(at..).and_then(|after| after.find(ENDS));
    start.unwrap_or(0)..end.map_or(sentence.len(), |end| at + end)
}
