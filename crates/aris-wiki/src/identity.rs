//! Decides which descriptions are of the same paper.
//!
//! Papers are matched by DOI, by arXiv identifier without version, then by title with authors and year. A preprint and its published
//! form are one paper with both identifiers. Identifiers are compared as a whole: `2501.1234` is not `2501.12345`.

use std::collections::BTreeMap;

use aris_contract::ids::{ArxivId, Doi};
use aris_paper::names::{self, NameMatch};
use aris_paper::titles;

/// Largest difference in years between two descriptions of one paper: a preprint, its conference, its journal.
const YEARS: u32 = 2;

/// Shortest distinctive title, in characters. Only with such a title may years differ or authors be unknown; "Introduction" is the title
/// of many papers.
const TITLE: usize = 15;

/// Field of a page with other identifiers of the same paper (`arxiv:ID`, `doi:DOI`), from pages that were merged into it.
pub const ALIASES: &str = "aliases";

/// The author's name without the braces that mark an institution, as in BibTeX.
pub fn plain_name(author: &str) -> &str {
    let inner = author.strip_prefix('{');
    let inner = inner.and_then(|inner| inner.strip_suffix('}'));
    inner.unwrap_or(author)
}

/// The data by which a paper is recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// arXiv identifier, canonical and without version; text that is not an identifier is only lower-cased.
    pub arxiv: Option<String>,
    /// DOI in lower case; never arXiv's own, which is in `arxiv`.
    pub doi: Option<String>,
    /// [`titles::key`] of the title.
    pub title: String,
    /// The first author as written.
    pub author: String,
    /// Year; 0 when unknown.
    pub year: u32,
}

impl Identity {
    /// The identity of a paper with this description. An arXiv DOI is stored as the arXiv identifier.
    pub fn new(
        arxiv: Option<&str>,
        doi: Option<&str>,
        title: &str,
        author: &str,
        year: u32,
    ) -> Self {
        let mut identity = Self {
            arxiv: arxiv.and_then(arxiv_key),
            doi: None,
            title: titles::key(title),
            author: plain_name(author).to_owned(),
            year,
        };
        if let Some(text) = doi.map(str::trim).filter(|text| !text.is_empty()) {
            match Doi::parse(text) {
                Ok(doi) => match doi.arxiv() {
                    Some(id) => identity.arxiv = identity.arxiv.or(Some(id.as_str().to_owned())),
                    None => identity.doi = Some(doi.folded().to_owned()),
                },
                Err(_) => identity.doi = Some(text.to_lowercase()),
            }
        }
        identity
    }

    /// Whether two descriptions without a common identifier may be of one paper. Never when they have different identifiers of the
    /// same kind.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let apart = |one: &Option<String>, two: &Option<String>| matches!((one, two), (Some(one), Some(two)) if one != two);
        if self.title.is_empty()
            || self.title != other.title
            || apart(&self.arxiv, &other.arxiv)
            || apart(&self.doi, &other.doi)
        {
            return false;
        }
        if self == other {
            // The same description given twice.
            return true;
        }
        let telling = self.title.chars().count() >= TITLE;
        let years = match (self.year, other.year) {
            // Neither has a year, as in an incomplete bibliography entry that is given again.
            (0, 0) => telling || !self.author.is_empty() && !other.author.is_empty(),
            (0, _) | (_, 0) => telling,
            (one, two) => one.abs_diff(two) <= if telling { YEARS } else { 0 },
        };
        let authors = if self.author.is_empty() || other.author.is_empty() {
            telling
        } else {
            match names::compare(&names::parse(&self.author), &names::parse(&other.author)) {
                NameMatch::Different => false,
                NameMatch::OtherGiven => telling,
                _ => true,
            }
        };
        years && authors
    }
}

/// An arXiv identifier in the form in which identifiers are compared; `None` for an empty text.
pub fn arxiv_key(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(ArxivId::parse(text).map_or_else(|_| text.to_lowercase(), |id| id.as_str().to_owned()))
}

