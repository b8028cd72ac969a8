//! The lock of a queue, so that only one manager runs it.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread::park_timeout;
use std::time::{Duration, Instant};

use aris_attempt::format::{ATTEMPTS, CLAIM};
use aris_attempt::{Standing, touch};
use aris_contract::ErrorKind;
use aris_fs::{Entry, FsError, Lock, Log};
use aris_queue::journal::FILE;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::place::{Owner, Place};

/// What a queue records about its other files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Parts {
    /// The manifest, absolute.
    pub(crate) manifest: String,
    /// Folder of the logs, absolute.
    pub(crate) logs: String,
    /// SHA-256 of the manifest, in hex; empty: an older version wrote this.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) manifest_sha256: String,
    /// The folder against which a relative `cwd` is resolved, absolute: where the queue was started. Empty: an older version wrote this.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) cwd: String,
    /// Device and inode of that folder, by which it is found under another path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd_id: Option<(u64, u64)>,
    /// The state file, absolute; elsewhere if the folder was moved or copied. Empty: an older version wrote this.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) state: String,
}

/// Time between two heartbeats of a manager. **Source**: queue design, as for attempts.
pub(crate) const BEAT: Duration = Duration::from_secs(10);

/// A manager on another machine without a heartbeat for this long may be replaced. **Source**: queue design §9.
const SILENT: Duration = Duration::from_mins(1);

/// A queue whose lock this process holds.
pub(crate) struct Held {
    place: Place,
    _lock: Lock,
    /// Device and inode of the lock's file.
    file: Option<(u64, u64)>,
}

impl Held {
    /// Whether the queue's folder is still in the place where it was taken: neither moved, nor removed, nor replaced.
    pub(crate) fn is_there(&self) -> bool {
        match self.place.lock().metadata() {
            Ok(data) => Some((data.dev(), data.ino())) == self.file,
            // If the disk does not answer, nothing was moved.
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        }
    }

    /// Writes a heartbeat, for other machines, which may not see the lock.
    pub(crate) fn beat(&self) {
        // If this fails, the next heartbeat tries again.
        touch(&self.place.owner());
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.is_there() {
            // In a folder that was moved, the owner's file shows where the queue was.
            return;
        }
        // The owner's file is useful only while the lock is held.
        aris_fs::remove_file(&self.place.owner()).unwrap_or_default();
    }
}

/// How long to wait for a lock whose owner seems to run: after a kill, the lock is released a moment later.
const MOMENT: Duration = Duration::from_millis(300);

