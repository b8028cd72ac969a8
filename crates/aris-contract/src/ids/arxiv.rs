//! arXiv identifiers, old and new.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The archives that existed under the old scheme.
///
/// **Source**: <https://info.arxiv.org/help/arxiv_identifier.html> and the archive list at
/// <https://arxiv.org/archive/>, with the archives closed before 2007.
const ARCHIVES: [&str; 36] = [
    "acc-phys", "adap-org", "alg-geom", "ao-sci", "astro-ph", "atom-ph", "bayes-an", "chao-dyn",
    "chem-ph", "cmp-lg", "comp-gas", "cond-mat", "cs", "dg-ga", "econ", "eess", "funct-an",
    "gr-qc", "hep-ex", "hep-lat", "hep-ph", "hep-th", "math", "math-ph", "mtrl-th", "nlin",
    "nucl-ex", "nucl-th", "patt-sol", "physics", "plasm-ph", "q-alg", "q-bio", "quant-ph",
    "solv-int", "supr-con",
];

/// Prefixes that announce an arXiv identifier.
pub(super) const PREFIXES: [&str; 12] = [
    "arxiv.org/abs/",
    "arxiv.org/pdf/",
    "arxiv.org/html/",
    "arxiv.org/format/",
    "arxiv.org/e-print/",
    "arxiv.org/src/",
    "arxiv.org/ps/",
    "10.48550/arxiv.",
    "10.48550/arxiv:",
    "arxiv: ",
    "arxiv:",
    "arxiv/",
];

/// An arXiv paper, with a version if one was given.
///
/// **Shape**: the canonical text has no `arXiv:` prefix and, for the old scheme, no subject class
/// (`math.GT/0309136` is `math/0309136`). New identifiers have four digits after the dot from 0704
/// to 1412 and five from 1501 on; the running number starts at 1.
///
/// **Source**: <https://info.arxiv.org/help/arxiv_identifier.html>
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ArxivId {
    id: String,
    year: u16,
    month: u8,
    version: Option<u32>,
}

/// Why a text is not an arXiv identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArxivIdError {
    /// The text does not look like an identifier.
    #[error("`{0}` is not an arXiv identifier: expected YYMM.NNNNN or archive/YYMMNNN")]
    Shape(String),
    /// The month is not 01 to 12.
    #[error("arXiv identifier `{id}` names month {month:02}; months are 01 to 12")]
    Month {
        /// The identifier as written.
        id: String,
        /// The number in place of the month.
        month: u8,
    },
    /// The year and month are outside of the period in which this scheme was used.
    #[error("arXiv identifier `{id}` cannot exist: {why}")]
    Period {
        /// The identifier as written.
        id: String,
        /// The rule of the scheme that it breaks.
        why: &'static str,
    },
    /// The archive before the slash never existed.
    #[error("arXiv identifier `{id}` names the archive `{archive}`, which does not exist")]
    Archive {
        /// The identifier as written.
        id: String,
        /// The archive as written.
        archive: String,
    },
}

impl ArxivIdError {
    /// Whether the text looks like an identifier but cannot be one.
    pub fn is_impossible(&self) -> bool {
        !matches!(self, Self::Shape(_))
    }
}

impl ArxivId {
    /// Parses an identifier, with or without `arXiv:`, an abs/pdf URL, or arXiv's DOI.
    ///
    /// **Errors**: [`ArxivIdError::Shape`] for text that does not look like an identifier, the other variants for identifiers
    /// that cannot exist.
    pub fn parse(text: &str) -> Result<Self, ArxivIdError> {
        let trimmed = text.trim();
        let shape = || ArxivIdError::Shape(shorten(trimmed));
        let body = strip_prefix(trimmed);
        let body = body.split(['?', '#']).next().unwrap_or(body);
        let body = body.strip_suffix(".pdf").unwrap_or(body);
        let body = strip_class(body).trim_end_matches('/');
        parse_body(body).unwrap_or_else(|| Err(shape()))
    }

    /// The identifier without its version.
    pub fn as_str(&self) -> &str {
        &self.id
    }

    /// The version, if one was given; counted from 1.
    pub fn version(&self) -> Option<u32> {
        self.version
    }

    /// The same paper without a version.
    #[must_use]
    pub fn without_version(&self) -> Self {
        Self {
            version: None,
            ..self.clone()
        }
    }

    /// Year (four digits) and month (1–12) in which the identifier was assigned.
    pub fn year_month(&self) -> (u16, u8) {
        (self.year, self.month)
    }
}

impl fmt::Display for ArxivId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some(version) => write!(f, "{}v{version}", self.id),
            None => f.write_str(&self.id),
        }
    }
}

