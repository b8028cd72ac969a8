//! arXiv: the Atom interface.
//!
//! **Source**: arXiv API user's manual (query parameters, Atom elements, `opensearch:totalResults`, the error entry), and recorded
//! answers. A batch names papers that do not exist by leaving them out, so entries are matched by identifier and never by place.

use aris_contract::artifact::papers::{Author, Identifiers, Kind, Links, Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_http::{Client, Doubt, HttpError, Request, Response};
use jiff::Timestamp;
use roxmltree::{Document, Node};

use crate::hosts::{ARXIV, ARXIV_FILES};
use crate::keep;
use crate::plain::collapsed;

/// Identifiers in one request: the interface takes more (see [`PAGE`]); these make a URL of four kilobytes, half of what web servers take.
pub const BATCH: usize = 250;

/// What its interface answers with.
pub const ATOM: &str = "application/atom+xml, application/xml;q=0.9";

/// Results in one page at most.
///
/// **Source**: arXiv API user's manual §3.1.1.2, `max_results`.
pub const PAGE: usize = 2000;

/// Bytes of a PDF or source that are accepted: ten times the size that arXiv takes without asking (50 MB).
const FILE_LIMIT: u64 = 512 << 20;

/// How results are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By relevance.
    Relevance,
    /// The newest version first.
    Updated,
    /// The newest first version first.
    Submitted,
}

impl Order {
    const fn word(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::Updated => "lastUpdatedDate",
            Self::Submitted => "submittedDate",
        }
    }
}

/// One page of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    /// Results there are in all.
    pub total: u64,
    /// Number of the first result of this page, from 0.
    pub start: u64,
    /// The papers of this page.
    pub papers: Vec<Paper>,
    /// The day of each paper's newest version, `2023-08-02`, in the order of `papers`; empty where the feed does not say.
    pub updated: Vec<String>,
}

/// Asks for papers by a query in arXiv's own language.
pub fn search(
    client: &Client,
    query: &str,
    start: usize,
    count: usize,
    order: Order,
) -> Result<Feed, HttpError> {
    let request = Request::get(&ARXIV, "/query")
        .accept(ATOM)
        .query("search_query", query)
        .query("start", &start.to_string())
        .query("max_results", &count.min(PAGE).to_string())
        .query("sortBy", order.word())
        .query("sortOrder", "descending")
        .keep(keep::SEARCH, keep::ABSENCE);
    client.ask(&request, |response| {
        let feed = parse(response)?;
        let wanted = (feed.total.saturating_sub(start as u64)).min(count as u64);
        if feed.papers.is_empty() && wanted > 0 {
            return Err(Doubt::NotAnAnswer(format!(
                "an empty page, although {} results are announced",
                feed.total
            )));
        }
        Ok(feed)
    })
}

/// Asks for papers by identifier. What arXiv does not have is not in the answer. Each paper is kept for itself: who asks for one more asks for
/// that one.
pub fn by_id(client: &Client, ids: &[ArxivId]) -> Result<Vec<Paper>, HttpError> {
    let mut papers = Vec::new();
    for batch in kept(client, ids, &mut papers)?.chunks(BATCH) {
        let _alone = client.alone(&list(batch));
        // Another process may have asked the same meanwhile.
        let batch = &*kept(client, batch, &mut papers)?;
        if batch.is_empty() {
            continue;
        }
        let (feed, whole) = client.ask(&list(batch), |response| {
            Ok((complete(parse(response)?, batch.len())?, response.clone()))
        })?;
        let entries = entries(&whole);
        let mut there = Vec::new();
        for (paper, entry) in feed.papers.iter().zip(entries) {
            if let Some(id) = &paper.ids.arxiv {
                client.keep(&one(id), entry, &whole);
                there.push(id.as_str().to_owned());
            }
        }
        let absent = Response {
            status: 404,
            ..whole
        };
        for id in batch
            .iter()
            .filter(|id| !there.iter().any(|there| there == id.as_str()))
        {
            client.keep(&one(id), Vec::new(), &absent);
        }
        papers.extend(feed.papers);
    }
    Ok(papers)
}

