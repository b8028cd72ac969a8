//! The file of a run: locked while it is used, and never overwritten by another run. It is a [journal], which only grows.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_fs::{FsError, Lock};
use aris_recipe::engine::State;

use crate::attempt::{self, Left, Part, Started};
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
        if read.writer.is_new() && self.attempts().exists() {
            // What a run left whose state is gone is no work of the one that begins here.
            for folder in aris_fs::list_sorted(&self.attempts())? {
                idle(&folder.path, &folder.name.to_string_lossy())?;
            }
            let aside = self.free();
            self.move_attempts(&aside)?;
            let aside = beside(&aside, ".d");
            let aside = aside.display();
            context.note(&format!(
                "the state has no journal yet: the attempts of an earlier run were moved to {aside}"
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
        let there = read(&self.path).map(|read| read.map(|(state, _)| state));
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
            idle(&attempts.join(ticket(&state)), step)?;
        }
        if !is_there && !attempts.exists() {
            return Ok(());
        }
        let aside = self.free();
        // The attempts first: a state without its attempts is over, attempts without their state would be taken for those of
        // the next run.
        self.move_attempts(&aside)?;
        if is_there {
            aris_fs::rename_new(&self.path, &aside)?;
            let aside = aside.display();
            context.note(&format!("the earlier state was moved to {aside}"));
        }
        Ok(())
    }

    /// Where an earlier run goes.
    fn free(&self) -> PathBuf {
        let free = (1..MANY).find(|number| {
            let aside = beside(&self.path, &format!(".{number}"));
            !aside.exists() && !beside(&aside, ".d").exists()
        });
        beside(&self.path, &format!(".{}", free.unwrap_or(MANY)))
    }

    fn move_attempts(&self, aside: &Path) -> Result<(), Error> {
        let attempts = self.attempts();
        if attempts.exists() {
            aris_fs::rename_new(&attempts, &beside(aside, ".d"))?;
        }
        Ok(())
    }

    /// Folders of the attempts of the step at the cursor of which somebody has to look first what came of them, and what is said of each.
    pub(crate) fn unclear(&self, state: &State) -> Result<Vec<(PathBuf, String)>, Error> {
        let folder = self.attempts().join(ticket(state));
        let parts = attempt::parts(&folder, Some(&self.started()))?;
        let step = state.cursor.as_deref().unwrap_or_default();
        let said = |part: Part| {
            let said = part.left.unclear(step, &part.folder)?;
            Some((part.folder, said))
        };
        Ok(parts.into_iter().filter_map(said).collect())
    }

    /// Writes down which attempts are about to be started, with their requests.
    pub(crate) fn start(
        &self,
        state: &State,
        attempts: &[(&Path, String)],
    ) -> Result<Started, Error> {
        let root = self.attempts();
        let named = attempts.iter();
        let named = named.map(|(folder, digest)| (Started::name(&root, folder), digest.clone()));
        let named = named.collect();
        self.writer.borrow_mut().start(&self.path, state, named)?;
        Ok(self.started())
    }

    /// Which attempts of the step at the cursor were started.
    pub(crate) fn started(&self) -> Started {
        let digests = self.writer.borrow().started().clone();
        let root = self.attempts();
        Started { root, digests }
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
fn read(path: &Path) -> Result<Option<(State, Started)>, Error> {
    let read = journal::read(path, false)?;
    Ok(read.map(|read| {
        let (root, digests) = (attempts_of(path), read.writer.started().clone());
        (read.state, Started { root, digests })
    }))
}

/// **Errors**: an attempt in this folder is at work.
fn idle(folder: &Path, step: &str) -> Result<(), Error> {
    for part in attempt::parts(folder, None)? {
        if let Left::AtWork(work) = part.left {
            let step = attempt::step_of(&part.folder)?.unwrap_or_else(|| step.to_owned());
            return Err(work.refuses(&step));
        }
    }
    Ok(())
}

/// Whether a process uses a state.
pub(crate) fn is_used(path: &Path) -> Result<bool, Error> {
    Ok(Lock::is_held(&beside(path, ".lock"))?)
}

/// The same for a state that must exist.
///
/// **Errors**: when it is not there, too.
pub(crate) fn load(path: &Path) -> Result<(State, Started), Error> {
    read(path)?.ok_or_else(|| Error::no_file(path, "state"))
}

/// The name of the next attempt: the number of its entry in the journal, and its own number.
pub(crate) fn ticket(state: &State) -> String {
    format!("{}.{}", state.journal.len() + 1, state.attempts + 1)
}
