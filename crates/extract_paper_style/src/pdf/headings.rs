//! The headings that a PDF's own outline names, found again among the lines of its text.
//!
//! The outline is the authors' own structure, so its titles are headings wherever they stand as lines on the page that they lead to. It is
//! taken when most of it is found so, and when it does not leave out what the numbers of the headings show.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::pdf::bookmarks::Bookmark;
use crate::pdf::furniture::Lines;
use crate::pdf::labels::{Named, named, unlabelled};
use crate::pdf::numbering::Heading;
use crate::pdf::places::places;
use crate::role::Role;

/// What the outline that a PDF carries was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum PdfOutline {
    /// The headings come from it.
    Used,
    /// There is none that fits; the headings are those that the table of contents names.
    Contents,
    /// It does not fit the text; headings are recognised by their looks, as in the other cases.
    Unfit,
    /// There is none.
    Absent,
    /// It could not be read.
    Unread,
}

/// Sections of a paper at least.
const SECTIONS: usize = 2;

/// The headings by line, and what became of the outline. Where that does not help the table of contents may, which `contents` holds as
/// an outline; else they are those `by_looks`.
pub(crate) fn headings(
    outline: Option<&[Bookmark]>,
    contents: &[Bookmark],
    lines: &Lines<'_>,
    by_looks: BTreeMap<usize, Heading>,
) -> (BTreeMap<usize, Heading>, PdfOutline) {
    let why = match outline {
        None => PdfOutline::Unread,
        Some([]) => PdfOutline::Absent,
        Some(bookmarks) => match named_by(bookmarks, lines, &by_looks) {
            Some(found) => return (found, PdfOutline::Used),
            None => PdfOutline::Unfit,
        },
    };
    match named_by(contents, lines, &by_looks) {
        Some(found) if why == PdfOutline::Unread => (found, why),
        Some(found) => (found, PdfOutline::Contents),
        None => (by_looks, why),
    }
}

/// The headings that an outline names; `None` when it does not fit.
fn named_by(
    bookmarks: &[Bookmark],
    lines: &Lines<'_>,
    by_looks: &BTreeMap<usize, Heading>,
) -> Option<BTreeMap<usize, Heading>> {
    let places = places(bookmarks, lines);
    let names: Vec<Option<Named>> = bookmarks
        .iter()
        .zip(&places)
        .map(|(bookmark, place)| {
            let line = place.as_ref().and_then(|place| lines.all.get(place.at));
            named(&bookmark.title).or_else(|| named(line?))
        })
        .collect();
    let levels = levels(bookmarks, &names);
    // `A Method of Ours` is no appendix unless there is a second one, or other titles have numbers.
    let marks = |letter: char| letter == 'B' || letter.is_ascii_digit();
    let lettered = bookmarks.iter().any(|one| {
        let number = one.title.split_once(' ').map_or("", |(number, _)| number);
        number.starts_with(marks) && unlabelled(&one.title).len() < one.title.len()
    });
    // How many of the upper two levels there are, and are found.
    let (mut all, mut placed) = (0, 0);
    let mut found = BTreeMap::new();
    for (((bookmark, level), place), name) in bookmarks.iter().zip(&levels).zip(&places).zip(&names)
    {
        all += usize::from((1..=2).contains(level));
        let Some(place) = place else {
            continue;
        };
        placed += usize::from((1..=2).contains(level));
        if *level > 0 {
            let whole =
                place.whole && place.numbered || bookmark.title.starts_with("A ") && !lettered;
            let bare = if whole {
                &bookmark.title
            } else {
                unlabelled(&bookmark.title)
            };
            let numbered = place.numbered || bare.len() < bookmark.title.len();
            let title = match (*name, named(&bookmark.title)) {
                (Some(Named::Appendix), Some(_)) => bookmark.title.clone(),
                (Some(Named::Appendix), None) => {
                    let line = lines.all.get(place.at).copied().unwrap_or_default();
                    let label: Vec<&str> = line.split_whitespace().take(2).collect();
                    [label.join(" ").as_str(), bare].join(" ")
                }
                _ => bare.to_owned(),
            };
            found.insert(
                place.at,
                Heading {
                    level: *level,
                    title,
                    numbered,
                    lines: place.lines,
                },
            );
        }
    }
    let sections = found.values().filter(|heading| heading.level == 1).count();
    let looks_like = |at: &usize| by_looks.get(at).filter(|heading| heading.level == 1);
    let seen = by_looks.keys().filter_map(looks_like).count();
    let known = |at: &usize| covered(&found, *at);
    let agreed = by_looks
        .keys()
        .filter(|at| looks_like(at).is_some() && known(at))
        .count();
    if sections < SECTIONS || 2 * placed < all || seen - agreed > sections {
        return None;
    }
    // An outline of sections alone does not show their parts.
    let deepest = found
        .values()
        .map(|heading| heading.level)
        .max()
        .unwrap_or(1);
    let deeper = by_looks.iter().filter(|(at, heading)| {
        agreed == seen && heading.level > deepest && !covered(&found, **at)
    });
    let deeper: Vec<(usize, Heading)> = deeper.map(|(at, one)| (*at, one.clone())).collect();
    found.extend(deeper);
    Some(found)
}

