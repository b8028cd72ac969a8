//! Every kind of problem: a figure that has only this problem, beside a figure that has none.
#![cfg(test)]

use std::collections::BTreeSet;

use aris_figure::{COLUMN_MM, Code, Figure, Problem};
use strum::VariantArray as _;

/// Two nodes in a group, two beside it, edges, a label.
const SOUND: &str = r#"{
  "canvas": {"width": 420, "height": 300},
  "style": {"font_family": "Arial"},
  "nodes": [
    {"id": "a", "label": "A", "x": 80, "y": 80, "width": 80, "height": 50},
    {"id": "b", "label": "B", "x": 240, "y": 80, "width": 80, "height": 50},
    {"id": "c", "label": "C", "x": 80, "y": 230, "width": 80, "height": 50, "shape": "rect"},
    {"id": "d", "label": "D", "x": 340, "y": 230, "width": 80, "height": 50, "shape": "rect"}
  ],
  "edges": [
    {"from": "a", "to": "b", "label": "ab"},
    {"from": "c", "to": "d", "style": "dashed"}
  ],
  "groups": [{"label": "G", "node_ids": ["a", "b"]}],
  "labels": [{"text": "free", "x": 360, "y": 80}]
}"#;

fn problems(text: &str) -> Vec<Problem> {
    match Figure::read(text.as_bytes()) {
        Ok(figure) => figure.problems(COLUMN_MM),
        Err(problems) => problems,
    }
}

/// A part of the sound figure, its replacement, and the problem that this causes.
const CASES: &[(Code, &str, &str)] = &[
    (Code::Invalid, "\"to\": \"b\"", "\"to\": \"z\""),
    (
        Code::BadValue,
        "\"style\": \"dashed\"",
        "\"style\": \"wavy\"",
    ),
    (
        Code::UnknownField,
        "\"labels\": [{",
        "\"labels\": [{\"colour\": 1, ",
    ),
    (
        Code::DuplicateField,
        "\"labels\": [{",
        "\"labels\": [{\"text\": \"x\", ",
    ),
    (Code::UnknownNode, "[\"a\", \"b\"]", "[\"a\", \"b\", \"z\"]"),
    (
        Code::NothingDrawn,
        "{\"text\": \"free\", \"x\": 360, \"y\": 80}",
        "{\"text\": \" \"}",
    ),
    (Code::MissingGlyph, "\"label\": \"D\"", "\"label\": \"鱻\""),
    (
        Code::Formula,
        "\"label\": \"ab\"",
        "\"label\": \"$\\\\vec{a}$\"",
    ),
    (Code::OtherFont, "Arial", "Courier New, monospace"),
    (
        Code::TextOverflow,
        "\"label\": \"A\"",
        "\"label\": \"A very long label\"",
    ),
    (
        Code::TextOverflow,
        "\"label\": \"A\"",
        "\"label\": \"1\\n2\\n3\\n4\"",
    ),
    (
        Code::TextOverflow,
        "\"label\": \"G\"",
        "\"label\": \"A name of a group that is much longer than its frame is wide\", \"padding\": 20",
    ),
    (
        Code::OutOfCanvas,
        "\"x\": 340, \"y\": 230",
        "\"x\": 390, \"y\": 230",
    ),
    (Code::OutOfCanvas, "\"height\": 300", "\"height\": 255"),
    (
        Code::NodeOverlap,
        "\"nodes\": [",
        "\"nodes\": [{\"id\": \"e\", \"label\": \"E\", \"x\": 340, \"y\": 270, \"width\": 60, \"height\": 40},",
    ),
    (
        Code::EdgeOverNode,
        "\"nodes\": [",
        "\"nodes\": [{\"id\": \"e\", \"label\": \"E\", \"x\": 210, \"y\": 230, \"width\": 60, \"height\": 40},",
    ),
    (
        Code::EdgeOverEdge,
        "\"edges\": [",
        "\"edges\": [{\"from\": \"d\", \"to\": \"c\", \"style\": \"dotted\"},",
    ),
    (
        Code::ArrowOverEdge,
        "\"edges\": [",
        "\"edges\": [{\"from\": \"b\", \"to\": \"d\", \"points\": [[240, 150], [292, 150], [292, 285], [340, 285]]},",
    ),
    (
        Code::EdgeTooShort,
        "\"x\": 340, \"y\": 230",
        "\"x\": 174, \"y\": 230",
    ),
    (
        Code::LabelOverlap,
        "\"x\": 360, \"y\": 80",
        "\"x\": 340, \"y\": 215",
    ),
    (
        Code::LabelOverlap,
        "\"x\": 360, \"y\": 80",
        "\"x\": 210, \"y\": 236",
    ),
    (
        Code::LabelOverlap,
        "\"x\": 360, \"y\": 80",
        "\"x\": 300, \"y\": 80",
    ),
    (
        Code::LabelOverlap,
        "\"labels\": [",
        "\"labels\": [{\"text\": \"tree\", \"x\": 370, \"y\": 84},",
    ),
    (
        Code::GroupOverlap,
        "\"x\": 80, \"y\": 230",
        "\"x\": 110, \"y\": 142",
    ),
    (
        Code::GroupOverlap,
        "\"groups\": [",
        "\"groups\": [{\"node_ids\": [\"a\", \"b\", \"c\"], \"padding\": 20},",
    ),
    (
        Code::LowContrast,
        "\"label\": \"A\"",
        "\"label\": \"A\", \"fill\": \"#1E3A8A\"",
    ),
    (
        Code::LowContrast,
        "\"style\": \"dashed\"",
        "\"style\": \"dashed\", \"color\": \"#E5E7EB\"",
    ),
    (
        Code::LowContrast,
        "\"text\": \"free\"",
        "\"text\": \"free\", \"color\": \"#AAAAAA\"",
    ),
    (Code::SmallPrint, "\"width\": 420", "\"width\": 620"),
    (
        Code::ColoursCollapse,
        "\"style\": \"dashed\"",
        "\"color\": \"#A21C1C\"",
    ),
];

