//! Digital object identifiers.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ArxivId;

/// Prefixes that may precede a DOI.
const RESOLVERS: [&str; 9] = [
    "https://doi.org/",
    "http://doi.org/",
    "https://dx.doi.org/",
    "http://dx.doi.org/",
    "https://www.doi.org/",
    "doi.org/",
    "dx.doi.org/",
    "doi:",
    "doi ",
];

/// The DOI of a work.
///
/// **Shape**: `10.` + registrant (four to nine digits, optional `.`-separated subdivisions) + `/` + a
/// suffix without white space or control characters. Kept as written; comparison and order
/// ignore ASCII case, as the DOI Handbook §2.4 requires.
///
/// **Source**: DOI Handbook §2.2, <https://www.doi.org/doi-handbook/HTML/doi-name-syntax.html>; the
/// digit bound is Crossref's, <https://www.crossref.org/blog/dois-and-matching-regular-expressions/>
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Doi {
    text: String,
    folded: String,
    slash: usize,
}

/// Why a text is not a DOI.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DoiError {
    /// The text does not begin with `10.`.
    #[error("`{0}` is not a DOI: expected 10.<registrant>/<suffix>")]
    Shape(String),
    /// The part between `10.` and the slash is not four to nine digits.
    #[error("DOI `{0}` has a malformed registrant: expected 10. and four to nine digits")]
    Registrant(String),
    /// There is no slash, or nothing after it.
    #[error("DOI `{0}` has no suffix after its prefix")]
    NoSuffix(String),
    /// The suffix contains white space or a control character.
    #[error("DOI `{0}` holds white space or a control character")]
    Space(String),
}

impl Doi {
    /// Parses a DOI, with or without `doi:` or the address of a resolver before it.
    ///
    /// Punctuation at the end that belongs to the sentence around it (`.`, `,`, `;`, an unmatched closing bracket) is removed.
    ///
    /// **Errors**: one variant of [`DoiError`] per broken rule.
    pub fn parse(text: &str) -> Result<Self, DoiError> {
        let mut rest = text.trim();
        let mut stripped = true;
        while stripped {
            stripped = false;
            for prefix in RESOLVERS {
                if let (Some(head), Some(tail)) =
                    (rest.get(..prefix.len()), rest.get(prefix.len()..))
                    && head.eq_ignore_ascii_case(prefix)
                {
                    rest = tail.trim_start();
                    stripped = true;
                }
            }
        }
        let rest = trim_end(rest);
        let Some(tail) = rest.strip_prefix("10.") else {
            return Err(DoiError::Shape(shorten(rest)));
        };
        let Some((registrant, suffix)) = tail.split_once('/') else {
            return Err(DoiError::NoSuffix(shorten(rest)));
        };
        let mut parts = registrant.split('.');
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let first = parts.next().unwrap_or_default();
        if !digits(first) || !(4..=9).contains(&first.len()) || !parts.all(digits) {
            return Err(DoiError::Registrant(shorten(rest)));
        }
        if suffix.is_empty() {
            return Err(DoiError::NoSuffix(shorten(rest)));
        }
        if suffix.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(DoiError::Space(shorten(rest)));
        }
        Ok(Self {
            text: rest.to_owned(),
            folded: rest.to_ascii_lowercase(),
            slash: "10.".len() + registrant.len(),
        })
    }

    /// The DOI as written, without resolver or `doi:`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The preprint of one of arXiv's DOIs (`10.48550/arXiv.2301.00001`), without version.
    pub fn arxiv(&self) -> Option<ArxivId> {
        let id = self.folded().strip_prefix("10.48550/arxiv.")?;
        ArxivId::parse(id).ok().map(|id| id.without_version())
    }

    /// The DOI in lower case: the form to compare and to index by.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The prefix, `10.1145`.
    pub fn prefix(&self) -> &str {
        self.text.get(..self.slash).unwrap_or_default()
    }

    /// The suffix: everything after the first slash.
    pub fn suffix(&self) -> &str {
        self.text.get(self.slash + 1..).unwrap_or_default()
    }
}