/// Whether [`by_id`] answers for this paper without asking arXiv.
pub fn is_kept(client: &Client, id: &ArxivId) -> bool {
    client.is_kept(&one(id))
}

/// Asks for papers by identifier, at most [`BATCH`] at once, with all that the feed says.
pub fn feed_by_id(client: &Client, ids: &[ArxivId]) -> Result<Feed, HttpError> {
    let ids = ids.get(..BATCH.min(ids.len())).unwrap_or_default();
    // A day: which of them are absent today says nothing about tomorrow.
    let request = list(ids).keep(keep::ABSENCE, keep::ABSENCE);
    client.ask(&request, |response| complete(parse(response)?, ids.len()))
}

fn list(ids: &[ArxivId]) -> Request {
    let names: Vec<&str> = ids.iter().map(ArxivId::as_str).collect();
    Request::get(&ARXIV, "/query")
        .accept(ATOM)
        .query("id_list", &names.join(","))
        .query("max_results", &names.len().to_string())
}

/// Adds the papers that are kept to `papers`, and returns the others.
fn kept(
    client: &Client,
    ids: &[ArxivId],
    papers: &mut Vec<Paper>,
) -> Result<Vec<ArxivId>, HttpError> {
    let mut unknown = Vec::new();
    for id in ids {
        if client.is_kept(&one(id)) {
            papers.extend(client.ask(&one(id), parse_one)?);
        } else {
            unknown.push(id.clone());
        }
    }
    Ok(unknown)
}

/// The question for one paper, under which its record is kept.
fn one(id: &ArxivId) -> Request {
    list(std::slice::from_ref(id)).keep(keep::RECORD, keep::ABSENCE)
}

/// Reads what is kept for one paper. An empty feed is none: it may be older than a day.
fn parse_one(response: &Response) -> Result<Option<Paper>, Doubt> {
    if response.is_absence() {
        return Ok(None);
    }
    let mut papers = parse(response)?.papers;
    papers.truncate(1);
    match papers.pop() {
        Some(paper) => Ok(Some(paper)),
        None => Err(Doubt::NotAnAnswer(String::from("an empty feed"))),
    }
}

/// Refuses a page that lacks papers which it announces: nobody knows whether they are absent.
fn complete(feed: Feed, wanted: usize) -> Result<Feed, Doubt> {
    let announced = feed.total.min(wanted as u64);
    if (feed.papers.len() as u64) < announced {
        return Err(Doubt::NotAnAnswer(format!(
            "{} entries, although {} results are announced",
            feed.papers.len(),
            feed.total
        )));
    }
    Ok(feed)
}

/// Each entry of a feed as a feed of its own.
fn entries(response: &Response) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(&response.body) else {
        return Vec::new();
    };
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let root = document.root_element();
    let from = root.range().start;
    let Some(start) = text
        .get(from..)
        .and_then(|rest| rest.get(..=rest.find('>')?))
    else {
        return Vec::new();
    };
    let total =
        "<o:totalResults xmlns:o=\"http://a9.com/-/spec/opensearch/1.1/\">1</o:totalResults>";
    let whole = |entry: &str| format!("{start}{total}{entry}</feed>").into_bytes();
    let entries = children(root, "entry").filter_map(|entry| text.get(entry.range()));
    entries.map(whole).collect()
}

/// Asks for the PDF of a paper, the newest version unless the identifier names one.
pub fn pdf(id: &ArxivId) -> Request {
    file("/pdf", id)
}

/// Asks for the source of a paper: a tar archive or a single file, with gzip around it; or a PDF where there is no source.
pub fn source(id: &ArxivId) -> Request {
    file("/src", id)
}

fn file(path: &'static str, id: &ArxivId) -> Request {
    let request = Request::get(&ARXIV_FILES, path).segments(&id.to_string());
    request.accept("*/*").limit(FILE_LIMIT)
}