#[test]
fn a_sound_figure_has_none() {
    assert_eq!(problems(SOUND), Vec::new());
}

#[test]
fn each_kind_is_found_where_it_is_and_alone() {
    let mut wrong = Vec::new();
    for (code, from, to) in CASES {
        assert_eq!(SOUND.matches(from).count(), 1, "{from}");
        let text = SOUND.replace(from, to);
        let found = problems(&text);
        let codes: BTreeSet<Code> = found.iter().map(|problem| problem.code).collect();
        if codes != BTreeSet::from([*code]) {
            wrong.push(format!("{code:?}: {to}: {found:#?}"));
        }
        for problem in &found {
            let (_, line) = (1..)
                .zip(text.lines())
                .find(|(number, _)| *number == problem.line)
                .expect("a line of the file");
            let columns = u32::try_from(line.chars().count()).expect("a short line");
            assert!(problem.column <= columns + 1, "{problem}");
            assert!(
                !problem.message.is_empty() && !problem.fix.is_empty(),
                "{problem}"
            );
            let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            assert!(value.pointer(&problem.pointer).is_some(), "{problem}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let covered = CASES.iter().map(|(code, ..)| *code);
    let covered: BTreeSet<Code> = covered.chain([Code::EdgeNotLed]).collect();
    assert_eq!(covered, Code::VARIANTS.iter().copied().collect());
}

#[test]
fn orthogonal_edges_that_go_round_nothing_are_reported() {
    let found = |count: usize, routing: &str| {
        let nodes: Vec<String> = (0..count)
            .map(|node| format!("{{\"id\": \"n{node}\", \"label\": \"N\"}}"))
            .collect();
        let edges: Vec<String> = (1..count)
            .map(|node| format!("{{\"from\": \"n{}\", \"to\": \"n{node}\"}}", node / 2))
            .collect();
        let text = format!(
            "{{\"layout\": {{\"routing\": \"{routing}\"}}, \"nodes\": [{}], \"edges\": [{}]}}",
            nodes.join(", "),
            edges.join(", ")
        );
        let problems = problems(&text).into_iter();
        let told = problems.filter(|problem| problem.code == Code::EdgeNotLed);
        told.map(|problem| problem.message).collect::<Vec<_>>()
    };
    assert_eq!(found(120, "orthogonal"), [""; 0]);
    assert_eq!(found(200, "straight"), [""; 0]);
    let told = found(121, "orthogonal");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("120 orthogonal edges") && told[0].contains("121 nodes"),
        "{told:?}"
    );
}

#[test]
fn the_size_that_is_asked_for_is_enough() {
    for shape in ["rect", "rounded", "circle", "ellipse", "diamond"] {
        for label in [
            "A very long label",
            "1\\n2\\n3\\n4\\n5",
            "标签标签标签标签标签",
        ] {
            let figure = |size: &str| {
                format!(
                    "{{\"nodes\": [{{\"id\": 1, \"label\": \"{label}\", \"shape\": \"{shape}\", \"x\": 400, \"y\": 200{size}}}]}}"
                )
            };
            let overflows = |text: &str| {
                problems(text)
                    .into_iter()
                    .find(|problem| problem.code == Code::TextOverflow)
            };
            let small = overflows(&figure(", \"width\": 60, \"height\": 30")).expect("too small");
            let numbers: Vec<&str> = small
                .fix
                .split(|character: char| !character.is_ascii_digit())
                .filter(|number| !number.is_empty())
                .collect();
            let size = format!(", \"width\": {}, \"height\": {}", numbers[0], numbers[1]);
            assert_eq!(overflows(&figure(&size)), None, "{shape} {label} {size}");
            // Where the layout places it, the box grows.
            let free = figure("").replace(", \"x\": 400, \"y\": 200", "");
            assert_eq!(overflows(&free), None, "{shape} {label}");
        }
    }
}

/// A label may stand anywhere along the edge between two arrows, as it may with one arrow.
#[test]
fn labels_of_edges_with_two_arrows_find_the_room_that_those_with_one_find() {
    for arrow in ["end", "start", "both"] {
        let part = |at: u32| {
            let node = format!(r#"{{"id": "w{at}", "label": "Worker {at}"}}"#);
            let edge = format!(
                r#"{{"from": "c", "to": "w{at}", "label": "task {at}", "arrow": "{arrow}"}}"#
            );
            (node, edge)
        };
        let (nodes, edges): (Vec<String>, Vec<String>) = (0..6).map(part).unzip();
        let (nodes, edges) = (nodes.join(", "), edges.join(", "));
        let text = format!(
            r#"{{"layout": {{"direction": "LR", "layer_gap": 200}}, "nodes": [{{"id": "c", "label": "Controller"}}, {nodes}], "edges": [{edges}]}}"#
        );
        assert_eq!(problems(&text), [], "{arrow}");
    }
}

#[test]
fn an_arrow_meets_the_outline_and_a_label_hides_no_arrow() {
    let svg = Figure::read(SOUND.as_bytes()).expect("a figure").svg();
    // From the right side of a to the left side of b; the plate of the label ends above the arrow.
    assert!(svg.contains("M200 80 L184 88 L184 72 Z"), "{svg}");
    let tight = SOUND.replace("\"x\": 240", "\"x\": 190");
    let svg = Figure::read(tight.as_bytes()).expect("a figure").svg();
    assert!(
        svg.contains("M150 80 L134 88 L134 72 Z") && svg.contains("y=\"55\""),
        "{svg}"
    );
}
