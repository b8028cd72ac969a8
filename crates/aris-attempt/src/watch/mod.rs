//! Many attempts under watch at once, behind one descriptor to poll.
//!
//! Two things tell of an end: inotify on the attempt's folder, as soon as the record is there, and a handle on the runner's process. What
//! both miss (a network file system, a limit on watches) a sweep finds.

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

/// Where an attempt stands that is news, or why that cannot be told: then it stays under watch, and the next sweep looks again.
pub type Seen = Result<Standing, AttemptError>;

#[derive(Debug, Default)]
struct Watched {
    folder: PathBuf,
    /// This process's own child, to be asked about when it ended; `None` for a runner that an earlier manager started.
    child: Option<Waiting>,
    /// What was told of it last.
    told: Option<Standing>,
}

/// How often [`Watch::sweep`] is to be called. **Source**: queue design.
pub const SWEEP: Duration = Duration::from_secs(30);

/// Attempts under watch, each with a key that the caller chose.
#[derive(Debug)]
pub struct Watch {
    source: Source,
    watched: BTreeMap<u64, Watched>,
    /// Runners of which nothing more is told, still to be waited for.
    leaving: Vec<Waiting>,
}

impl Watch {
    /// Watches nothing yet.
    pub fn new() -> Result<Self, AttemptError> {
        Ok(Self {
            source: Source::new().map_err(AttemptError::system("watch attempts"))?,
            watched: BTreeMap::new(),
            leaving: Vec::new(),
        })
    }

    /// Readable when [`Watch::seen`] has something to tell.
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

    /// Lets a runner begin its attempt, which is prepared, and watches it, in place of what had the same key.
    ///
    /// It gets the leases in the order in which the specification names their files, and goes on when this process ends. Starting an
    /// attempt twice is no harm: the claim lets one run.
    ///
    /// **Errors**: what the system refuses; then it is not watched, and nothing runs.
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
        // Not waited for yet, so the number is its.
        self.source.process(key, pid);
        if let Some(watched) = self.watched.get_mut(&key) {
            watched.child = Some(waiting);
        }
        Ok(())
    }

    /// Lets a runner go that is not to begin.
    pub fn dismiss(&mut self, waiting: Waiting) {
        // It has nothing else to hear.
        waiting.line.shutdown(Shutdown::Both).unwrap_or_default();
        self.leaving.push(waiting);
    }

    /// Looks where an attempt of an earlier manager stands, and watches it when it runs or when its runner may still come. What is given
    /// here is not told again.
    pub fn adopt(&mut self, key: u64, folder: &Path) -> Seen {
        // Watched before it is looked at, so that nothing falls between.
        self.enter(key, folder);
        let stands = self.look(key).unwrap_or(Ok(Standing::Unclaimed));
        if matches!(stands, Ok(Standing::Unclaimed)) {
            self.enter(key, folder);
        }
        stands
    }

    /// Waits for the end of a runner that is no child of this process, or of the command in place of that of its runner. What else is
    /// left of a job without a runner a sweep finds.
    fn follow(&mut self, key: u64, claim: &Claim, start: Option<&Start>, orphan: bool) {
        let process = if orphan {
            start.map(|start| &start.process)
        } else {
            Some(&claim.runner).filter(|_| claim.host == crate::host())
        };
        let Some(member) = process.map(Member::from) else {
            return;
        };
        // Looked at after it is watched, too: the number may belong to another process by now.
        if member.lives() && self.source.process(key, member.pid) && !member.lives() {
            self.source.leave_process(key);
        }
    }

    /// Watches an attempt no more; what runs goes on.
    pub fn remove(&mut self, key: u64) {
        if let Some(watched) = self.watched.remove(&key) {
            self.source.leave(key);
            self.leaving.extend(watched.child);
        }
    }

    /// Number of attempts under watch.
    pub fn len(&self) -> usize {
        self.watched.len()
    }

    /// Whether nothing is under watch.
    pub fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }

    /// What happened since the last call, by key. An attempt that does not run any more is no longer watched. Never blocks.
    pub fn seen(&mut self) -> Vec<(u64, Seen)> {
        self.leaving.retain_mut(lives);
        let keys = self.source.hints();
        self.news(keys)
    }

    /// Looks at every attempt under watch, whether anything was heard of it or not.
    pub fn sweep(&mut self) -> Vec<(u64, Seen)> {
        let keys: Vec<u64> = self.watched.keys().copied().collect();
        self.news(keys)
    }

    fn news(&mut self, keys: impl IntoIterator<Item = u64>) -> Vec<(u64, Seen)> {
        let news = |key| Some((key, self.look(key)?));
        keys.into_iter().filter_map(news).collect()
    }

    /// Watches a folder under a key; what was watched under it before is not any more, because two watches of one folder would be one.
    fn enter(&mut self, key: u64, folder: &Path) {
        self.remove(key);
        self.source.folder(key, folder);
        let watched = Watched {
            folder: folder.to_path_buf(),
            ..Watched::default()
        };
        self.watched.insert(key, watched);
    }

    /// Where an attempt stands now; `None`: as was told.
    fn look(&mut self, key: u64) -> Option<Seen> {
        let watched = self.watched.get_mut(&key)?;
        // What it exited with says less than its folder.
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
            // A runner that has not come so far, or comes second.
            Standing::Unclaimed | Standing::Lost { .. } if own => return None,
            _ => self.remove(key),
        }
        Some(Ok(stands))
    }
}

/// Whether a child of this process has not ended; one that has is waited for.
fn lives(runner: &mut Waiting) -> bool {
    matches!(runner.child.try_wait(), Ok(None))
}
