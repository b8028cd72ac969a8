//! Recorded answers as sources; questions that were not recorded get no answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use aris_contract::artifact::papers::{Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_paper::facts::Month;
use aris_paper::titles;
use aris_sources::{Response, crossref, dblp, openalex, semantic_scholar};
use aris_verify::{Reference, Silence, Sources};
use jiff::Timestamp;
use serde_json::{Value, json};

pub(crate) const NOW: Month = Month {
    year: 2026,
    month: 11,
};

/// A reference of a real paper, as it was cited.
#[derive(Clone, Debug)]
pub(crate) struct Cited {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) authors: Vec<String>,
    pub(crate) year: String,
    pub(crate) venue: String,
    pub(crate) url: String,
    pub(crate) doi: String,
}

impl Cited {
    fn read(row: &Value) -> Self {
        let cited = &row["cited"];
        let text = |name: &str| match &cited[name] {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        Self {
            id: row["ref"].as_str().unwrap_or_default().to_owned(),
            title: text("title"),
            authors: cited["authors"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
            year: text("year"),
            venue: text("venue"),
            url: text("url"),
            doi: text("doi"),
        }
    }

    pub(crate) fn reference(&self) -> Reference {
        let authors = self.authors.join(" and ");
        let fields: Vec<(&str, &str)> = [
            ("title", self.title.as_str()),
            ("author", &authors),
            ("year", &self.year),
            ("journal", &self.venue),
            ("url", &self.url),
            ("doi", &self.doi),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect();
        Reference::from_fields(&self.id, &fields, NOW)
    }
}

/// The recordings.
#[derive(Default)]
pub(crate) struct Replay {
    titles: BTreeMap<(Source, String), Vec<Paper>>,
    arxiv: BTreeMap<String, Paper>,
    dois: BTreeMap<Doi, Paper>,
    /// DOIs that are unknown to both registries.
    pub(crate) denied: BTreeSet<Doi>,
    /// Number of requests, and number of those that were answered.
    pub(crate) asked: Mutex<(usize, usize)>,
}

impl Replay {
    /// Reads `candidates.jsonl`; also returns the references, and the ids of those with an answer from any source.
    pub(crate) fn read(text: &str) -> (Self, Vec<Cited>, BTreeSet<String>) {
        let mut replay = Self::default();
        let mut all = Vec::new();
        let mut answered = BTreeSet::new();
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).expect("a row");
            let cited = Cited::read(&row);
            let lookups = row["lookups"].as_object().expect("lookups");
            for (name, lookup) in lookups {
                let papers: Vec<Paper> = lookup["candidates"]
                    .as_array()
                    .expect("candidates")
                    .iter()
                    .filter_map(|candidate| paper(name, candidate))
                    .collect();
                let query = lookup["query"].as_str().unwrap_or_default();
                match name.as_str() {
                    "semantic_scholar.get_by_arxiv" => {
                        if let (Ok(id), Some(paper)) = (ArxivId::parse(query), papers.first()) {
                            replay
                                .arxiv
                                .insert(id.without_version().to_string(), paper.clone());
                        }
                    }
                    "crossref.get_by_doi" => {
                        if let (Ok(doi), Some(paper)) = (Doi::parse(query), papers.first()) {
                            replay.dois.insert(doi, paper.clone());
                        }
                    }
                    "openalex.get_by_doi" => continue,
                    _ => {
                        replay
                            .titles
                            .insert((source(name), titles::key(&cited.title)), papers);
                    }
                }
                answered.insert(cited.id.clone());
            }
            all.push(cited);
        }
        (replay, all, answered)
    }

    /// Answers a title with what was recorded for another.
    pub(crate) fn alias(&mut self, title: &str, recorded: &str) {
        let (title, recorded) = (titles::key(title), titles::key(recorded));
        for source in aris_verify::engine::TITLE_SOURCES {
            if let Some(papers) = self.titles.get(&(source, recorded.clone())).cloned() {
                self.titles.insert((source, title.clone()), papers);
            }
        }
    }

    /// Makes all sources answer a title with records of other works.
    pub(crate) fn deny(&mut self, title: &str, others: &[Paper]) {
        for source in aris_verify::engine::TITLE_SOURCES {
            self.titles
                .insert((source, titles::key(title)), others.to_vec());
        }
    }

    /// The first record of each search.
    pub(crate) fn some_records(&self) -> Vec<Paper> {
        self.titles
            .values()
            .filter_map(|papers| papers.first().cloned())
            .collect()
    }

    /// arXiv identifiers with a recorded answer.
    pub(crate) fn arxiv_ids(&self) -> Vec<String> {
        self.arxiv.keys().cloned().collect()
    }

    fn asked<T>(&self, said: Result<T, Silence>) -> Result<T, Silence> {
        let mut asked = self.asked.lock().expect("no panic");
        asked.0 += 1;
        asked.1 += usize::from(said.is_ok());
        said
    }
}

fn silent<T>() -> Result<T, Silence> {
    Err(Silence {
        why: String::from("not recorded"),
    })
}

impl Sources for Replay {
    fn arxiv(&self, _: &[ArxivId]) -> Result<Vec<Paper>, Silence> {
        self.asked(silent())
    }

