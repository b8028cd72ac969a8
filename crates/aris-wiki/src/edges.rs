//! The graph: `graph/edges.jsonl`, one edge per line, in the reference's format.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The edge types that the skills use. Edges of other types are read and kept, but never created.
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Edge {
    /// Node that it starts from.
    pub from: String,
    /// Node that it leads to.
    pub to: String,
    /// What the edge says, usually in one of the words that the skills use.
    #[serde(rename = "type")]
    pub kind: String,
    /// Why somebody added it.
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
    pub fn parse(line: &str) -> Option<Self> {
        let read: Line = serde_json::from_str(line).ok()?;
        let text = |value: Option<Value>| match value {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        Some(Self {
            from: read.from,
            to: read.to,
            kind: read.kind,
            evidence: text(read.evidence),
            added: text(read.added),
        })
    }
}

/// An edge as a line of the file.
#[derive(Deserialize)]
struct Line {
    from: String,
    to: String,
    #[serde(rename = "type")]
    kind: String,
    evidence: Option<Value>,
    added: Option<Value>,
}

/// The edges of a wiki.
///
/// A line repeats an earlier edge with the same ends and type if the evidence is the same or if the line has no evidence: evidence that
/// somebody gave is never dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    list: Vec<Edge>,
    /// Lines that repeat an edge.
    pub repeated: usize,
    /// Numbers, from 1, of the lines that are not edges. They stay in the file.
    pub unreadable: Vec<usize>,
}

impl Edges {
    /// Parses the lines of `text`. Of several equal edges, the first counts.
    pub fn parse(text: &str) -> Self {
        let mut edges = Self::default();
        for (at, line) in text.lines().enumerate() {
            match Edge::parse(line) {
                _ if line.trim().is_empty() => {}
                Some(edge) => edges.list.push(edge),
                None => edges.unreadable.push(at + 1),
            }
        }
        let mut first = Self::first_of_equal(&edges.list).into_iter();
        let all = edges.list.len();
        edges.list.retain(|_| first.next().unwrap_or_default());
        edges.repeated = all - edges.list.len();
        edges
    }

    /// For each edge, whether it does not repeat an earlier one.
    pub fn first_of_equal(edges: &[Edge]) -> Vec<bool> {
        let mut order: Vec<(usize, &Edge)> = edges.iter().enumerate().collect();
        order.sort_by(|(_, one), (_, two)| one.key().cmp(&two.key()));
        let mut first = vec![false; edges.len()];
        for equal in order.chunk_by(|(_, one), (_, two)| one.key() == two.key()) {
            let mut seen = BTreeSet::new();
            for (at, edge) in equal {
                let new = seen.is_empty() || !edge.evidence.is_empty();
                let new = new && seen.insert(edge.evidence.as_str());
                if let Some(first) = first.get_mut(*at) {
                    *first = new;
                }
            }
        }
        first
    }

    /// The edges in the order of the file, each once.
    pub fn list(&self) -> &[Edge] {
        &self.list
    }

    /// Adds an edge in memory. Returns `false` when it repeats an existing one.
    pub fn insert(&mut self, edge: Edge) -> bool {
        let mut same = self.list.iter().filter(|other| other.key() == edge.key());
        let repeats = if edge.evidence.is_empty() {
            same.next().is_some()
        } else {
            same.any(|other| other.evidence == edge.evidence)
        };
        if !repeats {
            self.list.push(edge);
        }
        !repeats
    }

    /// The edges of each wanted node.
    pub fn by_node(&self, wanted: impl Fn(&str) -> bool) -> BTreeMap<&str, Self> {
        let mut nodes: BTreeMap<&str, Self> = BTreeMap::new();
        for edge in &self.list {
            for node in BTreeSet::from([edge.from.as_str(), &edge.to]) {
                if wanted(node) {
                    nodes.entry(node).or_default().list.push(edge.clone());
                }
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
