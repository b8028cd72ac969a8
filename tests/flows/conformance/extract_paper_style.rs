//! Cases of `extract_paper_style`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const PAPER: &str = "\\documentclass{article}\\begin{document}\\section{Introduction}One sentence here.\\end{document}";

pub(crate) const CASES: Cases = Cases {
    helper: "extract_paper_style",
    project: || {
        Project::new()
            .file("ref/main.tex", PAPER)
            .file("two/a.tex", PAPER)
            .file("two/b.tex", PAPER)
            .file("top1.csv", "method,top1\nours,84.61\n")
    },
    calls: &[
        Call {
            what: "a folder",
            args: &["--source", "ref", "--output", "styles"],
            code: 0,
        },
        Call {
            what: "a file",
            args: &["--source", "two/a.tex", "--output", "styles"],
            code: 0,
        },
        Call {
            what: "a table of results",
            args: &["--source", "top1.csv", "--output", "styles"],
            code: 4,
        },
        Call {
            what: "an identifier that cannot exist",
            args: &["--source", "arxiv:2413.00001"],
            code: 2,
        },
        Call {
            what: "an absent paper",
            args: &["--source", "absent"],
            code: 3,
        },
        Call {
            what: "two papers",
            args: &["--source", "two", "--output", "styles"],
            code: 0,
        },
        Call {
            what: "a project on Overleaf",
            args: &["--source", "https://www.overleaf.com/project/1"],
            code: 4,
        },
        Call {
            what: "a paper that nobody asked for before",
            args: &[
                "--source",
                "arxiv:2301.00001",
                "--offline",
                "--output",
                "styles",
            ],
            code: 7,
        },
    ],
    incomplete: &[&[], &["--source"]],
    open_ended: false,
    unwritable: &[Unwritable {
        what: "a file where the cache goes",
        prepare: |project| project.write("styles", "in the way"),
        args: &["--source", "ref", "--output", "styles"],
    }],
    hostile: &[Hostile {
        path: "ref/main.tex",
        args: &["--source", "ref/main.tex", "--output", "styles"],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: None,
};
