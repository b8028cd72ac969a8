//! Citation marks, which refer a reader to a source.
//!
//! | mark | example |
//! |---|---|
//! | keys | `\citep[see][]{a,b}`, `[@a; @b]`, `@a` |
//! | numbers | `[3]`, `[2, 5-7]` |
//! | names and year | `(Name et al., 2020)`, `Name (2020)` |
//! | identifiers | `arXiv:2401.00001`, a DOI, a link to another site |
//! | footnotes | with a source in their text, or with unknown text |

use std::ops::Range;

use aris_claims::stretches::Stretches;
use aris_contract::ids::{Doi, arxiv_mentions};

use super::passage::{before, from};
use crate::words;

/// What a mark refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Entries of a bibliography.
    Keys(Vec<String>),
    /// Entries of a numbered list.
    Numbers(Vec<u32>),
    /// Names and year.
    Names,
    /// A written identifier or address.
    Identifier,
    /// A link, with its address.
    Link(String),
    /// A footnote, with its text if that is known.
    Footnote(String),
}

impl Source {
    /// The keys that are not empty; `None` when all are.
    pub(super) fn of_keys<'k>(keys: impl Iterator<Item = &'k str>) -> Option<Self> {
        let keys = keys.filter(|key| !key.is_empty()).map(str::to_owned);
        let keys: Vec<String> = keys.collect();
        (!keys.is_empty()).then_some(Self::Keys(keys))
    }
}

/// One citation mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Byte range in the passage's text; empty for a footnote's number.
    pub range: Range<usize>,
    /// What the mark refers to.
    pub source: Source,
}

/// Longest bracket that can be a mark, in bytes: a list of twenty keys.
const BRACKET: usize = 500;
/// Most entries that one range of numbers may name; a longer range is not a citation.
const RANGE: u32 = 60;

