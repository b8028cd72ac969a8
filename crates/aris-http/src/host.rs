//! Descriptions of outside services: their addresses, and how they want to be asked.

use std::time::Duration;

/// A service that can be asked.
#[derive(Debug, PartialEq, Eq)]
pub struct Host {
    /// Short name, `arxiv`: for messages, and for the file names of pace, circuit and cache.
    pub name: &'static str,
    /// Scheme and authority, `https://export.arxiv.org`.
    pub origin: &'static str,
    /// The path prefix of its API, `/api`; empty when there is none. A base URL that overrides it may include the prefix or not.
    pub prefix: &'static str,
    /// Environment variable with another base URL.
    pub base_variable: &'static str,
    /// For a service that takes an API key: its environment variable, and how it is sent.
    pub key: Option<(&'static str, KeySent)>,
    /// Manners for unknown callers.
    pub manners: Manners,
    /// Manners for known callers: those with a key or, if the service takes none, with a contact address.
    pub manners_known: Manners,
    /// Further statuses, besides 429 and 5xx, that mean "not now".
    pub later: &'static [u16],
}

impl Host {
    /// A service without a key, with the same manners for everybody, and with its API at the root.
    pub const fn new(
        name: &'static str,
        origin: &'static str,
        base_variable: &'static str,
        manners: Manners,
    ) -> Self {
        Self {
            name,
            origin,
            prefix: "",
            base_variable,
            key: None,
            manners,
            manners_known: manners,
            later: &[],
        }
    }

    /// The service with an API key from this environment variable.
    #[must_use]
    pub const fn key(self, variable: &'static str, sent: KeySent) -> Self {
        let key = Some((variable, sent));
        Self { key, ..self }
    }
}

/// How a key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySent {
    /// As the value of this header.
    Header(&'static str),
    /// As `Authorization: Bearer …`.
    Bearer,
    /// As this query parameter. It is added when the request is sent, and is not part of cache names or messages.
    Query(&'static str),
}

/// Limits that a service sets for its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manners {
    /// Time between the starts of two requests, over all processes of this user on this machine.
    pub interval: Duration,
    /// Concurrent requests in one process.
    pub connections: usize,
    /// One request at a time over all processes: the next one begins when the last one has ended.
    pub exclusive: bool,
}

impl Manners {
    /// One request per so many milliseconds, over so many connections.
    pub const fn every(milliseconds: u64, connections: usize) -> Self {
        Self {
            interval: Duration::from_millis(milliseconds),
            connections,
            exclusive: false,
        }
    }
}
