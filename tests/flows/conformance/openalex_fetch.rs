//! Cases of `openalex_fetch`. None reaches the network.

use super::cases::{Call, Cases, Hostile};
use super::kept::kept;

/// The cached answer.
const ANSWER: &str = r#"{"id":"https://openalex.org/W2741809807","doi":"https://doi.org/10.7717/peerj.4375","title":"The state of OA","publication_year":2018,"authorships":[{"author":{"display_name":"Heather Piwowar"}}]}"#;

/// Path of the cached answer, and the line that describes it.
const PLACE: &str =
    "cache/http/v1/openalex/1a/ed9b6e0b9487ef0d0ec3fbfe758448b014921351f92c4715ee1cdbc8ce4ba3";
const HEAD: &str = r#"{"method":"GET","url":"https://api.openalex.org/works/W2741809807","status":200,"media_type":"application/json","fetched_at":"2026-11-20T10:00:00Z","sha256":"1fa2d40071b05e1a063e96094701ac01ef345eb3df8905ed5c6188ae9a0bc1b8"}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "openalex_fetch",
    project: || kept(PLACE, HEAD, ANSWER),
    calls: &[
        Call {
            what: "an answer that was kept",
            args: &["work", "W2741809807", "--offline"],
            code: 0,
        },
        Call {
            what: "a name that can be none",
            args: &["work", "attention is all you need"],
            code: 2,
        },
        Call {
            what: "a search that nobody made before",
            args: &["search", "conformance without network", "--offline"],
            code: 7,
        },
    ],
    incomplete: &[&[], &["search"], &["work"]],
    open_ended: false,
    unwritable: &[],
    hostile: &[Hostile {
        path: PLACE,
        args: &["work", "W2741809807", "--offline"],
        huge: 7,
        fifo: 7,
    }],
    repeat_adds: None,
};
