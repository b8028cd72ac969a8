//! The outline of a PDF, and where its titles stand in the text.
//!
//! The outline is the authors' own structure. A title becomes a heading if it stands as a line on the page that its entry leads
//! to. The outline is used if most of its titles are found and it leaves out no more sections than it has, compared with the
//! numbered headings.

use std::collections::BTreeMap;

use roxmltree::Document;
use serde::Serialize;

use crate::pdf::furniture::Lines;
use crate::pdf::headings::{Heading, Named, unlabelled, unnamed};
use crate::pdf::layout::clean;

/// What the outline that a PDF carries was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum PdfOutline {
    /// The headings come from it.
    Used,
    /// It does not fit the text; headings are recognised by their looks, as in the other cases.
    Unfit,
    /// There is none.
    Absent,
    /// It could not be read.
    Unread,
}

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bookmark {
    /// 1 for the outermost.
    pub(crate) level: u8,
    /// The page it leads to, counted from 1.
    pub(crate) page: usize,
    pub(crate) title: String,
}

/// Most bookmarks that are read; a standard of 600 pages has 1,500.
const MOST: usize = 5_000;
/// Deepest level of a bookmark.
const DEEPEST: usize = 9;
/// Fewest sections of a paper.
const SECTIONS: usize = 2;
/// Most lines of a heading, and most lines that it is spread over, including empty ones.
const LINES: (usize, usize) = (4, 9);
/// Most bytes of a line of a heading.
const LENGTH: usize = 240;
/// Most lines of a page that are searched.
const PAGE: usize = 2_000;
/// Most characters by which titles are compared.
const KEY: usize = 300;

/// The bookmarks in the output of `pdftohtml -xml`; empty if there is no outline, `None` if it cannot be read.
pub(crate) fn bookmarks(xml: &str) -> Option<Vec<Bookmark>> {
    let (Some(start), Some(end)) = (xml.find("<outline>"), xml.rfind("</outline>")) else {
        return Some(Vec::new());
    };
    let outline = clean(xml.get(start..end)?) + "</outline>";
    let document = Document::parse(&outline).ok()?;
    let nodes = document.descendants();
    let items = nodes.filter(|node| node.has_tag_name("item"));
    let bookmark = |node: roxmltree::Node<'_, '_>| {
        let outlines = node.ancestors().filter(|node| node.has_tag_name("outline"));
        let level = outlines.take(DEEPEST).count();
        Some(Bookmark {
            level: u8::try_from(level).ok()?,
            page: node.attribute("page")?.parse().ok()?,
            title: node.text()?.trim().to_owned(),
        })
    };
    Some(items.take(MOST).filter_map(bookmark).collect())
}

/// The headings by line, and what the outline was used for. If it is of no use, they are the headings `by_looks`.
pub(crate) fn headings(
    outline: Option<&[Bookmark]>,
    lines: &Lines<'_>,
    by_looks: BTreeMap<usize, Heading>,
) -> (BTreeMap<usize, Heading>, PdfOutline) {
    match outline {
        None => (by_looks, PdfOutline::Unread),
        Some([]) => (by_looks, PdfOutline::Absent),
        Some(bookmarks) => match named_by(bookmarks, lines, &by_looks) {
            Some(found) => (found, PdfOutline::Used),
            None => (by_looks, PdfOutline::Unfit),
        },
    }
}

/// The headings that an outline names; `None` if it does not fit the text.
fn named_by(
    bookmarks: &[Bookmark],
    lines: &Lines<'_>,
    by_looks: &BTreeMap<usize, Heading>,
) -> Option<BTreeMap<usize, Heading>> {
    // `A Method of Ours` is an appendix only if other titles have numbers or letters.
    let is_lettered = |title: &str| unlabelled(title) != title && !title.starts_with("A ");
    let lettered = bookmarks.iter().any(|one| is_lettered(&one.title));
    let count = |level: u8| bookmarks.iter().filter(|one| one.level == level).count();
    let top = (1..=9).find(|level| count(*level) >= SECTIONS).unwrap_or(1);
    // Number of bookmarks of the upper two levels, and of those that are found in the text.
    let (mut all, mut placed, mut inside_part) = (0, 0, false);
    let mut found: BTreeMap<usize, Heading> = BTreeMap::new();
    let (mut page, mut last) = (0, 0);
    for bookmark in bookmarks {
        if bookmark.page != page {
            (page, last) = (bookmark.page, 0);
        }
        let place = place(bookmark, lines, last, &found);
        let said = place.as_ref().and_then(|(_, one)| unnamed(&one.title));
        let label = unnamed(&bookmark.title).or(said).map(|(named, _)| named);
        // Entries above the sections, such as the paper's title and the parts of a book, have level 0.
        let level = (bookmark.level + 1).saturating_sub(top);
        if level <= 1 {
            inside_part = label == Some(Named::Part);
        }
        let level = level.saturating_sub(u8::from(inside_part));
        let is_upper = usize::from((1..=2).contains(&level));
        all += is_upper;
        let Some((at, mut heading)) = place else {
            continue;
        };
        placed += is_upper;
        last = at;
        if level == 0 {
            continue;
        }
        heading.level = level;
        if label != Some(Named::Appendix) {
            let title = bookmark.title.as_str();
            let is_word = !lettered && title.starts_with("A ");
            let bare = if is_word { title } else { unlabelled(title) };
            bare.clone_into(&mut heading.title);
            heading.numbered |= bare.len() < title.len();
        }
        found.insert(at, heading);
    }
    let covered = |at: usize| {
        let before = found.range(..=at).next_back();
        before.is_some_and(|(start, heading)| at < start + heading.lines)
    };
    let is_section = |(_, heading): &(&usize, &Heading)| heading.level == 1;
    let sections = found.iter().filter(is_section).count();
    let unnamed = by_looks.iter().filter(is_section);
    let unnamed = unnamed.filter(|(at, _)| !covered(**at)).count();
    if sections < SECTIONS || 2 * placed < all || unnamed > sections {
        return None;
    }
    // An outline that lists only sections does not show the subsections.
    let deepest = found.values().map(|heading| heading.level).max();
    let is_deeper = |heading: &Heading| unnamed == 0 && Some(heading.level) > deepest;
    let deeper = by_looks.iter().filter(|(_, heading)| is_deeper(heading));
    let deeper = deeper.filter(|(at, _)| !covered(**at));
    let deeper: Vec<_> = deeper.map(|(at, one)| (*at, one.clone())).collect();
    found.extend(deeper);
    Some(found)
}

