//! The lists of pages.

use askama::Template;

use super::{Frame, Row, row};
use crate::site::model::{Model, Node};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

/// Entries of one page of a list.
const LISTED: usize = 100;

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage<'a> {
    frame: Frame<'a>,
    lead: String,
    start: usize,
    rows: Vec<Row>,
    pages: Vec<Link>,
}

struct Link {
    href: String,
    label: String,
    current: bool,
}

/// The list of one kind, in pages: papers from the newest to the oldest, the others by name. Path and content of each.
pub(crate) fn lists(
    site: &str,
    model: &Model,
    kind: Kind,
) -> askama::Result<Vec<(String, String)>> {
    let mut all: Vec<(&Node, &Summary)> = model
        .of_kind(kind)
        .map(|(_, node, page)| (node, page))
        .collect();
    if kind == Kind::Paper {
        all.sort_by(|(one, first), (two, second)| {
            second
                .year
                .cmp(&first.year)
                .then_with(|| one.title.cmp(&two.title))
                .then_with(|| one.name.cmp(&two.name))
        });
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
    let noun = if all.len() == 1 {
        kind.to_string()
    } else {
        format!("{kind}s")
    };
    let render = |(number, part): (usize, &&[(&Node, &Summary)])| {
        let pages = labels.iter().zip(0..).map(|(label, other)| Link {
            href: name(other),
            label: label.clone(),
            current: other == number,
        });
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
            lead: format!(
                "{} {noun}{}.",
                all.len(),
                if kind == Kind::Paper {
                    ", newest first"
                } else {
                    ""
                }
            ),
            start: number * LISTED + 1,
            rows: part.iter().map(|(node, page)| row(node, page)).collect(),
            pages: pages.collect(),
        };
        Ok((format!("lists/{}", name(number)), page.render()?))
    };
    parts.iter().enumerate().map(render).collect()
}
