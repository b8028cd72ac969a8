//! Answers on disk, shared by all helpers and all processes.
//!
//! One file for each question, named by its digest: a JSON line that describes the answer, then the body. A file is written beside
//! its place and renamed, without waiting for the disk; after a power cut it may be cut off, so the body's digest is checked on
//! reading and a wrong one means that there is no answer. Keys are part of no question.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_contract::hex::hex;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::HttpError;
use crate::request::{Method, Request};
use crate::response::Response;

/// Largest file that is read back: the largest body anybody asks for, and its head.
const FILE_LIMIT: u64 = 256 << 20;

/// Longest first line.
const HEAD_LIMIT: usize = 64 << 10;

/// How old an answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Any age.
    Any,
    /// What the request says about answers and absences.
    AsAsked,
}

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    method: String,
    url: String,
    status: u16,
    media_type: String,
    fetched_at: Timestamp,
    sha256: String,
}

/// The cache.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.join("http/v1"),
        }
    }

    /// The kept answer to a request, when there is one that is whole and fresh enough.
    pub(crate) fn get(
        &self,
        request: &Request,
        url: &str,
        freshness: Freshness,
        now: Timestamp,
    ) -> Result<Option<Response>, HttpError> {
        let path = self.path(request, url);
        let Some(bytes) = aris_fs::read_optional(&path, FILE_LIMIT)? else {
            return Ok(None);
        };
        let Some(response) = parse(&bytes) else {
            return Ok(None);
        };
        let keep = if response.is_absence() {
            request.keep_absence
        } else {
            request.keep
        };
        Ok(
            (freshness == Freshness::Any || is_fresh(response.fetched_at, now, keep))
                .then_some(response),
        )
    }

    /// Keeps an answer. Two processes may do so at once: the last one wins, and both are whole.
    pub(crate) fn put(
        &self,
        request: &Request,
        url: &str,
        response: &Response,
    ) -> Result<(), HttpError> {
        let path = self.path(request, url);
        if let Some(folder) = path.parent() {
            aris_fs::create_dir(folder)?;
        }
        let head = Head {
            method: method(request.method).to_owned(),
            url: response.url.clone(),
            status: response.status,
            media_type: response.media_type.clone(),
            fetched_at: response.fetched_at,
            sha256: hex(&Sha256::digest(&response.body)),
        };
        let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend_from_slice(&response.body);
        Ok(aris_fs::replace_unsynced(&path, &bytes)?)
    }

    fn path(&self, request: &Request, url: &str) -> PathBuf {
        let question = format!(
            "{}\0{url}\0{}\0{}",
            method(request.method),
            request.accept.unwrap_or(request.expect.accept()),
            request.body.as_deref().unwrap_or_default(),
        );
        let name = hex(&Sha256::digest(question));
        let (shelf, rest) = name.split_at_checked(2).unwrap_or(("", &name));
        self.folder.join(request.host.name).join(shelf).join(rest)
    }
}

/// Whether an answer may still be used. One from the future (a clock was set) may not.
fn is_fresh(fetched: Timestamp, now: Timestamp, keep: Duration) -> bool {
    let age: Result<Duration, _> = now.duration_since(fetched).try_into();
    age.is_ok_and(|age| age < keep)
}

fn parse(bytes: &[u8]) -> Option<Response> {
    let end = bytes
        .iter()
        .take(HEAD_LIMIT)
        .position(|byte| *byte == b'\n')?;
    let (head, body) = bytes.split_at_checked(end)?;
    let body = body.get(1..)?;
    let head: Head = serde_json::from_slice(head).ok()?;
    (hex(&Sha256::digest(body)) == head.sha256).then(|| Response {
        status: head.status,
        media_type: head.media_type,
        body: body.to_vec(),
        fetched_at: head.fetched_at,
        cached: true,
        url: head.url,
    })
}

const fn method(method: Method) -> &'static str {
    match method {
        Method::Get => "GET",
        Method::Post => "POST",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_fresh_for_its_time_and_never_before_it() {
        let then: Timestamp = "2026-11-20T10:00:00Z".parse().expect("time");
        let keep = Duration::from_mins(1);
        for (now, wanted) in [
            ("2026-11-20T10:00:00Z", true),
            ("2026-11-20T10:00:59Z", true),
            ("2026-11-20T10:01:00Z", false),
            ("2026-11-20T09:59:59Z", false),
        ] {
            assert_eq!(
                is_fresh(then, now.parse().expect("time"), keep),
                wanted,
                "{now}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            assert!(parse(&bytes).is_none());
        }
    }
}