/// Reads an answer. arXiv reports errors as a feed with one entry called "Error", with status 400 or, in older days, 200.
///
/// **Errors**: [`Doubt::NotAnAnswer`] for what is no feed; [`Doubt::Malformed`] for a feed that breaks its own rules, and for an error
/// that it reports.
pub fn parse(response: &Response) -> Result<Feed, Doubt> {
    let text = std::str::from_utf8(&response.body).map_err(|error| {
        Doubt::NotAnAnswer(format!("not UTF-8 at byte {}", error.valid_up_to()))
    })?;
    let document =
        Document::parse(text).map_err(|error| Doubt::NotAnAnswer(format!("no XML: {error}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "feed" {
        return Err(Doubt::NotAnAnswer(format!(
            "<{}> instead of a feed",
            root.tag_name().name()
        )));
    }
    let number = |name: &str| text_of(root, name).and_then(|text| text.parse::<u64>().ok());
    let mut feed = Feed {
        total: number("totalResults")
            .ok_or_else(|| Doubt::Malformed(String::from("no totalResults")))?,
        start: number("startIndex").unwrap_or(0),
        papers: Vec::new(),
        updated: Vec::new(),
    };
    for node in children(root, "entry") {
        if let Some(error) = reported(node) {
            return Err(Doubt::Malformed(error));
        }
        feed.papers.push(paper(node, response.fetched_at)?);
        let updated = text_of(node, "updated").and_then(|text| text.get(..10).map(str::to_owned));
        feed.updated.push(updated.unwrap_or_default());
    }
    Ok(feed)
}

/// Whether a comment says that the preprint was withdrawn. "Withdrawn from ICLR" is about a submission elsewhere.
///
/// **Source**: arXiv, "To withdraw an article": the reason goes into the comments, such as "This paper has been withdrawn by the author".
fn is_withdrawal(comment: &str) -> bool {
    let text = collapsed(comment).to_lowercase();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("withdrawn") {
        let after = rest
            .get(at + "withdrawn".len()..)
            .unwrap_or_default()
            .trim_start();
        let elsewhere = ["from ", "at ", "submission"]
            .iter()
            .any(|word| after.starts_with(word));
        if !elsewhere {
            return true;
        }
        rest = after;
    }
    false
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
    let date = text_of(entry, "published").and_then(|text| text.get(..10).map(str::to_owned));
    let journal = text_of(entry, "journal_ref");
    let comment = text_of(entry, "comment");
    let withdrawn = comment.as_deref().is_some_and(is_withdrawal);
    let link = |wanted: &str| {
        children(entry, "link")
            .find(|link| link.attribute("rel") == Some(wanted))
            .and_then(|link| link.attribute("href"))
            .map(str::to_owned)
    };
    let pdf = children(entry, "link")
        .find(|link| link.attribute("title") == Some("pdf"))
        .and_then(|link| link.attribute("href"))
        .map(str::to_owned);
    let bare = arxiv.without_version();
    Ok(Paper {
        title,
        authors: children(entry, "author")
            .filter_map(|author| text_of(author, "name"))
            .filter(|name| !name.is_empty())
            .map(|name| Author::named(&name))
            .collect(),
        year: date
            .as_deref()
            .and_then(|date| date.get(..4))
            .and_then(|year| year.parse().ok()),
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
            page: link("alternate"),
            pdf,
        },
        fields: children(entry, "category")
            .filter_map(|category| category.attribute("term"))
            .map(str::to_owned)
            .collect(),
        // A withdrawn preprint says so in its comment, and nowhere else.
        retracted: withdrawn.then_some(true),
        note: comment,
        origins: crate::origins(Source::Arxiv, arxiv.as_str().to_owned(), fetched_at),
        ..Paper::default()
    })
}

/// Child elements of this local name, whatever prefix the feed gives its namespace.
fn children<'a, 'input: 'a>(
    node: Node<'a, 'input>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children()
        .filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The collapsed text of the first child of this name.
fn text_of(node: Node<'_, '_>, name: &str) -> Option<String> {
    let child = node
        .children()
        .find(|child| child.is_element() && child.tag_name().name() == name)?;
    let text: String = child
        .descendants()
        .filter(Node::is_text)
        .filter_map(|text| text.text())
        .collect();
    Some(collapsed(&text))
}
