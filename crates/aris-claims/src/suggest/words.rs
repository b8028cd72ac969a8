//! Words that the paper and the names in the data share, and their weights.
//!
//! A word that occurs everywhere says nothing; a word in few sentences says much. The weight of a word is the logarithm of how
//! much more often it occurs where a name is meant than elsewhere in this paper. There are no word lists for any field of
//! research.

use std::collections::BTreeMap;

/// Most different names.
const MOST_NAMES: usize = 100_000;
/// Most words of one context. Later words do not count.
const MOST_WORDS: usize = 4_000;
/// How often a word of a name occurs where the name is meant, and contexts that are added to those of the paper as a prior.
const NAMED: f64 = 0.7;
const CONTEXTS: f64 = 20.0;
/// Largest weight of one word.
const MOST_WEIGHT: f64 = 4.0;
/// Factor for the weight of a word that is farther away, and of one that only matches in part.
const FAR: f64 = 0.5;
const IN_PART: f64 = 0.7;
/// Fewest bytes of a name's word that a longer word of the paper may begin with.
const SHORTEST: usize = 3;

/// A normal form of a name: without gaps, digits first and numbers in one spelling, so that `h24` equals `24 h`, `1e-3` equals
/// `0.001` and `finetune` equals `Fine-tune`.
pub(super) fn whole(text: &str) -> String {
    let number = crate::number::whole(text);
    if let Some(number) = number.filter(|number| number.multiplier == 0 && !number.is_percent()) {
        return number.value.to_f64().to_string();
    }
    let mut words = words(text);
    words.sort_by_key(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    words.concat()
}

/// The words of a text: in lower case, without punctuation, `gpt4` as two words, numbers in one spelling.
pub(super) fn words(text: &str) -> Vec<String> {
    let digit = |c: char| c.is_ascii_digit();
    let (mut out, mut word) = (Vec::new(), String::new());
    let mut chars = text.chars().chain([' ']).peekable();
    while let Some(c) = chars.next() {
        let in_number = word.starts_with(digit);
        if in_number && matches!(c, '.' | ',') && chars.peek().is_some_and(|next| digit(*next)) {
            word.extend((c == '.').then_some(c));
            continue;
        }
        if !word.is_empty() && (!c.is_alphanumeric() || digit(c) != in_number) {
            let number = word.parse::<f64>().ok().filter(|_| in_number);
            out.push(number.map_or(std::mem::take(&mut word), |number| number.to_string()));
            word.clear();
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    out
}

/// Words of names in a text, each with how well it matches: 1, or less if it only matches in part.
pub(super) type Found = BTreeMap<u32, f64>;

/// Names and their words.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: BTreeMap<String, u32>,
    /// The words of each name, each with its share of the name's length.
    entries: Vec<Vec<(u32, f64)>>,
    words: BTreeMap<String, u32>,
    /// Number of contexts, and for each word the number of contexts with it.
    contexts: f64,
    seen: BTreeMap<u32, f64>,
}

impl Names {
    /// The index of a name, which is added if it is new.
    pub(super) fn add(&mut self, text: &str) -> u32 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        if self.entries.len() >= MOST_NAMES {
            return u32::MAX;
        }
        let words = words(text);
        let letters: usize = words.iter().map(String::len).sum();
        let mut name = Vec::new();
        for text in words {
            #[expect(clippy::cast_precision_loss, reason = "letters of one name")]
            let part = text.len() as f64 / letters as f64;
            let next = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
            name.push((*self.words.entry(text).or_insert(next), part));
        }
        let at = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.known.insert(text.to_owned(), at);
        self.entries.push(name);
        at
    }

    /// The words of names that a text has: as they are, as two words (`fine-tune`), or as a longer word (`accuracy` for `acc`).
    pub(super) fn found(&self, text: &str) -> Found {
        let mut found = Found::new();
        let mut before = String::new();
        for word in words(text).into_iter().take(MOST_WORDS) {
            for end in SHORTEST..word.len() {
                let begin = word.get(..end).and_then(|begin| self.words.get(begin));
                begin.map(|known| *found.entry(*known).or_insert(IN_PART));
            }
            for whole in [&(before + &word), &word] {
                found.extend(self.words.get(whole).map(|known| (*known, 1.0)));
            }
            before = word;
        }
        found
    }

    /// Counts the words of one context.
    pub(super) fn count(&mut self, found: &Found) {
        self.contexts += 1.0;
        for word in found.keys() {
            *self.seen.entry(*word).or_default() += 1.0;
        }
    }

    /// The weights of the words near a number and of those around it.
    pub(super) fn weights(&self, near: &Found, around: Option<&Found>) -> Found {
        let mut weights = Found::new();
        for (found, far) in [(Some(near), 1.0), (around, FAR)] {
            for (word, strength) in found.into_iter().flatten() {
                let count = self.seen.get(word).copied().unwrap_or_default();
                let often = (count + 1.0) / (self.contexts + CONTEXTS);
                let weight = (NAMED / often).ln().clamp(0.0, MOST_WEIGHT) * far * strength;
                let known = weights.entry(*word).or_default();
                *known = known.max(weight);
            }
        }
        weights
    }

    /// How well a name matches a context, and the share of the name that is there. Missing words reduce the weight of the others.
    pub(super) fn fit(&self, name: u32, weights: &Found) -> (f64, f64) {
        let (mut sum, mut share) = (0.0, 0.0);
        for (word, part) in self.entries.get(name as usize).into_iter().flatten() {
            if let Some(weight) = weights.get(word) {
                (sum, share) = (sum + weight, share + part);
            }
        }
        (sum * share, share)
    }
}
