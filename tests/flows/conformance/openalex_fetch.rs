//! Cases of `openalex_fetch`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

const ANSWER: &str = r#"{"meta":{"count":1,"page":1},"results":[{"id":"https://openalex.org/W2741809807","doi":"https://doi.org/10.7717/peerj.4375","title":"The state of OA","publication_year":2018,"authorships":[{"author":{"display_name":"Heather Piwowar"}}]}]}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "openalex_fetch",
    project: || {
        Project::new()
            .file("answer.json", ANSWER)
            .file(
                "empty.json",
                r#"{"meta":{"count":0,"page":1},"results":[]}"#,
            )
            .file("page.json", "<html><body>Please wait</body></html>")
    },
    calls: &[
        Call {
            what: "a saved answer",
            args: &["read", "answer.json"],
            code: 0,
        },
        Call {
            what: "a saved answer without results",
            args: &["read", "empty.json"],
            code: 0,
        },
        Call {
            what: "a name that can be none",
            args: &["work", "attention is all you need"],
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
    ],
    incomplete: &[&[], &["search"], &["work"], &["read"]],
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
