//! Ranges of a text, looked up in logarithmic time, so that a paragraph with many citations does not take quadratic time.

use std::ops::Range;

/// Ranges, merged where they overlap, and sorted.
#[derive(Debug, Default)]
pub struct Stretches(Vec<Range<usize>>);

impl FromIterator<Range<usize>> for Stretches {
    fn from_iter<I: IntoIterator<Item = Range<usize>>>(ranges: I) -> Self {
        let mut sorted: Vec<Range<usize>> = ranges.into_iter().collect();
        sorted.sort_by_key(|range| (range.start, range.end));
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match joined.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Self(joined)
    }
}

impl Stretches {
    /// Whether any of them shares a byte with `range`.
    pub fn meets(&self, range: &Range<usize>) -> bool {
        let after = self.0.partition_point(|known| known.end <= range.start);
        let next = self.0.get(after);
        next.is_some_and(|known| known.start < range.end)
    }

    /// Whether a byte offset is in one of them.
    pub fn contains(&self, at: usize) -> bool {
        self.at(at).is_some()
    }

    /// The range that contains a byte offset.
    pub fn at(&self, at: usize) -> Option<&Range<usize>> {
        let after = self.0.partition_point(|range| range.start <= at);
        let range = self.0.get(after.checked_sub(1)?)?;
        range.contains(&at).then_some(range)
    }
}
