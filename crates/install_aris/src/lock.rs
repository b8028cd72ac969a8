//! Only one installer at a time works in a project (rule S6). The lock is on the run's journal; the system frees it when the
//! process dies.

use aris_fs::{EntryKind, FsError, Journal};
use rustix::process::Pid;

use crate::error::Error;
use crate::project::{JOURNAL, Project, Shape};
use crate::records::Holder;

/// Locks of the reference's installers. These are folders.
const OLD_LOCKS: [&str; 2] = [".aris/.install.lock.d", ".aris/.install-codex.lock.d"];

/// Files that the reference puts into its lock.
const OLD_LOCK_FILES: [&str; 3] = ["owner.host", "owner.json", "owner.pid"];

const OWNER_LIMIT: u64 = 4096;

/// Takes the lock, or reports who holds it.
pub(crate) fn acquire(project: &Project, started_at: &str) -> Result<Journal, Error> {
    let path = project.at(JOURNAL);
    match Journal::open(&path) {
        Ok(mut journal) => {
            let holder = Holder {
                tool: String::from("install_aris"),
                host: host_name(),
                pid: std::process::id(),
                started_at: started_at.to_owned(),
            };
            // A stale holder's lines stay: its plan follows them.
            journal.append(&serde_json::to_string(&holder)?)?;
            Ok(journal)
        }
        Err(FsError::Locked { .. }) => {
            let lines = aris_fs::journal_lines(&path).unwrap_or_default();
            let mut lines = lines.iter().rev();
            let holder = lines.find_map(|line| serde_json::from_str::<Holder>(line).ok());
            let owner = match holder {
                Some(holder) => {
                    let Holder {
                        pid,
                        host,
                        started_at,
                        ..
                    } = holder;
                    format!("process {pid} on {host}, since {started_at}")
                }
                None => String::from("it has not said who it is"),
            };
            let stale = false;
            Err(Error::Busy { path, owner, stale })
        }
        Err(error) => Err(error.into()),
    }
}

/// Fails while an installer of the reference holds its lock. With `clear`, the lock of one that has ended is removed.
pub(crate) fn check_old_locks(
    project: &Project,
    clear: bool,
    write: bool,
) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    for lock in OLD_LOCKS {
        if project.shape(lock) == Shape::Absent {
            continue;
        }
        let read = |name: &str| {
            let bytes = aris_fs::read(&project.at(&format!("{lock}/{name}")), OWNER_LIMIT).ok()?;
            Some(String::from_utf8_lossy(&bytes).trim().to_owned())
        };
        let (host, pid) = (read("owner.host"), read("owner.pid"));
        let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| String::from("unknown"));
        let owner = format!("process {} on {}", shown(&pid), shown(&host));
        let number = pid.as_ref().and_then(|pid| pid.parse().ok());
        let is_alive = host == Some(host_name()) && number.is_some_and(is_running);
        if is_alive || !clear {
            return Err(Error::Busy {
                path: project.at(lock),
                owner,
                stale: !is_alive,
            });
        }
        if write {
            remove_old_lock(project, lock)?;
        }
        notes.push(format!("removed the stale lock {lock} of {owner}"));
    }
    Ok(notes)
}

/// Removes the reference's lock and the files it puts there. Does nothing if the folder contains anything else.
fn remove_old_lock(project: &Project, lock: &str) -> Result<(), Error> {
    let path = project.at(lock);
    if project.shape(lock) == Shape::Folder {
        for entry in aris_fs::list_sorted(&path)? {
            if entry.kind == EntryKind::File
                && OLD_LOCK_FILES.iter().any(|name| entry.name == *name)
            {
                aris_fs::remove_file(&entry.path)?;
            }
        }
        if aris_fs::remove_empty_folder(&path)? {
            return Ok(());
        }
    }
    Err(Error::Parent {
        path,
        found: "not a lock of the reference's installer",
    })
}

fn host_name() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}

/// Whether a process with this id exists on this machine.
fn is_running(pid: i32) -> bool {
    // EPERM means that the process exists but belongs to another user.
    let gone = Err(rustix::io::Errno::SRCH);
    Pid::from_raw(pid).is_some_and(|pid| rustix::process::test_kill_process(pid) != gone)
}
