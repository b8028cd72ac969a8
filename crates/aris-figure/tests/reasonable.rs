//! Figures as papers have them, described without care for places: nothing may be wrong with the picture.
#![cfg(test)]

use aris_figure::{Code, Figure};

/// Wide enough that no text is too small for it.
const WIDE_MM: f64 = 400.0;

fn found(text: &str) -> Vec<(Code, String)> {
    let figure = Figure::read(text.as_bytes()).expect("a figure");
    let problems = figure.problems(WIDE_MM).into_iter();
    problems.map(|found| (found.code, found.message)).collect()
}

/// A name, and a figure whose layout and labels the program places.
const FIGURES: &[(&str, &str)] = &[
    (
        "a label of a way back, and one of a frame that an edge enters",
        r#"{"layout": {"direction": "TB", "layer_gap": 30}, "nodes": [
            {"id": "x", "label": "x", "shape": "circle", "width": 34, "height": 34},
            {"id": "norm", "label": "LayerNorm", "height": 34},
            {"id": "q", "label": "Q", "width": 50}, {"id": "k", "label": "K", "width": 50}, {"id": "v", "label": "V", "width": 50},
            {"id": "attention", "label": "softmax(QKᵀ/√d)·V"}, {"id": "add", "label": "+", "shape": "circle", "width": 34, "height": 34}],
          "edges": [{"from": "x", "to": "norm"}, {"from": "norm", "to": "q"}, {"from": "norm", "to": "k"}, {"from": "norm", "to": "v"},
            {"from": "q", "to": "attention"}, {"from": "k", "to": "attention"}, {"from": "v", "to": "attention"},
            {"from": "attention", "to": "add"}, {"from": "x", "to": "add", "label": "residual", "style": "dashed"}],
          "groups": [{"label": "Self-attention", "node_ids": ["q", "k", "v", "attention"]}]}"#,
    ),
    (
        "edges between groups, past a group, and back",
        r#"{"nodes": [{"id": "q", "label": "query"}, {"id": "e1", "label": "encoder"}, {"id": "e2", "label": "index"}, {"id": "e3", "label": "reranker"},
            {"id": "g", "label": "generator"}, {"id": "v", "label": "verifier"}, {"id": "a", "label": "answer"}],
          "groups": [{"id": "ret", "label": "retrieval", "node_ids": ["e1", "e2", "e3"]}, {"id": "gen", "label": "generation", "node_ids": ["g", "v"]},
            {"id": "rank", "node_ids": ["e2", "e3"]}],
          "edges": [{"from": "q", "to": "ret"}, {"from": "e1", "to": "rank"}, {"from": "e2", "to": "e3"}, {"from": "ret", "to": "gen", "label": "passages"},
            {"from": "g", "to": "v"}, {"from": "gen", "to": "a"}, {"from": "a", "to": "q", "style": "dashed"}, {"from": "q", "to": "gen", "label": "prompt"}]}"#,
    ),
    (
        "an edge to a node deep in a group",
        r#"{"layout": {"direction": "TB", "layer_gap": 36}, "nodes": [
            {"id": "rank", "label": "Human ranks"}, {"id": "rm", "label": "Reward model"},
            {"id": "p", "label": "Prompt", "shape": "ellipse"}, {"id": "ppo", "label": "Policy π"}, {"id": "r", "label": "Reward"}],
          "edges": [{"from": "rank", "to": "rm"}, {"from": "p", "to": "ppo"}, {"from": "ppo", "to": "r"},
            {"from": "r", "to": "ppo", "label": "PPO", "style": "dashed"}, {"from": "rm", "to": "r", "style": "dotted"}],
          "groups": [{"label": "2 Reward model", "node_ids": ["rank", "rm"]}, {"label": "3 Reinforcement", "node_ids": ["p", "ppo", "r"]}]}"#,
    ),
    (
        "an edge to the last of a row in a group",
        r#"{"nodes": [{"id": "in", "label": "音声入力"}, {"id": "e", "label": "エンコーダ"}, {"id": "d", "label": "デコーダ"}, {"id": "lm", "label": "言語モデル"}],
          "edges": [{"from": "in", "to": "e"}, {"from": "e", "to": "d"}, {"from": "lm", "to": "d", "label": "融合"}],
          "groups": [{"label": "認識モデル", "node_ids": ["e", "d"]}]}"#,
    ),
    (
        "edges in both directions, and several in one",
        r#"{"layout": {"layer_gap": 80}, "nodes": [{"id": "c", "label": "Client"}, {"id": "s", "label": "Server"}, {"id": "d", "label": "Database"}],
          "edges": [{"from": "c", "to": "s", "label": "request"}, {"from": "s", "to": "c", "label": "response"},
            {"from": "s", "to": "d", "label": "SELECT"}, {"from": "s", "to": "d", "label": "INSERT"}, {"from": "s", "to": "d", "label": "DELETE"},
            {"from": "d", "to": "s", "label": "rows"}]}"#,
    ),
    (
        "the same from top to bottom, past a layer",
        r#"{"layout": {"direction": "TB"}, "nodes": [{"id": "a", "label": "a"}, {"id": "b", "label": "b"}, {"id": "c", "label": "c"}],
          "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "b", "to": "a", "label": "back"}, {"from": "a", "to": "c", "label": "there"},
            {"from": "c", "to": "a", "label": "and back"}]}"#,
    ),
    (
        "a node narrower than its neighbours, and a way back into it",
        r#"{"nodes": [{"id": "x", "label": "x"}, {"id": "t", "label": "Teacher", "width": 120}, {"id": "s", "label": "Student", "width": 90},
            {"id": "pt", "label": "p(z)", "shape": "ellipse"}, {"id": "ps", "label": "q(z)", "shape": "ellipse"}, {"id": "kl", "label": "KL", "shape": "circle", "width": 50}],
          "edges": [{"from": "x", "to": "t"}, {"from": "x", "to": "s"}, {"from": "t", "to": "pt"}, {"from": "s", "to": "ps"}, {"from": "pt", "to": "kl"},
            {"from": "ps", "to": "kl"}, {"from": "kl", "to": "s", "label": "∇", "style": "dashed"}]}"#,
    ),
    (
        "white circles, whose borders the palette chose",
        r##"{"nodes": [{"id": "α", "label": "α", "shape": "circle", "fill": "#FFFFFF"}, {"id": "θ", "label": "θ", "shape": "circle", "fill": "#FFFFFF"},
            {"id": "z", "label": "z", "shape": "circle", "fill": "#FFFFFF"}, {"id": "w", "label": "w", "shape": "circle", "fill": "#D1D5DB", "stroke": "#374151"}],
          "edges": [{"from": "α", "to": "θ"}, {"from": "θ", "to": "z"}, {"from": "z", "to": "w"}]}"##,
    ),
    (
        "labels of short edges between nodes that the file places",
        r#"{"canvas": {"width": 300, "height": 260}, "nodes": [
            {"id": "a", "label": "64", "x": 60, "y": 50, "width": 40, "height": 50}, {"id": "b", "label": "128", "x": 95, "y": 125, "width": 44, "height": 46},
            {"id": "c", "label": "256", "x": 130, "y": 200, "width": 44, "height": 42}, {"id": "d", "label": "x", "x": 250, "y": 125, "width": 44}],
          "edges": [{"from": "a", "to": "b", "label": "pool"}, {"from": "b", "to": "c", "label": "pool"},
            {"from": "b", "to": "d", "label": "p(x)", "curve": true}, {"from": "d", "to": "b", "label": "q(z)"}]}"#,
    ),
];