impl FromStr for ArxivId {
    type Err = ArxivIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TryFrom<String> for ArxivId {
    type Error = ArxivIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<ArxivId> for String {
    fn from(id: ArxivId) -> Self {
        id.to_string()
    }
}

/// Removes scheme, host, `arXiv:` and arXiv's DOI prefix, each at most once.
fn strip_prefix(text: &str) -> &str {
    let mut rest = text;
    for scheme in ["https://", "http://"] {
        rest = strip_ignore_case(rest, scheme);
    }
    for host in ["doi.org/", "dx.doi.org/", "www.", "export.", "browse."] {
        rest = strip_ignore_case(rest, host);
    }
    for prefix in PREFIXES {
        let stripped = strip_ignore_case(rest, prefix);
        if stripped.len() != rest.len() {
            return stripped.trim_start();
        }
    }
    rest
}

fn strip_ignore_case<'a>(text: &'a str, prefix: &str) -> &'a str {
    match (text.get(..prefix.len()), text.get(prefix.len()..)) {
        (Some(head), Some(tail)) if head.eq_ignore_ascii_case(prefix) => tail,
        _ => text,
    }
}

/// Removes a trailing subject class: `1810.04805 [cs.CL]`.
fn strip_class(text: &str) -> &str {
    match text.split_once('[') {
        Some((head, tail)) if tail.ends_with(']') => head.trim_end(),
        _ => text,
    }
}

/// Length in bytes of the run of characters that may occur in an identifier.
pub(super) fn candidate_end(text: &str) -> usize {
    text.bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'-')))
        .unwrap_or(text.len())
}

/// Parses the bare identifier; `None` when it does not look like one.
pub(super) fn parse_body(body: &str) -> Option<Result<ArxivId, ArxivIdError>> {
    let (bare, version) = split_version(body);
    match bare.split_once('/') {
        Some((archive, number)) => parse_old(bare, archive, number, version),
        None => parse_new(bare, version),
    }
}

/// Splits `…v12` into the identifier and 12; `v0` does not count as a version.
fn split_version(body: &str) -> (&str, Option<u32>) {
    let digits = body.bytes().rev().take_while(u8::is_ascii_digit).count();
    let head = body.len() - digits;
    match (body.get(..head), body.get(head..)) {
        (Some(front), Some(number)) => {
            let Some(bare) = front.strip_suffix(['v', 'V']) else {
                return (body, None);
            };
            match number.parse() {
                Ok(version) if version > 0 => (bare, Some(version)),
                _ => (body, None),
            }
        }
        _ => (body, None),
    }
}

fn parse_new(bare: &str, version: Option<u32>) -> Option<Result<ArxivId, ArxivIdError>> {
    let (date, number) = bare.split_once('.')?;
    if date.len() != 4 || !(4..=5).contains(&number.len()) {
        return None;
    }
    let (yy, month) = year_month(date)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let id = bare.to_owned();
    if !(1..=12).contains(&month) {
        return Some(Err(ArxivIdError::Month { id, month }));
    }
    let period = |why| {
        Some(Err(ArxivIdError::Period {
            id: id.clone(),
            why,
        }))
    };
    if yy < 7 || (yy == 7 && month < 4) || yy > 90 {
        return period("identifiers of this shape begin with 0704");
    }
    if yy >= 15 && number.len() == 4 {
        return period("from 1501 on there are five digits after the point");
    }
    if yy < 15 && number.len() == 5 {
        return period("before 1501 there are four digits after the point");
    }
    if number.bytes().all(|byte| byte == b'0') {
        return period("running numbers start at 1");
    }
    Some(Ok(ArxivId {
        id,
        year: 2000 + u16::from(yy),
        month,
        version,
    }))
}

fn parse_old(
    bare: &str,
    archive: &str,
    number: &str,
    version: Option<u32>,
) -> Option<Result<ArxivId, ArxivIdError>> {
    let (archive, class) = archive.split_once('.').unwrap_or((archive, ""));
    let archive = archive.to_ascii_lowercase();
    let letters = |text: &str| text.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
    if number.len() != 7 || archive.is_empty() || !letters(&archive) || !letters(class) {
        return None;
    }
    let (yy, month) = year_month(number.get(..4)?)?;
    let running = number.get(4..)?;
    if !running.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let written = bare.to_owned();
    if !ARCHIVES.contains(&archive.as_str()) {
        return Some(Err(ArxivIdError::Archive {
            id: written,
            archive,
        }));
    }
    if !(1..=12).contains(&month) {
        return Some(Err(ArxivIdError::Month { id: written, month }));
    }
    let year = if yy >= 91 {
        1900 + u16::from(yy)
    } else {
        2000 + u16::from(yy)
    };
    let period = |why| {
        Some(Err(ArxivIdError::Period {
            id: written.clone(),
            why,
        }))
    };
    if year > 2007 || (year == 2007 && month > 3) {
        return period("identifiers with an archive end with 0703");
    }
    if running == "000" {
        return period("running numbers start at 1");
    }
    Some(Ok(ArxivId {
        id: format!("{archive}/{number}"),
        year,
        month,
        version,
    }))
}

