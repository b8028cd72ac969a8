//! Cases of `exa_search`. None reaches the network.

use super::cases::{Call, Cases, Hostile};
use super::kept::kept;

/// The cached answer.
const ANSWER: &str = r#"{"results":[{"id":"1","title":"Attention","url":"https://example.com/"}]}"#;

/// Path of the cached answer, and the line that describes it.
const PLACE: &str =
    "cache/http/v1/exa/12/5a1fe27989ecba24c7fe6dc0891156a75d5e2446c658a1bdcce52a886171d2";
const HEAD: &str = r#"{"method":"POST","url":"https://api.exa.ai/contents","status":200,"media_type":"application/json","fetched_at":"2026-11-20T10:00:00Z","sha256":"9a1abb72d8b43d7021a0068f54730b5c9b90b843b6f92d356b5ea52c8f895eff"}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "exa_search",
    project: || kept(PLACE, HEAD, ANSWER),
    calls: &[
        Call {
            what: "an answer that was kept",
            args: &[
                "get-contents",
                "https://example.com/",
                "--content",
                "none",
                "--offline",
            ],
            code: 0,
        },
        Call {
            what: "a wrong argument",
            args: &["get-contents", "not an address"],
            code: 2,
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
    incomplete: &[&[], &["search"], &["find-similar"], &["get-contents"]],
    open_ended: false,
    unwritable: &[],
    hostile: &[Hostile {
        path: PLACE,
        args: &[
            "get-contents",
            "https://example.com/",
            "--content",
            "none",
            "--offline",
        ],
        huge: 7,
        fifo: 7,
    }],
    repeat_adds: None,
};
