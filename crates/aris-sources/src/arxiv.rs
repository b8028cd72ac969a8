//! arXiv: the Atom interface.
//!
//! **Source**: arXiv API user's manual (query parameters, Atom elements, `opensearch:totalResults`, the error entry), and recorded
//! answers. The answer to a batch omits papers that do not exist, so entries are matched by identifier, not by position.

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_http::{Client, Doubt, HttpError, Request, Response};
use jiff::Timestamp;
use roxmltree::{Document, Node};
use serde_json::Value;

use crate::answer::{Answer, each, no_answer};
use crate::hosts::{ARXIV, ARXIV_FILES};
use crate::json::year_of;
use crate::keep;
use crate::plain::collapsed;

/// Most identifiers per request: the interface allows more, but these make a URL of four kilobytes, half of what web servers accept.
pub const BATCH: usize = 250;

/// Media types of the interface's answers.
pub const ATOM: &str = "application/atom+xml, application/xml;q=0.9";

/// Results per page: fewer than the interface allows (2,000), so that a broken answer is cheap to request again.
///
/// **Source**: arXiv API user's manual §3.1.1.2, `max_results`.
const PAGE: usize = 500;

/// Largest PDF or source, in bytes: ten times the size that arXiv accepts without asking (50 MB).
const FILE_LIMIT: u64 = 512 << 20;

/// Searches with a query in arXiv's own syntax, page by page. `sort` is the order: `relevance`, `lastUpdatedDate` or `submittedDate`, the
/// best or newest first.
pub fn search(
    client: &Client,
    query: &str,
    start: usize,
    count: usize,
    sort: &str,
) -> Result<Answer, HttpError> {
    let found = Answer::gather(count, |found| {
        let here = start + found.items.len();
        let wanted = count.saturating_sub(found.items.len()).min(PAGE);
        let request = Request::get(&ARXIV, "/query")
            .accept(ATOM)
            .query("search_query", query)
            .query("start", &here.to_string())
            .query("max_results", &wanted.to_string())
            .query("sortBy", sort)
            .query("sortOrder", "descending")
            .keep(keep::SEARCH, keep::ABSENCE);
        client.ask(&request, |response| {
            let mut page = parse(response)?;
            let total = page.total.unwrap_or_default();
            let behind = (here + page.items.len()) as u64;
            if page.items.is_empty() && behind < total {
                let what = format!("an empty page, although {total} results are announced");
                return Err(no_answer(what));
            }
            page.next = (behind < total).then_some(behind);
            Ok(Some(page))
        })
    });
    Ok(found?.unwrap_or_default().first(count))
}

/// Requests papers by identifier. The result omits papers that arXiv does not have. Each paper is cached separately.
pub fn by_id(client: &Client, ids: &[ArxivId]) -> Result<Vec<Paper>, HttpError> {
    Ok(answer_by_id(client, ids)?.papers())
}

/// Like [`by_id`], with the items of the feed.
pub fn answer_by_id(client: &Client, ids: &[ArxivId]) -> Result<Answer, HttpError> {
    let found = each(client, ids, BATCH, one, parse_one, list, |ids, whole| {
        let found = complete(parse(whole)?, ids.len())?;
        let entries = found.items.iter().zip(entries(whole).unwrap_or_default());
        let there: BTreeMap<&ArxivId, Vec<u8>> = entries
            .filter_map(|((_, paper), entry)| Some((paper.as_ref()?.ids.arxiv.as_ref()?, entry)))
            .collect();
        let asked: BTreeSet<ArxivId> = ids.iter().map(|id| id.without_version()).collect();
        if let Some(other) = there.keys().find(|id| !asked.contains(**id)) {
            let what = format!("the entry of {other}, which was not asked for");
            return Err(no_answer(what));
        }
        let answers = ids.iter().map(|id| match there.get(&id.without_version()) {
            Some(entry) => whole.part(200, entry.clone()),
            None => whole.part(404, Vec::new()),
        });
        Ok(answers.collect())
    });
    let items: Vec<_> = found?.into_iter().flatten().collect();
    Ok(Answer {
        total: Some(items.len() as u64),
        items,
        ..Answer::default()
    })
}

/// Whether [`by_id`] can answer for this paper from the cache.
pub fn is_kept(client: &Client, id: &ArxivId) -> bool {
    client.is_kept(&one(id))
}

fn list(ids: &[&ArxivId]) -> Request {
    let names: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    Request::get(&ARXIV, "/query")
        .accept(ATOM)
        .query("id_list", &names.join(","))
        .query("max_results", &names.len().to_string())
}

