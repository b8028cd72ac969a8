//! The state of an attempt, from its folder alone: for a manager that finds the attempt after a restart, or that hears nothing more of it.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::format::{ALIVE, CANCEL, CLAIM, Claim, EXIT, Exit, HEARTBEAT_FILE, START, Start, TREE};
use aris_fs::Lock;
use jiff::{SignedDuration, Timestamp};
use rustix::process::Signal;

use crate::clock;
use crate::error::AttemptError;
use crate::processes::{self, Member};
use crate::records;
use crate::runner::record;

/// A runner on another machine without a heartbeat for this long is dead. **Source**: queue design, node failure: 60 s, six heartbeats.
const SILENT: SignedDuration = SignedDuration::from_mins(1);

/// The state of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No runner has claimed it. A runner that was started may still do so, unless the attempt is [withdrawn](withdraw).
    Unclaimed,
    /// A runner has claimed it, and the runner or its job is alive.
    Running {
        /// The runner's claim.
        claim: Claim,
        /// The start record; `None`: the command has not started, as far as is known.
        start: Option<Start>,
        /// The runner is dead and the job still runs, so its end will not be recorded.
        orphan: bool,
    },
    /// It has ended, with this record.
    Ended(Box<Exit>),
    /// Its runner is dead and left no exit record. How the job ended is unknown.
    Lost {
        /// The runner's claim; `None` if it cannot be read.
        claim: Option<Claim>,
        /// The start record; `None`: the command did not start, as far as is known.
        start: Option<Start>,
    },
}

impl Standing {
    /// The process id of the command, if known, and when it started; `None` if it does not run. If the runner was killed before it wrote
    /// the start record, the command counts as running since the claim.
    pub fn running(&self) -> Option<(Option<i32>, Timestamp)> {
        match self {
            Self::Running {
                start: Some(start), ..
            } => Some((Some(start.process.pid), start.time)),
            Self::Running {
                claim,
                orphan: true,
                ..
            } => Some((None, claim.time)),
            _ => None,
        }
    }
}

/// Determines the state of the attempt in `folder`.
///
/// An attempt is alive while its runner's lock is held, or while the command's process or another process of the job exists. For a runner
/// on another machine, whose locks may be invisible, a heartbeat younger than 60 s counts as well. Damaged records, as a power cut leaves
/// them, count as missing.
///
/// **Errors**: the folder cannot be read, so the state is unknown.
pub fn standing(folder: &Path) -> Result<Standing, AttemptError> {
    if let Some(exit) = whole(&folder.join(EXIT))? {
        return Ok(Standing::Ended(Box::new(exit)));
    }
    let path = folder.join(CLAIM);
    let claim: Option<Claim> = whole(&path)?;
    if claim.is_none() && !exists(&path)? {
        return Ok(Standing::Unclaimed);
    }
    let alive = lives(folder, claim.as_ref())?;
    let start: Option<Start> = whole(&folder.join(START))?;
    // Checked again: the attempt may have ended after the first check.
    if let Some(exit) = whole(&folder.join(EXIT))? {
        return Ok(Standing::Ended(Box::new(exit)));
    }
    let tree = || Lock::is_held(&folder.join(TREE));
    let orphan = !alive && claim.is_some() && (start.as_ref().is_some_and(runs) || tree()?);
    Ok(match claim {
        Some(claim) if alive || orphan => Standing::Running {
            claim,
            start,
            orphan,
        },
        claim => Standing::Lost { claim, start },
    })
}

/// Whether the command's first process still exists: started in this boot, and not another process with its id.
fn runs(start: &Start) -> bool {
    start.process.boot_id == processes::boot_id() && Member::from(&start.process).lives()
}

/// Ends a job whose runner is dead: SIGTERM to all its processes, or SIGKILL if the request to end it is older than `grace`. A process
/// belongs to the job if it has the file of the tree's lock open.
pub fn end_orphan(folder: &Path, grace: Duration) {
    let start = match standing(folder) {
        Ok(Standing::Running { start, orphan, .. }) if orphan => start,
        _ => return,
    };
    let asked = folder.join(CANCEL).metadata();
    let asked = asked.and_then(|data| data.modified());
    let age = asked.ok().and_then(|time| time.elapsed().ok());
    let signal = match age {
        Some(age) if age >= grace => Signal::KILL,
        _ => Signal::TERM,
    };
    let mut members = processes::holders(&folder.join(TREE));
    let first = start.filter(runs);
    members.extend(first.map(|start| Member::from(&start.process)));
    for member in &members {
        // Its descendants may have closed the files that they inherited.
        for below in processes::descendants(member.pid) {
            processes::send(below, signal);
        }
        processes::send(*member, signal);
    }
}

