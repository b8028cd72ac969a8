//! Cases of `paper_claim_audit`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

/// Binds the paper's only number to the only value in its results.
const CLAIMS: &str = "version = 1\n\n[[claim]]\nmacro = \"best\"\nvalue = \"select 100 * (doc ->> '$.accuracy') from \\\"results/run.json\\\"\"\nformat = \"%.1f\"\n";

const BIND: [&str; 8] = [
    "bind",
    "right",
    "--in",
    "main.tex",
    "--text",
    "accuracy of [[84.7]]",
    "--value",
    "select 100 * (doc ->> '$.accuracy') from \"results/run.json\"",
];

pub(crate) const CASES: Cases = Cases {
    helper: "paper_claim_audit",
    project: || {
        let paper = |accuracy: &str| {
            format!(
                "\\documentclass{{article}}\\newcommand{{\\best}}{{{accuracy}}}\\begin{{document}}Our model reaches an accuracy of \\best\\%.\\end{{document}}\n"
            )
        };
        Project::new()
            .file("right/main.tex", paper("84.7"))
            .file("right/claims.toml", CLAIMS)
            .file("right/results/run.json", "{\"accuracy\": 0.8471}\n")
            .file("wrong/main.tex", paper("91.2"))
            .file("wrong/claims.toml", CLAIMS)
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
            what: "bindings that are none",
            args: &["right", "--claims", "bad.toml"],
            code: 4,
        },
        Call {
            what: "bindings that are not there",
            args: &["right", "--claims", "no.toml"],
            code: 3,
        },
        Call {
            what: "an absent paper",
            args: &["nowhere"],
            code: 3,
        },
        Call {
            what: "proposals",
            args: &["suggest", "right"],
            code: 0,
        },
        Call {
            what: "a binding that holds",
            args: &BIND,
            code: 0,
        },
        Call {
            what: "a binding that differs",
            args: &[
                "bind",
                "wrong",
                "--macro",
                "best",
                "--id",
                "another",
                "--value",
                "select 1.5",
            ],
            code: 10,
        },
        Call {
            what: "a binding without its sentence",
            args: &[
                "bind",
                "right",
                "--in",
                "main.tex",
                "--text",
                "recall of [[84.7]]",
                "--value",
                "select 1",
            ],
            code: 4,
        },
        Call {
            what: "macros",
            args: &["emit", "right", "--output", "right/claims.tex"],
            code: 0,
        },
        Call {
            what: "macros that are not current",
            args: &["emit", "right", "--output", "right/claims.tex", "--check"],
            code: 10,
        },
        Call {
            what: "where a number comes from that no recorded run wrote",
            args: &["trace-back", "best", "right"],
            code: 10,
        },
        Call {
            what: "the page for co-authors",
            args: &["show", "wrong", "--html", "paper.html"],
            code: 0,
        },
    ],
    incomplete: &[
        &["right", "--results"],
        &["bind", "right", "--in", "main.tex"],
        &["bind", "right", "--macro", "best"],
        &["emit", "right"],
    ],
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
            what: "a file where the lock of the bindings goes",
            prepare: |project| project.write(".aris", "in the way"),
            args: &BIND,
        },
        Unwritable {
            what: "macros below a file",
            prepare: |project| project.write("file", "in the way"),
            args: &["emit", "right", "--output", "file/claims.tex"],
        },
        Unwritable {
            what: "a page below a file",
            prepare: |project| project.write("file", "in the way"),
            args: &["show", "right", "--html", "file/paper.html"],
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
            path: "claims.toml",
            args: &["right", "--claims", "claims.toml"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
