//! One manager for each queue.

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

/// What belongs to a queue beside its state file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Parts {
    /// The manifest, absolute.
    pub(crate) manifest: String,
    /// Folder of the logs, absolute.
    pub(crate) logs: String,
    /// SHA-256 of the manifest, in hex; empty: written by a version that did not keep it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) manifest_sha256: String,
    /// Folder that a relative `cwd` counts from, absolute: where the queue was begun. Empty: written by a version that did not keep it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) cwd: String,
    /// The state file, absolute: elsewhere than the folder when that was moved or copied. Empty: written by a version that did not keep it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) state: String,
}

/// Between two signs that a manager gives. **Source**: queue design, as for attempts.
pub(crate) const BEAT: Duration = Duration::from_secs(10);

/// A manager on another machine that has given no sign for so long may be taken over. **Source**: queue design §9.
const SILENT: Duration = Duration::from_mins(1);

/// A queue that this process has.
pub(crate) struct Held {
    place: Place,
    _lock: Lock,
    /// The lock's file, whatever path leads to it.
    file: Option<(u64, u64)>,
}

impl Held {
    /// Whether the queue's folder is still where it was taken: neither moved, nor removed, nor another one.
    pub(crate) fn is_there(&self) -> bool {
        match self.place.lock().metadata() {
            Ok(data) => Some((data.dev(), data.ino())) == self.file,
            // A disk that does not answer now has moved nothing.
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        }
    }

    /// Says that this manager lives, for those on other machines, who may not see its lock.
    pub(crate) fn beat(&self) {
        // A sign that cannot be given now is given next time.
        touch(&self.place.owner());
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.is_there() {
            // Where the folder is now, it tells from where it was moved.
            return;
        }
        // Who it was is of interest only while it is.
        aris_fs::remove_file(&self.place.owner()).unwrap_or_default();
    }
}

/// How long a lock is waited for whose owner seems to run: one that was just killed takes a moment to let it go.
const MOMENT: Duration = Duration::from_millis(300);

/// How long a lock is waited for whose owner is gone or none: a child that it was just starting holds it for a moment longer, and so does
/// one who only looks.
const PATIENCE: Duration = Duration::from_secs(5);

/// Takes the queue, or says who has it. `takeover`: also from a manager on another machine that has been silent for long.
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
                // Where locks do not reach from machine to machine, a free one proves nothing about another machine.
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
                    file: identity(place),
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

/// A manager on another machine may have the queue.
fn elsewhere(place: &Place, owner: &Owner, silent: Duration) -> Error {
    let (path, silent) = (place.state.display(), silent.as_secs());
    let message = format!(
        "the queue {path} was taken by {owner}, which gave its last sign {silent} s ago; from here its lock may not be seen"
    );
    let hint = "look there whether it lives; when it does not, run with --takeover once it has been silent for 60 s";
    Error::told(ErrorKind::Precondition, message, hint).about(&place.state)
}

/// Waits a moment until nobody holds the queue. **Errors**: [`Error::Taken`].
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

/// The manager that runs the queue now: who holds its lock, or gives signs on another machine. `now` is the time of day.
pub(crate) fn holder(place: &Place, now: Timestamp) -> Option<Owner> {
    let held = Lock::is_held(&place.lock()).unwrap_or(false);
    Some(read(place)).filter(|owner| {
        let elsewhere = owner.pid > 0 && owner.host != aris_attempt::host();
        held || elsewhere && silence(place, Some(now)) < SILENT
    })
}

/// How long the manager has given no sign, as of `now` on the clock of whoever keeps its files.
fn silence(place: &Place, now: Option<Timestamp>) -> Duration {
    let last = modified(&place.owner());
    let silent = now.zip(last).map(|(now, last)| now.duration_since(last));
    // Nothing is known of a sign that cannot be looked at: it counts as just given.
    silent.map_or(Duration::ZERO, |silent| {
        Duration::try_from(silent).unwrap_or_default()
    })
}

/// The state file of the place where the queue was run last, when its folder was moved or copied from there.
pub(crate) fn moved(place: &Place) -> Option<String> {
    let there = parts(place).state;
    let moved =
        !there.is_empty() && identity(&Place::of(Path::new(&there), None)) != identity(place);
    moved.then_some(there)
}

/// Where this folder is a copy of a queue that a manager runs at this moment, or whose jobs run: the state file there. Both have the same
/// jobs, in the same folders.
pub(crate) fn original_at_work(place: &Place) -> Option<String> {
    let state = moved(place)?;
    let there = Place::of(Path::new(&state), None);
    // The first line of a journal has the moment when its queue began.
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

/// Of the lock's file, whatever path leads to it.
fn identity(place: &Place) -> Option<(u64, u64)> {
    let data = place.lock().metadata().ok()?;
    Some((data.dev(), data.ino()))
}

fn modified(path: &Path) -> Option<Timestamp> {
    let time = path.metadata().ok()?.modified().ok()?;
    Timestamp::try_from(time).ok()
}

fn read(place: &Place) -> Owner {
    small(&place.owner())
}

/// What belongs to the queue; empty when no manager has written it.
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
        // Nobody has had the queue; a manager had it until the machine went down.
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
