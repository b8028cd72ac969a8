//! The page of a node.

use std::collections::BTreeSet;

use askama::Template;

use super::Frame;
use super::relations::{Group, groups};
use crate::site::model::Model;
use crate::text::{clean, percent};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

#[derive(Template)]
#[template(path = "page.html")]
struct NodePage<'a> {
    frame: Frame<'a>,
    kind: String,
    kind_label: &'static str,
    /// Label and values; each value is a text and its link, empty for no link.
    facts: Vec<(&'static str, Vec<(String, String)>)>,
    body: &'a str,
    empty: String,
    graph: String,
    groups: Vec<Group<'a>>,
}

fn facts(page: &Summary) -> Vec<(&'static str, Vec<(String, String)>)> {
    let plain = |label, text: &str| (label, vec![(clean(text), String::new())]);
    let linked = |label, texts: &[&str], address: &str| {
        let link = |text: &&str| (clean(text), format!("{address}{}", percent(text)));
        (label, texts.iter().map(link).collect())
    };
    let outcome = if page.kind == Kind::Experiment {
        "Verdict"
    } else {
        "Outcome"
    };
    let authors = page.authors.iter();
    let authors = authors.map(|name| (clean(name), String::new()));
    let mut facts = vec![
        ("Authors", authors.collect()),
        plain("Year", &page.shown_year()),
        plain("Venue", page.venue),
        linked("arXiv", &[page.arxiv], "https://arxiv.org/abs/"),
        linked("DOI", &[page.doi], "https://doi.org/"),
        plain("Status", page.status),
        plain("Stage", page.stage),
        plain(outcome, page.outcome),
        plain("Relevance", page.relevance),
        linked("Tags", &page.tags, "../index.html?q="),
        plain("Added", page.added),
    ];
    facts.retain(|(_, values): &(_, Vec<_>)| values.iter().any(|(text, _)| !text.is_empty()));
    facts
}

/// The page of node `number`; `body` is its text as HTML.
pub(crate) fn node(
    site: &str,
    model: &Model,
    number: usize,
    page: &Summary,
    (body, empty): (&str, &[String]),
    mentions: Option<&BTreeSet<usize>>,
) -> askama::Result<String> {
    let (name, title) = model
        .nodes
        .get(number)
        .map_or(("", ""), |node| (node.name.as_str(), node.title.as_str()));
    NodePage {
        frame: Frame {
            site,
            root: "../",
            heading: title.to_owned(),
            current: page.kind.heading(),
            scripts: &[],
        },
        kind: page.kind.to_string(),
        kind_label: page.kind.heading().trim_end_matches('s'),
        facts: facts(page),
        body,
        empty: clean(&empty.join(", ")),
        graph: percent(name),
        groups: groups(model, number, mentions),
    }
    .render()
}
