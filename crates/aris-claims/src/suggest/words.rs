//! Words that the paper and the names of the data share, and how much each says.
//!
//! A word that stands everywhere says nothing, one that stands in few sentences says much: its weight is the logarithm of how much
//! more often it stands where a name is meant than elsewhere in this paper. There is no list of words for any field.

use std::collections::{BTreeMap, BTreeSet};

/// Different names.
const MOST_NAMES: usize = 100_000;
/// Words of one context; of a longer one the first count.
const MOST_WORDS: usize = 4_000;
/// How often a word of a name stands where the name is meant, and contexts that a paper is taken to have besides its own.
const NAMED: f64 = 0.5;
const CONTEXTS: f64 = 20.0;
/// Weight of one word at most.
const MOST_WEIGHT: f64 = 4.0;
/// Weight of a word that stands farther away, and of one that is there in part only.
const FAR: f64 = 0.5;
const IN_PART: f64 = 0.7;
/// What a word of a name costs that the context lacks, and what all together cost at most.
const ABSENT: f64 = 0.5;
const MOST_ABSENT: f64 = 1.5;
/// Letters of a word that another word may begin with, and words of the data that begin with one of the paper.
const SHORTEST: usize = 3;
const MOST_LONGER: usize = 20;
/// Words that an acronym is made of.
const INITIALS: usize = 6;

/// A name as a whole: its words in one order, and numbers as numbers, so that `h24` is `24 h` and `1e-3` is `0.001`.
pub(super) fn whole(text: &str) -> String {
    let number = crate::number::whole(text);
    if let Some(number) = number.filter(|number| number.multiplier == 0 && !number.is_percent()) {
        return number.value.to_f64().to_string();
    }
    let mut words = words(text);
    words.sort_unstable();
    words.join(" ")
}

/// A text as words: lower case, without punctuation, `gpt4` as two, numbers in one spelling, Greek letters by name, no plural `s`.
pub(super) fn words(text: &str) -> Vec<String> {
    const GREEK: &str = "αalpha βbeta γgamma δdelta εepsilon ηeta θtheta κkappa λlambda μmu ρrho σsigma τtau φphi ωomega";
    let (mut out, mut word) = (Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let digit = |c: char| c.is_ascii_digit();
        let in_number = word.starts_with(digit);
        let goes_on = in_number && chars.peek().is_some_and(|next| digit(*next));
        let greek = GREEK.split_once(c).filter(|_| !c.is_ascii());
        if goes_on && matches!(c, '.' | ',') && !word.contains('.') {
            word.extend((c == '.').then_some(c));
            continue;
        }
        if !c.is_alphanumeric() || greek.is_some() || digit(c) != in_number {
            out.extend(folded(&std::mem::take(&mut word)));
        }
        match greek {
            Some((_, name)) => out.extend(name.split(' ').next().map(str::to_owned)),
            None if c.is_alphanumeric() => word.extend(c.to_lowercase()),
            None => {}
        }
    }
    out.extend(folded(&word));
    out
}

fn folded(word: &str) -> Option<String> {
    if word.starts_with(|c: char| c.is_ascii_digit())
        && let Ok(number) = word.parse::<f64>()
    {
        return Some(number.to_string());
    }
    let stem = word.strip_suffix('s').unwrap_or(word);
    let plural = stem.len() >= SHORTEST && !stem.ends_with(['s', 'u', 'i']);
    let text = if plural { stem } else { word };
    (!text.is_empty()).then(|| text.to_owned())
}

/// A name of the data.
#[derive(Debug, Default)]
struct Name {
    /// Its words, each with the part of its letters that it makes.
    words: Vec<(u32, f64)>,
    /// The words joined, and their initials, where they are several.
    joined: Vec<u32>,
}

/// Names by their words.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: BTreeMap<String, u32>,
    entries: Vec<Name>,
    words: BTreeMap<String, u32>,
    used_by: Vec<Vec<u32>>,
    /// Contexts near numbers and farther away, and for each word in how many it stands, as it is and at all.
    seen: [(f64, BTreeMap<u32, [f64; 2]>); 2],
}

/// Words of names that stand in a text; `true` for those that stand there as they are.
pub(super) type Found = BTreeMap<u32, bool>;

