//! The services and their manners.
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

use aris_http::{Host, KeySent, Manners};

const ONE_IN_THREE_SECONDS: Manners = Manners {
    exclusive: true,
    ..Manners::every(3000, 1)
};

/// arXiv's Atom interface.
pub static ARXIV: Host = Host {
    prefix: "/api",
    ..Host::new(
        "arxiv",
        "https://export.arxiv.org",
        "ARIS_ARXIV_BASE_URL",
        ONE_IN_THREE_SECONDS,
    )
};

/// arXiv's PDFs and sources. The machines are the same, but a download may take minutes, so it has its own pace.
pub static ARXIV_FILES: Host = Host::new(
    "arxiv-files",
    "https://arxiv.org",
    "ARIS_ARXIV_PDF_BASE_URL",
    ONE_IN_THREE_SECONDS,
);

/// Crossref.
pub static CROSSREF: Host = Host {
    manners_known: Manners::every(100, 3),
    ..Host::new(
        "crossref",
        "https://api.crossref.org",
        "ARIS_CROSSREF_BASE_URL",
        Manners::every(200, 1),
    )
};

/// A list uses five intervals of the pace: 1 list a second in the public pool, 2 in the polite one, which allows 3.
pub const CROSSREF_LIST_SLOTS: u32 = 5;

/// DataCite.
pub static DATACITE: Host = Host {
    manners_known: Manners::every(300, 2),
    ..Host::new(
        "datacite",
        "https://api.datacite.org",
        "ARIS_DATACITE_BASE_URL",
        Manners::every(600, 2),
    )
};

/// DBLP.
pub static DBLP: Host = Host::new(
    "dblp",
    "https://dblp.org",
    "ARIS_DBLP_BASE_URL",
    Manners::every(2000, 1),
);

/// Exa; all its requests need a key.
pub static EXA: Host = Host::new(
    "exa",
    "https://api.exa.ai",
    "ARIS_EXA_BASE_URL",
    Manners::every(200, 4),
)
.key("EXA_API_KEY", KeySent::Bearer);

/// OpenAlex.
pub static OPENALEX: Host = Host {
    // **Source**: OpenAlex, "Rate limits": 403 and 429 both say that the allowance is used up.
    later: &[403],
    ..Host::new(
        "openalex",
        "https://api.openalex.org",
        "ARIS_OPENALEX_BASE_URL",
        Manners::every(100, 8),
    )
    .key("OPENALEX_API_KEY", KeySent::Query("api_key"))
};

/// Semantic Scholar's graph.
pub static SEMANTIC_SCHOLAR: Host = Host {
    prefix: "/graph/v1",
    ..Host::new(
        "semantic-scholar",
        "https://api.semanticscholar.org",
        "ARIS_S2_BASE_URL",
        Manners::every(1000, 2),
    )
    .key("SEMANTIC_SCHOLAR_API_KEY", KeySent::Header("x-api-key"))
};
