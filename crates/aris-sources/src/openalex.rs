//! OpenAlex: works.
//!
//! **Source**: OpenAlex developer documentation (work object, filters, paging) and recorded answers. Looking a work up by identifier
//! is free, searching is metered; an unknown work is 404 with an HTML page.

use std::collections::BTreeMap;

use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_http::{Client, Doubt, HttpError, Request, Response};
use serde_json::Value;

use crate::answer::{Answer, listed, single};
use crate::hosts::OPENALEX;
use crate::json::{at, body, count, list, text, year};
use crate::keep;

/// Results in one page at most.
///
/// **Source**: OpenAlex, "Page through results": `per_page` is between 1 and 100.
const PAGE: usize = 100;

/// The fields of a work that are read here.
///
/// **Source**: OpenAlex, "Select Fields": root-level fields, separated by commas, for lists and for one work.
const FIELDS: &str = "id,doi,title,display_name,authorships,publication_year,publication_date,primary_location,best_oa_location,\
    locations,type,abstract_inverted_index,ids,open_access,cited_by_count,referenced_works_count,topics,keywords,language,is_retracted";

/// Authors in a list of works at most.
///
/// **Source**: OpenAlex, "Works with more than 100 authors are truncated".
const AUTHORS: usize = 100;

/// Words of an abstract that are put together again; more than any abstract has.
const WORDS: usize = 20_000;

/// What a search asks for beside its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words to search for.
    pub words: String,
    /// `name:value` conditions, as OpenAlex writes them.
    pub filters: Vec<String>,
    /// `cited_by_count:desc`; empty for relevance.
    pub sort: String,
    /// Results wanted.
    pub count: usize,
}

/// Asks for a work by DOI. `None`: OpenAlex has no such work.
pub fn by_doi(client: &Client, doi: &Doi) -> Result<Option<Answer>, HttpError> {
    by_name(client, &format!("doi:{}", doi.folded()))
}

/// Asks for a work by a name, `W2741809807`, `doi:…`, `pmid:…`. `None`: OpenAlex has no such work.
pub fn by_name(client: &Client, name: &str) -> Result<Option<Answer>, HttpError> {
    let request = Request::get(&OPENALEX, "/works")
        .segments(name)
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, single(read))
}

/// Asks for works by words, page by page.
pub fn search(client: &Client, search: &Search) -> Result<Answer, HttpError> {
    let size = search.count.clamp(1, PAGE);
    let sort = Some(search.sort.as_str()).filter(|sort| !sort.is_empty());
    let filter = search.filters.join(",");
    let request = Request::get(&OPENALEX, "/works")
        .query("search", &search.words)
        .query("per_page", &size.to_string())
        .query("select", FIELDS)
        .query_if("sort", sort)
        .query_if(
            "filter",
            Some(filter.as_str()).filter(|filter| !filter.is_empty()),
        )
        .keep(keep::SEARCH, keep::ABSENCE)
        .metered();
    let found = Answer::gather(search.count, |found| {
        let page = found.next.map(|page| page.to_string());
        let mut answer = client.ask(
            &request.clone().query_if("page", page.as_deref()),
            listed(read),
        )?;
        if let Some(answer) = &mut answer {
            let full = answer.items.len() == size;
            answer.next = full.then(|| found.next.unwrap_or(1) + 1);
        }
        Ok(answer)
    });
    let mut found = found?.unwrap_or_default();
    found.items.truncate(search.count);
    // The number of a page is of no use without its size.
    found.next = None;
    Ok(found)
}

/// Reads an answer: a list of works, or one work. `None`: there is no such work.
///
/// **Errors**: what is no answer, and an error that OpenAlex reports.
pub fn read(response: &Response) -> Result<Option<Answer>, Doubt> {
    if response.is_absence() {
        return Ok(None);
    }
    let value = body(response)?;
    let total = count(&value, &["meta", "count"]);
    let read = |work: &Value| paper(work, response);
    let answer = match at(&value, &["results"]).as_array() {
        Some(list) => Answer::of(list, read),
        None => Answer::of([&value], read),
    };
    let listed = value.get("results").is_some();
    let is_first = count(&value, &["meta", "page"]).unwrap_or(1) == 1;
    if answer.items.is_empty() && is_first && total.is_some_and(|total| total > 0) {
        return Err(Doubt::NotAnAnswer(String::from(
            "an empty page, although results are announced",
        )));
    }
    if !listed && answer.items.iter().any(|(_, paper)| paper.is_none()) {
        let said = text(&value, &["message"]).or_else(|| text(&value, &["error"]));
        return Err(said.map_or_else(
            || Doubt::NotAnAnswer(String::from("neither a work nor a list of works")),
            Doubt::Malformed,
        ));
    }
    Ok(Some(Answer { total, ..answer }))
}

