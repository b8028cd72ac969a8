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

use crate::format::{Claim, EXIT, Exit, START, Start};

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

/// Something under the hand of [`Source`]: what it is told about, and told apart by.
type Token = u64;

#[derive(Debug)]
struct Watched {
    key: u64,
    folder: PathBuf,
    /// This process's own child, to be asked about when it ended; `None` for a runner that an earlier manager started.
    child: Option<Child>,
    start_told: bool,
    /// Its runner is gone, and the job is not.
    orphan: bool,
    /// The end has been told; only the runner is still to be waited for.
    over: bool,
}

/// Attempts under watch, each with a key that the caller chose.
#[derive(Debug)]
pub struct Watch {
    source: Source,
    watched: BTreeMap<Token, Watched>,
    next: Token,
}

/// What a source saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "sweeps need no hints")
)]
enum Hint {
    /// A start record came.
    Start(Token),
    /// An exit record came.
    Exit(Token),
    /// The runner's process is gone.
    Gone(Token),
    /// More happened than could be told.
    Anything,
}

impl Watch {
    /// Watches nothing yet.
    pub fn new() -> Result<Self, AttemptError> {
        Ok(Self {
            source: Source::new()?,
            watched: BTreeMap::new(),
            next: 1,
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
        let token = self.enter(key, folder);
        match launch::start(runner, folder, leases) {
            Ok(child) => {
                let pid = i32::try_from(child.id()).unwrap_or(0);
                // Not waited for yet, so the number is its.
                self.source.process(token, pid);
                if let Some(watched) = self.watched.get_mut(&token) {
                    watched.child = Some(child);
                }
                Ok(())
            }
            Err(error) => {
                self.forget(token);
                Err(error)
            }
        }
    }

    /// Looks where an attempt of an earlier manager stands, and watches it when it runs or when its runner may still come.
    ///
    /// An end that is given here is not told again.
    pub fn adopt(&mut self, key: u64, folder: &Path) -> Result<Standing, AttemptError> {
        // Watched before it is looked at, so that nothing falls between.
        let token = self.enter(key, folder);
        let stands = standing(folder);
        match &stands {
            Ok(Standing::Running {
                start,
                orphan: true,
                ..
            }) => {
                self.watch_orphan(token, start.as_ref());
                if let Some(watched) = self.watched.get_mut(&token) {
                    watched.start_told = start.is_some();
                    watched.orphan = true;
                }
            }
            Ok(Standing::Running { claim, start, .. }) => {
                self.watch_runner(token, claim);
                if let Some(watched) = self.watched.get_mut(&token) {
                    watched.start_told = start.is_some();
                }
            }
            Ok(Standing::Unclaimed) => {}
            Ok(Standing::Ended(_) | Standing::Lost { .. }) | Err(_) => self.forget(token),
        }
        stands
    }

    /// Waits for the end of a runner that is no child of this process.
    fn watch_runner(&mut self, token: Token, claim: &Claim) {
        let runner = Member::from(&claim.runner);
        let here = claim.host == crate::host();
        // Looked at after it is watched: the number may belong to another process by now.
        if here && self.source.process(token, runner.pid) && !runner.lives() {
            self.source.leave_process(token);
        }
    }

    /// Waits for the end of a command in place of that of its runner. What else is left of the job a sweep finds.
    fn watch_orphan(&mut self, token: Token, start: Option<&Start>) {
        let Some(member) = start.map(|start| Member::from(&start.process)) else {
            return;
        };
        if member.lives() && self.source.process(token, member.pid) && !member.lives() {
            self.source.leave_process(token);
        }
    }

    /// Watches an attempt no more; what runs goes on.
    pub fn remove(&mut self, key: u64) {
        let tokens: Vec<Token> = self
            .watched
            .iter()
            .filter(|(_, watched)| watched.key == key && !watched.over)
            .map(|(token, _)| *token)
            .collect();
        for token in tokens {
            self.end(token);
        }
    }

    /// Number of attempts under watch.
    pub fn len(&self) -> usize {
        self.watched
            .values()
            .filter(|watched| !watched.over)
            .count()
    }

    /// Whether nothing is under watch.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What happened since the last call, by key. Never blocks.
    pub fn seen(&mut self) -> Vec<(u64, Seen)> {
        let hints = self.source.hints();
        let mut told = Vec::new();
        for hint in hints {
            match hint {
                Hint::Anything => told.extend(self.sweep()),
                Hint::Start(token) => told.extend(self.start_of(token)),
                Hint::Exit(token) => told.extend(self.exit_of(token)),
                Hint::Gone(token) => told.extend(self.gone(token)),
            }
        }
        told
    }

    /// Looks at every attempt under watch, whether anything was heard of it or not.
    pub fn sweep(&mut self) -> Vec<(u64, Seen)> {
        let tokens: Vec<Token> = self.watched.keys().copied().collect();
        let mut told = Vec::new();
        for token in tokens {
            told.extend(self.start_of(token));
            let Some(watched) = self.watched.get_mut(&token) else {
                continue;
            };
            match watched.child.as_mut().map(Child::try_wait) {
                Some(Ok(Some(_)) | Err(_)) => told.extend(self.gone(token)),
                Some(Ok(None)) => told.extend(self.exit_of(token)),
                None => told.extend(self.look(token)),
            }
        }
        told
    }

    /// Watches a folder under a key; what was watched under it before is not any more, because two watches of one folder would be one.
    fn enter(&mut self, key: u64, folder: &Path) -> Token {
        self.remove(key);
        let token = self.next;
        self.next += 1;
        self.source.folder(token, folder);
        self.watched.insert(
            token,
            Watched {
                key,
                folder: folder.to_path_buf(),
                child: None,
                start_told: false,
                orphan: false,
                over: false,
            },
        );
        token
    }

    fn start_of(&mut self, token: Token) -> Option<(u64, Seen)> {
        let watched = self.watched.get_mut(&token)?;
        if watched.start_told || watched.over {
            return None;
        }
        let seen = match records::read_optional(&watched.folder.join(START)) {
            Ok(start) => Seen::Started(start?),
            Err(error) => Seen::Unclear(error),
        };
        watched.start_told = matches!(seen, Seen::Started(_));
        Some((watched.key, seen))
    }

    fn exit_of(&mut self, token: Token) -> Option<(u64, Seen)> {
        let watched = self.watched.get_mut(&token)?;
        if watched.over {
            return None;
        }
        let key = watched.key;
        match records::read_optional(&watched.folder.join(EXIT)) {
            Ok(exit) => {
                let exit = exit?;
                self.end(token);
                Some((key, Seen::Ended(exit)))
            }
            Err(error) => Some((key, Seen::Unclear(error))),
        }
    }

    /// The runner's process is gone.
    fn gone(&mut self, token: Token) -> Option<(u64, Seen)> {
        let watched = self.watched.get_mut(&token)?;
        if let Some(mut child) = watched.child.take() {
            // It has ended: this does not wait. What it left with says less than its folder.
            child.try_wait().map_or_else(drop, drop);
        }
        if watched.over {
            self.forget(token);
            return None;
        }
        self.source.leave_process(token);
        self.look(token)
    }

    /// Looks at the folder of an attempt whose runner is gone, or of which nothing is heard.
    fn look(&mut self, token: Token) -> Option<(u64, Seen)> {
        let watched = self.watched.get(&token)?;
        if watched.over {
            return None;
        }
        let key = watched.key;
        let seen = match standing(&watched.folder) {
            Ok(Standing::Running {
                start,
                orphan: true,
                ..
            }) => {
                self.watch_orphan(token, start.as_ref());
                let watched = self.watched.get_mut(&token)?;
                let told = std::mem::replace(&mut watched.orphan, true);
                return (!told).then_some((key, Seen::Orphaned));
            }
            // Another runner has it: the one that is gone came second.
            Ok(Standing::Running { claim, .. }) => {
                self.watch_runner(token, &claim);
                return None;
            }
            Ok(Standing::Ended(exit)) => Seen::Ended(exit),
            Ok(stands) => Seen::Left(stands),
            Err(error) => return Some((key, Seen::Unclear(error))),
        };
        self.end(token);
        Some((key, seen))
    }

    /// Tells no more of an attempt; a runner that is a child of this process stays until it has been waited for.
    fn end(&mut self, token: Token) {
        let Some(watched) = self.watched.get_mut(&token) else {
            return;
        };
        watched.over = true;
        if watched.child.is_some() {
            self.source.leave_folder(token);
        } else {
            self.forget(token);
        }
    }

    fn forget(&mut self, token: Token) {
        self.source.leave(token);
        self.watched.remove(&token);
    }
}
