//! The facts about the sources that the parsers of their answers rely on, as data: for each source a record that will not
//! change, or an absence.
//!
//! A recording has the form of a real answer, reduced to the part that the fact is about; `--live` requests the whole answer.
//! Where no real answer was available, the recording follows the documentation that the fact names: `arxiv_refusal`,
//! `datacite_absence`, `dblp_absence`, `openalex_limit`, `openalex_allowance`, `semantic_scholar_batch_none`,
//! `semantic_scholar_match_absence`.

use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_sources::{
    Allowance, Answer, Client, Doubt, Host, HttpError, Request, Response, arxiv, crossref,
    datacite, dblp, hosts, openalex, semantic_scholar,
};

/// One fact.
pub(crate) struct Fact {
    /// Its name, which is also that of its recording. It begins with the name of the source.
    pub(crate) name: &'static str,
    /// Where the source documents it.
    pub(crate) documented: &'static str,
    pub(crate) what: &'static str,
    /// The recorded answer, and its HTTP status.
    pub(crate) recorded: (&'static [u8], u16),
    pub(crate) read: fn(&Response) -> Result<Vec<Paper>, Doubt>,
    pub(crate) ask: fn(&Client) -> Result<Vec<Paper>, HttpError>,
    pub(crate) expected: Expected,
}

/// The expected answer.
#[derive(PartialEq, Eq)]
pub(crate) enum Expected {
    /// Exactly these papers, each by its record's name at the source and the beginning of its title.
    Papers(&'static [(&'static str, &'static str)]),
    /// These papers and perhaps others.
    Among(&'static [(&'static str, &'static str)]),
    /// A refusal with a message that the parser knows.
    Refused,
    /// No such paper.
    Nothing,
}

/// The sources with their hosts.
pub(crate) static HOSTS: [(Source, &Host); 6] = [
    (Source::Arxiv, &hosts::ARXIV),
    (Source::Crossref, &hosts::CROSSREF),
    (Source::Datacite, &hosts::DATACITE),
    (Source::Dblp, &hosts::DBLP),
    (Source::Openalex, &hosts::OPENALEX),
    (Source::SemanticScholar, &hosts::SEMANTIC_SCHOLAR),
];

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

/// The same paper at Semantic Scholar.
const VASWANI: &str = "204e3073870fae3d05bcbc2f6a8e263d9b72e776";

/// The records of an answer.
fn papers(found: Option<Answer>) -> Vec<Paper> {
    found.map(Answer::papers).unwrap_or_default()
}

fn work(client: &Client, name: &str) -> Result<Vec<Paper>, HttpError> {
    let found = doi(name, |doi| openalex::by_doi(client, doi))?;
    Ok(found.into_iter().flat_map(Answer::papers).collect())
}

fn titled(client: &Client, title: &str) -> Result<Vec<Paper>, HttpError> {
    semantic_scholar::by_title(client, title, semantic_scholar::FIELDS).map(papers)
}

fn batch(client: &Client, ids: &[&str]) -> Result<Vec<Paper>, HttpError> {
    let names: Vec<String> = ids.iter().map(|id| format!("ARXIV:{id}")).collect();
    let found = semantic_scholar::batch(client, &names, semantic_scholar::FIELDS)?;
    Ok(found.papers())
}

/// Reads an answer with status 400 as no papers. A status 200 with nulls means the same, but is another fact.
fn refused_batch(response: &Response) -> Result<Vec<Paper>, Doubt> {
    match response.status {
        400 => semantic_scholar::read(response).map(papers),
        other => Err(Doubt::Malformed(format!("HTTP {other} instead of 400"))),
    }
}

/// Succeeds, with no papers, if the headers are present.
fn allowance(response: &Response) -> Result<Vec<Paper>, Doubt> {
    match response.allowance {
        Some(_) => Ok(Vec::new()),
        None => Err(Doubt::Malformed(String::from(
            "no allowance in the headers",
        ))),
    }
}

/// The recording has the headers in its body, one per line.
fn recorded_allowance(response: &Response) -> Result<Vec<Paper>, Doubt> {
    let text = String::from_utf8_lossy(&response.body);
    let header = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    allowance(&Response {
        allowance: Allowance::of(header),
        ..response.clone()
    })
}

/// All facts.
pub(crate) static ALL: [Fact; 23] = [
    Fact {
        name: "arxiv_batch",
        documented: "https://info.arxiv.org/help/api/user-manual.html",
        what: "a batch of identifiers leaves out what does not exist",
        recorded: (include_bytes!("../assets/arxiv_batch.xml"), 200),
        read: |response| arxiv::parse(response).map(Answer::papers),
        ask: |client| {
            let ids = [id(PREPRINT), id("1706.99999")].concat();
            arxiv::by_id(client, &ids)
        },
        expected: Expected::Papers(&[("1706.03762", "Attention Is All You Need")]),
    },
    Fact {
        name: "arxiv_search",
        documented: "https://info.arxiv.org/help/api/user-manual.html",
        what: "a search has a total, and a page of what was asked for",
        recorded: (include_bytes!("../assets/arxiv_search.xml"), 200),
        read: |response| arxiv::parse(response).map(Answer::papers),
        ask: |client| {
            let query = "ti:\"Attention Is All You Need\" AND au:Vaswani";
            arxiv::search(client, query, 0, 1, "relevance").map(Answer::papers)
        },
        expected: Expected::Among(&[("1706.03762", "Attention is All you Need")]),
    },
    Fact {
        name: "arxiv_refusal",
        documented: "https://info.arxiv.org/help/api/user-manual.html",
        what: "an error is a feed with one entry called Error",
        recorded: (include_bytes!("../assets/arxiv_refusal.xml"), 400),
        read: |response| arxiv::parse(response).map(Answer::papers),
        ask: |client| {
            let request = Request::get(&hosts::ARXIV, "/query").accept(arxiv::ATOM);
            client.ask(&request.query("id_list", "1234.12345"), |response| {
                arxiv::parse(response).map(Answer::papers)
            })
        },
        expected: Expected::Refused,
    },
    Fact {
        name: "crossref_record",
        documented: "https://api.crossref.org/swagger-ui/index.html",
        what: "a DOI gives a record with title, authors and year",
        recorded: (include_bytes!("../assets/crossref_record.json"), 200),
        read: |response| crossref::parse_one(response).map(|paper| paper.into_iter().collect()),
        ask: |client| doi("10.1038/nature14539", |doi| crossref::by_doi(client, doi)),
        expected: Expected::Papers(&[("10.1038/nature14539", "Deep learning")]),
    },
    Fact {
        name: "crossref_absence",
        documented: "https://api.crossref.org/swagger-ui/index.html",
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
        name: "crossref_list",
        documented: "https://api.crossref.org/swagger-ui/index.html",
        what: "a filter with several DOIs gives all of them",
        recorded: (include_bytes!("../assets/crossref_list.json"), 200),
        read: crossref::parse_list,
        ask: |client| {
            let both = "doi:10.1038/nature14539,doi:10.7717/peerj.4375";
            let request = crossref::list_request(2).query("filter", both);
            client.ask(&request, crossref::parse_list)
        },
        expected: Expected::Among(&[
            ("10.1038/nature14539", "Deep learning"),
            ("10.7717/peerj.4375", "The state of OA"),
        ]),
    },
    Fact {
        name: "crossref_search",
        documented: "https://api.crossref.org/swagger-ui/index.html",
        what: "a search for what a reference says gives its work",
        recorded: (include_bytes!("../assets/crossref_search.json"), 200),
        read: crossref::parse_list,
        ask: |client| crossref::search(client, "Deep learning LeCun Bengio Hinton Nature 2015", 20),
        expected: Expected::Among(&[("10.1038/nature14539", "Deep learning")]),
    },
    Fact {
        name: "crossref_limit",
        documented: "https://api.crossref.org/swagger-ui/index.html",
        what: "a page has 1000 rows at most; more is refused with a message",
        recorded: (include_bytes!("../assets/crossref_limit.json"), 400),
        read: crossref::parse_list,
        ask: |client| client.ask(&crossref::list_request(1001), crossref::parse_list),
        expected: Expected::Refused,
    },
    Fact {
        name: "datacite_record",
        documented: "https://support.datacite.org/docs/api-get-doi",
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
        name: "datacite_absence",
        documented: "https://support.datacite.org/docs/api-get-doi",
        what: "an unknown DOI is 404 with a list of errors",
        recorded: (include_bytes!("../assets/datacite_absence.json"), 404),
        read: |response| datacite::parse(response).map(|paper| paper.into_iter().collect()),
        ask: |client| {
            doi("10.48550/arXiv.1706.99999", |doi| {
                datacite::by_doi(client, doi)
            })
        },
        expected: Expected::Nothing,
    },
    Fact {
        name: "dblp_search",
        documented: "https://dblp.org/faq/How+to+use+the+dblp+search+API.html",
        what: "a search gives keys, and titles with a full stop",
        recorded: (include_bytes!("../assets/dblp_search.json"), 200),
        read: dblp::parse,
        ask: |client| dblp::search(client, "Attention is All you Need Vaswani", 30),
        expected: Expected::Among(&[("conf/nips/VaswaniSPUJGKP17", "Attention is All you Need")]),
    },
    Fact {
        name: "dblp_absence",
        documented: "https://dblp.org/faq/How+to+use+the+dblp+search+API.html",
        what: "a search that finds nothing has a total of 0 and no hits",
        recorded: (include_bytes!("../assets/dblp_absence.json"), 200),
        read: dblp::parse,
        ask: |client| dblp::search(client, "zzqqxx nobody wrote this zzqqxx", 5),
        expected: Expected::Nothing,
    },
    Fact {
        name: "openalex_record",
        documented: "https://developers.openalex.org/api-reference/works",
        what: "a DOI gives a work with an identifier that begins with W",
        recorded: (include_bytes!("../assets/openalex_record.json"), 200),
        read: |response| openalex::read(response).map(papers),
        ask: |client| work(client, "10.7717/peerj.4375"),
        expected: Expected::Papers(&[("W2741809807", "The state of OA")]),
    },
    Fact {
        name: "openalex_absence",
        documented: "https://developers.openalex.org/api-reference/errors",
        what: "an unknown work is 404 with a page",
        recorded: (include_bytes!("../assets/openalex_absence.html"), 404),
        read: |response| openalex::read(response).map(papers),
        ask: |client| work(client, "10.9999/nobody.made.this"),
        expected: Expected::Nothing,
    },
    Fact {
        name: "openalex_search",
        documented: "https://developers.openalex.org/api-reference/works",
        what: "a search with select gives the fields that are read",
        recorded: (include_bytes!("../assets/openalex_search.json"), 200),
        read: |response| openalex::read(response).map(papers),
        ask: |client| {
            let words = "The state of OA large-scale analysis prevalence impact";
            openalex::search(client, words, &[], None, 25).map(Answer::papers)
        },
        expected: Expected::Among(&[("W2741809807", "The state of OA")]),
    },
    Fact {
        name: "openalex_limit",
        documented: "https://developers.openalex.org/api-reference/errors",
        what: "a page beyond the largest is refused with a message",
        recorded: (include_bytes!("../assets/openalex_limit.json"), 400),
        read: |response| openalex::read(response).map(papers),
        ask: |client| {
            let request = Request::get(&hosts::OPENALEX, "/works");
            let found = client.ask(&request.query("per_page", "201"), openalex::read)?;
            Ok(papers(found))
        },
        expected: Expected::Refused,
    },
    Fact {
        name: "openalex_allowance",
        documented: "https://developers.openalex.org/api-reference/authentication",
        what: "an answer says what is left of the allowance, what it cost, and when the day ends",
        recorded: (include_bytes!("../assets/openalex_allowance.txt"), 200),
        read: recorded_allowance,
        ask: |client| {
            let request = Request::get(&hosts::OPENALEX, "/works");
            client.ask(&request.segments("W2741809807"), allowance)
        },
        expected: Expected::Nothing,
    },
    Fact {
        name: "semantic_scholar_batch",
        documented: "https://api.semanticscholar.org/api-docs/graph",
        what: "a batch has null where a paper is unknown, in the order of the names",
        recorded: (include_bytes!("../assets/semantic_scholar_batch.json"), 200),
        read: |response| semantic_scholar::read(response).map(papers),
        ask: |client| batch(client, &[PREPRINT, "1706.99999"]),
        expected: Expected::Papers(&[(VASWANI, "Attention is All you Need")]),
    },
    Fact {
        name: "semantic_scholar_batch_none",
        documented: "https://api.semanticscholar.org/api-docs/graph",
        what: "a batch of unknown papers only is 400 with a message",
        recorded: (
            include_bytes!("../assets/semantic_scholar_batch_none.json"),
            400,
        ),
        read: refused_batch,
        ask: |client| {
            let ids = serde_json::json!({ "ids": ["ARXIV:1706.99999"] });
            let request = Request::post(&hosts::SEMANTIC_SCHOLAR, "/paper/batch", &ids);
            client.ask(
                &request.query("fields", semantic_scholar::FIELDS),
                refused_batch,
            )
        },
        expected: Expected::Nothing,
    },
    Fact {
        name: "semantic_scholar_search",
        documented: "https://api.semanticscholar.org/api-docs/graph",
        what: "a search has a total, and a page of papers",
        recorded: (
            include_bytes!("../assets/semantic_scholar_search.json"),
            200,
        ),
        read: |response| semantic_scholar::read(response).map(papers),
        ask: |client| {
            let part = semantic_scholar::Part::first(10);
            Ok(semantic_scholar::search(client, "Attention is All you Need", &[], part)?.papers())
        },
        expected: Expected::Among(&[(VASWANI, "Attention is All you Need")]),
    },
    Fact {
        name: "semantic_scholar_match",
        documented: "https://api.semanticscholar.org/api-docs/graph",
        what: "a title gives its paper",
        recorded: (include_bytes!("../assets/semantic_scholar_match.json"), 200),
        read: |response| semantic_scholar::read(response).map(papers),
        ask: |client| titled(client, "Attention is All you Need"),
        expected: Expected::Papers(&[(VASWANI, "Attention is All you Need")]),
    },
    Fact {
        name: "semantic_scholar_match_absence",
        documented: "https://api.semanticscholar.org/api-docs/graph",
        what: "a title without a match is 404 with a message",
        recorded: (
            include_bytes!("../assets/semantic_scholar_match_absence.json"),
            404,
        ),
        read: |response| semantic_scholar::read(response).map(papers),
        ask: |client| titled(client, "zzqqxx nobody wrote this zzqqxx"),
        expected: Expected::Nothing,
    },
    Fact {
        name: "semantic_scholar_refusal",
        documented: "https://api.semanticscholar.org/api-docs/graph",
        what: "an unknown field is 400 with a message",
        recorded: (
            include_bytes!("../assets/semantic_scholar_refusal.json"),
            400,
        ),
        read: |response| semantic_scholar::read(response).map(papers),
        ask: |client| {
            let request = Request::get(&hosts::SEMANTIC_SCHOLAR, "/paper")
                .segments(VASWANI)
                .query("fields", "unknown");
            Ok(papers(client.ask(&request, semantic_scholar::read)?))
        },
        expected: Expected::Refused,
    },
];

impl Fact {
    /// The source that the fact is about.
    pub(crate) fn source(&self) -> Source {
        let mut others = HOSTS.iter().map(|(source, _)| *source);
        let named = |source: &Source| self.name.starts_with(source.word());
        others.find(named).unwrap_or(Source::SemanticScholar)
    }
}

impl Expected {
    /// How `papers` differ from the expected answer; `None` when they do not.
    pub(crate) fn differs(&self, papers: &[Paper]) -> Option<String> {
        let fits = |paper: &Paper, name: &str, title: &str| {
            let named = paper.origins.first().is_some_and(|origin| {
                let record = origin.record.to_ascii_lowercase();
                let wanted = name.to_ascii_lowercase();
                // arXiv includes the version.
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
            Self::Refused => false,
            Self::Among(wanted) => wanted
                .iter()
                .all(|(name, title)| papers.iter().any(|paper| fits(paper, name, title))),
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
