//! The options and the pictures that they give.

use std::process::Command;

use aris_testkit::Project;
use serde_json::json;

use super::{GOOD, call};

/// Width, height and pixels per metre of a PNG.
fn png(bytes: &[u8]) -> [u32; 3] {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four"));
    assert_eq!(&bytes[37..41], b"pHYs");
    [number(16), number(20), number(41)]
}

#[test]
fn the_picture_lies_beside_the_figure_unless_told_otherwise() {
    let cases: [(&[&str], &[&str]); 6] = [
        (&[], &["f/good.svg"]),
        (&["--preview"], &["f/good.svg", "f/good.png"]),
        (&["-o", "new/x.pdf"], &["new/x.pdf"]),
        (
            &["-o", "new/x.pdf", "--preview"],
            &["new/x.pdf", "new/x.png"],
        ),
        (&["-o", "x.txt", "--format", "png"], &["x.txt"]),
        (&["-o", "x", "--format", "svg,pdf"], &["x.svg", "x.pdf"]),
    ];
    for (args, paths) in cases {
        let project = Project::bare().file("f/good.json", GOOD);
        let run = call(project.path(), &[&["render", "f/good.json"], args].concat()).expect_code(0);
        let said: Vec<&str> = run.stdout().lines().collect();
        assert_eq!(said, paths, "{args:?}");
        for path in paths {
            assert!(project.at(path).is_file(), "{args:?}: {path}");
        }
        assert_eq!(project.read("f/good.json"), GOOD);
    }
}

#[test]
fn a_folder_is_no_figure_whatever_it_is_called() {
    let project = Project::bare().file("f/good.json", GOOD);
    for command in ["render", "validate", "layout", "watch"] {
        for folder in [".", "f/..", "f"] {
            let run = call(project.path(), &[command, folder]).expect_code(4);
            assert!(run.stderr().contains("is a directory"), "{run}");
            assert!(run.stderr().contains("hint: name a regular file"), "{run}");
        }
    }
}

#[test]
fn no_picture_gets_the_name_of_another_kind() {
    let project = Project::bare().file("f.json", GOOD);
    for name in ["x.gif", "x.eps", "x.svg.bak", "x.pngs"] {
        for command in [&["render"][..], &["watch", "--changes", "1"]] {
            let args = [command, &["f.json", "-o", name]].concat();
            let run = call(project.path(), &args).expect_code(2);
            assert!(run.stderr().contains(name), "{run}");
            assert!(run.stderr().contains(".svg, .pdf or .png"), "{run}");
            assert!(!project.at(name).exists());
        }
    }
    for (name, starts) in [("x.PNG", "\u{fffd}PNG"), ("x", "<svg"), (".gif", "<svg")] {
        call(project.path(), &["render", "f.json", "-o", name]).expect_code(0);
        let bytes = std::fs::read(project.at(name)).expect("a picture");
        assert!(String::from_utf8_lossy(&bytes).contains(starts), "{name}");
    }
}

#[test]
fn a_dash_is_standard_output() {
    let project = Project::bare().file("f.json", GOOD);
    for format in ["svg", "pdf", "png"] {
        let args = ["render", "f.json", "--format", format, "-o"];
        let file = format!("x.{format}");
        call(project.path(), &[&args[..], &[&file]].concat()).expect_code(0);
        let printed = Command::new(env!("CARGO_BIN_EXE_figure_renderer"))
            .args(args)
            .arg("-")
            .current_dir(project.path())
            .output()
            .expect("a run");
        let written = std::fs::read(project.at(&file)).expect("a picture");
        assert!(printed.stdout == written, "{format}");
    }
    let laid_out = call(project.path(), &["layout", "f.json", "-o", "-"]).expect_code(0);
    assert_eq!(laid_out.stdout(), GOOD);
    assert!(!project.at("-").exists());
    for args in [
        &["render", "--preview"][..],
        &["render", "--format", "svg,pdf"],
        &["render", "--json"],
        &["watch", "--changes", "0"],
    ] {
        let run = call(project.path(), &[args, &["f.json", "-o", "-"]].concat()).expect_code(2);
        assert!(format!("{run}").contains("standard output"), "{run}");
        assert!(!project.at("-").exists());
    }
}

#[test]
fn a_name_that_contradicts_the_format_is_refused() {
    let project = Project::bare().file("f.json", GOOD);
    for (name, format) in [("x.svg", "pdf"), ("x.PNG", "svg"), ("x.png", "svg,pdf")] {
        let args = ["render", "f.json", "-o", name, "--format", format];
        let run = call(project.path(), &args).expect_code(2);
        assert!(run.stderr().contains("hint: end the name"), "{run}");
        assert!(!project.at(name).exists());
    }
    let args = ["render", "f.json", "-o", "x.svg", "--format", "pdf,svg"];
    let run = call(project.path(), &args).expect_code(0);
    assert_eq!(run.stdout(), "x.pdf\nx.svg\n");
}

