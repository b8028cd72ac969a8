//! Pictures that show a different graph than their description, or less of it, are reported.

use aris_testkit::{Project, Run};
use serde_json::{Value, json};

use super::call;

/// A figure; each edge is given as from, to and further fields.
fn figure(layout: &Value, ids: &[&str], edges: &[(&str, &str, Value)]) -> Value {
    let nodes: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "label": id}))
        .collect();
    let edge = |(from, to, more): &(&str, &str, Value)| {
        let mut edge = more.clone();
        edge["from"] = json!(from);
        edge["to"] = json!(to);
        edge
    };
    let edges: Vec<Value> = edges.iter().map(edge).collect();
    json!({"layout": layout, "nodes": nodes, "edges": edges})
}

fn validate(figure: &Value) -> Run {
    let project = Project::bare().file("f.json", figure.to_string());
    call(project.path(), &["--json", "validate", "f.json"])
}

/// The problems, each as code and JSON pointer.
fn problems(figure: &Value) -> Vec<(String, String)> {
    let data = validate(figure).data();
    let text = |problem: &Value, name: &str| String::from(problem[name].as_str().expect("a text"));
    let problems = data["problems"].as_array().expect("problems");
    problems
        .iter()
        .map(|problem| (text(problem, "code"), text(problem, "pointer")))
        .collect()
}

fn found(code: &str, pointer: &str) -> (String, String) {
    (String::from(code), String::from(pointer))
}

/// A figure of boxes with positions, all of the default size, with these edges.
fn placed(nodes: &[(&str, i32, i32)], edges: &[Value]) -> Value {
    let node = |(id, x, y): &(&str, i32, i32)| json!({"id": id, "label": id, "x": x, "y": y});
    let nodes: Vec<Value> = nodes.iter().map(node).collect();
    json!({"canvas": {"width": 900, "height": 500}, "nodes": nodes, "edges": edges})
}

#[test]
fn right_angled_edges_share_no_line_on_which_an_arrow_would_be_taken_for_another() {
    let mut figure = figure(
        &json!({"routing": "orthogonal"}),
        &["a", "b", "c", "d"],
        &[
            ("a", "b", json!({})),
            ("b", "c", json!({})),
            ("c", "d", json!({})),
            ("a", "d", json!({"label": "a very long edge label indeed"})),
            ("a", "c", json!({"arrow": "both"})),
        ],
    );
    figure["groups"] = json!([{"id": "g", "label": "Mid", "node_ids": ["b", "c"]}]);
    assert_eq!(problems(&figure), []);
}

/// A figure with a node for each letter, an edge from each to the next, and further edges.
fn chain(direction: &str, steps: &str, more: &[(usize, usize)]) -> Value {
    let ids: Vec<&str> = steps.split("").filter(|id| !id.is_empty()).collect();
    let further = more.iter().map(|(from, to)| (ids[*from], ids[*to]));
    let edges = ids.windows(2).map(|pair| (pair[0], pair[1])).chain(further);
    let edges: Vec<_> = edges.map(|(from, to)| (from, to, json!({}))).collect();
    figure(&json!({"direction": direction}), &ids, &edges)
}

#[test]
fn edges_that_skip_steps_of_a_chain_are_told_from_those_that_lead_back() {
    for (direction, steps) in [("LR", "ABCD"), ("TB", "ABCD"), ("LR", "ABCDE")] {
        let last = steps.len() - 1;
        let skips = (0..last).flat_map(|from| (from + 2..=last).map(move |to| (from, to)));
        let skips: Vec<(usize, usize)> = skips.collect();
        for one in &skips {
            for (from, to) in &skips {
                let figure = chain(direction, steps, &[*one, (*to, *from)]);
                assert_eq!(problems(&figure), [], "{figure}");
            }
        }
    }
    for direction in ["LR", "TB"] {
        for (steps, more) in [
            ("ABCD", [(0, 2), (1, 3), (3, 0)]),
            ("ABCD", [(0, 2), (0, 3), (2, 0)]),
            ("ABCDE", [(0, 2), (2, 4), (4, 0)]),
            ("ABCDE", [(0, 2), (1, 3), (4, 1)]),
            ("ABCDEF", [(0, 3), (2, 5), (5, 0)]),
            ("ABCDEF", [(1, 3), (2, 4), (5, 1)]),
        ] {
            let figure = chain(direction, steps, &more);
            assert_eq!(problems(&figure), [], "{figure}");
        }
    }
}

