//! Semantic Scholar: the academic graph.
//!
//! **Source**: Semantic Scholar Academic Graph API documentation (paper object, search, match, batch) and recorded answers.

use aris_contract::artifact::papers::{Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::ArxivId;
use aris_http::{Client, Doubt, HttpError, Request, Response};
use serde_json::{Value, json};

use crate::answer::{Answer, each, listed, no_answer, single};
use crate::hosts::SEMANTIC_SCHOLAR;
use crate::json::{at, authors, body, count, doi, list, text, texts, year};
use crate::keep;

/// The fields that are needed for a record.
pub const FIELDS: &str = "title,authors,year,publicationDate,venue,journal,publicationTypes,abstract,externalIds,url,openAccessPdf,citationCount,referenceCount,fieldsOfStudy";

/// Most papers per batch.
const BATCH: usize = 500;

/// Most results per page of a search.
const PAGE: usize = 100;

/// Most citing or cited papers per page.
const NEIGHBOURS: usize = 1000;

/// The requested part of a list of papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Index of the first paper, from 0.
    pub start: usize,
    /// Number of papers.
    pub count: usize,
    /// The fields of each paper.
    pub fields: &'a str,
}

impl Part<'_> {
    /// The first `count` papers.
    pub const fn first(count: usize) -> Self {
        Self {
            start: 0,
            count,
            fields: FIELDS,
        }
    }

    /// Requests page by page, with up to `largest` papers per page.
    fn ask(
        self,
        client: &Client,
        largest: usize,
        request: &Request,
        read: impl Fn(&Response) -> Result<Option<Answer>, Doubt>,
    ) -> Result<Option<Answer>, HttpError> {
        let found = Answer::gather(self.count, |found| {
            let here = found.items.len();
            let limit = self.count.saturating_sub(here).clamp(1, largest);
            let request = request.clone();
            let request = request
                .query("limit", &limit.to_string())
                .query("offset", &(self.start + here).to_string())
                .query("fields", self.fields);
            client.ask(&request, &read)
        })?;
        Ok(found.map(|mut found| {
            found.items.truncate(self.count);
            found
        }))
    }
}

