//! The text of a PDF, in the order in which it is drawn and with blank lines between blocks, as pieces of a paper.
//!
//! Headings are the titles of the PDF's own outline; where it has none that fits, lines that carry the next number, and lines with a
//! conventional name. Tables of contents, footnotes and what is no sentence (axis labels, cells, pieces of formulas) are left out.
//! All but the outline is recognised by its looks, and the profile says so.

use std::collections::BTreeSet;

use crate::outline::{self, Piece};
use crate::pdf::contents::key;
use crate::pdf::labels::unlabelled;
use crate::pdf::numbering::{is_title, respaced};
use crate::pdf::outline::{Bookmark, PdfOutline};
use crate::pdf::{self, contents, furniture, numbering};
use crate::profile::{Basis, CitationStyle, Profile, StatementKind};
use crate::role::Role;

/// A paragraph with fewer words that does not end like a sentence is none.
const PROSE_WORDS: usize = 8;
/// The hyphen, the soft one, and that of Unicode.
const HYPHENS: [char; 3] = ['-', '\u{ad}', '\u{2010}'];
/// Letters by which a heading is known again.
const TITLE: usize = 200;
/// Blank lines between two pages at most, about.
const GAP: usize = 16;

/// Measures the text of a PDF, with the outline that it carries; `None` when that could not be read.
pub(crate) fn profile(text: &str, bookmarks: Option<&[Bookmark]>) -> (Profile, PdfOutline) {
    let (pieces, used) = pieces(text, bookmarks);
    let profile = outline::profile(Basis::Pdf, &pieces, citation_style(text));
    (profile, used)
}

