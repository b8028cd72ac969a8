//! Cases of `check_source_facts`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

pub(crate) const CASES: Cases = Cases {
    helper: "check_source_facts",
    project: || {
        Project::new()
            .file("same/note.md", "no recording\n")
            .file("new/semantic_scholar_batch.json", "[null, null]")
    },
    calls: &[
        Call {
            what: "its own recordings",
            args: &["--offline"],
            code: 0,
        },
        Call {
            what: "a folder without recordings",
            args: &["--answers", "same"],
            code: 0,
        },
        Call {
            what: "a recording that says otherwise",
            args: &["--answers", "new"],
            code: 10,
        },
        Call {
            what: "live and offline",
            args: &["--live", "--offline"],
            code: 2,
        },
        Call {
            what: "an absent folder",
            args: &["--answers", "absent"],
            code: 3,
        },
    ],
    incomplete: &[&["--answers"], &["--deadline"]],
    open_ended: false,
    unwritable: &[],
    hostile: &[Hostile {
        path: "new/semantic_scholar_batch.json",
        args: &["--answers", "new"],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: None,
};
