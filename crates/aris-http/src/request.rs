//! What is asked for.

use std::fmt::Write as _;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ureq::http::Method;

use crate::error::{HttpError, Why};
use crate::host::Host;
use crate::response::Response;

/// Everything but letters, digits and the unreserved marks of RFC 3986 is encoded.
pub(crate) const VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// In a path the separators of identifiers stay readable; `/` does not, unless it is asked for.
const SEGMENT: &AsciiSet = &VALUE.remove(b':').remove(b'@').remove(b',');

/// Bytes of an answer that are accepted unless a request says otherwise: 10 MiB.
pub(crate) const BODY_LIMIT: u64 = 10 << 20;

/// One request to a host. Values are encoded here and nowhere else, so that none can leave its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a request asks nothing before a client sends it"]
pub struct Request {
    pub(crate) host: &'static Host,
    pub(crate) method: Method,
    /// Path and query below the host's base, without secrets.
    pub(crate) target: String,
    pub(crate) accept: &'static str,
    /// Takes an HTML page for an answer, too, which it is to no other question.
    pub pages: bool,
    /// JSON; empty where there is none.
    pub(crate) body: String,
    pub(crate) limit: u64,
    /// How long the cache keeps an answer, and how long it keeps that there is no such thing (404, 410).
    pub(crate) keep: (Duration, Duration),
    /// Intervals of the host's pace that it takes: more than one where the host allows fewer requests of this kind.
    pub slots: u32,
    /// Counts against an allowance of the host: not sent while that is used up.
    pub metered: bool,
    /// Must not be done twice: nothing is sent again that may have arrived, not even after an answer that says "later". Whoever asks looks
    /// first what was done.
    pub once: bool,
}

impl Request {
    /// Asks `host` for the JSON at `path`, which is a constant of the service, `/query`.
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

    /// Asks with a JSON body.
    pub fn post(host: &'static Host, path: &'static str, body: &serde_json::Value) -> Self {
        let mut request = Self::get(host, path);
        request.method = Method::POST;
        request.body = body.to_string();
        request
    }

    /// Sets something with a JSON body.
    pub fn put(host: &'static Host, path: &'static str, body: &serde_json::Value) -> Self {
        let mut request = Self::post(host, path, body);
        request.method = Method::PUT;
        request
    }

    /// Appends a value as one path segment: a `/` in it is encoded, and so are the segments `.` and `..`.
    pub fn segment(mut self, value: &str) -> Self {
        self.target.push('/');
        match value {
            // A server would fold these into another path.
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

    /// Appends a constant piece of the path.
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

    /// Appends a query parameter when there is a value.
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

    /// Accepts a body of so many bytes instead of 10 MiB; a larger one is an error.
    pub fn limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self
    }

    /// Keeps an answer in the cache for this long, and an answer that there is no such thing (404, 410) for `absence`.
    pub fn keep(mut self, time: Duration, absence: Duration) -> Self {
        self.keep = (time, absence);
        self
    }

    /// This request brought nothing from `url`.
    pub(crate) fn missed(&self, url: &str, why: Why) -> HttpError {
        HttpError::Asked {
            host: self.host.name,
            url: url.to_owned(),
            why,
        }
    }

    /// How long an answer to it may be used.
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