fn pieces(text: &str, bookmarks: Option<&[Bookmark]>) -> (Vec<Piece>, PdfOutline) {
    let mut lines = furniture::lines(text);
    contents::remove(&mut lines.all);
    let by_looks = numbering::headings(&lines.all);
    let (headings, used) = pdf::outline::headings(bookmarks, &lines, by_looks);
    let lines = lines.all;
    let numbered = !headings.is_empty();
    let known = if used == PdfOutline::Used {
        pdf::outline::roles(&headings)
    } else {
        BTreeSet::new()
    };
    let conventional = |line| {
        let found = conventional(line, numbered);
        found.filter(|(title, _)| !known.contains(&Role::of(title).0))
    };
    let is_heading = |at: usize, line| headings.contains_key(&at) || conventional(line).is_some();
    let mut pieces = Vec::new();
    let mut paragraph = String::new();
    let mut captions = BTreeSet::new();
    let mut last_title = String::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let line = *line;
        if line.is_empty() {
            if !is_parted(&paragraph, lines.get(at..).unwrap_or_default()) {
                flush(&mut paragraph, &mut pieces);
            }
            at += 1;
        } else if let Some(heading) = headings.get(&at) {
            last_title = key(unlabelled(&heading.title), TITLE);
            flush(&mut paragraph, &mut pieces);
            pieces.push(Piece::Heading {
                level: heading.level,
                title: heading.title.clone(),
                numbered: heading.numbered,
            });
            at += heading.lines;
        } else if let Some((title, rest)) = conventional(line) {
            // A running head on one page alone.
            at += 1;
            if rest.is_empty() && key(unlabelled(&title), TITLE) == last_title {
                continue;
            }
            last_title = key(unlabelled(&title), TITLE);
            flush(&mut paragraph, &mut pieces);
            pieces.push(Piece::Heading {
                level: 1,
                title,
                numbered: false,
            });
            paragraph.push_str(rest);
        } else if is_index(line) {
            flush(&mut paragraph, &mut pieces);
            at += 1;
            while lines
                .get(at)
                .is_some_and(|more| !more.is_empty() && !is_heading(at, more))
            {
                at += 1;
            }
        } else if let Some((kind, number, rest)) = caption_of(line) {
            flush(&mut paragraph, &mut pieces);
            let mut caption = rest.to_owned();
            // `TABLE I`, and what it is on the next lines; a line that fills its column may go on behind a blank one.
            let filled = rest.is_empty() || rest.split_whitespace().count() >= PROSE_WORDS;
            at += 1;
            if let (true, Some(""), Some(next)) =
                (filled, lines.get(at).copied(), lines.get(at + 1))
            {
                let small = next.starts_with(char::is_lowercase) && !caption.ends_with('.');
                at += usize::from(small || rest.is_empty());
            }
            while let Some(more) = lines.get(at).filter(|more| !more.is_empty()) {
                if is_heading(at, more) || caption_of(more).is_some() {
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
        } else {
            if (paragraph.is_empty() || paragraph.ends_with('.'))
                && let Some(kind) = statement(line)
            {
                pieces.push(Piece::Statement(kind));
            }
            join(&mut paragraph, line);
            at += 1;
        }
    }
    flush(&mut paragraph, &mut pieces);
    // Title, authors and their addresses are no running text.
    let is_heading = |piece: &Piece| matches!(piece, Piece::Heading { .. });
    let front = pieces.iter().position(is_heading).unwrap_or(0);
    (pieces.split_off(front), used)
}

/// Whether a word goes on behind blank lines, as behind the foot of a page.
fn is_parted(paragraph: &str, rest: &[&str]) -> bool {
    let word = paragraph.strip_suffix(HYPHENS);
    let next = rest.iter().take(GAP).find(|line| !line.is_empty());
    word.is_some_and(|word| word.ends_with(char::is_alphabetic))
        && next.is_some_and(|next| next.starts_with(char::is_lowercase))
}

/// A line that begins the key words, which are no running text.
fn is_index(line: &str) -> bool {
    const NAMES: [&str; 6] = [
        "Index Terms",
        "Keywords",
        "Key words",
        "KEYWORDS",
        "Subject headings",
        "CCS Concepts",
    ];
    NAMES.iter().any(|name| {
        let rest = line.strip_prefix(name);
        rest.is_some_and(|rest| {
            rest.trim_start()
                .starts_with([':', '—', '–', '-', '.', '•'])
        })
    })
}

/// A heading by its conventional name, and what follows it on its line. Where headings are numbered only those are taken that
/// usually have no number.
fn conventional(line: &str, numbered: bool) -> Option<(String, &str)> {
    // `Abstract—We show …`
    for separator in ["—", ". ", ": ", "– "] {
        if let Some((name, rest)) = line.split_once(separator)
            && Role::of(name) == (Role::Abstract, true)
        {
            return Some((name.to_owned(), rest));
        }
    }
    let title = respaced(line);
    // `Appendix B`, `Appendix B: Proofs`
    let begins = title
        .get(..8)
        .is_some_and(|name| name.eq_ignore_ascii_case("appendix"));
    if begins && is_title(&title) {
        let rest = title.get(8..).unwrap_or_default().trim_start();
        let end = rest.find([' ', ':', '.', '—', '–']).unwrap_or(rest.len());
        let (mark, rest) = rest.split_at_checked(end).unwrap_or_default();
        let titled = rest.trim_start().starts_with([':', '.', '—', '–']);
        if matches!(mark.as_bytes(), [b'A'..=b'Z' | b'1'..=b'9']) && (rest.is_empty() || titled) {
            return Some((title, ""));
        }
    }
    let spaced = line.len() > title.len() && line.starts_with(char::is_lowercase);
    if !is_title(&title) && !spaced {
        return None;
    }
    let (role, whole) = Role::of(&title);
    let unnumbered = matches!(
        role,
        Role::Abstract
            | Role::References
            | Role::Statements
            | Role::Appendix
            | Role::Limitations
            | Role::Impact
    );
    let bare = title
        .chars()
        .all(|letter| letter.is_alphabetic() || matches!(letter, ' ' | '&' | '-'));
    (whole && bare && (unnumbered || !numbered)).then_some((title, ""))
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
    if small && paragraph.ends_with(HYPHENS) {
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
    let whole = text.ends_with(['.', '!', '?', '。', '！', '？']);
    // Chinese and Japanese have no spaces between words.
    let wide = text.chars().filter(|letter| *letter >= '\u{2e80}').count();
    let words = text.split_whitespace().count() + wide;
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
        let (profile, _) = profile(TEXT, None);
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
            pieces(TEXT, None)
        );
        assert_eq!(profile.figure_captions.map(|spread| spread.median), Some(5));
        assert_eq!(profile.citation_style, CitationStyle::AuthorYear);
    }

    #[test]
    fn what_looks_like_a_heading_is_one() {
        let first = |text: &str| match pieces(text, None).0.into_iter().next() {
            Some(Piece::Heading { title, .. }) => title,
            other => format!("{other:?}"),
        };
        for (text, expected) in [
            ("A BSTRACT\nWe do.", "ABSTRACT"),
            ("a b s t r a c t\nWe do.", "abstract"),
            ("Abstract—We do.", "Abstract"),
            ("R EFERENCES", "REFERENCES"),
            ("Appendix B: More Proofs", "Appendix B: More Proofs"),
            ("Index Terms—gadgets, night\nDiscussion", "Discussion"),
        ] {
            assert_eq!(first(text), expected, "{text}");
        }
        for text in [
            "Appendix B contains the proofs of all that",
            "I NTRODUCED A GADGET",
        ] {
            assert!(
                first(text).starts_with("Some(Text") || first(text) == "None",
                "{text}"
            );
        }
        // A running head that stands on one page alone.
        let repeated =
            "1 Introduction\nWe do.\n2 Method\nSo.\nReferences\nOne.\n\u{c}REFERENCES\nTwo.";
        let (repeated, _) = profile(repeated, None);
        assert_eq!(repeated.sections.len(), 3);
        // Numbered sections tell what else is a heading.
        let roles = |text: &str| -> Vec<Role> {
            profile(text, None)
                .0
                .sections
                .iter()
                .map(|section| section.role)
                .collect()
        };
        let text = "Abstract\nWe do it.\nKeywords: one, two\n1 Introduction\nWe do.\n2 Method\nDiscussion\nLimitations\nReferences\nA Proofs";
        assert_eq!(
            roles(text),
            [
                Role::Abstract,
                Role::Introduction,
                Role::Method,
                Role::Limitations,
                Role::References,
                Role::Theory
            ]
        );
    }

    #[test]
    fn captions_are_told_from_sentences() {
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
            drop(profile(&text, None));
        }
    }
}
