//! The JSON that the reference's script prints for each result.

use aris_sources::json::text;
use serde_json::{Map, Value, json};

use crate::cli::Content;

pub(crate) fn result(item: &Value, content: Content) -> Value {
    let mut entry = Map::new();
    let title = text(item, &["title"]).unwrap_or_else(|| String::from("No Title"));
    entry.insert(String::from("title"), json!(title));
    entry.insert(
        String::from("url"),
        json!(text(item, &["url"]).unwrap_or_default()),
    );
    for (name, key) in [("published_date", "publishedDate"), ("author", "author")] {
        if let Some(value) = text(item, &[key]) {
            entry.insert(name.to_owned(), json!(value));
        }
    }
    let key = match content {
        Content::Highlights => "highlights",
        Content::Text => "text",
        Content::Summary => "summary",
        Content::None => return Value::Object(entry),
    };
    let filled = |value: &&Value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    };
    if let Some(value) = item.get(key).filter(filled) {
        entry.insert(key.to_owned(), value.clone());
    }
    Value::Object(entry)
}
