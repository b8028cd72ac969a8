//! Cases of `paper_claim_audit`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

pub(crate) const CASES: Cases = Cases {
    helper: "paper_claim_audit",
    project: || {
        let paper = |accuracy: &str| {
            format!(
                "\\documentclass{{article}}\\begin{{document}}Our model reaches an accuracy of {accuracy}\\%.\\end{{document}}\n"
            )
        };
        Project::new()
            .file("right/main.tex", paper("84.7"))
            .file("right/results/run.json", "{\"accuracy\": 0.8471}\n")
            .file("wrong/main.tex", paper("91.2"))
            .file("wrong/results/run.json", "{\"accuracy\": 0.8471}\n")
            .file("bad.toml", "this is no TOML")
            .file("empty/main.tex", paper("84.7"))
    },
    calls: &[
        Call {
            what: "a number that the results bear out",
            args: &["right"],
            code: 0,
        },
        Call {
            what: "a number that they do not",
            args: &["wrong"],
            code: 10,
        },
        Call {
            what: "numbers and no results",
            args: &["empty"],
            code: 10,
        },
        Call {
            what: "pins that are none",
            args: &["right", "--claims", "bad.toml"],
            code: 4,
        },
        Call {
            what: "an absent paper",
            args: &["nowhere"],
            code: 2,
        },
    ],
    incomplete: &[&[], &["right", "--results"]],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a folder where the artifact goes",
            prepare: |project| project.write("right/PAPER_CLAIM_AUDIT.json/x", "in the way"),
            args: &["right"],
        },
        Unwritable {
            what: "a file where the traces go",
            prepare: |project| project.write(".aris", "in the way"),
            args: &["right"],
        },
        Unwritable {
            what: "proposals below a file",
            prepare: |project| project.write("file", "in the way"),
            args: &["wrong", "--suggest-pins", "file/pins.toml"],
        },
    ],
    hostile: &[
        Hostile {
            path: "right/results/run.json",
            args: &["right"],
            huge: 10,
            fifo: 10,
        },
        Hostile {
            path: "right/main.tex",
            args: &["right", "--root", "main.tex"],
            huge: 10,
            fifo: 10,
        },
        Hostile {
            path: "pins.toml",
            args: &["right", "--claims", "pins.toml"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
