//! Draws figures repeatedly, in other locales, with and without the machine's fonts: the same bytes in all three formats, and
//! text that a PDF reader finds. (resvg draws the PNG from the SVG, so every SVG is opened by resvg.)
//!
//! `ARIS_STORIES=1000 cargo test -p figure_renderer --test cli same_bytes` draws more of them. `cargo xtask figures` measures as many.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use aris_figure::Figure;
use aris_testkit::{Call, Helper, Project, stories, workspace_root};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// Shell code that hides the machine's fonts from a command, if the system allows it.
const HIDE: &str = "mount -t tmpfs none /usr/share/fonts && exec \"$@\"";

/// Labels of generated figures that fit on one line in every shape.
const SEARCHED: [&str; 3] = ["Encoder", "注意力", "é ≤ θ → x"];

/// Problems that count as overlaps.
const OVERLAPS: [&str; 5] = [
    "node_overlap",
    "edge_over_node",
    "edge_over_edge",
    "label_overlap",
    "group_overlap",
];

const PICTURES: [&str; 3] = ["f.svg", "f.pdf", "f.png"];

#[test]
fn the_environment_does_not_change_a_picture() {
    let project = Project::bare();
    let hides = Command::new("unshare")
        .args(["--mount", "sh", "-c", HIDE, "sh", "true"])
        .output()
        .is_ok_and(|done| done.status.success());
    println!("the fonts are hidden by a mount: {hides}");
    let reader = Command::new("pdftotext").arg("-v").output().is_ok();
    if !reader {
        println!("skipped: pdftotext is not installed, so the text of PDFs was not read");
    }
    let of_gallery = gallery("chinese-labels.json");
    for figure in of_gallery.into_iter().chain(generated(3, any::<bool>())) {
        project.write("f.json", figure.to_string());
        let mut seen = BTreeSet::new();
        for locale in ["C", "de_DE.UTF-8", "ar_EG.UTF-8"] {
            for has_fonts in [true, false] {
                draw(&project, locale, has_fonts, hides);
                seen.insert(
                    PICTURES.map(|name| std::fs::read(project.at(name)).expect("a picture")),
                );
            }
        }
        assert_eq!(seen.len(), 1, "{figure}");
        if reader {
            assert_text_is_found(&project, &figure);
        }
    }
}

/// Measures by which changes of the layout are judged, for the gallery and for generated figures that the layout places. Nodes of
/// these never overlap or leave the canvas.
#[test]
fn every_figure_is_measured() {
    let sets = [
        ("gallery", gallery("")),
        ("generated", generated(10, Just(false))),
    ];
    for (name, figures) in sets {
        for routing in ["straight", "orthogonal"] {
            let (mut crossings, mut bends) = (0, 0);
            let mut problems = BTreeMap::new();
            for mut figure in figures.clone() {
                figure["layout"]["routing"] = json!(routing);
                let figure = Figure::read(figure.to_string().as_bytes()).expect("a figure");
                crossings += figure.crossings().expect("few enough to count");
                bends += figure.bends();
                for problem in figure.problems(None) {
                    *problems.entry(problem.code.name()).or_insert(0) += 1;
                }
            }
            let count = |code| problems.get(code).copied().unwrap_or(0);
            let overlaps: i32 = OVERLAPS.into_iter().map(count).sum();
            let figures = figures.len();
            println!(
                "| {name}, {routing} | {figures} figures | {crossings} crossings | {bends} bends | {overlaps} overlaps |"
            );
            for (code, count) in &problems {
                println!("|   {code} | {count} |");
            }
            if name == "generated" {
                assert_eq!((count("node_overlap"), count("out_of_canvas")), (0, 0));
            }
        }
    }
}

fn program(project: &Project) -> Call {
    Helper::at(env!("CARGO_BIN_EXE_figure_renderer")).call(project.path())
}

/// Draws `f.json` in all formats.
fn draw(project: &Project, locale: &str, has_fonts: bool, hides: bool) {
    let call = if has_fonts || !hides {
        program(project)
    } else {
        Helper::at("unshare")
            .call(project.path())
            .args(["--mount", "sh", "-c", HIDE, "sh"])
            .args([env!("CARGO_BIN_EXE_figure_renderer")])
    };
    let fonts = if has_fonts {
        "/etc/fonts"
    } else {
        "/nonexistent"
    };
    call.args(["render", "f.json", "-o", "f", "--format", "svg,pdf,png"])
        .env("LC_ALL", locale)
        .env("LANG", locale)
        .env("FONTCONFIG_PATH", fonts)
        .env("HOME", project.path())
        .env("TZ", "Asia/Shanghai")
        .run()
        .expect_code(0);
}