    fn doi(&self, registry: Source, doi: &Doi) -> Result<Option<Paper>, Silence> {
        if self.denied.contains(doi) {
            return self.asked(Ok(None));
        }
        self.asked(match self.dois.get(doi) {
            Some(paper) if registry == Source::Crossref => Ok(Some(paper.clone())),
            _ => silent(),
        })
    }

    fn batch(&self, names: &[String]) -> Result<Vec<Option<Paper>>, Silence> {
        self.asked(Ok(names
            .iter()
            .map(|name| self.arxiv.get(name.strip_prefix("ARXIV:")?).cloned())
            .collect()))
    }

    fn title(&self, source: Source, title: &str) -> Result<Vec<Paper>, Silence> {
        self.asked(match self.titles.get(&(source, titles::key(title))) {
            Some(papers) => Ok(papers.clone()),
            None => silent(),
        })
    }
}

fn source(name: &str) -> Source {
    match name.split('.').next().unwrap_or_default() {
        "crossref" => Source::Crossref,
        "openalex" => Source::Openalex,
        "dblp" => Source::Dblp,
        "semantic_scholar" => Source::SemanticScholar,
        other => panic!("{other}"),
    }
}

/// Converts a shortened candidate back into its source's format, and parses it with the source's own parser.
fn paper(lookup: &str, candidate: &Value) -> Option<Paper> {
    let names: Vec<&str> = candidate["authors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let response = Response {
        status: 200,
        media_type: String::from("application/json"),
        body: Vec::new(),
        fetched_at: Timestamp::constant(1_794_000_000, 0),
        ..Response::default()
    };
    let c = candidate;
    let mut made = match source(lookup) {
        Source::Crossref => {
            let people: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
            let work = json!({
                "DOI": c["doi"], "title": c["title"], "container-title": c["venue"], "type": c["type"],
                "author": people, "issued": { "date-parts": [[c["year"]]] },
            });
            crossref::paper(&work, &response)
        }
        Source::Openalex => {
            let people: Vec<Value> = names
                .iter()
                .map(|name| json!({ "author": { "display_name": name } }))
                .collect();
            let work = json!({
                "id": c["id"], "doi": c["doi"], "title": c["title"], "publication_year": c["year"],
                "type": c["type"], "authorships": people, "is_retracted": c["is_retracted"],
                "primary_location": { "source": { "display_name": c["venue"] } },
            });
            openalex::paper(&work, &response)
        }
        Source::Dblp => {
            let people: Vec<Value> = names.iter().map(|name| json!({ "text": name })).collect();
            let hit = json!({ "info": {
                "key": c["key"], "doi": c["doi"], "title": c["title"], "year": c["year"], "venue": c["venue"],
                "type": c["type"], "ee": c["ee"], "authors": { "author": people },
            }});
            dblp::paper(&hit, &response)
        }
        _ => {
            let people: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
            let work = json!({
                "paperId": c["paperId"], "externalIds": c["externalIds"], "title": c["title"],
                "year": c["year"], "venue": c["venue"], "authors": people,
            });
            semantic_scholar::paper(&work, &response)
        }
    }?;
    // The recordings were shortened to eight authors.
    made.authors_cut = c["n_authors"]
        .as_u64()
        .is_some_and(|count| count > names.len() as u64);
    Some(made)
}
