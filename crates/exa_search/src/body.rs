//! What is sent to Exa.

use serde_json::{Map, Value, json};

use crate::cli::{Content, FindSimilar, GetContents, Limits, Search};

pub(crate) fn search(args: &Search) -> Value {
    let mut body = Map::new();
    body.insert(String::from("query"), json!(args.query));
    body.insert(String::from("numResults"), json!(args.limit));
    body.insert(String::from("type"), json!(args.search_type));
    nested(&mut body, args.content, args.max_chars);
    limits(&mut body, &args.limits);
    for (key, value) in [
        ("category", &args.category),
        ("userLocation", &args.location),
    ] {
        if let Some(value) = value {
            body.insert(key.to_owned(), json!(value));
        }
    }
    for (key, value) in [
        ("includeText", &args.include_text),
        ("excludeText", &args.exclude_text),
    ] {
        phrases(&mut body, key, value.as_deref());
    }
    Value::Object(body)
}

pub(crate) fn find_similar(args: &FindSimilar) -> Value {
    let mut body = Map::new();
    body.insert(String::from("url"), json!(args.url));
    body.insert(String::from("numResults"), json!(args.limit));
    nested(&mut body, args.content, args.max_chars);
    limits(&mut body, &args.limits);
    Value::Object(body)
}

/// Here the contents stand beside the addresses, not below `contents`.
pub(crate) fn get_contents(args: &GetContents) -> Value {
    let mut body = content(args.content, args.max_chars);
    body.insert(String::from("ids"), json!(args.urls));
    Value::Object(body)
}

fn nested(body: &mut Map<String, Value>, wanted: Content, characters: u32) {
    let contents = content(wanted, characters);
    if !contents.is_empty() {
        body.insert(String::from("contents"), Value::Object(contents));
    }
}

fn content(wanted: Content, characters: u32) -> Map<String, Value> {
    let limit = json!({ "maxCharacters": characters });
    let pair = match wanted {
        Content::Highlights => ("highlights", limit),
        Content::Text => ("text", limit),
        Content::Summary => ("summary", json!({})),
        Content::None => return Map::new(),
    };
    Map::from_iter([(pair.0.to_owned(), pair.1)])
}

fn limits(body: &mut Map<String, Value>, limits: &Limits) {
    phrases(body, "includeDomains", limits.include_domains.as_deref());
    phrases(body, "excludeDomains", limits.exclude_domains.as_deref());
    for (key, value) in [
        ("startPublishedDate", &limits.start_date),
        ("endPublishedDate", &limits.end_date),
    ] {
        if let Some(value) = value {
            body.insert(key.to_owned(), json!(value));
        }
    }
}

/// A list with commas between its parts.
fn phrases(body: &mut Map<String, Value>, key: &str, list: Option<&str>) {
    let parts: Vec<&str> = list
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    if !parts.is_empty() {
        body.insert(key.to_owned(), json!(parts));
    }
}