/// The line of a bookmark's title on its page or the next one, and the heading there. Prefers lines from `last` on.
fn place(
    bookmark: &Bookmark,
    lines: &Lines<'_>,
    last: usize,
    taken: &BTreeMap<usize, Heading>,
) -> Option<(usize, Heading)> {
    let wanted = [&bookmark.title, unlabelled(&bookmark.title)].map(key);
    let mut pages = [bookmark.page, bookmark.page + 1].into_iter();
    pages.find_map(|page| {
        let start = *lines.pages.get(page.checked_sub(1)?)?;
        let end = lines.pages.get(page).copied().unwrap_or(lines.all.len());
        let free = (start..end.min(start + PAGE)).filter(|at| !taken.contains_key(at));
        let mut found = free.filter_map(|at| Some((at, said(lines.all.get(at..end)?, &wanted)?)));
        let first = found.next()?;
        let after = (first.0 < last).then(|| found.find(|(at, _)| *at >= last));
        Some(after.flatten().unwrap_or(first))
    })
}

/// The heading at the beginning of `lines`, if it is one of the `wanted` titles.
fn said(lines: &[&str], wanted: &[String; 2]) -> Option<Heading> {
    let mut text = String::new();
    let full = lines.iter().enumerate().take(LINES.1);
    for (at, line) in full
        .filter(|(at, line)| *at == 0 || !line.is_empty())
        .take(LINES.0)
    {
        if line.is_empty() || line.len() > LENGTH {
            return None;
        }
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(line);
        let (whole, rest) = (key(&text), key(unlabelled(&text)));
        let is_one = |title: &&String| !title.is_empty() && (**title == whole || **title == rest);
        if let Some(title) = wanted.iter().find(is_one) {
            return Some(Heading {
                level: 1,
                numbered: *title != whole,
                title: text,
                lines: at + 1,
            });
        }
        // Most lines begin no title. A number alone, or `Chapter 3`, may.
        let begins = |title: &String| title.starts_with(&whole) || title.starts_with(&rest);
        if text.len() > 24 && !wanted.iter().any(begins) {
            return None;
        }
    }
    None
}

/// The letters and digits of a title in lower case, at most [`KEY`] of them.
pub(crate) fn key(title: &str) -> String {
    let letters = title.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).take(KEY).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::layout::Page;
    use crate::pdf::{furniture, headings};

    fn bookmark(level: u8, page: usize, title: &str) -> Bookmark {
        Bookmark {
            level,
            page,
            title: title.to_owned(),
        }
    }

    /// Level and title of each heading, and what the outline was used for.
    fn found(bookmarks: &[Bookmark], text: &str) -> (String, PdfOutline) {
        let pages: Vec<Page> = text
            .split('\u{c}')
            .map(|page| page.lines().map(str::to_owned).collect())
            .collect();
        let lines = furniture::lines(&pages);
        let by_looks = headings::headings(&lines.all);
        let (found, outline) = headings(Some(bookmarks), &lines, by_looks);
        let show = |one: &Heading| {
            let sign = if one.numbered { "#" } else { "" };
            format!("{}{sign} {}", one.level, one.title)
        };
        let shown: Vec<String> = found.values().map(show).collect();
        (shown.join("|"), outline)
    }

    #[test]
    fn the_outline_is_read() {
        let xml = "<page>\n</page>\n<outline>\n<item page=\"4\">One &amp; \u{2}two</item>\n<outline>\n<item page=\"5\">Three</item>\n</outline>\n</outline>\n</pdf2xml>";
        let expected = [bookmark(1, 4, "One &  two"), bookmark(2, 5, "Three")];
        assert_eq!(bookmarks(xml).as_deref(), Some(&expected[..]));
        assert_eq!(bookmarks("<pdf2xml></pdf2xml>"), Some(Vec::new()));
        assert_eq!(bookmarks("<outline><item></outline>"), None);
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
            // Its entry leads to the end of the page before.
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
    fn an_outline_of_another_text_does_not_fit() {
        let text = "1 Introduction\nWe do.\n2 Method\nSo.\n3 Results\nIt is.";
        let outline = [
            bookmark(1, 1, "Once upon a time"),
            bookmark(1, 1, "Method"),
            bookmark(1, 1, "The End"),
        ];
        let expected = "1# Introduction|1# Method|1# Results";
        assert_eq!(
            found(&outline, text),
            (expected.to_owned(), PdfOutline::Unfit)
        );
    }
}
