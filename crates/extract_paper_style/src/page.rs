//! The text of a PDF, in reading order as `pdftotext` gives it, as pieces of a paper.
//!
//! Headings are lines that carry the next number of the outline, or a conventional name; what is no sentence (axis labels, cells,
//! pieces of formulas) is left out. All of it is recognised by its looks, and the profile says so.

use std::collections::{BTreeMap, BTreeSet};

use crate::outline::{self, Piece};
use crate::profile::{Basis, CitationStyle, Profile, StatementKind};
use crate::role::Role;

/// Words a heading has at most.
const HEADING_WORDS: usize = 14;
/// A paragraph with fewer words that does not end like a sentence is none.
const PROSE_WORDS: usize = 8;
/// A line at the edge of so many pages is a running head.
const RUNNING: usize = 3;

/// Measures the text of a PDF.
pub(crate) fn profile(text: &str) -> Profile {
    outline::profile(Basis::Pdf, &pieces(text), citation_style(text))
}

fn pieces(text: &str) -> Vec<Piece> {
    let lines = lines(text);
    let numbered = Outline::default().count(&lines) >= 2;
    let mut outline = Outline::default();
    let mut pieces = Vec::new();
    let mut paragraph = String::new();
    let mut captions = BTreeSet::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let line = *line;
        if line.is_empty() {
            flush(&mut paragraph, &mut pieces);
            at += 1;
            continue;
        }
        if let Some((level, title, used)) = outline.heading(&lines, at) {
            flush(&mut paragraph, &mut pieces);
            pieces.push(Piece::Heading {
                level,
                title: title.to_owned(),
                numbered: true,
            });
            at += used;
            continue;
        }
        if let Some((title, rest)) = conventional(line, numbered) {
            flush(&mut paragraph, &mut pieces);
            pieces.push(Piece::Heading {
                level: 1,
                title: title.to_owned(),
                numbered: false,
            });
            paragraph.push_str(rest);
            at += 1;
            continue;
        }
        if let Some((kind, number, rest)) = caption_of(line) {
            flush(&mut paragraph, &mut pieces);
            let mut caption = rest.to_owned();
            at += 1;
            while let Some(more) = lines.get(at).filter(|more| !more.is_empty()) {
                let mut ahead = outline;
                let heading = ahead.heading(&lines, at).is_some();
                if heading || conventional(more, numbered).is_some() || caption_of(more).is_some() {
                    break;
                }
                join(&mut caption, more);
                at += 1;
            }
            if captions.insert((kind, number)) {
                pieces.push(match kind {
                    Float::Figure => Piece::Figure(Some(caption)),
                    Float::Table => Piece::Table(Some(caption)),
                });
            }
            continue;
        }
        if paragraph.is_empty()
            && let Some(kind) = statement(line)
        {
            pieces.push(Piece::Statement(kind));
        }
        join(&mut paragraph, line);
        at += 1;
    }
    flush(&mut paragraph, &mut pieces);
    // Title, authors and their addresses are no running text.
    let is_heading = |piece: &Piece| matches!(piece, Piece::Heading { .. });
    let front = pieces.iter().position(is_heading).unwrap_or(0);
    pieces.split_off(front)
}

/// The lines without page numbers and running heads, trimmed.
fn lines(text: &str) -> Vec<&str> {
    let pages: Vec<Vec<&str>> = text
        .split('\u{c}')
        .map(|page| page.lines().map(str::trim).collect())
        .collect();
    let edges = |page: &[&str]| -> Vec<usize> {
        let full: Vec<usize> = (0..page.len())
            .filter(|at| page.get(*at).is_some_and(|line| !line.is_empty()))
            .collect();
        let last = full.len().saturating_sub(2);
        let edge = |(number, at): (usize, &usize)| (number < 2 || number >= last).then_some(*at);
        full.iter().enumerate().filter_map(edge).collect()
    };
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for page in &pages {
        let found: BTreeSet<&str> = edges(page)
            .into_iter()
            .filter_map(|at| page.get(at).copied())
            .collect();
        for line in found {
            *seen.entry(line).or_insert(0) += 1;
        }
    }
    let mut out = Vec::new();
    for page in &pages {
        let edges = edges(page);
        for (at, line) in page.iter().enumerate() {
            let is_edge = edges.binary_search(&at).is_ok();
            let number = line.bytes().all(|byte| byte.is_ascii_digit());
            let running = seen.get(line).is_some_and(|count| *count >= RUNNING);
            if !(is_edge && !line.is_empty() && (number || running)) {
                out.push(*line);
            }
        }
        out.push("");
    }
    out
}

/// The numbers of the headings so far; only the next one makes a heading.
#[derive(Clone, Copy, Default)]
struct Outline {
    section: usize,
    subsection: usize,
    third: usize,
}

impl Outline {
    fn count(mut self, lines: &[&str]) -> usize {
        (0..lines.len())
            .filter(|at| matches!(self.heading(lines, *at), Some((1, _, _))))
            .count()
    }

