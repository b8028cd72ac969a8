//! Citation marks: what points a reader to a source.
//!
//! | mark | example |
//! |---|---|
//! | keys | `\citep[see][]{a,b}`, `[@a; @b]`, `@a` |
//! | numbers | `[3]`, `[2, 5-7]` |
//! | names and year | `(Name et al., 2020)`, `Name (2020)` |
//! | identifiers | `arXiv:2401.00001`, a DOI, a link to another site |
//! | footnotes | whose text names a source, or whose text is not known |

use std::ops::Range;

use aris_claims::stretches::Stretches;
use aris_contract::ids::{Doi, arxiv_mentions};

use super::passage::before;
use crate::words;

/// What a mark points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Entries of a bibliography.
    Keys(Vec<String>),
    /// Entries of a numbered list.
    Numbers(Vec<u32>),
    /// Names and year.
    Names,
    /// An identifier or an address that is written out.
    Identifier,
    /// A link, with its address.
    Link(String),
    /// A footnote, with its text as far as it is known.
    Footnote(String),
}

impl Source {
    /// The keys that are not empty; none is no source.
    pub(super) fn of_keys<'k>(keys: impl Iterator<Item = &'k str>) -> Option<Self> {
        let keys = keys.filter(|key| !key.is_empty()).map(str::to_owned);
        let keys: Vec<String> = keys.collect();
        (!keys.is_empty()).then_some(Self::Keys(keys))
    }
}

/// One citation mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Bytes of the passage's text; empty for a footnote's number.
    pub range: Range<usize>,
    /// What it points to.
    pub source: Source,
}

/// Bytes within which a bracket must close to be a mark: a list of twenty keys.
const BRACKET: usize = 500;
/// Entries one range of numbers may name; more is no citation.
const RANGE: u32 = 60;

/// Marks that are written out in the text, not in what is hidden. `keys`: `@key` is a mark, as in Markdown.
pub(crate) fn written(text: &str, hidden: &Stretches, keys: bool) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut skip = 0;
    for (at, byte) in text.bytes().enumerate() {
        if at < skip || !matches!(byte, b'[' | b'(' | b'@' | b'\\') || hidden.contains(at) {
            continue;
        }
        let mark = match byte {
            b'[' => bracket(text, at, keys),
            b'(' => parenthesis(text, at),
            b'@' if keys => bare_key(text, at),
            b'\\' if keys => command(text, at),
            _ => None,
        };
        if let Some(mark) = mark {
            skip = mark.range.end;
            found.push(mark);
        }
    }
    let mentions = arxiv_mentions(text).into_iter();
    let identifiers = mentions.map(|mention| mention.range).chain(dois(text));
    found.extend(identifiers.map(|range| Mark {
        range,
        source: Source::Identifier,
    }));
    found
}

/// Whether a text names a source: a mark, an identifier, an address.
pub(crate) fn names_source(text: &str) -> bool {
    text.contains("://")
        || text.contains("www.")
        || !written(text, &Stretches::default(), true).is_empty()
        || bare_reference(text)
}

/// "Smith, J. Title. Journal, 2020."
fn bare_reference(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit()).any(is_year)
        && text.chars().next().is_some_and(char::is_uppercase)
        && text.contains(',')
}

fn closing(text: &str, at: usize, close: char) -> Option<usize> {
    let inside = text.get(at + 1..)?;
    let limit = inside.floor_char_boundary(BRACKET.min(inside.len()));
    inside.get(..limit)?.find(close).map(|end| at + 1 + end)
}

/// `[3]`, `[2, 5-7]`, `[@key]`, `[^1]`.
fn bracket(text: &str, at: usize, keys: bool) -> Option<Mark> {
    let end = closing(text, at, ']')?;
    let inside = text.get(at + 1..end)?;
    let source = if keys && inside.contains('@') {
        let words = inside.split([';', ' ', ',']);
        let keys = words.filter_map(|word| word.trim_start_matches('-').strip_prefix('@'));
        Source::of_keys(keys.map(trimmed_key))?
    } else if keys && inside.starts_with('^') && inside.len() > 1 {
        Source::Footnote(String::new())
    } else {
        let numbers = numbers(inside).filter(|numbers| !is_interval(text, at, numbers));
        Source::Numbers(numbers?)
    };
    let range = at..end + 1;
    Some(Mark { range, source })
}

/// "95% CI [12, 18]" and "in the range [1, 5]" are no citations, nor is `x[3]`.
fn is_interval(text: &str, at: usize, numbers: &[u32]) -> bool {
    let before = before(text, at);
    let attached = last_word(before);
    if before.ends_with(['_', ')', '=', '∈']) {
        return true;
    }
    // "as the model[3] shows" has a superscript's number; `x[3]` and `a1[3]` are indexed.
    if !attached.is_empty() {
        return numbers.len() != 1
            || attached.chars().count() == 1
            || attached.bytes().any(|byte| byte.is_ascii_digit());
    }
    let word = last_word(before.trim_end_matches([' ', ':', '=', '\u{a0}']));
    words::is("intervals", &word.to_ascii_lowercase()) || before.trim_end().ends_with(['=', '∈'])
}

