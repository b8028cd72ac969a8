//! One manager for each queue.

use std::fmt;

use aris_fs::{FsError, Lock};
use serde::{Deserialize, Serialize};

use crate::error::Error;
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
    /// Its manifest.
    pub manifest: String,
    /// Its logs.
    pub logs: String,
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

/// Takes the queue, or says who has it.
pub(crate) fn take(place: &Place, owner: &Owner) -> Result<Lock, Error> {
    aris_fs::create_dir(&place.queue)?;
    match Lock::try_acquire(&place.lock()) {
        Ok(lock) => {
            let text = serde_json::to_vec(owner).unwrap_or_default();
            aris_fs::write_atomic(&place.owner(), &text)?;
            Ok(lock)
        }
        Err(FsError::Locked { .. }) => Err(Error::Taken {
            path: place.state.clone(),
            owner: Box::new(read(place)),
        }),
        Err(error) => Err(error.into()),
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

/// The last manager there was.
pub(crate) fn read(place: &Place) -> Owner {
    aris_fs::read(&place.owner(), 64 << 10)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}
