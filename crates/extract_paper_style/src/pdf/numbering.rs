//! Which lines of a text are its numbered headings.
//!
//! Numbers stand before headings, footnotes, affiliations, items and cells. Headings are those that go on in one style from one
//! line "1 …", and of all such chains the one with the most conventional titles.

use std::collections::BTreeMap;

use crate::pdf::labels::{Kind, Named, numbers, unnamed};
use crate::role::Role;

/// Words a heading has at most.
const WORDS: usize = 14;
/// Lines "1 …" that are tried as the first heading.
const STARTS: usize = 64;

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// 1 for sections, 2 for subsections.
    pub(crate) level: u8,
    /// Without its number.
    pub(crate) title: String,
    pub(crate) numbered: bool,
    /// Lines that it takes, blank ones between them included.
    pub(crate) lines: usize,
}

/// How sections are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    kind: Kind,
    /// Whether a point follows.
    dotted: bool,
}

/// A line that would be a heading if its number were the next one.
struct Candidate {
    at: usize,
    style: Style,
    numbers: Vec<usize>,
    title: String,
    lines: usize,
}

impl Candidate {
    fn level(&self) -> u8 {
        u8::try_from(self.numbers.len()).unwrap_or(3)
    }
}

/// The numbered headings of a text, by line; none unless there are two sections and one has a title with a role.
pub(crate) fn headings(lines: &[&str]) -> BTreeMap<usize, Heading> {
    let found: Vec<Candidate> = (0..lines.len())
        .filter_map(|at| candidate(lines, at))
        .collect();
    let is_start = |one: &Candidate| one.numbers == [1] && one.style.kind != Kind::Letter;
    let starts = (0..found.len()).filter(|at| found.get(*at).is_some_and(is_start));
    let mut best: (usize, Vec<(u8, &Candidate)>) = (0, Vec::new());
    for start in starts.take(STARTS) {
        let chain = sections(found.get(start..).unwrap_or_default());
        let score = worth(&chain);
        // A table of contents has the same titles, and stands before.
        if score > 0 && score >= best.0 {
            best = (score, chain);
        }
    }
    let mut chain = best.1;
    let end = chain.last().map_or(0, |(_, last)| last.at + 1);
    let rest = lines.get(end..).unwrap_or_default();
    if let Some(back) = rest.iter().position(|line| is_back(line)) {
        chain.extend(appendix(&found, end + back));
    }
    let heading = |(level, one): (u8, &Candidate)| {
        let (title, lines) = (one.title.clone(), one.lines);
        (
            one.at,
            Heading {
                level,
                title,
                numbered: true,
                lines,
            },
        )
    };
    chain.into_iter().map(heading).collect()
}

/// How much a chain looks like the sections of a paper.
fn worth(chain: &[(u8, &Candidate)]) -> usize {
    let sections = chain.iter().filter(|(level, _)| *level == 1);
    let worth = |(_, one): &(u8, &Candidate)| match Role::of(&one.title) {
        (_, true) => 4,
        (Role::Body, _) => 0,
        _ => 2,
    };
    let (count, worth) = (sections.clone().count(), sections.map(worth).sum());
    match (count, worth) {
        (0 | 1, _) | (_, 0) => 0,
        _ => count + worth,
    }
}

/// The numbers that may come next.
#[derive(Default)]
struct Last([usize; 3]);

impl Last {
    const fn section(&self) -> usize {
        self.0[0]
    }

    /// Whether these numbers come next; if so, they have come.
    fn takes(&mut self, numbers: &[usize]) -> bool {
        let [section, sub, third] = self.0;
        self.0 = match *numbers {
            [one] if one == section + 1 => [one, 0, 0],
            [one, two] if one == section && two == sub + 1 => [one, two, 0],
            [one, two, three] if one == section && two == sub && three == third + 1 => {
                [one, two, three]
            }
            _ => return false,
        };
        true
    }
}

/// The headings that go on from the first candidate, in its style.
fn sections(found: &[Candidate]) -> Vec<(u8, &Candidate)> {
    let Some(style) = found.first().map(|one| one.style) else {
        return Vec::new();
    };
    let mut last = Last::default();
    let mut chain = Vec::new();
    for one in found {
        let (comes, level) = match (one.style.kind, one.numbers.as_slice()) {
            // Subsections of Roman sections have letters.
            (Kind::Letter, [letter]) if style.kind == Kind::Roman => {
                (last.takes(&[last.section(), *letter]), 2)
            }
            (Kind::Letter, _) => (false, 0),
            (_, [_]) => (one.style == style && last.takes(&one.numbers), 1),
            _ => (last.takes(&one.numbers), one.level()),
        };
        if comes {
            chain.push((level, one));
        }
    }
    chain
}

/// The headings of an appendix, which have letters, behind line `back`.
fn appendix(found: &[Candidate], back: usize) -> Vec<(u8, &Candidate)> {
    let mut last = Last::default();
    let mut goes_on = |one: &Candidate| {
        one.at > back && one.style.kind == Kind::Letter && last.takes(&one.numbers)
    };
    let found = found.iter().filter(|one| goes_on(one));
    found.map(|one| (one.level(), one)).collect()
}

/// Whether a line is the heading of what stands behind the sections.
fn is_back(line: &str) -> bool {
    is_title(line)
        && matches!(
            Role::of(&respaced(line)),
            (Role::References | Role::Appendix | Role::Statements, true)
        )
}