/// Ends the processes that the work of an attempt left behind; called by the work itself. SIGTERM goes to all descendants of the attempt's
/// runner except this process, and SIGKILL after `grace`. Does nothing in a process that is not the runner's child.
pub fn end_strays(folder: &Path, grace: Duration) {
    let Ok(Some(claim)) = whole::<Claim>(&folder.join(CLAIM)) else {
        return;
    };
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
    if parent != Some(claim.runner.pid) {
        return;
    }
    let strays = || {
        let mut all = processes::descendants(claim.runner.pid);
        all.retain(|member| member.pid != processes::own_pid());
        all
    };
    let until = Instant::now() + grace;
    for member in strays() {
        processes::send(member, Signal::TERM);
    }
    loop {
        let left = strays();
        if left.is_empty() {
            return;
        }
        if Instant::now() >= until {
            for member in left {
                processes::send(member, Signal::KILL);
            }
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// A record, if it exists and can be parsed.
fn whole<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>, AttemptError> {
    match records::read_optional(path) {
        Err(AttemptError::Record { .. }) => Ok(None),
        other => other,
    }
}

fn exists(path: &Path) -> Result<bool, AttemptError> {
    path.try_exists()
        .map_err(AttemptError::system(format!("look at {}", path.display())))
}

fn lives(folder: &Path, claim: Option<&Claim>) -> Result<bool, AttemptError> {
    if Lock::is_held(&folder.join(ALIVE))? {
        return Ok(true);
    }
    let elsewhere = claim.is_some_and(|claim| claim.host != crate::host());
    Ok(elsewhere
        && last_sign(folder).is_some_and(|sign| clock::wall().duration_since(sign) < SILENT))
}

/// The later of the last heartbeat and the claim.
fn last_sign(folder: &Path) -> Option<Timestamp> {
    let time = |name: &str| {
        let modified = folder.join(name).metadata().ok()?.modified().ok()?;
        Timestamp::try_from(modified).ok()
    };
    [HEARTBEAT_FILE, CLAIM].into_iter().filter_map(time).max()
}

/// Asks to end an attempt, by a request in its folder. A runner on this machine reads it at once, one on another machine at its next
/// heartbeat, and one that has not started its command yet before it does. `why` is for people.
pub fn cancel(folder: &Path, why: &str) -> Result<(), AttemptError> {
    let path = folder.join(CANCEL);
    if !exists(&path)? {
        aris_fs::replace_unsynced(&path, why.as_bytes())?;
    }
    if let Some(claim) = whole::<Claim>(&folder.join(CLAIM))?
        && claim.host == crate::host()
        && claim.runner.boot_id == processes::boot_id()
    {
        processes::send(Member::from(&claim.runner), Signal::USR1);
        end_orphan(folder, Duration::MAX);
    }
    Ok(())
}

/// Makes sure that an unclaimed attempt never runs: this process claims it, and does nothing more. Its state is then [`Standing::Lost`].
///
/// **Errors**: [`AttemptError::Taken`] if a runner has claimed it.
pub fn withdraw(folder: &Path) -> Result<(), AttemptError> {
    record::claim(folder, &record::own_claim())
}

#[cfg(test)]
mod tests {
    use crate::format::{CLAIM_SCHEMA, ProcessId};

    use super::*;

    fn claim(host: &str) -> Vec<u8> {
        serde_json::to_vec(&Claim {
            schema: String::from(CLAIM_SCHEMA),
            runner: ProcessId {
                pid: 1,
                boot_id: String::from("another"),
                start_ticks: 0,
            },
            host: String::from(host),
            time: clock::wall(),
        })
        .expect("json")
    }

    #[test]
    fn nothing_is_concluded_without_a_record_of_it() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        let stands = || standing(folder.path()).expect("readable");
        assert_eq!(stands(), Standing::Unclaimed);
        aris_fs::write_unsynced(&at(EXIT), b"").expect("a power cut");
        assert_eq!(stands(), Standing::Unclaimed);
        aris_fs::write_unsynced(&at(CLAIM), b"{").expect("a power cut");
        assert_eq!(
            stands(),
            Standing::Lost {
                claim: None,
                start: None
            }
        );
        aris_fs::write_unsynced(&at(CLAIM), &claim(&crate::host())).expect("written");
        aris_fs::write_unsynced(&at(ALIVE), b"").expect("written");
        assert!(matches!(stands(), Standing::Lost { claim: Some(_), .. }));
        let lock = Lock::acquire(&at(ALIVE)).expect("locked");
        assert!(matches!(stands(), Standing::Running { .. }));
        drop(lock);
        assert!(matches!(stands(), Standing::Lost { .. }));
    }

    #[test]
    fn on_another_machine_a_fresh_heartbeat_counts() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        aris_fs::write_unsynced(&at(CLAIM), &claim("another machine")).expect("written");
        let stands = || standing(folder.path()).expect("readable");
        assert!(matches!(stands(), Standing::Running { .. }));
        let long_ago = std::time::UNIX_EPOCH;
        aris_fs::set_modified(&at(CLAIM), long_ago).expect("set");
        assert!(matches!(stands(), Standing::Lost { .. }));
        aris_fs::write_unsynced(&at(HEARTBEAT_FILE), b"").expect("written");
        assert!(matches!(stands(), Standing::Running { .. }));
        aris_fs::set_modified(&at(HEARTBEAT_FILE), long_ago).expect("set");
        assert!(matches!(stands(), Standing::Lost { .. }));
    }

    #[test]
    fn of_many_claims_one_holds() {
        let folder = tempfile::tempdir().expect("temp");
        let claims: Vec<bool> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|number| {
                    let folder = folder.path();
                    scope.spawn(move || {
                        let mut claim: Claim = serde_json::from_slice(&claim("h")).expect("json");
                        claim.runner.pid = number;
                        record::claim(folder, &claim).is_ok()
                    })
                })
                .collect();
            all.into_iter()
                .map(|one| one.join().expect("no panic"))
                .collect()
        });
        assert_eq!(claims.iter().filter(|won| **won).count(), 1);
        assert!(matches!(
            withdraw(folder.path()),
            Err(AttemptError::Taken { .. })
        ));
        let names = aris_fs::list_sorted(folder.path()).expect("listed");
        assert_eq!(names.len(), 1, "{names:?}");
    }
}