/// The record of a work object.
pub fn paper(work: &Value, response: &Response) -> Option<Paper> {
    let id = text(work, &["id"])?.rsplit('/').next()?.to_owned();
    if !id.starts_with('W') {
        return None;
    }
    let doi = text(work, &["doi"]).and_then(|doi| Doi::parse(&doi).ok());
    let best = at(work, &["best_oa_location"]);
    let primary = at(work, &["primary_location"]);
    let pages = list(work, &["locations"])
        .iter()
        .filter_map(|location| text(location, &["landing_page_url"]));
    let arxiv = doi
        .as_ref()
        .and_then(Doi::arxiv)
        .or_else(|| {
            pages
                .filter(|page| page.contains("arxiv.org/"))
                .find_map(|page| ArxivId::parse(&page).ok())
        })
        .map(|id| id.without_version());
    Some(Paper {
        title: text(work, &["title"])
            .or_else(|| text(work, &["display_name"]))
            .unwrap_or_default(),
        authors: list(work, &["authorships"])
            .iter()
            .filter_map(author)
            .collect(),
        // The mark of a list that was cut is none of the fields that can be asked for.
        authors_cut: list(work, &["authorships"]).len() == AUTHORS
            || at(work, &["is_authors_truncated"]).as_bool() == Some(true),
        year: year(work, &["publication_year"]),
        date: text(work, &["publication_date"]),
        venue: text(primary, &["source", "display_name"])
            .or_else(|| text(primary, &["raw_source_name"])),
        kind: text(work, &["type"]).map(|kind| kind_of(&kind, primary)),
        summary: summary(at(work, &["abstract_inverted_index"])),
        ids: Identifiers {
            arxiv,
            doi: doi.into_iter().collect(),
            pubmed: text(work, &["ids", "pmid"])
                .and_then(|url| url.rsplit('/').next().map(str::to_owned)),
            openalex: Some(id.clone()),
            ..Identifiers::default()
        },
        links: Links {
            page: text(primary, &["landing_page_url"]),
            pdf: text(best, &["pdf_url"])
                .or_else(|| text(primary, &["pdf_url"]))
                .or_else(|| text(work, &["open_access", "oa_url"])),
        },
        citation_count: count(work, &["cited_by_count"]),
        reference_count: count(work, &["referenced_works_count"]),
        fields: list(work, &["topics"])
            .iter()
            .filter_map(|topic| text(topic, &["display_name"]))
            .collect(),
        retracted: at(work, &["is_retracted"]).as_bool(),
        origins: crate::origins(Source::Openalex, id, response.fetched_at),
        ..Paper::default()
    })
}

fn author(value: &Value) -> Option<Author> {
    let name =
        text(value, &["author", "display_name"]).or_else(|| text(value, &["raw_author_name"]))?;
    Some(Author {
        orcid: text(value, &["author", "orcid"]).and_then(|url| crate::orcid(&url)),
        ..Author::named(&name)
    })
}

/// The abstract from its inverted index: words with their places.
fn summary(index: &Value) -> Option<String> {
    let mut words: BTreeMap<usize, &str> = BTreeMap::new();
    for (word, places) in index.as_object()? {
        for place in places.as_array()? {
            let place = usize::try_from(place.as_u64()?).ok()?;
            if words.len() < WORDS {
                words.insert(place, word);
            }
        }
    }
    let text = words.into_values().collect::<Vec<_>>().join(" ");
    let text = crate::plain::untagged(&text);
    (!text.is_empty()).then_some(text)
}

fn kind_of(kind: &str, primary: &Value) -> Kind {
    match kind {
        "article" | "review" | "letter" | "editorial" | "erratum" => {
            match text(primary, &["source", "type"]).as_deref() {
                Some("conference") => Kind::Proceedings,
                Some("repository") => Kind::Preprint,
                _ => Kind::Article,
            }
        }
        "preprint" => Kind::Preprint,
        "book" | "reference-entry" => Kind::Book,
        "book-chapter" => match text(primary, &["raw_type"]).as_deref() {
            Some("journal-article") => Kind::Article,
            Some("proceedings-article") => Kind::Proceedings,
            _ => Kind::Chapter,
        },
        "dissertation" => Kind::Thesis,
        "report" | "standard" => Kind::Report,
        "dataset" | "software" => Kind::Dataset,
        _ => Kind::Other,
    }
}
