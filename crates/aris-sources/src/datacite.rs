//! DataCite: the REST interface, `dois`. DOIs of arXiv, Zenodo and many repositories are registered here.
//!
//! **Source**: DataCite REST API guide (retrieving a DOI, JSON:API errors) and the metadata schema 4.6.

use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::Doi;
use aris_http::{Client, Doubt, HttpError, Request, Response};
use serde_json::Value;

use crate::answer::no_answer;
use crate::hosts::DATACITE;
use crate::json::{at, body, count, doi, first, list, text, year};
use crate::keep;

/// Requests the work with a DOI. `None`: DataCite has no such DOI.
pub fn by_doi(client: &Client, doi: &Doi) -> Result<Option<Paper>, HttpError> {
    let request = Request::get(&DATACITE, "/dois")
        .segments(doi.folded())
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, parse)
}

/// Parses the answer for one DOI.
pub fn parse(response: &Response) -> Result<Option<Paper>, Doubt> {
    let answer = body(response)?;
    if response.is_absence() {
        return if at(&answer, &["errors"]).is_array() {
            Ok(None)
        } else {
            Err(no_answer("404 with a body that is not DataCite's"))
        };
    }
    let attributes = at(&answer, &["data", "attributes"]);
    let doi = doi(attributes, &["doi"]).ok_or_else(|| no_answer("no data.attributes.doi"))?;
    let date = list(attributes, &["dates"])
        .iter()
        .find(|date| {
            text(date, &["dateType"]).is_some_and(|kind| kind == "Issued" || kind == "Submitted")
        })
        .and_then(|date| text(date, &["date"]))
        .and_then(|date| date.get(..10.min(date.len())).map(str::to_owned));
    let general = text(attributes, &["types", "resourceTypeGeneral"]);
    Ok(Some(Paper {
        title: list(attributes, &["titles"])
            .iter()
            .find(|title| at(title, &["titleType"]).is_null())
            .and_then(|title| text(title, &["title"]))
            .unwrap_or_default(),
        other_titles: list(attributes, &["titles"])
            .iter()
            .filter(|title| text(title, &["titleType"]).as_deref() != Some("Subtitle"))
            .filter_map(|title| text(title, &["title"]))
            .collect(),
        authors: list(attributes, &["creators"])
            .iter()
            .filter_map(author)
            .collect(),
        year: year(attributes, &["publicationYear"]),
        date,
        venue: text(attributes, &["container", "title"])
            .or_else(|| text(attributes, &["publisher"]))
            .or_else(|| text(attributes, &["publisher", "name"])),
        kind: general.map(|kind| kind_of(&kind)),
        summary: list(attributes, &["descriptions"])
            .iter()
            .find(|description| {
                text(description, &["descriptionType"]).as_deref() == Some("Abstract")
            })
            .and_then(|description| text(description, &["description"])),
        ids: Identifiers {
            arxiv: doi.arxiv(),
            doi: vec![doi.clone()],
            ..Identifiers::default()
        },
        links: Links {
            page: text(attributes, &["url"]),
            pdf: None,
        },
        citation_count: count(attributes, &["citationCount"]),
        fields: list(attributes, &["subjects"])
            .iter()
            .filter_map(|subject| first(subject, &["subject"]))
            .collect(),
        ..crate::record(Source::Datacite, doi.as_str(), response.fetched_at)
    }))
}

fn author(value: &Value) -> Option<Author> {
    let given = text(value, &["givenName"]);
    let family = text(value, &["familyName"]);
    let name = if let (Some(given), Some(family)) = (&given, &family) {
        format!("{given} {family}")
    } else {
        let whole = text(value, &["name"])?;
        let group = text(value, &["nameType"]).as_deref() == Some("Organizational");
        // DataCite writes a whole name as "Family, Given".
        match whole.split_once(", ") {
            Some((family, given)) if !group => format!("{given} {family}"),
            _ => whole,
        }
    };
    Some(Author {
        name,
        family,
        given,
        orcid: list(value, &["nameIdentifiers"])
            .iter()
            .find_map(|id| text(id, &["nameIdentifier"]))
            .and_then(|url| crate::orcid(&url)),
    })
}

fn kind_of(general: &str) -> Kind {
    match general {
        "JournalArticle" | "DataPaper" => Kind::Article,
        "ConferencePaper" | "ConferenceProceeding" => Kind::Proceedings,
        "Preprint" => Kind::Preprint,
        "Book" => Kind::Book,
        "BookChapter" => Kind::Chapter,
        "Dissertation" => Kind::Thesis,
        "Report" => Kind::Report,
        "Dataset" | "Software" | "Model" => Kind::Dataset,
        _ => Kind::Other,
    }
}