/// Checks that `pdftotext` opens the PDF without a complaint and finds the labels.
fn assert_text_is_found(project: &Project, figure: &Value) {
    let done = Command::new("pdftotext")
        .args(["-enc", "UTF-8", "f.pdf", "-"])
        .current_dir(project.path())
        .output()
        .expect("pdftotext");
    let complaints = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.success() && complaints.trim().is_empty(),
        "{figure}: {complaints}"
    );
    // pdftotext takes single letters for a word in wide print and leaves out the spaces between them.
    let text = String::from_utf8_lossy(&done.stdout).replace(' ', "");
    for node in figure["nodes"].as_array().expect("nodes") {
        let label = node["label"].as_str().expect("a label");
        // Nodes with given positions may cross the edge of the canvas, where pdftotext cuts them off.
        if SEARCHED.contains(&label) && node["x"].is_null() {
            assert!(text.contains(&label.replace(' ', "")), "{label}: {figure}");
        }
    }
}

/// Figures of the gallery whose file name contains `name`.
fn gallery(name: &str) -> Vec<Value> {
    let folder = workspace_root().join("skills/figure-spec/assets/gallery");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the gallery")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.to_string_lossy().contains(name))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort();
    let read = |path| std::fs::read_to_string(path).expect("readable");
    paths
        .into_iter()
        .map(|path| serde_json::from_str(&read(path)).expect("JSON"))
        .collect()
}

/// At least `few` drawable figures, more if the environment asks for them; always the same ones.
fn generated(few: u32, is_placed: impl Strategy<Value = bool>) -> Vec<Value> {
    let config = stories(few);
    let count = config.cases;
    let mut runner = TestRunner::new(config);
    let figures = figures(is_placed);
    let mut one = || figures.new_tree(&mut runner).expect("a figure").current();
    (0..count).map(|_| one()).collect()
}

/// A figure with a bit of everything, with or without positions of its nodes.
fn figures(is_placed: impl Strategy<Value = bool>) -> impl Strategy<Value = Value> {
    let node = (
        select(vec!["rect", "rounded", "circle", "ellipse", "diamond"]),
        select([&SEARCHED[..], &["two\nlines", "<&>", "W"]].concat()),
        (0..800, 0..400),
        option::weighted(0.3, 20..200),
    );
    let edge = (
        any::<(prop::sample::Index, prop::sample::Index)>(),
        select(vec!["solid", "dashed", "dotted"]),
        prop::bool::weighted(0.3),
        0..0x100_0000,
        select(vec!["", "yes", "ja, bitte", "是"]),
    );
    let pair = any::<(prop::sample::Index, prop::sample::Index)>();
    let parts = (
        is_placed,
        select(vec!["LR", "TB"]),
        vec(node, 1..15),
        vec(edge, 0..16),
        vec(pair, 0..3),
    );
    parts.prop_map(|(is_placed, direction, nodes, edges, groups)| {
        let count = nodes.len();
        let node = |(id, (shape, label, (x, y), size))| {
            let mut node = json!({"id": id, "shape": shape, "label": label});
            if is_placed {
                (node["x"], node["y"]) = (json!(x), json!(y));
            }
            if let Some(size) = size {
                node["width"] = json!(size);
                node["sublabel"] = json!(format!("{size} 个"));
            }
            node
        };
        let nodes: Vec<Value> = nodes.into_iter().enumerate().map(node).collect();
        let edges: Vec<Value> = edges
            .into_iter()
            .map(|((from, to), style, curve, colour, label)| {
                json!({"from": from.index(count), "to": to.index(count), "style": style, "curve": curve,
                    "color": format!("#{colour:06x}"), "label": label})
            })
            .collect();
        let groups: Vec<Value> = groups
            .into_iter()
            .map(|(one, two)| json!({"label": "Group", "node_ids": [one.index(count), two.index(count)]}))
            .collect();
        json!({"layout": {"direction": direction}, "nodes": nodes, "edges": edges, "groups": groups})
    })
}
