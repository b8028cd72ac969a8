//! Cases of `semantic_scholar_fetch`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

const ANSWER: &str = r#"{"total":1,"offset":0,"data":[{"paperId":"204e3073870fae3d05bcbc2f6a8e263d9b72e776","title":"Attention is All you Need","year":2017,"authors":[{"authorId":"1","name":"Ashish Vaswani"}]}]}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "semantic_scholar_fetch",
    project: || {
        Project::new()
            .file("answer.json", ANSWER)
            .file("empty.json", r#"{"total":0,"offset":0}"#)
            .file("page.json", "<html><body>Please wait</body></html>")
            .file("ids.txt", "10.1000/1\n")
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
            args: &["paper", "attention is all you need"],
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
            what: "a search through everything that nobody made before",
            args: &["search-bulk", "conformance without network", "--offline"],
            code: 7,
        },
        Call {
            what: "citations that nobody asked for before",
            args: &["citations", "10.1000/1", "--offline"],
            code: 7,
        },
        Call {
            what: "references that nobody asked for before",
            args: &["references", "10.1000/1", "--offline"],
            code: 7,
        },
        Call {
            what: "a title that nobody looked for before",
            args: &["match", "conformance without network", "--offline"],
            code: 7,
        },
        Call {
            what: "papers that nobody looked up before",
            args: &["batch", "--input", "ids.txt", "--offline"],
            code: 7,
        },
    ],
    incomplete: &[&[], &["search"], &["paper"], &["batch"], &["read"]],
    open_ended: false,
    unwritable: &[],
    hostile: &[
        Hostile {
            path: "answer.json",
            args: &["read", "answer.json"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "ids.txt",
            args: &["batch", "--input", "ids.txt", "--offline"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
