//! The JSON that the reference's script prints for a search.

use aris_contract::artifact::papers::Paper;
use aris_sources::Answer;
use serde_json::{Value, json};

/// The list for an answer.
pub(crate) fn list(found: &Answer) -> Value {
    let items = found.items.iter();
    items
        .filter_map(|(updated, paper)| Some(one(paper.as_ref()?, updated)))
        .collect()
}

fn one(paper: &Paper, updated: &Value) -> Value {
    let id = paper
        .ids
        .arxiv
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let authors: Vec<&str> = paper
        .authors
        .iter()
        .map(|author| author.name.as_str())
        .collect();
    json!({
        "id": id,
        "title": paper.title,
        "authors": authors,
        "abstract": paper.summary.as_deref().unwrap_or_default(),
        "published": paper.date.as_deref().unwrap_or_default(),
        "updated": updated,
        "categories": paper.fields,
        "pdf_url": format!("https://arxiv.org/pdf/{id}.pdf"),
        "abs_url": format!("https://arxiv.org/abs/{id}"),
    })
}
