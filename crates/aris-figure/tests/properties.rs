//! Any file gives an answer, the same one each time, in all formats.
#![cfg(test)]

use std::fmt::Write as _;

use aris_figure::{COLUMN_MM, Figure, pdf, png};
use proptest::prelude::*;

/// A value for a field, valid or not.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::from("null")),
        Just(String::from("true")),
        Just(String::from("[]")),
        Just(String::from("{}")),
        Just(String::from("[[1, 2], [300, 40]]")),
        Just(String::from("[\"a\", \"b\", 3]")),
        (-50.0..900.0_f64).prop_map(|number| format!("{number:.2}")),
        prop::sample::select(vec![
            "a",
            "b",
            "c",
            "rect",
            "circle",
            "diamond",
            "ellipse",
            "dashed",
            "dotted",
            "start",
            "end",
            "TB",
            "LR",
            "#FF0000",
            "#00ff00",
            "#777777",
            "red",
            "Label\\\\ntwo",
            "标签",
            "é ≤ →",
            "<&>\\\"",
            "12",
            "\\u0000",
            "🎉",
        ])
        .prop_map(|text| format!("\"{text}\"")),
    ]
}

fn object(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec((prop::sample::select(names), value()), 0..8).prop_map(|fields| {
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("\"{name}\": {value}"))
            .collect();
        format!("{{{}}}", fields.join(", "))
    })
}

/// Any fields with any values: most are refused.
fn wild() -> impl Strategy<Value = String> {
    let node = object(&[
        "id",
        "label",
        "x",
        "y",
        "width",
        "height",
        "shape",
        "fill",
        "font_size",
        "sublabel",
        "zzz",
    ]);
    let edge = object(&[
        "from",
        "to",
        "label",
        "style",
        "color",
        "thickness",
        "curve",
        "points",
    ]);
    let group = object(&["label", "node_ids", "padding", "fill"]);
    let label = object(&["text", "x", "y", "anchor", "color", "font_size"]);
    let style = object(&["font_family", "font_size", "bg_color", "palette"]);
    (
        prop::collection::vec(node, 0..4),
        prop::collection::vec(edge, 0..3),
        prop::collection::vec(group, 0..2),
        prop::collection::vec(label, 0..2),
        style,
    )
        .prop_map(|(nodes, edges, groups, labels, style)| {
            format!(
                "{{\"nodes\": [{}], \"edges\": [{}], \"groups\": [{}], \"labels\": [{}], \"style\": {style}}}",
                nodes.join(", "),
                edges.join(", "),
                groups.join(", "),
                labels.join(", ")
            )
        })
}

