//! The JSON that the reference's script prints: every field of a paper that it knows, `null` where there is none.

use serde_json::{Map, Value, json};

/// One paper; `null` stays `null`.
pub(crate) fn paper(item: &Value) -> Value {
    if item.is_null() {
        return Value::Null;
    }
    let raw = |key: &str| item.get(key).cloned().unwrap_or(Value::Null);
    let authors: Vec<Value> = item
        .get("authors")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|author| {
            json!({
                "authorId": author.get("authorId").unwrap_or(&Value::Null),
                "name": clean(author.get("name")),
            })
        })
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
    let Some(venue) = value
        .and_then(Value::as_object)
        .filter(|venue| !venue.is_empty())
    else {
        return Value::Null;
    };
    let mut out = Map::new();
    out.insert(
        String::from("id"),
        venue.get("id").cloned().unwrap_or(Value::Null),
    );
    for key in ["name", "type", "issn", "url"] {
        out.insert(key.to_owned(), clean(venue.get(key)));
    }
    Value::Object(out)
}

/// A text without line feeds and blanks at its ends; `null` when nothing is left.
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
