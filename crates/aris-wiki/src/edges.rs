//! The graph: `graph/edges.jsonl`, one edge a line, in the reference's form.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The types that the skills use. Others are read and kept where they stand, and none is drawn.
pub const TYPES: [&str; 8] = [
    "extends",
    "contradicts",
    "addresses_gap",
    "inspired_by",
    "tested_by",
    "supports",
    "invalidates",
    "supersedes",
];

/// One edge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Node that it starts from.
    pub from: String,
    /// Node that it leads to.
    pub to: String,
    /// One of [`TYPES`], usually.
    pub kind: String,
    /// Why somebody drew it.
    pub evidence: String,
    /// When, RFC 3339.
    pub added: String,
}

impl Edge {
    /// The ends and the type.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.from, &self.to, &self.kind)
    }

    /// The edge as a line, with the bytes that Python's `json.dumps(edge, ensure_ascii=False)` gives.
    pub fn line(&self) -> String {
        let text = |value: &str| Value::from(value).to_string();
        format!(
            "{{\"from\": {}, \"to\": {}, \"type\": {}, \"evidence\": {}, \"added\": {}}}",
            text(&self.from),
            text(&self.to),
            text(&self.kind),
            text(&self.evidence),
            text(&self.added)
        )
    }

    /// Reads a line; `None` when it is no edge.
    fn parse(line: &str) -> Option<Self> {
        let map: Map<String, Value> = serde_json::from_str(line).ok()?;
        let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            from: text("from")?,
            to: text("to")?,
            kind: text("type")?,
            evidence: text("evidence").unwrap_or_default(),
            added: text("added").unwrap_or_default(),
        })
    }
}

/// The edges of a wiki.
///
/// A line repeats an edge when ends, type and evidence are the same, or when it has no evidence: what somebody gave as evidence is never
/// dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    list: Vec<Edge>,
    /// Ends and type with each evidence.
    keys: BTreeMap<(String, String, String), BTreeSet<String>>,
    /// Lines that repeat an edge.
    pub repeated: usize,
    /// Lines that are no edge, from 1. They stay in the file.
    pub unreadable: Vec<usize>,
}

impl Edges {
    /// Reads the lines of `text`. The first of several equal edges counts.
    pub fn parse(text: &str) -> Self {
        let mut edges = Self::default();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            match Edge::parse(line) {
                Some(edge) => {
                    if !edges.insert(edge) {
                        edges.repeated += 1;
                    }
                }
                None => edges.unreadable.push(at + 1),
            }
        }
        edges
    }

    /// The edges in the order in which they were drawn, each once.
    pub fn list(&self) -> &[Edge] {
        &self.list
    }

    /// Adds an edge in memory; `false` when there is such an edge.
    pub fn insert(&mut self, edge: Edge) -> bool {
        let key = (edge.from.clone(), edge.to.clone(), edge.kind.clone());
        let known = self.keys.entry(key).or_default();
        let new = known.is_empty() || !edge.evidence.is_empty();
        let new = new && known.insert(edge.evidence.clone());
        if new {
            self.list.push(edge);
        }
        new
    }

    /// The edges of each node.
    pub fn by_node(&self) -> BTreeMap<&str, Self> {
        let mut nodes: BTreeMap<&str, Self> = BTreeMap::new();
        for edge in &self.list {
            for node in [&edge.from, &edge.to] {
                nodes.entry(node).or_default().insert(edge.clone());
            }
        }
        nodes
    }

    /// Edges that start or end at `node`.
    pub fn of<'a>(&'a self, node: &'a str) -> impl Iterator<Item = &'a Edge> {
        self.list
            .iter()
            .filter(move |edge| edge.from == node || edge.to == node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_references() {
        let line = r#"{"from": "paper:a", "to": "paper:ü", "type": "extends", "evidence": "say \"x\"", "added": "2026-01-02T03:04:05Z"}"#;
        let edges = Edges::parse(line);
        assert_eq!(edges.list().first().expect("an edge").line(), line);
    }

    #[test]
    fn equal_edges_count_once_and_broken_lines_are_told() {
        let edge = |evidence: &str| {
            format!("{{\"from\":\"a\",\"to\":\"b\",\"type\":\"t\",\"evidence\":\"{evidence}\"}}\n")
        };
        let text = [
            &edge("x"),
            "\nno\n",
            &edge(""),
            "{\"from\":1}\n",
            &edge("y"),
            &edge("x"),
        ]
        .concat();
        let edges = Edges::parse(&text);
        assert_eq!(
            (
                edges.list().len(),
                edges.repeated,
                edges.unreadable.as_slice()
            ),
            (2, 2, &[3, 5][..])
        );
    }

    proptest::proptest! {
        #[test]
        fn every_edge_is_read_again(from in "\\PC{0,20}", to in "\\PC{0,20}", evidence in "(?s).{0,40}") {
            let edge = Edge { from, to, kind: String::from("t"), evidence, added: String::new() };
            proptest::prop_assert!(!edge.line().contains('\n'));
            let edges = Edges::parse(&edge.line());
            proptest::prop_assert_eq!(edges.list(), &[edge][..]);
        }

        #[test]
        fn no_bytes_make_it_panic(text in "(?s).{0,200}") {
            let edges = Edges::parse(&text);
            proptest::prop_assert!(edges.list().len() <= text.lines().count());
        }
    }
}
