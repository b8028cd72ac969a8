//! The home page.

use std::cmp::Reverse;

use askama::Template;

use super::{Frame, Row, row};
use crate::gaps::Gap;
use crate::site::graph::most_connected;
use crate::site::model::{Model, Node};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

/// Entries per list.
const RECENT: usize = 8;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    frame: Frame<'a>,
    /// Address, kind, count and label.
    counts: Vec<(String, String, usize, &'static str)>,
    /// Title and rows.
    lists: Vec<(&'static str, Vec<Row>)>,
}

/// The home page: counts, the search, the newest and the most important pages.
pub(crate) fn home(site: &str, model: &Model, gaps: &[Gap]) -> askama::Result<String> {
    let kinds = Kind::ALL.map(|kind| {
        let (folder, count) = (kind.folder(), model.of_kind(kind).count());
        (
            format!("lists/{folder}.html"),
            kind.to_string(),
            count,
            folder,
        )
    });
    let others = [
        ("gaps.html", "gap", gaps.len(), "gaps"),
        ("graph.html", "other", model.relations.len(), "relations"),
    ];
    let others =
        others.map(|(href, kind, count, label)| (href.to_owned(), kind.to_owned(), count, label));
    let mut newest: Vec<(&Node, &Summary)> = model.pages().collect();
    newest.retain(|(_, page)| !page.added.is_empty());
    newest.sort_by_key(|(node, page)| (Reverse(page.added), &node.name));
    newest.truncate(RECENT);
    let connected = most_connected(model, RECENT);
    let connected = connected.filter_map(|(_, node)| Some((node, node.page.as_ref()?)));
    let rows = |pages: Vec<_>| {
        pages
            .into_iter()
            .map(|(node, page)| row(node, page))
            .collect()
    };
    let mut lists = vec![
        ("Added last", rows(newest)),
        ("Most connected", rows(connected.collect())),
    ];
    lists.retain(|(_, rows): &(_, Vec<Row>)| !rows.is_empty());
    Home {
        frame: Frame {
            site,
            root: "",
            heading: String::from("Overview"),
            current: "",
            scripts: &["search.js", "home.js"],
        },
        counts: kinds.into_iter().chain(others).collect(),
        lists,
    }
    .render()
}
