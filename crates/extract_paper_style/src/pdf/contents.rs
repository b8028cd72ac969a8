//! Tables of contents and lists of figures and tables: lines that are neither headings nor running text.
//!
//! They are recognised by leaders of dots, or by a heading such as "Contents" and lines below it that end with a page number; there,
//! an entry whose title stands again further on is the surest sign. What a table of contents names can serve as an outline.

use std::ops::Range;

use crate::pdf::bookmarks::Bookmark;
use crate::pdf::entry::{Ending, Number, entry, leads, number, tail};
use crate::pdf::labels::{depth, unlabelled};

/// Headings above lists of figures and the like, as [`key`] writes them.
const FLOATS: [&str; 10] = [
    "listoffigures",
    "listoftables",
    "listofalgorithms",
    "listoflistings",
    "figures",
    "tables",
    "abbildungsverzeichnis",
    "tabellenverzeichnis",
    "listedesfigures",
    "listedestableaux",
];
/// Headings above tables of contents.
const NAMES: [&str; 18] = [
    "contents",
    "tableofcontents",
    "inhalt",
    "inhaltsverzeichnis",
    "tabledesmatières",
    "sommaire",
    "índice",
    "índicegeneral",
    "indice",
    "contenido",
    "inhoudsopgave",
    "sumário",
    "spistreści",
    "оглавление",
    "содержание",
    "목차",
    "目录",
    "目次",
];
/// Entries with leaders that make a list without a heading.
const LED: usize = 3;
/// Entries that make a list below a heading.
const HEADED: usize = 2;
/// Lines that a title in a list has at most.
const TITLE_LINES: usize = 3;
/// Letters by which a title is found again.
const KEY: usize = 40;
/// Places with one beginning that are looked at.
const PLACES: usize = 32;
/// Lines from one list to the next, which goes on with it, at most.
const NEAR: usize = 6;
/// Pages from one entry to the next at most, where nothing else says that it is one.
const PAGES: u32 = 200;

/// The letters and digits of a text, in lower case, at most so many.
pub(crate) fn key(text: &str, most: usize) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(most)
        .collect()
}

/// A text without such lists.
pub(crate) struct Contents<'a> {
    /// The lines, with those of the lists made blank.
    pub(crate) lines: Vec<&'a str>,
    /// Title and page of the entries of tables of contents.
    entries: Vec<(String, Number)>,
}

/// Takes the lists out of the lines of a text.
pub(crate) fn without<'a>(lines: &[&'a str]) -> Contents<'a> {
    let mut out = lines.to_vec();
    let full: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(|line| !line.is_empty()))
        .collect();
    let reader = Reader { lines, full: &full };
    let mut titles = None;
    let mut entries = Vec::new();
    // Where the last list ended, and what kind it was.
    let mut last = (0, None);
    let mut at = 0;
    while at < full.len() {
        let name = reader.name(at);
        if name.is_none() && !leads(reader.line(at)) && tail(reader.line(at + 1)).is_none() {
            at += 1;
            continue;
        }
        let titles = titles.get_or_insert_with(|| Titles::of(&reader));
        let goes_on = if at <= last.0 + NEAR { last.1 } else { None };
        let Some(list) = reader.list(at, name.is_some(), name.or(goes_on), titles) else {
            at += 1;
            continue;
        };
        for line in full.get(at..list.end).unwrap_or_default() {
            if let Some(line) = out.get_mut(*line) {
                *line = "";
            }
        }
        entries.extend(list.entries);
        last = (list.end, list.kind);
        at = list.end;
    }
    Contents {
        lines: out,
        entries,
    }
}

impl Contents<'_> {
    /// What the tables of contents name, as an outline; `first` is the number of the first page. Empty where most titles have no
    /// number, which says how deep they stand.
    pub(crate) fn outline(&self, first: i64) -> Vec<Bookmark> {
        let depths: Vec<Option<u8>> = self.entries.iter().map(|(title, _)| depth(title)).collect();
        let known = depths.iter().flatten().count();
        if 2 * known < depths.len() {
            return Vec::new();
        }
        let entries = self.entries.iter().zip(depths);
        let bookmark = |((title, page), depth): (&(String, Number), Option<u8>)| {
            let page = match page {
                Number::Arabic(page) => usize::try_from(i64::from(*page) - first + 1).ok()?,
                Number::Roman(page) => usize::try_from(*page).ok()?,
            };
            // A title without number is that of a preface or a bibliography.
            let level = depth.unwrap_or(1);
            let title = title.clone();
            (level > 0).then_some(Bookmark { level, page, title })
        };
        entries.filter_map(bookmark).collect()
    }
}

/// Which list it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Contents,
    Floats,
}

/// A list that was found.
struct List {
    /// The line behind it.
    end: usize,
    /// What its last part is.
    kind: Option<Kind>,
    entries: Vec<(String, Number)>,
}

