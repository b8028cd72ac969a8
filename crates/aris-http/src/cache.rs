//! Answers on disk, shared by all helpers and all processes.
//!
//! One file for each question, named by its digest: a JSON line that describes the answer, then the body. A file is written beside
//! its place and renamed, without waiting for the disk; after a power cut it may be cut off, so the body's digest is checked on
//! reading and a wrong one means that there is no answer. Keys are part of no question.
//!
//! The cache spares requests and nothing else: what cannot be read or written there is as if it were not there.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aris_contract::hex::hex;
use aris_fs::Lock;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::request::Request;
use crate::response::Response;
use crate::settings::Mode;

/// Largest file that is read back: the largest body anybody asks for, and its head.
const FILE_LIMIT: u64 = 256 << 20;

/// Longest first line.
const HEAD_LIMIT: usize = 64 << 10;

/// An answer and the digest of its body, which follows.
#[derive(Serialize, Deserialize)]
struct Head<R> {
    #[serde(flatten)]
    response: R,
    sha256: String,
}

/// The cache.
#[derive(Debug)]
pub(crate) struct Cache {
    /// `None` where nothing can be kept.
    folder: Option<PathBuf>,
    /// Locks of those who ask.
    asking: Option<PathBuf>,
}

impl Cache {
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(|folder| folder.join("http/v1")),
            asking: folder.map(|folder| folder.join("asking")),
        }
    }

    /// Keeps other processes and threads with the same question waiting, until `end` at most: they find the answer in the cache then.
    pub(crate) fn alone(&self, request: &Request, url: &str, end: Instant) -> Option<Lock> {
        let folder = self.asking.as_ref()?;
        let name = name(request, url);
        // A thousand locks serve all questions: two that share one by chance wait for each other.
        let lock = folder.join(format!("{}.lock", name.get(..3)?));
        aris_fs::create_dir(folder).ok()?;
        Lock::acquire_before(&lock, end).ok()
    }

    /// The kept answer to a request, when there is one that is whole and not older than `mode` allows.
    pub(crate) fn get(
        &self,
        request: &Request,
        url: &str,
        mode: Mode,
        now: Timestamp,
    ) -> Option<Response> {
        let path = self.path(request, url).filter(|_| mode != Mode::Refresh)?;
        let bytes = aris_fs::read_optional(&path, FILE_LIMIT).ok()??;
        let response = parse(&bytes)?;
        let keep = request.keeps(&response);
        (mode == Mode::Offline || is_fresh(response.fetched_at, now, keep)).then_some(response)
    }

    /// Keeps an answer. Two processes may do so at once: the last one wins, and both are whole.
    pub(crate) fn put(&self, request: &Request, url: &str, response: &Response) {
        let Some(path) = self.path(request, url) else {
            return;
        };
        let sha256 = hex(&Sha256::digest(&response.body));
        let head = Head { response, sha256 };
        let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend_from_slice(&response.body);
        let folder = path.parent().unwrap_or(&path);
        let kept = aris_fs::create_dir(folder)
            .and_then(|()| aris_fs::replace_unsynced(&path, &bytes).map(drop));
        kept.unwrap_or_default();
    }

    fn path(&self, request: &Request, url: &str) -> Option<PathBuf> {
        let name = name(request, url);
        let (shelf, rest) = name.split_at_checked(2)?;
        let folder = self.folder.as_ref()?;
        Some(folder.join(request.host.name).join(shelf).join(rest))
    }
}

/// The digest of a question.
fn name(request: &Request, url: &str) -> String {
    let question = format!(
        "{}\0{url}\0{}\0{}",
        request.method,
        request.accept,
        request.body.as_deref().unwrap_or_default(),
    );
    hex(&Sha256::digest(question))
}

/// Whether an answer may still be used. One from the future (a clock was set) may not.
fn is_fresh(fetched: Timestamp, now: Timestamp, keep: Duration) -> bool {
    let age: Result<Duration, _> = now.duration_since(fetched).try_into();
    age.is_ok_and(|age| age < keep)
}

fn parse(bytes: &[u8]) -> Option<Response> {
    let mut end = bytes.iter().take(HEAD_LIMIT);
    let (head, body) = bytes.split_at_checked(end.position(|byte| *byte == b'\n')?)?;
    let body = body.get(1..)?;
    let head: Head<Response> = serde_json::from_slice(head).ok()?;
    (hex(&Sha256::digest(body)) == head.sha256).then(|| Response {
        body: body.to_vec(),
        cached: true,
        ..head.response
    })
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
