//! All claims of a paper against all results.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::claim::{Class, Kind, class};
use crate::decimal::Decimal;
use crate::engine::Engine;
use crate::evidence::Evidence;
use crate::judge::Judgement;
use crate::passage::{Paper, PassageKind};
use crate::pins::Pins;
use crate::report::{Claim, ClaimPlace, ClaimReport, Status};
use crate::table::{Aligned, numeric_cells};

/// What was judged at one place: the bytes, the displayed value, the judgement.
pub(crate) type Judged = (Range<usize>, Option<Decimal>, Judgement);

/// Maps a byte of a passage to its place in the sources and to the line there.
pub trait Locate {
    /// Place and source line of a byte of a passage.
    fn locate(&self, passage: usize, offset: usize) -> (ClaimPlace, String);
}

/// Judges every number of a paper; claims in reading order.
pub fn audit_paper(
    paper: &Paper,
    evidence: &Evidence,
    pins: &Pins,
    locate: &dyn Locate,
) -> ClaimReport {
    let engine = Engine::new(paper, evidence);
    let mut judged: BTreeMap<(usize, usize), Judged> = BTreeMap::new();
    let mut not_claims = 0_usize;
    let tables: Vec<Aligned> = paper.tables.iter().map(|grid| engine.align(grid)).collect();
    let mut in_table: BTreeMap<usize, (usize, usize, usize)> = BTreeMap::new();
    for (table, (grid, aligned)) in paper.tables.iter().zip(&tables).enumerate() {
        for (row, column, passage) in numeric_cells(&engine, grid, aligned) {
            in_table.insert(passage, (table, row, column));
        }
    }
    // Totals of columns of shares, by table and column.
    let mut columns: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (passage, (table, _, column)) in &in_table {
        columns.entry((*table, *column)).or_default().push(*passage);
    }
    let totals: BTreeMap<(usize, usize), _> = columns
        .iter()
        .filter_map(|(at, column)| Some((*at, engine.column_total(column)?)))
        .collect();
    for (at, passage) in paper.passages.iter().enumerate() {
        let Some(analysed) = engine.passages.get(at) else {
            continue;
        };
        for (index, number) in analysed.numbers.iter().enumerate() {
            let bracketed = in_table
                .get(&at)
                .and_then(|(table, _, column)| totals.get(&(*table, *column)))
                .and_then(|total| engine.judge_column_share(at, index, *total, &judged))
                .or_else(|| engine.judge_bracketed(at, index, &judged));
            let found = match class(passage, &analysed.numbers, index) {
                Class::No(_) => None,
                Class::Strong(_) if bracketed.is_some() => bracketed,
                Class::Strong(kind) => match in_table.get(&at) {
                    Some((table, row, column)) => tables.get(*table).and_then(|aligned| {
                        engine.judge_cell(aligned, (*row, *column), at, number, kind)
                    }),
                    None if passage.kind == PassageKind::Cell => {
                        engine.judge_head_number(at, number)
                    }
                    None => engine.judge_text(at, number, kind, false),
                },
                Class::Weak(kind) => match passage.kind {
                    PassageKind::Cell => engine.judge_head_number(at, number),
                    _ => engine.judge_text(at, number, kind, true),
                },
            };
            match found {
                Some(judgement) => {
                    judged.insert(
                        (at, number.range.start),
                        (number.range.clone(), Some(number.value), judgement),
                    );
                }
                None => not_claims += 1,
            }
        }
        // No quantity is stated twice in a sentence, once right and once wrong: the other number states something else.
        if !matches!(passage.kind, PassageKind::Cell) {
            for number in &analysed.numbers {
                if let Some(judgement) = engine.stated_twice(at, number, &judged) {
                    judged.insert(
                        (at, number.range.start),
                        (number.range.clone(), Some(number.value), judgement),
                    );
                }
            }
        }
        // Numbers without evidence may lean on those before them.
        if !matches!(passage.kind, PassageKind::Cell) {
            for (index, number) in analysed.numbers.iter().enumerate() {
                let open = judged
                    .get(&(at, number.range.start))
                    .is_none_or(|(.., known)| known.status == Status::MissingEvidence);
                let changes = match class(passage, &analysed.numbers, index) {
                    Class::No(_) => continue,
                    Class::Strong(kind) | Class::Weak(kind) => {
                        matches!(kind, Kind::Difference | Kind::RelativeChange | Kind::Ratio)
                    }
                };
                if !open {
                    continue;
                }
                if let Some(judgement) = engine
                    .judge_efficiency(at, number, &judged)
                    .or_else(|| engine.judge_parallel(at, number, changes, &judged))
                {
                    let known = judged.insert(
                        (at, number.range.start),
                        (number.range.clone(), Some(number.value), judgement),
                    );
                    not_claims -= usize::from(known.is_none());
                }
            }
        }
        for (range, judgement) in engine.judge_scopes(at) {
            judged.insert((at, range.start), (range, None, judgement));
        }
    }
    for column in columns.values() {
        for (passage, start, judgement) in engine.reread_column(column, &judged) {
            if let Some((.., known)) = judged.get_mut(&(passage, start)) {
                *known = judgement;
            }
        }
    }
    engine.withhold(&tables, &in_table, &mut judged);
    let mut report = ClaimReport {
        claims: Vec::new(),
        counts: BTreeMap::new(),
        not_claims,
        unused_pins: Vec::new(),
    };
    let mut used = BTreeSet::new();
    // Numbers that only a pin makes claims.
    if !pins.claims.is_empty() {
        for (at, analysed) in engine.passages.iter().enumerate() {
            for number in &analysed.numbers {
                judged.entry((at, number.range.start)).or_insert_with(|| {
                    (
                        number.range.clone(),
                        Some(number.value),
                        Judgement::new(
                            Status::MissingEvidence,
                            Kind::Measurement,
                            Vec::new(),
                            UNPINNED,
                        ),
                    )
                });
            }
        }
    }
    for ((passage, start), (range, value, mut judgement)) in judged {
        let text = paper
            .passages
            .get(passage)
            .and_then(|passage| passage.text.get(range))
            .unwrap_or("")
            .to_owned();
        let (place, quote) = locate.locate(passage, start);
        let number = engine.passages.get(passage).and_then(|analysed| {
            let at = analysed
                .numbers
                .binary_search_by_key(&start, |number| number.range.start);
            analysed.numbers.get(at.ok()?)
        });
        if let Some((at, pin)) = pins.find(&place.file, &text, &quote) {
            used.insert(at);
            match (&pin.ignore, number) {
                (Some(_), _) => {
                    report.not_claims += 1;
                    continue;
                }
                (None, Some(number)) => judgement = engine.judge_pin(pin, number),
                (None, None) => {}
            }
        } else if judgement.reason == UNPINNED {
            continue;
        }
        report.claims.push(Claim {
            id: format!("{}:{}:{}", place.file, place.line, place.column),
            detail: engine.detail(&text, &judgement),
            fix: Engine::fix(&text, number, &judgement),
            explained: number
                .filter(|_| !judgement.status.is_match())
                .map(|number| engine.explains(passage, number, judgement.kind)),
            contrary: number.and_then(|number| engine.contrary(passage, number, &judgement)),
            place,
            quote,
            text,
            value,
            kind: judgement.kind,
            status: judgement.status,
            evidence: judgement
                .evidence
                .iter()
                .flat_map(|found| engine.references(found))
                .collect(),
            alternatives: judgement
                .alternatives
                .iter()
                .flat_map(|found| engine.references(found))
                .collect(),
        });
    }
    report.unused_pins = (0..pins.claims.len())
        .filter(|at| !used.contains(at))
        .filter_map(|at| pins.claims.get(at))
        .map(|pin| format!("{}: {}", pin.file, pin.text))
        .collect();
    report.count();
    report
}

/// Marks numbers that nothing but a pin would make claims.
const UNPINNED: &str = "not pinned";
