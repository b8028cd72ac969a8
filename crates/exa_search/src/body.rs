//! The bodies of requests to Exa.

use serde_json::{Value, json};

use crate::cli::{Content, FindSimilar, GetContents, Search, Wanted};

pub(crate) fn search(args: &Search) -> Value {
    let body = json!({
        "query": args.query,
        "type": args.search_type,
        "category": args.category,
        "userLocation": args.location,
        "includeText": phrases(args.include_text.as_deref()),
        "excludeText": phrases(args.exclude_text.as_deref()),
    });
    given([body, wanted(&args.wanted)])
}

pub(crate) fn find_similar(args: &FindSimilar) -> Value {
    given([json!({ "url": args.url }), wanted(&args.wanted)])
}

/// The body of a `/contents` request; here the content options are beside the URLs, not below `contents`.
pub(crate) fn get_contents(args: &GetContents) -> Value {
    let contents = content(args.content, args.max_chars);
    given([contents, json!({ "ids": args.urls })])
}

fn content(wanted: Content, characters: u32) -> Value {
    let limit = json!({ "maxCharacters": characters });
    match wanted {
        Content::Highlights => json!({ "highlights": limit }),
        Content::Text => json!({ "text": limit }),
        Content::Summary => json!({ "summary": {} }),
        Content::None => Value::Null,
    }
}

fn wanted(wanted: &Wanted) -> Value {
    json!({
        "numResults": wanted.limit,
        "contents": content(wanted.content, wanted.max_chars),
        "includeDomains": phrases(wanted.include_domains.as_deref()),
        "excludeDomains": phrases(wanted.exclude_domains.as_deref()),
        "startPublishedDate": wanted.start_date,
        "endPublishedDate": wanted.end_date,
    })
}

/// The parts of a comma-separated list; `null` if there are none.
fn phrases(list: Option<&str>) -> Value {
    let parts = list.unwrap_or_default().split(',').map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        Value::Null
    } else {
        json!(parts)
    }
}

/// All fields of the objects that have a value.
fn given<const N: usize>(objects: [Value; N]) -> Value {
    let objects = objects.into_iter().filter_map(|object| match object {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    let fields = objects.flatten().filter(|(_, value)| !value.is_null());
    Value::Object(fields.collect())
}
