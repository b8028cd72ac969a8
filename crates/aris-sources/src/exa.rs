//! Exa: web search, including papers.
//!
//! **Source**: Exa API reference (`/search`, `/findSimilar`, `/contents`: body fields, the result object, error bodies). A result is a
//! page; it becomes a record if its address contains an arXiv identifier or DOI.

use aris_contract::artifact::papers::{Identifiers, Links, Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_http::{Client, Doubt, HttpError, Request, Response};
use serde_json::{Value, json};

use crate::answer::{Answer, no_answer};
use crate::hosts::EXA;
use crate::json::{at, body, day, names, text, year_of};
use crate::keep;

/// Most results per request.
const PAGE: usize = 100;

/// The endpoint of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Pages for a query.
    Search,
    /// Pages similar to a page.
    FindSimilar,
    /// The contents of pages.
    Contents,
}

impl Endpoint {
    const fn path(self) -> &'static str {
        match self {
            Self::Search => "/search",
            Self::FindSimilar => "/findSimilar",
            Self::Contents => "/contents",
        }
    }
}

/// Sends a request; returns the results as Exa describes them, each with its record.
pub fn ask(client: &Client, endpoint: Endpoint, wanted: &Value) -> Result<Answer, HttpError> {
    let request = Request::post(&EXA, endpoint.path(), wanted).keep(keep::SEARCH, keep::ABSENCE);
    client.ask(&request, read)
}

/// Searches papers by words.
pub fn papers(client: &Client, words: &str, count: usize) -> Result<Answer, HttpError> {
    let wanted = json!({
        "query": words,
        "numResults": count.clamp(1, PAGE),
        "type": "auto",
        "category": "research paper",
    });
    ask(client, Endpoint::Search, &wanted)
}

/// Parses the results of any endpoint.
pub fn read(response: &Response) -> Result<Answer, Doubt> {
    let answer = body(response)?;
    let said = || text(&answer, &["error"]).or_else(|| text(&answer, &["message"]));
    let results = at(&answer, &["results"])
        .as_array()
        .ok_or_else(|| match said() {
            Some(refusal) if response.status == 400 => Doubt::Malformed(refusal),
            said => no_answer(said.unwrap_or_else(|| String::from("no results"))),
        })?;
    Ok(Answer::of(results, |result| Some(paper(result, response))))
}

/// The record of a page.
pub fn paper(result: &Value, response: &Response) -> Paper {
    let url = text(result, &["url"]).unwrap_or_default();
    let id = text(result, &["id"]).unwrap_or_else(|| url.clone());
    let date = day(result, &["publishedDate"]);
    let arxiv = (url.contains("arxiv.org/"))
        .then(|| ArxivId::parse(&url).ok())
        .flatten();
    Paper {
        title: text(result, &["title"]).unwrap_or_default(),
        // One text for all authors, separated by commas or semicolons.
        authors: names(&text(result, &["author"]).unwrap_or_default()),
        year: year_of(date.as_ref()),
        date,
        summary: text(result, &["summary"]),
        ids: Identifiers {
            arxiv_version: arxiv.as_ref().and_then(ArxivId::version),
            arxiv: arxiv.map(|id| id.without_version()),
            doi: (url.contains("doi.org/"))
                .then(|| Doi::parse(&url).ok())
                .flatten()
                .into_iter()
                .collect(),
            ..Identifiers::default()
        },
        links: Links {
            page: Some(url),
            pdf: None,
        },
        ..crate::record(Source::Exa, &id, response.fetched_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(body: &[u8]) -> Response {
        Response {
            status: 200,
            body: body.to_vec(),
            ..Response::default()
        }
    }

    #[test]
    fn an_address_of_arxiv_or_a_doi_makes_a_paper_of_a_page() {
        let body = br#"{"results":[{"title":"A","url":"https://arxiv.org/abs/1706.03762v5","publishedDate":"2017-06-12T00:00:00Z"},
            {"title":"B","url":"https://doi.org/10.1000/1"},{"title":"C","url":"https://example.com/1706.03762"}]}"#;
        let found = read(&response(body)).expect("results").papers();
        let ids: Vec<_> = found.iter().map(|paper| &paper.ids).collect();
        assert_eq!((ids[0].arxiv_version, found[0].year), (Some(5), Some(2017)));
        assert_eq!(ids[1].doi.len(), 1);
        assert!(ids[2].arxiv.is_none() && ids[2].doi.is_empty());
        assert!(matches!(read(&response(b"{}")), Err(Doubt::NotAnAnswer(_))));
        assert!(matches!(
            read(&response(b"<html>")),
            Err(Doubt::NotAnAnswer(_))
        ));
    }

    proptest::proptest! {
        #[test]
        fn no_answer_makes_it_panic(text in "\\PC{0,60}", bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
            let body = json!({"results": [{"title": text, "url": text, "publishedDate": text, "author": text}, text]});
            drop(read(&response(body.to_string().as_bytes())));
            drop(read(&response(&bytes)));
        }
    }
}
