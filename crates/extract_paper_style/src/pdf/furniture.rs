//! The text of a PDF without what belongs to its pages: running heads, page numbers, footnotes, and numbers of lines.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::pdf::labels::is_label;
use crate::pdf::notes::NOTE;

/// A line of one word at the edge of so many pages is a running head; one of more words of one page less.
const RUNNING: usize = 3;
/// Numbers that follow each other on so many lines of a page are those of its lines.
const NUMBERED: usize = 12;

/// The lines of a text, and where its pages begin.
#[derive(Debug, Default)]
pub(crate) struct Lines<'a> {
    /// Trimmed; a blank one ends a page.
    pub(crate) all: Vec<&'a str>,
    /// Number of the first line of each page.
    pub(crate) pages: Vec<usize>,
}

/// The lines of what is written on the pages.
pub(crate) fn lines(text: &str) -> Lines<'_> {
    let pages: Vec<Vec<&str>> = text
        .split('\u{c}')
        .map(|page| without_line_numbers(page.lines().map(str::trim).collect()))
        .collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for page in &pages {
        let found: BTreeSet<String> = edges(page)
            .into_iter()
            .filter_map(|at| page.get(at))
            .map(|line| pattern(line))
            .collect();
        for line in found {
            *seen.entry(line).or_insert(0) += 1;
        }
    }
    let first = first_number(&pages);
    let mut out = Lines::default();
    for (index, page) in (0..).zip(&pages) {
        let edges = edges(page);
        out.pages.push(out.all.len());
        for (at, line) in page.iter().enumerate() {
            let is_number = page_number(line).is_some_and(|number| Some(number - index) == first);
            let is_furniture =
                edges.binary_search(&at).is_ok() && (is_number || is_head(line, &seen));
            if !is_furniture && !line.starts_with(NOTE) {
                out.all.push(*line);
            }
        }
        out.all.push("");
    }
    out
}

/// The number of the first page: that with which most pages agree.
fn first_number(pages: &[Vec<&str>]) -> Option<i64> {
    let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
    for (index, page) in (0..).zip(pages) {
        let lines = edges(page).into_iter().filter_map(|at| page.get(at));
        let found: BTreeSet<i64> = lines.filter_map(|line| page_number(line)).collect();
        for number in found {
            *votes.entry(number - index).or_insert(0) += 1;
        }
    }
    let best = votes
        .into_iter()
        .max_by_key(|(first, count)| (*count, Reverse(*first)));
    best.map(|(first, _)| first)
}

/// The first two and the last two lines that are not blank.
fn edges(page: &[&str]) -> Vec<usize> {
    let full: Vec<usize> = (0..page.len())
        .filter(|at| page.get(*at).is_some_and(|line| !line.is_empty()))
        .collect();
    let last = full.len().saturating_sub(2);
    let edge = |(number, at): (usize, &usize)| (number < 2 || number >= last).then_some(*at);
    full.iter().enumerate().filter_map(edge).collect()
}

/// Whether a line at the edge is a running head.
fn is_head(line: &str, seen: &BTreeMap<String, usize>) -> bool {
    let pattern = pattern(line);
    let words = pattern
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphabetic))
        .count();
    let needed = if words > 1 { RUNNING - 1 } else { RUNNING };
    words > 0 && seen.get(&pattern).is_some_and(|count| *count >= needed)
}

/// The line with one sign for each number: heads carry page numbers.
fn pattern(line: &str) -> String {
    // `Chapter 3` stands once above each chapter.
    if is_label(line) {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    for letter in line.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

/// The number in `7`, `– 7 –`, `Page 7 of 12`, `7/12`; `2.` is that of a section.
fn page_number(line: &str) -> Option<i64> {
    let mut words = line.split(|letter: char| !letter.is_alphabetic());
    let bare = words.all(|word| matches!(word, "" | "Page" | "page" | "of"));
    let mut numbers = line.split(|letter: char| !letter.is_ascii_digit());
    let number = numbers.find(|number| !number.is_empty())?;
    (bare && line.len() < 24 && !line.ends_with('.')).then(|| number.parse().ok())?
}

/// A page without the numbers of its lines, as submissions have them, and without the blank lines around those.
fn without_line_numbers(page: Vec<&str>) -> Vec<&str> {
    let number = |line: &str| line.parse::<u32>().ok();
    let numbers: Vec<u32> = page.iter().filter_map(|line| number(line)).collect();
    let steps = numbers.iter().zip(numbers.iter().skip(1));
    if steps.filter(|(one, next)| **next == **one + 1).count() < NUMBERED {
        return page;
    }
    let mut out: Vec<&str> = Vec::with_capacity(page.len());
    let mut lines = page.into_iter().peekable();
    while let Some(line) = lines.next() {
        if number(line).is_none() {
            out.push(line);
            continue;
        }
        while out.last().is_some_and(|line| line.is_empty()) {
            out.pop();
        }
        while lines.next_if(|line| line.is_empty()).is_some() {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_page_numbers_are_left_out() {
        let pages = [
            "2 A. Author et al.\n\nIt wobbles.\n\nVol. 7",
            "Gadgets considered 3\n\nIt wobbles more.\nTable 1",
            "4 A. Author et al.\nResults\nMore.\n– 4 –\n",
            "Gadgets considered 5\n2.\nThe Method\nIt ends here.\n\nPage 5 of 9",
            "Chapter 3\nResults\nOne.",
            "Chapter 4\nMore Results\nTwo.",
            "Chapter 5\nAll Results\nThree.",
        ];
        let text = pages.join("\u{c}");
        let left: Vec<&str> = lines(&text)
            .all
            .into_iter()
            .filter(|line| !line.is_empty())
            .collect();
        assert_eq!(
            left,
            [
                "It wobbles.",
                "Vol. 7",
                "It wobbles more.",
                "Table 1",
                "Results",
                "More.",
                "2.",
                "The Method",
                "It ends here.",
                "Chapter 3",
                "Results",
                "One.",
                "Chapter 4",
                "More Results",
                "Two.",
                "Chapter 5",
                "All Results",
                "Three."
            ]
        );
    }

    #[test]
    fn numbers_of_lines_are_left_out() {
        let numbered: Vec<String> = (40..60)
            .map(|number| format!("word {number}\n\n{number}\n\n"))
            .collect();
        let page = numbered.concat();
        let left = lines(&page).all;
        assert_eq!(left.iter().filter(|line| line.is_empty()).count(), 1);
        assert_eq!(left.len(), 21);
        assert_eq!(without_line_numbers(vec!["1", "", "2"]), ["1", "", "2"]);
    }
}
