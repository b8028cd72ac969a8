//! One manager for each queue.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use aris_fs::{FsError, Lock};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::manager;
use crate::place::Place;

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

/// What belongs to a queue beside its state file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Parts {
    /// The manifest, absolute.
    pub(crate) manifest: String,
    /// Folder of the logs, absolute.
    pub(crate) logs: String,
}

/// A queue that this process has.
pub(crate) struct Held {
    place: Place,
    _lock: Lock,
}

impl Drop for Held {
    fn drop(&mut self) {
        // Who it was is of interest only while it is.
        aris_fs::remove_file(&self.place.owner()).unwrap_or_default();
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pid == 0 {
            return out.write_str("another process");
        }
        write!(
            out,
            "process {} on {} since {}",
            self.pid, self.host, self.since
        )
    }
}

impl Owner {
    /// Whether this manager, seen from another on the same machine, certainly lives no more.
    fn is_gone(&self, other: &Self) -> bool {
        let here = self.host == other.host && self.boot == other.boot;
        let proc = Path::new("/proc/self").exists();
        proc && here && self.pid > 0 && !Path::new("/proc").join(self.pid.to_string()).exists()
    }
}

/// How long a lock is waited for whose owner is gone: a child that it was just starting holds it for a moment longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Takes the queue, or says who has it.
pub(crate) fn take(place: &Place, owner: &Owner) -> Result<Held, Error> {
    aris_fs::create_dir(&place.queue)?;
    let end = Instant::now() + PATIENCE;
    loop {
        match Lock::try_acquire(&place.lock()) {
            Ok(lock) => {
                let text = serde_json::to_vec(owner).unwrap_or_default();
                aris_fs::write_atomic(&place.owner(), &text)?;
                return Ok(Held {
                    place: place.clone(),
                    _lock: lock,
                });
            }
            Err(FsError::Locked { .. }) => {
                let holder = read(place);
                if !holder.is_gone(owner) || Instant::now() >= end {
                    return Err(Error::Taken {
                        path: place.state.clone(),
                        owner: Box::new(holder),
                    });
                }
                manager::pause(Duration::from_millis(10));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The manager that runs the queue now.
pub(crate) fn holder(place: &Place) -> Option<Owner> {
    if !place.lock().exists() {
        return None;
    }
    match Lock::try_acquire(&place.lock()) {
        Err(FsError::Locked { .. }) => Some(read(place)),
        _ => None,
    }
}

fn read(place: &Place) -> Owner {
    small(&place.owner())
}

/// What belongs to the queue; empty when no manager has written it.
pub(crate) fn parts(place: &Place) -> Parts {
    small(&place.parts())
}

/// Writes what belongs to the queue, unless it stands there.
pub(crate) fn write_parts(place: &Place, parts: &Parts) -> Result<(), Error> {
    if self::parts(place) != *parts {
        let text = serde_json::to_vec(parts).unwrap_or_default();
        aris_fs::write_atomic(&place.parts(), &text)?;
    }
    Ok(())
}

fn small<T: Default + serde::de::DeserializeOwned>(path: &Path) -> T {
    aris_fs::read(path, 64 << 10)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}
