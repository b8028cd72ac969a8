//! Figures as in papers, described without positions: the pictures must have no problems.
#![cfg(test)]

use aris_figure::{Code, Figure};

/// A column so wide that no text is too small in it.
const WIDE_MM: f64 = 400.0;

fn found(text: &str) -> Vec<(Code, String)> {
    let figure = Figure::read(text.as_bytes()).expect("a figure");
    let problems = figure.problems(WIDE_MM).into_iter();
    problems.map(|found| (found.code, found.message)).collect()
}

/// A name, and a figure whose nodes and labels the program places.
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
    (
        "curves and edges back in right angles",
        r#"{"layout": {"routing": "orthogonal", "layer_gap": 80}, "nodes": [
            {"id": "a", "label": "a"}, {"id": "b", "label": "b"}, {"id": "c", "label": "c", "shape": "diamond"}],
          "edges": [{"from": "a", "to": "b"}, {"from": "a", "to": "b", "style": "dashed"}, {"from": "b", "to": "a", "curve": true},
            {"from": "b", "to": "c"}, {"from": "b", "to": "c", "style": "dashed"}, {"from": "c", "to": "b", "curve": true}]}"#,
    ),
    (
        "curves and edges back in right angles, from top to bottom",
        r#"{"layout": {"routing": "orthogonal", "layer_gap": 80, "direction": "TB"}, "nodes": [
            {"id": "a", "label": "a"}, {"id": "b", "label": "b"}, {"id": "c", "label": "c", "shape": "diamond"}],
          "edges": [{"from": "a", "to": "b"}, {"from": "a", "to": "b", "style": "dashed"}, {"from": "b", "to": "a", "curve": true},
            {"from": "b", "to": "c"}, {"from": "b", "to": "c", "style": "dashed"}, {"from": "c", "to": "b", "curve": true}]}"#,
    ),
    (
        "a curve and a straight edge back, with thick lines and two arrows",
        r#"{"canvas": {"width": 900, "height": 260}, "nodes": [
            {"id": "a", "label": "a", "x": 80, "y": 60}, {"id": "b", "label": "b", "x": 800, "y": 60},
            {"id": "c", "label": "c", "x": 80, "y": 190, "shape": "circle"}, {"id": "d", "label": "d", "x": 300, "y": 200, "shape": "diamond"},
            {"id": "e", "label": "e", "x": 560, "y": 180, "shape": "ellipse"}],
          "edges": [{"from": "a", "to": "b", "curve": true, "thickness": 3}, {"from": "b", "to": "a", "arrow": "both"},
            {"from": "c", "to": "d", "curve": true}, {"from": "d", "to": "c"}, {"from": "d", "to": "e", "curve": true}, {"from": "e", "to": "d", "curve": true}]}"#,
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

/// From top to bottom, edges come in above a node.
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

