//! The labels of all results, and how the words of a paper find them.

use std::collections::BTreeMap;

use crate::words;

/// Index of a label in the lexicon.
pub(crate) type LabelId = u32;

/// Weight of words that appear in most result trees and say nothing: `results/final/eval/metrics.json`.
const GENERIC: &[&str] = &[
    "result",
    "output",
    "metric",
    "eval",
    "evaluation",
    "final",
    "summary",
    "data",
    "value",
    "score",
    "log",
    "experiment",
    "exp",
    "raw",
    "table",
    "stat",
    "number",
    "report",
    "main",
    "all",
    "per",
    "col",
];

/// One label: its words and how much each of them says.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub(crate) text: String,
    pub(crate) compact: String,
    pub(crate) words: Vec<String>,
    pub(crate) weights: Vec<f64>,
}

/// Labels by number, and words and compact names to labels.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    pub(crate) labels: Vec<Label>,
    by_compact: BTreeMap<String, LabelId>,
    by_word: BTreeMap<String, Vec<LabelId>>,
    by_stem: BTreeMap<String, LabelId>,
}

impl Lexicon {
    /// The number of a label, new or known.
    pub(crate) fn intern(&mut self, text: &str) -> LabelId {
        let mut compact = words::compact(text);
        if compact.is_empty() {
            text.clone_into(&mut compact);
        }
        if let Some(known) = self.by_compact.get(&compact) {
            return *known;
        }
        let id = LabelId::try_from(self.labels.len()).unwrap_or(LabelId::MAX);
        let mut distinct: Vec<String> = Vec::new();
        let mut all = words::words(text);
        // The unit at the end of a key belongs to the number, not to the name.
        let raw: Vec<&str> = all.iter().map(|word| word.raw.as_str()).collect();
        if let Some((_, taken)) = crate::units::from_key(&raw)
            && all.len() > taken
        {
            all.truncate(all.len() - taken);
        }
        for word in all.into_iter().map(|word| word.text) {
            if !distinct.contains(&word) {
                distinct.push(word);
            }
        }
        self.labels.push(Label {
            text: text.to_owned(),
            compact: compact.clone(),
            words: distinct,
            weights: Vec::new(),
        });
        self.by_compact.insert(compact, id);
        id
    }

    /// Weighs the words by rarity among the labels; called once, when all labels are known.
    pub(crate) fn weigh(&mut self) {
        let mut frequency: BTreeMap<&str, u32> = BTreeMap::new();
        for label in &self.labels {
            for word in &label.words {
                *frequency.entry(word).or_default() += 1;
            }
        }
        let total = f64::from(u32::try_from(self.labels.len()).unwrap_or(u32::MAX));
        let weigh = |word: &String| {
            let count = f64::from(frequency.get(word.as_str()).copied().unwrap_or(1));
            let rarity = (1.0 + total / count).ln();
            // A word of most labels still tells a little; generic words and bare digits tell less.
            let generic = if GENERIC.contains(&word.as_str()) {
                0.15
            } else {
                1.0
            };
            let digit = if word.bytes().all(|b| b.is_ascii_digit()) {
                0.7
            } else {
                1.0
            };
            (rarity * generic * digit).max(0.05)
        };
        let weights: Vec<Vec<f64>> = self
            .labels
            .iter()
            .map(|label| label.words.iter().map(weigh).collect())
            .collect();
        for (label, weights) in self.labels.iter_mut().zip(weights) {
            label.weights = weights;
        }
        let mut by_word: BTreeMap<String, Vec<LabelId>> = BTreeMap::new();
        for (id, label) in (0..).zip(&self.labels) {
            for word in &label.words {
                by_word.entry(word.clone()).or_default().push(id);
            }
        }
        self.by_word = by_word;
        let stems: Vec<(String, LabelId)> = (0..)
            .zip(&self.labels)
            .map(|(id, label)| (words::stem(&label.compact), id))
            .collect();
        for (stem, id) in stems {
            self.by_stem.entry(stem).or_insert(id);
        }
    }

    /// The label, by number.
    pub(crate) fn label(&self, id: LabelId) -> Option<&Label> {
        self.labels.get(usize::try_from(id).ok()?)
    }

    /// The label with exactly this name, punctuation and case apart.
    pub(crate) fn exact(&self, compact: &str) -> Option<LabelId> {
        self.by_compact.get(compact).copied()
    }

    /// The label with this name, its ending apart: `fine-tuning` for `finetune`.
    pub(crate) fn inflected(&self, compact: &str) -> Option<LabelId> {
        self.by_stem
            .get(&words::stem(compact))
            .copied()
            .filter(|_| compact.len() > 4)
    }

    /// Labels that contain the word.
    pub(crate) fn with_word(&self, word: &str) -> &[LabelId] {
        self.by_word.get(word).map_or(&[], Vec::as_slice)
    }

    /// Words of labels that abbreviate this word: at least three letters, a true prefix (`calib` for `calibration`).
    pub(crate) fn abbreviations<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        let long_enough = word.len() > 3 && word.is_ascii();
        (3..word.len().min(6))
            .filter(move |_| long_enough)
            .filter_map(move |length| word.get(..length))
            .filter_map(|prefix| self.by_word.get_key_value(prefix))
            .map(|(known, _)| known.as_str())
    }
}