#[test]
fn json_that_is_no_figure_is_refused() {
    let project = Project::bare();
    for text in ["{}", "[]", "{\"title\": \"x\"}", "{\"data\": [1, 2]}"] {
        project.write("f.json", text);
        for command in [&["validate"][..], &["render", "--strict"]] {
            let run = call(project.path(), &[command, &["f.json"]].concat()).expect_code(4);
            assert!(run.stderr().contains("hint: write"), "{run}");
        }
        assert!(!project.at("f.svg").exists());
    }
}

#[test]
fn a_png_has_the_resolution_that_was_asked_for() {
    for (dpi, expected) in [("96", [300, 100, 3780]), ("288", [900, 300, 11339])] {
        let project = Project::bare().file("good.json", GOOD);
        call(
            project.path(),
            &["render", "good.json", "-o", "x.png", "--dpi", dpi],
        )
        .expect_code(0);
        let bytes = std::fs::read(project.at("x.png")).expect("a picture");
        assert_eq!(png(&bytes), expected, "{dpi}");
    }
}

#[test]
fn a_picture_that_is_too_large_leaves_no_picture() {
    let large = GOOD.replace("\"width\": 300", "\"width\": 900000");
    let project = Project::bare().file("large.json", large);
    let run = call(
        project.path(),
        &["render", "large.json", "--format", "svg,png"],
    )
    .expect_code(4);
    assert!(run.stderr().contains("--dpi"), "{run}");
    assert!(!project.at("large.svg").exists());
}

#[test]
fn a_figure_is_never_replaced_by_its_picture() {
    let project = Project::bare().file("good.svg", GOOD);
    std::os::unix::fs::symlink("good.svg", project.at("link.svg")).expect("a link");
    for args in [
        &["render", "good.svg"][..],
        &["render", "good.svg", "-o", "./good.svg"],
        &["render", "good.svg", "-o", "link.svg"],
        &[
            "render", "good.svg", "-o", "x.png", "--format", "svg,pdf", "--format", "svg",
        ],
    ] {
        let run = call(project.path(), args);
        let code = run.code();
        assert!(code == 2 || args.len() > 4 && code == 0, "{args:?}: {run}");
        assert_eq!(project.read("good.svg"), GOOD);
    }
    let project = Project::bare().file("good.json", GOOD);
    let args = [
        "render",
        "good.json",
        "-o",
        "x.png",
        "--format",
        "svg",
        "--preview",
    ];
    call(project.path(), &args).expect_code(2);
}

#[test]
fn problems_are_said_with_their_place() {
    let spec = "{\n  \"nodes\": [\n    {\"id\": \"a\", \"label\": \"a very long label indeed\", \"x\": 70, \"y\": 50, \"width\": 40}\n  ]\n}\n";
    let project = Project::bare().file("f.json", spec);
    let run = call(project.path(), &["validate", "f.json"]).expect_code(10);
    let line = run
        .stdout()
        .lines()
        .find(|line| line.contains("text_overflow"));
    let line = line.expect("a problem");
    assert!(line.starts_with("f.json:3:"), "{line}");
    assert!(
        line.contains("/nodes/0/width") && line.contains("set \"width\": "),
        "{line}"
    );
    let run = call(project.path(), &["--json", "validate", "f.json"]).expect_code(10);
    assert_eq!(run.data()["problems"][0]["line"], 3);
    call(project.path(), &["render", "f.json"]).expect_code(0);
    call(project.path(), &["render", "f.json", "--strict"]).expect_code(10);
}

#[test]
fn places_are_written_into_json_as_people_write_it() {
    let spec = "\u{feff}{ // größer\n\"nodes\": [{\"id\": \"é\", \"label\": \"中\"}, {\"id\": 'b', \"label\": \"B\"},],\r\n\"edges\": [{\"from\": \"é\", \"to\": \"b\"}]}";
    let project = Project::bare().file("f.json", spec);
    let run = call(project.path(), &["layout", "f.json", "-o", "-"]).expect_code(0);
    let written = run.stdout().to_owned();
    let kept = |part: &str| assert!(written.contains(part), "{part} in {written}");
    kept("{\"canvas\": {");
    kept("// größer\n\"nodes\": [{\"x\": ");
    kept(", \"id\": \"é\", \"label\": \"中\"}, {\"x\": ");
    // The output is a figure in which every node has a position.
    let project = Project::bare().file("f.json", &written);
    let run = call(project.path(), &["layout", "f.json", "-o", "-"]).expect_code(0);
    assert_eq!(run.stdout(), written);
}