/// The request for one paper, under which its record is cached.
fn one(id: &ArxivId) -> Request {
    list(&[id]).keep(keep::RECORD, keep::ABSENCE)
}

/// Parses the cached answer for one paper. An empty feed is not an answer: it may be older than a day.
fn parse_one(response: &Response) -> Result<Option<(Value, Option<Paper>)>, Doubt> {
    if response.is_absence() {
        return Ok(None);
    }
    let first = parse(response)?.items.into_iter().next();
    first.ok_or_else(|| no_answer("an empty feed")).map(Some)
}

/// Rejects a page with fewer papers than it announces: it is unknown which of them do not exist.
fn complete(found: Answer, wanted: usize) -> Result<Answer, Doubt> {
    let (came, total) = (found.items.len(), found.total.unwrap_or_default());
    if (came as u64) < total.min(wanted as u64) {
        let what = format!("{came} entries, although {total} results are announced");
        return Err(no_answer(what));
    }
    Ok(found)
}

/// Splits a feed into one feed per entry.
fn entries(response: &Response) -> Option<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(&response.body).ok()?;
    let document = Document::parse(text).ok()?;
    let root = document.root_element();
    let rest = text.get(root.range().start..)?;
    let start = rest.get(..=rest.find('>')?)?;
    let total =
        "<o:totalResults xmlns:o=\"http://a9.com/-/spec/opensearch/1.1/\">1</o:totalResults>";
    let whole = |entry: &str| format!("{start}{total}{entry}</feed>").into_bytes();
    let entries = children(root, "entry").filter_map(|entry| text.get(entry.range()));
    Some(entries.map(whole).collect())
}

/// Requests the PDF of a paper: the newest version unless the identifier names one.
pub fn pdf(id: &ArxivId) -> Request {
    file("/pdf", id)
}

/// Requests the source of a paper: a gzipped tar archive or file, or a PDF if there is no source.
pub fn source(id: &ArxivId) -> Request {
    file("/src", id)
}

/// Whether a file with this start is a PDF: `%PDF-` occurs in the first kilobyte, as PDF readers accept it.
pub fn is_pdf(start: &[u8]) -> bool {
    start.windows(5).any(|word| word == b"%PDF-")
}

/// Whether a file with this start may be a source from arXiv (a PDF, gzip, a bare tar or TeX file) and not a web page.
pub fn is_source(start: &[u8]) -> bool {
    let text = start.trim_ascii_start();
    let pages = [&b"<!"[..], b"<html", b"<HTML"];
    !start.is_empty() && !pages.iter().any(|word| text.starts_with(word))
}

/// Whether arXiv itself says that the file does not exist: its error pages name arXiv. Another 404 may come from a proxy.
pub fn is_absence(page: &[u8]) -> bool {
    page.windows(5)
        .any(|word| word.eq_ignore_ascii_case(b"arxiv"))
}

fn file(path: &'static str, id: &ArxivId) -> Request {
    let request = Request::get(&ARXIV_FILES, path).segments(&id.to_string());
    request.accept("*/*").limit(FILE_LIMIT)
}

/// Parses an answer. Each item is the day of the paper's newest version, `2023-08-02`, or empty. arXiv reports errors as a feed with one
/// entry called "Error", with status 400 or, in the past, 200.
///
/// **Errors**: [`Doubt::NotAnAnswer`] if it is no feed; [`Doubt::Malformed`] for an invalid feed and for an error that it reports.
pub fn parse(response: &Response) -> Result<Answer, Doubt> {
    let text = std::str::from_utf8(&response.body)
        .map_err(|error| no_answer(format!("not UTF-8 at byte {}", error.valid_up_to())))?;
    let document = Document::parse(text).map_err(|error| no_answer(format!("no XML: {error}")))?;
    let root = document.root_element();
    let name = root.tag_name().name();
    if name != "feed" {
        return Err(no_answer(format!("<{name}> instead of a feed")));
    }
    let total = text_of(root, "totalResults").and_then(|text| text.parse().ok());
    if total.is_none() {
        return Err(Doubt::Malformed(String::from("no totalResults")));
    }
    let items = children(root, "entry").map(|node| {
        if let Some(error) = reported(node) {
            return Err(Doubt::Malformed(error));
        }
        let updated = day_of(node, "updated");
        let paper = paper(node, response.fetched_at)?;
        Ok((Value::from(updated.unwrap_or_default()), Some(paper)))
    });
    Ok(Answer {
        items: items.collect::<Result<_, _>>()?,
        total,
        ..Answer::default()
    })
}

