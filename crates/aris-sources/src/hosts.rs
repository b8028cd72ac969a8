//! The services, and the manners each asks for.
//!
//! | host | pace | what the service says, read in November 2026 |
//! |---|---|---|
//! | arXiv | 1 request in 3 s, 1 connection, per machine | the same, over all machines of a user: info.arxiv.org/help/api/tou.html |
//! | Crossref | 5 a second, lists 1 a second, 1 at a time; with a contact 10, 2 and 3 | public pool 5 a second for one record, 1 a second for lists, 1 at a time; polite pool 10, 3 and 3 (since December 2025): crossref.org, REST API, "Access and authentication" |
//! | DataCite | 5 in 3 s; with a contact 10 | without a contact 500 in 5 minutes, with one 1,000: support.datacite.org/docs/rate-limit |
//! | DBLP | 1 in 2 s, 1 at a time | "at least one or two seconds" between two requests: dblp.org/faq/1474706.html |
//! | Exa | 5 a second | 10 a second for searches, 100 for contents: exa.ai/docs/reference/rate-limits; half of that, as other programs use the key too |
//! | OpenAlex | 10 a second | 100 a second, and an allowance for each day: developers.openalex.org/api-reference/authentication |
//! | Semantic Scholar | 1 a second | with a key 1 a second; without one all users share a pool, so not faster: semanticscholar.org/product/api |
//!
//! A contact address (`ARIS_CONTACT_EMAIL`) goes into the user agent, where Crossref and DataCite read it.

use std::time::Duration;

use aris_http::{Host, KeyPlace, KeySent, Manners};

const fn every(milliseconds: u64, connections: usize) -> Manners {
    Manners {
        interval: Duration::from_millis(milliseconds),
        connections,
        exclusive: false,
    }
}

const ONE_IN_THREE_SECONDS: Manners = Manners {
    interval: Duration::from_secs(3),
    connections: 1,
    exclusive: true,
};

/// arXiv's Atom interface.
pub static ARXIV: Host = Host {
    name: "arxiv",
    origin: "https://export.arxiv.org",
    prefix: "/api",
    base_variable: "ARIS_ARXIV_BASE_URL",
    key: None,
    manners: ONE_IN_THREE_SECONDS,
    manners_known: ONE_IN_THREE_SECONDS,
    later: &[],
};

/// arXiv's PDFs and sources. They are the same machines, but a download may last minutes, so it has a pace of its own.
pub static ARXIV_FILES: Host = Host {
    name: "arxiv-files",
    origin: "https://arxiv.org",
    prefix: "",
    base_variable: "ARIS_ARXIV_PDF_BASE_URL",
    key: None,
    manners: ONE_IN_THREE_SECONDS,
    manners_known: ONE_IN_THREE_SECONDS,
    later: &[],
};

/// Crossref.
pub static CROSSREF: Host = Host {
    name: "crossref",
    origin: "https://api.crossref.org",
    prefix: "",
    base_variable: "ARIS_CROSSREF_BASE_URL",
    key: None,
    manners: every(200, 1),
    manners_known: every(100, 3),
    later: &[],
};

/// A list takes as long as five records: 1 a second in the public pool, 2 in the polite one, which allows 3.
pub const CROSSREF_LIST_SLOTS: u32 = 5;

/// DataCite.
pub static DATACITE: Host = Host {
    name: "datacite",
    origin: "https://api.datacite.org",
    prefix: "",
    base_variable: "ARIS_DATACITE_BASE_URL",
    key: None,
    manners: every(600, 2),
    manners_known: every(300, 2),
    later: &[],
};

/// DBLP.
pub static DBLP: Host = Host {
    name: "dblp",
    origin: "https://dblp.org",
    prefix: "",
    base_variable: "ARIS_DBLP_BASE_URL",
    key: None,
    manners: every(2000, 1),
    manners_known: every(2000, 1),
    later: &[],
};

/// Exa, which takes no request without a key.
pub static EXA: Host = Host {
    name: "exa",
    origin: "https://api.exa.ai",
    prefix: "",
    base_variable: "ARIS_EXA_BASE_URL",
    key: Some(KeyPlace {
        variable: "EXA_API_KEY",
        sent: KeySent::Bearer,
    }),
    manners: every(200, 4),
    manners_known: every(200, 4),
    later: &[],
};

/// OpenAlex.
pub static OPENALEX: Host = Host {
    name: "openalex",
    origin: "https://api.openalex.org",
    prefix: "",
    base_variable: "ARIS_OPENALEX_BASE_URL",
    key: Some(KeyPlace {
        variable: "OPENALEX_API_KEY",
        sent: KeySent::Query("api_key"),
    }),
    manners: every(100, 8),
    manners_known: every(100, 8),
    // **Source**: OpenAlex, "Rate limits": 403 and 429 both say that the allowance is used up.
    later: &[403],
};

/// Semantic Scholar's graph.
pub static SEMANTIC_SCHOLAR: Host = Host {
    name: "semantic-scholar",
    origin: "https://api.semanticscholar.org",
    prefix: "/graph/v1",
    base_variable: "ARIS_S2_BASE_URL",
    key: Some(KeyPlace {
        variable: "SEMANTIC_SCHOLAR_API_KEY",
        sent: KeySent::Header("x-api-key"),
    }),
    manners: every(1000, 2),
    manners_known: every(1000, 2),
    later: &[],
};
