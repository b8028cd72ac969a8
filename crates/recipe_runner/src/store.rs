//! The file of a run: locked while it is used, and never overwritten by another run. It is a [journal], which only grows.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_fs::{FsError, Lock};
use aris_recipe::engine::State;

use crate::attempt::{self, Left, Part};
use crate::cli::WaitArgs;
use crate::error::Error;
use crate::journal::{self, Writer, attempts_of, beside};

/// Most states of earlier runs that are kept beside a state.
const MANY: u32 = 10_000;

/// The file of a run, locked.
#[derive(Debug)]
pub(crate) struct Store {
    path: PathBuf,
    /// Held for as long as the store lives.
    lock: Lock,
    /// Whether another process held it before.
    waited: bool,
    writer: RefCell<Writer>,
}

impl Store {
    /// Locks a state. `what` tells others who holds it. With `must_exist`, nothing is written beside a state that does not exist.
    ///
    /// **Errors**: another process holds it for longer than `wait` allows.
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
            return Err(Error::no_file(&path, "state"));
        }
        let lock_path = beside(&path, ".lock");
        let free = Lock::try_acquire(&lock_path);
        let waited = matches!(free, Err(FsError::Locked { .. }));
        let until = Instant::now() + patience;
        let lock = match free.or_else(|_| Lock::acquire_before(&lock_path, until)) {
            Ok(lock) => lock,
            Err(FsError::Locked { .. }) => {
                let named = aris_fs::read_text(&lock_path).unwrap_or_default();
                let named = Some(named.trim()).filter(|named| !named.is_empty());
                let holder = named.unwrap_or("another process").to_owned();
                let reason = format!("{} is in use by {holder}", path.display());
                let kind = ErrorKind::Precondition;
                return Err(Error::refused_at(
                    &path,
                    kind,
                    reason,
                    "wait until it is done",
                ));
            }
            Err(error) => return Err(error.into()),
        };
        let holder = format!("{what}, process {}", std::process::id());
        aris_fs::write_unsynced(&lock_path, holder.as_bytes())?;
        Ok(Self {
            path,
            lock,
            waited,
            writer: RefCell::default(),
        })
    }

    /// Reads the state, with everything that was captured.
    ///
    /// **Errors**: when there is none, or when it is malformed.
    pub(crate) fn load(&self, context: &Context) -> Result<State, Error> {
        let read =
            journal::read(&self.path, true)?.ok_or_else(|| Error::no_file(&self.path, "state"))?;
        if read.torn > 0 {
            let (path, torn) = (self.path.display(), read.torn);
            context.note(&format!(
                "{path}: the last line is incomplete ({torn} bytes, from a write that was cut off) and is ignored"
            ));
        }
        self.writer.replace(read.writer);
        Ok(read.state)
    }

    /// Writes what is new in the state, all of it or nothing.
    pub(crate) fn save(&self, state: &State) -> Result<(), Error> {
        self.writer.borrow_mut().save(&self.path, state)
    }

    /// Makes room for a new run: moves the state of a run that is over aside, with its attempts. A state that is not over is moved only
    /// with `always`.
    ///
    /// **Errors**: the run is not over, or was in use until now, without `always`; or a step of it still runs.
    pub(crate) fn make_room(&self, always: bool, context: &Context) -> Result<(), Error> {
        let there = read(&self.path);
        let is_there = !matches!(there, Ok(None));
        let unfinished = match there {
            Ok(state) => state.filter(|state| !state.status.is_over()),
            Err(_) if always => None,
            Err(error) => return Err(error),
        };
        // A call that waited for another run to end did not ask for a new one.
        let in_the_way = match &unfinished {
            Some(_) => Some("holds a run that has not ended"),
            None if is_there && self.waited => {
                Some("was in use by another call, and its run has ended")
            }
            None => None,
        };
        if let Some(what) = in_the_way.filter(|_| !always) {
            let reason = format!("{} {what}", self.path.display());
            let hint = "continue it with recipe_runner resume --state, look at it with status, set it aside with --new, or name another state";
            let kind = ErrorKind::Precondition;
            return Err(Error::refused_at(&self.path, kind, reason, hint));
        }
        let attempts = self.attempts();
        if let Some(state) = unfinished {
            let step = state.cursor.as_deref().unwrap_or_default();
            for part in attempt::parts(&attempts.join(ticket(&state)))? {
                if let Left::AtWork(work) = part.left {
                    return Err(work.refuses(step));
                }
            }
        }
        if !is_there && !attempts.exists() {
            return Ok(());
        }
        let free = (1..MANY).find(|number| {
            let aside = beside(&self.path, &format!(".{number}"));
            !aside.exists() && !beside(&aside, ".d").exists()
        });
        let aside = beside(&self.path, &format!(".{}", free.unwrap_or(MANY)));
        // The attempts are moved first. If only that is done, the state has no attempts, which does no harm; attempts without their state
        // would be taken for those of the next run.
        if attempts.exists() {
            aris_fs::rename_new(&attempts, &beside(&aside, ".d"))?;
        }
        if is_there {
            aris_fs::rename_new(&self.path, &aside)?;
            let aside = aside.display();
            context.note(&format!("the earlier state was moved to {aside}"));
        }
        Ok(())
    }

    /// Folders of the attempts of the step at the cursor that were begun, and of which it is not known how they ended.
    pub(crate) fn interrupted(&self, state: &State) -> Result<Vec<PathBuf>, Error> {
        let parts = attempt::parts(&self.attempts().join(ticket(state)))?;
        let is_interrupted = |part: &Part| matches!(part.left, Left::Interrupted);
        let interrupted = parts.into_iter().filter(is_interrupted);
        Ok(interrupted.map(|part| part.folder).collect())
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
        // The text only names the holder of the lock. If it stays, nobody reads it while the lock is free.
        aris_fs::write_unsynced(self.lock.path(), b"").unwrap_or_default();
    }
}

/// Reads a state that another process may be using, without values in files of their own; `None` where there is none.
///
/// **Errors**: when it is malformed.
fn read(path: &Path) -> Result<Option<State>, Error> {
    Ok(journal::read(path, false)?.map(|read| read.state))
}

/// The same for a state that must exist.
///
/// **Errors**: also when it does not exist.
pub(crate) fn load(path: &Path) -> Result<State, Error> {
    read(path)?.ok_or_else(|| Error::no_file(path, "state"))
}

/// The name of the next attempt: the number of its entry in the journal, and its own number.
pub(crate) fn ticket(state: &State) -> String {
    format!("{}.{}", state.journal.len() + 1, state.attempts + 1)
}
