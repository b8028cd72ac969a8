//! What the engine needs of the outside, and the real outside.

use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_sources::{
    Client, Host, HttpError, arxiv, crossref, datacite, dblp, hosts, openalex, semantic_scholar,
};

use crate::thresholds::ROWS;

/// A source did not answer: nothing follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// Why, for people.
    pub why: String,
}

impl From<HttpError> for Silence {
    fn from(error: HttpError) -> Self {
        Self {
            why: error.to_string(),
        }
    }
}

/// An identifier; an arXiv paper's without its version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Id {
    Arxiv(ArxivId),
    Doi(Doi),
}

impl Id {
    /// `arxiv:1706.03762`, `doi:10.1000/x`.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Arxiv(id) => format!("arxiv:{id}"),
            Self::Doi(doi) => format!("doi:{doi}"),
        }
    }

    /// The same for Semantic Scholar.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Arxiv(id) => format!("ARXIV:{id}"),
            Self::Doi(doi) => format!("DOI:{doi}"),
        }
    }
}

/// What a source said to one question.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) source: Source,
    pub(crate) said: Result<Vec<Paper>, Silence>,
}

/// Who can be asked. Whatever cannot be answered is a [`Silence`], never an empty answer.
pub trait Sources: Sync {
    /// arXiv's records of these papers; what is not in the answer does not exist there.
    fn arxiv(&self, ids: &[ArxivId]) -> Result<Vec<Paper>, Silence>;

    /// Whether arXiv's word about a paper is known without asking: then it stays known while arXiv is away.
    fn knows(&self, _id: &ArxivId) -> bool {
        false
    }

    /// What a registry (Crossref, DataCite) has under a DOI.
    fn doi(&self, registry: Source, doi: &Doi) -> Result<Option<Paper>, Silence>;

    /// Says which DOIs will be asked for: a source that has them in lists may bring them at once.
    fn prepare(&self, _dois: &[Doi]) {}

    /// What Semantic Scholar has under these names, in their order.
    fn batch(&self, names: &[String]) -> Result<Vec<Option<Paper>>, Silence>;

    /// Records of a source whose titles are like this one, best first.
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
    /// Asks through this client.
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
        // What a silent list would have told is asked for one by one.
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

/// The words of a title without signs, which mean something else in the languages of searches.
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
