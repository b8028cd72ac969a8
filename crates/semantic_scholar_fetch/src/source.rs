//! What is asked, request by request.

use aris_contract::ids::{ArxivId, Doi};
use aris_sources::hosts::SEMANTIC_SCHOLAR;
use aris_sources::{Client, Expect, HttpError, Request, keep, semantic_scholar};
use serde_json::json;

use crate::Error;
use crate::answer::{self, Answer};
use crate::cli::{Filters, Neighbours, Search, SearchBulk};

/// Fields of a search and of a single paper: those of the reference, and the journal.
pub(crate) const FIELDS: &str = "paperId,title,abstract,year,venue,journal,publicationVenue,publicationTypes,publicationDate,url,openAccessPdf,authors,externalIds,citationCount,referenceCount,fieldsOfStudy,s2FieldsOfStudy,tldr";

/// Fields of a bulk search, which has no `tldr`.
pub(crate) const BULK_FIELDS: &str = "paperId,title,abstract,year,venue,publicationTypes,publicationDate,url,authors,externalIds,citationCount,referenceCount,fieldsOfStudy";

/// Neighbours in one request at most.
const NEIGHBOURS: usize = 1000;

/// A paper's name as the interface takes it: bare DOIs and arXiv identifiers get their kind.
pub(crate) fn name(text: &str) -> Result<String, Error> {
    let text = text.trim();
    let kind = text
        .split_once(':')
        .map(|(kind, _)| kind.to_ascii_uppercase());
    if let Some(kind) = kind
        && ["CORPUSID", "MAG", "ACL", "PMID", "PMCID", "DBLP", "URL"].contains(&kind.as_str())
    {
        return Ok(text.to_owned());
    }
    if let Ok(id) = ArxivId::parse(text) {
        return Ok(format!("ARXIV:{}", id.without_version()));
    }
    if let Ok(doi) = Doi::parse(text) {
        return Ok(format!("DOI:{}", doi.as_str()));
    }
    let hash = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hash {
        Ok(text.to_owned())
    } else {
        Err(Error::usage(
            format!("{text:?} names no paper"),
            "give a DOI, an arXiv identifier or a name such as CorpusId:219792180; for titles there is match",
        ))
    }
}

fn filtered(request: Request, filters: &Filters) -> Request {
    let least = filters.min_citations.map(|count| count.to_string());
    request
        .query_if("fieldsOfStudy", filters.fields_of_study.as_deref())
        .query_if("venue", filters.venue.as_deref())
        .query_if("year", filters.year.as_deref())
        .query_if("minCitationCount", least.as_deref())
        .query_if("publicationTypes", filters.publication_types.as_deref())
        .query_if("openAccessPdf", filters.open_access.then_some(""))
}

/// A list must be there: an answer "there is no such thing" makes no sense for a search.
fn list(client: &Client, request: &Request) -> Result<Answer, HttpError> {
    client.ask(request, |response| {
        answer::read(response)?
            .ok_or_else(|| aris_sources::Doubt::NotAnAnswer(String::from("404 for a search")))
    })
}

pub(crate) fn search(client: &Client, args: &Search) -> Result<Answer, HttpError> {
    let wanted = args.limit as usize;
    let mut found = Answer::default();
    loop {
        let offset = args.offset as usize + found.items.len();
        let count = (wanted - found.items.len()).min(semantic_scholar::PAGE);
        let request = Request::get(&SEMANTIC_SCHOLAR, "/paper/search", Expect::Json)
            .query("query", &args.query)
            .query("limit", &count.to_string())
            .query("offset", &offset.to_string())
            .query("fields", args.common.fields.as_deref().unwrap_or(FIELDS))
            .keep(keep::SEARCH, keep::ABSENCE);
        let page = list(client, &filtered(request, &args.filters))?;
        let more = page.next.is_some() && !page.items.is_empty();
        found.extend(page);
        if !more || found.items.len() >= wanted {
            found.truncate(wanted);
            return Ok(found);
        }
    }
}