/// The known papers, found by identity. `P` locates a paper, for instance an index into a list.
#[derive(Clone, Debug, Default)]
pub struct Known<P> {
    arxiv: BTreeMap<String, P>,
    doi: BTreeMap<String, P>,
    title: BTreeMap<String, Vec<(Identity, P)>>,
}

impl<P: Clone> Known<P> {
    /// Adds a paper. If several have the same identifier, the first is found.
    pub fn add(&mut self, identity: &Identity, place: P) {
        if let Some(arxiv) = &identity.arxiv {
            self.arxiv
                .entry(arxiv.clone())
                .or_insert_with(|| place.clone());
        }
        if let Some(doi) = &identity.doi {
            self.doi.entry(doi.clone()).or_insert_with(|| place.clone());
        }
        if !identity.title.is_empty() {
            let same = self.title.entry(identity.title.clone()).or_default();
            same.push((identity.clone(), place));
        }
    }

    /// The paper with this identity.
    pub fn find(&self, identity: &Identity) -> Option<&P> {
        let by_doi = identity.doi.as_ref().and_then(|doi| self.doi.get(doi));
        let by_arxiv = identity.arxiv.as_ref().and_then(|id| self.arxiv.get(id));
        if let Some(place) = by_doi.or(by_arxiv) {
            return Some(place);
        }
        let same = self.title.get(&identity.title)?;
        same.iter()
            .find(|(other, _)| identity.may_be(other))
            .map(|(_, place)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known<u8> {
        let mut known = Known::default();
        known.add(
            &Identity::new(
                Some("arXiv:2501.12345v2"),
                None,
                "Large Models Learn Things",
                "Ann Lee",
                2025,
            ),
            1,
        );
        known.add(
            &Identity::new(
                None,
                Some("https://doi.org/10.1234/ABC"),
                "Introduction",
                "Bo Cy",
                2020,
            ),
            2,
        );
        known
    }

    #[test]
    fn papers_are_found_by_any_of_their_names() {
        let known = known();
        let find = |arxiv, doi, title, author, year| {
            known
                .find(&Identity::new(arxiv, doi, title, author, year))
                .copied()
        };
        assert_eq!(find(Some("2501.12345"), None, "", "", 0), Some(1));
        assert_eq!(
            find(None, Some("10.48550/arXiv.2501.12345"), "", "", 0),
            Some(1)
        );
        assert_eq!(find(None, Some("10.1234/abc"), "", "", 0), Some(2));
        assert_eq!(
            find(
                None,
                Some("10.2345/x"),
                "Large models learn things!",
                "A. Lee",
                2026
            ),
            Some(1)
        );
        assert_eq!(find(None, None, "Introduction", "Bo Cy", 2020), Some(2));
    }

    #[test]
    fn papers_that_only_look_alike_are_two() {
        let known = known();
        let find = |arxiv, doi, title, author, year| {
            known
                .find(&Identity::new(arxiv, doi, title, author, year))
                .copied()
        };
        assert_eq!(find(Some("2501.1234"), None, "", "", 0), None);
        assert_eq!(find(Some("2501.123456"), None, "", "", 0), None);
        assert_eq!(
            find(
                Some("2501.00001"),
                None,
                "Large Models Learn Things",
                "Ann Lee",
                2025
            ),
            None
        );
        assert_eq!(find(None, None, "Introduction", "Bo Cy", 2021), None);
        assert_eq!(find(None, None, "Introduction", "", 2020), None);
        assert_eq!(
            find(None, None, "Large Models Learn Things", "Zed Quo", 2025),
            None
        );
        assert_eq!(
            find(None, None, "Large Models Learn Things", "Ann Lee", 2030),
            None
        );
        assert_eq!(find(None, None, "", "", 0), None);
    }
}
