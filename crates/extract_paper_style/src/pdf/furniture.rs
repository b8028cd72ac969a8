//! Removes from the text of a PDF what belongs to its pages: running heads, page numbers, tables of contents.

use std::collections::{BTreeMap, BTreeSet};

use crate::pdf::layout::Page;

/// A one-word line or a number at the edge of this many pages is a running head or a page number; a line of more words needs one
/// page less.
const RUNNING: usize = 3;
/// Fewest points in a row that lead to a page number.
const LEADER: usize = 3;
/// Fewest lines in a row ending with a page number that make a list of contents.
const ENTRIES: usize = 3;

/// The lines of a text, and where its pages begin.
#[derive(Debug, Default)]
pub(crate) struct Lines<'a> {
    /// An empty line ends each page.
    pub(crate) all: Vec<&'a str>,
    /// Index of the first line of each page.
    pub(crate) pages: Vec<usize>,
}

/// The lines of all pages, without running heads, page numbers and tables of contents.
pub(crate) fn lines(pages: &[Page]) -> Lines<'_> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for page in pages {
        let edges = edges(page).into_iter().filter_map(|at| page.get(at));
        for pattern in edges.map(|line| pattern(line)).collect::<BTreeSet<_>>() {
            *seen.entry(pattern).or_insert(0) += 1;
        }
    }
    let is_head = |line| {
        let pattern = pattern(line);
        let words = pattern
            .split(' ')
            .filter(|word| word.contains(char::is_alphabetic));
        let needed = RUNNING - usize::from(words.count() > 1);
        seen.get(pattern).is_some_and(|count| *count >= needed)
    };
    let mut out = Lines::default();
    for page in pages {
        let edges = edges(page);
        out.pages.push(out.all.len());
        for (at, line) in page.iter().enumerate() {
            if !edges.contains(&at) || !is_head(line) {
                out.all.push(line);
            }
        }
        out.all.push("");
    }
    without_contents(&mut out.all);
    out
}

/// Indices of the first two and the last two lines that are not empty.
fn edges(page: &Page) -> BTreeSet<usize> {
    let full = || (0..page.len()).filter(|at| page.get(*at).is_some_and(|line| !line.is_empty()));
    full().take(2).chain(full().rev().take(2)).collect()
}

/// The part of a line that is the same on each page: without a page number at its beginning or end. `Chapter 3` and `2.` stay as
/// they are, because they label what follows.
fn pattern(line: &str) -> &str {
    let bare = line.trim_matches(|letter: char| !letter.is_alphabetic());
    let is_label = match bare {
        "" => line.ends_with('.'),
        word => !word.contains(' '),
    };
    if is_label { line } else { bare }
}

/// Empties the lines of tables of contents and lists of figures: those in which points lead to a page, and several in a row that
/// end with a page number.
fn without_contents(lines: &mut [&str]) {
    let full: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(|line| !line.is_empty()))
        .collect();
    let is_entry = |at: &usize| lines.get(*at).is_some_and(|line| ends_with_page(line));
    let runs = full.chunk_by(|one, next| is_entry(one) == is_entry(next));
    let runs = runs.filter(|run| run.len() >= ENTRIES && run.first().is_some_and(is_entry));
    let mut lists: BTreeSet<usize> = runs.flatten().copied().collect();
    lists.extend(listed(lines, &full));
    for (at, line) in lines.iter_mut().enumerate() {
        if lists.contains(&at) || leads(line) {
            *line = "";
        }
    }
}

/// Indices of the lines of a table of contents below a heading `Contents`: titles that occur again later, as headings do. The
/// page numbers may stand on lines of their own.
fn listed(lines: &[&str], full: &[usize]) -> Vec<usize> {
    /// Most lines in a row that are not titles: page numbers, and the rest of a long title.
    const OTHERS: usize = 4;
    let title = |at: &usize| {
        let line = lines.get(*at).copied().unwrap_or_default();
        let line = line.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
        line.to_lowercase()
    };
    let titles: Vec<String> = full.iter().map(title).collect();
    let last: BTreeMap<&str, usize> = titles.iter().map(String::as_str).zip(0..).collect();
    let is_contents = |title: &String| matches!(title.as_str(), "contents" | "table of contents");
    let Some(start) = titles.iter().position(is_contents) else {
        return Vec::new();
    };
    let (mut end, mut entries, mut first) = (start, 0, None);
    for (at, title) in titles.iter().enumerate().skip(start + 1) {
        // Where the first title stands again, the text begins; its lines may stand twice, too.
        if at > end + OTHERS || first == Some(title) {
            break;
        }
        if title.contains(char::is_alphabetic) && last.get(title.as_str()) > Some(&at) {
            (end, entries) = (at, entries + 1);
            first.get_or_insert(title);
        }
    }
    let is_list = entries >= ENTRIES;
    full.get(start + 1..=end)
        .filter(|_| is_list)
        .unwrap_or_default()
        .to_vec()
}

fn ends_with_page(line: &str) -> bool {
    let last = line.rsplit([' ', '.']).next().unwrap_or_default();
    let is_number = (1..=4).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_digit());
    // A row of numbers is not a title.
    is_number && line.contains(char::is_alphabetic)
}

/// Whether a line ends with points, or with points that lead to a page number.
fn leads(line: &str) -> bool {
    let title = line.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
    let point = |letter: &char| matches!(letter, '.' | '·' | '…' | '_' | '․' | ' ');
    let points = title.chars().rev().take_while(point);
    let count = points.filter(|letter| *letter != ' ').count();
    count >= LEADER + usize::from(title.len() == line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(pages: &[&str]) -> Vec<String> {
        let pages: Vec<Page> = pages
            .iter()
            .map(|page| page.lines().map(str::to_owned).collect())
            .collect();
        let lines = lines(&pages).all.into_iter();
        lines
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn heads_and_page_numbers_are_left_out() {
        let pages = [
            "2 A. Author et al.\n\nIt wobbles.\n\nVol. 7",
            "Gadgets considered 3\n\nIt wobbles more.\nTable 1",
            "4 A. Author et al.\nResults\nMore.\n– 4 –\n",
            "Gadgets considered 5\n2.\nThe Method\nIt ends here.\n\n5",
            "Chapter 3\nResults\nOne.\n6",
            "Chapter 4\nMore Results\nTwo.",
            "Chapter 5\nAll Results\nThree.",
        ];
        assert_eq!(
            left(&pages),
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
    fn contents_are_told_from_text() {
        for (text, expected) in [
            (
                "Contents|1 One 3|2 Two 4|3 Three 12||One|Text.",
                "Contents|One|Text.",
            ),
            ("A . . . . 7|Text...|so|B.....", "Text...|so"),
            // The page numbers are on lines of their own, and one title takes two lines.
            (
                "Contents|1. One|1.1. Two of|them|2. Three|1|2|2||1. ONE|Text.|1.1. Two of|them|Text.|2. Three|Text.",
                "Contents|1|2|2|1. ONE|Text.|1.1. Two of|them|Text.|2. Three|Text.",
            ),
            (
                "Contents|Two words|A|B||A|Text.",
                "Contents|Two words|A|B|A|Text.",
            ),
            // Lines of the text stand more than once, as titles do.
            (
                "Contents|One|Two|Three||One|We go.|We go.|Two|We go.|Three|We go.",
                "Contents|One|We go.|We go.|Two|We go.|Three|We go.",
            ),
            (
                "We saw 12|of them in 2020|at night",
                "We saw 12|of them in 2020|at night",
            ),
        ] {
            assert_eq!(left(&[&text.replace('|', "\n")]).join("|"), expected);
        }
    }
}
