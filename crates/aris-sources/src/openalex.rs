//! OpenAlex: works.
//!
//! **Source**: OpenAlex developer documentation (work object, filters, paging) and recorded answers. Looking up a work by identifier
//! is free, searches are metered; for an unknown work the answer is a 404 with an HTML page.

use std::collections::BTreeMap;

use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::Doi;
use aris_http::{Client, Doubt, HttpError, Request, Response};
use serde_json::Value;

use crate::answer::{Answer, listed, no_answer, single, whole};
use crate::hosts::OPENALEX;
use crate::json::{at, body, count, doi, list, text, texts, year};
use crate::keep;

/// Most results per page.
///
/// **Source**: OpenAlex, "Page through results": `per_page` is between 1 and 100.
const PAGE: usize = 100;

/// The fields of a work that this module reads.
///
/// **Source**: OpenAlex, "Select Fields": root-level fields, separated by commas, for lists and for one work.
const FIELDS: &str = "id,doi,title,display_name,authorships,publication_year,publication_date,primary_location,best_oa_location,\
    locations,type,abstract_inverted_index,ids,open_access,cited_by_count,referenced_works_count,topics,keywords,language,is_retracted";

/// Most authors of a work in a list.
///
/// **Source**: OpenAlex, "Works with more than 100 authors are truncated".
const AUTHORS: usize = 100;

/// Most words of an abstract that are put together; no abstract has more.
const WORDS: usize = 20_000;

/// The page for an unknown work. **Source**: recorded answers.
const NO_WORK: &str = "<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>";

/// Requests a work by DOI. `None`: OpenAlex has no such work.
pub fn by_doi(client: &Client, doi: &Doi) -> Result<Option<Answer>, HttpError> {
    by_name(client, &format!("doi:{}", doi.folded()))
}

/// Requests a work by an identifier: `W2741809807`, `doi:…`, `pmid:…`. `None`: OpenAlex has no such work.
pub fn by_name(client: &Client, name: &str) -> Result<Option<Answer>, HttpError> {
    let request = Request::get(&OPENALEX, "/works")
        .segments(name)
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, single(read))
}

/// Searches `count` works by words, page by page, with the `filters` (`name:value`, in OpenAlex's syntax), in the order `sort`
/// (`cited_by_count:desc`) or by relevance.
pub fn search(
    client: &Client,
    words: &str,
    filters: &[String],
    sort: Option<&str>,
    count: usize,
) -> Result<Answer, HttpError> {
    let size = count.clamp(1, PAGE);
    let filter = Some(filters.join(",")).filter(|filter| !filter.is_empty());
    let mut request = Request::get(&OPENALEX, "/works")
        .query("search", words)
        .query("per_page", &size.to_string())
        .query("select", FIELDS)
        .query_if("sort", sort)
        .query_if("filter", filter.as_deref())
        .keep(keep::SEARCH, keep::ABSENCE);
    request.metered = true;
    let found = Answer::gather(count, |found| {
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
    // The page number is dropped, because callers do not know the page size.
    Ok(found?.unwrap_or_default().first(count))
}

/// Parses an answer: a list of works, or one work. `None`: the work does not exist.
///
/// **Errors**: a body that is not an answer, and an error that OpenAlex reports.
pub fn read(response: &Response) -> Result<Option<Answer>, Doubt> {
    if response.is_absence() {
        let page = String::from_utf8_lossy(&response.body);
        let own = page.contains(NO_WORK).then_some(None);
        return own.ok_or_else(|| no_answer("404 with a body that is not OpenAlex's"));
    }
    let value = body(response)?;
    let total = count(&value, &["meta", "count"]);
    let read = |work: &Value| paper(work, response);
    let answer = match value.get("results") {
        // A later page may be empty.
        Some(found) if count(&value, &["meta", "page"]).unwrap_or(1) > 1 => {
            Answer::of(found.as_array().into_iter().flatten(), read)
        }
        Some(found) => Answer::of(whole(found, total)?, read),
        None => Answer::of([&value], read),
    };
    if value.get("results").is_none() && answer.items.iter().any(|(_, paper)| paper.is_none()) {
        let said = text(&value, &["message"]).or_else(|| text(&value, &["error"]));
        return Err(said.map_or_else(
            || no_answer("neither a work nor a list of works"),
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
    let doi = doi(work, &["doi"]);
    let best = at(work, &["best_oa_location"]);
    let primary = at(work, &["primary_location"]);
    let pages = texts(list(work, &["locations"]), &["landing_page_url"]);
    let arxiv = doi.as_ref().and_then(Doi::arxiv);
    let arxiv = arxiv.or_else(|| pages.iter().find_map(|page| crate::arxiv_of(page)));
    Some(Paper {
        title: text(work, &["title"])
            .or_else(|| text(work, &["display_name"]))
            .unwrap_or_default(),
        authors: list(work, &["authorships"])
            .iter()
            .filter_map(author)
            .collect(),
        // `is_authors_truncated` cannot be selected, so the length of the list is checked as well.
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
        fields: texts(list(work, &["topics"]), &["display_name"]),
        retracted: at(work, &["is_retracted"]).as_bool(),
        ..crate::record(Source::Openalex, &id, response.fetched_at)
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

/// The abstract from its inverted index, which maps words to positions.
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
