//! The JSON that the reference's script prints for each result.

use aris_sources::json::text;
use serde_json::{Value, json};

use crate::cli::Content;

pub(crate) fn result(item: &Value, content: Content) -> Value {
    let key = match content {
        Content::Highlights => "highlights",
        Content::Text => "text",
        Content::Summary => "summary",
        Content::None => "",
    };
    let filled = |value: &&Value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    };
    let mut entry = json!({
        "title": text(item, &["title"]).unwrap_or_else(|| String::from("No Title")),
        "url": text(item, &["url"]).unwrap_or_default(),
        "published_date": text(item, &["publishedDate"]),
        "author": text(item, &["author"]),
        key: item.get(key).filter(filled),
    });
    if let Some(entry) = entry.as_object_mut() {
        entry.retain(|_, value| !value.is_null());
    }
    entry
}
