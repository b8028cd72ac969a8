//! A cache of answers on disk, shared by all helpers and processes.
//!
//! One file per request, named by the request's digest: a JSON line that describes the answer, then the body. A file is written beside
//! its place and renamed, without waiting for the disk. A power failure may truncate it, so the body's digest is checked on reading; a
//! file with a wrong digest is ignored. The digest of a request does not include API keys.
//!
//! Once a day the oldest answers are removed until the rest is small enough.
//!
//! The cache only saves requests: a file that cannot be read or written is treated as absent.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use aris_contract::hex::hex;
use aris_fs::Lock;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::request::Request;
use crate::response::Response;

/// Largest file that is read back, in bytes: the largest body that any request allows, and its head.
const FILE_LIMIT: u64 = 256 << 20;

/// The description of an answer and the digest of its body, which follows.
#[derive(Serialize, Deserialize)]
struct Head<R> {
    #[serde(flatten)]
    response: R,
    sha256: String,
}

/// The cache in this folder; `None` where nothing can be stored.
#[derive(Debug)]
pub(crate) struct Cache(pub(crate) Option<PathBuf>);

impl Cache {
    /// Makes other processes and threads with the same request wait, until `end` at most: they then find the answer in the cache.
    pub(crate) fn alone(&self, request: &Request, url: &str, end: Instant) -> Option<Lock> {
        let folder = self.0.as_ref()?.join("asking");
        let name = name(request, url);
        // Some four thousand locks serve all requests: two that share a lock by chance wait for each other.
        let lock = folder.join(format!("{}.lock", name.get(..3)?));
        aris_fs::create_dir(&folder).ok()?;
        Lock::acquire_before(&lock, end).ok()
    }

    /// The stored answer to a request, if its file is intact, whatever its age.
    pub(crate) fn get(&self, request: &Request, url: &str) -> Option<Response> {
        let path = self.path(request, url)?;
        parse(&aris_fs::read_optional(&path, FILE_LIMIT).ok()??)
    }

    /// Stores an answer. If two processes do so at once, the last one wins; both files are intact.
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
        let kept =
            aris_fs::create_dir(folder).and_then(|()| aris_fs::replace_unsynced(&path, &bytes));
        kept.unwrap_or_default();
    }

    fn path(&self, request: &Request, url: &str) -> Option<PathBuf> {
        let name = name(request, url);
        let (shelf, rest) = name.split_at_checked(2)?;
        let folder = self.0.as_ref()?.join("http/v1");
        Some(folder.join(request.host.name).join(shelf).join(rest))
    }
}

/// The digest of a request.
fn name(request: &Request, url: &str) -> String {
    let question = format!(
        "{}\0{url}\0{}\0{}",
        request.method, request.accept, request.body,
    );
    hex(&Sha256::digest(question))
}

/// Whether an answer may still be used. One from the future may not: a clock was changed.
pub(crate) fn is_fresh(fetched: Timestamp, now: Timestamp, keep: Duration) -> bool {
    let age: Result<Duration, _> = now.duration_since(fetched).try_into();
    age.is_ok_and(|age| age < keep)
}

fn parse(bytes: &[u8]) -> Option<Response> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (head, body) = (bytes.get(..end)?, bytes.get(end + 1..)?);
    let head: Head<Response> = serde_json::from_slice(head).ok()?;
    (hex(&Sha256::digest(body)) == head.sha256).then(|| Response {
        later: false,
        body: body.to_vec(),
        ..head.response
    })
}

/// Default size of the cache, in bytes: 1 GiB, some hundred thousand answers.
pub(crate) const USUAL: u64 = 1 << 30;

/// How often old answers are removed.
const EVERY: Duration = Duration::from_hours(24);

/// Younger answers stay, because they may be in use.
const YOUNG: Duration = Duration::from_mins(10);

/// Removes the oldest answers below `folder` when they exceed `limit` bytes, down to four fifths of it. Does nothing if that was done
/// within [`EVERY`] or another process is doing it. Files that cannot be examined or removed stay.
pub(crate) fn sweep(folder: &Path, limit: u64) -> Option<()> {
    // The file system's own clock: the probe was written when the folder was chosen.
    let modified = |path: &Path| std::fs::metadata(path).ok()?.modified().ok();
    let now = modified(&folder.join(".probe"))?;
    let age = |then: SystemTime| now.duration_since(then).unwrap_or_default();
    let done = folder.join(".swept");
    if modified(&done).is_some_and(|then| age(then) < EVERY) {
        return None;
    }
    let _lock = Lock::try_acquire(&folder.join(".sweep.lock")).ok()?;
    aris_fs::write_unsynced(&done, b"").ok()?;
    let entries = aris_fs::walk_sorted(&folder.join("http"), &mut |_| true).ok()?;
    let mut answers: Vec<(SystemTime, u64, PathBuf)> = entries
        .into_iter()
        .filter_map(|entry| {
            let metadata = std::fs::symlink_metadata(&entry.path).ok()?;
            let metadata = metadata.is_file().then_some(metadata)?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path))
        })
        .collect();
    let mut size: u64 = answers.iter().map(|(_, bytes, _)| bytes).sum();
    if size <= limit {
        return None;
    }
    answers.sort();
    for (then, bytes, path) in answers {
        if size <= limit / 5 * 4 || age(then) < YOUNG {
            break;
        }
        if aris_fs::remove_file(&path).is_ok() {
            size -= bytes;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
    use std::fs::{self, File, FileTimes};

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

    #[test]
    fn the_oldest_answers_go_and_only_once_a_day() {
        let temp = tempfile::tempdir().expect("temp");
        let folder = temp.path().join("http/v1/arxiv/ab");
        fs::create_dir_all(&folder).expect("folder");
        let probe = temp.path().join(".probe");
        fs::write(&probe, "x").expect("written");
        let now = fs::metadata(&probe)
            .and_then(|file| file.modified())
            .expect("time");
        let answer = |name: &str, days: u64| {
            let path = folder.join(name);
            fs::write(&path, [0; 1000]).expect("written");
            let times = FileTimes::new().set_modified(now - Duration::from_hours(24 * days));
            let file = File::options().append(true).open(&path).expect("open");
            file.set_times(times).expect("set");
        };
        for (name, days) in [("d", 0), ("a", 9), ("c", 1), ("b", 5)] {
            answer(name, days);
        }
        let left = || {
            let names = aris_fs::list_sorted(&folder).expect("listed");
            names
                .into_iter()
                .map(|entry| entry.name.to_string_lossy().into_owned())
                .collect::<String>()
        };
        assert_eq!(sweep(temp.path(), 4000), None);
        assert_eq!(left(), "abcd");
        fs::remove_file(temp.path().join(".swept")).expect("removed");
        assert_eq!(sweep(temp.path(), 3000), Some(()));
        assert_eq!(left(), "cd");
        answer("e", 20);
        answer("f", 20);
        assert_eq!(sweep(temp.path(), 3000), None);
        assert_eq!(left(), "cdef");
        // New answers stay, however small the limit is.
        fs::remove_file(temp.path().join(".swept")).expect("removed");
        assert_eq!(sweep(temp.path(), 10), Some(()));
        assert_eq!(left(), "d");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            assert!(parse(&bytes).is_none());
        }
    }
}
