//! Figures that the layout places: their arrows are there, and their labels hide nothing.

use aris_testkit::Project;
use serde_json::json;

use super::call;

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % count
    }
}

/// A simple figure: boxes with labels, most edges forward, some thick or with two arrows.
fn plain(numbers: &mut Numbers) -> (serde_json::Value, usize) {
    const SHAPES: [&str; 9] = [
        "rect", "rect", "rect", "circle", "ellipse", "diamond", "cylinder", "queue", "document",
    ];
    const WORDS: [&str; 6] = [
        "encoder",
        "data",
        "loss model",
        "policy",
        "audit gate",
        "claim",
    ];
    const THICK: [usize; 7] = [2, 2, 2, 2, 1, 3, 4];
    let count = 4 + numbers.below(8);
    let node = |index: usize, numbers: &mut Numbers| {
        json!({"id": format!("n{index}"), "label": WORDS[numbers.below(6)], "shape": SHAPES[numbers.below(9)],
            "height": 40 + numbers.below(30)})
    };
    let nodes: Vec<_> = (0..count).map(|index| node(index, numbers)).collect();
    let (mut edges, mut arrows) = (Vec::new(), 0);
    for to in 1..count {
        let from = to - 1 - numbers.below(to.min(4));
        let (from, to) = if numbers.below(12) == 0 {
            (to, from)
        } else {
            (from, to)
        };
        let both = numbers.below(8) == 0;
        arrows += if both { 2 } else { 1 };
        edges.push(json!({"from": format!("n{from}"), "to": format!("n{to}"), "arrow": if both { "both" } else { "end" },
            "thickness": THICK[numbers.below(7)],
            "label": if numbers.below(4) == 0 { json!(WORDS[numbers.below(6)]) } else { json!(null) }}));
    }
    for edge in &mut edges {
        if edge["label"].is_null() {
            edge.as_object_mut().expect("an edge").remove("label");
        }
    }
    let direction = ["LR", "TB"][numbers.below(2)];
    (
        json!({"nodes": nodes, "layout": {"direction": direction}, "edges": edges}),
        arrows,
    )
}

#[test]
fn the_layout_leaves_room_for_every_arrow() {
    let mut numbers = Numbers(19);
    for number in 0..60 {
        let (figure, arrows) = plain(&mut numbers);
        let project = Project::bare().file("f.json", figure.to_string());
        let run = call(project.path(), &["validate", "f.json"]);
        assert!(
            !run.stdout().contains("edge_too_short"),
            "{number}: {run}\n{figure}"
        );
        call(project.path(), &["render", "f.json"]).expect_code(0);
        let drawn = project
            .read("f.svg")
            .matches(" Z\" fill=\"#555555\"")
            .count();
        assert_eq!(drawn, arrows, "{number}: {figure}");
    }
}

#[test]
fn an_arrow_reaches_a_box_far_beside_where_it_comes_from() {
    let figure = r#"{"nodes": [{"id": "rect", "label": "Label of two\nlines", "sublabel": "sub one\nsub two", "shape": "rect"},
            {"id": "circle", "label": "Label of two\nlines", "sublabel": "sub one\nsub two", "shape": "circle"},
            {"id": "ellipse", "label": "Label of two\nlines", "sublabel": "sub one\nsub two", "shape": "ellipse"},
            {"id": "diamond", "label": "Label of two\nlines", "sublabel": "sub one\nsub two", "shape": "diamond"},
            {"id": "cylinder", "label": "Label of two\nlines", "sublabel": "sub one\nsub two", "shape": "cylinder"},
            {"id": "queue", "label": "Label of two\nlines", "sublabel": "sub one\nsub two", "shape": "queue"},
            {"id": "document", "label": "Label of two\nlines", "sublabel": "sub one\nsub two", "shape": "document"},
            {"id": "person", "label": "Label of two\nlines", "sublabel": "sub one\nsub two", "shape": "person"}],
        "layout": {"direction": "TB"},
        "edges": [{"from": "rect", "to": "circle", "arrow": "both", "label": "$\\alpha_{t}$"}, {"from": "rect", "to": "ellipse", "style": "dashed"},
            {"from": "circle", "to": "diamond", "style": "dotted"}, {"from": "circle", "to": "cylinder", "thickness": 5},
            {"from": "ellipse", "to": "queue", "curve": true}, {"from": "ellipse", "to": "document"}, {"from": "document", "to": "person"},
            {"from": "person", "to": "rect"}, {"from": "queue", "to": "person"}, {"from": "person", "to": "person", "label": "loop"},
            {"from": "cylinder", "to": "cylinder"}, {"from": "diamond", "to": "diamond", "label": "dd"}]}"#;
    let project = Project::bare().file("f.json", figure);
    call(project.path(), &["validate", "f.json"]).expect_code(0);
}

#[test]
fn the_label_of_a_loop_stands_beside_it() {
    // The frame's border and other edges leave no room above the loop.
    let figure = r#"{"canvas": {"width": 800, "height": 500},
        "layout": {"routing": "orthogonal"},
        "nodes": [{"id": "a", "label": "A", "x": 100, "y": 100}, {"id": "b", "label": "B", "x": 400, "y": 100},
            {"id": "c", "label": "C", "x": 700, "y": 100}, {"id": "d", "label": "D", "x": 400, "y": 300, "shape": "cylinder"},
            {"id": "e", "label": "E", "x": 100, "y": 420, "shape": "person"}, {"id": "f", "label": "F", "x": 700, "y": 420, "shape": "queue"}],
        "edges": [{"from": "a", "to": "c", "label": "over b"}, {"from": "c", "to": "a"}, {"from": "a", "to": "d"},
            {"from": "d", "to": "f", "label": "df"}, {"from": "e", "to": "G", "label": "to group"}, {"from": "f", "to": "e"},
            {"from": "e", "to": "c"}, {"from": "b", "to": "b", "label": "self"}],
        "groups": [{"id": "G", "label": "Group G", "node_ids": ["b", "d"]}]}"#;
    let project = Project::bare().file("f.json", figure);
    call(project.path(), &["render", "f.json", "--strict"]).expect_code(0);
    let svg = project.read("f.svg");
    let line = svg.lines().find(|line| line.contains(">self<"));
    let line = line.expect("the label");
    let x = line.split('"').nth(1).expect("x");
    let x: f64 = x.parse().expect("a number");
    // The loop is 50 wide.
    assert!((x - 400.0).abs() > 25.0, "{line}");
}

#[test]
fn a_frame_is_as_wide_as_its_label() {
    for direction in ["LR", "TB"] {
        let figure = json!({"layout": {"direction": direction},
            "nodes": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}, {"id": "c", "label": "C"}],
            "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}],
            "groups": [{"label": "A label of a group that is much longer than its node", "node_ids": ["a"]},
                {"label": "B", "node_ids": ["b"]}]});
        let project = Project::bare().file("f.json", figure.to_string());
        call(project.path(), &["validate", "f.json"]).expect_code(0);
        // The positions that `layout` writes give the same picture.
        call(project.path(), &["layout", "f.json", "-o", "g.json"]).expect_code(0);
        for name in ["f", "g"] {
            call(
                project.path(),
                &[
                    "render",
                    &format!("{name}.json"),
                    "-o",
                    &format!("{name}.svg"),
                ],
            )
            .expect_code(0);
        }
        assert_eq!(project.read("f.svg"), project.read("g.svg"));
    }
}