impl PartialEq for Doi {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for Doi {}

impl PartialOrd for Doi {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Doi {
    fn cmp(&self, other: &Self) -> Ordering {
        self.folded.cmp(&other.folded)
    }
}

impl fmt::Display for Doi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Doi {
    type Err = DoiError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Doi {
    type Error = DoiError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Doi> for String {
    fn from(doi: Doi) -> Self {
        doi.text
    }
}

/// Removes sentence punctuation and unmatched closing brackets at the end.
///
/// The bracket count is updated step by step, so that a text of only brackets takes linear time.
fn trim_end(text: &str) -> &str {
    let mut round = balance(text, '(', ')');
    let mut square = balance(text, '[', ']');
    let mut rest = text;
    while let Some(last) = rest.chars().next_back() {
        match last {
            '.' | ',' | ';' | ':' | '"' | '\'' | '}' => {}
            ')' if round < 0 => round += 1,
            ']' if square < 0 => square += 1,
            c if c.is_whitespace() => {}
            _ => break,
        }
        rest = rest.get(..rest.len() - last.len_utf8()).unwrap_or_default();
    }
    rest
}

fn balance(text: &str, open: char, close: char) -> i64 {
    text.chars().fold(0, |sum, c| {
        sum + i64::from(c == open) - i64::from(c == close)
    })
}

fn shorten(text: &str) -> String {
    const LIMIT: usize = 80;
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    text.chars().take(LIMIT).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_forms() {
        let cases = [
            ("10.1145/3394486.3403088", "10.1145", "3394486.3403088"),
            (
                "doi:10.1109/CVPR52729.2023.00373.",
                "10.1109",
                "CVPR52729.2023.00373",
            ),
            (
                "https://doi.org/10.1007/s10994-022-06288-4",
                "10.1007",
                "s10994-022-06288-4",
            ),
            (
                "HTTP://DX.DOI.ORG/10.1109/MSP.2004.81,",
                "10.1109",
                "MSP.2004.81",
            ),
            (
                "10.1016/S0140-6736(97)11096-0",
                "10.1016",
                "S0140-6736(97)11096-0",
            ),
            ("(10.1000/1)", "", ""),
            ("10.1000/a(b))", "10.1000", "a(b)"),
            ("10.1000.10/123456", "10.1000.10", "123456"),
            ("10.123456789/x", "10.123456789", "x"),
            ("10.1000/a[b]]", "10.1000", "a[b]"),
            ("10.1000/[b", "10.1000", "[b"),
            ("10.1000/a\u{a0}.", "10.1000", "a"),
            (
                "doi: https://doi.org/10.5555/3295222.3295349",
                "10.5555",
                "3295222.3295349",
            ),
            (
                "10.1002/(SICI)1097-0258(19980815)17:15/16<1661::AID-SIM968>3.0.CO;2-2",
                "10.1002",
                "(SICI)1097-0258(19980815)17:15/16<1661::AID-SIM968>3.0.CO;2-2",
            ),
        ];
        for (text, prefix, suffix) in cases {
            match Doi::parse(text) {
                Ok(doi) => {
                    assert_eq!((doi.prefix(), doi.suffix()), (prefix, suffix), "{text}");
                    assert_eq!(Doi::parse(doi.as_str()), Ok(doi), "{text}");
                }
                Err(error) => assert!(prefix.is_empty(), "{text}: {error}"),
            }
        }
    }

    #[test]
    fn refusals_name_the_rule() {
        type Check = fn(&DoiError) -> bool;
        let cases: [(&str, Check); 13] = [
            ("", |e| matches!(e, DoiError::Shape(_))),
            ("http://doi.acm.org/10.1145/1", |e| {
                matches!(e, DoiError::Shape(_))
            }),
            ("10.12/x", |e| matches!(e, DoiError::Registrant(_))),
            ("10.abcd/x", |e| matches!(e, DoiError::Registrant(_))),
            ("10.123/x", |e| matches!(e, DoiError::Registrant(_))),
            ("10.1234567890/x", |e| matches!(e, DoiError::Registrant(_))),
            ("10.12a4/x", |e| matches!(e, DoiError::Registrant(_))),
            ("10.1234./x", |e| matches!(e, DoiError::Registrant(_))),
            ("10.1234.a/x", |e| matches!(e, DoiError::Registrant(_))),
            ("10.1145/a\u{7}b", |e| matches!(e, DoiError::Space(_))),
            ("10.1145", |e| matches!(e, DoiError::NoSuffix(_))),
            ("10.1145/", |e| matches!(e, DoiError::NoSuffix(_))),
            ("10.1145/a b", |e| matches!(e, DoiError::Space(_))),
        ];
        for (text, wanted) in cases {
            let error = Doi::parse(text).expect_err(text);
            assert!(wanted(&error), "{text}: {error}");
        }
    }

    #[test]
    fn case_does_not_matter() {
        let (one, two) = (
            Doi::parse("10.1609/AAAI.V36I1.1"),
            Doi::parse("10.1609/aaai.v36i1.1"),
        );
        assert_eq!(one, two);
        assert_eq!(one.unwrap().as_str(), "10.1609/AAAI.V36I1.1");
        let mut order: Vec<Doi> = ["10.1609/B", "10.1609/a"]
            .into_iter()
            .map(|text| text.parse().expect("a DOI"))
            .collect();
        order.sort();
        let shown: Vec<String> = order.iter().map(Doi::to_string).collect();
        assert_eq!(shown, ["10.1609/a", "10.1609/B"]);
        assert!(order[0] != order[1]);
    }

    #[test]
    fn a_doi_of_arxiv_names_its_preprint_without_version() {
        let preprint = |text: &str| Doi::parse(text).expect(text).arxiv();
        let named = preprint("10.48550/arXiv.2301.00001v2").expect("a preprint");
        assert_eq!(named.to_string(), "2301.00001");
        assert_eq!(preprint("10.1145/2301.00001"), None);
        assert_eq!(preprint("10.48550/arXiv.other"), None);
    }

    #[test]
    fn a_long_text_is_cut_in_the_message() {
        let shown = |text: &str| Doi::parse(text).expect_err(text).to_string();
        assert!(shown(&"ä".repeat(80)).contains(&format!("`{}`", "ä".repeat(80))));
        assert!(shown(&"ä".repeat(81)).contains(&format!("`{}…`", "ä".repeat(80))));
    }

    #[test]
    fn json_is_a_string() {
        let doi: Doi = serde_json::from_str("\"doi:10.1145/X\"").expect("a DOI");
        assert_eq!(serde_json::to_string(&doi).expect("JSON"), "\"10.1145/X\"");
        assert!(serde_json::from_str::<Doi>("\"x\"").is_err());
    }
}
