//! The first page.

use askama::Template;

use super::{Frame, Row, row};
use crate::gaps::Gap;
use crate::site::graph::most_connected;
use crate::site::model::{Model, Node};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

/// Entries of the lists on the first page.
const RECENT: usize = 8;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    frame: Frame<'a>,
    counts: Vec<Count>,
    lists: Vec<List>,
}

struct Count {
    href: &'static str,
    kind: &'static str,
    number: usize,
    label: &'static str,
}

struct List {
    title: &'static str,
    rows: Vec<Row>,
}

/// The first page: how much there is, the search, what is new and what matters most.
pub(crate) fn home(site: &str, model: &Model, gaps: &[Gap]) -> askama::Result<String> {
    let number = |kind| model.of_kind(kind).count();
    let mut counts: Vec<Count> = [
        (Kind::Paper, "lists/papers.html", "paper", "papers"),
        (Kind::Idea, "lists/ideas.html", "idea", "ideas"),
        (
            Kind::Experiment,
            "lists/experiments.html",
            "experiment",
            "experiments",
        ),
        (Kind::Claim, "lists/claims.html", "claim", "claims"),
    ]
    .map(|(kind, href, class, label)| Count {
        href,
        kind: class,
        number: number(kind),
        label,
    })
    .into();
    counts.push(Count {
        href: "gaps.html",
        kind: "gap",
        number: gaps.len(),
        label: "gaps",
    });
    counts.push(Count {
        href: "graph.html",
        kind: "other",
        number: model.relations.len(),
        label: "relations",
    });
    let mut newest: Vec<(&Node, &Summary)> = model
        .nodes
        .iter()
        .filter_map(|node| {
            Some((
                node,
                node.page.as_ref().filter(|page| !page.added.is_empty())?,
            ))
        })
        .collect();
    newest.sort_by(|(one, first), (two, second)| {
        second
            .added
            .cmp(&first.added)
            .then_with(|| one.name.cmp(&two.name))
    });
    let connected = most_connected(model, RECENT);
    let connected = connected.iter().filter_map(|(_, node)| {
        let page = node.page.as_ref()?;
        (!node.relations.is_empty()).then(|| row(node, page))
    });
    let mut lists = vec![
        List {
            title: "Added last",
            rows: newest
                .iter()
                .take(RECENT)
                .map(|(node, page)| row(node, page))
                .collect(),
        },
        List {
            title: "Most connected",
            rows: connected.collect(),
        },
    ];
    lists.retain(|list| !list.rows.is_empty());
    let frame = Frame {
        site,
        root: "",
        heading: String::from("Overview"),
        current: "",
        scripts: &["search.js", "home.js"],
    };
    Home {
        frame,
        counts,
        lists,
    }
    .render()
}