/// Where titles stand again: what lines that are no entries begin with, sorted.
struct Titles(Vec<(String, usize)>);

impl Titles {
    fn of(reader: &Reader<'_, '_>) -> Self {
        let mut found = Vec::new();
        for at in 0..reader.full.len() {
            if entry(reader.line(at)).is_some_and(|ending| ending.leads || ending.page.is_some()) {
                continue;
            }
            let text = [reader.line(at), reader.line(at + 1), reader.line(at + 2)];
            let text = text.map(|line| {
                line.get(..line.floor_char_boundary(4 * KEY))
                    .unwrap_or(line)
            });
            let text = text.join(" ");
            // `Figure 3: A gadget`, `Chapter 2 Method`
            let rest = text.split_once(' ').map_or("", |(_, rest)| rest);
            for text in [text.as_str(), rest, unlabelled(&text), unlabelled(rest)] {
                found.push((key(text, KEY), at));
            }
        }
        found.sort_unstable();
        found.dedup();
        Self(found)
    }

    /// Whether a line outside of `own` begins with this title; a preface may stand before the list.
    fn hold(&self, title: &str, own: &Range<usize>) -> bool {
        [title, unlabelled(title)].into_iter().any(|title| {
            let key = key(title, KEY);
            let first = self.0.partition_point(|(found, _)| *found < key);
            let mut found = self.0.iter().skip(first).take(PLACES);
            key.chars().nth(2).is_some()
                && found.any(|(found, at)| !own.contains(at) && found.starts_with(&key))
        })
    }
}

/// The lines that are not blank.
struct Reader<'a, 'b> {
    lines: &'b [&'a str],
    full: &'b [usize],
}

