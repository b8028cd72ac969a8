//! Where a number stands, as a binding says it: a stretch of the source that fits once, or the macro that holds it.

use std::ops::Range;

use aris_latex::MarkKind;

use crate::bindings::{Anchor, Folded};
use crate::paper::{Paper, Shown};

/// Words to each side of a number that are tried, one after the other.
const WORDS: [usize; 7] = [3, 5, 8, 12, 20, 32, 50];
/// Bytes of source that one number takes.
const LONGEST: usize = 160;
/// Bytes before the first digit that belong to a number: `$-$`, `\num{+`.
const BEFORE: usize = 12;

/// The macro that holds a number, by its name.
pub(super) fn macro_of(paper: &Paper<'_>, shown: &Shown) -> Option<String> {
    let block = paper.document.blocks.get(shown.block)?;
    let expanded = block.marks.iter().filter_map(|mark| match &mark.kind {
        MarkKind::Expanded { name, .. }
            if mark.range.start <= shown.range.start && shown.range.end <= mark.range.end =>
        {
            Some(name)
        }
        _ => None,
    });
    let holds = |name: &&String| {
        let found = paper.macro_number(name);
        found.is_ok_and(|found| found.number.value == shown.number.value)
    };
    expanded.into_iter().find(holds).cloned()
}

/// The shortest of some stretches around a number that fits its file once, with the number marked.
pub(super) fn anchor(
    paper: &Paper<'_>,
    folded: &Folded,
    named: &str,
    shown: &Shown,
) -> Option<String> {
    let place = paper.place(shown.block, shown.range.start);
    let read = |range: Range<usize>| paper.number(place.file, range);
    let mark = mark(folded, folded.at(place.offset), &|range| {
        read(range).is_some_and(|found| same(&found, shown))
    })?;
    let counts = |range: Range<usize>| paper.is_visible(place.file, range);
    let text = &folded.text;
    WORDS.iter().find_map(|count| {
        let before = text.get(..mark.start)?;
        let after = text.get(mark.end..)?;
        let start = before
            .rmatch_indices(' ')
            .nth(*count)
            .map_or(0, |(at, _)| at + 1);
        let end = after
            .match_indices(' ')
            .nth(*count)
            .map_or(text.len(), |(at, _)| mark.end + at);
        let (left, right) = (text.get(start..mark.start)?, text.get(mark.end..end)?);
        let anchor = format!("{left}[[{}]]{right}", text.get(mark.clone())?);
        let anchor = Anchor::new(named, anchor.trim(), None).ok()?;
        let fit = anchor.find(folded, &read, &counts).ok()?;
        let [found] = fit.numbers.as_slice() else {
            return None;
        };
        same(found, shown).then_some(anchor.text)
    })
}

/// Whether both are the same number at the same place.
fn same(one: &Shown, other: &Shown) -> bool {
    one.block == other.block && one.range == other.range && one.number.value == other.number.value
}

/// The bytes of the folded source that a number takes.
fn mark(folded: &Folded, at: usize, is_it: &dyn Fn(Range<usize>) -> bool) -> Option<Range<usize>> {
    let text = &folded.text;
    let limit = text.floor_char_boundary(at + LONGEST);
    for start in (at.saturating_sub(BEFORE)..=at)
        .rev()
        .filter(|at| text.is_char_boundary(*at))
    {
        let ends = (at + 1..=limit).filter(|at| text.is_char_boundary(*at));
        for range in ends.map(|end| start..end) {
            let mut depth = 0_i32;
            let inner = text.get(range.clone())?;
            for byte in inner.bytes() {
                depth += i32::from(byte == b'{') - i32::from(byte == b'}');
            }
            let dollars = inner.matches('$').count();
            let plain = inner.trim() == inner && dollars % 2 == 0 && depth == 0;
            if plain && is_it(folded.source(range.clone())) {
                return Some(range);
            }
        }
    }
    None
}

/// A file of the paper as a file in `folder` names it.
pub(super) fn relative(folder: &str, path: &str) -> String {
    let mut folder = folder
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .peekable();
    let mut path = path.split('/').peekable();
    while folder.peek().is_some() && folder.peek() == path.peek() {
        folder.next();
        path.next();
    }
    let up = folder.map(|_| "..");
    up.chain(path).collect::<Vec<_>>().join("/")
}
