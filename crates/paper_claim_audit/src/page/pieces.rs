//! Splits a block's text where numbers, statements and type faces begin and end.

use std::ops::Range;

use aris_latex::{Mark, MarkKind};

use super::card::clean;

/// A stretch of text and the entries about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) range: Range<usize>,
    /// Indices into the audit's entries.
    pub(super) entries: Vec<usize>,
}

/// A step in writing a block. A number is inside or outside of a statement, never across its boundary.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<S> {
    /// Text and its type faces, as style-sheet classes.
    Text(String, String),
    /// A statement begins.
    Statement(S),
    /// A number begins.
    Number(S),
    /// The number ends.
    EndNumber,
    /// The statement ends.
    EndStatement,
}

/// Style-sheet classes: bold, emphasised, code, maths, quiet.
const FACES: [&str; 5] = ["b", "e", "c", "m", "q"];

/// Index into [`FACES`].
fn face(kind: &MarkKind) -> Option<usize> {
    Some(match kind {
        MarkKind::Bold => 0,
        MarkKind::Emph => 1,
        MarkKind::Code | MarkKind::Url => 2,
        MarkKind::Math | MarkKind::DisplayMath => 3,
        MarkKind::Cite { .. } | MarkKind::Ref => 4,
        _ => return None,
    })
}

/// A change at one byte of the text.
enum Step<S> {
    Face(usize, bool),
    Piece(Piece<S>),
}

/// Splits a text. Overlapping ranges of numbers become one stretch, and so do those of statements; a statement is extended to
/// contain the numbers that its boundaries would cut. `show` makes the page's data for a stretch. Ranges outside of the text are
/// dropped.
pub(super) fn pieces<S>(
    text: &str,
    marks: &[Mark],
    numbers: Vec<Stretch>,
    statements: Vec<Stretch>,
    mut show: impl FnMut(&Stretch) -> S,
) -> Vec<Piece<S>> {
    let fits = |range: &Range<usize>| range.start < range.end && text.get(range.clone()).is_some();
    let fitting = |mut all: Vec<Stretch>| {
        all.retain(|one| fits(&one.range));
        merged(all)
    };
    let numbers = fitting(numbers);
    let mut statements = fitting(statements);
    for statement in &mut statements {
        let first = numbers.partition_point(|number| number.range.end <= statement.range.start);
        let after = numbers.partition_point(|number| number.range.start < statement.range.end);
        for number in numbers.get(first..after).unwrap_or(&[]) {
            statement.range.start = statement.range.start.min(number.range.start);
            statement.range.end = statement.range.end.max(number.range.end);
        }
    }
    let statements = merged(statements);

    // Order at the same byte: faces, then ends from inner to outer, then beginnings from outer to inner.
    let mut steps: Vec<(usize, u8, Step<S>)> = Vec::new();
    for mark in marks.iter().filter(|mark| fits(&mark.range)) {
        if let Some(face) = face(&mark.kind) {
            steps.push((mark.range.start, 0, Step::Face(face, true)));
            steps.push((mark.range.end, 0, Step::Face(face, false)));
        }
    }
    for number in &numbers {
        let begin = Piece::Number(show(number));
        steps.push((number.range.start, 4, Step::Piece(begin)));
        steps.push((number.range.end, 1, Step::Piece(Piece::EndNumber)));
    }
    for statement in &statements {
        let begin = Piece::Statement(show(statement));
        steps.push((statement.range.start, 3, Step::Piece(begin)));
        let end = Step::Piece(Piece::EndStatement);
        steps.push((statement.range.end, 2, end));
    }
    steps.sort_by_key(|(at, rank, _)| (*at, *rank));

    let (mut out, mut done, mut open) = (Vec::new(), 0, [0_usize; FACES.len()]);
    let write = |range: Range<usize>, open: &[usize], out: &mut Vec<Piece<S>>| {
        let Some(text) = text.get(range).filter(|text| !text.is_empty()) else {
            return;
        };
        let faces = FACES.iter().zip(open).filter(|(_, open)| **open > 0);
        let faces: Vec<&str> = faces.map(|(face, _)| *face).collect();
        out.push(Piece::Text(faces.join(" "), clean(text)));
    };
    for (at, _, step) in steps {
        write(done..at, &open, &mut out);
        done = at;
        match step {
            Step::Piece(piece) => out.push(piece),
            Step::Face(face, begins) => {
                if let Some(count) = open.get_mut(face) {
                    *count = if begins { *count + 1 } else { *count - 1 };
                }
            }
        }
    }
    write(done..text.len(), &open, &mut out);
    out
}

/// Sorted stretches; overlapping ones are merged.
fn merged(mut all: Vec<Stretch>) -> Vec<Stretch> {
    all.sort_by_key(|one| (one.range.start, one.range.end));
    let mut out: Vec<Stretch> = Vec::new();
    for one in all {
        match out.last_mut() {
            Some(last) if one.range.start < last.range.end => {
                last.range.end = last.range.end.max(one.range.end);
                last.entries.extend(one.entries);
            }
            _ => out.push(one),
        }
    }
    out
}
