//! Responses.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An answer: any final status, with its whole body.
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
    /// The remaining allowance, if the host states it; not stored in the cache.
    #[serde(skip)]
    pub allowance: Option<Allowance>,
    /// Whether it says "not now": 429, 5xx, and 403 that names a time.
    #[serde(skip)]
    pub later: bool,
    /// The URL that answered, without secrets.
    pub url: String,
    /// The URL of the next page, from the `Link` header.
    #[serde(skip)]
    pub next: Option<String>,
}

impl Response {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the host says that the thing does not exist: 404 or 410.
    pub fn is_absence(&self) -> bool {
        matches!(self.status, 404 | 410)
    }

    /// A part of this answer that is an answer of its own.
    #[must_use]
    pub fn part(&self, status: u16, body: Vec<u8>) -> Self {
        Self {
            status,
            media_type: self.media_type.clone(),
            body,
            fetched_at: self.fetched_at,
            url: self.url.clone(),
            ..Self::default()
        }
    }

    /// Whether the body is an HTML page, whatever its media type.
    pub(crate) fn is_html(&self) -> bool {
        let start = self.body.trim_ascii_start().iter().take(16);
        let start: Vec<u8> = start.map(u8::to_ascii_lowercase).collect();
        matches!(&*self.media_type, "text/html" | "application/xhtml+xml")
            || start.starts_with(b"<!doctype html")
            || start.starts_with(b"<html")
    }
}

/// What an answer says about the allowance that paid for it, in dollars.
///
/// **Source**: OpenAlex, "Authentication & Pricing" (developers.openalex.org/api-reference/authentication).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// What is left of the daily allowance and of paid credit.
    pub left: f64,
    /// What this request cost, or would have cost.
    pub cost: f64,
    /// Time until midnight UTC, when the daily allowance is renewed.
    pub reset: Duration,
}

impl Allowance {
    /// Parses it from headers, which `header` looks up by lower-case name.
    pub fn of<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let number = |name| -> Option<f64> { header(name)?.trim().parse().ok() };
        let paid = number("x-ratelimit-prepaid-remaining-usd").unwrap_or_default();
        let cost = number("x-ratelimit-cost-usd")
            .or_else(|| number("x-ratelimit-cost-required-usd"))
            .unwrap_or_default();
        let reset: u32 = header("x-ratelimit-reset")?.trim().parse().ok()?;
        Some(Self {
            left: number("x-ratelimit-remaining-usd")? + paid,
            cost,
            reset: Duration::from_secs(reset.into()),
        })
    }

    /// Whether it cannot pay for another request like this one.
    pub(crate) fn is_spent(self) -> bool {
        self.left <= 0.0 || self.left < self.cost
    }
}

/// The target of the relation `next` in a `Link` header (RFC 8288): `<url>; rel="next", <url>; rel="last"`.
pub(crate) fn next_of(header: &str) -> Option<String> {
    header.split(',').find_map(|link| {
        let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
        let mut parameters = parameters.split(';').map(str::trim);
        let words = parameters.find_map(|parameter| parameter.strip_prefix("rel="))?;
        let mut words = words.trim_matches('"').split(' ');
        words.any(|word| word == "next").then(|| target.to_owned())
    })
}