/// All pages until there are enough, or the last. The token goes on after the last page that was read, whole or not.
pub(crate) fn search_bulk(client: &Client, args: &SearchBulk) -> Result<Answer, HttpError> {
    let wanted = args.limit as usize;
    let mut found = Answer::default();
    let mut token = args.token.clone();
    loop {
        let request = Request::get(&SEMANTIC_SCHOLAR, "/paper/search/bulk", Expect::Json)
            .query("query", &args.query)
            .query("limit", &args.limit.to_string())
            .query(
                "fields",
                args.common.fields.as_deref().unwrap_or(BULK_FIELDS),
            )
            .query_if("token", token.as_deref())
            .query_if("sort", args.sort.as_deref())
            .keep(keep::SEARCH, keep::ABSENCE);
        let page = list(client, &filtered(request, &args.filters))?;
        token.clone_from(&page.token);
        let more = token.is_some() && !page.items.is_empty();
        found.extend(page);
        if !more || found.items.len() >= wanted {
            return Ok(found);
        }
    }
}

/// `None`: there is no such paper.
pub(crate) fn one(
    client: &Client,
    name: &str,
    fields: Option<&str>,
) -> Result<Option<Answer>, HttpError> {
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper", Expect::Json)
        .segments(name)
        .query("fields", fields.unwrap_or(FIELDS))
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, answer::read)
}

/// `None`: no title fits.
pub(crate) fn title(
    client: &Client,
    title: &str,
    fields: Option<&str>,
) -> Result<Option<Answer>, HttpError> {
    let request = Request::get(&SEMANTIC_SCHOLAR, "/paper/search/match", Expect::Json)
        .query("query", title)
        .query("fields", fields.unwrap_or(FIELDS))
        .keep(keep::RECORD, keep::ABSENCE);
    client.ask(&request, answer::read)
}

/// `None`: there is no such paper.
pub(crate) fn neighbours(
    client: &Client,
    name: &str,
    which: &'static str,
    args: &Neighbours,
) -> Result<Option<Answer>, HttpError> {
    let wanted = args.limit as usize;
    let mut found = Answer::default();
    loop {
        let offset = args.offset as usize + found.items.len();
        let count = (wanted - found.items.len()).min(NEIGHBOURS);
        let request = Request::get(&SEMANTIC_SCHOLAR, "/paper", Expect::Json)
            .segments(name)
            .path(which)
            .query("limit", &count.to_string())
            .query("offset", &offset.to_string())
            .query(
                "fields",
                args.common.fields.as_deref().unwrap_or(BULK_FIELDS),
            )
            .keep(keep::SEARCH, keep::ABSENCE);
        let Some(page) = client.ask(&request, answer::read)? else {
            return Ok(None);
        };
        let more = page.next.is_some() && !page.items.is_empty();
        found.extend(page);
        if !more || found.items.len() >= wanted {
            found.truncate(wanted);
            return Ok(Some(found));
        }
    }
}

pub(crate) fn batch(
    client: &Client,
    names: &[String],
    fields: Option<&str>,
) -> Result<Answer, HttpError> {
    let mut found = Answer::default();
    for names in names.chunks(semantic_scholar::BATCH) {
        let request = Request::post(&SEMANTIC_SCHOLAR, "/paper/batch", &json!({ "ids": names }))
            .query("fields", fields.unwrap_or(FIELDS))
            .keep(keep::RECORD, keep::ABSENCE);
        let page = client.ask(&request, |response| {
            let page = answer::read(response)?.unwrap_or_default();
            if page.items.len() == names.len() {
                Ok(page)
            } else {
                Err(aris_sources::Doubt::NotAnAnswer(format!(
                    "{} papers for {} names",
                    page.items.len(),
                    names.len()
                )))
            }
        })?;
        found.extend(page);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_their_kind() {
        for (text, wanted) in [
            ("10.1109/JSAC.2021.3126077", "DOI:10.1109/JSAC.2021.3126077"),
            (
                "DOI:10.1093/mind/LIX.236.433",
                "DOI:10.1093/mind/LIX.236.433",
            ),
            ("ARXIV:2006.10685", "ARXIV:2006.10685"),
            ("2006.10685v2", "ARXIV:2006.10685"),
            ("https://arxiv.org/abs/cs/0601001", "ARXIV:cs/0601001"),
            ("CorpusId:219792180", "CorpusId:219792180"),
            ("pmid:19872477", "pmid:19872477"),
            (
                "f9314fd99be5f2b1b3efcfab87197d578160d553",
                "f9314fd99be5f2b1b3efcfab87197d578160d553",
            ),
        ] {
            assert_eq!(name(text).expect("a name"), wanted, "{text}");
        }
        for bad in ["", "attention is all you need", "2413.00001", "../author/1"] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