/// Whether a line belongs to one of these headings.
fn covered(found: &BTreeMap<usize, Heading>, at: usize) -> bool {
    let before = found.range(..=at).next_back();
    before.is_some_and(|(start, heading)| at < start + heading.lines)
}

/// The roles for which an outline has a heading.
pub(crate) fn roles(headings: &BTreeMap<usize, Heading>) -> BTreeSet<Role> {
    let roles = headings.values().map(|heading| Role::of(&heading.title));
    roles
        .filter(|(_, whole)| *whole)
        .map(|(role, _)| role)
        .collect()
}

/// The level of each bookmark as a heading: 1 for sections; 0 for what stands above them, as the paper's title and the parts of a book.
fn levels(bookmarks: &[Bookmark], names: &[Option<Named>]) -> Vec<u8> {
    let count = |level: u8| bookmarks.iter().filter(|one| one.level == level).count();
    let top = (1..=u8::MAX)
        .find(|level| count(*level) >= SECTIONS)
        .unwrap_or(1);
    let mut inside_part = false;
    let mut out = Vec::with_capacity(bookmarks.len());
    for (bookmark, name) in bookmarks.iter().zip(names) {
        let level = bookmark.level.saturating_add(1).saturating_sub(top);
        if level <= 1 {
            inside_part = *name == Some(Named::Part);
        }
        out.push(level.saturating_sub(u8::from(inside_part)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::furniture;
    use crate::pdf::numbering;

    fn bookmark(level: u8, page: usize, title: &str) -> Bookmark {
        Bookmark {
            level,
            page,
            title: title.to_owned(),
        }
    }

    /// Level and title of each heading, and where they come from.
    fn found(bookmarks: &[Bookmark], text: &str) -> (String, PdfOutline) {
        let lines = furniture::lines(text);
        let by_looks = numbering::headings(&lines.all);
        let (found, outline) = headings(Some(bookmarks), &[], &lines, by_looks);
        let show = |one: &Heading| {
            let sign = if one.numbered { "#" } else { "" };
            format!("{}{sign} {}", one.level, one.title)
        };
        let shown: Vec<String> = found.values().map(show).collect();
        (shown.join("|"), outline)
    }

    #[test]
    fn titles_of_the_outline_are_headings_where_they_stand() {
        let text = "A Paper on Gadgets\n\nStudy Population\nWe saw Results of it.\n\nW HO  WAS  SEEN\n\nAll.\n\u{c}\
            2.\n\nResults of\nthe Long Night\n\nResults\n\nThey wobble.\n\u{c}3.1 Data-\nbases\nResults";
        let outline = [
            bookmark(1, 1, "A Paper on Gadgets"),
            bookmark(2, 1, "Study population"),
            bookmark(3, 1, "Who was seen"),
            bookmark(2, 2, "Results of the Long Night"),
            // It leads to the foot of the page before.
            bookmark(3, 2, "3.1 Databases"),
            bookmark(2, 3, "Not There"),
        ];
        let expected =
            "1 Study population|2 Who was seen|1# Results of the Long Night|2# Databases";
        assert_eq!(
            found(&outline, text),
            (expected.to_owned(), PdfOutline::Used)
        );
    }

    #[test]
    fn parts_of_a_book_are_no_sections() {
        let text = "Preface\nOne.\n\u{c}Part I\nGadgets\n\u{c}Chapter 1\n\nOld Gadgets\nTwo.\n\u{c}1.1 Green Ones\n\u{c}A Word on Words\nThey are.\n\nAppendix A\n\nProofs\n";
        let outline = [
            bookmark(1, 1, "Preface"),
            bookmark(1, 2, "Gadgets"),
            bookmark(2, 3, "Old Gadgets"),
            bookmark(3, 4, "Green Ones"),
            bookmark(1, 5, "A Word on Words"),
            bookmark(1, 5, "Proofs"),
        ];
        let expected =
            "1 Preface|1# Old Gadgets|2# Green Ones|1 A Word on Words|1# Appendix A Proofs";
        assert_eq!(
            found(&outline, text),
            (expected.to_owned(), PdfOutline::Used)
        );
    }

    #[test]
    fn an_outline_that_does_not_fit_is_not_used() {
        let text = "1 Introduction\nWe do.\n2 Method\nSo.\n3 Results\nMuch.\n4 Conclusion\nDone.";
        let looks = "1# Introduction|1# Method|1# Results|1# Conclusion";
        for outline in [
            &[
                bookmark(1, 1, "Page one"),
                bookmark(1, 1, "Page two"),
                bookmark(1, 1, "Method"),
            ][..],
            // It leaves out most of what is numbered.
            &[bookmark(1, 1, "We do."), bookmark(1, 1, "Done.")],
            &[bookmark(1, 1, "Introduction")],
            &[bookmark(1, 7, "Introduction"), bookmark(1, 9, "Method")],
        ] {
            assert_eq!(
                found(outline, text),
                (looks.to_owned(), PdfOutline::Unfit),
                "{outline:?}"
            );
        }
        assert_eq!(found(&[], text), (looks.to_owned(), PdfOutline::Absent));
    }

    #[test]
    fn a_table_of_contents_helps_where_there_is_no_outline() {
        let text = "Study Population\nWe saw.\n\u{c}Findings\nThey wobble.";
        let lines = furniture::lines(text);
        let contents = [
            bookmark(1, 1, "1 Study Population"),
            bookmark(1, 2, "2 Findings"),
        ];
        for (outline, expected) in [
            (Some(&[][..]), PdfOutline::Contents),
            (Some(&[bookmark(1, 1, "Page")][..]), PdfOutline::Contents),
            (None, PdfOutline::Unread),
        ] {
            let (found, why) = headings(outline, &contents, &lines, BTreeMap::new());
            assert_eq!((found.len(), why), (2, expected));
        }
    }

    #[test]
    fn an_outline_of_sections_alone_leaves_their_parts_to_the_looks() {
        let text = "1 Introduction\nWe do.\n2 Method\n2.1 Parts\nSo.\n3 Results\nMuch.";
        let outline = ["Introduction", "Method", "Results"].map(|title| bookmark(1, 1, title));
        let expected = "1# Introduction|1# Method|2# Parts|1# Results";
        assert_eq!(
            found(&outline, text),
            (expected.to_owned(), PdfOutline::Used)
        );
    }

    proptest::proptest! {
        #[test]
        fn no_outline_makes_it_panic(
            bookmarks in proptest::collection::vec((proptest::num::u8::ANY, 0_usize..4, "(1 |Part |[A-C ]){0,4}"), 0..12),
            text in "([A-C]|1 |\\PC|\n|\n\n|\u{c}){0,60}",
        ) {
            let bookmarks: Vec<Bookmark> = bookmarks.iter().map(|(level, page, title)| bookmark(*level, *page, title)).collect();
            drop(found(&bookmarks, &text));
        }
    }
}
