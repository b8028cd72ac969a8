//! The services, and the manners each asks for.
//!
//! | host | pace | source of the rule |
//! |---|---|---|
//! | arXiv | 1 request in 3 s, 1 connection, per machine | arXiv API terms of use, "rate limits" |
//! | Crossref | 5 a second, 1 at a time | Crossref REST API documentation, public pool for lists and single records (December 2025) |
//! | DataCite | 5 a second | DataCite REST API documentation: 3,000 requests in 5 minutes; half of that |
//! | DBLP | 1 a second, 1 at a time | DBLP's frequently asked questions on automated queries |
//! | Exa | 5 a second | Exa's documentation, "rate limits": 10 a second for searches; half of that |
//! | OpenAlex | 10 a second | OpenAlex developer documentation, "rate limits and authentication" |
//! | Semantic Scholar | 1 a second | API documentation: 1 request a second with a key; without one all users share a pool, so not faster |

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
    manners_with_key: ONE_IN_THREE_SECONDS,
};

/// arXiv's PDFs and sources. They are the same machines, but a download may last minutes, so it has a pace of its own.
pub static ARXIV_FILES: Host = Host {
    name: "arxiv-files",
    origin: "https://arxiv.org",
    prefix: "",
    base_variable: "ARIS_ARXIV_PDF_BASE_URL",
    key: None,
    manners: ONE_IN_THREE_SECONDS,
    manners_with_key: ONE_IN_THREE_SECONDS,
};

/// Crossref.
pub static CROSSREF: Host = Host {
    name: "crossref",
    origin: "https://api.crossref.org",
    prefix: "",
    base_variable: "ARIS_CROSSREF_BASE_URL",
    key: None,
    manners: every(200, 1),
    manners_with_key: every(200, 1),
};

/// DataCite.
pub static DATACITE: Host = Host {
    name: "datacite",
    origin: "https://api.datacite.org",
    prefix: "",
    base_variable: "ARIS_DATACITE_BASE_URL",
    key: None,
    manners: every(200, 4),
    manners_with_key: every(200, 4),
};

/// DBLP.
pub static DBLP: Host = Host {
    name: "dblp",
    origin: "https://dblp.org",
    prefix: "",
    base_variable: "ARIS_DBLP_BASE_URL",
    key: None,
    manners: every(1000, 1),
    manners_with_key: every(1000, 1),
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
    manners_with_key: every(200, 4),
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
    manners_with_key: every(100, 8),
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
    manners_with_key: every(1000, 2),
};
