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
    /// Number + 1, or 0 for free; a power of two, at most half full.
    slots: Vec<u32>,
    start: u64,
    factor: u64,
}

impl Names {
    pub(crate) fn new() -> Self {
        let random = RandomState::new();
        Self {
            texts: Vec::with_capacity(2048),
            slots: vec![0; 4096],
            start: random.hash_one(0),
            factor: random.hash_one(1) | 1,
        }
    }

    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        if self.texts.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mut slot = self.first_slot(text);
        loop {
            match self.slots.get(slot) {
                Some(0) | None => break,
                Some(found) => {
                    let index = *found - 1;
                    if self.text(index) == text {
                        return index;
                    }
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let index = super::token::narrow(self.texts.len());
        self.texts.push(text.into());
        if let Some(free) = self.slots.get_mut(slot) {
            *free = index + 1;
        }
        index
    }

    pub(crate) fn text(&self, index: u32) -> &str {
        self.texts.get(index as usize).map_or("", |text| text)
    }

    pub(crate) fn shared(&self, index: u32) -> Arc<str> {
        self.texts.get(index as usize).cloned().unwrap_or_default()
    }

    #[expect(clippy::cast_possible_truncation, reason = "a hash is cut on purpose")]
    fn first_slot(&self, text: &str) -> usize {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        let last = rest
            .iter()
            .fold(text.len() as u64, |last, byte| last << 8 | u64::from(*byte));
        let hash = words
            .iter()
            .map(|word| u64::from_le_bytes(*word))
            .chain(std::iter::once(last))
            .fold(self.start, |hash, word| {
                let product = u128::from(hash ^ word) * u128::from(self.factor);
                (product >> 64) as u64 ^ product as u64
            });
        hash as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        for index in 0..self.texts.len() {
            let mut slot = self.first_slot(&self.texts.get(index).cloned().unwrap_or_default());
            while self.slots.get(slot).is_some_and(|found| *found != 0) {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            if let Some(free) = self.slots.get_mut(slot) {
                *free = super::token::narrow(index) + 1;
            }
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
}