impl Names {
    /// The number of a name.
    pub(super) fn add(&mut self, text: &str) -> u32 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        if self.entries.len() >= MOST_NAMES {
            return u32::MAX;
        }
        let at = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let words = words(text);
        let mut name = Name::default();
        let letters: usize = words.iter().map(String::len).sum();
        for text in &words {
            #[expect(clippy::cast_precision_loss, reason = "letters of one name")]
            let part = text.len() as f64 / letters as f64;
            name.words.push((self.word(text, at), part));
        }
        if (2..=INITIALS).contains(&words.len()) {
            let initials: String = words
                .iter()
                .filter_map(|word| word.chars().next())
                .collect();
            for joined in [words.concat(), initials] {
                name.joined.push(self.word(&joined, at));
            }
        }
        self.known.insert(text.to_owned(), at);
        self.entries.push(name);
        at
    }

    fn word(&mut self, word: &str, name: u32) -> u32 {
        let next = u32::try_from(self.used_by.len()).unwrap_or(u32::MAX);
        let at = *self.words.entry(word.to_owned()).or_insert(next);
        self.used_by.resize(self.words.len(), Vec::new());
        if let Some(names) = self.used_by.get_mut(at as usize) {
            names.push(name);
        }
        at
    }

    /// The words of names that a text has: as they are, joined from neighbours, as their initials; or where one begins with the other.
    pub(super) fn found(&self, text: &str) -> Found {
        let words = words(text);
        let mut found = Found::new();
        for (at, word) in words.iter().take(MOST_WORDS).enumerate() {
            let begins = (SHORTEST..word.len()).filter_map(|end| self.words.get(word.get(..end)?));
            let longer = self.words.range(word.clone()..).take(MOST_LONGER);
            let letters = word.len() >= SHORTEST && word.chars().all(char::is_alphabetic);
            let longer = longer.filter(|(known, _)| letters && known.starts_with(word.as_str()));
            for known in begins.chain(longer.map(|(_, known)| known)) {
                found.entry(*known).or_insert(false);
            }
            let (mut joined, mut initials) = (String::new(), String::new());
            for next in words.iter().skip(at).take(INITIALS) {
                joined.push_str(next);
                initials.extend(next.chars().next());
                let several = initials.len() > 1;
                let known = [Some(&joined), Some(&initials).filter(|_| several)];
                for known in known.into_iter().flatten() {
                    found.extend(self.words.get(known).map(|known| (*known, true)));
                }
            }
        }
        found
    }

    /// Counts the words of one context: of a sentence or a head (0), or of what stands around it (1).
    pub(super) fn count(&mut self, kind: usize, text: &str) {
        let found = self.found(text);
        if let Some((contexts, seen)) = self.seen.get_mut(kind) {
            *contexts += 1.0;
            for (word, exact) in found {
                let [as_it_is, at_all] = seen.entry(word).or_default();
                *as_it_is += f64::from(u8::from(exact));
                *at_all += 1.0;
            }
        }
    }

    /// Whether a text has this word as it is.
    pub(super) fn stands(&self, word: &str, found: &Found) -> bool {
        let known = self.words.get(word).and_then(|word| found.get(word));
        known.is_some_and(|exact| *exact)
    }

    /// How well each name fits a context, and how much of its letters is there.
    pub(super) fn fits(&self, near: &Found, around: &Found) -> Vec<(f64, f64)> {
        let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
        for ((found, far), (contexts, seen)) in [(near, 1.0), (around, FAR)].iter().zip(&self.seen)
        {
            for (word, exact) in *found {
                let [as_it_is, at_all] = seen.get(word).copied().unwrap_or_default();
                let (count, part) = if *exact {
                    (as_it_is, 1.0)
                } else {
                    (at_all, IN_PART)
                };
                let often = (count + 1.0) / (contexts + CONTEXTS);
                let weight = (NAMED / often).ln().clamp(0.0, MOST_WEIGHT) * far * part;
                let known = weights.entry(*word).or_default();
                *known = known.max(weight);
            }
        }
        let absent = |words: f64| -(ABSENT * words).min(MOST_ABSENT);
        let fit = |name: &Name| {
            let (mut sum, mut share, mut lacking) = (0.0, 0.0, 0.0);
            for (word, part) in &name.words {
                match weights.get(word) {
                    Some(weight) => (sum, share) = (sum + weight, share + part),
                    None => lacking += 1.0,
                }
            }
            let joined = name.joined.iter().filter_map(|word| weights.get(word));
            let joined = joined.copied().max_by(f64::total_cmp);
            sum += absent(lacking);
            joined.map_or((sum, share), |joined| (sum.max(joined), 1.0))
        };
        let touched = weights
            .keys()
            .filter_map(|word| self.used_by.get(*word as usize));
        let touched: BTreeSet<u32> = touched.flatten().copied().collect();
        #[expect(clippy::cast_precision_loss, reason = "words of one name")]
        let none = |name: &Name| (absent(name.words.len() as f64), 0.0);
        let mut out: Vec<(f64, f64)> = self.entries.iter().map(none).collect();
        for at in touched {
            if let (Some(name), Some(place)) =
                (self.entries.get(at as usize), out.get_mut(at as usize))
            {
                *place = fit(name);
            }
        }
        out
    }
}
