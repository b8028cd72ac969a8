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
    href: String,
    kind: String,
    number: usize,
    label: &'static str,
}

struct List {
    title: &'static str,
    rows: Vec<Row>,
}

/// The first page: how much there is, the search, what is new and what matters most.
pub(crate) fn home(site: &str, model: &Model, gaps: &[Gap]) -> askama::Result<String> {
    let mut counts: Vec<Count> = Kind::ALL
        .map(|kind| Count {
            href: format!("lists/{}.html", kind.folder()),
            kind: kind.to_string(),
            number: model.of_kind(kind).count(),
            label: kind.folder(),
        })
        .into();
    for (href, kind, number, label) in [
        ("gaps.html", "gap", gaps.len(), "gaps"),
        ("graph.html", "other", model.relations.len(), "relations"),
    ] {
        counts.push(Count {
            href: href.to_owned(),
            kind: kind.to_owned(),
            number,
            label,
        });
    }
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
            .cmp(first.added)
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