#[test]
fn a_reasonable_description_makes_a_picture_without_faults() {
    for (name, text) in FIGURES {
        assert_eq!(found(text), Vec::new(), "{name}");
    }
}

#[test]
fn a_cycle_begins_where_the_file_begins() {
    let text = r#"{"nodes": [{"id": "x", "label": "x"}, {"id": "t", "label": "t"}, {"id": "s", "label": "s"}, {"id": "k", "label": "k"}],
      "edges": [{"from": "x", "to": "t"}, {"from": "t", "to": "k"}, {"from": "s", "to": "k"}, {"from": "k", "to": "s"}]}"#;
    let placed = Figure::read(text.as_bytes())
        .expect("a figure")
        .placed_text();
    let figure: serde_json::Value = serde_json::from_str(&placed).expect("JSON");
    let x = |node: usize| figure["nodes"][node]["x"].as_f64().expect("a place");
    assert!(x(2) < x(3), "{placed}");
}

/// Above a node, edges of its own come in.
#[test]
fn from_top_to_bottom_a_loop_stands_beside_its_node() {
    let text = r#"{"layout": {"direction": "TB"}, "nodes": [{"id": "a", "label": "a"}, {"id": "b", "label": "b"}, {"id": "c", "label": "c"}],
      "edges": [{"from": "a", "to": "b"}, {"from": "a", "to": "c"}, {"from": "b", "to": "b", "label": "passes"}]}"#;
    assert_eq!(found(text), Vec::new());
    let placed = Figure::read(text.as_bytes())
        .expect("a figure")
        .placed_text();
    let figure: serde_json::Value = serde_json::from_str(&placed).expect("JSON");
    let corner = figure["edges"][2]["points"][0][0].as_f64();
    assert!(corner > figure["nodes"][1]["x"].as_f64(), "{placed}");
}

