//! The nodes and their neighbours, cut into files, for the search's results and the graph.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::pack::cut;
use crate::site::files::{Files, script};
use crate::site::model::{Model, Node};
use crate::text::{clean, js_string};

/// Nodes in one file.
const SIZE: usize = 50;
/// Characters below a title.
const BELOW: usize = 160;

/// Writes `nodes.js` (first name of each file), `n0.js`, … (name, address, title, year, text), `graph.js` (types of relations, where to
/// start) and `g0.js`, … (for each node its neighbours: number, type, 1 when the relation leads away).
pub(crate) fn write(model: &Model, files: &mut Files) {
    let types: BTreeSet<&str> = model
        .relations
        .iter()
        .map(|relation| relation.kind.as_str())
        .collect();
    let types: BTreeMap<&str, usize> = types.into_iter().zip(0..).collect();
    let mut firsts = String::from("[");
    for (number, nodes) in model.nodes.chunks(SIZE).enumerate() {
        if number > 0 {
            firsts.push(',');
        }
        js_string(
            &mut firsts,
            nodes.first().map_or("", |node| node.name.as_str()),
        );
        let (mut records, mut neighbours) = (String::from("["), String::from("["));
        for (at, node) in nodes.iter().enumerate() {
            if at > 0 {
                records.push_str(",\n");
                neighbours.push(',');
            }
            record(&mut records, node);
            adjacent(&mut neighbours, model, number * SIZE + at, node, &types);
        }
        records.push(']');
        neighbours.push(']');
        script(files, &format!("n{number}"), &records);
        script(files, &format!("g{number}"), &neighbours);
    }
    firsts.push(']');
    script(files, "nodes", &format!("{{size:{SIZE},first:{firsts}}}"));
    let mut names = String::from("[");
    for name in types.keys() {
        if names.len() > 1 {
            names.push(',');
        }
        js_string(&mut names, name);
    }
    names.push(']');
    let start = most_connected(model, 1)
        .first()
        .map_or(-1, |(number, _)| i64::try_from(*number).unwrap_or(-1));
    script(files, "graph", &format!("{{types:{names},start:{start}}}"));
}

/// The `count` nodes with most relations, most first; nodes without page only after all others.
pub(crate) fn most_connected(model: &Model, count: usize) -> Vec<(usize, &Node)> {
    let mut nodes: Vec<(usize, &Node)> = model.nodes.iter().enumerate().collect();
    nodes.sort_by_key(|(number, node)| {
        (
            node.href.is_empty(),
            std::cmp::Reverse(node.relations.len()),
            *number,
        )
    });
    nodes.truncate(count);
    nodes
}

fn record(out: &mut String, node: &Node) {
    let page = node.page.as_ref();
    out.push('[');
    for text in [&node.name, &node.href, &node.title] {
        js_string(out, text);
        out.push(',');
    }
    write!(out, "{},", page.map_or(0, |page| page.year)).unwrap_or_default();
    js_string(out, &below(node));
    out.push(']');
}

/// What is said of a node below its title: its thesis, else its authors.
pub(crate) fn below(node: &Node) -> String {
    let Some(page) = &node.page else {
        return String::new();
    };
    let text = if page.thesis.is_empty() {
        page.authors.join(", ")
    } else {
        page.thesis.clone()
    };
    cut(&clean(&text), BELOW)
}

fn adjacent(
    out: &mut String,
    model: &Model,
    number: usize,
    node: &Node,
    types: &BTreeMap<&str, usize>,
) {
    out.push('[');
    let relations = node
        .relations
        .iter()
        .filter_map(|at| model.relations.get(*at));
    // By type, so that the graph shows what belongs together together.
    let mut sorted: Vec<(usize, bool, usize)> = relations
        .map(|relation| {
            let kind = types
                .get(relation.kind.as_str())
                .copied()
                .unwrap_or_default();
            let out = relation.from == number;
            (kind, out, if out { relation.to } else { relation.from })
        })
        .collect();
    sorted.sort_unstable();
    for (at, (kind, leads_away, other)) in sorted.into_iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        write!(out, "{comma}[{other},{kind},{}]", u8::from(leads_away)).unwrap_or_default();
    }
    out.push(']');
}
