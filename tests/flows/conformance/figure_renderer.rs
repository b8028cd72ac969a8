//! Cases of `figure_renderer`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const GOOD: &str = r#"{
  "canvas": {"width": 300, "height": 100},
  "nodes": [
    {"id": "a", "label": "A", "x": 70, "y": 50, "width": 80},
    {"id": "b", "label": "B", "x": 230, "y": 50, "width": 80}
  ],
  "edges": [{"from": "a", "to": "b"}]
}"#;

const OVERLAP: &str = r#"{
  "canvas": {"width": 300, "height": 100},
  "nodes": [
    {"id": "a", "label": "A", "x": 70, "y": 50, "width": 80},
    {"id": "b", "label": "B", "x": 100, "y": 50, "width": 80}
  ]
}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "figure_renderer",
    project: || {
        Project::new()
            .file("good.json", GOOD)
            .file("overlap.json", OVERLAP)
            .file("broken.json", "{\n  \"nodes\": [{\"id\": }]\n}")
    },
    calls: &[
        Call {
            what: "draw",
            args: &["render", "good.json"],
            code: 0,
        },
        Call {
            what: "draw in three formats",
            args: &["render", "good.json", "--format", "svg,pdf,png"],
            code: 0,
        },
        Call {
            what: "draw what has problems",
            args: &["render", "overlap.json"],
            code: 0,
        },
        Call {
            what: "draw what has problems, strictly",
            args: &["render", "overlap.json", "--strict"],
            code: 10,
        },
        Call {
            what: "nothing found",
            args: &["validate", "good.json"],
            code: 0,
        },
        Call {
            what: "something found",
            args: &["validate", "overlap.json"],
            code: 10,
        },
        Call {
            what: "the fields",
            args: &["schema"],
            code: 0,
        },
        Call {
            what: "the layout",
            args: &["layout", "good.json"],
            code: 0,
        },
        Call {
            what: "draw once and watch nothing",
            args: &["watch", "good.json", "--changes", "0"],
            code: 0,
        },
        Call {
            what: "a picture over its figure",
            args: &["render", "good.json", "-o", "good.json"],
            code: 2,
        },
        Call {
            what: "a resolution out of bounds",
            args: &["render", "good.json", "--dpi", "0"],
            code: 2,
        },
        Call {
            what: "an absent file",
            args: &["render", "absent.json"],
            code: 3,
        },
        Call {
            what: "no JSON",
            args: &["validate", "broken.json"],
            code: 4,
        },
    ],
    incomplete: &[&[], &["render"], &["validate"], &["layout"], &["watch"]],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a folder where the picture goes",
            prepare: |project| project.write("good.svg/in-the-way", ""),
            args: &["render", "good.json"],
        },
        Unwritable {
            what: "a file where the folder goes",
            prepare: |project| project.write("figures", ""),
            args: &["render", "good.json", "-o", "figures/good.pdf"],
        },
        Unwritable {
            what: "a file where the layout's folder goes",
            prepare: |project| project.write("figures", ""),
            args: &["layout", "good.json", "-o", "figures/good.json"],
        },
    ],
    hostile: &[Hostile {
        path: "good.json",
        args: &["validate", "good.json"],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: None,
};