/// Searches papers by words, best match first, with `filters` (`year`, `venue` …).
pub fn search(
    client: &Client,
    words: &str,
    filters: &[(&'static str, String)],
    part: Part<'_>,
) -> Result<Answer, HttpError> {
    let request = filtered("/paper/search", &without_hyphens(words), filters);
    let found = part.ask(client, PAGE, &request, listed(read))?;
    Ok(found.unwrap_or_default())
}

/// Searches all matching papers in the order `sort`, until there are at least `count`. The answer's token continues after its last paper;
/// `token` is that of an earlier answer.
pub fn search_bulk(
    client: &Client,
    words: &str,
    filters: &[(&'static str, String)],
    sort: Option<&str>,
    token: Option<&str>,
    part: Part<'_>,
) -> Result<Answer, HttpError> {
    let request = filtered("/paper/search/bulk", words, filters)
        .query("fields", part.fields)
        .query_if("sort", sort);
    let found = Answer::gather(part.count, |found| {
        let token = found.token.as_deref().or(token);
        client.ask(&request.clone().query_if("token", token), listed(read))
    });
    Ok(found?.unwrap_or_default())
}

/// Requests the papers that cite a paper or, with `references`, those that it cites. `None`: the paper does not exist.
pub fn neighbours(
    client: &Client,
    name: &str,
    references: bool,
    part: Part<'_>,
) -> Result<Option<Answer>, HttpError> {
    let which = if references {
        "/references"
    } else {
        "/citations"
    };
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper")
        .segments(name)
        .path(which)
        .keep(keep::SEARCH, keep::ABSENCE);
    part.ask(client, NEIGHBOURS, &request, read)
}

/// **Source**: Graph API, `/paper/search`: filters are query parameters with the filters' names.
fn filtered(path: &'static str, words: &str, filters: &[(&'static str, String)]) -> Request {
    let request = Request::get(&SEMANTIC_SCHOLAR, path).query("query", words);
    let filters = filters.iter();
    filters
        .fold(request, |request, (name, value)| request.query(name, value))
        .keep(keep::SEARCH, keep::ABSENCE)
}

/// Requests papers by identifiers of any kind (`DOI:…`, `ARXIV:…`, 40 hexadecimal digits); the items are in the order of `names`. Each paper
/// is cached separately.
pub fn batch(client: &Client, names: &[String], fields: &str) -> Result<Answer, HttpError> {
    let many = |names: &[&String]| {
        let request = Request::post(&SEMANTIC_SCHOLAR, "/paper/batch", &json!({ "ids": names }));
        request.query("fields", fields)
    };
    let one = |name: &String| many(&[name]).keep(keep::RECORD, keep::ABSENCE);
    let read = |response: &Response| Ok(named(response, 1)?.pop().unwrap_or_default());
    let items = each(client, names, BATCH, one, read, many, |names, whole| {
        let items = named(whole, names.len())?.into_iter();
        let kept = items.map(|(item, paper)| match paper {
            Some(_) => whole.part(200, json!([item]).to_string().into_bytes()),
            None => whole.part(404, NO_PAPER.to_vec()),
        });
        Ok(kept.collect())
    })?;
    Ok(Answer {
        items,
        ..Answer::default()
    })
}

/// The body that is cached for a name that a batch does not know.
const NO_PAPER: &[u8] = br#"{"error":"no such paper"}"#;

/// Parses the answer to a batch of `count` names.
fn named(response: &Response, count: usize) -> Result<Vec<(Value, Option<Paper>)>, Doubt> {
    let Some(found) = read(response)? else {
        return Ok(vec![(Value::Null, None); count]);
    };
    if found.items.len() == count {
        return Ok(found.items);
    }
    let came = found.items.len();
    Err(no_answer(format!("{came} papers for {count} names")))
}

/// Requests one paper by an identifier of any kind. `None`: the paper does not exist.
pub fn by_name(client: &Client, name: &str, fields: &str) -> Result<Option<Answer>, HttpError> {
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper")
        .segments(name)
        .query("fields", fields)
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, single(read))
}

/// Requests the paper whose title matches best. `None`: no title matches.
pub fn by_title(client: &Client, title: &str, fields: &str) -> Result<Option<Answer>, HttpError> {
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper/search/match")
        .query("query", &without_hyphens(title))
        .query("fields", fields)
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, single(read))
}

/// **Source**: Graph API, `/paper/search`, `query`: "Hyphenated query terms yield no matches (replace it with space to find matches)".
fn without_hyphens(words: &str) -> String {
    words.replace(['-', '\u{2010}', '\u{2011}'], " ")
}

/// Parses an answer of any form: a page of a search, a page of neighbours, a batch, or one paper. `None`: the paper, or all papers of a
/// batch, do not exist.
///
/// **Source**: Graph API. An empty search has `total` 0 and no `data`; a batch is a list with `null` for each unknown name, and a 400 with
/// "No valid paper ids given" if all are unknown; neighbours are inside `citingPaper` or `citedPaper`; a list that a publisher withholds
/// is `null`; for an unknown paper the answer is a 404 with a message.
///
/// **Errors**: a body that is not an answer, and an error that Semantic Scholar reports.
pub fn read(response: &Response) -> Result<Option<Answer>, Doubt> {
    let value = body(response)?;
    let refusal = text(&value, &["error"]).or_else(|| text(&value, &["message"]));
    let none = refusal
        .as_ref()
        .is_some_and(|said| said.contains("No valid paper ids given"));
    if response.status == 400 && none {
        return Ok(None);
    }
    if response.is_absence() {
        let own = text(&value, &["error"]).is_some_and(|said| is_absence(&said));
        let absent = own.then_some(None);
        return absent.ok_or_else(|| no_answer("404 with a body that is not Semantic Scholar's"));
    }
    let total = count(&value, &["total"]);
    let listed = value
        .as_array()
        .or_else(|| at(&value, &["data"]).as_array());
    let mut answer = Answer::default();
    if let Some(list) = listed {
        answer = Answer::of(list.iter().map(inner), |item| paper(item, response));
        // The total is an estimate, so only an empty first page contradicts it.
        let first = count(&value, &["offset"]).unwrap_or(0) == 0;
        if list.is_empty() && first && total.is_some_and(|total| total > 0) {
            return Err(no_answer("an empty page, although results are announced"));
        }
    } else if let Some(record) = paper(&value, response) {
        answer.items.push((value.clone(), Some(record)));
    } else if value.get("citingPaperInfo").is_some() || value.get("citedPaperInfo").is_some() {
        answer.withheld = true;
    } else if let Some(said) = refusal {
        return Err(Doubt::Malformed(said));
    } else if total != Some(0) || value.get("data").is_some() {
        return Err(no_answer("neither a paper nor papers"));
    }
    Ok(Some(Answer {
        total,
        token: text(&value, &["token"]),
        next: count(&value, &["next"]),
        ..answer
    }))
}