/// The corners that a message advises solve the problem.
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
    // A node has priority over a group of the same id.
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
            "one end of the edge is inside the other",
        ),
        (
            r#"{"from": "g", "to": "both"}"#,
            "one end of the edge is inside the other",
        ),
        (
            r#"{"from": "g", "to": "g"}"#,
            "one end of the edge is inside the other",
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

/// Figures with orthogonal edges: branches, a way back, both directions, groups, positions in the file.
const SQUARE: &[&str] = &[
    r#"{"layout": {"direction": "DIRECTION", "routing": "orthogonal"}, "nodes": [{"id": "a", "label": "Source"}, {"id": "b", "label": "Left"},
        {"id": "c", "label": "Middle"}, {"id": "d", "label": "Right"}, {"id": "e", "label": "Sink"}, {"id": "f", "label": "Log", "shape": "cylinder"}],
      "edges": [{"from": "a", "to": "b"}, {"from": "a", "to": "c"}, {"from": "a", "to": "d", "label": "third"}, {"from": "b", "to": "e"},
        {"from": "c", "to": "e"}, {"from": "d", "to": "e"}, {"from": "e", "to": "a", "label": "back", "style": "dashed"}, {"from": "a", "to": "e"},
        {"from": "d", "to": "f"}, {"from": "f", "to": "d"}]}"#,
    r#"{"layout": {"direction": "DIRECTION", "routing": "orthogonal"}, "nodes": [{"id": "q", "label": "query"}, {"id": "e1", "label": "encoder"},
        {"id": "e2", "label": "index"}, {"id": "g", "label": "generator"}, {"id": "v", "label": "verifier"}, {"id": "a", "label": "answer"}],
      "groups": [{"id": "ret", "label": "retrieval", "node_ids": ["e1", "e2"]}, {"id": "gen", "label": "generation", "node_ids": ["g", "v"]}],
      "edges": [{"from": "q", "to": "ret"}, {"from": "e1", "to": "e2"}, {"from": "ret", "to": "gen", "label": "passages"}, {"from": "g", "to": "v"},
        {"from": "gen", "to": "a"}, {"from": "a", "to": "q", "style": "dashed"}, {"from": "q", "to": "gen", "label": "prompt"}]}"#,
    r#"{"canvas": {"width": 400, "height": 420}, "layout": {"routing": "orthogonal"}, "nodes": [
        {"id": "r", "label": "New result", "x": 130, "y": 40}, {"id": "s", "label": "Three seeds?", "x": 130, "y": 140, "width": 150, "height": 80, "shape": "diamond"},
        {"id": "m", "label": "Run more", "x": 335, "y": 150, "width": 100}, {"id": "k", "label": "Keep", "x": 130, "y": 385, "shape": "ellipse"}],
      "edges": [{"from": "r", "to": "s"}, {"from": "s", "to": "k", "label": "yes"}, {"from": "s", "to": "m", "label": "no"}, {"from": "m", "to": "r"},
        {"from": "r", "to": "k", "style": "dotted"}]}"#,
    // Ends that stand a little beside each other.
    r#"{"layout": {"direction": "LR", "routing": "orthogonal"}, "nodes": [{"id": "n1", "label": "x"}, {"id": "n2", "label": "Long label here"},
        {"id": "n3", "label": "Encoder"}, {"id": "n5", "label": "A"}, {"id": "n6", "label": "A", "width": 60}, {"id": "n7", "label": "Long label here"}],
      "edges": [{"from": "n2", "to": "n6"}, {"from": "n2", "to": "n6"}, {"from": "n1", "to": "n2"}, {"from": "n2", "to": "n6"}, {"from": "n1", "to": "n3"}],
      "groups": [{"id": "g0", "label": "G", "node_ids": ["n1", "n2", "n3", "n5"]}, {"id": "g2", "label": "Group label", "node_ids": ["n6", "n7"]}]}"#,
];

/// The ways of the edges in an SVG, each as its points.
fn ways(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let paths = svg.lines().filter(|line| line.contains("fill=\"none\""));
    let way = |line: &str| {
        let path = line.split('"').nth(1).expect("a path");
        let numbers: Vec<f64> = path
            .split([' ', 'M', 'L', 'Q'])
            .filter_map(|number| number.parse().ok())
            .collect();
        numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
    };
    paths.map(way).collect()
}

#[test]
fn orthogonal_edges_run_in_right_angles_and_under_nothing() {
    for text in SQUARE {
        for direction in ["LR", "TB"] {
            let text = text.replace("DIRECTION", direction);
            assert_eq!(found(&text), Vec::new(), "{text}");
            let figure = Figure::read(text.as_bytes()).expect("a figure");
            let ways = ways(&figure.svg());
            assert!(ways.len() >= 5, "{text}");
            for pair in ways.iter().flat_map(|way| way.windows(2)) {
                let ((x, y), (right, down)) = (pair[0], pair[1]);
                assert!(
                    (x - right).abs() < 0.02 || (y - down).abs() < 0.02,
                    "{pair:?}: {text}"
                );
            }
            let written = Figure::read(figure.placed_text().as_bytes()).expect("a figure");
            assert_eq!(figure.svg(), written.svg(), "{text}");
        }
    }
}

