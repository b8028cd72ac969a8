//! The paths of a queue.
//!
//! ```text
//! <dir>/queue_state.json         snapshot (--state)
//! <dir>/.queue_state.queue/      manifest.yaml, changes.json, journal.jsonl, lock, queue.json, manager.json, ctl/, a/
//! <dir>/logs/                    one log for each attempt (--log-dir)
//! ```

use std::fmt;
use std::path::{Path, PathBuf};

use aris_queue::reserved;
use serde::{Deserialize, Serialize};

/// Most links that are followed in a chain. **Source**: `path_resolution(7)`, 40 on Linux.
const LINKS: u32 = 40;

/// The paths of one queue, absolute.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The state file.
    pub(crate) state: PathBuf,
    /// The folder of the journal, the records and the queue's other own files.
    pub(crate) queue: PathBuf,
    /// The folder of the attempts' logs.
    pub(crate) logs: PathBuf,
}

impl Place {
    /// The paths for the state file `state`, which is absolute. If `state` is a link, the queue is that of its target: a folder beside the
    /// link would be a second queue with the same jobs.
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
        Self {
            state: state.to_path_buf(),
            queue: reserved::folder(state),
            logs: logs.unwrap_or_else(|| folder.join("logs")),
        }
    }

    /// The folder of the state file.
    pub(crate) fn folder(&self) -> &Path {
        self.state.parent().unwrap_or(Path::new("/"))
    }

    /// Replaces the path of a log by its current one, if the logs were moved with the queue.
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

    /// Whether a folder is that of a queue.
    pub(crate) fn is_queue(folder: &Path) -> bool {
        reserved::is_queue(folder)
    }

    /// The lock that the queue's manager holds.
    pub(crate) fn lock(&self) -> PathBuf {
        self.queue.join("lock")
    }

    /// The queue's own copy of the manifest, JSON or YAML, with its grids expanded.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.queue.join("manifest.yaml")
    }

    /// The changes of the manifest made while the queue ran.
    pub(crate) fn changes(&self) -> PathBuf {
        self.queue.join("changes.json")
    }

    /// The paths of the manifest and the logs, and the manifest's digest.
    pub(crate) fn parts(&self) -> PathBuf {
        self.queue.join("queue.json")
    }

    /// The identity of the manager.
    pub(crate) fn owner(&self) -> PathBuf {
        self.queue.join("manager.json")
    }

    /// The folder of requests.
    pub(crate) fn requests(&self) -> PathBuf {
        self.queue.join("ctl")
    }

    /// A file for people beside the state file. Its name begins with that of the state file where the folder has another queue, unless this
    /// is `queue_state.json`.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        let state = self.state.file_name().unwrap_or_default();
        let state = state.to_string_lossy();
        let state = state.strip_suffix(".json").unwrap_or(&state);
        let entries = aris_fs::list_sorted(self.folder()).unwrap_or_default();
        let others = entries.into_iter().map(|entry| entry.path);
        let mut others = others.filter(|path| *path != self.queue && Self::is_queue(path));
        let shared = others.any(|path| path.extension().is_some_and(|it| it == "queue"));
        let own = (shared && state != "queue_state").then(|| format!("{state}.{name}"));
        self.state.with_file_name(own.as_deref().unwrap_or(name))
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

/// The process that runs a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Owner {
    /// Process id.
    pub pid: u32,
    /// Host name.
    pub host: String,
    /// `/proc/sys/kernel/random/boot_id`.
    pub boot: String,
    /// Since when it has run the queue, UTC.
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
    /// Whether this manager is certainly dead, seen from `other` on the same machine.
    pub(crate) fn is_gone(&self, other: &Self) -> bool {
        if self.pid == 0 || self.host != other.host {
            return false;
        }
        let proc = Path::new("/proc/self").exists();
        let pid = i32::try_from(self.pid).unwrap_or(0);
        self.boot != other.boot || proc && !aris_attempt::runs(pid)
    }
}
