//! Cases of `exa_search`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

const ANSWER: &str =
    r#"{"results":[{"id":"1","title":"Attention","url":"https://arxiv.org/abs/1706.03762"}]}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "exa_search",
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
            args: &["get-contents", "not an address"],
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
            what: "a search that nobody made before",
            args: &["search", "conformance without network", "--offline"],
            code: 7,
        },
        Call {
            what: "pages like a page that nobody asked about before",
            args: &[
                "find-similar",
                "https://example.com/conformance",
                "--offline",
            ],
            code: 7,
        },
    ],
    incomplete: &[
        &[],
        &["search"],
        &["find-similar"],
        &["get-contents"],
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
