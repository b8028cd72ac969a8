//! The reference script's JSON: all fields of a paper that it knows, `null` for missing ones.

use aris_sources::json::list;
use serde_json::{Value, json};

/// One paper; `null` stays `null`.
pub(crate) fn paper(item: &Value) -> Value {
    if item.is_null() {
        return Value::Null;
    }
    let raw = |key: &str| item.get(key).cloned().unwrap_or(Value::Null);
    let authors = list(item, &["authors"]).iter();
    let authors: Vec<Value> = authors
        .map(
            |author| json!({"authorId": author.get("authorId"), "name": clean(author.get("name"))}),
        )
        .collect();
    json!({
        "paperId": raw("paperId"),
        "title": clean(item.get("title")),
        "abstract": clean(item.get("abstract")),
        "year": raw("year"),
        "venue": clean(item.get("venue")),
        "publicationVenue": venue(item.get("publicationVenue")),
        "publicationTypes": raw("publicationTypes"),
        "publicationDate": clean(item.get("publicationDate")),
        "url": clean(item.get("url")),
        "openAccessPdf": raw("openAccessPdf"),
        "authors": authors,
        "externalIds": raw("externalIds"),
        "citationCount": raw("citationCount"),
        "referenceCount": raw("referenceCount"),
        "fieldsOfStudy": raw("fieldsOfStudy"),
        "s2FieldsOfStudy": raw("s2FieldsOfStudy"),
        "tldr": raw("tldr"),
    })
}

fn venue(value: Option<&Value>) -> Value {
    let venue = value.filter(|venue| venue.as_object().is_some_and(|venue| !venue.is_empty()));
    venue.map_or(Value::Null, |venue| {
        json!({
            "id": venue.get("id"),
            "name": clean(venue.get("name")),
            "type": clean(venue.get("type")),
            "issn": clean(venue.get("issn")),
            "url": clean(venue.get("url")),
        })
    })
}

/// A trimmed text without line feeds; `null` when it is empty.
fn clean(value: Option<&Value>) -> Value {
    let text = match value {
        Some(Value::String(text)) => text.trim().replace('\n', " "),
        Some(Value::Number(number)) => number.to_string(),
        _ => return Value::Null,
    };
    if text.is_empty() {
        Value::Null
    } else {
        Value::String(text)
    }
}
