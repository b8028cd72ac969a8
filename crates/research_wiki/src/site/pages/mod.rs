//! The pages of the site, made from templates that escape all text.

mod gap_map;
mod graph;
mod home;
mod list;
mod node;
mod relations;

use crate::site::graph::below;
use crate::site::model::Node;
use crate::text::clean;
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

pub(crate) use gap_map::gaps;
pub(crate) use graph::graph;
pub(crate) use home::home;
pub(crate) use list::lists;
pub(crate) use node::node;

/// The menu's entries, and their addresses relative to the site's root.
const MENU: [(&str, &str); 6] = [
    ("Papers", "lists/papers.html"),
    ("Ideas", "lists/ideas.html"),
    ("Experiments", "lists/experiments.html"),
    ("Claims", "lists/claims.html"),
    ("Gaps", "gaps.html"),
    ("Graph", "graph.html"),
];

/// The data that every page needs.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) site: &'a str,
    /// Relative address of the site's root.
    pub(crate) root: &'static str,
    pub(crate) heading: String,
    /// The menu entry to highlight.
    pub(crate) current: &'static str,
    pub(crate) scripts: &'static [&'static str],
}

impl Frame<'_> {
    fn search_label(&self) -> &'static str {
        if self.current == "Graph" {
            "Find a node"
        } else {
            "Search the wiki"
        }
    }
}

/// A page in a list.
struct Row {
    href: String,
    title: String,
    facts: String,
    below: String,
}

fn row(node: &Node, page: &Summary) -> Row {
    let mut facts: Vec<String> = Vec::new();
    match page.kind {
        Kind::Paper => {
            facts.extend(page.authors.first().map(ToString::to_string));
            if page.authors.len() > 1 {
                facts.push(format!("and {} more", page.authors.len() - 1));
            }
            facts.push(page.venue.to_owned());
        }
        Kind::Idea => facts.extend([page.stage, page.outcome].map(str::to_owned)),
        Kind::Experiment => facts.push(page.outcome.to_owned()),
        Kind::Claim => facts.push(page.status.to_owned()),
    }
    facts.push(page.shown_year());
    if !node.relations.is_empty() {
        facts.push(node.related());
    }
    facts.retain(|fact| !fact.is_empty());
    Row {
        href: node.href.clone(),
        title: node.title.clone(),
        facts: clean(&facts.join(" · ")),
        below: if page.thesis.is_empty() {
            String::new()
        } else {
            below(node)
        },
    }
}
