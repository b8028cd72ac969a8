//! Turns the text of a PDF, in drawing order and with empty lines between blocks, into pieces of a paper.
//!
//! Headings are the titles of the PDF's own outline. Without an outline that fits, they are lines that carry the next number and
//! lines with a conventional name. Tables of contents, footnotes and text that is not a sentence (axis labels, cells, pieces of
//! formulas) are left out. Everything except the outline is recognised by its looks, and the profile says so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::outline::{self, Piece};
use crate::pdf::headings::{self, Heading, Named, is_title, respaced, unlabelled, unnamed};
use crate::pdf::layout::Page;
use crate::pdf::outline::{Bookmark, PdfOutline, key};
use crate::pdf::{self, furniture};
use crate::profile::{Basis, CitationStyle, Profile, StatementKind};
use crate::role::Role;

/// Fewest words of a paragraph that does not end like a sentence.
const PROSE_WORDS: usize = 8;
/// Hyphen-minus, soft hyphen and the Unicode hyphen.
const HYPHENS: [char; 3] = ['-', '\u{ad}', '\u{2010}'];
/// Most empty lines between two pages across which a split word is joined.
const GAP: usize = 16;

/// Measures the text of a PDF; `bookmarks` is its outline, `None` if that could not be read.
pub(crate) fn profile(pages: &[Page], bookmarks: Option<&[Bookmark]>) -> (Profile, PdfOutline) {
    let (pieces, used) = pieces(pages, bookmarks);
    let profile = outline::profile(Basis::Pdf, &pieces, citation_style(pages));
    (profile, used)
}

fn pieces(pages: &[Page], bookmarks: Option<&[Bookmark]>) -> (Vec<Piece>, PdfOutline) {
    let lines = furniture::lines(pages);
    let by_looks = headings::headings(&lines.all);
    let (found, used) = pdf::outline::headings(bookmarks, &lines, by_looks);
    let lines = lines.all;
    let headings = with_conventional(found, &lines, used);
    let mut pieces = Vec::new();
    let mut paragraph = String::new();
    let mut captions = BTreeSet::new();
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        if let Some((heading, rest)) = headings.get(&at) {
            flush(&mut paragraph, &mut pieces);
            pieces.push(Piece::Heading {
                level: heading.level,
                title: heading.title.clone(),
                numbered: heading.numbered,
            });
            paragraph.push_str(rest);
            at += heading.lines;
            continue;
        }
        at += 1;
        if line.is_empty() {
            if !is_parted(&paragraph, lines.get(at..).unwrap_or_default()) {
                flush(&mut paragraph, &mut pieces);
            }
        } else if let Some((kind, number, rest)) = caption_of(line) {
            flush(&mut paragraph, &mut pieces);
            let mut caption = rest.to_owned();
            // `TABLE I` alone: its text is on the next lines.
            at += usize::from(rest.is_empty() && lines.get(at) == Some(&""));
            while let Some(more) = lines.get(at)
                && !more.is_empty()
                && !headings.contains_key(&at)
                && caption_of(more).is_none()
            {
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
            if is_index(line) {
                flush(&mut paragraph, &mut pieces);
            }
            if (paragraph.is_empty() || paragraph.ends_with('.'))
                && let Some(kind) = statement(line)
            {
                pieces.push(Piece::Statement(kind));
            }
            join(&mut paragraph, line);
        }
    }
    flush(&mut paragraph, &mut pieces);
    // Title, authors and addresses before the first heading are not running text.
    let is_heading = |piece: &Piece| matches!(piece, Piece::Heading { .. });
    let front = pieces.iter().position(is_heading).unwrap_or(0);
    (pieces.split_off(front), used)
}

/// Adds headings with a conventional name to those found; each comes with the text that follows it on its line.
fn with_conventional<'a>(
    found: BTreeMap<usize, Heading>,
    lines: &[&'a str],
    used: PdfOutline,
) -> BTreeMap<usize, (Heading, &'a str)> {
    let mut all: BTreeMap<usize, (Heading, &str)> = BTreeMap::new();
    let known = found.values().filter(|_| used == PdfOutline::Used);
    let known = known.map(|heading| Role::of(&heading.title));
    let known: BTreeSet<Role> = known
        .filter_map(|(role, whole)| whole.then_some(role))
        .collect();
    let first = found.keys().next().copied();
    let (mut last, mut next) = (String::new(), 0);
    for (at, line) in lines.iter().enumerate() {
        if let Some(heading) = found.get(&at) {
            last = key(unlabelled(&heading.title));
            next = at + heading.lines;
        } else if at >= next
            && let Some((title, rest)) = conventional(line, first.is_some())
        {
            let role = Role::of(&title).0;
            // A repeated title is a running head; one before the first heading belongs to a table of contents.
            let again = rest.is_empty() && key(unlabelled(&title)) == last;
            let early = role != Role::Abstract && first.is_some_and(|first| at < first);
            if !again && !early && !known.contains(&role) {
                last = key(unlabelled(&title));
                let heading = Heading {
                    level: 1,
                    title,
                    numbered: false,
                    lines: 1,
                };
                all.insert(at, (heading, rest));
            }
        }
    }
    all.extend(found.into_iter().map(|(at, heading)| (at, (heading, ""))));
    all
}

