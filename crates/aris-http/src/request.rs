//! Requests.

use std::fmt::Write as _;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ureq::http::Method;

use crate::error::{HttpError, Why};
use crate::host::Host;
use crate::response::Response;

/// Characters to encode: all but letters, digits and the unreserved marks of RFC 3986.
pub(crate) const VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// In a path, the separators of identifiers are not encoded, except `/`.
const SEGMENT: &AsciiSet = &VALUE.remove(b':').remove(b'@').remove(b',');

/// Default limit of an answer's body, in bytes: 10 MiB.
pub(crate) const BODY_LIMIT: u64 = 10 << 20;

/// One request to a host. Only this type encodes values, so that no value can change the structure of the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a request asks nothing before a client sends it"]
pub struct Request {
    pub(crate) host: &'static Host,
    pub(crate) method: Method,
    /// Path and query below the host's base, without secrets.
    pub(crate) target: String,
    pub(crate) accept: &'static str,
    /// Whether an HTML page is a valid answer.
    pub pages: bool,
    /// JSON body; empty for none.
    pub(crate) body: String,
    pub(crate) limit: u64,
    /// How long the cache may use an answer, and how long an absence (404, 410).
    pub(crate) keep: (Duration, Duration),
    /// Intervals of the host's pace that it takes: more than one if the host allows fewer requests of this kind.
    pub slots: u32,
    /// Whether it counts against an allowance of the host: not sent while that is used up.
    pub metered: bool,
    /// Whether it must not be done twice: a request that may have arrived is never sent again, not even after an answer that says "later".
    /// The caller must check first what was done.
    pub once: bool,
}

impl Request {
    /// A GET request for the JSON at `path`, a constant of the service such as `/query`.
    pub fn get(host: &'static Host, path: &'static str) -> Self {
        Self {
            host,
            method: Method::GET,
            target: path.to_owned(),
            accept: "application/json",
            pages: false,
            body: String::new(),
            limit: BODY_LIMIT,
            keep: (Duration::ZERO, Duration::ZERO),
            slots: 1,
            metered: false,
            once: false,
        }
    }

    /// A POST request with a JSON body.
    pub fn post(host: &'static Host, path: &'static str, body: &serde_json::Value) -> Self {
        let mut request = Self::get(host, path);
        request.method = Method::POST;
        request.body = body.to_string();
        request
    }

    /// A PUT request with a JSON body.
    pub fn put(host: &'static Host, path: &'static str, body: &serde_json::Value) -> Self {
        let mut request = Self::post(host, path, body);
        request.method = Method::PUT;
        request
    }

    /// Appends a value as one path segment: `/` in it and the segments `.` and `..` are encoded.
    pub fn segment(mut self, value: &str) -> Self {
        self.target.push('/');
        match value {
            // A server would resolve these to another path.
            "." => self.target.push_str("%2E"),
            ".." => self.target.push_str("%2E%2E"),
            _ => self.push(value, SEGMENT),
        }
        self
    }

    /// Appends a value whose slashes separate segments, as in a DOI.
    pub fn segments(self, value: &str) -> Self {
        value.split('/').fold(self, Self::segment)
    }

    /// Appends a constant part of the path.
    pub fn path(mut self, piece: &'static str) -> Self {
        self.target.push_str(piece);
        self
    }

    /// Appends a query parameter.
    pub fn query(mut self, name: &'static str, value: &str) -> Self {
        let begin = if self.target.contains('?') { '&' } else { '?' };
        self.target.push(begin);
        self.target.push_str(name);
        self.target.push('=');
        self.push(value, VALUE);
        self
    }

    /// Appends a query parameter if there is a value.
    pub fn query_if(self, name: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Accepts these media types instead of JSON.
    pub fn accept(mut self, media_types: &'static str) -> Self {
        self.accept = media_types;
        self
    }

    /// Accepts a body of up to `bytes` bytes instead of 10 MiB; a larger one is an error.
    pub fn limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self
    }

    /// Sets how long the cache may use an answer, and for how long an absence (404, 410).
    pub fn keep(mut self, time: Duration, absence: Duration) -> Self {
        self.keep = (time, absence);
        self
    }

    /// The error for this request to `url`.
    pub(crate) fn missed(&self, url: &str, why: Why) -> HttpError {
        HttpError::Asked {
            host: self.host.name,
            url: url.to_owned(),
            why,
        }
    }

    /// How long the cache may use this answer.
    pub(crate) fn keeps(&self, response: &Response) -> Duration {
        let (answer, absence) = self.keep;
        if response.is_absence() {
            absence
        } else {
            answer
        }
    }

    fn push(&mut self, value: &str, set: &'static AsciiSet) {
        // Writing to a String cannot fail.
        write!(self.target, "{}", utf8_percent_encode(value, set)).unwrap_or_default();
    }
}
