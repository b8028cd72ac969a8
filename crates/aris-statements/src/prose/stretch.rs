//! Stretches of a text, looked up in logarithmic time: a paragraph of citations must not cost their square.

use std::ops::Range;

use super::passage::{MaskKind, Passage};

/// Stretches, merged and sorted.
#[derive(Debug, Default)]
pub(crate) struct Stretches(Vec<Range<usize>>);

impl Stretches {
    /// The masks of these kinds.
    pub(crate) fn masks(passage: &Passage, kinds: &[MaskKind]) -> Self {
        passage
            .masks
            .iter()
            .filter(|(_, kind)| kinds.contains(kind))
            .map(|(range, _)| range.clone())
            .collect()
    }

    /// Whether a byte lies in one.
    pub(crate) fn contains(&self, at: usize) -> bool {
        self.at(at).is_some()
    }

    /// The stretch that a byte lies in.
    pub(crate) fn at(&self, at: usize) -> Option<&Range<usize>> {
        let after = self.0.partition_point(|range| range.start <= at);
        let range = self.0.get(after.checked_sub(1)?)?;
        range.contains(&at).then_some(range)
    }
}

impl FromIterator<Range<usize>> for Stretches {
    fn from_iter<I: IntoIterator<Item = Range<usize>>>(ranges: I) -> Self {
        let mut sorted: Vec<Range<usize>> = ranges
            .into_iter()
            .filter(|range| !range.is_empty())
            .collect();
        sorted.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_stretches_are_one() {
        let stretches: Stretches = [5..9, 1..3, 7..12, 3..3].into_iter().collect();
        let inside: Vec<usize> = (0..14).filter(|at| stretches.contains(*at)).collect();
        assert_eq!(inside, [1, 2, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(stretches.at(8), Some(&(5..12)));
    }
}
