//! The reference script's output: JSON with its field names, and text.
//!
//! One value differs: `is_oa` is OpenAlex's `open_access.is_oa`; the reference reads another field that does not exist and always says
//! `false`.

use aris_contract::artifact::papers::Paper;
use aris_sources::json::{at, list, text};
use serde_json::{Value, json};

/// One work.
pub(crate) fn work(item: &Value, paper: &Paper) -> Value {
    let raw = |path: &[&str]| at(item, path).clone();
    let or = |path: &[&str], default: Value| match raw(path) {
        Value::Null => default,
        value => value,
    };
    let names = |key: &str, most: usize| -> Vec<Value> {
        let items = list(item, &[key]).iter().take(most);
        items
            .map(|topic| at(topic, &["display_name"]).clone())
            .collect()
    };
    let authors: Vec<String> = list(item, &["authorships"])
        .iter()
        .map(|authorship| {
            text(authorship, &["author", "display_name"]).unwrap_or_else(|| String::from("Unknown"))
        })
        .collect();
    let id = raw(&["id"]);
    let title = [raw(&["display_name"]), raw(&["title"])];
    json!({
        "id": id,
        "openalex_id": paper.ids.openalex,
        "doi": raw(&["doi"]).as_str().map(|doi| doi.replace("https://doi.org/", "")),
        "title": title.into_iter().find(|title| title.as_str().is_some_and(|title| !title.is_empty())),
        "author_count": authors.len(),
        "authors": authors,
        "publication_year": raw(&["publication_year"]),
        "publication_date": raw(&["publication_date"]),
        "venue": or(&["primary_location", "source", "display_name"], json!("Unknown")),
        "venue_type": raw(&["primary_location", "source", "type"]),
        "cited_by_count": or(&["cited_by_count"], json!(0)),
        "is_oa": or(&["open_access", "is_oa"], json!(false)),
        "oa_status": or(&["open_access", "oa_status"], json!("closed")),
        "oa_url": raw(&["open_access", "oa_url"]),
        "abstract": paper.summary,
        "topics": names("topics", 3),
        "keywords": names("keywords", 5),
        "type": raw(&["type"]),
        "language": raw(&["language"]),
        "referenced_works_count": or(&["referenced_works_count"], json!(0)),
        "url": id,
    })
}

/// Longest abstract in a list, in characters.
const PREVIEW: usize = 200;

/// Most authors in a list.
const AUTHORS: usize = 3;

/// The text for a list of works.
pub(crate) fn listed(works: &[Value]) -> String {
    let mut lines = vec![format!("Found {} papers:\n", works.len())];
    for (number, work) in works.iter().enumerate() {
        lines.push(format!("{}. {}", number + 1, shown(work, "title")));
        lines.extend(described(work, AUTHORS, "   "));
        if let Some(summary) = text(work, &["abstract"]) {
            let short: String = summary.chars().take(PREVIEW).collect();
            let is_cut = short.len() < summary.len();
            let more = if is_cut { "..." } else { "" };
            lines.push(format!("   Abstract: {short}{more}"));
        }
        lines.push(String::new());
    }
    lines.join("\n")
}

/// The text for one work.
pub(crate) fn single(work: &Value) -> String {
    let mut lines = vec![format!("Title: {}", shown(work, "title"))];
    lines.extend(described(work, usize::MAX, ""));
    let topics = names(work, "topics", usize::MAX);
    if !topics.is_empty() {
        lines.push(format!("Topics: {topics}"));
    }
    if let Some(summary) = text(work, &["abstract"]) {
        lines.push(format!("\nAbstract:\n{summary}"));
    }
    lines.join("\n")
}

/// The lines for a work that lists and single works have in common, each after `indent`.
fn described(work: &Value, authors: usize, indent: &str) -> Vec<String> {
    let is_cut = list(work, &["authors"]).len() > authors;
    let more = if is_cut { " et al." } else { "" };
    let authors = names(work, "authors", authors);
    let [year, venue, cited] =
        ["publication_year", "venue", "cited_by_count"].map(|key| shown(work, key));
    let mut lines = vec![
        format!("{indent}Authors: {authors}{more}"),
        format!("{indent}Year: {year} | Venue: {venue}"),
        format!("{indent}Citations: {cited} | OA: {}", open(work)),
    ];
    for (name, key) in [("DOI", "doi"), ("PDF", "oa_url")] {
        let value = text(work, &[key]);
        lines.extend(value.map(|value| format!("{indent}{name}: {value}")));
    }
    lines
}

/// The first `most` names of a list, separated by commas.
fn names(work: &Value, key: &str, most: usize) -> String {
    let items = list(work, &[key]).iter().take(most);
    items
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

fn open(work: &Value) -> &'static str {
    if at(work, &["is_oa"]).as_bool() == Some(true) {
        "Yes"
    } else {
        "No"
    }
}

fn shown(work: &Value, key: &str) -> String {
    text(work, &[key]).unwrap_or_else(|| String::from("unknown"))
}
