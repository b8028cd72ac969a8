//! The file that a run lives in: locked while it is used, replaced whole, never overwritten by another run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aris_cli::Context;
use aris_fs::{FsError, Lock};
use aris_recipe::engine::State;
use aris_recipe::engine::state::STATE_SCHEMA;

use crate::cli::WaitArgs;
use crate::error::Error;

/// Bytes that a state may have. **Source**: ours; results of commands may be captured whole.
const LIMIT: u64 = 64 << 20;
/// States of earlier runs that are kept beside a state.
const MANY: u32 = 10_000;

/// The file of a run, locked.
#[derive(Debug)]
pub(crate) struct Store {
    path: PathBuf,
    /// Held for as long as the store lives.
    lock: Lock,
}

impl Store {
    /// Locks a state. `what` says to others who holds it. Nothing is made beside a state that must exist and does not.
    ///
    /// **Errors**: [`Error::Held`] when somebody else holds it for longer than a moment.
    pub(crate) fn open(
        path: &Path,
        what: &str,
        must_exist: bool,
        wait: &WaitArgs,
        context: &Context,
    ) -> Result<Self, Error> {
        let patience = Duration::from_secs(u64::from(wait.wait));
        let path = context.absolute(path);
        if must_exist && !path.exists() {
            return Err(Error::NoFile {
                path,
                what: "state",
            });
        }
        let lock_path = beside(&path, ".lock");
        let lock = match Lock::acquire_before(&lock_path, Instant::now() + patience) {
            Ok(lock) => lock,
            Err(FsError::Locked { .. }) => {
                let holder = aris_fs::read_text(&lock_path).unwrap_or_default();
                let holder = match holder.trim() {
                    "" => String::from("another process"),
                    named => named.to_owned(),
                };
                return Err(Error::Held { path, holder });
            }
            Err(error) => return Err(error.into()),
        };
        let holder = format!("{what}, process {}", std::process::id());
        aris_fs::write_unsynced(&lock_path, holder.as_bytes())?;
        Ok(Self { path, lock })
    }

    /// Reads the state.
    ///
    /// **Errors**: [`Error::NoFile`] when there is none, [`Error::State`] when it is malformed.
    pub(crate) fn load(&self) -> Result<State, Error> {
        load(&self.path)
    }

    fn load_optional(&self) -> Result<Option<State>, Error> {
        read(&self.path)
    }

    /// Writes the state; whole or not at all.
    pub(crate) fn save(&self, state: &State) -> Result<(), Error> {
        let mut text = serde_json::to_string_pretty(state).map_err(|error| Error::State {
            path: self.path.clone(),
            reason: error.to_string(),
        })?;
        text.push('\n');
        Ok(aris_fs::write_atomic(&self.path, text.as_bytes())?)
    }

    /// Makes room for a new run: a state that is over is put aside, with its attempts. One that is not over is only put aside when
    /// `always` says so.
    ///
    /// **Errors**: [`Error::Unfinished`].
    pub(crate) fn make_room(&self, always: bool, context: &Context) -> Result<(), Error> {
        let there = match self.load_optional() {
            Ok(None) => None,
            Ok(Some(state)) if state.status.is_over() || always => Some(()),
            Err(_) if always => Some(()),
            Ok(Some(_)) => {
                return Err(Error::Unfinished {
                    path: self.path.clone(),
                });
            }
            Err(error) => return Err(error),
        };
        let attempts = self.attempts();
        if there.is_none() && !attempts.exists() {
            return Ok(());
        }
        let free = (1..MANY).find(|number| {
            let aside = beside(&self.path, &format!(".{number}"));
            !aside.exists() && !beside(&aside, ".d").exists()
        });
        let aside = beside(&self.path, &format!(".{}", free.unwrap_or(MANY)));
        // The attempts first: a state without its attempts is over, attempts without their state would be taken for those of
        // the next run.
        if attempts.exists() {
            aris_fs::rename_new(&attempts, &beside(&aside, ".d"))?;
        }
        if there.is_some() {
            aris_fs::rename_new(&self.path, &aside)?;
            context.note(&format!("the earlier run is kept in {}", aside.display()));
        }
        Ok(())
    }

    /// The folder of attempts.
    pub(crate) fn attempts(&self) -> PathBuf {
        attempts_of(&self.path)
    }

    /// The state's file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Only says who holds the lock: nobody does any more. A name that stays is never read without a holder.
        aris_fs::write_unsynced(self.lock.path(), b"").unwrap_or_default();
    }
}

/// Reads a state that somebody else may be using; `None` where there is none.
///
/// **Errors**: [`Error::State`] when it is malformed.
pub(crate) fn read(path: &Path) -> Result<Option<State>, Error> {
    let Some(bytes) = aris_fs::read_optional(path, LIMIT)? else {
        return Ok(None);
    };
    let wrong = |reason: String| Error::State {
        path: path.to_path_buf(),
        reason,
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(wrong(String::from("the file is empty")));
    }
    let mut state: State =
        serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    if state.schema.is_empty() {
        STATE_SCHEMA.clone_into(&mut state.schema);
    }
    if state.schema != STATE_SCHEMA {
        return Err(wrong(format!(
            "its schema is {:?}, not {STATE_SCHEMA:?}",
            state.schema
        )));
    }
    Ok(Some(state))
}

/// The same of one that must be there.
///
/// **Errors**: [`Error::NoFile`], too.
pub(crate) fn load(path: &Path) -> Result<State, Error> {
    read(path)?.ok_or_else(|| Error::NoFile {
        path: path.to_path_buf(),
        what: "state",
    })
}

/// The folder of the attempts of a state.
pub(crate) fn attempts_of(state: &Path) -> PathBuf {
    beside(state, ".d")
}

/// The path with something added to its name.
fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(more);
    PathBuf::from(name)
}