/// Whether a hyphenated word continues after empty lines, for instance on the next page.
fn is_parted(paragraph: &str, rest: &[&str]) -> bool {
    let word = paragraph.strip_suffix(HYPHENS);
    let next = rest.iter().take(GAP).find(|line| !line.is_empty());
    word.is_some_and(|word| word.ends_with(char::is_alphabetic))
        && next.is_some_and(|next| next.starts_with(char::is_lowercase))
}

/// Whether a line begins the keywords, which are not running text.
fn is_index(line: &str) -> bool {
    static INDEX: LazyLock<Regex> = LazyLock::new(|| {
        compiled("^(?:Index Terms|Key ?words|KEYWORDS|Subject headings|CCS Concepts)\\s*[:—–.•-]")
    });
    INDEX.is_match(line)
}

/// A heading with a conventional name, and the text after it on its line. If headings are `numbered`, only names that usually
/// have no number count.
fn conventional(line: &str, numbered: bool) -> Option<(String, &str)> {
    use Role::{Abstract, Appendix, Impact, Limitations, References, Statements};
    // `Abstract—We show …`
    for separator in ["—", ". ", ": ", "– "] {
        if let Some((name, rest)) = line.split_once(separator)
            && Role::of(name) == (Abstract, true)
        {
            return Some((name.to_owned(), rest));
        }
    }
    let title = respaced(line);
    // `Appendix B`, `Appendix B: Proofs`
    if let Some((Named::Appendix, label)) = unnamed(&title)
        && let mark = label.split(' ').next().unwrap_or_default()
        && (mark == label || mark.ends_with([':', '.']))
        && is_title(&title)
    {
        return Some((title, ""));
    }
    let spaced = line.len() > title.len() && line.starts_with(char::is_lowercase);
    let (role, whole) = Role::of(&title);
    let unnumbered = matches!(
        role,
        Abstract | References | Statements | Appendix | Limitations | Impact
    );
    let bare = |letter: char| letter.is_alphabetic() || matches!(letter, ' ' | '&' | '-');
    let is_one = whole && title.chars().all(bare) && (unnumbered || !numbered);
    (is_one && (spaced || is_title(&title))).then_some((title, ""))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Float {
    Figure,
    Table,
}

/// Splits a caption, `Figure 3: …` or `TABLE II …`, into kind, number and text. "Figure 3 shows" is a sentence.
pub(crate) fn caption_of(line: &str) -> Option<(Float, &str, &str)> {
    static CAPTION: LazyLock<Regex> = LazyLock::new(|| {
        const MARKS: &str = "[:.|—–][:.|—– ]*";
        let names = "(?:Figure|FIGURE|Fig[.]|FIG[.]|(Table|TABLE))";
        compiled(&format!("(?s)^{names} ([0-9IVX]+)(?:{MARKS}(.*)|\\s*)$"))
    });
    let found = CAPTION.captures(line)?;
    let part = |at| found.get(at).map_or("", |part| part.as_str());
    let is_table = !part(1).is_empty();
    let kind = if is_table {
        Float::Table
    } else {
        Float::Figure
    };
    Some((kind, part(2), part(3)))
}

/// The kind of statement that a line begins: `Theorem 3.`, `Proof.`
fn statement(line: &str) -> Option<StatementKind> {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let kind = StatementKind::named(name.trim_end_matches(['.', ':']))?;
    let number = rest.split_whitespace().next().unwrap_or_default();
    let marked = number.ends_with(['.', ':']) || rest.contains(" (");
    let is_one = kind == StatementKind::Proof
        || number.starts_with(|letter: char| letter.is_ascii_digit()) && marked;
    (is_one && line.starts_with(char::is_uppercase)).then_some(kind)
}

/// Appends a line; a word hyphenated at the line's end is joined.
fn join(paragraph: &mut String, line: &str) {
    let small = line.chars().next().is_some_and(char::is_lowercase);
    if small && paragraph.ends_with(HYPHENS) {
        paragraph.pop();
    } else if !paragraph.is_empty() {
        paragraph.push(' ');
    }
    paragraph.push_str(line);
}

/// Whether a text ends like a sentence.
fn is_whole(text: &str) -> bool {
    text.ends_with(['.', '!', '?', '。', '！', '？'])
}

/// Ends a paragraph, and keeps it if it is prose.
fn flush(paragraph: &mut String, pieces: &mut Vec<Piece>) {
    let text = std::mem::take(paragraph);
    let count = |is: fn(char) -> bool| text.chars().filter(|letter| is(*letter)).count();
    let letters = count(char::is_alphabetic);
    let visible = count(|letter| !letter.is_whitespace());
    let whole = is_whole(&text);
    // Chinese and Japanese have no spaces between words.
    let words = text.split_whitespace().count() + count(|letter| letter >= '\u{2e80}');
    // The last line of a paragraph may stand alone on the next page.
    let before = pieces.iter().rev();
    let mut before = before.skip_while(|piece| matches!(piece, Piece::Figure(_) | Piece::Table(_)));
    let goes_on = text.starts_with(char::is_lowercase)
        && matches!(before.next(), Some(Piece::Text { text, .. }) if !is_whole(text));
    let is_prose =
        10 * letters >= 6 * visible && (words >= PROSE_WORDS || whole && (words >= 3 || goes_on));
    if is_prose && !is_index(&text) {
        pieces.push(Piece::Text {
            text,
            opaque: Vec::new(),
        });
    }
}

/// The style of citations, if there are enough of them to tell.
fn citation_style(pages: &[Page]) -> CitationStyle {
    // `[3]`, `[3, 5-7]`
    static NUMERIC: LazyLock<Regex> = LazyLock::new(|| compiled("\\[[0-9][0-9, -]{0,22}\\]"));
    // `Smith, 2020)`, `Smith (2020)`
    static YEAR: LazyLock<Regex> =
        LazyLock::new(|| compiled("(?:, |\\()(?:19|20)[0-9]{2}(?:[);]|$)"));
    let count = |pattern: &Regex| -> usize {
        let lines = pages.iter().flatten();
        lines.map(|line| pattern.find_iter(line).count()).sum()
    };
    match (count(&NUMERIC), count(&YEAR)) {
        (numeric, years) if numeric >= 3 && numeric > years => CitationStyle::Numeric,
        (_, years) if years >= 3 => CitationStyle::AuthorYear,
        _ => CitationStyle::Unknown,
    }
}

fn compiled(pattern: &str) -> Regex {
    match Regex::new(pattern) {
        Ok(regex) => regex,
        Err(error) => unreachable!("a pattern of this file: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a text into pages at form feeds.
    fn pages(text: &str) -> Vec<Page> {
        let page = |page: &str| page.lines().map(|line| line.trim().to_owned()).collect();
        text.split('\u{c}').map(page).collect()
    }

    const TEXT: &str = "A Journal of Gadgets\nThe Gadget\nA. Author\n\nAbstract\nWe show a gadget. It works\nwell in prac-\ntice.\n\n\
        1\n\nIntroduction\n\nGadgets matter (Smith, 2020), as shown by Jones (2021) and Brown (2019). Figure 1 shows\none of them.\n\n1\n\u{c}A Journal of Gadgets\n\
        Figure 1: A gadget with\nits parts.\n\n0.2 0.4 0.6\n\nx axis\n\n2 The Method\n\n2.1 Parts\n\nTheorem 1. Every gadget has at least one part.\n\nProof. Obvious to the reader.\n\n\
        4 Out of Order\n\n\u{c}A Journal of Gadgets\nReferences\n\nSmith, J. (2020). A gadget. Journal of gadgets and parts.\n\n3\n";

    #[test]
    fn headings_captions_and_sentences_are_recognised() {
        let (profile, _) = profile(&pages(TEXT), None);
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
            pieces(&pages(TEXT), None)
        );
        assert_eq!(profile.figure_captions.map(|spread| spread.median), Some(5));
        assert_eq!(profile.citation_style, CitationStyle::AuthorYear);
    }

    #[test]
    fn what_looks_like_a_heading_is_one() {
        let first = |text: &str| match pieces(&pages(text), None).0.into_iter().next() {
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
        // A running head that stands on one page only.
        let repeated =
            "1 Introduction\nWe do.\n2 Method\nSo.\nReferences\nOne.\n\u{c}REFERENCES\nTwo.";
        let (repeated, _) = profile(&pages(repeated), None);
        assert_eq!(repeated.sections.len(), 3);
        // With numbered sections, fewer other lines count as headings.
        let roles = |text: &str| -> Vec<Role> {
            profile(&pages(text), None)
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
            citation_style(&pages("[1] [2, 3] [4-6] [a]")),
            CitationStyle::Numeric
        );
        assert_eq!(citation_style(&pages("in 2020")), CitationStyle::Unknown);
        assert_eq!(
            statement("Lemma 2.1 (Smith). Let"),
            Some(StatementKind::Lemma)
        );
        assert_eq!(statement("Theorem 3 shows that"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([0-9]|[A-Z]|[a-z .,\n\u{c}\\[\\](]|Figure 1: |References\n|20|é|Abstract—){0,80}") {
            drop(profile(&pages(&text), None));
        }
    }
}
