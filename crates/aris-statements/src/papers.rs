//! The results of `verify_papers` for the cited works.

use aris_contract::ids::{ArxivId, Doi};
use aris_paper::titles;
use serde::Deserialize;

/// The status of a work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// It exists and matches the reference.
    Verified,
    /// All sources that could answer did, and none knows it.
    Unverified,
    /// A source did not answer.
    VerifyPending,
    /// The reference has nothing to search for.
    Error,
    /// It was retracted.
    Retracted,
}

/// One work.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Row")]
struct Work {
    key: String,
    known: Known,
    arxiv: Option<ArxivId>,
    doi: Option<Doi>,
    title: Option<String>,
}

/// The results of `verify_papers`, found by key, identifier or title.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(expecting = "struct File")]
pub struct PapersCache {
    papers: Vec<Work>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    status: Known,
    #[serde(default)]
    retracted: bool,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    identifiers: Identifiers,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Identifiers {
    arxiv_id: Option<String>,
    doi: Option<String>,
    title: Option<String>,
    s2_title: Option<String>,
}

impl From<Row> for Work {
    fn from(row: Row) -> Self {
        let ids = row.identifiers;
        let title = row.title.or(ids.title).or(ids.s2_title);
        let title = title.map(|title| titles::key(&title));
        Self {
            key: row.id,
            known: if row.retracted {
                Known::Retracted
            } else {
                row.status
            },
            arxiv: ids.arxiv_id.and_then(|id| ArxivId::parse(&id).ok()),
            doi: ids.doi.and_then(|doi| Doi::parse(&doi).ok()),
            title: title.filter(|title| !title.is_empty()),
        }
    }
}

impl PapersCache {
    /// Reads the output of `verify_papers`, plain or as the `data` of an envelope.
    ///
    /// **Errors**: not JSON of that shape, or an unknown status.
    pub fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let mut value: serde_json::Value = serde_json::from_slice(bytes)?;
        if value.get("papers").is_none()
            && let Some(data) = value.get_mut("data")
        {
            value = data.take();
        }
        serde_json::from_value(value)
    }

    /// The status of a work: looked up by its key, else by an identifier, else by its title.
    pub fn of(&self, key: &str, arxiv: &[ArxivId], dois: &[Doi], title: &str) -> Option<Known> {
        let title = titles::key(title);
        let find = |fits: &dyn Fn(&Work) -> bool| self.papers.iter().find(|work| fits(work));
        find(&|work| work.key == key)
            .or_else(|| find(&|work| work.arxiv.as_ref().is_some_and(|id| arxiv.contains(id))))
            .or_else(|| find(&|work| work.doi.as_ref().is_some_and(|doi| dois.contains(doi))))
            .or_else(|| find(&|work| work.title.as_ref().is_some_and(|known| *known == title)))
            .map(|work| work.known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works_are_found_by_key_identifier_and_title() {
        let text = r#"{"papers": [
            {"id": "a", "status": "verified"},
            {"id": "x1", "status": "unverified", "identifiers": {"arxiv_id": "2401.00001"}},
            {"id": "x2", "status": "verify_pending", "identifiers": {"doi": "10.1000/ABC"}},
            {"id": "x3", "status": "verified", "retracted": true, "title": "A Title: of Sorts"}]}"#;
        let cache = PapersCache::read(text.as_bytes()).unwrap();
        let arxiv = [ArxivId::parse("2401.00001").unwrap()];
        let doi = [Doi::parse("10.1000/abc").unwrap()];
        assert_eq!(cache.of("a", &arxiv, &[], ""), Some(Known::Verified));
        assert_eq!(cache.of("b", &arxiv, &[], ""), Some(Known::Unverified));
        assert_eq!(cache.of("b", &[], &doi, ""), Some(Known::VerifyPending));
        assert_eq!(
            cache.of("b", &[], &[], "A title of sorts"),
            Some(Known::Retracted)
        );
        assert_eq!(cache.of("b", &[], &[], ""), None);
        let enveloped = format!("{{\"ok\": true, \"data\": {text}}}");
        assert_eq!(PapersCache::read(enveloped.as_bytes()).unwrap(), cache);
        assert!(PapersCache::read(br#"{"papers": [{"id": "a", "status": "fine"}]}"#).is_err());
    }
}
