//! Where the titles of an outline stand among the lines of a text.

use std::collections::{BTreeMap, BTreeSet};

use crate::pdf::bookmarks::Bookmark;
use crate::pdf::contents::key;
use crate::pdf::furniture::Lines;
use crate::pdf::labels::unlabelled;

/// Lines that a heading takes at most.
const LINES: usize = 4;
/// Lines, blank ones included, over which they are spread at most.
const SPREAD: usize = 9;
/// Bytes of a line of a heading at most.
const LENGTH: usize = 240;
/// Letters by which titles are compared.
const KEY: usize = 300;
/// Places with one title on one page that are looked at.
const PLACES: usize = 16;
/// Bytes of `Chapter 12`, or of another number before a title, at most.
const LABEL: usize = 24;

/// Where a bookmark's title stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: usize,
    pub(crate) lines: usize,
    /// Whether a number stands before what was looked for.
    pub(crate) numbered: bool,
    /// Whether it stands there with its own number, if it has one.
    pub(crate) whole: bool,
}

/// Where the titles stand on their pages, or at the top of the next ones.
pub(crate) fn places(bookmarks: &[Bookmark], lines: &Lines<'_>) -> Vec<Option<Place>> {
    let mut by_page: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, bookmark) in bookmarks.iter().enumerate() {
        by_page.entry(bookmark.page).or_default().push(number);
    }
    let mut out = vec![None; bookmarks.len()];
    let mut taken = BTreeSet::new();
    for (page, numbers) in by_page {
        let titles = numbers.iter().filter_map(|number| bookmarks.get(*number));
        let wanted = titles.flat_map(|one| keys(&one.title));
        let wanted: BTreeSet<String> = wanted.filter(|key| !key.is_empty()).collect();
        let own = Index::of(lines, page, &wanted);
        let next = Index::of(lines, page + 1, &wanted);
        let mut last = 0;
        for number in numbers {
            let Some(bookmark) = bookmarks.get(number) else {
                continue;
            };
            let found = own
                .find(&bookmark.title, last, &taken)
                .or_else(|| next.find(&bookmark.title, 0, &taken));
            if let (Some(found), Some(place)) = (found, out.get_mut(number)) {
                last = found.at;
                taken.insert(found.at);
                *place = Some(found);
            }
        }
    }
    out
}

/// A title as it is compared, with its number; and without, empty where it has none.
fn keys(title: &str) -> [String; 2] {
    let bare = unlabelled(title);
    let bare = if bare.len() < title.len() { bare } else { "" };
    [key(title, KEY), key(bare, KEY)]
}

/// Where titles stand on a page: what its lines say, one by one and joined.
#[derive(Default)]
struct Index(BTreeMap<String, Vec<Found>>);

/// A place, and whether blank lines stand about it.
struct Found {
    place: Place,
    alone: bool,
}

impl Index {
    /// `page` counts from 1; only the `wanted` titles are kept.
    fn of(lines: &Lines<'_>, page: usize, wanted: &BTreeSet<String>) -> Self {
        let mut index = Self::default();
        let Some(start) = page.checked_sub(1).and_then(|page| lines.pages.get(page)) else {
            return index;
        };
        let end = lines.pages.get(page).copied().unwrap_or(lines.all.len());
        for at in *start..end {
            index.add(lines.all.get(..end).unwrap_or_default(), at, wanted);
        }
        index
    }

    /// Adds what line `at` and those behind it say together.
    fn add(&mut self, lines: &[&str], at: usize, wanted: &BTreeSet<String>) {
        let blank = |at: usize| lines.get(at).is_none_or(|line| line.is_empty());
        let mut text = String::new();
        let mut count = 0;
        for next in at..at + SPREAD {
            let Some(line) = lines.get(next).filter(|line| line.len() <= LENGTH) else {
                break;
            };
            if line.is_empty() {
                if count == 0 {
                    break;
                }
                continue;
            }
            text.push_str(if count > 0 { " " } else { "" });
            text.push_str(line);
            count += 1;
            let alone = (at == 0 || blank(at - 1)) && blank(next + 1);
            let [whole, bare] = keys(&text);
            // Most lines begin no title; a number alone does.
            let begins = |key: &String| {
                let first = wanted.range::<String, _>(key..).next();
                !key.is_empty() && first.is_some_and(|title| title.starts_with(key.as_str()))
            };
            if text.len() > LABEL && !begins(&whole) && !begins(&bare) {
                break;
            }
            for (key, numbered) in [(whole, false), (bare, true)] {
                if wanted.contains(&key) {
                    let place = Place {
                        at,
                        lines: next + 1 - at,
                        numbered,
                        whole: false,
                    };
                    self.0.entry(key).or_default().push(Found { place, alone });
                }
            }
            if count == LINES {
                break;
            }
        }
    }

    /// The place of a title, best behind line `last` and with blank lines about it.
    fn find(&self, title: &str, last: usize, taken: &BTreeSet<usize>) -> Option<Place> {
        for (key, whole) in keys(title).into_iter().zip([true, false]) {
            let Some(found) = self.0.get(&key) else {
                continue;
            };
            let first = found.partition_point(|one| one.place.at < last);
            let behind = found.iter().skip(first).take(PLACES);
            let before = found.iter().take(PLACES);
            let free = |one: &&Found| !taken.contains(&one.place.at);
            let best = behind.clone().filter(free).find(|one| one.alone);
            let best = best
                .or_else(|| behind.clone().find(free))
                .or_else(|| before.clone().find(free));
            if let Some(best) = best {
                return Some(Place {
                    whole,
                    ..best.place
                });
            }
        }
        None
    }
}