/// A figure with this layout; each edge is given by two letters.
fn small(layout: &Value, edges: &str) -> Value {
    let edges = edges.split(' ').map(|edge| edge.split_at(1));
    let edges: Vec<_> = edges.map(|(from, to)| (from, to, json!({}))).collect();
    figure(layout, &["a", "b", "c", "d", "e"], &edges)
}

#[test]
fn what_is_said_of_an_arrow_on_another_edge_helps() {
    let edges = "ad db ca de dc ba";
    let data = validate(&small(&json!({}), edges)).data();
    let fix = data["problems"][0]["fix"].as_str().expect("a problem");
    for (name, value) in [("direction", "TB"), ("routing", "orthogonal")] {
        assert!(fix.contains(&format!("{name:?}: {value:?}")), "{fix}");
        assert_eq!(problems(&small(&json!({name: value}), edges)), [], "{name}");
    }
}

#[test]
fn edges_back_and_forth_are_two_lines_also_where_they_are_steep() {
    for edges in ["da ac bd ad bc", "ab ca ac ba ad", "db da de ad bd cd"] {
        let figure = small(&json!({}), edges);
        let found = problems(&figure);
        assert!(
            found.iter().all(|(code, _)| code != "edge_over_edge"),
            "{found:?}: {figure}"
        );
    }
}

#[test]
fn an_arrow_on_another_edge_is_reported() {
    let nodes = [("a", 100, 100), ("b", 400, 100), ("c", 700, 100)];
    let plain = json!({"from": "a", "to": "b"});
    // The second edge begins where the arrow of the first ends, turns off inside it, or crosses it.
    let cases = [
        (
            json!({"from": "a", "to": "c", "arrow": "both", "points": [[250, 100], [250, 200], [700, 200]]}),
            "/edges/1/points",
        ),
        (
            json!({"from": "a", "to": "c", "points": [[333, 100], [333, 200], [700, 200]]}),
            "/edges/0/from",
        ),
        (
            json!({"from": "c", "to": "a", "points": [[700, 200], [330, 200], [330, 20], [100, 20]]}),
            "/edges/0/from",
        ),
    ];
    for (edge, pointer) in cases {
        let figure = placed(&nodes, &[plain.clone(), edge]);
        assert_eq!(
            problems(&figure),
            [found("arrow_over_edge", pointer)],
            "{figure}"
        );
        let run = validate(&figure);
        let fix = run.data()["problems"][0]["fix"].to_string();
        assert!(
            fix.contains("points") && fix.contains("move its nodes"),
            "{fix}"
        );
    }
}

#[test]
fn edges_that_leave_or_reach_a_box_together_are_no_fault() {
    let nodes = [("a", 100, 100), ("b", 400, 100), ("c", 400, 300)];
    for (one, two) in [
        (
            json!({"from": "a", "to": "b"}),
            json!({"from": "a", "to": "c", "points": [[250, 100], [250, 300]]}),
        ),
        (
            json!({"from": "b", "to": "a"}),
            json!({"from": "c", "to": "a", "points": [[250, 300], [250, 100]]}),
        ),
        (
            json!({"from": "a", "to": "b", "arrow": "both"}),
            json!({"from": "a", "to": "c", "arrow": "both", "points": [[250, 100], [250, 300]]}),
        ),
    ] {
        let figure = placed(&nodes, &[one, two]);
        assert_eq!(problems(&figure), [], "{figure}");
    }
}

#[test]
fn edges_of_different_ends_on_one_sloping_line_are_reported() {
    let nodes = [
        ("a", 100, 100),
        ("b", 100, 400),
        ("c", 800, 100),
        ("d", 800, 400),
    ];
    let edges = [
        json!({"from": "a", "to": "d", "points": [[300, 200], [500, 300]]}),
        json!({"from": "b", "to": "c", "points": [[320, 210], [480, 290]]}),
    ];
    let figure = placed(&nodes, &edges);
    assert_eq!(
        problems(&figure),
        [found("edge_over_edge", "/edges/1/points")]
    );
}

