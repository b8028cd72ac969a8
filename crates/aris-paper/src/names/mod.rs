//! Author lists and names as BibTeX parses them, and the comparison of two names.
//!
//! **Source**: O. Patashnik, *Designing BibTeX Styles* (btxhak) §4; N. Markey, `ttb` §11. The three
//! forms are `First von Last`, `von Last, First` and `von Last, Jr, First`; a word is part of *von* when its first
//! letter outside braces is lower case.

mod compare;

use std::ops::Range;

pub use compare::{NameMatch, compare};

use crate::latex::to_text;

/// An author or editor list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameList {
    /// Names in order, without empty ones (`A and and B`).
    pub names: Vec<Name>,
    /// Whether the list ends with `and others`.
    pub others: bool,
}

/// One name, its parts as plain text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name {
    /// Given names or initials.
    pub first: String,
    /// Particle: `van der`.
    pub von: String,
    /// Family name, or the complete name of an institution.
    pub last: String,
    /// Suffix: `Jr.`, `III`.
    pub jr: String,
    /// Whether the whole name is in braces: an institution or a project.
    pub corporate: bool,
    /// Whether it is not one name in one of the three forms: too many commas, no suffix between two commas, or names joined by
    /// `&` or `;`. Its parts are those that BibTeX finds; do not draw conclusions from them.
    pub malformed: bool,
}

/// Splits a list at each `and` outside braces. Needs the raw field value, because braces matter.
pub fn parse_list(raw: &str) -> NameList {
    let mut list = NameList::default();
    for part in split_and(raw) {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        if part.eq_ignore_ascii_case("others") {
            list.others = true;
        } else {
            list.names.push(parse(part));
        }
    }
    list
}

/// Parses one name of a list.
pub fn parse(raw: &str) -> Name {
    let raw = raw.trim();
    if let Some(inner) = whole_group(raw) {
        return Name {
            last: to_text(inner),
            corporate: true,
            ..Name::default()
        };
    }
    let joined = words(raw).iter().any(|word| matches!(*word, "&" | "\\&"))
        || ranges_top(raw, |c| c == ';').len() > 1;
    let mut parts = split_top(raw, |c| c == ',');
    // A trailing comma (`Smith, `) does not begin a part.
    while parts.len() > 1 && parts.last().is_some_and(|part| part.trim().is_empty()) {
        parts.pop();
    }
    let name = match parts.as_slice() {
        [] => Name::default(),
        [all] => first_von_last(&words(all)),
        // No given name looks like this: it is the suffix of a name in reading order.
        [all, jr] if suffix(jr).is_some_and(|at| at < 4) => Name {
            jr: to_text(jr),
            ..first_von_last(&words(all))
        },
        [family, given] => von_last(&words(family), "", given),
        [family, jr, given, ..] => von_last(&words(family), jr, given),
    };
    let listed = match parts.as_slice() {
        [_, jr, _] => suffix(jr).is_none() && !jr.trim().is_empty(),
        parts => parts.len() > 3,
    };
    Name {
        malformed: joined || listed,
        ..name
    }
}

/// Suffixes. The first four cannot be initials of given names.
const SUFFIXES: [&str; 10] = ["jr", "sr", "iii", "ii", "iv", "v", "vi", "phd", "md", "esq"];

fn suffix(text: &str) -> Option<usize> {
    let plain: String = to_text(text)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect();
    SUFFIXES
        .iter()
        .position(|known| plain.eq_ignore_ascii_case(known))
}

impl Name {
    /// Particle and family name together.
    pub fn family(&self) -> String {
        join(&[&self.von, &self.last])
    }

    /// The name in reading order.
    pub fn display(&self) -> String {
        join(&[&self.first, &self.von, &self.last, &self.jr])
    }

    /// The name in reading order, in the form that [`parse`] reads as the same name: an institution of several words gets
    /// braces.
    pub fn listed(&self) -> String {
        if self.corporate && self.last.contains(' ') {
            format!("{{{}}}", self.last)
        } else {
            self.display()
        }
    }

    /// First letters of the given names, folded: `Jean-Pierre`, `J.-P.` and `JP` all give `j`, `p`.
    pub fn initials(&self) -> Vec<char> {
        compare::given_words(&self.first)
            .iter()
            .filter_map(|word| word.chars().next())
            .collect()
    }
}

fn first_von_last(words: &[&str]) -> Name {
    let Some((last, before)) = words.split_last() else {
        return Name::default();
    };
    let von_start = before.iter().position(|word| is_lower(word));
    let von_end = before
        .iter()
        .rposition(|word| is_lower(word))
        .map_or(0, |index| index + 1);
    let (first, von, rest) = match von_start {
        Some(start) => (
            before.get(..start),
            before.get(start..von_end),
            before.get(von_end..),
        ),
        None => (Some(before), None, None),
    };
    Name {
        first: text(first.unwrap_or_default()),
        von: text(von.unwrap_or_default()),
        last: join(&[&text(rest.unwrap_or_default()), &to_text(last)]),
        ..Name::default()
    }
}

fn von_last(words: &[&str], jr: &str, given: &str) -> Name {
    let before = words.len().saturating_sub(1);
    let von_end = words
        .iter()
        .take(before)
        .rposition(|word| is_lower(word))
        .map_or(0, |index| index + 1);
    Name {
        first: to_text(given),
        von: text(words.get(..von_end).unwrap_or_default()),
        last: text(words.get(von_end..).unwrap_or_default()),
        jr: to_text(jr),
        ..Name::default()
    }
}

