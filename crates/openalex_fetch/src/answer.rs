//! What OpenAlex answers: a list of works, or one work.

use aris_contract::artifact::papers::Paper;
use aris_sources::json::{at, body, count, text};
use aris_sources::{Doubt, Response, openalex};
use serde_json::Value;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    /// The works as they came.
    pub(crate) items: Vec<Value>,
    /// The record of each.
    pub(crate) papers: Vec<Paper>,
    /// Works there are in all.
    pub(crate) total: Option<u64>,
}

/// Reads an answer; `None`: there is no such work.
///
/// **Errors**: what is no answer, an error that OpenAlex reports.
pub(crate) fn read(response: &Response) -> Result<Option<Answer>, Doubt> {
    // An unknown work is 404 with a page.
    if response.is_absence() {
        return Ok(None);
    }
    let value = body(response)?;
    let works = match at(&value, &["results"]).as_array() {
        Some(list) => list.clone(),
        None => vec![value.clone()],
    };
    let total = count(&value, &["meta", "count"]);
    let first = count(&value, &["meta", "page"]).unwrap_or(1) == 1;
    if works.is_empty() && first && total.is_some_and(|total| total > 0) {
        return Err(Doubt::NotAnAnswer(String::from(
            "an empty page, although results are announced",
        )));
    }
    let mut answer = Answer {
        total,
        ..Answer::default()
    };
    for work in works {
        let Some(paper) = openalex::paper(&work, response) else {
            let said = text(&work, &["message"]).or_else(|| text(&work, &["error"]));
            return Err(said.map_or_else(
                || Doubt::NotAnAnswer(String::from("neither a work nor a list of works")),
                Doubt::Malformed,
            ));
        };
        answer.papers.push(paper);
        answer.items.push(work);
    }
    Ok(Some(answer))
}