fn year_month(four: &str) -> Option<(u8, u8)> {
    if !four.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((four.get(..2)?.parse().ok()?, four.get(2..)?.parse().ok()?))
}

/// Shortens a text for error messages, at a character boundary.
pub(super) fn shorten(text: &str) -> String {
    const LIMIT: usize = 60;
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    text.chars().take(LIMIT).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_forms_are_canonical() {
        let cases = [
            ("0704.0001", "0704.0001", (2007, 4)),
            ("1412.9999", "1412.9999", (2014, 12)),
            ("1501.00001v3", "1501.00001v3", (2015, 1)),
            ("arXiv:2401.12345", "2401.12345", (2024, 1)),
            ("ARXIV: 2401.12345v2", "2401.12345v2", (2024, 1)),
            ("https://arxiv.org/abs/1706.03762", "1706.03762", (2017, 6)),
            (
                "http://export.arxiv.org/pdf/1706.03762v5.pdf",
                "1706.03762v5",
                (2017, 6),
            ),
            ("arxiv.org/pdf/hep-th/9901001", "hep-th/9901001", (1999, 1)),
            ("math.GT/0309136", "math/0309136", (2003, 9)),
            ("cs/0601001v1", "cs/0601001v1", (2006, 1)),
            ("hep-th/9108001", "hep-th/9108001", (1991, 8)),
            ("hep-th/0703001", "hep-th/0703001", (2007, 3)),
            ("9012.00001", "9012.00001", (2090, 12)),
            ("10.48550/arXiv.2310.01362", "2310.01362", (2023, 10)),
            (
                "https://doi.org/10.48550/arXiv.2310.01362",
                "2310.01362",
                (2023, 10),
            ),
            ("1810.04805 [cs.CL]", "1810.04805", (2018, 10)),
            (
                "https://arxiv.org/abs/1706.03762?context=cs",
                "1706.03762",
                (2017, 6),
            ),
        ];
        for (text, canonical, when) in cases {
            let id = ArxivId::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(id.to_string(), canonical, "{text}");
            assert_eq!(id.year_month(), when, "{text}");
            assert_eq!(ArxivId::parse(&id.to_string()).as_ref(), Ok(&id), "{text}");
        }
    }

    #[test]
    fn impossible_is_told_from_unlike() {
        for text in [
            "2413.00001",
            "9999.99999",
            "2400.12345",
            "0703.0001",
            "1501.0001",
            "1412.00001",
            "2401.00000",
            "hep-th/0704001",
            "foo/9901001",
            "hep-th/9913001",
            "9201.0001",
            "9101.00001",
            "9201.00001",
            "0612.0001",
            "2400.0001",
            "0801.0000",
            "hep-th/0801001",
            "hep-th/9001001",
            "hep-th/9900001",
            "math/0309000",
        ] {
            let error = ArxivId::parse(text).expect_err(text);
            assert!(error.is_impossible(), "{text}: {error}");
        }
        for text in [
            "",
            "2401",
            "2401.1",
            "2401.123456",
            "arXiv:",
            "path/1234567x",
            "10.1145/3394486",
            "https://arxiv.org/list/cs.CL",
            "12.34567",
            "２４０１.12345",
            "2401.12345 and more",
            "1501.00001v0",
            "1810.04805 [cs.CL",
            "(1810.04805)",
            "1501.00001v",
            "0704.01v0",
            "2401.1234x",
            "2401/12345",
            "a1/9901001",
            "math.G1/0309136",
            "/9901001",
            "math/99010011",
            "math/990100",
            "math/9901x01",
            "math/x901001",
        ] {
            let error = ArxivId::parse(text).expect_err(text);
            assert!(!error.is_impossible(), "{text}: {error}");
        }
    }

    #[test]
    fn a_version_is_told_and_can_be_left_out() {
        let id: ArxivId = "1706.03762v12".parse().expect("an identifier");
        assert_eq!((id.as_str(), id.version()), ("1706.03762", Some(12)));
        let bare = id.without_version();
        assert_eq!(
            (bare.to_string().as_str(), bare.version()),
            ("1706.03762", None)
        );
    }

    #[test]
    fn a_long_text_is_cut_in_the_message() {
        let shown = |text: &str| ArxivId::parse(text).expect_err(text).to_string();
        assert!(shown(&"ä".repeat(60)).contains(&format!("`{}`", "ä".repeat(60))));
        assert!(shown(&"ä".repeat(61)).contains(&format!("`{}…`", "ä".repeat(60))));
    }

    #[test]
    fn json_is_a_string() {
        let id: ArxivId = serde_json::from_str("\"arXiv:1706.03762v2\"").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"1706.03762v2\"");
        assert!(serde_json::from_str::<ArxivId>("\"x\"").is_err());
    }
}