fn candidate(lines: &[&str], at: usize) -> Option<Candidate> {
    let line = lines.get(at)?;
    // `Chapter 3`, alone on its line.
    let line = match unnamed(line) {
        Some((Named::Chapter, number)) if !number.contains(char::is_whitespace) => number,
        _ => line,
    };
    let length = line.find(char::is_whitespace).unwrap_or(line.len());
    let (number, rest) = line.split_at_checked(length)?;
    let bare = number.strip_suffix('.').unwrap_or(number);
    let (kind, numbers) = numbers(bare)?;
    let line_of = |at: usize| lines.get(at).copied().unwrap_or_default();
    let (title, mut last) = match rest.trim() {
        // The number stands on a line of its own, the title on the next one.
        "" => {
            let next = (at + 1..at + 3).find(|next| !line_of(*next).is_empty())?;
            (line_of(next), next)
        }
        title => (title, at),
    };
    if !is_title(title) || kind == Kind::Letter && title.contains([',', '.']) {
        return None;
    }
    let mut title = respaced(title);
    // A second line that begins small is the rest of the title, or the line is an item or a sentence; unless columns are mixed up.
    let second = line_of(last + 1);
    let sure = !title.contains(char::is_lowercase) || Role::of(&title).1;
    if second.starts_with(char::is_lowercase) && !sure {
        if !line_of(last + 2).is_empty() || second.ends_with(['.', ',', ';']) {
            return None;
        }
        title.push(' ');
        title.push_str(second);
        last += 1;
    }
    Some(Candidate {
        at,
        style: Style {
            kind,
            dotted: number.len() > bare.len(),
        },
        numbers,
        title,
        lines: last + 1 - at,
    })
}

/// Whether a line can be a heading.
pub(crate) fn is_title(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_uppercase)
        && text.split_whitespace().count() <= WORDS
        && text.chars().filter(|letter| letter.is_alphabetic()).count() >= 3
        && !text.ends_with(['.', ',', ';', ':', '='])
}

/// A title whose words were parted: small capitals come as `I NTRODUCTION`, spaced ones as `A B S T R A C T`.
pub(crate) fn respaced(title: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    let single = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    };
    if words.len() >= 5 && words.iter().all(|word| single(word)) {
        return words.concat();
    }
    if title.contains(char::is_lowercase) {
        return title.to_owned();
    }
    let mut out = String::with_capacity(title.len());
    let mut parted = false;
    for word in words {
        let is_letter = single(word);
        if !(out.is_empty() || parted && !is_letter) {
            out.push(' ');
        }
        out.push_str(word);
        parted = is_letter;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<(u8, String)> {
        let lines: Vec<&str> = text.lines().collect();
        headings(&lines)
            .into_values()
            .map(|one| (one.level, one.title))
            .collect()
    }

    #[test]
    fn headings_are_told_from_other_numbered_lines() {
        for (text, expected) in [
            // Affiliations and footnotes of another style, or before the first section.
            (
                "1 University of Somewhere\n2 Institute of Gadgets\n1 Introduction\nText.\n2 Method\n3 Results",
                "1 Introduction|1 Method|1 Results",
            ),
            (
                "1.\n\nIntroduction\n\n2\n\nCenter for Gadgets, Town\n\n2. The Wobble Machine\n3. Summary",
                "1 Introduction|1 The Wobble Machine|1 Summary",
            ),
            // Items of a list.
            (
                "1. Introduction\n1. We propose a new machine that measures the wobble of\ngadgets in the dark.\n2. We show it\nto be good.\n2. Method",
                "1 Introduction|1 Method",
            ),
            (
                "I. I NTRODUCTION\nII. R ELATED W ORK\nA. Old Gadgets\nB. New Gadgets\nIII. M ETHOD",
                "1 INTRODUCTION|1 RELATED WORK|2 Old Gadgets|2 New Gadgets|1 METHOD",
            ),
            (
                "1 Introduction\n2 Gadgets that are very long and\nwobble\n\n2.1 Parts\nReferences\nA. Smith, B. Jones. Gadgets\nA Proofs\nA.1 Of Theorem One\nB More Results",
                "1 Introduction|1 Gadgets that are very long and wobble|2 Parts|1 Proofs|2 Of Theorem One|1 More Results",
            ),
            // Columns mixed up.
            (
                "I. I NTRODUCTION\nwobbles in the\ndark.\nII. Background\nof it are\nseen",
                "1 INTRODUCTION|1 Background",
            ),
            (
                "1 Introduction 4\n2 Method . . . 5\n3 Results 9\n\n1 Introduction\n\n2 Method\n\n3 Results",
                "1 Introduction|1 Method|1 Results",
            ),
            (
                "Chapter 1\n\nIntroduction\n1.1 Gadgets\nChapter 2 shows more.\nChapter 2\n\nMethod",
                "1 Introduction|2 Gadgets|1 Method",
            ),
            ("1 Apples\n2 Pears\n3 Plums", ""),
            ("1 Introduction\nno more", ""),
            ("Introduction\n3 Results\n4 Conclusion", ""),
        ] {
            let found: Vec<String> = titles(text)
                .into_iter()
                .map(|(level, title)| format!("{level} {title}"))
                .collect();
            assert_eq!(found.join("|"), expected, "{text}");
        }
    }

    #[test]
    fn parted_titles_are_put_together() {
        for (title, expected) in [
            ("I NTRODUCTION", "INTRODUCTION"),
            ("P ROOF OF T HEOREM 1", "PROOF OF THEOREM 1"),
            ("A B S T R A C T", "ABSTRACT"),
            ("a b s t r a c t", "abstract"),
            ("A New Method", "A New Method"),
            ("RELATED WORK", "RELATED WORK"),
            ("", ""),
        ] {
            assert_eq!(respaced(title), expected);
        }
    }
}
