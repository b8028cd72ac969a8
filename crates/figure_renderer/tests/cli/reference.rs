//! Figures for the original renderer: every field that it reads, its defaults, its anchors.

use aris_figure::{Code, Figure};

fn figure(text: &str) -> Figure {
    Figure::read(text.as_bytes()).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

fn codes(text: &str) -> Vec<&'static str> {
    let problems = figure(text).problems(200.0);
    problems.iter().map(|problem| problem.code.name()).collect()
}

#[test]
fn defaults_but_the_palette_are_the_reference_s() {
    let svg = figure(r#"{"nodes": [{"id": "a", "label": "A", "x": 100, "y": 60}, {"id": 2, "label": 7, "x": 300, "y": 60}],
        "edges": [{"from": "a", "to": 2, "label": "e"}], "groups": [{"label": "G", "node_ids": ["a"]}]}"#).svg();
    for part in [
        r#"width="800" height="400" viewBox="0 0 800 400""#,
        r##"<rect width="800" height="400" fill="#FFFFFF"/>"##,
        // A box of 120 x 50 around its centre.
        r##"<rect x="40" y="35" width="120" height="50" rx="8" fill="#dee7fc" stroke="#2563EB" stroke-width="2"/>"##,
        // One accent colour for all nodes; the original renderer cycles through ten.
        r##"<rect x="240" y="35" width="120" height="50" rx="8" fill="#dee7fc" stroke="#2563EB" stroke-width="2"/>"##,
        // Padding of 20 around the group.
        r##"<rect x="20" y="15" width="160" height="90" rx="8" fill="#F5F5F5" stroke="#E0E0E0"/>"##,
        // From border to border, with an arrow of eight times the line's thickness whose tip touches the border.
        "M160 60 L",
        "M240 60 L224 68 L224 52 Z",
        r##"font-size="14" fill="#333333" text-anchor="middle" font-weight="bold">A<"##,
        r#"font-size="11""#,
        r#"font-size="12""#,
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn shapes_styles_and_anchors_are_drawn() {
    let svg = figure(r##"{"style": {"font_family": "Arial", "font_size": 12, "bg_color": "#FAFAFA", "palette": ["#112233"]}, "nodes": [
        {"id": "a", "label": "two\\nlines", "x": 100, "y": 60, "shape": "rect", "sublabel": "s"},
        {"id": "b", "label": "b", "x": 300, "y": 60, "shape": "circle", "width": 40, "height": 60, "fill": "#445566", "stroke": "#000000", "text_color": "#FFFFFF"},
        {"id": "c", "label": "c", "x": 500, "y": 60, "shape": "ellipse", "font_size": 9.5},
        {"id": "d", "label": "d", "x": 700, "y": 60, "shape": "diamond"}], "edges": [
        {"from": "a", "to": "b", "style": "dashed", "color": "#FF0000", "thickness": 3},
        {"from": "b", "to": "c", "style": "dotted"}, {"from": "c", "to": "d", "curve": true}, {"from": "d", "to": "d"}],
        "labels": [{"text": "t", "x": 10, "y": 390, "anchor": "end", "color": "#123456", "font_size": 9}]}"##).svg();
    for part in [
        r##"fill="#FAFAFA""##,
        r##"stroke="#112233""##,
        r#"<circle cx="300" cy="60" r="30""#,
        r#"<ellipse cx="500" cy="60" rx="60" ry="25""#,
        "<path d=\"M700 35 L760 60 L700 85 L640 60 Z\"",
        r#"stroke-dasharray="8,4""#,
        r#"stroke-dasharray="3,3""#,
        // The arrow has its edge's colour.
        r##"Z" fill="#FF0000"/>"##,
        " Q",
        " C",
        r##"<text x="10" y="390" font-size="9" fill="#123456" text-anchor="end">t</text>"##,
        ">two<",
        ">lines<",
        r#"font-size="9.5""#,
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn what_the_reference_draws_with_a_warning_is_drawn_with_a_problem() {
    for (fields, code) in [
        (r#""label": "A", "shape": "hexagon""#, "bad_value"),
        (r#""label": "A", "fill": "red""#, "bad_value"),
        (r#""label": "A", "font_size": -3"#, "bad_value"),
        (r#""label": ["a", "b"]"#, "bad_value"),
        (r#""shape": "rect""#, "nothing_drawn"),
        (r#""label": "A", "colour": 1"#, "unknown_field"),
        (r#""label": "A", "label": "B""#, "duplicate_field"),
    ] {
        let text = format!(r#"{{"nodes": [{{"id": "a", "x": 100, "y": 60, {fields}}}]}}"#);
        assert!(codes(&text).contains(&code), "{text}: {:?}", codes(&text));
    }
    for (rest, code) in [
        (r#""groups": [{"node_ids": ["a", "z"]}]"#, "unknown_node"),
        (r#""groups": [{"node_ids": []}]"#, "nothing_drawn"),
        (
            r#""labels": [{"text": "x", "x": 300, "y": 300, "anchor": "left"}]"#,
            "bad_value",
        ),
        (
            r#""edges": [{"from": "a", "to": "a", "style": "wavy"}]"#,
            "bad_value",
        ),
        (
            r#""edges": [{"from": "a", "to": "a", "thickness": "3"}], "x": 1"#,
            "unknown_field",
        ),
    ] {
        let text =
            format!(r#"{{"nodes": [{{"id": "a", "x": 100, "y": 90, "label": "A"}}], {rest}}}"#);
        assert!(codes(&text).contains(&code), "{text}: {:?}", codes(&text));
    }
    assert_eq!(codes(r#"{"nodes": []}"#), vec!["nothing_drawn"]);
}

#[test]
fn what_the_reference_refuses_is_refused() {
    for text in [
        "",
        "[]",
        "nul",
        r#"{"nodes": {}}"#,
        r#"{"canvas": []}"#,
        r#"{"canvas": {"width": 0}}"#,
        r#"{"canvas": {"height": "9"}}"#,
        r#"{"style": {"font_size": true}}"#,
        r#"{"style": {"palette": []}}"#,
        r#"{"style": {"palette": ["red"]}}"#,
        r#"{"nodes": [1]}"#,
        r#"{"nodes": [{"label": "A", "x": 1, "y": 1}]}"#,
        r#"{"nodes": [{"id": "a", "x": 1}]}"#,
        r#"{"nodes": [{"id": "a", "x": "1", "y": 1}]}"#,
        r#"{"nodes": [{"id": "a", "x": 1, "y": 1, "width": -1}]}"#,
        r#"{"nodes": [{"id": "a", "x": 1, "y": 1}, {"id": "a", "x": 9, "y": 9}]}"#,
        r#"{"nodes": [{"id": "a", "x": 1, "y": 1}], "edges": [{"from": "a"}]}"#,
        r#"{"nodes": [{"id": "a", "x": 1, "y": 1}], "edges": [{"from": "a", "to": "b"}]}"#,
        r#"{"nodes": [{"id": "a", "x": 1e300, "y": 1}]}"#,
    ] {
        let problems = Figure::read(text.as_bytes()).expect_err(text);
        assert!(!problems.is_empty(), "{text}");
        for problem in problems {
            assert_eq!(problem.code, Code::Invalid, "{text}");
            assert!(problem.line > 0 && problem.column > 0 && !problem.fix.is_empty());
        }
    }
}