    /// Level, title and number of lines of a numbered heading at line `at`.
    fn heading<'a>(&mut self, lines: &[&'a str], at: usize) -> Option<(u8, &'a str, usize)> {
        let line = lines.get(at)?;
        let length = line.find(char::is_whitespace).unwrap_or(line.len());
        let (number, rest) = line.split_at_checked(length)?;
        let parts = numbers(number.trim_end_matches('.'))?;
        let (title, used) = match rest.trim() {
            "" => {
                // The number stands on a line of its own, the title on the next one.
                let next = (at + 1..at + 3)
                    .find(|next| lines.get(*next).is_some_and(|line| !line.is_empty()))?;
                (*lines.get(next)?, next + 1 - at)
            }
            title => (title, 1),
        };
        let next = match parts.as_slice() {
            [section] if *section == self.section + 1 => (*section, 0, 0),
            [section, sub] if *section == self.section && *sub == self.subsection + 1 => {
                (*section, *sub, 0)
            }
            [section, sub, third]
                if *section == self.section
                    && *sub == self.subsection
                    && *third == self.third + 1 =>
            {
                (*section, *sub, *third)
            }
            _ => return None,
        };
        if !is_title(title) {
            return None;
        }
        (self.section, self.subsection, self.third) = next;
        let level = u8::try_from(parts.len()).unwrap_or(3);
        Some((level, title, used))
    }
}

/// `3`, `3.1`, `3.1.2`, or a Roman number.
fn numbers(text: &str) -> Option<Vec<usize>> {
    const ROMAN: [&str; 12] = [
        "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
    ];
    if let Some(at) = ROMAN.iter().position(|roman| *roman == text) {
        return Some(vec![at + 1]);
    }
    let parts: Vec<usize> = text
        .split('.')
        .map(|part| {
            if part.len() <= 2 {
                part.parse().ok()
            } else {
                None
            }
        })
        .collect::<Option<_>>()?;
    (parts.len() <= 3).then_some(parts)
}

fn is_title(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_uppercase)
        && text.split_whitespace().count() <= HEADING_WORDS
        && text.chars().filter(|letter| letter.is_alphabetic()).count() >= 3
        && !text.ends_with(['.', ',', ';', ':', '='])
}

/// A heading by its conventional name, and what follows it on its line. Where headings are numbered only those are taken that
/// usually have no number.
fn conventional(line: &str, numbered: bool) -> Option<(&str, &str)> {
    // `Abstract—We show …`
    for separator in ["—", ". ", ": ", "– "] {
        if let Some((name, rest)) = line.split_once(separator)
            && Role::of(name) == (Role::Abstract, true)
        {
            return Some((name, rest));
        }
    }
    if !is_title(line) {
        return None;
    }
    let (role, whole) = Role::of(line);
    let unnumbered = matches!(
        role,
        Role::Abstract
            | Role::References
            | Role::Statements
            | Role::Appendix
            | Role::Limitations
            | Role::Impact
    );
    let bare = line
        .chars()
        .all(|letter| letter.is_alphabetic() || matches!(letter, ' ' | '&' | '-'));
    (whole && bare && (unnumbered || !numbered)).then_some((line, ""))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Float {
    Figure,
    Table,
}

/// `Figure 3: …`, `TABLE II …`: what it is, its number, the text.
fn caption_of(line: &str) -> Option<(Float, &str, &str)> {
    const NAMES: [(&str, Float); 6] = [
        ("Figure ", Float::Figure),
        ("FIGURE ", Float::Figure),
        ("Fig. ", Float::Figure),
        ("FIG. ", Float::Figure),
        ("Table ", Float::Table),
        ("TABLE ", Float::Table),
    ];
    let (rest, kind) = NAMES
        .iter()
        .find_map(|(name, kind)| Some((line.strip_prefix(name)?, *kind)))?;
    let end = rest
        .find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, 'I' | 'V' | 'X')))
        .unwrap_or(rest.len());
    let (number, text) = rest.split_at_checked(end)?;
    // "Figure 3 shows" is a sentence.
    let marked = text.starts_with([':', '.', '|', '—', '–']);
    let alone = text.trim().is_empty();
    (!number.is_empty() && (marked || alone)).then(|| {
        (
            kind,
            number,
            text.trim_start_matches([':', '.', '|', '—', '–', ' ']),
        )
    })
}

/// A line that begins a statement: `Theorem 3.`, `Proof.`
fn statement(line: &str) -> Option<StatementKind> {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    if matches!(name, "Proof." | "Proof:" | "Proof") {
        return Some(StatementKind::Proof);
    }
    let kind = match name {
        "Theorem" => StatementKind::Theorem,
        "Lemma" => StatementKind::Lemma,
        "Proposition" => StatementKind::Proposition,
        "Corollary" => StatementKind::Corollary,
        "Definition" => StatementKind::Definition,
        "Assumption" => StatementKind::Assumption,
        "Remark" => StatementKind::Remark,
        "Example" => StatementKind::Example,
        "Claim" => StatementKind::Claim,
        "Conjecture" => StatementKind::Conjecture,
        _ => return None,
    };
    let number = rest.split_whitespace().next()?;
    let marked = number.ends_with(['.', ':']) || rest.contains(" (");
    (number.starts_with(|letter: char| letter.is_ascii_digit()) && marked).then_some(kind)
}