#[test]
fn what_layout_writes_is_drawn_as_before() {
    for (name, text) in FIGURES {
        let figure = Figure::read(text.as_bytes()).expect("a figure");
        let written = Figure::read(figure.placed_text().as_bytes()).expect("a figure");
        assert_eq!(figure.svg(), written.svg(), "{name}");
    }
}

/// The way out that a message names leads out.
#[test]
fn the_corners_that_are_proposed_lead_round_the_node() {
    let text = r#"{"canvas": {"width": 400, "height": 220}, "nodes": [
        {"id": "x", "label": "X", "x": 50, "y": 150, "width": 50}, {"id": "m", "label": "M", "x": 200, "y": 150, "width": 50},
        {"id": "y", "label": "Y", "x": 350, "y": 150, "width": 50}],
      "edges": [{"from": "x", "to": "m"}, {"from": "m", "to": "y"}, {"from": "x", "to": "y"}]}"#;
    let figure = Figure::read(text.as_bytes()).expect("a figure");
    let problems = figure.problems(WIDE_MM);
    let over = problems
        .iter()
        .find(|found| found.code == Code::EdgeOverNode)
        .expect("an edge over a node");
    let (_, points) = over.fix.split_once("\"points\": ").expect("corners");
    let mended = text.replace(
        r#"{"from": "x", "to": "y"}"#,
        &format!(r#"{{"from": "x", "to": "y", "points": {points}}}"#),
    );
    assert_eq!(found(&mended), Vec::new(), "{points}");
}

#[test]
fn an_edge_to_a_group_ends_at_its_frame() {
    let figure = |edges: &str| {
        let text = format!(
            r#"{{"nodes": [{{"id": "a", "x": 80, "y": 100}}, {{"id": "b", "x": 320, "y": 100}}, {{"id": "c", "x": 320, "y": 300}}],
              "groups": [{{"id": "g", "node_ids": ["b"]}}, {{"id": "both", "node_ids": ["b", "c"]}}, {{"id": "none"}}, {{"id": "a", "node_ids": ["c"]}}],
              "edges": [{edges}]}}"#
        );
        Figure::read(text.as_bytes())
    };
    // The box is 120 wide, the padding 20, half of the border 0.5.
    let svg = figure(r#"{"from": "a", "to": "g"}"#)
        .expect("a figure")
        .svg();
    assert!(svg.contains("M239.5 100 L"), "{svg}");
    let svg = figure(r#"{"from": "g", "to": "a"}"#)
        .expect("a figure")
        .svg();
    assert!(svg.contains("M239.5 100 L"), "{svg}");
    // A node is meant before a group of the same id.
    let svg = figure(r#"{"from": "b", "to": "a"}"#)
        .expect("a figure")
        .svg();
    assert!(
        svg.contains("M260 100 L") && svg.contains("M140 100 L"),
        "{svg}"
    );
    for (edge, message) in [
        (
            r#"{"from": "b", "to": "g"}"#,
            "one end of the edge lies in the other",
        ),
        (
            r#"{"from": "g", "to": "both"}"#,
            "one end of the edge lies in the other",
        ),
        (
            r#"{"from": "g", "to": "g"}"#,
            "one end of the edge lies in the other",
        ),
        (r#"{"from": "a", "to": "none"}"#, "has no frame"),
        (r#"{"from": "a", "to": "nobody"}"#, "and no group"),
    ] {
        let problems = figure(edge).expect_err("refused");
        assert!(
            problems.iter().any(|one| one.message.contains(message)),
            "{edge}: {problems:?}"
        );
    }
}
