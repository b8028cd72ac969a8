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

/// What is asked of a paper whose record is wanted.
pub const FIELDS: &str = "title,authors,year,publicationDate,venue,journal,publicationTypes,abstract,externalIds,url,openAccessPdf,citationCount,referenceCount,fieldsOfStudy";

/// Papers in one batch at most.
const BATCH: usize = 500;

/// Results in one page of a search at most.
const PAGE: usize = 100;

/// Neighbours in one page at most.
const NEIGHBOURS: usize = 1000;

/// How many papers of a list are asked for, and from which on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Number of the first one, from 0.
    pub start: usize,
    /// Papers wanted.
    pub count: usize,
    /// What is asked of each.
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

    /// Asks page by page, `largest` papers at once.
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

/// Asks for papers by words, best match first, within `filters` (`year`, `venue` …).
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

/// Asks for all papers that fit, in the order `sort`, until there are `count` or more. The token of the answer goes on behind its last
/// paper; `token` is that of an earlier answer.
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

/// Asks for the papers that cite a paper, or with `references` for those that it cites. `None`: there is no such paper.
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

/// **Source**: Graph API, `/paper/search`: the names of the filters are those of the query.
fn filtered(path: &'static str, words: &str, filters: &[(&'static str, String)]) -> Request {
    let request = Request::get(&SEMANTIC_SCHOLAR, path).query("query", words);
    let filters = filters.iter();
    filters
        .fold(request, |request, (name, value)| request.query(name, value))
        .keep(keep::SEARCH, keep::ABSENCE)
}

/// Asks for papers by any of their names (`DOI:…`, `ARXIV:…`, 40 hexadecimal digits); the items are in the order of the names. Each is kept
/// for itself: who asks for one more asks for that one.
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

/// What is kept for a name that a batch does not know.
const NO_PAPER: &[u8] = br#"{"error":"no such paper"}"#;

/// Reads the answer for so many names.
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

/// Asks for one paper by any of its names. `None`: there is no such paper.
pub fn by_name(client: &Client, name: &str, fields: &str) -> Result<Option<Answer>, HttpError> {
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper")
        .segments(name)
        .query("fields", fields)
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, single(read))
}

/// Asks for the paper whose title fits best. `None`: nothing fits.
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

/// Reads an answer of any shape: a page of a search, a page of neighbours, a batch, one paper. `None`: there is no such paper, or in a batch
/// none of them.
///
/// **Source**: Graph API. An empty search has `total` 0 and no `data`; a batch is a list with `null` for each name that is unknown, and 400 with
/// "No valid paper ids given" when all of them are; neighbours stand inside `citingPaper` or `citedPaper`; a list that a publisher holds back
/// is `null`; what is not there is 404 with a message.
///
/// **Errors**: what is no answer, and an error that Semantic Scholar reports.
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
        // The total is an estimate: only an empty first page contradicts it.
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

/// The paper of a neighbour, or the item itself.
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
