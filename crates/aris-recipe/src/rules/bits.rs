//! Sets of small numbers, for data flow over many steps at once.

/// A set of numbers below a fixed bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

const WIDTH: usize = 64;

impl Bits {
    /// No numbers.
    pub(super) fn empty(bound: usize) -> Self {
        Self(vec![0; bound.div_ceil(WIDTH)])
    }

    /// All numbers below the bound, and some above it, which nobody asks for.
    pub(super) fn all(bound: usize) -> Self {
        Self(vec![u64::MAX; bound.div_ceil(WIDTH)])
    }

    pub(super) fn insert(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / WIDTH) {
            *word |= 1 << (number % WIDTH);
        }
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.0
            .get(number / WIDTH)
            .is_some_and(|word| word & (1 << (number % WIDTH)) != 0)
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Keeps what is in both; whether that took something away.
    pub(super) fn keep(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (word, kept) in self.0.iter_mut().zip(&other.0) {
            let now = *word & kept;
            changed |= now != *word;
            *word = now;
        }
        changed
    }
}
