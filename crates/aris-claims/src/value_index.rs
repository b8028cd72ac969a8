//! All values of all series in numerical order: which of them lie in an interval?

use crate::decimal::Decimal;
use crate::evidence::Leaf;
use crate::series::{Facet, Series, SeriesId};

/// One value: where it belongs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    approximate: f64,
    pub(crate) series: SeriesId,
    pub(crate) facet: Facet,
}

/// Sorted values. The order is by double; hits are confirmed on the exact decimal by the caller's interval.
#[derive(Debug, Default)]
pub(crate) struct ValueIndex {
    entries: Vec<Entry>,
}

const FACETS: [Facet; 9] = [
    Facet::Single,
    Facet::Mean,
    Facet::Median,
    Facet::Max,
    Facet::Min,
    Facet::Std,
    Facet::PopulationStd,
    Facet::StandardError,
    Facet::Sum,
];

impl ValueIndex {
    pub(crate) fn new(series: &[Series], leaves: &[Leaf]) -> Self {
        let mut entries = Vec::new();
        for (id, series) in (0..).zip(series) {
            for facet in FACETS {
                if let Some(value) = series.value(facet, leaves) {
                    entries.push(Entry {
                        approximate: value.to_f64(),
                        series: id,
                        facet,
                    });
                }
            }
            if series.stats.is_some() || series.trace {
                for at in &series.members {
                    if let Some(leaf) = crate::series::leaf(leaves, *at) {
                        entries.push(Entry {
                            approximate: leaf.value.to_f64(),
                            series: id,
                            facet: Facet::Member(*at),
                        });
                    }
                }
            }
        }
        entries.sort_by(|a, b| {
            a.approximate
                .total_cmp(&b.approximate)
                .then(a.series.cmp(&b.series))
                .then(a.facet.cmp(&b.facet))
        });
        Self { entries }
    }

    /// Entries between the bounds, both included, widened by the error of a double: at most `limit` of them, or `None`
    /// when there are more.
    pub(crate) fn between(&self, low: Decimal, high: Decimal, limit: usize) -> Option<&[Entry]> {
        let widen = |value: f64, sign: f64| value + sign * value.abs() * 4.0 * f64::EPSILON;
        let (low, high) = (widen(low.to_f64(), -1.0), widen(high.to_f64(), 1.0));
        let from = self
            .entries
            .partition_point(|entry| entry.approximate < low);
        let to = self
            .entries
            .partition_point(|entry| entry.approximate <= high);
        let hits = self.entries.get(from..to.max(from))?;
        (hits.len() <= limit).then_some(hits)
    }
}
