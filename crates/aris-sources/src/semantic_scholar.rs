//! Semantic Scholar: the academic graph.
//!
//! **Source**: Semantic Scholar Academic Graph API documentation (paper object, search, match, batch) and recorded answers. A batch
//! has `null` where a paper is unknown; an empty search has no `data` at all; a title without a match is 404.

use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Origin, Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_http::{Client, Doubt, Expect, HttpError, Request, Response};
use serde_json::{Value, json};

use crate::hosts::SEMANTIC_SCHOLAR;
use crate::json::{at, body, count, list, text, year};
use crate::keep;

/// What is asked of each paper.
pub const FIELDS: &str = "title,authors,year,publicationDate,venue,journal,publicationTypes,abstract,externalIds,url,openAccessPdf,citationCount,referenceCount,fieldsOfStudy";

/// Papers in one batch at most.
pub const BATCH: usize = 500;

/// Results in one page of a search at most.
pub const PAGE: usize = 100;

/// Asks for papers by any of their names (`DOI:…`, `ARXIV:…`, 40 hexadecimal digits). `None` where there is no such paper; the order is that
/// of the names. Each is kept for itself: who asks for one more asks for that one.
pub fn batch(client: &Client, names: &[String]) -> Result<Vec<Option<Paper>>, HttpError> {
    let mut found: Vec<Option<Paper>> = Vec::with_capacity(names.len());
    let mut unknown = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if client.is_kept(&one(name)) {
            found.push(client.ask(&one(name), parse_kept)?);
        } else {
            found.push(None);
            unknown.push((at, name));
        }
    }
    for part in unknown.chunks(BATCH) {
        let list: Vec<&String> = part.iter().map(|(_, name)| *name).collect();
        let request = Request::post(&SEMANTIC_SCHOLAR, "/paper/batch", &json!({ "ids": list }))
            .query("fields", FIELDS);
        let (papers, whole) = client.ask(&request, |response| {
            Ok((parse_batch(response, list.len())?, response.clone()))
        })?;
        let bodies: Vec<Value> = serde_json::from_slice(&whole.body).unwrap_or_default();
        let absent = Response {
            status: 404,
            ..whole.clone()
        };
        for (number, ((at, name), paper)) in part.iter().zip(papers).enumerate() {
            match bodies.get(number).filter(|_| paper.is_some()) {
                Some(body) => {
                    client.keep(&one(name), json!([body]).to_string().into_bytes(), &whole);
                }
                None => client.keep(&one(name), Vec::new(), &absent),
            }
            if let Some(place) = found.get_mut(*at) {
                *place = paper;
            }
        }
    }
    Ok(found)
}

/// The question for one paper, under which its record is kept.
fn one(name: &str) -> Request {
    Request::post(&SEMANTIC_SCHOLAR, "/paper/batch", &json!({ "ids": [name] }))
        .query("fields", FIELDS)
        .keep(keep::RECORD, keep::ABSENCE)
}

/// Reads what is kept for one paper. An old answer that says "none" is no answer: it may be older than a day.
fn parse_kept(response: &Response) -> Result<Option<Paper>, Doubt> {
    if response.is_absence() {
        return Ok(None);
    }
    match parse_batch(response, 1)?.pop().flatten() {
        Some(paper) => Ok(Some(paper)),
        None => Err(Doubt::NotAnAnswer(String::from("an old absence"))),
    }
}

/// Reads the answer to a batch of `count` names.
///
/// **Source**: Graph API, `/paper/batch`: a list with `null` for each name that is unknown; 400 with "No valid paper ids given" when all of
/// them are.
pub fn parse_batch(response: &Response, count: usize) -> Result<Vec<Option<Paper>>, Doubt> {
    let answer = body(response)?;
    if response.status == 400 && refusal(&answer).contains("No valid paper ids given") {
        return Ok(vec![None; count]);
    }
    let papers = answer
        .as_array()
        .ok_or_else(|| Doubt::Malformed(refusal(&answer)))?;
    if papers.len() != count {
        return Err(Doubt::NotAnAnswer(format!(
            "{} papers for {count} names",
            papers.len()
        )));
    }
    Ok(papers.iter().map(|value| paper(value, response)).collect())
}

/// Asks for one paper by any of its names. `None`: there is no such paper.
pub fn by_name(client: &Client, name: &str) -> Result<Option<Paper>, HttpError> {
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper", Expect::Json)
        .segments(name)
        .query("fields", FIELDS)
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, parse_one)
}

