//! Where a queue keeps what.
//!
//! ```text
//! <dir>/queue_state.json         snapshot (--state)
//! <dir>/.queue_state.queue/      manifest.yaml, changes.json, journal.jsonl, lock, queue.json, manager.json, ctl/, a/
//! <dir>/logs/                    one log for each attempt (--log-dir)
//! ```

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Links that may lead from one to the next. **Source**: `path_resolution(7)`, 40 on Linux.
const LINKS: u32 = 40;

/// The paths of one queue, absolute.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The snapshot.
    pub(crate) state: PathBuf,
    /// Everything that is ours alone.
    pub(crate) queue: PathBuf,
    /// Logs of attempts.
    pub(crate) logs: PathBuf,
}

impl Place {
    /// The paths that belong to the state file `state`, which is absolute. A link to a state file names the queue of that file: a folder
    /// beside the link would be a second queue with the same jobs.
    pub(crate) fn of(state: &Path, logs: Option<PathBuf>) -> Self {
        let mut real = state.to_path_buf();
        for _ in 0..LINKS {
            let Ok(target) = real.read_link() else {
                break;
            };
            real = real.parent().unwrap_or(Path::new("/")).join(target);
        }
        let state = real.as_path();
        let folder = state.parent().unwrap_or(Path::new("/"));
        let name = state.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(".json").unwrap_or(&name);
        Self {
            state: state.to_path_buf(),
            queue: folder.join(format!(".{stem}.queue")),
            logs: logs.unwrap_or_else(|| folder.join("logs")),
        }
    }

    /// The folder that the state file lies in.
    pub(crate) fn folder(&self) -> &Path {
        self.state.parent().unwrap_or(Path::new("/"))
    }

    /// Names the log where it lies now: of a queue that was moved the logs have come along.
    pub(crate) fn find_log(&self, log: &mut String) {
        let known = Path::new(&*log);
        if known.parent() == Some(&self.logs) || known.exists() {
            return;
        }
        let here = self.logs.join(known.file_name().unwrap_or_default());
        if here.is_file() {
            *log = here.display().to_string();
        }
    }

    /// Whether a folder is the one of a queue.
    pub(crate) fn is_queue(folder: &Path) -> bool {
        folder.join("journal.jsonl").exists()
    }

    /// Held by the queue's one manager.
    pub(crate) fn lock(&self) -> PathBuf {
        self.queue.join("lock")
    }

    /// The manifest as the queue has taken it up, JSON or YAML, its grids expanded.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.queue.join("manifest.yaml")
    }

    /// What was changed in the manifest while the queue ran.
    pub(crate) fn changes(&self) -> PathBuf {
        self.queue.join("changes.json")
    }

    /// Manifest and logs.
    pub(crate) fn parts(&self) -> PathBuf {
        self.queue.join("queue.json")
    }

    /// Who the manager is.
    pub(crate) fn owner(&self) -> PathBuf {
        self.queue.join("manager.json")
    }

    /// Requests of people.
    pub(crate) fn requests(&self) -> PathBuf {
        self.queue.join("ctl")
    }

    /// The summary that a run leaves behind.
    pub(crate) fn summary(&self) -> PathBuf {
        self.state.with_file_name("summary.md")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_state_files_of_one_folder_have_a_queue_each() {
        let one = Place::of(Path::new("/q/queue_state.json"), None);
        let other = Place::of(Path::new("/q/queue_state.json2"), None);
        assert_eq!(one.queue, Path::new("/q/.queue_state.queue"));
        assert_eq!(other.queue, Path::new("/q/.queue_state.json2.queue"));
    }
}

/// Who runs a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Owner {
    /// Process number.
    pub pid: u32,
    /// Host name.
    pub host: String,
    /// `/proc/sys/kernel/random/boot_id`.
    pub boot: String,
    /// Since when, UTC.
    pub since: String,
}

impl fmt::Display for Owner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pid == 0 {
            return out.write_str("another process");
        }
        let (pid, host, since) = (self.pid, &self.host, &self.since);
        write!(out, "process {pid} on {host} since {since}")
    }
}

impl Owner {
    /// Whether this manager, seen from another on the same machine, certainly lives no more.
    pub(crate) fn is_gone(&self, other: &Self) -> bool {
        if self.pid == 0 || self.host != other.host {
            return false;
        }
        let proc = Path::new("/proc/self").exists();
        let pid = i32::try_from(self.pid).unwrap_or(0);
        self.boot != other.boot || proc && !aris_attempt::runs(pid)
    }
}