/// How long to wait for a lock without an owner, or whose owner is dead: a child that it was just starting still holds it for a moment, and
/// so does a process that only checks it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Takes the queue, or says who has it. `takeover`: also takes it from a manager on another machine without a recent heartbeat.
pub(crate) fn take(place: &Place, owner: &Owner, takeover: bool) -> Result<Held, Error> {
    aris_fs::create_dir(&place.queue)?;
    let begun = Instant::now();
    loop {
        match Lock::try_acquire(&place.lock()) {
            Ok(lock) => {
                if let Some(original) = original_at_work(place) {
                    return Err(copied(place, &original));
                }
                let before = read(place);
                // On a file system whose locks are local, another machine may hold the queue although the lock is free.
                if before.pid > 0 && before.host != owner.host {
                    touch(&place.lock());
                    let silent = silence(place, modified(&place.lock()));
                    if !takeover || silent < SILENT {
                        return Err(elsewhere(place, &before, silent));
                    }
                }
                let text = serde_json::to_vec(owner).unwrap_or_default();
                aris_fs::write_atomic(&place.owner(), &text)?;
                return Ok(Held {
                    place: place.clone(),
                    file: identity(&place.lock()),
                    _lock: lock,
                });
            }
            Err(FsError::Locked { .. }) => {
                let holder = read(place);
                let may_pass = holder.pid == 0 || holder.is_gone(owner);
                let patience = if may_pass { PATIENCE } else { MOMENT };
                if begun.elapsed() >= patience {
                    return Err(Error::taken(&place.state, &holder));
                }
                park_timeout(Duration::from_millis(10));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The error when a manager on another machine may have the queue.
fn elsewhere(place: &Place, owner: &Owner, silent: Duration) -> Error {
    let (path, silent) = (place.state.display(), silent.as_secs());
    let message = format!(
        "the queue {path} was taken by {owner}, which gave its last sign {silent} s ago; from here its lock may not be seen"
    );
    let hint = "look there whether it lives; when it does not, run with --takeover once it has been silent for 60 s";
    Error::told(ErrorKind::Precondition, message, hint).about(&place.state)
}

/// Waits briefly until no manager runs the queue. **Errors**: [`Error::Taken`].
pub(crate) fn free(place: &Place, now: Timestamp) -> Result<(), Error> {
    let begun = Instant::now();
    while let Some(owner) = holder(place, now) {
        if begun.elapsed() >= MOMENT {
            return Err(Error::taken(&place.state, &owner));
        }
        park_timeout(Duration::from_millis(10));
    }
    Ok(())
}

/// The manager that runs the queue: the one that holds its lock, or one on another machine with a recent heartbeat. `now` is the time of
/// day.
pub(crate) fn holder(place: &Place, now: Timestamp) -> Option<Owner> {
    let held = Lock::is_held(&place.lock()).unwrap_or(false);
    Some(read(place)).filter(|owner| {
        let elsewhere = owner.pid > 0 && owner.host != aris_attempt::host();
        held || elsewhere && silence(place, Some(now)) < SILENT
    })
}

/// Time since the manager's last heartbeat. `now` is on the clock of its file system.
fn silence(place: &Place, now: Option<Timestamp>) -> Duration {
    let last = modified(&place.owner());
    let silent = now.zip(last).map(|(now, last)| now.duration_since(last));
    // If the heartbeat cannot be read, it counts as recent.
    silent.map_or(Duration::ZERO, |silent| {
        Duration::try_from(silent).unwrap_or_default()
    })
}

/// If the queue's folder was moved or copied since the queue last ran: its state file in the old place.
pub(crate) fn moved(place: &Place) -> Option<String> {
    let there = parts(place).state;
    let moved = !there.is_empty()
        && identity(&Place::of(Path::new(&there), None).lock()) != identity(&place.lock());
    moved.then_some(there)
}

/// If this folder is a copy of a queue which a manager runs now, or whose jobs run: its state file. Both queues have the same jobs, in the
/// same working directories.
pub(crate) fn original_at_work(place: &Place) -> Option<String> {
    let state = moved(place)?;
    let there = Place::of(Path::new(&state), None);
    // The first line of a journal has the time when its queue began.
    let begin = |place: &Place| {
        let bytes = aris_fs::read(&place.queue.join(FILE), Log::LIMIT).ok()?;
        let mut lines = bytes.split(|byte| *byte == b'\n');
        lines.next().map(<[u8]>::to_vec)
    };
    let same = begin(place).is_some_and(|line| begin(&there) == Some(line));
    let at_work = || Lock::is_held(&there.lock()).unwrap_or(false) || jobs_run(&there);
    (same && at_work()).then_some(state)
}

/// Whether an attempt of the queue runs.
fn jobs_run(place: &Place) -> bool {
    let mut all = |_: &Entry| true;
    let found = aris_fs::walk_sorted(&place.queue.join(ATTEMPTS), &mut all).unwrap_or_default();
    let mut claims = found.iter().filter(|entry| entry.name == CLAIM);
    claims.any(|claim| {
        let stands = aris_attempt::standing(claim.path.parent().unwrap_or(&claim.path));
        matches!(stands, Ok(Standing::Running { .. }))
    })
}

fn copied(place: &Place, original: &str) -> Error {
    let message = format!(
        "this folder is a copy of the queue {original}, whose manager or jobs are at work: its jobs would run twice in the same working directory"
    );
    let hint = "ask that queue with --state; for a second run of its jobs begin a new queue from the manifest, with another cwd";
    Error::told(ErrorKind::Precondition, message, hint).about(&place.state)
}

/// Device and inode of a file or folder.
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    let data = path.metadata().ok()?;
    Some((data.dev(), data.ino()))
}

fn modified(path: &Path) -> Option<Timestamp> {
    let time = path.metadata().ok()?.modified().ok()?;
    Timestamp::try_from(time).ok()
}

fn read(place: &Place) -> Owner {
    small(&place.owner())
}

/// What the queue records about its files; empty if no manager has written it.
pub(crate) fn parts(place: &Place) -> Parts {
    small(&place.parts())
}

fn small<T: Default + serde::de::DeserializeOwned>(path: &Path) -> T {
    let bytes = aris_fs::read(path, 64 << 10).ok();
    let read = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    read.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(host: &str, pid: u32) -> Owner {
        Owner {
            pid,
            host: host.to_owned(),
            boot: String::from("b"),
            since: String::from("then"),
        }
    }

    #[test]
    fn a_queue_of_another_machine_is_taken_over_only_on_request_and_after_silence() {
        let folder = tempfile::tempdir().expect("temp");
        let place = Place::of(&folder.path().join("s.json"), None);
        let here = owner(&aris_attempt::host(), 7);
        aris_fs::create_dir(&place.queue).expect("created");
        let elsewhere = serde_json::to_vec(&owner("elsewhere", 9)).expect("JSON");
        aris_fs::write_atomic(&place.lock(), b"").expect("written");
        aris_fs::write_atomic(&place.owner(), &elsewhere).expect("written");
        let now = || {
            touch(&place.lock());
            modified(&place.lock()).expect("there")
        };
        assert_eq!(holder(&place, now()).map(|owner| owner.pid), Some(9));
        for takeover in [false, true] {
            let refused = take(&place, &here, takeover).err().expect("it may live");
            assert!(refused.to_string().contains("was taken by"), "{refused}");
        }
        aris_fs::set_modified(&place.owner(), std::time::UNIX_EPOCH).expect("set");
        assert!(holder(&place, now()).is_none());
        assert!(
            take(&place, &here, false).is_err(),
            "not without being asked"
        );
        let held = take(&place, &here, true).expect("taken over");
        held.beat();
        assert_eq!(holder(&place, now()).map(|owner| owner.pid), Some(7));
        assert!(take(&place, &here, true).is_err(), "it lives here");
        drop(held);
        assert!(take(&place, &here, false).is_ok(), "it has left");
    }

    #[test]
    fn one_who_only_looks_is_no_manager() {
        // First nobody has had the queue; then a manager had it until the machine went down.
        for before in [None, Some("the last one")] {
            let folder = tempfile::tempdir().expect("temp");
            let place = Place::of(&folder.path().join("s.json"), None);
            let here = owner(&aris_attempt::host(), std::process::id());
            aris_fs::create_dir(&place.queue).expect("created");
            aris_fs::write_atomic(&place.lock(), b"").expect("written");
            if let Some(boot) = before {
                let boot = String::from(boot);
                let text = serde_json::to_vec(&Owner {
                    boot,
                    ..here.clone()
                });
                aris_fs::write_atomic(&place.owner(), &text.expect("JSON")).expect("written");
            }
            let flags = rustix::fs::OFlags::RDONLY;
            let looking =
                rustix::fs::open(place.lock(), flags, rustix::fs::Mode::empty()).expect("there");
            let shared = rustix::fs::FlockOperation::NonBlockingLockShared;
            rustix::fs::flock(&looking, shared).expect("nobody has it");
            assert!(holder(&place, Timestamp::UNIX_EPOCH).is_none());
            let manager = std::thread::spawn(move || take(&place, &here, false).is_ok());
            park_timeout(Duration::from_millis(100));
            drop(looking);
            assert!(manager.join().expect("no panic"), "it waits for the look");
        }
    }
}
