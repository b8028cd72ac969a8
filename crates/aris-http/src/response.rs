//! What came back.

use jiff::Timestamp;

use crate::allowance::Allowance;

/// An answer: any status that decides something, with its whole body.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The status: 2xx, or a 4xx that is an answer (400, 404, 410, 422 …).
    pub status: u16,
    /// `Content-Type`, without parameters, lower case; empty when there is none.
    pub media_type: String,
    /// The body, whole and decompressed.
    pub body: Vec<u8>,
    /// When the host answered.
    pub fetched_at: Timestamp,
    /// What is left of an allowance, where the host says so; the cache does not keep it.
    pub allowance: Option<Allowance>,
    /// Whether the cache gave it.
    pub cached: bool,
    /// The URL that answered, without secrets.
    pub url: String,
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
        let begins = |word: &[u8]| {
            start
                .get(..word.len())
                .is_some_and(|piece| piece.eq_ignore_ascii_case(word))
        };
        begins(b"<!doctype html") || begins(b"<html")
    }
}