/// A line is as wide as it is drawn.
#[test]
fn lines_are_measured_with_their_thickness() {
    let nodes = [
        ("a", 100, 100),
        ("b", 100, 400),
        ("c", 800, 100),
        ("d", 800, 400),
    ];
    let beside = |apart: i32, thickness: i32| {
        let y = 250 + apart;
        let edges = [
            json!({"from": "a", "to": "d", "thickness": thickness, "points": [[300, 250], [600, 250]]}),
            json!({"from": "b", "to": "c", "thickness": thickness, "points": [[320, y], [580, y]]}),
        ];
        problems(&placed(&nodes, &edges))
    };
    let on_one_line = [found("edge_over_edge", "/edges/1/points")];
    for (thickness, touching, free) in [(2, 2, 4), (4, 4, 6)] {
        assert_eq!(beside(touching, thickness), on_one_line, "{thickness}");
        assert_eq!(beside(free, thickness), [], "{thickness}");
    }
    // A free label that comes nearer to the edge from above.
    let reported_at = |thickness: i32| {
        let meets = |y: &i32| {
            let edge = json!({"from": "a", "to": "c", "thickness": thickness});
            let mut figure = placed(&nodes, &[edge]);
            figure["labels"] = json!([{"text": "beside", "x": 450, "y": y}]);
            !problems(&figure).is_empty()
        };
        (60..100).find(meets).expect("it meets the line in the end")
    };
    assert_eq!(reported_at(2) - reported_at(6), 2);
}

#[test]
fn an_arrow_beside_the_start_of_another_edge_is_reported_once() {
    let nodes = [
        ("a", 81, 46),
        ("b", 253, 46),
        ("c", 423, 46),
        ("d", 593, 46),
    ];
    let edges = [
        json!({"from": "a", "to": "b"}),
        json!({"from": "a", "to": "c", "points": [[193, 91], [313, 91]]}),
        json!({"from": "d", "to": "a", "points": [[483, 105], [193, 105]]}),
    ];
    let figure = placed(&nodes, &edges);
    assert_eq!(
        problems(&figure),
        [found("arrow_over_edge", "/edges/2/points")]
    );
}

#[test]
fn an_arrow_that_the_edge_back_cuts_is_reported() {
    let nodes = [("a", 100, 100), ("b", 400, 100), ("c", 700, 100)];
    let straight = json!({"from": "a", "to": "c", "points": [[210, 190], [590, 190]]});
    let back = json!({"from": "c", "to": "a", "points": [[590, 172], [210, 172]]});
    let found_ones = [
        found("arrow_over_edge", "/edges/0/points"),
        found("arrow_over_edge", "/edges/1/points"),
    ];
    let figure = placed(&nodes, &[straight, back]);
    assert_eq!(problems(&figure), found_ones, "{figure}");
    let curve = |from: &str, to: &str, curve: bool| json!({"from": from, "to": to, "curve": curve});
    // As `edge_over_edge` advises.
    let figure = placed(&nodes, &[curve("a", "b", true), curve("b", "a", true)]);
    assert_eq!(problems(&figure), [], "{figure}");
}

#[test]
fn arrows_that_lie_on_each_other_are_reported() {
    let node =
        |id: &str, x: i32, y: i32| json!({"id": id, "label": id, "x": x, "y": y, "shape": "rect"});
    let figure = json!({
        "nodes": [node("a", 80, 60), node("b", 330, 60), node("c", 140, 300), node("d", 264, 300)],
        "edges": [
            {"from": "a", "to": "c", "points": [[196, 60]]},
            {"from": "b", "to": "d", "points": [[208, 60]]},
        ],
    });
    let found = problems(&figure);
    assert!(
        found.iter().all(|(code, _)| code == "arrow_over_edge") && found.len() == 2,
        "{found:?}"
    );
}

#[test]
fn a_loop_lies_where_no_edge_comes_in_and_else_it_is_said() {
    let side = |name: &str, x: i32, y: i32| (json!({"from": name, "to": "e"}), (x, y));
    let sides = [
        side("top", 450, 60),
        side("below", 450, 440),
        side("right", 800, 250),
        side("left", 100, 250),
    ];
    let drawn = |count: usize| {
        let mut nodes = vec![("e", 450, 250)];
        let named = ["top", "below", "right", "left"].into_iter().zip(&sides);
        nodes.extend(named.take(count).map(|(name, (_, (x, y)))| (name, *x, *y)));
        let mut edges = vec![json!({"from": "e", "to": "e", "label": "self"})];
        edges.extend(sides.iter().take(count).map(|(edge, _)| edge.clone()));
        let figure = placed(&nodes, &edges);
        let project = Project::bare().file("f.json", figure.to_string());
        call(project.path(), &["render", "f.json"]).expect_code(0);
        let svg = project.read("f.svg");
        let start = svg.split(" C").next().expect("a loop");
        let start = start.rsplit("d=\"M").next().expect("its start");
        let start: Vec<f64> = start
            .split(' ')
            .map(|at| at.parse().expect("a length"))
            .collect();
        let at = (start[0] - 450.0, start[1] - 250.0);
        let place = match at {
            (x, _) if x > 50.0 => "right",
            (x, _) if x < -50.0 => "left",
            (_, y) if y < 0.0 => "top",
            _ => "below",
        };
        (place, problems(&figure))
    };
    assert_eq!(drawn(0), ("top", vec![]));
    assert_eq!(drawn(1), ("below", vec![]));
    assert_eq!(drawn(2), ("right", vec![]));
    assert_eq!(drawn(3), ("left", vec![]));
    let (place, found) = drawn(4);
    assert_eq!(place, "top");
    assert_eq!(found, [self::found("edge_over_edge", "/edges/0/from")]);
}

