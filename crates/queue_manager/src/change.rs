//! Changes of a queue's manifest while the queue goes on.

use std::path::PathBuf;

use aris_queue::manifest::{Engine, edit, named};
use aris_queue::state::Queue;
use aris_queue::tree::{self, Node};
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
    /// Jobs are added.
    Add {
        /// They, in a manifest of their own, JSON.
        manifest: String,
    },
    /// Jobs get other keys.
    Edit {
        /// The jobs.
        ids: Vec<String>,
        /// The keys, a map in JSON; null takes a key out.
        keys: String,
    },
    /// Jobs are taken out.
    Remove {
        /// The jobs.
        ids: Vec<String>,
    },
    /// Jobs run elsewhere than the user's file says.
    Engine(Engine),
}

impl Change {
    /// The manifest with this change in it; nothing is written.
    ///
    /// **Errors**: why it cannot be.
    pub(crate) fn apply(&self, place: &Place, queue: &Queue) -> Result<Current, Error> {
        let current = match self {
            Self::Reload { manifest } => load::reread(place, manifest.as_deref())?,
            Self::Remove { ids } => {
                let runs = |id: &&String| {
                    let job = queue.find(id);
                    job.is_some_and(|job| queue.run(job).life.is_active())
                };
                let running: Vec<String> = ids.iter().filter(runs).cloned().collect();
                if !running.is_empty() {
                    return Err(Error::Precondition(format!(
                        "under way and not to be removed before being cancelled: {}",
                        named(&running)
                    )));
                }
                load::changed(place, self)?
            }
            Self::Add { .. } | Self::Edit { .. } | Self::Engine(_) => load::changed(place, self)?,
        };
        // Work of hours is not ended because its name was mistyped.
        let lost: Vec<String> = queue
            .active()
            .map(|job| queue.manifest().jobs[job as usize].id.to_string())
            .filter(|id| !current.manifest.jobs.iter().any(|job| *job.id == **id))
            .collect();
        if !lost.is_empty() {
            return Err(Error::Precondition(format!(
                "under way, and the manifest does not have them any more: {}; cancel them first, or give them their ids back",
                named(&lost)
            )));
        }
        if current.manifest.engine != queue.manifest().engine && queue.active().next().is_some() {
            return Err(Error::Precondition(String::from(
                "the engine cannot be changed while jobs run; wait for them or cancel them",
            )));
        }
        Ok(current)
    }

    /// Makes the change in the tree of a manifest.
    ///
    /// **Errors**: why it cannot be; then nothing has changed.
    pub(crate) fn make(&self, root: &mut Node) -> Result<(), String> {
        let read = |text: &str| tree::read(text).map_err(|problem| problem.message);
        match self {
            Self::Reload { .. } => Ok(()),
            Self::Add { manifest } => edit::add(root, &read(manifest)?),
            Self::Edit { ids, keys } => edit::edit(root, ids, &read(keys)?),
            Self::Remove { ids } => edit::remove(root, ids),
            Self::Engine(engine) => {
                edit::set(root, "engine", edit::quoted(engine.word()));
                Ok(())
            }
        }
    }
}
