//! The sources as the engine needs them, and the real ones.

use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_sources::{
    Client, Host, HttpError, arxiv, crossref, datacite, dblp, hosts, openalex, semantic_scholar,
};

use crate::thresholds::ROWS;

/// A source did not answer: nothing can be concluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The reason, for people.
    pub why: String,
}

impl From<HttpError> for Silence {
    fn from(error: HttpError) -> Self {
        Self {
            why: error.to_string(),
        }
    }
}

/// An identifier; arXiv identifiers are without version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Id {
    Arxiv(ArxivId),
    Doi(Doi),
}

impl Id {
    /// The identifier for reports: `arxiv:1706.03762`, `doi:10.1000/x`.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Arxiv(id) => format!("arxiv:{id}"),
            Self::Doi(doi) => format!("doi:{doi}"),
        }
    }

    /// The identifier for Semantic Scholar.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Arxiv(id) => format!("ARXIV:{id}"),
            Self::Doi(doi) => format!("DOI:{doi}"),
        }
    }
}

/// The answer of a source to one question.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) source: Source,
    pub(crate) said: Result<Vec<Paper>, Silence>,
}

/// The sources. A question that cannot be answered gives [`Silence`], never an empty answer.
pub trait Sources: Sync {
    /// arXiv's records of these papers; papers missing from the answer do not exist there.
    fn arxiv(&self, ids: &[ArxivId]) -> Result<Vec<Paper>, Silence>;

    /// Whether arXiv's answer for a paper is cached, so that it is known even while arXiv does not answer.
    fn knows(&self, _id: &ArxivId) -> bool {
        false
    }

    /// The record of a DOI at a registry (Crossref, DataCite); `None` if the registry does not have it.
    fn doi(&self, registry: Source, doi: &Doi) -> Result<Option<Paper>, Silence>;

    /// Announces DOIs that will be asked for, so that a source can fetch them in lists.
    fn prepare(&self, _dois: &[Doi]) {}

    /// Semantic Scholar's records for these identifiers, in the same order.
    fn batch(&self, names: &[String]) -> Result<Vec<Option<Paper>>, Silence>;

    /// Records of a source with similar titles, best match first.
    fn title(&self, source: Source, title: &str) -> Result<Vec<Paper>, Silence>;
}

/// Hosts that [`Online`] asks.
pub static HOSTS: [&Host; 6] = [
    &hosts::ARXIV,
    &hosts::CROSSREF,
    &hosts::DATACITE,
    &hosts::DBLP,
    &hosts::OPENALEX,
    &hosts::SEMANTIC_SCHOLAR,
];

/// The real sources, through a client for [`HOSTS`].
pub struct Online<'a> {
    client: &'a Client,
}

impl<'a> Online<'a> {
    /// The sources through this client.
    pub const fn new(client: &'a Client) -> Self {
        Self { client }
    }
}

impl Sources for Online<'_> {
    fn arxiv(&self, ids: &[ArxivId]) -> Result<Vec<Paper>, Silence> {
        Ok(arxiv::by_id(self.client, ids)?)
    }

    fn knows(&self, id: &ArxivId) -> bool {
        arxiv::is_kept(self.client, id)
    }

    fn doi(&self, registry: Source, doi: &Doi) -> Result<Option<Paper>, Silence> {
        match registry {
            Source::Crossref => Ok(crossref::by_doi(self.client, doi)?),
            Source::Datacite => Ok(datacite::by_doi(self.client, doi)?),
            other => Err(unfit(other)),
        }
    }

    fn prepare(&self, dois: &[Doi]) {
        // If a list gets no answer, its DOIs are asked for one by one.
        crossref::bring(self.client, dois).unwrap_or_default();
    }

    fn batch(&self, names: &[String]) -> Result<Vec<Option<Paper>>, Silence> {
        let found = semantic_scholar::batch(self.client, names, semantic_scholar::FIELDS)?;
        Ok(found.items.into_iter().map(|(_, paper)| paper).collect())
    }

    fn title(&self, source: Source, title: &str) -> Result<Vec<Paper>, Silence> {
        match source {
            Source::SemanticScholar => {
                let fields = semantic_scholar::FIELDS;
                let found = semantic_scholar::by_title(self.client, title, fields)?;
                Ok(found.map(aris_sources::Answer::papers).unwrap_or_default())
            }
            Source::Openalex => {
                Ok(openalex::search(self.client, &words(title), &[], None, ROWS)?.papers())
            }
            Source::Crossref => Ok(crossref::search(self.client, title, ROWS)?),
            Source::Dblp => Ok(dblp::search(self.client, &words(title), ROWS)?),
            Source::Arxiv => {
                let query = format!("ti:\"{}\"", words(title));
                Ok(arxiv::search(self.client, &query, 0, ROWS, "relevance")?.papers())
            }
            other => Err(unfit(other)),
        }
    }
}

fn unfit(source: Source) -> Silence {
    Silence {
        why: format!("{source} cannot be asked that"),
    }
}

/// The words of a title without punctuation, which has a meaning in query languages.
fn words(title: &str) -> String {
    let words: Vec<&str> = title
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_asked_in_words() {
        assert_eq!(
            words("BERT: \"Pre-training\" (of) deep - things?"),
            "BERT Pre-training of deep things"
        );
    }
}
