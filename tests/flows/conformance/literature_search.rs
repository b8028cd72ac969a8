//! Cases of `literature_search`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

const ANSWER: &str = r#"{"title":"Attention","origins":[]}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "literature_search",
    project: || {
        Project::new()
            .file("answer.json", ANSWER)
            .file("page.json", "<html><body>Please wait</body></html>")
    },
    calls: &[
        Call {
            what: "a saved answer",
            args: &["merge", "answer.json"],
            code: 0,
        },
        Call {
            what: "a wrong argument",
            args: &["aggregate", "words", "--sources", "nowhere"],
            code: 2,
        },
        Call {
            what: "an absent answer",
            args: &["merge", "absent.json"],
            code: 3,
        },
        Call {
            what: "a page instead of an answer",
            args: &["merge", "page.json"],
            code: 4,
        },
        Call {
            what: "a search that nobody made before",
            args: &["aggregate", "conformance without network", "--offline"],
            code: 7,
        },
        Call {
            what: "a search of one source after the other that nobody made before",
            args: &["cascade", "conformance without network", "--offline"],
            code: 7,
        },
    ],
    incomplete: &[&[], &["aggregate"], &["cascade"], &["merge"]],
    open_ended: true,
    unwritable: &[],
    hostile: &[Hostile {
        path: "answer.json",
        args: &["merge", "answer.json"],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: None,
};