#[test]
fn nothing_but_an_earlier_picture_or_figure_is_replaced() {
    let project = Project::bare()
        .file("f.json", "{\"nodes\": [{\"id\": \"a\"}]}")
        .file("main.tex", "mine");
    let before = project.snapshot();
    for args in [
        &["layout", "f.json", "-o", "main.tex"][..],
        &["layout", "f.json", "-o", "./f.json"],
        &["render", "f.json", "--format", "svg", "-o", "main.tex"],
        &["render", "f.json", "--format", "pdf", "-o", "main.tex"],
        &["render", "f.json", "--format", "png", "-o", "main.tex"],
    ] {
        let run = call(project.path(), args).expect_code(2);
        assert!(run.stderr().contains("would be overwritten"), "{run}");
    }
    assert_eq!(project.snapshot(), before);
    for name in ["new/f.svg", "new/f.pdf", "new/f.png"] {
        for _ in 0..2 {
            call(project.path(), &["render", "f.json", "-o", name]).expect_code(0);
        }
    }
    for _ in 0..2 {
        call(project.path(), &["layout", "f.json", "-o", "g.json"]).expect_code(0);
    }
}

#[test]
fn what_is_no_figure_is_refused_with_all_reasons() {
    let spec = "{\"nodes\": [{\"id\": \"a\", \"x\": \"1\", \"y\": 2}, {\"label\": \"b\"}],\n \"edges\": [{\"from\": \"a\", \"to\": \"c\"}]}";
    let project = Project::bare().file("f.json", spec);
    for command in ["validate", "render", "layout"] {
        let run = call(project.path(), &["--json", command, "f.json"]).expect_code(4);
        let error = run.error();
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with("f.json:1:29: /nodes/0/x "), "{message}");
        let problems = error["details"]["problems"]
            .as_array()
            .expect("problems")
            .len();
        assert_eq!(problems, 3, "{error}");
    }
    assert!(!project.at("f.svg").exists());
}

#[test]
fn a_layout_is_written_into_the_figure_and_draws_the_same_picture() {
    let spec = "{\n  \"nodes\": [\n    {\"id\": \"a\"},\n    { \"id\": \"b\", \"label\": \"B\" },\n    {\"id\": \"c\", \"label\": \"C\"}\n  ],\n  \"edges\": [{\"from\": \"a\", \"to\": \"b\"}, {\"from\": \"b\", \"to\": \"c\"}, {\"from\": \"a\", \"to\": \"c\"}]\n}\n";
    let project = Project::bare().file("f.json", spec);
    call(project.path(), &["layout", "f.json", "-o", "g.json"]).expect_code(0);
    let text = project.read("g.json");
    assert_eq!(text.lines().count(), spec.lines().count());
    assert!(text.contains("\"points\": [["), "{text}");
    let value = project.json("g.json");
    assert!(value["canvas"]["width"].is_number() && value["nodes"][1]["x"].is_number());
    call(project.path(), &["render", "f.json"]).expect_code(0);
    call(project.path(), &["render", "g.json"]).expect_code(0);
    assert_eq!(project.read("f.svg"), project.read("g.svg"));
    let again = call(project.path(), &["layout", "g.json"]).expect_code(0);
    assert_eq!(again.stdout(), text);
}

#[test]
fn the_schema_takes_the_gallery_and_refuses_what_it_does_not_know() {
    let project = Project::bare();
    let run = call(project.path(), &["--json", "schema"]).expect_code(0);
    let schema = &run.data()["json_schema"];
    let properties = schema["properties"]["nodes"]["items"]["properties"].as_object();
    assert!(properties.expect("fields").contains_key("sublabel"));
    let text = call(project.path(), &["schema"]).expect_code(0);
    assert!(text.stdout().contains("  node_ids "), "{text}");
}

