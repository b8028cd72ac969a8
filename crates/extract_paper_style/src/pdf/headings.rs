//! Finds the numbered headings among the lines of a text.
//!
//! Numbers also stand before footnotes, affiliations, items and cells. So for each line "1 …" the chain of lines that continue
//! its numbers in the same style is formed, and the chain with the most conventional titles is taken.

use std::collections::BTreeMap;

use crate::role::Role;

/// Most words of a heading.
const WORDS: usize = 14;
/// Most lines "1 …" that are tried as the first heading.
const STARTS: usize = 64;

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// 1 for sections, 2 for subsections.
    pub(crate) level: u8,
    /// Without its number.
    pub(crate) title: String,
    pub(crate) numbered: bool,
    /// Number of lines that it takes, including empty ones between them.
    pub(crate) lines: usize,
}

/// The kind of number that sections have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Arabic,
    Roman,
    Letter,
}

/// The word that stands before a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Part,
    Chapter,
    Appendix,
}

/// A line that is a heading if its number is the next one.
struct Candidate {
    at: usize,
    /// The kind of its number, and whether a point follows the number.
    style: (Kind, bool),
    numbers: Vec<usize>,
    title: String,
    lines: usize,
}

/// A candidate after its level.
type Placed<'a> = (usize, &'a Candidate);

/// The numbered headings of a text, by line. Empty unless there are at least two sections and one has a conventional title.
pub(crate) fn headings(lines: &[&str]) -> BTreeMap<usize, Heading> {
    let found: Vec<Candidate> = (0..lines.len())
        .filter_map(|at| candidate(lines, at))
        .collect();
    let is_start = |one: &Candidate| one.numbers == [1] && one.style.0 != Kind::Letter;
    let starts = (0..found.len()).filter(|at| found.get(*at).is_some_and(is_start));
    let chains = starts
        .take(STARTS)
        .map(|start| sections(found.get(start..).unwrap_or_default()));
    // Of equal chains the last: a table of contents has the same titles and comes first.
    let best = chains.max_by_key(|chain| worth(chain));
    let mut chain = best.filter(|chain| worth(chain) > 0).unwrap_or_default();
    let end = chain.last().map_or(0, |(_, last)| last.at + 1);
    let mut rest = lines.iter().enumerate().skip(end);
    if let Some((back, _)) = rest.find(|(_, line)| is_back(line)) {
        let mut last = [0; 3];
        let letters = |one: &&Candidate| one.at > back && one.style.0 == Kind::Letter;
        let letters = found.iter().filter(letters);
        let appendix = letters.filter(|one| comes_next(&mut last, &one.numbers));
        chain.extend(appendix.map(|one| (one.numbers.len(), one)));
    }
    let heading = |(level, one): Placed<'_>| Heading {
        level: u8::try_from(level).unwrap_or(3),
        title: one.title.clone(),
        numbered: true,
        lines: one.lines,
    };
    let headings = chain.into_iter().map(|one| (one.1.at, heading(one)));
    headings.collect()
}

/// A score for how much a chain looks like the sections of a paper; 0 if it does not.
fn worth(chain: &[Placed<'_>]) -> usize {
    let sections = chain.iter().filter(|(level, _)| *level == 1);
    let worth = |(_, one): &Placed<'_>| match Role::of(&one.title) {
        (_, true) => 4,
        (Role::Body, _) => 0,
        _ => 2,
    };
    match (sections.clone().count(), sections.map(worth).sum()) {
        (0 | 1, _) | (_, 0) => 0,
        (count, worth) => count + worth,
    }
}

/// Whether `numbers` come right after `last`; if so, they replace it.
fn comes_next(last: &mut [usize; 3], numbers: &[usize]) -> bool {
    let [section, sub, third] = *last;
    *last = match *numbers {
        [one] if one == section + 1 => [one, 0, 0],
        [one, two] if one == section && two == sub + 1 => [one, two, 0],
        [one, two, three] if one == section && two == sub && three == third + 1 => {
            [one, two, three]
        }
        _ => return false,
    };
    true
}

/// The chain of headings that begins with the first candidate, in its style.
fn sections(found: &[Candidate]) -> Vec<Placed<'_>> {
    let Some(style) = found.first().map(|one| one.style) else {
        return Vec::new();
    };
    let mut last = [0; 3];
    let mut placed = |one: &Candidate| {
        let level = one.numbers.len();
        match (one.style.0, one.numbers.as_slice()) {
            // In papers with Roman section numbers, subsections have letters.
            (Kind::Letter, [letter]) if style.0 == Kind::Roman => {
                let numbers = [last[0], *letter];
                comes_next(&mut last, &numbers).then_some(2)
            }
            (Kind::Letter, _) => None,
            (_, [_]) if one.style != style => None,
            (_, numbers) => comes_next(&mut last, numbers).then_some(level),
        }
    };
    let headings = found.iter().filter_map(|one| Some((placed(one)?, one)));
    headings.collect()
}

/// Whether a line is the heading of the back matter: references, appendix, statements.
fn is_back(line: &str) -> bool {
    let (role, whole) = Role::of(&respaced(line));
    let back = matches!(role, Role::References | Role::Appendix | Role::Statements);
    whole && back && is_title(line)
}

