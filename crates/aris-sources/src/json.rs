//! Reads JSON whose fields may be absent, `null`, or of an undocumented type: such a field is unknown, not an error.

use std::fmt::Write as _;

use aris_contract::artifact::papers::Author;
use aris_contract::ids::Doi;
use aris_http::{Doubt, Response};
use serde_json::Value;

use crate::answer::no_answer;
use crate::plain::untagged;

/// The body as JSON.
///
/// **Errors**: [`Doubt::NotAnAnswer`] for a body that is not JSON: services in trouble send HTML pages and fragments.
pub fn body(response: &Response) -> Result<Value, Doubt> {
    serde_json::from_slice(&response.body).map_err(|error| no_answer(format!("no JSON: {error}")))
}

/// The value at a path of keys.
pub fn at<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    let below = |here: &'a Value, key: &&str| here.get(key).unwrap_or(&Value::Null);
    path.iter().fold(value, below)
}

/// A text, made plain; `None` if empty.
pub fn text(value: &Value, path: &[&str]) -> Option<String> {
    let found = match at(value, path) {
        Value::String(text) => untagged(text),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!found.is_empty()).then_some(found)
}

/// The text at a path in each item of a list.
pub fn texts(list: &[Value], path: &[&str]) -> Vec<String> {
    list.iter().filter_map(|item| text(item, path)).collect()
}

/// Authors, from the whole name at a path in each item of a list.
pub(crate) fn authors(list: &[Value], path: &[&str]) -> Vec<Author> {
    let names = texts(list, path);
    names.iter().map(|name| Author::named(name)).collect()
}

/// Authors, from one text with commas or semicolons between the names.
pub(crate) fn names(text: &str) -> Vec<Author> {
    let names = text.split([';', ',']).map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(Author::named)
        .collect()
}

/// A DOI.
pub(crate) fn doi(value: &Value, path: &[&str]) -> Option<Doi> {
    Doi::parse(&text(value, path)?).ok()
}

/// The day, `2023-04-25`, of a date or a time.
pub(crate) fn day(value: &Value, path: &[&str]) -> Option<String> {
    text(value, path)?.get(..10).map(str::to_owned)
}

/// The year of a day.
pub(crate) fn year_of(day: Option<&String>) -> Option<u16> {
    day?.get(..4)?.parse().ok()
}

/// The first text of a list, or the text itself.
pub fn first(value: &Value, path: &[&str]) -> Option<String> {
    match at(value, path) {
        Value::Array(list) => list.iter().find_map(|item| text(item, &[])),
        _ => text(value, path),
    }
}

/// A number that is a count.
pub fn count(value: &Value, path: &[&str]) -> Option<u64> {
    let found = at(value, path);
    found
        .as_u64()
        .or_else(|| found.as_str().and_then(|text| text.trim().parse().ok()))
}

/// A year between 1000 and 2999.
pub fn year(value: &Value, path: &[&str]) -> Option<u16> {
    as_year(count(value, path)?)
}

fn as_year(number: u64) -> Option<u16> {
    let year = u16::try_from(number).ok()?;
    (1000..3000).contains(&year).then_some(year)
}

/// A list; empty if the value is anything else.
pub fn list<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    at(value, path).as_array().map_or(&[], Vec::as_slice)
}

/// The date `2023-04-25`, `2023-04` or `2023` from `[2023, 4, 25]` or a shorter list, and the year.
pub(crate) fn date_parts(value: &Value) -> Option<(String, u16)> {
    let parts = list(value, &["date-parts"]).first()?.as_array()?;
    let parts: Vec<u64> = parts.iter().map_while(Value::as_u64).collect();
    let year = as_year(*parts.first()?)?;
    let mut date = year.to_string();
    for part in parts.iter().skip(1).take(2) {
        // Writing to a String cannot fail.
        write!(date, "-{part:02}").unwrap_or_default();
    }
    Some((date, year))
}
