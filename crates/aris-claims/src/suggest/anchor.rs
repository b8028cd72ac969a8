//! Finds the place of a number as a binding gives it: a quote of the source that matches once, or the macro that holds the
//! number.

use std::ops::Range;

use aris_latex::MarkKind;

use crate::bindings::{Anchor, Folded};
use crate::paper::{Paper, Shown};

/// Numbers of words to each side of a number that are tried, one after the other.
const WORDS: [usize; 7] = [3, 5, 8, 12, 20, 32, 50];
/// Most bytes of source for one number.
const LONGEST: usize = 160;

/// The name of the macro that holds a number.
pub(super) fn macro_of(paper: &Paper<'_>, shown: &Shown) -> Option<String> {
    let block = paper.document.blocks.get(shown.block)?;
    block.marks.iter().find_map(|mark| {
        let (range, inner) = (&mark.range, &shown.range);
        let MarkKind::Expanded { name, .. } = &mark.kind else {
            return None;
        };
        let held = paper.macro_number(name).ok()?.number.value;
        let is_it =
            range.start <= inner.start && inner.end <= range.end && held == shown.number.value;
        is_it.then(|| name.to_string())
    })
}

/// The shortest tried quote around a number that matches its file once, with the number marked.
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

/// Whether both are the same number in the same place.
fn same(one: &Shown, other: &Shown) -> bool {
    one.block == other.block && one.range == other.range && one.number.value == other.number.value
}

/// The range of the folded source that a number takes: the shortest that reads as the number and has balanced braces.
fn mark(folded: &Folded, at: usize, is_it: &dyn Fn(Range<usize>) -> bool) -> Option<Range<usize>> {
    let braces = |text: &str, brace: char| text.matches(brace).count();
    let is_mark = |end: &usize| {
        let text = folded.text.get(at..*end);
        text.is_some_and(|text| braces(text, '{') == braces(text, '}'))
            && is_it(folded.source(at..*end))
    };
    let end = (at + 1..=at + LONGEST).find(is_mark)?;
    Some(at..end)
}

/// The path of a file of the paper as seen from `folder`.
pub(super) fn relative(folder: &str, path: &str) -> String {
    let folder = folder.split('/').filter(|part| !matches!(*part, "" | "."));
    let folder: Vec<&str> = folder.collect();
    let path: Vec<&str> = path.split('/').collect();
    let pairs = folder.iter().zip(&path);
    let same = pairs.take_while(|(one, other)| one == other).count();
    let up = folder.iter().skip(same).map(|_| "..");
    let down = path.iter().skip(same).copied();
    up.chain(down).collect::<Vec<_>>().join("/")
}
