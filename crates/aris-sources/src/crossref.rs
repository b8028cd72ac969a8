//! Crossref: the REST interface, `works`.
//!
//! **Source**: Crossref REST API documentation and format (`api-doc`, work object), and recorded answers. `Resource not found.` is a
//! 404 in plain text. arXiv's DOIs are registered elsewhere: a 404 here says nothing about them.

use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::Doi;
use aris_http::{Client, Doubt, HttpError, Mode, Request, Response};
use serde_json::{Value, json};

use crate::answer::{no_answer, whole};
use crate::hosts::{self, CROSSREF};
use crate::json::{at, body, count, date_parts, doi, first, list, text, texts};
use crate::keep;

/// Requests the work with a DOI. `None`: Crossref has no such DOI.
pub fn by_doi(client: &Client, doi: &Doi) -> Result<Option<Paper>, HttpError> {
    client.ask(&one(doi), parse_one)
}

fn one(doi: &Doi) -> Request {
    Request::get(&CROSSREF, "/works")
        .segments(doi.folded())
        .keep(keep::RECORD, keep::ABSENCE)
}

/// The fields of a work that this module reads; without this selection a list contains all references of each work.
///
/// **Source**: the answer of `/works` to an unknown `select` lists the valid fields (CrossRef/rest-api-doc, issues 289 and 302).
/// `institution`, which has the server of a preprint (bioRxiv), is not among them; it is not read from a single work either.
const FIELDS: &str = "DOI,type,title,original-title,subtitle,author,published,published-print,published-online,issued,posted,created,container-title,event,abstract,URL,is-referenced-by-count,references-count,subject,updated-by";

/// Most DOIs per list: half of the papers that are checked together.
const LIST: usize = 125;

/// Most bytes of DOIs per list: the URL stays below 6,000 bytes, where servers accept 8,000.
const LIST_BYTES: usize = 5_000;

/// Bytes of a DOI's filter in addition to the DOI: the filter's name, the comma, and an encoded slash.
const BESIDE: usize = 12;

/// Largest list, in bytes; a work with three thousand authors has some hundred thousand.
const LIST_LIMIT: u64 = 64 << 20;

/// Fewest DOIs for which a list is faster than single requests: a list takes the time of five records.
const LIST_FROM: usize = 6;

/// Requests the works of many DOIs in lists and stores them in the cache for [`by_doi`]. DOIs missing from a list are left to
/// [`by_doi`], because the search index may lag behind the register.
///
/// **Source**: REST API documentation, filter `doi`; several filters with the same name mean any of them. Commas separate filters, so
/// DOIs with a comma are left out.
///
/// **Errors**: that of the first list without an answer; it says nothing about the DOIs.
pub fn bring(client: &Client, dois: &[Doi]) -> Result<(), HttpError> {
    if client.settings.mode != Mode::Live {
        return Ok(());
    }
    let is_asked = |doi: &&Doi| !doi.folded().contains(',') && !client.is_kept(&one(doi));
    let unknown: Vec<&Doi> = dois.iter().filter(is_asked).collect();
    let mut rest = unknown.as_slice();
    while rest.len() >= LIST_FROM {
        let mut bytes = 0;
        let fits = |doi: &&&Doi| {
            bytes += doi.folded().len() + BESIDE;
            bytes <= LIST_BYTES
        };
        let count = rest.iter().take(LIST).take_while(fits).count().max(1);
        let (list, later) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        rest = later;
        let filters = list.iter().map(|doi| format!("doi:{}", doi.folded()));
        let filters = filters.collect::<Vec<_>>().join(",");
        let request = list_request(list.len()).query("filter", &filters);
        let request = request.limit(LIST_LIMIT);
        let (works, whole) = client.ask(&request, |response| {
            let answer = message(response, "work-list")?;
            let works = crate::json::list(&answer, &["message", "items"]).to_vec();
            Ok((works, response.clone()))
        })?;
        for work in works {
            if let Some(doi) = doi(&work, &["DOI"]) {
                let body = json!({"status": "ok", "message-type": "work", "message": work});
                client.keep(&one(&doi), &whole.part(200, body.to_string().into_bytes()));
            }
        }
    }
    Ok(())
}

/// Parses the answer for one DOI.
pub fn parse_one(response: &Response) -> Result<Option<Paper>, Doubt> {
    if absent(response)? {
        return Ok(None);
    }
    let answer = message(response, "work")?;
    paper(at(&answer, &["message"]), response)
        .map(Some)
        .ok_or_else(|| Doubt::Malformed(String::from("a work without DOI")))
}

/// Searches works by the text of a reference, best match first.
pub fn search(client: &Client, words: &str, rows: usize) -> Result<Vec<Paper>, HttpError> {
    let request = list_request(rows.min(100))
        .query("query.bibliographic", words)
        .keep(keep::SEARCH, keep::ABSENCE);
    client.ask(&request, parse_list)
}

/// The request for a list of `rows` works.
pub fn list_request(rows: usize) -> Request {
    let request = Request::get(&CROSSREF, "/works").query("select", FIELDS);
    let mut request = request.query("rows", &rows.to_string());
    request.slots = hosts::CROSSREF_LIST_SLOTS;
    request
}