/// The letters and digits at the end of a text.
fn last_word(text: &str) -> &str {
    let mut words = text.rsplit(|c: char| !c.is_alphanumeric());
    words.next().unwrap_or("")
}

fn numbers(inside: &str) -> Option<Vec<u32>> {
    let mut out = Vec::new();
    for part in inside.split([',', ';']) {
        let part = part.trim();
        let (from, to) = match part.split_once(['-', '–', '—']) {
            Some((from, to)) => (from.trim(), to.trim()),
            None => (part, part),
        };
        let (from, to) = (number(from)?, number(to)?);
        if to < from || to - from > RANGE {
            return None;
        }
        out.extend(from..=to);
    }
    Some(out)
}

/// Three digits: lists of references end there, and years have four.
fn number(text: &str) -> Option<u32> {
    (text.len() <= 3 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

fn trimmed_key(key: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || "_:.-/+".contains(c);
    let mut keys = key.split(|c| !is_part(c));
    let key = keys.next().unwrap_or("");
    key.trim_end_matches(['.', ':', '-', '/'])
}

/// `@smith2020` in running text; an address has a letter before the sign.
fn bare_key(text: &str, at: usize) -> Option<Mark> {
    let before = text.get(..at)?;
    if !(before.is_empty() || before.ends_with([' ', '(', '\u{a0}', '-', '—', '–'])) {
        return None;
    }
    let key = trimmed_key(text.get(at + 1..)?);
    key.starts_with(char::is_alphabetic).then(|| Mark {
        range: at..at + 1 + key.len(),
        source: Source::Keys(vec![key.to_owned()]),
    })
}

/// `\citep[see][]{a,b}` in Markdown, as pandoc takes it.
fn command(text: &str, at: usize) -> Option<Mark> {
    let rest = text.get(at + 1..)?;
    let limit = rest.floor_char_boundary(BRACKET.min(rest.len()));
    let rest = rest.get(..limit)?;
    let name = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .and_then(|end| rest.get(..end))?;
    if !name.to_ascii_lowercase().contains("cite") {
        return None;
    }
    let open = rest.find('{')?;
    let options = rest.get(name.len()..open)?;
    if !(options.is_empty() || options == "*" || options.ends_with(']')) {
        return None;
    }
    let end = open + 1 + rest.get(open + 1..)?.find('}')?;
    let source = Source::of_keys(rest.get(open + 1..end)?.split(',').map(str::trim))?;
    let range = at..at + 1 + end + 1;
    Some(Mark { range, source })
}

/// `(Name et al., 2020; Other, 2019)` and the year of `Name (2020)`.
fn parenthesis(text: &str, at: usize) -> Option<Mark> {
    let end = closing(text, at, ')')?;
    let inside = text.get(at + 1..end)?;
    let range = at..end + 1;
    let names = || Mark {
        range: range.clone(),
        source: Source::Names,
    };
    if inside.split(',').all(|part| is_year(part.trim())) {
        return named_before(text, at).then(names);
    }
    let parts: Vec<&str> = inside.split(';').collect();
    let last = parts.last()?;
    // The names may follow an opening such as "see" or "e.g.".
    let all = parts.iter().all(|part| names_and_year(part));
    (all || parts.len() > 1 && names_and_year(last)).then(names)
}

/// "see Name and Other, 2020a", "Name et al. 2020".
fn names_and_year(part: &str) -> bool {
    // What follows the year is a place in the work: "Name, 2020, Fig. 3".
    let part = part.trim();
    let mut ends = part.match_indices(',').map(|(at, _)| at);
    let part = ends
        .find_map(|end| {
            let head = part.get(..end)?;
            let last = head.rsplit([' ', ',', '\u{a0}']).next()?;
            (last.len() < head.len() && is_year(last)).then_some(head)
        })
        .unwrap_or(part);
    let cut = part.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let Some((names, year)) = cut.rsplit_once([' ', ',', '\u{a0}']) else {
        return false;
    };
    if part.len() - cut.len() > 1 || !is_year(year) {
        return false;
    }
    let comma = names.trim_end().ends_with(',') || cut.ends_with(&format!(",{year}"));
    let names = names.trim_end_matches([',', ' ', '\u{a0}']);
    let mut parts = names.split([' ', '\u{a0}']).filter(|word| !word.is_empty());
    let has_name = parts.clone().any(is_name);
    let others = names.ends_with("et al.") || names.ends_with("et al");
    let only_names = parts.all(|word| {
        let bare = word.trim_end_matches([',', '.']);
        is_name(word) || words::is("with_names", bare) || is_initial(bare)
    });
    has_name && (others || only_names && (comma || names.contains(" and ") || names.contains('&')))
}

fn is_initial(word: &str) -> bool {
    word.len() == 1 && word.chars().all(char::is_uppercase)
}

/// A word that can be a family name: a capital, then letters; no month.
fn is_name(word: &str) -> bool {
    let word = word
        .trim_end_matches([',', '.', '\''])
        .trim_end_matches("'s");
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && word.chars().count() >= 2
        && letters.all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
        && !words::is("months", &word.to_lowercase())
}

/// "Name (2020)", "Name and Other (2020)", "Name et al. (2020)": what stands before the bracket is a name.
fn named_before(text: &str, at: usize) -> bool {
    let before = before(text, at).trim_end_matches([' ', '\u{a0}']);
    if before.ends_with("et al.") || before.ends_with("et al") {
        return true;
    }
    let mut words = before.rsplit([' ', '\u{a0}', '(', '[']);
    let word = words.next().unwrap_or("");
    is_name(word) && !word.ends_with(['.', ',', ':']) && word.chars().any(char::is_lowercase)
}

fn is_year(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    digits.len() == 4
        && text.len() - digits.len() <= 1
        && (digits.starts_with("19") || digits.starts_with("20"))
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The DOIs in a text.
fn dois(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.match_indices("10.").filter_map(|(start, _)| {
        if before(text, start).ends_with(|c: char| c.is_alphanumeric() || c == '.') {
            return None;
        }
        let rest = text.get(start..)?;
        let rest = before(rest, rest.floor_char_boundary(BRACKET.min(rest.len())));
        let mut words = rest.split(|c: char| c.is_whitespace() || "\"<>,;".contains(c));
        let word = words.next()?.trim_end_matches(['.', ')', ']']);
        Doi::parse(word).ok()?;
        Some(start..start + word.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> Vec<(String, Source)> {
        written(text, &Stretches::default(), true)
            .into_iter()
            .map(|mark| (text.get(mark.range).unwrap().to_owned(), mark.source))
            .collect()
    }

    #[test]
    fn marks_are_found_as_they_are_written() {
        let keys = |keys: &[&str]| Source::Keys(keys.iter().map(|key| (*key).to_owned()).collect());
        for (text, expected) in [
            ("known [3].", vec![("[3]", Source::Numbers(vec![3]))]),
            (
                "known [2, 5-7].",
                vec![("[2, 5-7]", Source::Numbers(vec![2, 5, 6, 7]))],
            ),
            (
                "known [2,5–6].",
                vec![("[2,5–6]", Source::Numbers(vec![2, 5, 6]))],
            ),
            (
                "so [@a; see @b:2, p. 3] it is",
                vec![("[@a; see @b:2, p. 3]", keys(&["a", "b:2"]))],
            ),
            ("@lee2020 found", vec![("@lee2020", keys(&["lee2020"]))]),
            (
                r"so \citep[see][]{a, b}.",
                vec![(r"\citep[see][]{a, b}", keys(&["a", "b"]))],
            ),
            (
                "(Lee et al., 2020)",
                vec![("(Lee et al., 2020)", Source::Names)],
            ),
            (
                "(Lee and Kim, 2020; Ho, 2019a)",
                vec![("(Lee and Kim, 2020; Ho, 2019a)", Source::Names)],
            ),
            (
                "(see Lee & Kim 2020)",
                vec![("(see Lee & Kim 2020)", Source::Names)],
            ),
            (
                "(Lee & Kim, 2020, Fig. 3)",
                vec![("(Lee & Kim, 2020, Fig. 3)", Source::Names)],
            ),
            ("Lee et al. (2020) found", vec![("(2020)", Source::Names)]),
            ("Lee (2020) found", vec![("(2020)", Source::Names)]),
            (
                "see 10.1145/3394486.3403088.",
                vec![("10.1145/3394486.3403088", Source::Identifier)],
            ),
            (
                "noted[^2].",
                vec![("[^2]", Source::Footnote(String::new()))],
            ),
        ] {
            let found = marks(text);
            let found: Vec<(&str, Source)> = found
                .iter()
                .map(|(text, source)| (text.as_str(), source.clone()))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_mark() {
        for text in [
            "95% CI [12, 18]",
            "in the range [1, 5]",
            "x[3] = 4",
            "[0.1, 0.3]",
            "(May 2020)",
            "in the survey (2020)",
            "(n = 20)",
            "mail a@b.org",
            "mAP@0.5",
            "[see below]",
            "10.5/3",
            "(version 2020)",
            "[2020]",
        ] {
            assert_eq!(marks(text), Vec::new(), "{text}");
        }
    }
}
