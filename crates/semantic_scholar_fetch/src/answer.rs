//! What Semantic Scholar answers, of whatever shape: a page of a search, a page of neighbours, a batch, one paper.
//!
//! **Source**: Academic Graph API documentation and recorded answers. An empty search has `total` 0 and no `data`; a batch is a list with
//! `null` for what is unknown; neighbours stand inside `citingPaper` or `citedPaper`; references that a publisher holds back are `null`.

use aris_contract::artifact::papers::Paper;
use aris_sources::json::{at, body, count, text};
use aris_sources::{Doubt, Response, semantic_scholar};
use serde_json::Value;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    /// The papers as they came; `null` where a batch has none.
    pub(crate) items: Vec<Value>,
    /// The record of each item that Semantic Scholar knows as a paper.
    pub(crate) papers: Vec<Paper>,
    /// Results there are in all.
    pub(crate) total: Option<u64>,
    /// Where the next page of a bulk search begins.
    pub(crate) token: Option<String>,
    /// Number of the next page's first result.
    pub(crate) next: Option<u64>,
    /// A publisher does not allow Semantic Scholar to show the list.
    pub(crate) withheld: bool,
}

impl Answer {
    /// Adds the results of the next page.
    pub(crate) fn extend(&mut self, page: Self) {
        self.items.extend(page.items);
        self.papers.extend(page.papers);
        self.total = page.total.or(self.total);
        self.token = page.token;
        self.next = page.next;
        self.withheld |= page.withheld;
    }

    /// Drops what is beyond `count` items.
    pub(crate) fn truncate(&mut self, count: usize) {
        if self.items.len() > count {
            self.items.truncate(count);
            let kept = self.items.iter().filter(|item| is_paper(item)).count();
            self.papers.truncate(kept);
        }
    }
}

/// Whether an item has a record of its own. References without one are only words that a parser found.
fn is_paper(item: &Value) -> bool {
    text(item, &["paperId"]).is_some()
}

/// Reads an answer; `None`: there is no such paper.
///
/// **Errors**: what is no answer, an error that Semantic Scholar reports.
pub(crate) fn read(response: &Response) -> Result<Option<Answer>, Doubt> {
    let value = body(response)?;
    let refusal = text(&value, &["error"]).or_else(|| text(&value, &["message"]));
    if response.is_absence() {
        return match refusal {
            Some(_) => Ok(None),
            None => Err(Doubt::NotAnAnswer(String::from(
                "404 with a body that is not Semantic Scholar's",
            ))),
        };
    }
    let total = count(&value, &["total"]);
    let offset = count(&value, &["offset"]);
    let mut answer = Answer {
        total,
        token: text(&value, &["token"]),
        next: count(&value, &["next"]),
        ..Answer::default()
    };
    let listed = value
        .as_array()
        .or_else(|| at(&value, &["data"]).as_array());
    if let Some(list) = listed {
        answer.items = list.iter().map(inner).cloned().collect();
        // The total is an estimate: only an empty first page contradicts it.
        let promised = total.is_some_and(|total| total > 0) && offset.unwrap_or(0) == 0;
        if list.is_empty() && promised {
            return Err(Doubt::NotAnAnswer(String::from(
                "an empty page, although results are announced",
            )));
        }
    } else if is_paper(&value) {
        answer.items = vec![value.clone()];
    } else if value.get("citingPaperInfo").is_some() || value.get("citedPaperInfo").is_some() {
        answer.withheld = true;
    } else if let Some(said) = refusal {
        return Err(Doubt::Malformed(said));
    } else if total != Some(0) {
        return Err(Doubt::NotAnAnswer(String::from(
            "neither a paper nor papers",
        )));
    }
    answer.papers = answer
        .items
        .iter()
        .filter_map(|item| semantic_scholar::paper(item, response))
        .collect();
    Ok(Some(answer))
}

/// The paper of a neighbour, or the item itself.
fn inner(item: &Value) -> &Value {
    item.get("citingPaper")
        .or_else(|| item.get("citedPaper"))
        .unwrap_or(item)
}
