//! Many attempts under watch at once, behind one descriptor to poll.
//!
//! Two things tell of an end: inotify on the attempt's folder, as soon as the record is there, and a handle on the runner's process. What
//! both miss (a network file system, a limit on watches) a sweep finds; where the system has neither, sweeps do it all.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod sweeps;

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use crate::format::{Claim, Exit, START, Start};

use crate::cards::lease::Lease;
use crate::error::AttemptError;
use crate::launch::{self, Runner};
use crate::processes::Member;
use crate::records;
use crate::standing::{Standing, standing};

#[cfg(target_os = "linux")]
use linux::Source;
#[cfg(not(target_os = "linux"))]
use sweeps::Source;

/// What happened to an attempt.
#[derive(Debug)]
pub enum Seen {
    /// Its command runs.
    Started(Start),
    /// Its runner is gone, and the job runs on. It stays under watch.
    Orphaned,
    /// It is over. The attempt is no longer watched.
    Ended(Box<Exit>),
    /// Its runner is gone without an exit record: [`Standing::Unclaimed`] or [`Standing::Lost`]. No longer watched.
    Left(Standing),
    /// Its folder cannot be read. It stays under watch, and the next sweep looks again.
    Unclear(AttemptError),
}

#[derive(Debug, Default)]
struct Watched {
    folder: PathBuf,
    /// This process's own child, to be asked about when it ended; `None` for a runner that an earlier manager started.
    child: Option<Child>,
    start_told: bool,
    /// Its runner is gone, and the job is not.
    orphan: bool,
}

/// Attempts under watch, each with a key that the caller chose.
#[derive(Debug)]
pub struct Watch {
    source: Source,
    watched: BTreeMap<u64, Watched>,
    /// Runners of which nothing more is told, still to be waited for.
    leaving: Vec<Child>,
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

    /// Readable when [`Watch::seen`] has something to tell; `None` where there is no such thing, and only sweeps tell.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.source.fd()
    }

    /// How often [`Watch::sweep`] is to be called. **Source**: queue design: 30 s, and every second without inotify.
    pub fn sweep_interval(&self) -> Duration {
        Duration::from_secs(if self.source.fd().is_some() { 30 } else { 1 })
    }

    /// Starts a prepared attempt and watches it, in place of what had the same key.
    ///
    /// Its runner gets the leases in the order in which the specification names their files; it leaves this process's session at once, and
    /// goes on when this process ends. It says nothing: what it has to say stands in the folder. Starting an attempt twice is no harm: the
    /// claim lets one run.
    ///
    /// **Errors**: [`AttemptError::System`] when the program cannot be started; then it is not watched, and nothing runs.
    pub fn launch(
        &mut self,
        key: u64,
        runner: &Runner,
        folder: &Path,
        leases: &[Lease],
    ) -> Result<(), AttemptError> {
        self.enter(key, folder);
        let started = launch::start(runner, folder, leases);
        let child = started.inspect_err(|_| self.remove(key))?;
        let pid = i32::try_from(child.id()).unwrap_or(0);
        // Not waited for yet, so the number is its.
        self.source.process(key, pid);
        if let Some(watched) = self.watched.get_mut(&key) {
            watched.child = Some(child);
        }
        Ok(())
    }

    /// Looks where an attempt of an earlier manager stands, and watches it when it runs or when its runner may still come.
    ///
    /// An end that is given here is not told again.
    pub fn adopt(&mut self, key: u64, folder: &Path) -> Result<Standing, AttemptError> {
        // Watched before it is looked at, so that nothing falls between.
        self.enter(key, folder);
        let stands = standing(folder);
        match &stands {
            Ok(Standing::Running {
                claim,
                start,
                orphan,
            }) => {
                self.follow(key, claim, start.as_ref(), *orphan);
                if let Some(watched) = self.watched.get_mut(&key) {
                    watched.start_told = start.is_some();
                    watched.orphan = *orphan;
                }
            }
            Ok(Standing::Unclaimed) => {}
            Ok(Standing::Ended(_) | Standing::Lost { .. }) | Err(_) => self.remove(key),
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

    /// What happened since the last call, by key. Never blocks.
    pub fn seen(&mut self) -> Vec<(u64, Seen)> {
        self.leaving.retain_mut(lives);
        let keys = self.source.hints().into_iter();
        keys.flat_map(|key| self.look(key)).collect()
    }

    /// Looks at every attempt under watch, whether anything was heard of it or not.
    pub fn sweep(&mut self) -> Vec<(u64, Seen)> {
        let keys: Vec<u64> = self.watched.keys().copied().collect();
        let seen = keys.into_iter().flat_map(|key| self.look(key));
        seen.collect()
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

    /// What is new of an attempt: its start, and then its end.
    fn look(&mut self, key: u64) -> Vec<(u64, Seen)> {
        let (start, end) = (self.start_of(key), self.end_of(key));
        let news = start.into_iter().chain(end);
        news.map(|seen| (key, seen)).collect()
    }

    fn start_of(&mut self, key: u64) -> Option<Seen> {
        let watched = self.watched.get_mut(&key)?;
        if watched.start_told {
            return None;
        }
        match records::read_optional(&watched.folder.join(START)) {
            Ok(start) => {
                watched.start_told = start.is_some();
                start.map(Seen::Started)
            }
            Err(error) => Some(Seen::Unclear(error)),
        }
    }

    fn end_of(&mut self, key: u64) -> Option<Seen> {
        let watched = self.watched.get_mut(&key)?;
        // What it exited with says less than its folder.
        watched.child.take_if(|child| !lives(child));
        let seen = match standing(&watched.folder) {
            Ok(Standing::Ended(exit)) => Seen::Ended(exit),
            // A runner that has not come so far, or comes second.
            Ok(_) if watched.child.is_some() => return None,
            // A runner that is not a child: the one that was came second.
            Ok(Standing::Running {
                claim,
                start,
                orphan,
            }) => {
                let news = orphan && !std::mem::replace(&mut watched.orphan, orphan);
                self.follow(key, &claim, start.as_ref(), orphan);
                return news.then_some(Seen::Orphaned);
            }
            Ok(stands) => Seen::Left(stands),
            Err(error) => return Some(Seen::Unclear(error)),
        };
        self.remove(key);
        Some(seen)
    }
}

/// Whether a child of this process has not ended; one that has is waited for.
fn lives(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(None))
}
