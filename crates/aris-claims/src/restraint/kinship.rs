//! How two quantities are related: one record, one column, what only one of them is called.

use crate::engine::{Engine, index};
use crate::evidence::SlotKind;
use crate::series::{Series, SeriesId, SlotLabel, leaf};

use super::{NAMED, Place, VALUES};

impl Engine<'_> {
    /// The first file with a value of the series.
    pub(super) fn first_file(&self, id: SeriesId) -> Option<u32> {
        let first = self.series(id)?.members.first()?;
        leaf(&self.evidence.leaves, *first).map(|leaf| leaf.file)
    }

    /// Two series whose places differ in one label.
    pub(super) fn one_apart(one: &Series, other: &Series) -> bool {
        one.slots.len() == other.slots.len()
            && one
                .slots
                .iter()
                .zip(&other.slots)
                .filter(|(a, b)| a != b && !varied(a, b))
                .count()
                == 1
    }

    /// Series that differ from this one in one place, and in numbers that vary with it.
    pub(super) fn row_relatives(&self, id: SeriesId, slot: usize) -> Vec<SeriesId> {
        let Some(series) = self.series(id) else {
            return Vec::new();
        };
        let rarest = series
            .slots
            .iter()
            .enumerate()
            .filter(|(at, other)| *at != slot && other.kind != SlotKind::Axis)
            .map(|(_, slot)| slot.label)
            .min_by_key(|label| {
                self.postings
                    .get(index(*label))
                    .map_or(usize::MAX, Vec::len)
            });
        rarest
            .and_then(|label| self.postings.get(index(label)))
            .into_iter()
            .flatten()
            .copied()
            .filter(|other| {
                self.series(*other).is_some_and(|other| {
                    other.slots.len() == series.slots.len()
                        && other
                            .slots
                            .iter()
                            .zip(&series.slots)
                            .enumerate()
                            .all(|(at, (a, b))| {
                                a == b || varied(a, b) || at == slot && a.kind == b.kind
                            })
                })
            })
            .take(VALUES)
            .collect()
    }

    /// Two series of one record: all places are the same but the last key.
    pub(super) fn same_record(one: &Series, other: &Series) -> bool {
        one.slots.len() == other.slots.len()
            && one
                .slots
                .iter()
                .zip(&other.slots)
                .filter(|(a, b)| a != b)
                .all(|(a, b)| Some(a.label) == one.measure && Some(b.label) == other.measure)
    }

    /// The other values of a series' record.
    pub(super) fn record_of(&self, id: SeriesId) -> Vec<SeriesId> {
        let Some(series) = self.series(id) else {
            return Vec::new();
        };
        let rarest = series
            .labels
            .iter()
            .filter(|label| Some(**label) != series.measure)
            .min_by_key(|label| {
                self.postings
                    .get(index(**label))
                    .map_or(usize::MAX, Vec::len)
            });
        rarest
            .and_then(|label| self.postings.get(index(*label)))
            .into_iter()
            .flatten()
            .copied()
            .filter(|other| {
                *other != id
                    && self
                        .series(*other)
                        .is_some_and(|other| Self::same_record(other, series))
            })
            .take(VALUES)
            .collect()
    }

    /// Labels of one series that the other has not, as strength of their naming: the clearest.
    pub(super) fn named_apart(place: &Place<'_>, one: &Series, other: &Series) -> f64 {
        one.labels
            .iter()
            .filter(|label| other.labels.binary_search(label).is_err())
            .map(|label| place.named.get(label).copied().unwrap_or(0.0))
            .fold(0.0, f64::max)
    }

    /// The same, all of them together.
    pub(super) fn named_in_all(place: &Place<'_>, one: &Series, other: &Series) -> f64 {
        one.labels
            .iter()
            .filter(|label| other.labels.binary_search(label).is_err())
            .filter_map(|label| place.named.get(label))
            .filter(|strength| **strength >= NAMED)
            .sum()
    }
}

/// Two values of the same varied number.
pub(super) fn varied(one: &SlotLabel, other: &SlotLabel) -> bool {
    one.kind == SlotKind::Axis && other.kind == SlotKind::Axis && one.name == other.name
}