/// Reads the answer for one paper.
pub fn parse_one(response: &Response) -> Result<Option<Paper>, Doubt> {
    let answer = body(response)?;
    if response.is_absence() {
        return absence(&answer);
    }
    paper(&answer, response)
        .map(Some)
        .ok_or_else(|| Doubt::Malformed(refusal(&answer)))
}

/// Asks for the paper whose title fits best. `None`: nothing fits.
pub fn by_title(client: &Client, title: &str) -> Result<Option<Paper>, HttpError> {
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper/search/match", Expect::Json)
        .query("query", &without_hyphens(title))
        .query("fields", FIELDS)
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, parse_match)
}

/// Reads the answer to a title.
pub fn parse_match(response: &Response) -> Result<Option<Paper>, Doubt> {
    let answer = body(response)?;
    if response.is_absence() {
        return absence(&answer);
    }
    let found = at(&answer, &["data"])
        .as_array()
        .ok_or_else(|| Doubt::Malformed(refusal(&answer)))?;
    Ok(found.first().and_then(|value| paper(value, response)))
}

/// Asks for papers by words, best match first.
pub fn search(client: &Client, words: &str, rows: usize) -> Result<Vec<Paper>, HttpError> {
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper/search", Expect::Json)
        .query("query", &without_hyphens(words))
        .query("limit", &rows.clamp(1, PAGE).to_string())
        .query("fields", FIELDS)
        .keep(keep::SEARCH, keep::ABSENCE);
    client.ask(&request, parse_list)
}

/// Reads a page of a search.
pub fn parse_list(response: &Response) -> Result<Vec<Paper>, Doubt> {
    let answer = body(response)?;
    let total = count(&answer, &["total"]);
    match at(&answer, &["data"]) {
        Value::Array(found) => Ok(found
            .iter()
            .filter_map(|value| paper(value, response))
            .collect()),
        _ if total == Some(0) => Ok(Vec::new()),
        _ if total.is_some() => Err(Doubt::NotAnAnswer(String::from(
            "results are announced and none are there",
        ))),
        _ => Err(Doubt::Malformed(refusal(&answer))),
    }
}

/// **Source**: Graph API, `/paper/search`, `query`: "Hyphenated query terms yield no matches (replace it with space to find matches)".
fn without_hyphens(words: &str) -> String {
    words.replace(['-', '\u{2010}', '\u{2011}'], " ")
}

/// 404 counts as absence when Semantic Scholar itself says it.
fn absence<T>(answer: &Value) -> Result<Option<T>, Doubt> {
    if at(answer, &["error"]).is_string() || at(answer, &["message"]).is_string() {
        Ok(None)
    } else {
        Err(Doubt::NotAnAnswer(String::from(
            "404 with a body that is not Semantic Scholar's",
        )))
    }
}

fn refusal(answer: &Value) -> String {
    text(answer, &["error"])
        .or_else(|| text(answer, &["message"]))
        .unwrap_or_else(|| String::from("neither a paper nor papers"))
}

/// The record of a paper object.
pub fn paper(value: &Value, response: &Response) -> Option<Paper> {
    let id = text(value, &["paperId"])?;
    let ids = at(value, &["externalIds"]);
    let mut dois: Vec<Doi> = text(ids, &["DOI"])
        .and_then(|doi| Doi::parse(&doi).ok())
        .into_iter()
        .collect();
    let arxiv = text(ids, &["ArXiv"])
        .and_then(|id| ArxivId::parse(&id).ok())
        .or_else(|| dois.first().and_then(crate::arxiv_of_doi))
        .map(|id| id.without_version());
    dois.dedup();
    let kinds = list(value, &["publicationTypes"]);
    Some(Paper {
        title: text(value, &["title"]).unwrap_or_default(),
        authors: list(value, &["authors"])
            .iter()
            .filter_map(|author| text(author, &["name"]))
            .map(|name| Author::named(&name))
            .collect(),
        year: year(value, &["year"]),
        date: text(value, &["publicationDate"]),
        venue: text(value, &["venue"]).or_else(|| text(value, &["journal", "name"])),
        kind: kind_of(kinds, value),
        summary: text(value, &["abstract"]),
        ids: Identifiers {
            arxiv,
            doi: dois,
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
        fields: list(value, &["fieldsOfStudy"])
            .iter()
            .filter_map(|field| text(field, &[]))
            .collect(),
        origins: vec![Origin {
            source: Source::SemanticScholar,
            record: id,
            retrieved_at: aris_contract::time::stamp(response.fetched_at),
        }],
        ..Paper::default()
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
