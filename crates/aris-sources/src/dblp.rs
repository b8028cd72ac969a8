//! DBLP: the search for publications.
//!
//! **Source**: DBLP's frequently asked questions, "How to use the dblp search API", and recorded answers. A single author is an
//! object, several are a list; titles end with a full stop; a name may end with four digits that distinguish namesakes.

use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::Doi;
use aris_http::{Client, Doubt, HttpError, Request, Response};
use serde_json::Value;

use crate::answer::no_answer;
use crate::hosts::DBLP;
use crate::json::{at, body, count, doi, first, list, text, year};
use crate::keep;

/// Searches publications by words, best match first.
pub fn search(client: &Client, words: &str, rows: usize) -> Result<Vec<Paper>, HttpError> {
    let request = Request::get(&DBLP, "/search/publ/api")
        .query("q", words)
        .query("format", "json")
        .query("h", &rows.min(1000).to_string())
        .keep(keep::SEARCH, keep::ABSENCE);
    client.ask(&request, parse)
}

/// Parses an answer.
pub fn parse(response: &Response) -> Result<Vec<Paper>, Doubt> {
    let answer = body(response)?;
    let hits = at(&answer, &["result", "hits"]);
    if !hits.is_object() {
        return Err(no_answer("no result.hits"));
    }
    let status = text(&answer, &["result", "status", "@code"]);
    if let Some(status) = status.filter(|status| status != "200") {
        return Err(no_answer(format!("status {status}")));
    }
    let total = count(hits, &["@total"]);
    let found = list(hits, &["hit"]);
    if found.is_empty() && total != Some(0) {
        let total = total.map_or(String::from("an unknown number"), |total| total.to_string());
        let what = format!("no hits, although {total} are announced");
        return Err(no_answer(what));
    }
    let papers = found.iter().filter_map(|hit| paper(hit, response));
    Ok(papers.collect())
}

/// The record of a hit.
pub fn paper(hit: &Value, response: &Response) -> Option<Paper> {
    let info = at(hit, &["info"]);
    let key = text(info, &["key"])?;
    let doi = doi(info, &["doi"]);
    let link = first(info, &["ee"]);
    let arxiv = doi.as_ref().and_then(Doi::arxiv);
    let arxiv = arxiv.or_else(|| crate::arxiv_of(link.as_deref()?));
    let people = at(info, &["authors", "author"]);
    let listed = people.as_array().map(Vec::as_slice);
    let people = listed.unwrap_or(std::slice::from_ref(people));
    Some(Paper {
        title: text(info, &["title"])
            .map(|title| title.strip_suffix('.').unwrap_or(&title).to_owned())
            .unwrap_or_default(),
        authors: people
            .iter()
            .filter_map(|person| text(person, &["text"]).or_else(|| text(person, &[])))
            .map(|name| Author::named(without_number(&name)))
            .collect(),
        year: year(info, &["year"]),
        venue: first(info, &["venue"]),
        kind: text(info, &["type"]).map(|kind| kind_of(&kind, &key)),
        ids: Identifiers {
            arxiv,
            doi: doi.into_iter().collect(),
            dblp: Some(key.clone()),
            ..Identifiers::default()
        },
        links: Links {
            page: link.or_else(|| text(info, &["url"])),
            pdf: None,
        },
        ..crate::record(Source::Dblp, &key, response.fetched_at)
    })
}

/// A name without the four digits that distinguish namesakes, as in `Wei Wang 0001`.
fn without_number(name: &str) -> &str {
    match name.rsplit_once(' ') {
        Some((bare, number))
            if number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            bare
        }
        _ => name,
    }
}

fn kind_of(kind: &str, key: &str) -> Kind {
    match kind {
        "Conference and Workshop Papers" => Kind::Proceedings,
        "Journal Articles" if key.starts_with("journals/corr/") => Kind::Preprint,
        "Journal Articles" => Kind::Article,
        "Informal and Other Publications" | "Informal Publications" => Kind::Preprint,
        "Books and Theses" | "Editorship" => Kind::Book,
        "Parts in Books or Collections" => Kind::Chapter,
        "Data and Artifacts" => Kind::Dataset,
        _ => Kind::Other,
    }
}