fn text(words: &[&str]) -> String {
    to_text(&words.join(" "))
}

fn join(parts: &[&str]) -> String {
    let parts = parts.iter().copied().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

/// The words of a part, split at blanks and `~` outside braces.
fn words(part: &str) -> Vec<&str> {
    split_top(part, |c| c.is_whitespace() || c == '~')
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect()
}

/// Splits at the accepted characters outside braces.
pub fn split_top(text: &str, accept: impl Fn(char) -> bool) -> Vec<&str> {
    ranges_top(text, accept)
        .into_iter()
        .map(|range| text.get(range).unwrap_or_default())
        .collect()
}

/// The byte ranges of the parts that [`split_top`] returns.
fn ranges_top(text: &str, accept: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (offset, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            c if depth == 0 && accept(c) => {
                parts.push(start..offset);
                start = offset + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(start..text.len());
    parts
}

/// Splits at the word `and` outside braces, in any case.
pub fn split_and(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for range in ranges_top(text, char::is_whitespace) {
        if text
            .get(range.clone())
            .is_some_and(|word| word.eq_ignore_ascii_case("and"))
        {
            parts.push(text.get(start..range.start).unwrap_or_default());
            start = range.end;
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

/// The inside of a name that is one brace group. `{\'E}` is a letter, not a group.
fn whole_group(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    if inner.starts_with('\\') {
        return None;
    }
    let mut depth = 0_i64;
    for byte in inner.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth == 0).then_some(inner)
}

/// Whether the first letter outside braces is lower case. `{\'e}` counts as its letter; `{de}` is skipped.
fn is_lower(word: &str) -> bool {
    let mut depth = 0_usize;
    let mut characters = word.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        match character {
            '{' => {
                let special =
                    depth == 0 && characters.peek().is_some_and(|(_, next)| *next == '\\');
                if special {
                    let rest = word.get(offset..).unwrap_or_default();
                    let end = rest.find('}').map_or(rest.len(), |end| end + 1);
                    let letter = to_text(rest.get(..end).unwrap_or_default());
                    return letter
                        .chars()
                        .find(|c| c.is_alphabetic())
                        .is_some_and(char::is_lowercase);
                }
                depth += 1;
            }
            '}' => depth = depth.saturating_sub(1),
            c if depth == 0 && c.is_alphabetic() => return c.is_lowercase(),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let cases = [
            ("Donald E. Knuth", ("Donald E.", "", "Knuth", "")),
            ("Knuth, Donald E.", ("Donald E.", "", "Knuth", "")),
            ("Ludwig van Beethoven", ("Ludwig", "van", "Beethoven", "")),
            (
                "van der Maaten, Laurens",
                ("Laurens", "van der", "Maaten", ""),
            ),
            (
                "Laurens van der Maaten",
                ("Laurens", "van der", "Maaten", ""),
            ),
            ("Reagle, Jr., Joseph M.", ("Joseph M.", "", "Reagle", "Jr.")),
            (
                "Charles Louis Xavier Joseph de la Vall{\\'e}e Poussin",
                ("Charles Louis Xavier Joseph", "de la", "Vallée Poussin", ""),
            ),
            (
                "{W.M.P. van der} Aalst",
                ("W.M.P. van der", "", "Aalst", ""),
            ),
            ("Bart De Win", ("Bart De", "", "Win", "")),
            ("{\\'E}mile Zola", ("Émile", "", "Zola", "")),
            ("jean {\\'e}tienne Doe", ("", "jean étienne", "Doe", "")),
            ("Aristotle", ("", "", "Aristotle", "")),
            ("Smith,", ("", "", "Smith", "")),
            ("R{\\'o}bert~K. Szab{\\'o}", ("Róbert K.", "", "Szabó", "")),
            ("王 小明", ("王", "", "小明", "")),
        ];
        for (raw, (first, von, last, jr)) in cases {
            let name = parse(raw);
            assert_eq!(
                (&*name.first, &*name.von, &*name.last, &*name.jr),
                (first, von, last, jr),
                "{raw}"
            );
            assert!(!name.corporate && !name.malformed, "{raw}");
        }
        for list in [
            "a, b, c, d",
            "LeCun, Y., Bengio, Y.",
            "A. One, B. Two, C. Three",
            "A. One & B. Two",
            "A. One \\& B. Two",
            "One, A.; Two, B.",
        ] {
            assert!(parse(list).malformed, "{list}");
        }
        let name = parse("John van Smith, Jr.");
        assert_eq!(
            (&*name.first, &*name.family(), &*name.jr),
            ("John", "van Smith", "Jr.")
        );
        assert_eq!(parse("Smith, V.").first, "V.");
        assert!(parse("{The CGAL Project}").corporate);
        assert_eq!(parse("{{OpenAI}}").last, "OpenAI");
        assert!(!parse("{A} and {B}").corporate);
    }

    #[test]
    fn lists() {
        let list = parse_list("A. One and {Barnes and Noble} AND Two, B. and others");
        let shown: Vec<String> = list.names.iter().map(Name::display).collect();
        assert_eq!(shown, ["A. One", "Barnes and Noble", "B. Two"]);
        assert!(list.others);
        assert_eq!(parse_list("").names.len(), 0);
        assert_eq!(parse_list("A Sandy and  and B Anderson").names.len(), 2);
        assert_eq!(parse_list("A and\n\tB\nand C").names.len(), 3);
    }
}