/// **Source**: Graph API, error 404: "Paper/Author/Object not found"; recorded: "Paper with id 0 not found", "Title match not found".
fn is_absence(said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    let things = ["paper", "author", "object", "title"];
    said == "no such paper"
        || said.contains("not found") && things.iter().any(|thing| said.contains(thing))
}

/// The paper of an item in a list of neighbours, or the item itself.
fn inner(item: &Value) -> &Value {
    let inner = item.get("citingPaper").or_else(|| item.get("citedPaper"));
    inner.unwrap_or(item)
}

/// The record of a paper object.
pub fn paper(value: &Value, response: &Response) -> Option<Paper> {
    let id = text(value, &["paperId"])?;
    let ids = at(value, &["externalIds"]);
    let doi = doi(ids, &["DOI"]);
    let arxiv = text(ids, &["ArXiv"]).and_then(|id| ArxivId::parse(&id).ok());
    let arxiv = arxiv.or_else(|| doi.as_ref()?.arxiv());
    let kinds = list(value, &["publicationTypes"]);
    Some(Paper {
        title: text(value, &["title"]).unwrap_or_default(),
        authors: authors(list(value, &["authors"]), &["name"]),
        year: year(value, &["year"]),
        date: text(value, &["publicationDate"]),
        venue: text(value, &["venue"]).or_else(|| text(value, &["journal", "name"])),
        kind: kind_of(kinds, value),
        summary: text(value, &["abstract"]),
        ids: Identifiers {
            arxiv: arxiv.map(|id| id.without_version()),
            doi: doi.into_iter().collect(),
            semantic_scholar: Some(id.clone()),
            corpus: count(ids, &["CorpusId"]),
            dblp: text(ids, &["DBLP"]),
            pubmed: text(ids, &["PubMed"]),
            ..Identifiers::default()
        },
        links: Links {
            page: text(value, &["url"]),
            pdf: text(value, &["openAccessPdf", "url"]),
        },
        citation_count: count(value, &["citationCount"]),
        reference_count: count(value, &["referenceCount"]),
        fields: texts(list(value, &["fieldsOfStudy"]), &[]),
        ..crate::record(Source::SemanticScholar, &id, response.fetched_at)
    })
}

fn kind_of(kinds: &[Value], value: &Value) -> Option<Kind> {
    let has = |word: &str| kinds.iter().any(|kind| kind.as_str() == Some(word));
    if has("Conference") {
        Some(Kind::Proceedings)
    } else if has("JournalArticle") || has("Review") {
        let preprint = text(value, &["venue"]).is_some_and(|venue| venue == "arXiv.org");
        Some(if preprint {
            Kind::Preprint
        } else {
            Kind::Article
        })
    } else if has("Book") {
        Some(Kind::Book)
    } else if has("BookSection") {
        Some(Kind::Chapter)
    } else if has("Dataset") {
        Some(Kind::Dataset)
    } else {
        None
    }
}
