//! What the reference's script prints: JSON with the names it chose, and a text for people.
//!
//! One value differs: `is_oa` comes from where OpenAlex has it, `open_access.is_oa`; the reference looks where it is not and always says
//! `false`.

use std::fmt::Write as _;

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

/// Characters of an abstract in a list.
const PREVIEW: usize = 200;

/// The text of a list.
pub(crate) fn listed(works: &[Value]) -> String {
    let mut out = format!("Found {} papers:\n\n", works.len());
    for (number, work) in works.iter().enumerate() {
        let authors = list(work, &["authors"]);
        let names: Vec<&str> = authors.iter().take(3).filter_map(Value::as_str).collect();
        let more = if authors.len() > 3 { " et al." } else { "" };
        line(
            &mut out,
            format_args!("{}. {}", number + 1, shown(work, "title")),
        );
        line(
            &mut out,
            format_args!("   Authors: {}{more}", names.join(", ")),
        );
        line(
            &mut out,
            format_args!(
                "   Year: {} | Venue: {}",
                shown(work, "publication_year"),
                shown(work, "venue")
            ),
        );
        line(
            &mut out,
            format_args!(
                "   Citations: {} | OA: {}",
                shown(work, "cited_by_count"),
                open(work)
            ),
        );
        for (name, key) in [("DOI", "doi"), ("PDF", "oa_url")] {
            if let Some(value) = text(work, &[key]) {
                line(&mut out, format_args!("   {name}: {value}"));
            }
        }
        if let Some(summary) = text(work, &["abstract"]) {
            let short: String = summary.chars().take(PREVIEW).collect();
            let more = if short.len() < summary.len() {
                "..."
            } else {
                ""
            };
            line(&mut out, format_args!("   Abstract: {short}{more}"));
        }
        out.push('\n');
    }
    out
}

/// The text of one work.
pub(crate) fn single(work: &Value) -> String {
    let mut out = String::new();
    let names = |key: &str| {
        let items = list(work, &[key]).iter().filter_map(Value::as_str);
        items.collect::<Vec<_>>().join(", ")
    };
    line(&mut out, format_args!("Title: {}", shown(work, "title")));
    line(&mut out, format_args!("Authors: {}", names("authors")));
    line(
        &mut out,
        format_args!(
            "Year: {} | Venue: {}",
            shown(work, "publication_year"),
            shown(work, "venue")
        ),
    );
    line(
        &mut out,
        format_args!(
            "Citations: {} | OA: {}",
            shown(work, "cited_by_count"),
            open(work)
        ),
    );
    for (name, key) in [("DOI", "doi"), ("PDF", "oa_url")] {
        if let Some(value) = text(work, &[key]) {
            line(&mut out, format_args!("{name}: {value}"));
        }
    }
    let topics = names("topics");
    if !topics.is_empty() {
        line(&mut out, format_args!("Topics: {topics}"));
    }
    if let Some(summary) = text(work, &["abstract"]) {
        line(&mut out, format_args!("\nAbstract:\n{summary}"));
    }
    out
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

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    writeln!(out, "{text}").unwrap_or_default();
}
