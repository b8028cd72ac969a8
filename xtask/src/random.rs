//! Numbers in an order without a pattern, the same in every run.

/// The seed, and then the state. **Source**: Knuth, MMIX.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number, below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub(crate) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let count = u64::try_from(words.len()).unwrap_or(1);
        let index = usize::try_from(self.below(count)).unwrap_or(0);
        words.get(index).copied().unwrap_or_default()
    }
}
