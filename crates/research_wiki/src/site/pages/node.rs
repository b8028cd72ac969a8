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
    facts: Vec<Fact>,
    body: &'a str,
    empty: String,
    graph: String,
    groups: Vec<Group>,
}

struct Fact {
    label: &'static str,
    /// Text, and where it leads; empty for nowhere.
    values: Vec<(String, String)>,
}

fn facts(page: &Summary) -> Vec<Fact> {
    let year = if page.year > 0 {
        page.year.to_string()
    } else {
        String::new()
    };
    let plain = |label, text: &str| Fact {
        label,
        values: vec![(clean(text), String::new())],
    };
    let outcome = if page.kind == Kind::Experiment {
        "Verdict"
    } else {
        "Outcome"
    };
    let search = |tag: &String| (clean(tag), format!("../index.html?q={}", percent(tag)));
    let authors = page
        .authors
        .iter()
        .map(|name| (clean(name), String::new()))
        .collect();
    let mut facts = vec![
        Fact {
            label: "Authors",
            values: authors,
        },
        plain("Year", &year),
        plain("Venue", &page.venue),
        Fact {
            label: "arXiv",
            values: vec![(
                clean(&page.arxiv),
                format!("https://arxiv.org/abs/{}", percent(&page.arxiv)),
            )],
        },
        Fact {
            label: "DOI",
            values: vec![(
                clean(&page.doi),
                format!("https://doi.org/{}", percent(&page.doi)),
            )],
        },
        plain("Status", &page.status),
        plain("Stage", &page.stage),
        plain(outcome, &page.outcome),
        plain("Relevance", &page.relevance),
        Fact {
            label: "Tags",
            values: page.tags.iter().map(search).collect(),
        },
        plain("Added", &page.added),
    ];
    facts.retain(|fact| fact.values.iter().any(|(text, _)| !text.is_empty()));
    facts
}

/// The page of node `number`, with `body` as rendered.
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
        kind_label: match page.kind {
            Kind::Paper => "Paper",
            Kind::Idea => "Idea",
            Kind::Experiment => "Experiment",
            Kind::Claim => "Claim",
        },
        facts: facts(page),
        body,
        empty: clean(&empty.join(", ")),
        graph: percent(name),
        groups: groups(model, number, mentions),
    }
    .render()
}
