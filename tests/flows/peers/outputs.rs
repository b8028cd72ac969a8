//! Output files, read by other programs: XML by Python, PDF by poppler, SARIF by its published schema.

use std::fs;

use aris_testkit::{Helper, Project, assert_follows, workspace_root};
use serde_json::json;

use super::python;

/// Reads a graph and a picture. Checks that both ends of each edge are nodes, and that every datum has a key.
const XML: &str = r"
import json, sys
from xml.etree import ElementTree
graph, picture = map(ElementTree.fromstring, json.load(sys.stdin))
name = '{http://graphml.graphdrawing.org/xmlns}'
assert graph.tag == name + 'graphml', graph.tag
found = lambda tag: list(graph.iter(name + tag))
nodes = {node.get('id') for node in found('node')}
keys = {key.get('id') for key in found('key')}
ends = [edge.get(end) for edge in found('edge') for end in ('source', 'target')]
assert len(nodes) == len(found('node')) and ends and set(ends) <= nodes, ends
assert {data.get('key') for data in found('data')} <= keys
assert picture.tag == '{http://www.w3.org/2000/svg}svg', picture.tag
print('\n'.join(text.strip() for text in picture.itertext() if text.strip()))
";

const ODD: &str = "a <b> & \"c\" 'd' é ]]> \u{1d54f}";

#[test]
fn graphs_and_pictures_are_xml() {
    let project = Project::new();
    let wiki = |words: &[&str]| {
        Helper::named("research_wiki")
            .call(project.path())
            .args(words)
            .run()
            .expect_code(0)
    };
    wiki(&["init", "wiki"]);
    for id in ["C1", "C2"] {
        wiki(&["upsert_claim", "wiki", id, "--statement", ODD]);
    }
    let ends = [
        "--from", "claim:C1", "--to", "claim:C2", "--type", "supports",
    ];
    wiki(&[&["add_edge", "wiki", "--evidence", ODD], &ends[..]].concat());
    let graph = wiki(&["export", "wiki", "--graphml"]);
    let figure = json!({"nodes": [{"id": "a", "label": ODD}, {"id": "b", "label": "B"}], "edges": [{"from": "a", "to": "b", "label": ODD}]});
    project.write("f.json", figure.to_string());
    let draw = ["render", "f.json", "--format", "svg,pdf"];
    Helper::named("figure_renderer")
        .call(project.path())
        .args(draw)
        .run()
        .expect_code(0);
    if let Some(told) = python(XML, &json!([graph.stdout(), project.read("f.svg")])) {
        assert!(told.stdout().contains("<b>"), "{told}");
    }
    let found = std::env::var("PATH").unwrap_or_default();
    if !found
        .split(':')
        .any(|folder| fs::exists(format!("{folder}/pdfinfo")).unwrap_or(false))
    {
        println!("skipped: there is no pdfinfo");
        return;
    }
    let info = Helper::at("/usr/bin/env")
        .call(project.path())
        .args(["pdfinfo", "f.pdf"])
        .run()
        .expect_code(0);
    assert!(
        info.stdout().contains("Pages:           1") && info.stderr().is_empty(),
        "{info}"
    );
}

#[test]
fn tokens_are_reported_as_the_schema_of_sarif_says() {
    let schema = workspace_root().join("crates/skill_lint/tests/sarif/sarif-schema-2.1.0.json");
    let schema = fs::read(schema).expect("the schema");
    let schema = serde_json::from_slice(&schema).expect("JSON");
    let token = format!("olp_{}", "aB3".repeat(12));
    let project = Project::new().file(
        "paper/a b%.txt",
        format!("x\nhttps://git:{token}@git.overleaf.com/1\n"),
    );
    for (folder, code) in [("paper", 10), ("absent", 3)] {
        let words = [folder, "--sarif"];
        let run = Helper::named("overleaf_audit")
            .call(project.path())
            .args(words)
            .run()
            .expect_code(code);
        if code == 10 {
            let sarif = serde_json::from_str(run.stdout()).expect("SARIF");
            assert_follows(&schema, &sarif, "the report");
        }
    }
}
