//! What came back.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::allowance::Allowance;

/// An answer: any status that decides something, with its whole body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The status: 2xx, or a 4xx that is an answer (400, 404, 410, 422 …).
    pub status: u16,
    /// `Content-Type`, without parameters, lower case; empty when there is none.
    pub media_type: String,
    /// The body, whole and decompressed.
    #[serde(skip)]
    pub body: Vec<u8>,
    /// When the host answered.
    pub fetched_at: Timestamp,
    /// What is left of an allowance, where the host says so; the cache does not keep it.
    #[serde(skip)]
    pub allowance: Option<Allowance>,
    /// Whether the cache gave it.
    #[serde(skip)]
    pub cached: bool,
    /// The URL that answered, without secrets.
    pub url: String,
    /// The URL of the next page, as a `Link` header names it.
    #[serde(skip)]
    pub next: Option<String>,
}

impl Response {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the host says that there is no such thing: 404 or 410.
    pub fn is_absence(&self) -> bool {
        matches!(self.status, 404 | 410)
    }

    /// Whether the body is an HTML page, whatever its type says.
    pub(crate) fn is_html(&self) -> bool {
        if self.media_type == "text/html" || self.media_type == "application/xhtml+xml" {
            return true;
        }
        let start = self.body.trim_ascii_start();
        let start = start.get(..14.min(start.len())).unwrap_or_default();
        let start = start.to_ascii_lowercase();
        start == b"<!doctype html" || start.starts_with(b"<html")
    }
}

/// The target of the relation `next` in a `Link` header (RFC 8288): `<url>; rel="next", <url>; rel="last"`.
pub(crate) fn next_of(header: &str) -> Option<String> {
    header.split(',').find_map(|link| {
        let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = parameters.split(';').any(|parameter| {
            parameter.trim().strip_prefix("rel=").is_some_and(|value| {
                value
                    .trim_matches('"')
                    .split(' ')
                    .any(|word| word == "next")
            })
        });
        is_next.then(|| target.to_owned())
    })
}