fn candidate(lines: &[&str], at: usize) -> Option<Candidate> {
    let line_of = |at: usize| lines.get(at).copied().unwrap_or_default();
    let line = line_of(at);
    // `Chapter 3`, alone on its line.
    let line = match unnamed(line) {
        Some((Named::Chapter, number)) if !number.contains(char::is_whitespace) => number,
        _ => line,
    };
    let (number, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let bare = number.strip_suffix('.').unwrap_or(number);
    let (kind, numbers) = numbers(bare).filter(|(_, numbers)| numbers.len() <= 3)?;
    let (title, mut last) = match rest.trim() {
        // The number stands on a line of its own, and the title on the next one.
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
    // A second line that begins in lower case continues the title. If the title does not end with it, this is an item or a
    // sentence. A title in capitals or a conventional one is complete: the second line then comes from another column.
    let second = line_of(last + 1);
    let sure = !title.contains(char::is_lowercase) || Role::of(&title).1;
    if second.starts_with(char::is_lowercase) && !sure {
        if !line_of(last + 2).is_empty() || second.ends_with(['.', ',', ';']) {
            return None;
        }
        title = [&title, " ", second].concat();
        last += 1;
    }
    Some(Candidate {
        at,
        style: (kind, number.len() > bare.len()),
        numbers,
        title,
        lines: last + 1 - at,
    })
}

/// The word before a number at the beginning of a text, and the rest from the number on: `3` for `Chapter 3`.
pub(crate) fn unnamed(text: &str) -> Option<(Named, &str)> {
    let (name, rest) = text.split_once(' ')?;
    let named = match name {
        "Part" | "PART" | "Teil" => Named::Part,
        "Chapter" | "CHAPTER" | "Section" | "SECTION" | "Kapitel" => Named::Chapter,
        "Appendix" | "APPENDIX" | "Anhang" => Named::Appendix,
        _ => return None,
    };
    let number = rest.split_whitespace().next()?;
    numbers(number.trim_end_matches(['.', ':']))?;
    Some((named, rest.trim_start()))
}

/// A title without its number and without a word such as `Chapter` before it; unchanged if nothing would be left.
pub(crate) fn unlabelled(title: &str) -> &str {
    let bare = unnamed(title).map_or(title, |(_, rest)| rest);
    let (number, rest) = bare.split_once(char::is_whitespace).unwrap_or_default();
    let number = number.trim_end_matches(['.', ':', ')']);
    let is_number = numbers(number.strip_prefix('§').unwrap_or(number)).is_some();
    let rest = rest.trim_start_matches([' ', ':', '.', '—', '–', '-']);
    if is_number && rest.contains(char::is_alphabetic) {
        rest
    } else {
        title
    }
}

/// Reads a section number: `3`, `3.1`, `3.1.2`, `IV`, `B`, `B.1`.
fn numbers(text: &str) -> Option<(Kind, Vec<usize>)> {
    const ROMAN: [&str; 12] = [
        "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
    ];
    if let Some(at) = ROMAN.iter().position(|roman| *roman == text) {
        return Some((Kind::Roman, vec![at + 1]));
    }
    let mut kind = Kind::Arabic;
    let mut numbers = Vec::new();
    for part in text.split('.') {
        let number = match part.as_bytes() {
            [letter @ b'A'..=b'Z'] if numbers.is_empty() => {
                kind = Kind::Letter;
                usize::from(letter - b'A') + 1
            }
            [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9'] => part.parse().ok()?,
            _ => return None,
        };
        numbers.push(number);
    }
    Some((kind, numbers))
}

/// Whether a line can be a heading.
pub(crate) fn is_title(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_uppercase)
        && text.split_whitespace().count() <= WORDS
        && text.chars().filter(|letter| letter.is_alphabetic()).count() >= 3
        && !text.ends_with(['.', ',', ';', ':', '='])
}

/// Joins a title whose words were split: small capitals come as `I NTRODUCTION`, spaced letters as `A B S T R A C T`.
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
            // Affiliations and footnotes are numbered in another style, or stand before the first section.
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
            // Lines of two columns are mixed up.
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

    #[test]
    fn numbers_before_titles_are_told_from_words() {
        for (title, expected) in [
            ("1 Introduction", "Introduction"),
            ("3.14.2.1 General", "General"),
            ("Appendix B: Proofs", "Proofs"),
            ("Chapter 2 – Method", "Method"),
            ("IV. Results", "Results"),
            ("A.1 Of Theorem 1", "Of Theorem 1"),
            ("Introduction", "Introduction"),
            ("Chapter 2", "Chapter 2"),
            ("3D Gadgets", "3D Gadgets"),
            ("12 3", "12 3"),
            ("", ""),
        ] {
            assert_eq!(unlabelled(title), expected);
        }
    }

    #[test]
    fn numbers_of_headings_are_read() {
        assert_eq!(numbers("3.1"), Some((Kind::Arabic, vec![3, 1])));
        assert_eq!(numbers("IV"), Some((Kind::Roman, vec![4])));
        assert_eq!(numbers("B.2"), Some((Kind::Letter, vec![2, 2])));
        for none in ["", "3.", "2020", "a", "1.A", "+1"] {
            assert_eq!(numbers(none), None, "{none}");
        }
    }
}
