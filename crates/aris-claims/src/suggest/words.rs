//! Words that the paper and the names of the data share, and how much each says.
//!
//! A word that stands everywhere says nothing, one that stands in few sentences says much: its weight is the logarithm of how much
//! more often it stands where a name is meant than elsewhere in this paper. There is no list of words for any field.

use std::collections::BTreeMap;

/// Different names.
const MOST_NAMES: usize = 100_000;
/// Words of one context; of a longer one the first count.
const MOST_WORDS: usize = 4_000;
/// How often a word of a name stands where the name is meant, and contexts that a paper is taken to have besides its own.
const NAMED: f64 = 0.7;
const CONTEXTS: f64 = 20.0;
/// Weight of one word at most.
const MOST_WEIGHT: f64 = 4.0;
/// Weight of a word that stands farther away, and of one that is there in part only.
const FAR: f64 = 0.5;
const IN_PART: f64 = 0.7;
/// Letters of a word of the data that a word of the paper may begin with.
const SHORTEST: usize = 3;

/// A name as a whole: without gaps, numbers first and as numbers, so that `h24` is `24 h`, `1e-3` is `0.001` and `finetune` is `Fine-tune`.
pub(super) fn whole(text: &str) -> String {
    let number = crate::number::whole(text);
    if let Some(number) = number.filter(|number| number.multiplier == 0 && !number.is_percent()) {
        return number.value.to_f64().to_string();
    }
    let mut words = words(text);
    words.sort_by_key(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    words.concat()
}

/// A text as words: lower case, without punctuation, `gpt4` as two, numbers in one spelling.
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

/// Words of names, each with how well it stands in a text: 1, or less where it is there in part only.
pub(super) type Found = BTreeMap<u32, f64>;

/// Names by their words.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: BTreeMap<String, u32>,
    /// The words of each name, each with the part of its letters that it makes.
    entries: Vec<Vec<(u32, f64)>>,
    words: BTreeMap<String, u32>,
    /// Contexts, and for each word in how many it stands.
    contexts: f64,
    seen: BTreeMap<u32, f64>,
}

impl Names {
    /// The number of a name.
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

    /// The words of names that a text has: as they are, as two (`fine-tune`), or longer (`accuracy` for `acc`).
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

    /// What the words near a number say, and those around it.
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

    /// How well a name fits a context, and how much of its letters is there: what is missing takes from what the others say.
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