/// A figure that can be drawn: some nodes with positions and some without, any edges, groups of any nodes.
fn valid() -> impl Strategy<Value = String> {
    let shape = prop::sample::select(vec!["rect", "rounded", "circle", "ellipse", "diamond"]);
    let place = prop::option::weighted(0.5, (0..700_i32, 0..400_i32));
    let label = prop::sample::select(vec!["A", "Longer text", "two\\nlines", "注意力", ""]);
    let node = (shape, place, label, prop::option::of(20..200_i32));
    (1..12_usize)
        .prop_flat_map(move |count| {
            let edge = (0..count, 0..count, any::<bool>(), prop::option::of("[a-z ]{0,12}"));
            (
                prop::collection::vec(node.clone(), count),
                prop::collection::vec(edge, 0..16),
                prop::collection::vec(prop::collection::vec(0..count, 1..5), 0..4),
                any::<bool>(),
            )
        })
        .prop_map(|(nodes, edges, groups, down)| {
            let mut text = format!(
                "{{\"layout\": {{\"direction\": \"{}\"}}, \"nodes\": [",
                if down { "TB" } else { "LR" }
            );
            for (id, (shape, place, label, width)) in nodes.iter().enumerate() {
                let comma = if id > 0 { "," } else { "" };
                write!(text, "{comma}{{\"id\": {id}, \"shape\": \"{shape}\", \"label\": \"{label}\"").expect("text");
                if let Some((x, y)) = place {
                    write!(text, ", \"x\": {x}, \"y\": {y}").expect("text");
                }
                if let Some(width) = width {
                    write!(text, ", \"width\": {width}").expect("text");
                }
                text.push('}');
            }
            text.push_str("], \"edges\": [");
            for (index, (from, to, curve, label)) in edges.iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let label = label.clone().unwrap_or_default();
                write!(text, "{comma}{{\"from\": {from}, \"to\": {to}, \"curve\": {curve}, \"label\": \"{label}\"}}").expect("text");
            }
            text.push_str("], \"groups\": [");
            for (index, members) in groups.iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                write!(text, "{comma}{{\"label\": \"G\", \"node_ids\": {members:?}}}").expect("text");
            }
            text.push_str("]}");
            text
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Figure::read(&bytes).is_err());
    }

    #[test]
    fn any_values_in_any_fields_give_an_answer(text in wild()) {
        match Figure::read(text.as_bytes()) {
            Err(problems) => {
                prop_assert!(!problems.is_empty());
                for problem in problems {
                    prop_assert!(problem.line >= 1 && problem.column >= 1 && !problem.fix.is_empty());
                }
            }
            Ok(figure) => {
                figure.problems(COLUMN_MM);
                let svg = figure.svg();
                prop_assert!(pdf(&svg, figure.title()).is_ok(), "{svg}");
            }
        }
    }

    #[test]
    fn a_valid_figure_is_drawn_the_same_way_each_time(text in valid()) {
        let figure = Figure::read(text.as_bytes()).map_err(|problems| TestCaseError::fail(format!("{text}: {problems:?}")))?;
        let again = Figure::read(text.as_bytes()).expect("read before");
        let svg = figure.svg();
        prop_assert_eq!(&svg, &again.svg());
        prop_assert_eq!(figure.problems(COLUMN_MM), again.problems(COLUMN_MM));
        prop_assert_eq!(pdf(&svg, None), pdf(&svg, None));
        let picture = png(&svg, 48.0);
        prop_assert!(picture.is_ok(), "{:?}: {}", picture, svg);
        prop_assert_eq!(picture, png(&svg, 48.0));
        // The positions written by the layout give the same picture.
        let placed = figure.placed_text();
        let fixed = Figure::read(placed.as_bytes()).map_err(|problems| TestCaseError::fail(format!("{placed}: {problems:?}")))?;
        prop_assert_eq!(svg, fixed.svg(), "{}", placed);
    }
}

#[test]
fn a_layout_without_groups_lets_no_two_nodes_overlap() {
    proptest!(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() },
        |(edges in prop::collection::vec((0..14_usize, 0..14_usize), 0..30), down in any::<bool>())| {
        let nodes: Vec<String> = (0..14).map(|id| format!("{{\"id\": {id}, \"label\": \"N{id}\"}}")).collect();
        let edges: Vec<String> = edges.iter().map(|(from, to)| format!("{{\"from\": {from}, \"to\": {to}}}")).collect();
        let direction = if down { "TB" } else { "LR" };
        let text = format!(
            "{{\"layout\": {{\"direction\": \"{direction}\"}}, \"nodes\": [{}], \"edges\": [{}]}}",
            nodes.join(", "),
            edges.join(", ")
        );
        let figure = Figure::read(text.as_bytes()).expect("a figure");
        for problem in figure.problems(1000.0) {
            prop_assert!(!["node_overlap", "out_of_canvas", "edge_over_node", "group_overlap"].contains(&problem.code.name()), "{problem}: {text}");
        }
    });
}

/// Nodes at one position, with edges between them.
fn same_place(count: usize) -> String {
    let nodes: Vec<String> = (0..count)
        .map(|id| format!("{{\"id\": {id}, \"label\": \"Node {id}\", \"x\": 400, \"y\": 200}}"))
        .collect();
    let edges: Vec<String> = (1..count)
        .map(|id| format!("{{\"from\": 0, \"to\": {id}, \"label\": \"l\"}}"))
        .collect();
    format!(
        "{{\"nodes\": [{}], \"edges\": [{}]}}",
        nodes.join(",\n"),
        edges.join(",\n")
    )
}

#[test]
fn everything_on_one_place_is_said_and_not_compared_for_ever() {
    let text = same_place(20_000);
    let figure = Figure::read(text.as_bytes()).expect("a figure");
    let problems = figure.problems(COLUMN_MM);
    assert!(problems.len() < 2_000, "{}", problems.len());
    assert!(figure.svg().len() > 1_000_000);
}
