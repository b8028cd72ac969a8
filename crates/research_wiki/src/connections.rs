//! The generated part of a page's section "Connections": its edges, with links to the pages at their other ends.

use std::collections::BTreeMap;

use aris_wiki::edges::{Edge, Edges};
use aris_wiki::page::one_line;
use aris_wiki::summary::Summary;

/// Name of the generated part.
pub(crate) const PART: &str = "connections";

/// One line for each edge of `node`; edges that start there come first.
pub(crate) fn render(node: &str, edges: &Edges, pages: &BTreeMap<&str, &Summary>) -> String {
    let start = |edge: &Edge| format!("- {} →", one_line(&edge.kind));
    let away = edges.of(node).filter(|edge| edge.from == node);
    let away = away.map(|edge| line(&start(edge), &edge.to, edge, pages));
    let start = |edge: &Edge| format!("- ← {}", one_line(&edge.kind));
    let here = edges.of(node).filter(|edge| edge.from != node);
    let here = here.map(|edge| line(&start(edge), &edge.from, edge, pages));
    let lines: Vec<String> = away.chain(here).collect();
    lines.join("\n")
}

fn line(start: &str, other: &str, edge: &Edge, pages: &BTreeMap<&str, &Summary>) -> String {
    let name = match pages.get(other) {
        Some(page) => format!("[{}](../{})", page.node, page.path()),
        None => format!("`{}`", one_line(other)),
    };
    format!("{start} {name}{}", evidence(edge))
}

/// The edge's evidence after a colon, or nothing. Comment marks in it are broken up: they could end the generated part.
pub(crate) fn evidence(edge: &Edge) -> String {
    let evidence = one_line(&edge.evidence).replace("<!--", "<! --");
    let colon = if evidence.is_empty() { "" } else { ": " };
    format!("{colon}{evidence}")
}
