//! Changes of a queue's manifest, also while the queue runs.

use std::path::PathBuf;

use aris_queue::manifest::{self, Engine, edit};
use aris_queue::tree::Node;
use serde::{Deserialize, Serialize};

/// A change of a queue's manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    /// Read the user's file again.
    Reload {
        /// The file; absent: the one of the last run.
        manifest: Option<PathBuf>,
    },
    /// Add jobs.
    Add {
        /// The jobs, as a manifest of their own in JSON.
        manifest: String,
    },
    /// Set keys of jobs.
    Edit {
        /// The jobs.
        ids: Vec<String>,
        /// The keys, a map in JSON; null removes a key.
        keys: String,
    },
    /// Remove jobs.
    Remove {
        /// The jobs.
        ids: Vec<String>,
    },
    /// Run the jobs on this engine, whatever the user's file says.
    Engine(Engine),
}

/// A change that was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(flatten)]
    pub(crate) change: Change,
    /// The name of the request for it; empty: there was none, or an older version made the change.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) request: String,
}

impl Change {
    /// Makes the change in the tree of a manifest.
    ///
    /// **Errors**: why it cannot be made; then nothing has changed.
    pub(crate) fn make(&self, root: &mut Node) -> Result<(), String> {
        let read = |text: &str| manifest::tree(text).map_err(|problem| problem.message);
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
