//! Changes of a queue's manifest while the queue goes on.

use std::path::PathBuf;

use aris_queue::state::Queue;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::load::{self, Current};
use crate::place::Place;

/// What is to become of a queue's manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    /// The user's file is read again.
    Reload {
        /// The file; absent: the one of the last time.
        manifest: Option<PathBuf>,
    },
}

impl Change {
    /// The manifest with this change in it; nothing is written.
    ///
    /// **Errors**: why it cannot be.
    pub(crate) fn apply(&self, place: &Place, queue: &Queue) -> Result<Current, Error> {
        let current = match self {
            Self::Reload { manifest } => load::reread(place, manifest.as_deref())?,
        };
        if current.manifest.engine != queue.manifest().engine && queue.active().next().is_some() {
            return Err(Error::Refused(String::from(
                "the engine cannot be changed while jobs run; wait for them or cancel them",
            )));
        }
        Ok(current)
    }
}
