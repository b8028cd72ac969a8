//! The JSON that the reference's script prints for a search.

use aris_contract::artifact::papers::Paper;
use aris_sources::arxiv::Feed;
use serde_json::{Value, json};

/// The list of a feed.
pub(crate) fn list(feed: &Feed) -> Value {
    let updated = feed.updated.iter().map(String::as_str);
    let papers = feed.papers.iter();
    papers
        .zip(updated.chain(std::iter::repeat("")))
        .map(|(paper, updated)| one(paper, updated))
        .collect()
}

fn one(paper: &Paper, updated: &str) -> Value {
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
