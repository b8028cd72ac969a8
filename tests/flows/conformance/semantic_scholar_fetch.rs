//! Cases of `semantic_scholar_fetch`. None reaches the network.

use super::cases::{Call, Cases, Hostile};
use super::kept::kept;

/// The cached answer.
const ANSWER: &str = r#"{"paperId":"204e3073870fae3d05bcbc2f6a8e263d9b72e776","title":"Attention is All you Need","year":2017,"authors":[{"authorId":"1","name":"Ashish Vaswani"}]}"#;

/// Path of the cached answer, and the line that describes it.
const PLACE: &str = "cache/http/v1/semantic-scholar/1a/d5b38fc76e9c4f5d23171ba1f808036891bda13091ffcec0efa7e8515009a6";
const HEAD: &str = r#"{"method":"GET","url":"https://api.semanticscholar.org/graph/v1/paper/DOI:10.1000/1?fields=paperId%2Ctitle%2Cabstract%2Cyear%2Cvenue%2Cjournal%2CpublicationVenue%2CpublicationTypes%2CpublicationDate%2Curl%2CopenAccessPdf%2Cauthors%2CexternalIds%2CcitationCount%2CreferenceCount%2CfieldsOfStudy%2Cs2FieldsOfStudy%2Ctldr","status":200,"media_type":"application/json","fetched_at":"2026-11-20T10:00:00Z","sha256":"64fb024fb6b0eb39c6208397ae8242fd3fc254ac6419d6411076d9ed1912bc48"}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "semantic_scholar_fetch",
    project: || {
        kept(PLACE, HEAD, ANSWER)
            .file("ids.txt", "10.1000/1\n")
            .file("bad.txt", "10.1000/1\nfoo\n")
    },
    calls: &[
        Call {
            what: "an answer that was kept",
            args: &["paper", "10.1000/1", "--offline"],
            code: 0,
        },
        Call {
            what: "a name that can be none",
            args: &["paper", "attention is all you need"],
            code: 2,
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
        Call {
            what: "a list with a line that names no paper",
            args: &["batch", "--input", "bad.txt", "--offline"],
            code: 4,
        },
    ],
    incomplete: &[
        &[],
        &["search"],
        &["paper"],
        &["batch"],
        &["search", "x", "--year", "abc", "--offline"],
        &["search-bulk", "x", "--sort", "foo", "--offline"],
    ],
    open_ended: false,
    unwritable: &[],
    hostile: &[
        Hostile {
            path: PLACE,
            args: &["paper", "10.1000/1", "--offline"],
            huge: 7,
            fifo: 7,
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