impl<'a> Reader<'a, '_> {
    fn line(&self, at: usize) -> &'a str {
        let line = self.full.get(at).and_then(|at| self.lines.get(*at));
        line.copied().unwrap_or_default()
    }

    /// Which list a line is the heading of, or runs above the pages of.
    fn name(&self, at: usize) -> Option<Kind> {
        let line = self.line(at);
        if line.len() > 60 || !line.chars().any(char::is_alphabetic) {
            return None;
        }
        let bare = match line.rsplit_once(' ') {
            Some((name, page)) if number(page).is_some() => name,
            _ => line,
        };
        let bare = bare.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let key = key(bare, 60);
        if NAMES.contains(&key.as_str()) {
            return Some(Kind::Contents);
        }
        FLOATS.contains(&key.as_str()).then_some(Kind::Floats)
    }

    /// The list that begins with line `start`; `None` when it is none.
    fn list(
        &self,
        start: usize,
        headed: bool,
        mut kind: Option<Kind>,
        titles: &Titles,
    ) -> Option<List> {
        let mut entries = Vec::new();
        let (mut at, mut end) = (start, start);
        let (mut sure, mut led) = (0, 0);
        let mut last = Number::Roman(0);
        // Lines since the last entry that is surely one.
        let mut open = 0;
        while at < self.full.len() && open <= 2 * TITLE_LINES {
            if let Some(name) = self.name(at) {
                (last, kind) = (Number::Roman(0), Some(name));
                at += 1;
                open += 1;
                continue;
            }
            // The number of the page that the list stands on.
            if number(self.line(at)).is_some() {
                at += 1;
                open += 1;
                continue;
            }
            let Some((title, page, leads, next)) = self.entry(at) else {
                break;
            };
            let follows = page >= last;
            let near = match (last, page) {
                (Number::Arabic(last), Number::Arabic(page)) => page <= last.saturating_add(PAGES),
                _ => true,
            };
            let is_sure = leads || follows && titles.hold(&title, &(start..next));
            let is_numbered = next - at <= 2 && unlabelled(&title).len() < title.len();
            if is_sure || follows && near && sure > 0 && is_numbered {
                sure += usize::from(is_sure);
                led += usize::from(leads);
                (end, open) = (next, 0);
            } else if headed && follows {
                // An entry when another one follows that surely is.
                open += next - at;
            } else {
                break;
            }
            if kind == Some(Kind::Contents) {
                entries.push((title, page));
            }
            (last, at) = (page, next);
        }
        let enough = if headed { sure >= HEADED } else { led >= LED };
        enough.then_some(List { end, kind, entries })
    }

    /// The entry that begins with a line: its title, its page, whether points lead there, and the line behind it.
    fn entry(&self, start: usize) -> Option<(String, Number, bool, usize)> {
        let mut title = String::new();
        for at in start..start + TITLE_LINES {
            let line = self.line(at);
            if line.is_empty() || at > start && self.name(at).is_some() {
                return None;
            }
            let led = tail(line);
            if let Some(page) = number(line).or(led).filter(|_| at > start) {
                return Some((title, page, led.is_some(), at + 1));
            }
            title.push_str(if title.is_empty() { "" } else { " " });
            match entry(line) {
                Some(Ending {
                    title: own,
                    page: Some(page),
                    leads,
                }) => {
                    title.push_str(own);
                    return Some((title, page, leads, at + 1));
                }
                Some(Ending {
                    title: own,
                    page: None,
                    ..
                }) => {
                    title.push_str(own);
                    let page = number(self.line(at + 1))?;
                    return Some((title, page, true, at + 2));
                }
                None => title.push_str(line),
            }
        }
        let line = self.line(start + TITLE_LINES);
        let led = tail(line);
        let page = number(line).or(led)?;
        Some((title, page, led.is_some(), start + TITLE_LINES + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that are left.
    fn left(text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let left = without(&lines)
            .lines
            .into_iter()
            .filter(|line| !line.is_empty());
        left.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn lists_of_contents_are_left_out() {
        for (text, expected) in [
            (
                "Contents\n\n1 Introduction\n\n1\n\n1.1 Old Gadgets . . . . . . 2\n1.2 New Gadgets .......... 3\n\niii\n2 Method\n\n7\n\n1 Introduction\nWe do.\n1.1 Old Gadgets\nThey are.",
                "1 Introduction|We do.|1.1 Old Gadgets|They are.",
            ),
            (
                "Inhaltsverzeichnis\nVorwort iii\n1 Einleitung 1\n2 Die Methode der\nlangen Nacht 14\nAbbildungsverzeichnis\n1.1 Ein Gerät 3\n\nVorwort\nWir danken.\n1 Einleitung\nText 3\n2 Die Methode der langen\nNacht\nFigure 1.1: Ein Gerät",
                "Vorwort|Wir danken.|1 Einleitung|Text 3|2 Die Methode der langen|Nacht|Figure 1.1: Ein Gerät",
            ),
            (
                "2.1 Gadgets\n. . . . . 5\n2.2 Wobbles ........\n6\n2.3 Nights .... 7\nIt begins in 2019",
                "It begins in 2019",
            ),
            (
                "Preface\nWe thank.\nContents\nPreface 1\nNot There 2\n1 Introduction 3\n2 Method 5\n1 Introduction\n2 Method",
                "Preface|We thank.|1 Introduction|2 Method",
            ),
            (
                "C ONTENTS\n1 Introduction 1\n2 Method 2\n1 Introduction\n2 Method",
                "1 Introduction|2 Method",
            ),
            // No lists.
            (
                "Contents\nThe box holds 12\ngadgets and 14\nmore.",
                "Contents|The box holds 12|gadgets and 14|more.",
            ),
            (
                "Figures\nFigure 1: It is 3\n1 Introduction",
                "Figures|Figure 1: It is 3|1 Introduction",
            ),
            (
                "It waits ... 3\nand waits ... 4",
                "It waits ... 3|and waits ... 4",
            ),
            ("", ""),
        ] {
            assert_eq!(left(text), expected, "{text}");
        }
    }

    #[test]
    fn a_table_of_contents_is_an_outline() {
        let outline = |text: &str| -> Vec<(u8, usize, String)> {
            let lines: Vec<&str> = text.lines().collect();
            let found = without(&lines).outline(-1);
            let found = found.into_iter();
            found.map(|one| (one.level, one.page, one.title)).collect()
        };
        let text = "Contents\nPreface ii\nI Gadgets .... 1\n1 Introduction ..... 1\n1.1 Old Gadgets .... 2\nA Proofs ... 9\nA.1 Of One ... 9\nReferences .... 12\nList of Figures\n1.1 A gadget ...... 3\n1.2 A machine ... 4\n";
        let expected = [
            (1, 2, "Preface"),
            (1, 3, "1 Introduction"),
            (2, 4, "1.1 Old Gadgets"),
            (1, 11, "A Proofs"),
            (2, 11, "A.1 Of One"),
            (1, 14, "References"),
        ];
        let expected = expected.map(|(level, page, title)| (level, page, title.to_owned()));
        assert_eq!(outline(text), expected);
        assert_eq!(
            outline("Contents\nOne ... 1\nTwo ... 2\n3 Three ... 3\nFour ... 4\nFive ... 5"),
            []
        );
        assert_eq!(outline(""), []);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic_or_loses_other_lines(text in "(Contents\n|[0-9]{1,4}|[A-Z]|[a-z ivx.…é·]|\n| \\. \\. \\. |Introduction\n){0,80}") {
            let lines: Vec<&str> = text.lines().collect();
            let left = without(&lines).lines;
            proptest::prop_assert_eq!(left.len(), lines.len());
            for (left, line) in left.iter().zip(&lines) {
                proptest::prop_assert!(left == line || left.is_empty());
            }
        }
    }
}
