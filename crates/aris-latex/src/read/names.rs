//! Names of control sequences as small numbers.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
};

/// An interner. Its own table instead of a `BTreeMap`, because every control sequence of the document is looked
/// up; keyed hashing, because names come from files that others write. Numbers are given in order of first use,
/// so nothing depends on the hash. Names are short, so the hash is one multiplication for eight bytes, both halves of the
/// product folded into one, under two random numbers that no writer of a file knows.
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    /// A power of two, at most half full.
    slots: Vec<Slot>,
    start: u64,
    factor: u64,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// The name itself when it has up to seven bytes, which most have; else its hash, with the first bit set.
    key: u64,
    /// Number + 1, or 0 for free.
    number: u32,
}

const IS_HASH: u64 = 1 << 63;

impl Names {
    pub(crate) fn new() -> Self {
        let random = RandomState::new();
        Self {
            texts: Vec::with_capacity(2048),
            slots: vec![Slot::default(); 4096],
            start: random.hash_one(0),
            factor: random.hash_one(1) | 1,
        }
    }

    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        if self.texts.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let (key, mut at) = self.key(text);
        while let Some(slot) = self.slots.get(at)
            && slot.number != 0
        {
            let number = slot.number - 1;
            if slot.key == key && (key & IS_HASH == 0 || self.text(number) == text) {
                return number;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        let number = super::token::narrow(self.texts.len());
        self.texts.push(text.into());
        self.fill(at, key, number);
        number
    }

    pub(crate) fn text(&self, index: u32) -> &str {
        self.texts.get(index as usize).map_or("", |text| text)
    }

    pub(crate) fn shared(&self, index: u32) -> Arc<str> {
        self.texts.get(index as usize).cloned().unwrap_or_default()
    }

    fn fill(&mut self, at: usize, key: u64, number: u32) {
        if let Some(slot) = self.slots.get_mut(at) {
            let number = number + 1;
            *slot = Slot { key, number };
        }
    }

    /// The key of a name, and the slot where the search for it begins.
    #[expect(clippy::cast_possible_truncation, reason = "a hash is cut on purpose")]
    fn key(&self, text: &str) -> (u64, usize) {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        // With its length in front, so that a zero byte counts.
        let last = rest
            .iter()
            .fold(rest.len() as u64, |last, byte| last << 8 | u64::from(*byte));
        let hash = words
            .iter()
            .map(|word| u64::from_le_bytes(*word))
            .chain(std::iter::once(last))
            .fold(self.start, |hash, word| {
                let product = u128::from(hash ^ word) * u128::from(self.factor);
                (product >> 64) as u64 ^ product as u64
            });
        let key = if words.is_empty() {
            last
        } else {
            hash | IS_HASH
        };
        (key, hash as usize & (self.slots.len() - 1))
    }

    fn grow(&mut self) {
        self.slots = vec![Slot::default(); self.slots.len() * 2];
        for number in 0..super::token::narrow(self.texts.len()) {
            let (key, mut at) = self.key(self.text(number));
            while self.slots.get(at).is_some_and(|slot| slot.number != 0) {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.fill(at, key, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interns() {
        let mut names = Names::new();
        let all: Vec<u32> = (0..5000).map(|n| names.intern(&n.to_string())).collect();
        for (n, index) in all.iter().enumerate() {
            assert_eq!(names.intern(&n.to_string()), *index);
            assert_eq!(names.text(*index), n.to_string());
        }
    }

    #[test]
    fn names_that_look_alike_are_told_apart() {
        let mut names = Names::new();
        let mut all: Vec<String> = Vec::new();
        for length in 0..20 {
            for fill in ["a", "b", "\0", "\u{1}", "é"] {
                all.push(fill.repeat(length));
                all.push(format!("{}\0", fill.repeat(length)));
                all.push(format!("\u{8}{}", fill.repeat(length)));
            }
        }
        all.sort();
        all.dedup();
        let numbers: Vec<u32> = all.iter().map(|name| names.intern(name)).collect();
        let expected: Vec<u32> = (0..).take(all.len()).collect();
        assert_eq!(numbers, expected);
        for (name, number) in all.iter().zip(numbers) {
            assert_eq!(
                (names.intern(name), names.text(number)),
                (number, name.as_str())
            );
        }
    }
}