#[test]
fn edges_of_frames_go_round_boxes() {
    let mut figure = figure(
        &json!({}),
        &["a", "b", "c", "d"],
        &[
            ("a", "b", json!({})),
            ("b", "c", json!({})),
            ("c", "d", json!({})),
            ("g", "a", json!({})),
        ],
    );
    figure["groups"] = json!([
        {"id": "f", "label": "One", "node_ids": ["a", "b"]},
        {"id": "g", "label": "Two", "node_ids": ["c", "d"]},
    ]);
    assert_eq!(problems(&figure), []);
}

#[test]
fn formulas_hold_what_the_fonts_hold() {
    for name in "varpi varrho varsigma wedge vee supset Leftrightarrow mp uparrow downarrow lfloor lceil colon".split(' ') {
        let figure = json!({"nodes": [{"id": "a", "label": format!("$x \\{name} y$")}]});
        assert_eq!(problems(&figure), [], "{name}");
    }
    let figure = json!({"nodes": [{"id": "a", "label": "$\\heartsuit$"}]});
    assert_eq!(problems(&figure), [found("formula", "/nodes/0/label")]);
}

#[test]
fn what_gives_a_laid_out_figure_room_is_not_to_move_its_nodes() {
    let links = [
        "0 3", "1 4", "2 7", "3 0", "4 7", "5 4", "6 3", "7 4", "8 7", "9 0", "10 7", "11 4",
        "0 1", "1 6", "2 11", "3 4", "4 9", "5 2", "6 7", "7 0", "8 5", "9 10", "10 3", "11 8",
    ];
    let ids: Vec<String> = (0..12).map(|index: usize| index.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let edges: Vec<_> = links
        .iter()
        .map(|link| link.split_once(' ').expect("two ends"))
        .map(|(from, to)| (from, to, json!({})))
        .collect();
    let figure = figure(&json!({"routing": "orthogonal"}), &ids, &edges);
    let data = validate(&figure).data();
    let problems = data["problems"].as_array().expect("problems");
    let fixes: Vec<&str> = problems
        .iter()
        .filter(|problem| problem["code"] == "edge_too_short")
        .map(|problem| problem["fix"].as_str().expect("a fix"))
        .collect();
    assert!(!fixes.is_empty(), "{data}");
    for fix in fixes {
        assert!(fix.contains("node_gap") && !fix.contains("move"), "{fix}");
    }
}

#[test]
fn characters_that_vanish_are_reported() {
    let figure = json!({
        "title": "t\u{1}",
        "nodes": [{"id": "a", "label": "a\u{7}b\tc\u{0}d", "sublabel": "x\u{9b}y"}, {"id": "b", "label": "b\n\tc"}],
        "edges": [{"from": "a", "to": "b", "label": "e\u{1b}"}],
        "groups": [{"label": "g\u{8}", "node_ids": ["a"]}],
        "labels": [{"text": "\u{c}l", "x": 400, "y": 300}],
    });
    let data = validate(&figure).data();
    let lost: Vec<(&str, &str)> = data["problems"]
        .as_array()
        .expect("problems")
        .iter()
        .filter(|problem| problem["code"] == "missing_glyph")
        .map(|problem| {
            let message = problem["message"].as_str().expect("a message");
            let characters = message.split_once(": ").expect("characters").1;
            (problem["pointer"].as_str().expect("a pointer"), characters)
        })
        .collect();
    assert_eq!(
        lost,
        [
            ("/title", "U+0001"),
            ("/nodes/0/label", "U+0000, U+0007"),
            ("/nodes/0/sublabel", "U+009B"),
            ("/edges/0/label", "U+001B"),
            ("/groups/0/label", "U+0008"),
            ("/labels/0/text", "U+000C"),
        ]
    );
}