/// Marks in the text outside `hidden`. With `keys`, `@key` is a mark, as in Markdown.
pub(crate) fn written(text: &str, hidden: &Stretches, keys: bool) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut skip = 0;
    for (at, _) in text.match_indices(['[', '(', '@', '\\']) {
        if at < skip || hidden.contains(at) {
            continue;
        }
        let mark = match text.as_bytes().get(at) {
            Some(b'[') => bracket(text, at, keys),
            Some(b'(') => parenthesis(text, at),
            Some(b'@') if keys => bare_key(text, at),
            Some(b'\\') if keys => command(text, at),
            _ => None,
        };
        if let Some((length, source)) = mark {
            skip = at + length;
            let range = at..skip;
            found.push(Mark { range, source });
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

/// Whether a text contains a source: a mark, an identifier, an address.
pub(crate) fn names_source(text: &str) -> bool {
    text.contains("://")
        || text.contains("www.")
        || !written(text, &Stretches::default(), true).is_empty()
        || bare_reference(text)
}

/// Whether a text looks like a reference: "Smith, J. Title. Journal, 2020."
fn bare_reference(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit()).any(is_year)
        && text.starts_with(char::is_uppercase)
        && text.contains(',')
}

/// The length of a mark in bytes, and what it refers to.
type Found = Option<(usize, Source)>;

/// The text from a byte on, up to the longest length of a mark.
fn near(text: &str, at: usize) -> &str {
    let rest = from(text, at);
    before(rest, rest.floor_char_boundary(BRACKET.min(rest.len())))
}

/// Reads `[3]`, `[2, 5-7]`, `[@key]` or `[^1]`.
fn bracket(text: &str, at: usize, keys: bool) -> Found {
    let (inside, _) = near(text, at + 1).split_once(']')?;
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
    Some((inside.len() + 2, source))
}

/// Whether the bracket is not a citation: "95% CI [12, 18]", "in the range [1, 5]", `x[3]`.
fn is_interval(text: &str, at: usize, numbers: &[u32]) -> bool {
    let before = before(text, at);
    let attached = last_word(before);
    if before.ends_with(['_', ')', '=', '∈']) {
        return true;
    }
    // In "as the model[3] shows" the number is a superscript citation; `x[3]` and `a1[3]` are indexed variables.
    if !attached.is_empty() {
        return numbers.len() != 1
            || attached.chars().count() == 1
            || attached.bytes().any(|byte| byte.is_ascii_digit());
    }
    let word = last_word(before.trim_end_matches([' ', ':', '=', '\u{a0}']));
    words::is("intervals", &word.to_ascii_lowercase()) || before.trim_end().ends_with(['=', '∈'])
}

/// The alphanumeric characters at the end of a text.
fn last_word(text: &str) -> &str {
    let mut words = text.rsplit(|c: char| !c.is_alphanumeric());
    words.next().unwrap_or("")
}

fn numbers(inside: &str) -> Option<Vec<u32>> {
    // At most three digits: longer lists of references are unusual, and years have four digits.
    let number = |text: &str| {
        let text = text.trim();
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        text.parse::<u32>()
            .ok()
            .filter(|_| is_number && text.len() <= 3)
    };
    let mut out = Vec::new();
    for part in inside.split([',', ';']) {
        let (from, to) = part.split_once(['-', '–', '—']).unwrap_or((part, part));
        let (from, to) = (number(from)?, number(to)?);
        if to < from || to - from > RANGE {
            return None;
        }
        out.extend(from..=to);
    }
    Some(out)
}

fn trimmed_key(key: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || "_:.-/+".contains(c);
    let end = key.find(|c| !is_part(c)).unwrap_or(key.len());
    before(key, end).trim_end_matches(['.', ':', '-', '/'])
}

/// Reads `@smith2020` in running text. In an e-mail address a letter comes before the `@`.
fn bare_key(text: &str, at: usize) -> Found {
    let before = before(text, at);
    let begins = before.is_empty() || before.ends_with([' ', '(', '\u{a0}', '-', '—', '–']);
    let key = trimmed_key(from(text, at + 1));
    (begins && key.starts_with(char::is_alphabetic))
        .then(|| (1 + key.len(), Source::Keys(vec![key.to_owned()])))
}

/// Reads `\citep[see][]{a,b}` in Markdown, which pandoc accepts.
fn command(text: &str, at: usize) -> Found {
    let (head, rest) = near(text, at + 1).split_once('{')?;
    let (keys, _) = rest.split_once('}')?;
    let name_end = head.find(|c: char| !c.is_ascii_alphabetic());
    let (name, options) = head.split_at(name_end.unwrap_or(head.len()));
    let takes_keys = options.is_empty() || options == "*" || options.ends_with(']');
    if !takes_keys || !name.to_ascii_lowercase().contains("cite") {
        return None;
    }
    let source = Source::of_keys(keys.split(',').map(str::trim))?;
    Some((head.len() + keys.len() + 3, source))
}

/// Reads `(Name et al., 2020; Other, 2019)`, or the year of `Name (2020)`.
fn parenthesis(text: &str, at: usize) -> Found {
    let (inside, _) = near(text, at + 1).split_once(')')?;
    let is_mark = if inside.split(',').all(|part| is_year(part.trim())) {
        named_before(text, at)
    } else {
        // Names may follow words such as "see" or "e.g.", so the last group decides.
        inside.rsplit(';').next().is_some_and(names_and_year)
    };
    is_mark.then_some((inside.len() + 2, Source::Names))
}

/// Whether the text is a citation by name and year: "see Name and Other, 2020a", "Name et al. 2020".
fn names_and_year(part: &str) -> bool {
    let part = part.trim();
    // The text after the year is a place in the work: "Name, 2020, Fig. 3".
    let ends = part.match_indices(',').map(|(at, _)| at);
    let names = ends.chain([part.len()]).find_map(|end| {
        let (names, year) = before(part, end).rsplit_once([' ', ',', '\u{a0}'])?;
        is_year(year).then_some(names)
    });
    let Some(names) = names else { return false };
    let comma = from(part, names.len()).starts_with(',') || names.trim_end().ends_with(',');
    let names = names.trim_end_matches([',', ' ', '\u{a0}']);
    let mut parts = names.split([' ', '\u{a0}']).filter(|word| !word.is_empty());
    let has_name = parts.clone().any(is_name);
    let is_initial = |word: &str| word.len() == 1 && word.starts_with(char::is_uppercase);
    let only_names = parts.all(|word| {
        let bare = word.trim_end_matches([',', '.']);
        is_name(word) || words::is("with_names", bare) || is_initial(bare)
    });
    let joined = comma || names.contains(" and ") || names.contains('&');
    has_name && (is_cut(names) || only_names && joined)
}

/// Whether a list of names ends with "et al.".
fn is_cut(names: &str) -> bool {
    names.ends_with("et al.") || names.ends_with("et al")
}

/// Whether a word can be a family name: a capital, then letters; not a month.
fn is_name(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', '\'']);
    let word = word.trim_end_matches("'s");
    let is_letter = |c: char| c.is_alphabetic() || matches!(c, '-' | '\'' | '’');
    word.starts_with(char::is_uppercase)
        && word.chars().count() >= 2
        && word.chars().all(is_letter)
        && !words::is("months", &word.to_lowercase())
}

/// Whether a name comes before the bracket: "Name (2020)", "Name and Other (2020)", "Name et al. (2020)".
fn named_before(text: &str, at: usize) -> bool {
    let before = before(text, at).trim_end_matches([' ', '\u{a0}']);
    let mut words = before.rsplit([' ', '\u{a0}', '(', '[']);
    let word = words.next().unwrap_or("");
    let ends = word.ends_with(['.', ',', ':']) || !word.contains(char::is_lowercase);
    is_cut(before) || is_name(word) && !ends
}

fn is_year(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    digits.len() == 4
        && text.len() - digits.len() <= 1
        && (digits.starts_with("19") || digits.starts_with("20"))
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Byte ranges of the DOIs in a text.
fn dois(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.match_indices("10.").filter_map(|(start, _)| {
        let goes_on = before(text, start).ends_with(|c: char| c.is_alphanumeric() || c == '.');
        let rest = near(text, start);
        let end = rest.find(|c: char| c.is_whitespace() || "\"<>,;".contains(c));
        let word = before(rest, end.unwrap_or(rest.len())).trim_end_matches(['.', ')', ']']);
        (!goes_on && Doi::parse(word).is_ok()).then(|| start..start + word.len())
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