/// Appends a line; a word that is parted at the line's end becomes whole.
fn join(paragraph: &mut String, line: &str) {
    let small = line.chars().next().is_some_and(char::is_lowercase);
    if small && paragraph.ends_with('-') {
        paragraph.pop();
    } else if !paragraph.is_empty() {
        paragraph.push(' ');
    }
    paragraph.push_str(line);
}

/// Ends a paragraph, and keeps it when it is prose.
fn flush(paragraph: &mut String, pieces: &mut Vec<Piece>) {
    let text = std::mem::take(paragraph);
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let visible = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .count();
    let whole = text.ends_with(['.', '!', '?']);
    let words = text.split_whitespace().count();
    if visible > 0 && 10 * letters >= 6 * visible && (words >= PROSE_WORDS || whole && words >= 3) {
        pieces.push(Piece::Text {
            text,
            opaque: Vec::new(),
        });
    }
}

/// What the citations look like, when there are enough to tell.
fn citation_style(text: &str) -> CitationStyle {
    let mut numeric = 0;
    for (at, _) in text.match_indices('[') {
        let rest = text.get(at + 1..).unwrap_or_default().bytes();
        let inside: Vec<u8> = rest.take(24).take_while(|byte| *byte != b']').collect();
        let listed = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'-');
        let begins = inside.first().is_some_and(u8::is_ascii_digit);
        numeric += usize::from(begins && inside.len() < 24 && inside.iter().all(listed));
    }
    let mut years = 0;
    for century in ["19", "20"] {
        for (at, _) in text.match_indices(century) {
            let before = text.get(..at).unwrap_or_default();
            let rest = text.as_bytes().get(at + 2..at + 5).unwrap_or_default();
            let digits = rest.iter().take(2).all(u8::is_ascii_digit);
            // `Smith, 2020)`, `Smith (2020)`
            let closed = matches!(rest.get(2), Some(b')' | b';'));
            years +=
                usize::from(digits && closed && (before.ends_with(", ") || before.ends_with('(')));
        }
    }
    match (numeric, years) {
        (numeric, years) if numeric >= 3 && numeric > years => CitationStyle::Numeric,
        (_, years) if years >= 3 => CitationStyle::AuthorYear,
        _ => CitationStyle::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "A Journal of Gadgets\nThe Gadget\nA. Author\n\nAbstract\nWe show a gadget. It works\nwell in prac-\ntice.\n\n\
        1\n\nIntroduction\n\nGadgets matter (Smith, 2020), as shown by Jones (2021) and Brown (2019). Figure 1 shows\none of them.\n\n1\n\u{c}A Journal of Gadgets\n\
        Figure 1: A gadget with\nits parts.\n\n0.2 0.4 0.6\n\nx axis\n\n2 The Method\n\n2.1 Parts\n\nTheorem 1. Every gadget has at least one part.\n\nProof. Obvious to the reader.\n\n\
        4 Out of Order\n\n\u{c}A Journal of Gadgets\nReferences\n\nSmith, J. (2020). A gadget. Journal of gadgets and parts.\n\n3\n";

    #[test]
    fn headings_captions_and_sentences_are_recognised() {
        let profile = profile(TEXT);
        let sections: Vec<_> = profile
            .sections
            .iter()
            .map(|section| {
                (
                    section.role,
                    section.words,
                    section.subsections,
                    section.figures,
                    section.statements,
                )
            })
            .collect();
        assert_eq!(
            sections,
            [
                (Role::Abstract, 9, 0, None, None),
                (Role::Introduction, 18, 0, Some(1), None),
                (Role::Method, 14, 1, None, Some(2)),
                (Role::References, 0, 0, None, None),
            ],
            "{:?}",
            pieces(TEXT)
        );
        assert_eq!(profile.figure_captions.map(|spread| spread.median), Some(5));
        assert_eq!(profile.citation_style, CitationStyle::AuthorYear);
    }

    #[test]
    fn numbers_and_captions_are_told_from_sentences() {
        assert_eq!(numbers("3.1"), Some(vec![3, 1]));
        assert_eq!(numbers("IV"), Some(vec![4]));
        for none in ["", "3.", "2020", "a", "1.2.3.4"] {
            assert_eq!(numbers(none), None, "{none}");
        }
        assert!(caption_of("Figure 3 shows").is_none());
        assert!(caption_of("TABLE II. RESULTS").is_some());
        assert_eq!(
            citation_style("[1] [2, 3] [4-6] [a]"),
            CitationStyle::Numeric
        );
        assert_eq!(citation_style("in 2020"), CitationStyle::Unknown);
        assert_eq!(
            statement("Lemma 2.1 (Smith). Let"),
            Some(StatementKind::Lemma)
        );
        assert_eq!(statement("Theorem 3 shows that"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([0-9]|[A-Z]|[a-z .,\n\u{c}\\[\\](]|Figure 1: |References\n|20|é|Abstract—){0,80}") {
            drop(profile(&text));
        }
    }
}