/// An edge's own routing has priority over that of the layout.
#[test]
fn an_edge_chooses_its_own_way() {
    let text = r#"{"nodes": [{"id": "a", "label": "a", "x": 80, "y": 60}, {"id": "b", "label": "b", "x": 400, "y": 250}],
      "edges": [{"from": "a", "to": "b", "routing": "orthogonal"}]}"#;
    let corners = |text: &str| Figure::read(text.as_bytes()).expect("a figure").bends();
    assert_eq!(corners(text), 1);
    let straight = text.replace(
        "\"nodes\"",
        "\"layout\": {\"routing\": \"orthogonal\"}, \"nodes\"",
    );
    assert_eq!(
        corners(&straight.replace(
            "\"routing\": \"orthogonal\"}]",
            "\"routing\": \"straight\"}]"
        )),
        0
    );
    assert_eq!(
        corners(&text.replace(
            "\"routing\": \"orthogonal\"",
            "\"routing\": \"orthogonal\", \"curve\": true"
        )),
        0
    );
}

#[test]
fn formulas_are_set_and_what_cannot_be_is_said() {
    let figure = |label: &str| {
        let label = label.replace('\\', "\\\\");
        let text = format!(r#"{{"nodes": [{{"id": "a", "label": "{label}"}}]}}"#);
        let figure = Figure::read(text.as_bytes()).expect("a figure");
        let codes: Vec<Code> = figure
            .problems(WIDE_MM)
            .iter()
            .map(|one| one.code)
            .collect();
        (figure.svg(), codes)
    };
    let texts = |svg: &str| -> Vec<String> {
        let lines = svg.lines().filter(|line| line.contains("<text"));
        lines
            .filter_map(|line| Some(line.split(['>', '<']).nth(2)?.to_owned()))
            .collect()
    };
    for (label, expected) in [
        ("$\\alpha_i^2$", &["α", "i", "2"][..]),
        ("$\\nabla\\nu$", &["∇ν"]),
        ("$x \\le -1$", &["x\u{2009}≤\u{2009}−1"]),
        (
            "$\\hat{y}$ of $\\mathbb{R}^{d \\times k}$",
            &["y", "ˆ", "of ℝ", "d×k"],
        ),
        ("$\\mathbf{w}^\\top x$", &["w", "⊤", "x"]),
        (
            "$\\log p(x \\mid z)$",
            &["log\u{2009}p(x\u{2009}|\u{2009}z)"],
        ),
        ("from $5 to $10", &["from $5 to $10"]),
        ("costs $5, gain $x$", &["costs $5, gain x"]),
        ("$20 (US$)", &["$20 (US$)"]),
        ("$100 budget, $\\alpha$ share", &["$100 budget, α share"]),
        ("5 \\$", &["5 $"]),
    ] {
        let (svg, codes) = figure(label);
        assert_eq!(texts(&svg), expected, "{label}");
        assert_eq!(codes, Vec::new(), "{label}");
    }
    for label in [
        "$\\frac{a}{b}$",
        "$x_{i$",
        "$a_b_c$",
        "$\\vec{x}$",
        "$\\mathbb{e}$",
        "$x^$",
        "$a}$",
        "$\\hat{ab}$",
    ] {
        let (svg, codes) = figure(label);
        assert_eq!(texts(&svg), [label], "{label}");
        assert_eq!(codes, [Code::Formula], "{label}");
    }
    let deep = format!("${}$", "{".repeat(100_000));
    assert_eq!(figure(&deep).1.first(), Some(&Code::Formula));
}

/// It is drawn like the original renderer does; the size that the text needs is reported.
#[test]
fn a_box_that_the_file_places_does_not_grow() {
    let label = "A label that is much longer than 120 units";
    let text = format!(r#"{{"nodes": [{{"id": "a", "label": "{label}", "x": 300, "y": 100}}]}}"#);
    let figure = Figure::read(text.as_bytes()).expect("a figure");
    assert!(figure.svg().contains(r#"width="120" height="50""#));
    assert_eq!(found(&text)[0].0, Code::TextOverflow);
    assert_eq!(
        found(&text.replace(r#", "x": 300, "y": 100"#, "")),
        Vec::new()
    );
}

/// Chains of boxes of all sizes, with labels, in frames or not, lie on one line.
#[test]
fn a_chain_stands_on_one_line() {
    for (direction, axis) in [("LR", "y"), ("TB", "x")] {
        for seed in 0..64_usize {
            let count = 2 + seed % 7;
            let node = |id: usize| {
                let shape =
                    ["rect", "circle", "ellipse", "cylinder", "person"][(seed * 7 + id * 3) % 5];
                let size = 31 + (seed * 37 + id * 53) % 97;
                format!(
                    r#"{{"id": {id}, "label": "N", "shape": "{shape}", "width": {size}, "height": {}}}"#,
                    70 + size % 41
                )
            };
            let edge = |id: usize| {
                let label = if (seed + id).is_multiple_of(3) {
                    ", \"label\": \"some label\""
                } else {
                    ""
                };
                format!(r#"{{"from": {id}, "to": {}{label}}}"#, id + 1)
            };
            let nodes: Vec<String> = (0..count).map(node).collect();
            let edges: Vec<String> = (0..count - 1).map(edge).collect();
            let group = if seed % 2 == 0 {
                r#"{"label": "G", "node_ids": [0, 1]}"#
            } else {
                ""
            };
            let text = format!(
                r#"{{"layout": {{"direction": "{direction}"}}, "nodes": [{}], "edges": [{}], "groups": [{group}]}}"#,
                nodes.join(", "),
                edges.join(", ")
            );
            let placed = Figure::read(text.as_bytes())
                .expect("a figure")
                .placed_text();
            let placed: serde_json::Value = serde_json::from_str(&placed).expect("JSON");
            let nodes = placed["nodes"].as_array().expect("nodes");
            for node in nodes {
                assert_eq!(node[axis], nodes[0][axis], "{direction} {seed}: {placed}");
            }
        }
    }
}

#[test]
fn a_label_that_cuts_a_frame_or_lies_under_one_is_said() {
    // The label of the outer frame lies on the inner frame, which leaves no corner free.
    let inner = r#"{"canvas": {"width": 300, "height": 200}, "nodes": [{"id": "a", "label": "a", "x": 100, "y": 100}, {"id": "b", "label": "b", "x": 100, "y": 100, "shape": "rect"}],
      "groups": [{"label": "Outer", "node_ids": ["a", "b"], "padding": 22}, {"node_ids": ["a"], "padding": 20}]}"#;
    let overlaps = |text: &str| {
        found(text)
            .iter()
            .any(|(code, _)| *code == Code::LabelOverlap)
    };
    assert!(overlaps(inner), "{:?}", found(inner));
    // At every position of a free label, its characters and the frame's border are apart, or the overlap is reported.
    for x in 0..120 {
        let text = format!(
            r#"{{"canvas": {{"width": 400, "height": 200}}, "nodes": [{{"id": "a", "label": "a", "x": 100, "y": 100}}], "groups": [{{"node_ids": ["a"]}}],
              "labels": [{{"text": "mmmm", "x": {}, "y": 140, "font_size": 10, "anchor": "start"}}]}}"#,
            120.0 + f64::from(x) / 2.0
        );
        // The frame ends at 180; four letters m are 33.3 wide.
        let left = 120.0 + f64::from(x) / 2.0;
        let cuts = left < 180.5 && left + 33.32 > 179.5;
        assert_eq!(overlaps(&text), cuts, "{left}");
    }
}
