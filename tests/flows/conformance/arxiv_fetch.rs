//! Cases of `arxiv_fetch`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const FEED: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<opensearch:totalResults>1</opensearch:totalResults><opensearch:startIndex>0</opensearch:startIndex>
<entry><id>http://arxiv.org/abs/1706.03762v7</id><title>Attention Is All You Need</title><published>2017-06-12T17:57:34Z</published>
<updated>2023-08-02T00:41:18Z</updated><summary>Sequences.</summary><author><name>Ashish Vaswani</name></author></entry></feed>"#;

pub(crate) const CASES: Cases = Cases {
    helper: "arxiv_fetch",
    project: || {
        Project::new()
            .file("answer.xml", FEED)
            .file("page.xml", "<html><body>Please wait</body></html>")
            .file("papers/2301.07041.pdf", "%PDF-1.5\n")
            .file("papers/2301.07042.pdf", "not a PDF")
    },
    calls: &[
        Call {
            what: "a saved answer",
            args: &["read", "answer.xml"],
            code: 0,
        },
        Call {
            what: "a file that is there",
            args: &["download", "2301.07041"],
            code: 0,
        },
        Call {
            what: "an identifier that cannot exist",
            args: &["download", "2413.00001"],
            code: 2,
        },
        Call {
            what: "an absent answer",
            args: &["read", "absent.xml"],
            code: 3,
        },
        Call {
            what: "a page instead of an answer",
            args: &["read", "page.xml"],
            code: 4,
        },
        Call {
            what: "something else in the file's place",
            args: &["download", "2301.07042"],
            code: 4,
        },
        Call {
            what: "a search that nobody made before",
            args: &["search", "conformance without network", "--offline"],
            code: 7,
        },
    ],
    incomplete: &[&[], &["search"], &["download"], &["read"]],
    open_ended: false,
    unwritable: &[Unwritable {
        what: "a file where the folder goes",
        prepare: |project| project.write("other", "in the way"),
        args: &["download", "2301.07043", "--dir", "other", "--offline"],
    }],
    hostile: &[
        Hostile {
            path: "answer.xml",
            args: &["read", "answer.xml"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "papers/2301.07041.pdf",
            args: &["download", "2301.07041"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
