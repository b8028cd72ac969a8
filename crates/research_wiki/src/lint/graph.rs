//! Findings about the graph.

use std::collections::BTreeMap;

use super::{Lint, Rule};
use crate::error::Error;
use crate::gaps;
use crate::wiki::Wiki;
use aris_contract::text::counted;
use aris_wiki::edges::Edges;
use aris_wiki::node::Kind;

const FILE: &str = "graph/edges.jsonl";

pub(super) fn check(wiki: &Wiki, edges: &Edges, lint: &mut Lint) -> Result<(), Error> {
    for line in &edges.unreadable {
        lint.add_at(Rule::BrokenEdge, FILE, Some(*line), "the line is no edge");
    }
    if edges.repeated > 0 {
        lint.add(
            Rule::RepeatedEdge,
            FILE,
            counted(edges.repeated, "repeated edge"),
        );
    }
    let by_node = wiki.by_node();
    let map = wiki.gap_map()?;
    let gaps = gaps::parse(&map);
    let mut verdicts: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for edge in edges.list() {
        for node in [&edge.from, &edge.to] {
            // A node whose kind is unknown needs no page.
            let missing = match node.strip_prefix("gap:") {
                Some(gap) if !gaps::names(&map, &gaps, gap) => {
                    format!("gap_map.md does not name {gap}")
                }
                None if Kind::of(node).is_some() && !by_node.contains_key(node.as_str()) => {
                    format!("there is no page of {node}")
                }
                _ => continue,
            };
            let message = format!("{} --{}--> {}: {missing}", edge.from, edge.kind, edge.to);
            lint.add(Rule::DanglingEdge, FILE, message);
        }
        let verdict = verdicts.entry(edge.to.as_str()).or_default();
        match edge.kind.as_str() {
            "supports" => verdict.0 = true,
            "invalidates" => verdict.1 = true,
            _ => {}
        }
    }
    for (node, verdict) in verdicts {
        if verdict == (true, true) && Kind::of(node) == Some(Kind::Claim) {
            let message =
                format!("{node} is supported by one experiment and invalidated by another");
            lint.add(Rule::Contradiction, FILE, message);
        }
    }
    Ok(())
}
