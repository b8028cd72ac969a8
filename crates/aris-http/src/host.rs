//! Outside services as this crate sees them: where they are, and how they want to be asked.

use std::time::Duration;

/// A service that can be asked.
#[derive(Debug, PartialEq, Eq)]
pub struct Host {
    /// Short name, `arxiv`: for messages, and for the file names of pace, circuit and cache.
    pub name: &'static str,
    /// Scheme and authority, `https://export.arxiv.org`.
    pub origin: &'static str,
    /// The path prefix of its API, `/api`; empty when there is none. An overriding base URL may carry it or not.
    pub prefix: &'static str,
    /// Environment variable that names another base URL.
    pub base_variable: &'static str,
    /// For a service that takes a key: the environment variable that it is read from, and how it is sent.
    pub key: Option<(&'static str, KeySent)>,
    /// How it wants to be asked by strangers.
    pub manners: Manners,
    /// How it wants to be asked by those it knows: with a key or, where it takes none, with a contact address.
    pub manners_known: Manners,
    /// Statuses besides 429 and 5xx that say "not now".
    pub later: &'static [u16],
}

impl Host {
    /// A service that takes no key, asks the same of everybody, and has its API at its root.
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

    /// The same with a key from this environment variable.
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
    /// As this query parameter, which is added when the request leaves and is part of no name and no message.
    Query(&'static str),
}

/// How a service wants to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manners {
    /// Time between the beginnings of two requests, over all processes of this user on this machine.
    pub interval: Duration,
    /// Requests under way at once in one process.
    pub connections: usize,
    /// One request at a time over all processes: the next one begins when the last one has ended.
    pub exclusive: bool,
}

impl Manners {
    /// A request in so many milliseconds, over so many connections.
    pub const fn every(milliseconds: u64, connections: usize) -> Self {
        Self {
            interval: Duration::from_millis(milliseconds),
            connections,
            exclusive: false,
        }
    }
}
