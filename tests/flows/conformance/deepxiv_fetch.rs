//! Cases of `deepxiv_fetch`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

/// A replacement for the installed program.
const PROGRAM: &str =
    "#!/bin/sh\necho '{\"results\":[{\"arxiv_id\":\"1706.03762\",\"title\":\"Attention\"}]}'\n";

pub(crate) const CASES: Cases = Cases {
    helper: "deepxiv_fetch",
    project: || {
        let project = Project::new().file("bin/deepxiv", PROGRAM);
        project.mode("bin/deepxiv", 0o755);
        project
    },
    calls: &[
        Call {
            what: "an answer of the program",
            args: &["search", "attention"],
            code: 0,
        },
        Call {
            what: "a wrong argument",
            args: &["paper-brief", "2413.00001"],
            code: 2,
        },
        Call {
            what: "no words to search for",
            args: &["search", ""],
            code: 2,
        },
        Call {
            what: "a head of a paper that cannot exist",
            args: &["paper-head", "2413.00001"],
            code: 2,
        },
        Call {
            what: "a section without a name",
            args: &["paper-section", "1706.03762", ""],
            code: 2,
        },
        Call {
            what: "days that nobody counts",
            args: &["trending", "--days", "8"],
            code: 2,
        },
        Call {
            what: "no words to search the web for",
            args: &["wsearch", ""],
            code: 2,
        },
        Call {
            what: "a paper without a name",
            args: &["sc", ""],
            code: 2,
        },
        Call {
            what: "health in no time",
            args: &["health", "--deadline", "0"],
            code: 2,
        },
    ],
    incomplete: &[&[], &["search"], &["paper-section", "1706.03762"]],
    open_ended: false,
    unwritable: &[],
    hostile: &[Hostile {
        path: "bin/deepxiv",
        args: &["search", "attention"],
        huge: 5,
        fifo: 5,
    }],
    repeat_adds: None,
};
