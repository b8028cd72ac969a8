//! Changes of a queue's manifest, also while the queue runs.

use std::collections::BTreeSet;
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
        /// Ids among them whose earlier job, now removed, is in the user's file.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        replaces: BTreeSet<String>,
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

/// Adds a change to the earlier ones. The earlier changes of a removed job are dropped, so that they do not affect a later job with its id.
pub(crate) fn push(all: &mut Vec<Kept>, mut one: Kept) {
    match &mut one.change {
        Change::Remove { ids } => {
            let gone: BTreeSet<String> = ids.drain(..).collect();
            let mut only_added = BTreeSet::new();
            for before in all.iter_mut() {
                before.change.forget(&gone, &mut only_added);
            }
            // A job that is not in the user's file need not be removed from it.
            ids.extend(gone.difference(&only_added).cloned());
        }
        Change::Add { manifest, replaces } => {
            let added = manifest::tree(manifest).map(|root| edit::ids(&root));
            let added: BTreeSet<String> = added.unwrap_or_default().into_iter().collect();
            for before in all.iter_mut() {
                if let Change::Remove { ids } = &mut before.change {
                    replaces.extend(ids.iter().filter(|id| added.contains(*id)).cloned());
                    ids.retain(|id| !added.contains(id));
                }
            }
        }
        _ => {}
    }
    all.push(one);
}

impl Change {
    /// Leaves these jobs out of the change. `only_added` receives those that it adds and that are not in the user's file.
    fn forget(&mut self, gone: &BTreeSet<String>, only_added: &mut BTreeSet<String>) {
        match self {
            Self::Edit { ids, .. } => ids.retain(|id| !gone.contains(id)),
            Self::Add { manifest, replaces } => {
                if let Ok(mut root) = manifest::tree(manifest) {
                    let added = edit::ids(&root).into_iter();
                    let added = added.filter(|id| gone.contains(id) && !replaces.contains(id));
                    only_added.extend(added);
                    edit::take(&mut root, |id| gone.contains(id));
                    *manifest = edit::text(&root);
                }
                replaces.retain(|id| !gone.contains(id));
            }
            _ => {}
        }
    }

    /// The same change without jobs that are not in the user's file; `None`: nothing is left.
    pub(crate) fn of_the_file(&self) -> Option<Self> {
        match self {
            Self::Add { manifest, replaces } => {
                let mut root = manifest::tree(manifest).ok()?;
                edit::take(&mut root, |id| !replaces.contains(id));
                let (manifest, replaces) = (edit::text(&root), replaces.clone());
                (!replaces.is_empty()).then_some(Self::Add { manifest, replaces })
            }
            other => Some(other.clone()),
        }
    }

    /// Makes the change anew in the user's file, which may have changed. A job that it no longer has need not be removed.
    ///
    /// **Errors**: why it cannot be; then nothing has changed.
    pub(crate) fn make_anew(&self, root: &mut Node) -> Result<(), String> {
        let Self::Remove { ids } = self else {
            return self.make(root);
        };
        let there: BTreeSet<String> = edit::ids(root).into_iter().collect();
        let ids: Vec<String> = ids
            .iter()
            .filter(|id| there.contains(*id))
            .cloned()
            .collect();
        edit::remove(root, &ids)
    }

    /// Makes the change in the tree of a manifest.
    ///
    /// **Errors**: why it cannot be made; then nothing has changed.
    pub(crate) fn make(&self, root: &mut Node) -> Result<(), String> {
        let read = |text: &str| manifest::tree(text).map_err(|problem| problem.message);
        match self {
            Self::Reload { .. } => Ok(()),
            Self::Add { manifest, replaces } => {
                let mut new = root.clone();
                edit::take(&mut new, |id| replaces.contains(id));
                edit::add(&mut new, &read(manifest)?)?;
                *root = new;
                Ok(())
            }
            Self::Edit { ids, keys } => edit::edit(root, ids, &read(keys)?),
            Self::Remove { ids } => edit::remove(root, ids),
            Self::Engine(engine) => {
                edit::set(root, "engine", edit::quoted(engine.word()));
                Ok(())
            }
        }
    }
}
