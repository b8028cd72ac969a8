//! Checks arithmetic that the text itself states, and notes what is wrong. Such notes warn and never block.
//!
//! * `n of m (p %)`, `n out of m (p %)`, `n/m (p %)`: the percentage is that of the two counts.
//! * `from A to B (X %)`: the percentage is the change relative to A or to B. Skipped if A or B is a percentage, because the
//!   change may be meant in percentage points, or if both are years.
//! * A last row with the heading `Total` or `Sum`: each of its whole numbers is the sum of the whole numbers above it.

use crate::decimal::Decimal;
use crate::number::{Number, Style, scan, whole};
use crate::paper::{Layout, Paper, is_year};
use crate::report::Note;

/// Most bytes between two numbers of one phrase.
const GAP: usize = 24;

/// Most rows of a table whose totals are checked.
const MOST_ROWS: usize = 10_000;

pub(super) fn check(paper: &Paper<'_>, notes: &mut Vec<Note>) {
    for (at, block) in paper.document.blocks.iter().enumerate() {
        let numbers = scan(&block.text);
        for triple in numbers.windows(3) {
            let [a, b, percent] = triple else { continue };
            if block.doubt(&(a.range.start..percent.end)).is_some() {
                continue;
            }
            let between = |left: &Number, right: &Number| {
                let text = block.text.get(left.end..right.range.start)?;
                (text.len() <= GAP).then_some(text)
            };
            let (Some(one), Some(two)) = (between(a, b), between(b, percent)) else {
                continue;
            };
            // `(95 % CI 10-30)` and `(20 % of cases)` are percentages of something else.
            let after = block.text.get(percent.end..).unwrap_or("");
            if !after.trim_start().starts_with([')', ',', ';']) {
                continue;
            }
            let before = block.text.get(..a.range.start).unwrap_or("");
            let found =
                shares(a, b, percent, one, two).or_else(|| change(a, b, percent, before, one, two));
            if let Some(message) = found {
                notes.push(Note {
                    id: "text_arithmetic",
                    position: paper.position(at, percent.range.start),
                    quote: paper.context(at, &(a.range.start..percent.end)),
                    message,
                });
            }
        }
    }
    totals(paper, notes);
}

/// `12 of 64 (18.8 %)`
fn shares(part: &Number, whole: &Number, percent: &Number, one: &str, two: &str) -> Option<String> {
    let joins = matches!(one.trim(), "of" | "of the" | "out of" | "out of the" | "/");
    let counts = part.value.is_integer() && whole.value.is_integer() && !part.value.is_negative();
    let plain = [part, whole].iter().all(|number| {
        number.unit.is_none() && number.multiplier == 0 && number.style != Style::Scientific
    });
    let bracket = two.trim_end().strip_suffix('(')?.trim();
    let noun = bracket.split_whitespace().count() <= 2
        && !bracket.contains(|c: char| ".,;:=<>".contains(c));
    if !(joins && counts && plain && noun && percent.is_percent()) || part.value > whole.value {
        return None;
    }
    let value = part.value.over(&whole.value)?.shift(2);
    (!near(&value, percent)).then(|| {
        let [part, whole] = [&part.value, &whole.value];
        format!("{part} of {whole} is {}", instead(&value, percent))
    })
}

/// `from 6.1 to 7.4 (21 %)`
fn change(
    from: &Number,
    to: &Number,
    percent: &Number,
    before: &str,
    one: &str,
    two: &str,
) -> Option<String> {
    let phrase = before.trim_end().ends_with("from")
        && one.trim() == "to"
        && matches!(two.trim(), "(" | "(+" | "(-" | "(−");
    let plain = [from, to]
        .iter()
        .all(|number| !number.is_percent() && number.multiplier == 0 && !number.value.is_zero());
    let years = is_year(from) && is_year(to);
    if !(phrase && plain && percent.is_percent()) || years {
        return None;
    }
    let bounds = |number: &Number| {
        let (low, high) = number.interval();
        [low, number.value.clone(), high]
    };
    let fits = bounds(from).iter().any(|a| {
        bounds(to).iter().any(|b| {
            let gap = b.minus(a).abs();
            let mut parts = [a, b].into_iter().filter_map(|base| gap.over(&base.abs()));
            parts.any(|part| near(&part.shift(2), percent))
        })
    });
    let value = to.value.minus(&from.value).over(&from.value.abs())?;
    (!fits).then(|| {
        let value = instead(&value.shift(2), percent);
        format!("from {} to {} is a change of {value}", from.value, to.value)
    })
}

fn instead(value: &Decimal, percent: &Number) -> String {
    let value = value.fixed(-i64::from(percent.last_digit));
    format!("{value} %, the text says {} %", percent.value)
}

/// Whether a value rounds to this number, ignoring signs.
fn near(value: &Decimal, shown: &Number) -> bool {
    let half = Decimal::new(5, shown.last_digit - 1);
    value.abs().minus(&shown.value.abs()).abs() <= half
}

fn totals(paper: &Paper<'_>, notes: &mut Vec<Note>) {
    for table in &paper.document.tables {
        let body = (0..table.rows.len().min(MOST_ROWS)).zip(&table.rows);
        let body = body.filter(|(_, row)| !row.header).map(|(at, _)| at);
        let body: Vec<usize> = body.collect();
        let Some((last, above)) = body.split_last() else {
            continue;
        };
        let layout = Layout::new(paper.document, table);
        let head = layout.at(*last, 0).map_or("", |cell| paper.text(cell));
        let is_total = ["total", "sum"].contains(&head.trim().to_lowercase().as_str());
        let grouped = table.rows.iter().any(|row| row.group && !row.header);
        if !is_total || grouped || above.len() < 2 {
            continue;
        }
        for column in 1..layout.width {
            let counted = |row: &usize| {
                let cell = layout.at(*row, column)?;
                let number = whole(paper.text(cell))?;
                let is_set = paper.doubt(cell, &(0..usize::MAX)).is_none();
                let counts = is_set && number.value.is_integer() && number.last_digit == 0;
                counts.then_some((cell, number.value))
            };
            let sum = above.iter().try_fold(Decimal::default(), |sum, row| {
                counted(row).map(|(_, value)| sum.plus(&value))
            });
            let (Some((cell, total)), Some(sum)) = (counted(last), sum) else {
                continue;
            };
            if sum != total {
                notes.push(Note {
                    id: "column_total",
                    position: paper.position(cell, 0),
                    quote: paper.context(cell, &(0..0)),
                    message: format!("the column adds up to {sum}, its total says {total}"),
                });
            }
        }
    }
}