/// Parses a list of works.
pub fn parse_list(response: &Response) -> Result<Vec<Paper>, Doubt> {
    let answer = message(response, "work-list")?;
    let total = count(&answer, &["message", "total-results"]);
    let works = whole(at(&answer, &["message", "items"]), total)?.iter();
    Ok(works.filter_map(|work| paper(work, response)).collect())
}

/// Whether Crossref itself says that the work does not exist. Another 404 may come from a proxy.
fn absent(response: &Response) -> Result<bool, Doubt> {
    if !response.is_absence() {
        return Ok(false);
    }
    let said = response.body.trim_ascii();
    let typed = |said: Value| said.get("status").and(said.get("message-type")).is_some();
    if said.eq_ignore_ascii_case(b"Resource not found.") || body(response).is_ok_and(typed) {
        Ok(true)
    } else {
        Err(no_answer(format!(
            "{} with a body that is not Crossref's",
            response.status
        )))
    }
}

fn message(response: &Response, kind: &str) -> Result<Value, Doubt> {
    let answer = body(response)?;
    let found = text(&answer, &["message-type"]).unwrap_or_default();
    if text(&answer, &["status"]).as_deref() == Some("failed") {
        let why = list(&answer, &["message"])
            .first()
            .and_then(|first| text(first, &["message"]));
        return Err(Doubt::Malformed(format!(
            "{found}: {}",
            why.unwrap_or_default()
        )));
    }
    if found == kind {
        Ok(answer)
    } else {
        Err(no_answer(format!(
            "message-type {found:?} instead of {kind:?}"
        )))
    }
}

/// Dates of publication; the first is the earliest.
const PUBLISHED: &[&str] = &["published", "published-print", "published-online", "issued"];

/// The record of a work object; `None` without a DOI.
pub fn paper(work: &Value, response: &Response) -> Option<Paper> {
    let doi = doi(work, &["DOI"])?;
    let dates = |keys: &'static [&str]| keys.iter().filter_map(|key| date_parts(at(work, &[key])));
    let dated = dates(PUBLISHED).chain(dates(&["posted", "created"])).next();
    let mut title = first(work, &["title"]).unwrap_or_default();
    if let Some(subtitle) = first(work, &["subtitle"])
        && !title.is_empty()
        && !title.to_lowercase().contains(&subtitle.to_lowercase())
    {
        title = format!("{title}: {subtitle}");
    }
    let retracted = list(work, &["updated-by"])
        .iter()
        .any(|update| text(update, &["type"]).is_some_and(|kind| kind == "retraction"));
    Some(Paper {
        title,
        authors: list(work, &["author"]).iter().filter_map(author).collect(),
        other_titles: texts(list(work, &["title"]), &[])
            .into_iter()
            .skip(1)
            .chain(texts(list(work, &["original-title"]), &[]))
            .collect(),
        year: dated.as_ref().map(|(_, year)| *year),
        other_years: dates(PUBLISHED).map(|(_, year)| year).collect(),
        date: dated.map(|(date, _)| date),
        venue: first(work, &["container-title"]).or_else(|| text(work, &["event", "name"])),
        kind: text(work, &["type"]).map(|kind| kind_of(&kind)),
        summary: text(work, &["abstract"]),
        ids: Identifiers {
            arxiv: doi.arxiv(),
            doi: vec![doi.clone()],
            ..Identifiers::default()
        },
        links: Links {
            page: text(work, &["URL"]),
            pdf: None,
        },
        citation_count: count(work, &["is-referenced-by-count"]),
        reference_count: count(work, &["references-count"]),
        fields: texts(list(work, &["subject"]), &[]),
        retracted: retracted.then_some(true),
        ..crate::record(Source::Crossref, doi.as_str(), response.fetched_at)
    })
}

fn author(value: &Value) -> Option<Author> {
    let given = text(value, &["given"]);
    let family = text(value, &["family"]);
    let name = match (&given, &family) {
        (Some(given), Some(family)) => format!("{given} {family}"),
        (None, Some(only)) | (Some(only), None) => only.clone(),
        // A group author.
        (None, None) => text(value, &["name"])?,
    };
    Some(Author {
        name,
        family,
        given,
        orcid: text(value, &["ORCID"]).and_then(|url| crate::orcid(&url)),
    })
}

/// **Source**: Crossref's list of types, `/types`.
fn kind_of(kind: &str) -> Kind {
    match kind {
        "journal-article" => Kind::Article,
        "proceedings-article" => Kind::Proceedings,
        "posted-content" => Kind::Preprint,
        "book" | "monograph" | "edited-book" | "reference-book" | "proceedings" => Kind::Book,
        "book-chapter" | "book-section" | "book-part" | "reference-entry" => Kind::Chapter,
        "dissertation" => Kind::Thesis,
        "report" | "report-component" | "standard" => Kind::Report,
        "dataset" | "database" => Kind::Dataset,
        _ => Kind::Other,
    }
}
