//! Cases of `deepxiv_fetch`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

const ANSWER: &str = r#"{"results":[{"arxiv_id":"1706.03762","title":"Attention"}]}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "deepxiv_fetch",
    project: || {
        Project::new()
            .file("answer.json", ANSWER)
            .file("page.json", "<html><body>Please wait</body></html>")
    },
    calls: &[
        Call {
            what: "a saved answer",
            args: &["read", "answer.json"],
            code: 0,
        },
        Call {
            what: "a wrong argument",
            args: &["paper-brief", "2413.00001"],
            code: 2,
        },
        Call {
            what: "an absent answer",
            args: &["read", "absent.json"],
            code: 3,
        },
        Call {
            what: "a page instead of an answer",
            args: &["read", "page.json"],
            code: 4,
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
    incomplete: &[
        &[],
        &["search"],
        &["paper-section", "1706.03762"],
        &["read"],
    ],
    open_ended: false,
    unwritable: &[],
    hostile: &[Hostile {
        path: "answer.json",
        args: &["read", "answer.json"],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: None,
};
