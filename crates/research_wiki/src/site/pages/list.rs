//! The lists of pages.

use std::cmp::Reverse;

use aris_contract::text::counted;
use askama::Template;

use super::{Frame, Row, row};
use crate::site::model::{Model, Node};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

/// Entries per page of a list.
const LISTED: usize = 100;

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage<'a> {
    frame: Frame<'a>,
    lead: String,
    start: usize,
    rows: Vec<Row>,
    /// Address and label of each page of the list, and whether it is the current one.
    pages: Vec<(String, &'a str, bool)>,
}

/// The paginated list of one kind: papers from newest to oldest, the others by name. Returns path and content of each page.
pub(crate) fn lists(
    site: &str,
    model: &Model,
    kind: Kind,
) -> askama::Result<Vec<(String, String)>> {
    let mut all: Vec<(&Node, &Summary)> = model.of_kind(kind).collect();
    let mut order = "";
    if kind == Kind::Paper {
        all.sort_by_key(|(node, page)| (Reverse(page.year), &node.title, &node.name));
        order = ", newest first";
    }
    let name = |number: usize| match number {
        0 => format!("{}.html", kind.folder()),
        number => format!("{}-{}.html", kind.folder(), number + 1),
    };
    let label = |part: &[(&Node, &Summary)], number: usize| {
        let years = || Some((part.first()?.1.year, part.last()?.1.year));
        match years().filter(|_| kind == Kind::Paper) {
            Some((first, last)) if first == last => format!("{} ({first})", number + 1),
            Some((first, last)) => format!("{} ({first}–{last})", number + 1),
            None => (number + 1).to_string(),
        }
    };
    let mut parts: Vec<&[(&Node, &Summary)]> = all.chunks(LISTED).collect();
    if parts.is_empty() {
        parts.push(&[]);
    }
    let labels: Vec<String> = parts
        .iter()
        .zip(0..)
        .map(|(part, number)| label(part, number))
        .collect();
    let render = |(number, part): (usize, &&[(&Node, &Summary)])| {
        let pages = labels.iter().zip(0..);
        let pages = pages.map(|(label, other)| (name(other), label.as_str(), other == number));
        let heading = match number {
            0 => kind.heading().to_owned(),
            number => format!("{}, page {}", kind.heading(), number + 1),
        };
        let page = ListPage {
            frame: Frame {
                site,
                root: "../",
                heading,
                current: kind.heading(),
                scripts: &[],
            },
            lead: format!("{}{order}.", counted(all.len(), &kind.to_string())),
            start: number * LISTED + 1,
            rows: part.iter().map(|(node, page)| row(node, page)).collect(),
            pages: pages.collect(),
        };
        Ok((format!("lists/{}", name(number)), page.render()?))
    };
    parts.iter().enumerate().map(render).collect()
}
