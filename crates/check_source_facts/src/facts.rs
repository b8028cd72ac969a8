//! The facts that the readers of answers are built on, as data: a record that will not change, or an absence, for each source.
//!
//! A recording has the shape of an answer, cut down to what the fact is about; `--live` asks for the whole.

use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_sources::{
    Client, Doubt, HttpError, Response, arxiv, crossref, datacite, dblp, openalex, semantic_scholar,
};

/// One fact.
pub(crate) struct Fact {
    /// Its name, and that of its recording.
    pub(crate) name: &'static str,
    pub(crate) source: Source,
    pub(crate) what: &'static str,
    /// The recorded answer and its status.
    pub(crate) recorded: (&'static [u8], u16),
    pub(crate) read: fn(&Response) -> Result<Vec<Paper>, Doubt>,
    pub(crate) ask: fn(&Client) -> Result<Vec<Paper>, HttpError>,
    pub(crate) expected: Expected,
}

/// What the answer must say.
pub(crate) enum Expected {
    /// Exactly these papers, by the name of the record at its source and the beginning of its title.
    Papers(&'static [(&'static str, &'static str)]),
    /// One of the papers has this name and this title.
    Among(&'static str, &'static str),
    /// There is no such paper.
    Nothing,
}

/// `Attention Is All You Need`, which every source has.
const PREPRINT: &str = "1706.03762";

fn id(text: &str) -> Vec<ArxivId> {
    ArxivId::parse(text).into_iter().collect()
}

fn doi<T>(
    text: &str,
    ask: impl Fn(&Doi) -> Result<Option<T>, HttpError>,
) -> Result<Vec<T>, HttpError> {
    let mut found = Vec::new();
    if let Ok(doi) = Doi::parse(text) {
        found.extend(ask(&doi)?);
    }
    Ok(found)
}

/// All facts.
pub(crate) static ALL: [Fact; 7] = [
    Fact {
        name: "arxiv_batch",
        source: Source::Arxiv,
        what: "a batch of identifiers leaves out what does not exist",
        recorded: (include_bytes!("../assets/arxiv_batch.xml"), 200),
        read: |response| arxiv::parse(response).map(|feed| feed.papers),
        ask: |client| {
            let ids = [id(PREPRINT), id("1706.99999")].concat();
            arxiv::by_id(client, &ids)
        },
        expected: Expected::Papers(&[("1706.03762", "Attention Is All You Need")]),
    },
    Fact {
        name: "crossref_record",
        source: Source::Crossref,
        what: "a DOI gives a record with title, authors and year",
        recorded: (include_bytes!("../assets/crossref_record.json"), 200),
        read: |response| crossref::parse_one(response).map(|paper| paper.into_iter().collect()),
        ask: |client| doi("10.1038/nature14539", |doi| crossref::by_doi(client, doi)),
        expected: Expected::Papers(&[("10.1038/nature14539", "Deep learning")]),
    },
    Fact {
        name: "crossref_absence",
        source: Source::Crossref,
        what: "DOIs of arXiv are not registered there",
        recorded: (include_bytes!("../assets/crossref_absence.txt"), 404),
        read: |response| crossref::parse_one(response).map(|paper| paper.into_iter().collect()),
        ask: |client| {
            doi("10.48550/arXiv.1706.03762", |doi| {
                crossref::by_doi(client, doi)
            })
        },
        expected: Expected::Nothing,
    },
    Fact {
        name: "datacite_record",
        source: Source::Datacite,
        what: "DOIs of arXiv are registered there",
        recorded: (include_bytes!("../assets/datacite_record.json"), 200),
        read: |response| datacite::parse(response).map(|paper| paper.into_iter().collect()),
        ask: |client| {
            doi("10.48550/arXiv.1706.03762", |doi| {
                datacite::by_doi(client, doi)
            })
        },
        expected: Expected::Papers(&[("10.48550/arxiv.1706.03762", "Attention Is All You Need")]),
    },
    Fact {
        name: "dblp_search",
        source: Source::Dblp,
        what: "a search gives keys, and titles with a full stop",
        recorded: (include_bytes!("../assets/dblp_search.json"), 200),
        read: dblp::parse,
        ask: |client| dblp::search(client, "Attention is All you Need Vaswani", 30),
        expected: Expected::Among("conf/nips/VaswaniSPUJGKP17", "Attention is All you Need"),
    },
    Fact {
        name: "openalex_record",
        source: Source::Openalex,
        what: "a DOI gives a work with an identifier that begins with W",
        recorded: (include_bytes!("../assets/openalex_record.json"), 200),
        read: |response| openalex::parse_one(response).map(|paper| paper.into_iter().collect()),
        ask: |client| doi("10.7717/peerj.4375", |doi| openalex::by_doi(client, doi)),
        expected: Expected::Papers(&[("W2741809807", "The state of OA")]),
    },
    Fact {
        name: "semantic_scholar_batch",
        source: Source::SemanticScholar,
        what: "a batch has null where a paper is unknown, in the order of the names",
        recorded: (include_bytes!("../assets/semantic_scholar_batch.json"), 200),
        read: |response| {
            let papers = semantic_scholar::parse_batch(response, 2)?;
            Ok(papers.into_iter().flatten().collect())
        },
        ask: |client| {
            let names = [
                format!("ARXIV:{PREPRINT}"),
                String::from("ARXIV:1706.99999"),
            ];
            Ok(semantic_scholar::batch(client, &names)?
                .into_iter()
                .flatten()
                .collect())
        },
        expected: Expected::Papers(&[(
            "204e3073870fae3d05bcbc2f6a8e263d9b72e776",
            "Attention is All you Need",
        )]),
    },
];

impl Expected {
    /// What `papers` say instead; `None` when they say this.
    pub(crate) fn differs(&self, papers: &[Paper]) -> Option<String> {
        let fits = |paper: &Paper, name: &str, title: &str| {
            let named = paper.origins.first().is_some_and(|origin| {
                let record = origin.record.to_ascii_lowercase();
                let wanted = name.to_ascii_lowercase();
                // arXiv names the version too.
                record == wanted
                    || record
                        .strip_prefix(&wanted)
                        .is_some_and(|rest| rest.starts_with('v'))
            });
            let begins = paper
                .title
                .to_lowercase()
                .starts_with(&title.to_lowercase());
            named && begins && !paper.authors.is_empty() && paper.year.is_some()
        };
        let holds = match self {
            Self::Nothing => papers.is_empty(),
            Self::Among(name, title) => papers.iter().any(|paper| fits(paper, name, title)),
            Self::Papers(wanted) => {
                wanted.len() == papers.len()
                    && wanted
                        .iter()
                        .zip(papers)
                        .all(|((name, title), paper)| fits(paper, name, title))
            }
        };
        (!holds).then(|| {
            let found: Vec<String> = papers
                .iter()
                .take(5)
                .map(|paper| {
                    let record = paper
                        .origins
                        .first()
                        .map_or("", |origin| origin.record.as_str());
                    let people = paper.authors.len();
                    let year = paper
                        .year
                        .map_or_else(|| String::from("no year"), |year| year.to_string());
                    format!("{record} {:?}, {people} authors, {year}", paper.title)
                })
                .collect();
            if found.is_empty() {
                String::from("found nothing")
            } else {
                format!("found {}", found.join("; "))
            }
        })
    }
}
