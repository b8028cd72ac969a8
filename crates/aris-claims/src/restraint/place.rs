//! Where an accused number stands, and what is named there.

use std::collections::{BTreeMap, BTreeSet};

use crate::aggregation::approximate;
use crate::audit::Judged;
use crate::engine::Engine;
use crate::fit::Shown;
use crate::lexicon::LabelId;
use crate::passage::PassageKind;
use crate::table::Aligned;

use super::{AROUND, JOINTS, NAMED, Place};

/// Files by table and column.
pub(super) type ColumnFiles = BTreeMap<(usize, usize), BTreeSet<u32>>;

impl Engine<'_> {
    pub(super) fn accused_place<'p>(
        &'p self,
        tables: &[Aligned],
        cells: &BTreeMap<usize, (usize, usize, usize)>,
        columns: &ColumnFiles,
        judged: &BTreeMap<(usize, usize), Judged>,
        (passage, start): (usize, usize),
    ) -> Option<Place<'p>> {
        let text = self.paper.passages.get(passage)?;
        let numbers = &self.passages.get(passage)?.numbers;
        let at = numbers
            .binary_search_by_key(&start, |number| number.range.start)
            .ok()?;
        let number = numbers.get(at)?;
        let mut named = BTreeMap::new();
        let mut raise = |label: LabelId, strength: f64| {
            let known: &mut f64 = named.entry(label).or_insert(0.0);
            *known = known.max(strength);
        };
        let mut unit = None;
        let mut files = BTreeSet::new();
        let cell = cells.get(&passage).copied();
        if let Some((table, row, column)) = cell {
            let aligned = tables.get(table)?;
            for head in [aligned.rows.get(row), aligned.columns.get(column)]
                .into_iter()
                .flatten()
            {
                unit = unit.or(head.unit);
                for (label, weight) in &head.weights {
                    raise(*label, *weight);
                }
            }
            for mention in &aligned.caption {
                raise(mention.label, mention.strength * AROUND);
            }
            files = columns.get(&(table, column)).cloned().unwrap_or_default();
        } else {
            let sentence = self.sentence_at(passage, start)?;
            let sentences = &self.passages.get(passage)?.sentences;
            for mention in sentences
                .get(sentence)
                .into_iter()
                .flat_map(|s| &s.mentions)
            {
                raise(mention.label, mention.strength);
            }
            let previous = sentence.checked_sub(1).and_then(|at| sentences.get(at));
            for mention in previous.into_iter().flat_map(|s| &s.mentions) {
                raise(mention.label, mention.strength * AROUND);
            }
            let (body, _) = self.sentence_text(passage, start);
            let ours = crate::words::words(body)
                .iter()
                .any(|word| matches!(word.text.as_str(), "we" | "our" | "ours" | "us"));
            for label in self.own.iter().filter(|_| ours) {
                raise(*label, NAMED);
            }
        }
        let mut before = None;
        let mut bracketed = false;
        let mut listed = false;
        for earlier in numbers.get(..at)?.iter().rev().take(2) {
            let gap = text.text.get(earlier.end..start).unwrap_or("");
            bracketed |= gap.contains(['(', '[']) && !gap.contains([')', ']']) && gap.len() < 40;
            let joined = gap.len() < 40 && !gap.contains(['.', ';']);
            if let Some((.., known)) = judged.get(&(passage, earlier.range.start))
                && joined
                && known.status.is_match()
            {
                if before.is_none() {
                    listed = gap
                        .split(|c: char| !c.is_alphanumeric())
                        .filter(|word| !word.is_empty())
                        .all(|word| JOINTS.contains(&word));
                }
                before = before.or(known.evidence.first().cloned());
            }
        }
        let range = self.sentence_at(passage, start).and_then(|at| {
            let sentence = self.passages.get(passage)?.sentences.get(at)?;
            Some(sentence.start..sentence.end)
        })?;
        let shown_beside = judged
            .range((passage, range.start)..(passage, range.end))
            .filter(|((_, at), (.., known))| *at != start && known.status.is_match())
            .filter_map(|(_, (.., known))| known.evidence.first())
            .filter(|found| found.against.is_none())
            .map(|found| found.series)
            .collect();
        Some(Place {
            text: &text.text,
            number,
            shown: Shown::new(number, unit, approximate(&text.text, start)),
            named,
            files,
            before,
            joined: listed,
            shown_beside,
            cell: cell.is_some() || text.kind == PassageKind::Cell,
            bracketed,
        })
    }

    /// The files that the matches in each column of each table come from.
    pub(super) fn column_files(
        &self,
        cells: &BTreeMap<usize, (usize, usize, usize)>,
        judged: &BTreeMap<(usize, usize), Judged>,
    ) -> ColumnFiles {
        let mut files = ColumnFiles::new();
        for ((passage, _), (.., judgement)) in judged {
            let found = judgement.evidence.first();
            if let (true, Some((table, _, column)), Some(found)) =
                (judgement.status.is_match(), cells.get(passage), found)
            {
                files
                    .entry((*table, *column))
                    .or_default()
                    .extend(self.first_file(found.series));
            }
        }
        files
    }
}
