//! Changes of a queue's manifest while the queue goes on.

use std::path::PathBuf;

use aris_queue::manifest::{self, Engine, edit};
use aris_queue::tree::Node;
use serde::{Deserialize, Serialize};

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

/// A change that was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(flatten)]
    pub(crate) change: Change,
    /// The name of the request for it; empty: none, or it was made by a version that did not keep it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) request: String,
}

impl Change {
    /// Makes the change in the tree of a manifest.
    ///
    /// **Errors**: why it cannot be; then nothing has changed.
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