/// Whether the authors' comment says that the preprint was withdrawn. "Withdrawn from ICLR" is about a submission elsewhere.
///
/// **Source**: arXiv, "To withdraw an article": the reason goes into the comments, such as "This paper has been withdrawn by the author".
fn is_withdrawal(comment: &str) -> bool {
    let text = collapsed(comment).to_lowercase();
    let mut behind = text.split("withdrawn").skip(1).map(str::trim_start);
    let elsewhere = ["from ", "at ", "submission"];
    behind.any(|rest| !elsewhere.iter().any(|word| rest.starts_with(word)))
}

/// The text of an error entry.
fn reported(entry: Node<'_, '_>) -> Option<String> {
    let id = text_of(entry, "id")?;
    let is_error =
        id.contains("/api/errors") || text_of(entry, "title").as_deref() == Some("Error");
    is_error.then(|| text_of(entry, "summary").unwrap_or(id))
}

fn paper(entry: Node<'_, '_>, fetched_at: Timestamp) -> Result<Paper, Doubt> {
    let id = text_of(entry, "id")
        .ok_or_else(|| Doubt::Malformed(String::from("an entry without id")))?;
    let arxiv = ArxivId::parse(&id)
        .map_err(|error| Doubt::Malformed(format!("an entry with the id {id:?}: {error}")))?;
    let title = text_of(entry, "title")
        .filter(|title| !title.is_empty())
        .ok_or_else(|| Doubt::Malformed(format!("entry {arxiv} without title")))?;
    let date = day_of(entry, "published");
    let journal = text_of(entry, "journal_ref");
    let comment = text_of(entry, "comment");
    let withdrawn = comment.as_deref().is_some_and(is_withdrawal);
    let link = |key, wanted| {
        let mut links = children(entry, "link");
        let link = links.find(|link| link.attribute(key) == Some(wanted))?;
        link.attribute("href").map(str::to_owned)
    };
    let bare = arxiv.without_version();
    Ok(Paper {
        title,
        authors: children(entry, "author")
            .filter_map(|author| text_of(author, "name"))
            .filter(|name| !name.is_empty())
            .map(|name| Author::named(&name))
            .collect(),
        year: year_of(date.as_ref()),
        date,
        venue: journal,
        kind: Some(Kind::Preprint),
        summary: text_of(entry, "summary").filter(|text| !text.is_empty()),
        ids: Identifiers {
            arxiv_version: arxiv.version(),
            doi: text_of(entry, "doi")
                .and_then(|doi| Doi::parse(&doi).ok())
                .into_iter()
                .collect(),
            arxiv: Some(bare),
            ..Identifiers::default()
        },
        links: Links {
            page: link("rel", "alternate"),
            pdf: link("title", "pdf"),
        },
        fields: children(entry, "category")
            .filter_map(|category| category.attribute("term"))
            .map(str::to_owned)
            .collect(),
        // Only the comment of a withdrawn preprint says so.
        retracted: withdrawn.then_some(true),
        note: comment,
        ..crate::record(Source::Arxiv, arxiv.as_str(), fetched_at)
    })
}

/// Child elements with this local name, whatever the prefix of their namespace.
fn children<'a, 'input: 'a>(
    node: Node<'a, 'input>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children()
        .filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The day of an element that contains a time.
fn day_of(node: Node<'_, '_>, name: &'static str) -> Option<String> {
    text_of(node, name)?.get(..10).map(str::to_owned)
}

/// The text of the first child with this name, with white space collapsed.
fn text_of(node: Node<'_, '_>, name: &'static str) -> Option<String> {
    let child = children(node, name).next()?;
    let pieces = child.descendants().filter(Node::is_text);
    let text: String = pieces.filter_map(|piece| piece.text()).collect();
    Some(collapsed(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_beginning() {
        let long = |start: &str| format!("{start}{}", "x".repeat(1000));
        for (start, pdf, source) in [
            (long("%PDF-1.7\n"), true, true),
            (long("\n\n%PDF-1.4\n"), true, true),
            (String::from("%PDF-1.7\nabc\n"), true, true),
            (String::from("\\documentclass{article}"), false, true),
            (long("\n<!doctype html>"), false, false),
            (String::from("<html>"), false, false),
            (String::new(), false, false),
        ] {
            let start = start.as_bytes();
            assert_eq!((is_pdf(start), is_source(start)), (pdf, source));
        }
    }
}
