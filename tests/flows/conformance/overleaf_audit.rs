//! Cases of `overleaf_audit`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

pub(crate) const CASES: Cases = Cases {
    helper: "overleaf_audit",
    project: || {
        // Concatenated here, so that no file of the project contains a token.
        let token = ["olp", "_", "0123456789abcdefghij0123"].concat();
        Project::bare()
            .file("paper/main.tex", "\\documentclass{article}\n")
            .file("leaky/.env", format!("TOKEN={token}\n"))
    },
    calls: &[
        Call {
            what: "a clean folder",
            args: &["paper"],
            code: 0,
        },
        Call {
            what: "a leak",
            args: &["leaky"],
            code: 10,
        },
        Call {
            what: "a leak, for an older caller",
            args: &["leaky", "--compat"],
            code: 1,
        },
        Call {
            what: "no such folder",
            args: &["nowhere"],
            code: 3,
        },
        Call {
            what: "a file in the place of a folder",
            args: &["paper/main.tex"],
            code: 4,
        },
    ],
    incomplete: &[&["--timeout"], &["--timeout", "0"], &["paper", "more"]],
    open_ended: false,
    unwritable: &[],
    hostile: &[Hostile {
        path: "paper/main.tex",
        args: &["paper"],
        huge: 5,
        fifo: 0,
    }],
    repeat_adds: None,
};
