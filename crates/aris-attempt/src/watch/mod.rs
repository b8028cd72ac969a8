//! Watches many attempts at once, behind one descriptor for `poll`.
//!
//! The end of an attempt is noticed in two ways: by inotify on its folder, as soon as the record is written, and by a pidfd of its runner.
//! A regular sweep finds what both miss, for example on a network file system or when the limit of watches is reached.

mod source;

use std::collections::BTreeMap;
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::format::{Claim, Start};

use crate::cards::lease::Lease;
use crate::error::AttemptError;
use crate::handoff;
use crate::launch::{Runner, Waiting};
use crate::processes::Member;
use crate::standing::{Standing, standing};
use source::Source;

/// The new state of an attempt, or why it cannot be read; then the attempt is still watched, and the next sweep tries again.
pub type Seen = Result<Standing, AttemptError>;

#[derive(Debug, Default)]
struct Watched {
    folder: PathBuf,
    /// The runner, if it is a child of this process; `None` for a runner that an earlier manager started.
    child: Option<Waiting>,
    /// The state that was last reported.
    told: Option<Standing>,
}

/// How often to call [`Watch::sweep`]. **Source**: queue design.
pub const SWEEP: Duration = Duration::from_secs(30);

/// The watched attempts, each with a key that the caller chose.
#[derive(Debug)]
pub struct Watch {
    source: Source,
    watched: BTreeMap<u64, Watched>,
    /// Runners that are no longer watched and must still be reaped.
    leaving: Vec<Waiting>,
}

impl Watch {
    /// Creates a watch without any attempt.
    pub fn new() -> Result<Self, AttemptError> {
        Ok(Self {
            source: Source::new().map_err(AttemptError::system("watch attempts"))?,
            watched: BTreeMap::new(),
            leaving: Vec::new(),
        })
    }

    /// Readable if [`Watch::seen`] may have something new.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.source.fd()
    }

    /// Starts a prepared attempt and watches it, as [`Runner::start`] and [`Watch::begin`] do.
    pub fn launch(
        &mut self,
        key: u64,
        runner: &Runner,
        folder: &Path,
        leases: &[Lease],
    ) -> Result<(), AttemptError> {
        let waiting = runner.start(folder)?;
        self.begin(key, waiting, folder, leases)
    }

    /// Lets the runner of a prepared attempt begin, and watches the attempt. It replaces an attempt with the same key.
    ///
    /// The runner gets the leases, in the order in which the specification names their files. It continues when this process ends. Starting
    /// an attempt twice is harmless, because only one runner can claim it.
    ///
    /// **Errors**: the system refuses; then the attempt is not watched, and nothing runs.
    pub fn begin(
        &mut self,
        key: u64,
        waiting: Waiting,
        folder: &Path,
        leases: &[Lease],
    ) -> Result<(), AttemptError> {
        self.enter(key, folder);
        if let Err(error) = handoff::give(&waiting.line, leases) {
            self.remove(key);
            self.dismiss(waiting);
            return Err(error);
        }
        let pid = i32::try_from(waiting.child.id()).unwrap_or(0);
        // The process was not reaped yet, so this id is still its own.
        self.source.process(key, pid);
        if let Some(watched) = self.watched.get_mut(&key) {
            watched.child = Some(waiting);
        }
        Ok(())
    }

    /// Dismisses a runner that should not begin.
    pub fn dismiss(&mut self, waiting: Waiting) {
        // The runner exits when the connection ends.
        waiting.line.shutdown(Shutdown::Both).unwrap_or_default();
        self.leaving.push(waiting);
    }

    /// Reads the state of an attempt of an earlier manager. Watches it if it runs, or if its runner may still claim it. The state that this
    /// gives is not reported again.
    pub fn adopt(&mut self, key: u64, folder: &Path) -> Seen {
        // Watched before its state is read, so that no change is missed.
        self.enter(key, folder);
        let stands = self.look(key).unwrap_or(Ok(Standing::Unclaimed));
        if matches!(stands, Ok(Standing::Unclaimed)) {
            self.enter(key, folder);
        }
        stands
    }

    /// Waits for the end of a runner that is no child of this process, or, if the runner is dead, of the command. Other processes of such a
    /// job are noticed by the sweep.
    fn follow(&mut self, key: u64, claim: &Claim, start: Option<&Start>, orphan: bool) {
        let process = if orphan {
            start.map(|start| &start.process)
        } else {
            Some(&claim.runner).filter(|_| claim.host == crate::host())
        };
        let Some(member) = process.map(Member::from) else {
            return;
        };
        // Checked again after the watch was set up, because the id may belong to another process by then.
        if member.lives() && self.source.process(key, member.pid) && !member.lives() {
            self.source.leave_process(key);
        }
    }

    /// Stops watching an attempt, which continues to run.
    pub fn remove(&mut self, key: u64) {
        if let Some(watched) = self.watched.remove(&key) {
            self.source.leave(key);
            self.leaving.extend(watched.child);
        }
    }

    /// Number of watched attempts.
    pub fn len(&self) -> usize {
        self.watched.len()
    }

    /// Whether no attempt is watched.
    pub fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }

    /// The attempts whose state changed since the last call, by key. An attempt that no longer runs is removed. Never blocks.
    pub fn seen(&mut self) -> Vec<(u64, Seen)> {
        self.leaving.retain_mut(lives);
        let keys = self.source.hints();
        self.news(keys)
    }

    /// Reads the state of every watched attempt.
    pub fn sweep(&mut self) -> Vec<(u64, Seen)> {
        let keys: Vec<u64> = self.watched.keys().copied().collect();
        self.news(keys)
    }

    fn news(&mut self, keys: impl IntoIterator<Item = u64>) -> Vec<(u64, Seen)> {
        let news = |key| Some((key, self.look(key)?));
        keys.into_iter().filter_map(news).collect()
    }

    /// Watches a folder under a key. The key's earlier watch is removed first, because inotify has only one watch for each folder.
    fn enter(&mut self, key: u64, folder: &Path) {
        self.remove(key);
        self.source.folder(key, folder);
        let watched = Watched {
            folder: folder.to_path_buf(),
            ..Watched::default()
        };
        self.watched.insert(key, watched);
    }

    /// The new state of an attempt; `None`: it has not changed since it was last reported.
    fn look(&mut self, key: u64) -> Option<Seen> {
        let watched = self.watched.get_mut(&key)?;
        // The folder says more than the runner's exit status.
        watched.child.take_if(|child| !lives(child));
        let stands = match standing(&watched.folder) {
            Ok(stands) => stands,
            Err(error) => return Some(Err(error)),
        };
        let own = watched.child.is_some();
        match &stands {
            Standing::Running {
                claim,
                start,
                orphan,
            } => {
                let before = watched.told.replace(stands.clone());
                if !own {
                    self.follow(key, claim, start.as_ref(), *orphan);
                }
                if before.as_ref() == Some(&stands) {
                    return None;
                }
            }
            // Its runner has not claimed it yet, or came second.
            Standing::Unclaimed | Standing::Lost { .. } if own => return None,
            _ => self.remove(key),
        }
        Some(Ok(stands))
    }
}

/// Whether a child of this process still runs; one that has ended is reaped.
fn lives(runner: &mut Waiting) -> bool {
    matches!(runner.child.try_wait(), Ok(None))
}
