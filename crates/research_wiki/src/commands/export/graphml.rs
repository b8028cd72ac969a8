//! The graph as GraphML, for programs that draw and analyse graphs.
//!
//! **Source**: <http://graphml.graphdrawing.org/xmlns/1.1/graphml.xsd>; attributes are declared as `key` elements.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Graph;

const KEYS: [(&str, &str, &str); 6] = [
    ("kind", "node", "string"),
    ("title", "node", "string"),
    ("year", "node", "int"),
    ("status", "node", "string"),
    ("type", "edge", "string"),
    ("evidence", "edge", "string"),
];

/// The beginning of the document.
pub(crate) const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";

/// The whole document. An edge's end without a page becomes a node without attributes.
pub(crate) fn document(graph: &Graph) -> String {
    let mut out = String::from(START);
    for (name, of, kind) in KEYS {
        writeln!(
            out,
            "  <key id=\"{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
        )
        .unwrap_or_default();
    }
    out.push_str("  <graph edgedefault=\"directed\">\n");
    let mut known = BTreeSet::new();
    for node in &graph.nodes {
        let page = &node.page;
        if !known.insert(page.node) {
            continue;
        }
        let status = [page.status, page.outcome, page.stage]
            .into_iter()
            .find(|text| !text.is_empty());
        writeln!(out, "    <node id=\"{}\">", escaped(page.node)).unwrap_or_default();
        data(&mut out, "kind", &page.kind.to_string());
        data(&mut out, "title", page.title);
        data(&mut out, "year", &page.shown_year());
        data(&mut out, "status", status.unwrap_or_default());
        out.push_str("    </node>\n");
    }
    for end in graph.edges.iter().flat_map(|edge| [&edge.from, &edge.to]) {
        if known.insert(end.as_str()) {
            writeln!(out, "    <node id=\"{}\"/>", escaped(end)).unwrap_or_default();
        }
    }
    for edge in &graph.edges {
        writeln!(
            out,
            "    <edge source=\"{}\" target=\"{}\">",
            escaped(&edge.from),
            escaped(&edge.to)
        )
        .unwrap_or_default();
        data(&mut out, "type", &edge.kind);
        data(&mut out, "evidence", &edge.evidence);
        out.push_str("    </edge>\n");
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn data(out: &mut String, key: &str, text: &str) {
    if !text.is_empty() {
        writeln!(out, "      <data key=\"{key}\">{}</data>", escaped(text)).unwrap_or_default();
    }
}

/// Escapes text for XML 1.0 and drops the control characters that XML 1.0 cannot hold.
fn escaped(text: &str) -> String {
    let allowed = |c: &char| !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(allowed) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_escaped() {
        assert_eq!(
            escaped("a<b>&\"\u{1}\u{b}c\td"),
            "a&lt;b&gt;&amp;&quot;c\td"
        );
    }
}
