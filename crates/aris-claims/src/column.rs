//! Second look at a column: what its other cells were taken from.
//!
//! When the confirmed cells of a column are values of one list (a file's variants, the rows of a table of results) and a
//! cell that contradicts a quantity from elsewhere shows a value of that list which no other cell shows, the head of its row
//! was misread. Swapped cells stay contradictions: there the contradicted quantity is of the list itself.

use std::collections::BTreeSet;

use crate::audit::Judged;
use crate::engine::Engine;
use crate::evidence::SlotKind;
use crate::fit::{self, Approximate, Shown};
use crate::judge::Judgement;
use crate::parallel::{SoFar, status};
use crate::report::Status;
use crate::series::SeriesId;

/// Confirmed cells that must come from one list.
const CONFIRMED: usize = 2;

impl Engine<'_> {
    /// New judgements for cells of one column: passage, first byte, judgement.
    pub(crate) fn reread_column(
        &self,
        column: &[usize],
        judged: &SoFar,
    ) -> Vec<(usize, usize, Judgement)> {
        let first = |passage: usize| -> Option<(usize, &Judged)> {
            let number = self.passages.get(passage)?.numbers.first()?;
            let found = judged.get(&(passage, number.range.start))?;
            Some((number.range.start, found))
        };
        let cells: Vec<(usize, usize, &Judged)> = column
            .iter()
            .filter_map(|passage| first(*passage).map(|(start, found)| (*passage, start, found)))
            .collect();
        let confirmed: BTreeSet<SeriesId> = cells
            .iter()
            .filter(|(.., (.., judgement))| judgement.status.is_match())
            .filter_map(|(.., (.., judgement))| judgement.evidence.first())
            .filter(|found| found.against.is_none())
            .map(|found| found.series)
            .collect();
        let Some(list) = confirmed.iter().find_map(|id| {
            let slots = self.series(*id)?.slots.len();
            (0..slots)
                .map(|slot| self.family(*id, slot))
                .find(|family| {
                    family.iter().filter(|id| confirmed.contains(id)).count() >= CONFIRMED
                })
        }) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let mut taken = confirmed;
        for (passage, start, (.., judgement)) in cells {
            let contradicted = judgement.evidence.first().map(|found| found.series);
            let elsewhere =
                contradicted.is_some_and(|id| !list.contains(&id) && !self.same_file(id, &list));
            if judgement.status != Status::NumberMismatch || !elsewhere {
                continue;
            }
            let Some(number) = self
                .passages
                .get(passage)
                .and_then(|analysed| analysed.numbers.first())
            else {
                continue;
            };
            let shown = Shown::new(number, None, Approximate::No);
            let fitting = list
                .iter()
                .copied()
                .filter(|id| !taken.contains(id))
                .find_map(|id| {
                    let series = self.series(id)?;
                    let facet = series.headline(&self.evidence.leaves)?.0;
                    let hit = fit::hit(&shown, series, facet, &self.evidence.leaves)?;
                    Some((id, hit))
                });
            if let Some((id, hit)) = fitting {
                taken.insert(id);
                let found = Self::found(id, hit);
                out.push((
                    passage,
                    start,
                    Judgement::new(status(hit.closeness), judgement.kind, vec![found], ""),
                ));
            }
        }
        out
    }

    /// Values of one file and one shape: there a wrong cell is a wrong cell.
    fn same_file(&self, id: SeriesId, list: &[SeriesId]) -> bool {
        let paths = |id: SeriesId| {
            self.series(id).map(|series| {
                let paths: Vec<u32> = series
                    .slots
                    .iter()
                    .filter(|slot| slot.kind == SlotKind::Path)
                    .map(|slot| slot.label)
                    .collect();
                (series.slots.len(), paths)
            })
        };
        list.first().is_some_and(|first| paths(*first) == paths(id))
    }
}
