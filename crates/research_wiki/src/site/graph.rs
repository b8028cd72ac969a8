//! Nodes and their neighbours, split into data files for search results and the graph.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::pack::cut;
use crate::site::files::{Files, script};
use crate::site::model::{Model, Node};
use crate::text::clean;

/// Nodes per file.
const SIZE: usize = 50;
/// Longest text below a title, in characters.
const BELOW: usize = 160;

/// Writes `nodes.js` (first name of each file), `n0.js`, … (name, address, title, year, text), `graph.js` (types of relations, where to
/// start) and `g0.js`, … (for each node its neighbours: number, type, 1 when the relation leads away).
pub(crate) fn write(model: &Model, files: &mut Files) {
    let types: BTreeSet<&str> = model
        .relations
        .iter()
        .map(|relation| relation.kind.as_str())
        .collect();
    let numbers: BTreeMap<&str, usize> = types.iter().copied().zip(0..).collect();
    let mut first = Vec::new();
    for (number, nodes) in model.nodes.chunks(SIZE).enumerate() {
        first.extend(nodes.first().map(|node| &node.name));
        let records: Vec<_> = nodes
            .iter()
            .map(|node| {
                let year = node.page.as_ref().map_or(0, |page| page.year);
                (&node.name, &node.href, &node.title, year, below(node))
            })
            .collect();
        script(files, &format!("n{number}"), &records);
        let neighbours: Vec<_> = (number * SIZE..)
            .zip(nodes)
            .map(|(at, _)| adjacent(model, at, &numbers))
            .collect();
        script(files, &format!("g{number}"), &neighbours);
    }
    script(files, "nodes", &json!({"size": SIZE, "first": first}));
    let start = by_relations(model).next();
    let start = start.map_or(-1, |(number, _)| i64::try_from(number).unwrap_or(-1));
    script(files, "graph", &json!({"types": types, "start": start}));
}

/// The `count` nodes with the most relations, in descending order, without nodes that have none.
pub(crate) fn most_connected(model: &Model, count: usize) -> impl Iterator<Item = (usize, &Node)> {
    let nodes = by_relations(model).take(count);
    nodes.filter(|(_, node)| !node.relations.is_empty())
}

/// The nodes with their numbers, sorted by number of relations, descending. Nodes without a page come last.
fn by_relations(model: &Model) -> impl Iterator<Item = (usize, &Node)> {
    let mut nodes: Vec<(usize, &Node)> = model.nodes.iter().enumerate().collect();
    nodes.sort_by_key(|(number, node)| {
        (
            node.href.is_empty(),
            std::cmp::Reverse(node.relations.len()),
            *number,
        )
    });
    nodes.into_iter()
}

/// The text below a node's title: its thesis, else its authors.
pub(crate) fn below(node: &Node) -> String {
    let Some(page) = &node.page else {
        return String::new();
    };
    let text = if page.thesis.is_empty() {
        page.authors.join(", ")
    } else {
        page.thesis.to_owned()
    };
    cut(&clean(&text), BELOW)
}

/// Number, type and direction of each neighbour, sorted by type because the graph groups them by type.
fn adjacent(
    model: &Model,
    number: usize,
    types: &BTreeMap<&str, usize>,
) -> Vec<(usize, usize, u8)> {
    let mut neighbours: Vec<_> = model
        .relations_of(number)
        .map(|relation| {
            let kind = types.get(relation.kind.as_str()).copied();
            let away = relation.from == number;
            let other = if away { relation.to } else { relation.from };
            (other, kind.unwrap_or_default(), u8::from(away))
        })
        .collect();
    neighbours.sort_unstable_by_key(|(other, kind, away)| (*kind, *away, *other));
    neighbours
}