#[test]
fn a_chain_is_straight_and_what_leads_past_it_meets_circles_at_their_side() {
    let text = r#"{"layout": {"direction": "TB"}, "nodes": [
        {"id": "x", "label": "x", "shape": "circle", "width": 34, "height": 34}, {"id": "f", "label": "Feed-forward"},
        {"id": "sum", "label": "+", "shape": "circle", "width": 34, "height": 34}, {"id": "out", "label": "Output"}],
      "edges": [{"from": "x", "to": "f"}, {"from": "f", "to": "sum"}, {"from": "sum", "to": "out"},
        {"from": "x", "to": "sum", "label": "residual", "style": "dashed"}]}"#;
    let project = Project::bare().file("f.json", text);
    call(project.path(), &["layout", "f.json", "-o", "g.json"]).expect_code(0);
    let placed = project.json("g.json");
    let nodes = placed["nodes"].as_array().expect("nodes");
    for node in nodes {
        assert_eq!(node["x"], nodes[0]["x"], "{placed}");
    }
    let (x, sum) = (&nodes[0], &nodes[2]);
    let points = placed["edges"][3]["points"].as_array().expect("corners");
    let beside = |node: &serde_json::Value, corner: &serde_json::Value| {
        (corner[0].as_f64().expect("x") - node["x"].as_f64().expect("x")).abs() > 17.0
    };
    assert!(
        beside(x, &points[0]) && beside(sum, points.last().expect("a corner")),
        "{placed}"
    );
}

#[test]
fn small_print_is_a_problem_only_in_a_column_of_known_width() {
    let wide = GOOD.replace("300", "3000");
    let project = Project::bare().file("wide.json", wide);
    call(project.path(), &["validate", "wide.json"]).expect_code(0);
    let run = call(
        project.path(),
        &["validate", "wide.json", "--column-width", "84"],
    )
    .expect_code(10);
    assert!(run.stdout().contains("small_print"), "{}", run.stdout());
}

#[test]
fn a_misspelt_field_is_named_with_the_object_that_it_belongs_to() {
    let cases = [
        ("\"direction\": \"TB\"", "did you mean layout.direction?"),
        ("\"nodeGap\": 9", "did you mean layout.node_gap?"),
        ("\"edgs\": []", "did you mean edges?"),
        ("\"zzz\": 1", "use one of title, canvas"),
    ];
    for (field, expected) in cases {
        let text = GOOD.replacen('{', &format!("{{{field}, "), 1);
        let project = Project::bare().file("x.json", text);
        let run = call(project.path(), &["validate", "x.json"]).expect_code(10);
        assert!(run.stdout().contains(expected), "{field}: {}", run.stdout());
    }
}

#[test]
fn an_edge_to_an_id_that_stands_twice_is_reported() {
    let nodes =
        json!([{"id": "a", "label": "A"}, {"id": "b", "label": "B"}, {"id": "c", "label": "C"}]);
    for (ids, to, code) in [
        (["h", "h"], "h", 10),
        (["a", "k"], "a", 10),
        (["a", "a"], "c", 0),
        (["h", "k"], "k", 0),
    ] {
        let figure = json!({"nodes": nodes, "edges": [{"from": "b", "to": to}],
            "groups": [{"id": ids[0], "node_ids": ["c"]}, {"id": ids[1], "node_ids": ["a"]}]});
        let project = Project::bare().file("f.json", figure.to_string());
        let run = call(project.path(), &["validate", "f.json"]).expect_code(code);
        assert_eq!(run.stdout().contains("/edges/0/to"), code == 10, "{run}");
    }
}

#[test]
fn the_example_is_a_figure_without_problems() {
    let project = Project::bare();
    let run = call(project.path(), &["--example"]).expect_code(0);
    let project = Project::bare().file("example.json", run.stdout());
    call(project.path(), &["validate", "example.json"]).expect_code(0);
}

#[test]
fn arrows_stand_where_the_edge_says() {
    for (arrow, count) in [("end", 1), ("start", 1), ("both", 2), ("none", 0)] {
        let edge = format!("\"from\": \"a\", \"arrow\": \"{arrow}\"");
        let project = Project::bare().file("x.json", GOOD.replace("\"from\": \"a\"", &edge));
        call(project.path(), &["validate", "x.json"]).expect_code(0);
        call(project.path(), &["render", "x.json"]).expect_code(0);
        let svg = project.read("x.svg");
        assert_eq!(
            svg.matches(" Z\" fill=\"#555555\"/>").count(),
            count,
            "{arrow}: {svg}"
        );
    }
}

#[test]
fn text_in_a_shape_with_round_ends_needs_room_beside_them() {
    for shape in ["cylinder", "queue", "document", "person"] {
        let small = format!("\"id\": \"a\", \"shape\": \"{shape}\", \"height\": 18, \"width\": 22");
        let text = GOOD
            .replace("\"id\": \"a\"", &small)
            .replace(", \"width\": 80},", "},");
        let project = Project::bare().file("x.json", text.clone());
        let run = call(project.path(), &["validate", "x.json"]).expect_code(10);
        assert!(
            run.stdout().contains("text_overflow"),
            "{shape}: {}",
            run.stdout()
        );
        let text = text.replace(", \"height\": 18, \"width\": 22", "");
        let project = Project::bare().file("x.json", text);
        call(project.path(), &["validate", "x.json"]).expect_code(0);
    }
}
