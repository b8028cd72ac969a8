//! Cases of `arxiv_fetch`. None reaches the network.

use super::cases::{Call, Cases, Hostile, Unwritable};
use super::kept::kept;

const FEED: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<opensearch:totalResults>1</opensearch:totalResults><opensearch:startIndex>0</opensearch:startIndex>
<entry><id>http://arxiv.org/abs/1706.03762v7</id><title>Attention Is All You Need</title><published>2017-06-12T17:57:34Z</published>
<updated>2023-08-02T00:41:18Z</updated><summary>Sequences.</summary><author><name>Ashish Vaswani</name></author></entry></feed>"#;

/// Path of the cached answer, and the line that describes it.
const PLACE: &str =
    "cache/http/v1/arxiv/99/a9a1114d2d0616e4c1567e1bbaeb922ce3826e09e756e4286395624e538f80";
const HEAD: &str = r#"{"method":"GET","url":"https://export.arxiv.org/api/query?search_query=attention&start=0&max_results=10&sortBy=relevance&sortOrder=descending","status":200,"media_type":"application/atom+xml","fetched_at":"2026-11-20T10:00:00Z","sha256":"d28c558c666010a46baca5dd576b09a4e99e637478fd0cf6c6b5f93ee1bd9644"}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "arxiv_fetch",
    project: || {
        kept(PLACE, HEAD, FEED)
            .file("papers/2301.07041.pdf", "%PDF-1.5\n")
            .file("papers/2301.07042.pdf", "not a PDF")
    },
    calls: &[
        Call {
            what: "an answer that was kept",
            args: &["search", "attention", "--offline"],
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
    incomplete: &[&[], &["search"], &["download"]],
    open_ended: false,
    unwritable: &[Unwritable {
        what: "a file where the folder goes",
        prepare: |project| project.write("other", "in the way"),
        args: &["download", "2301.07043", "--dir", "other", "--offline"],
    }],
    hostile: &[
        Hostile {
            path: PLACE,
            args: &["search", "attention", "--offline"],
            huge: 7,
            fifo: 7,
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
