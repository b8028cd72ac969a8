//! What a runner writes into its attempt's folder.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::format::{
    CLAIM, CLAIM_SCHEMA, Claim, EXIT, Exit, HEARTBEAT_FILE, HEARTBEAT_MS, START, Start,
};
use aris_fs::FsError;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::io::Errno;

use crate::clock;
use crate::error::AttemptError;
use crate::processes;

/// Time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_millis(HEARTBEAT_MS);

/// Mode of a record, before the umask.
const MODE: u32 = 0o644;

/// A claim of this process.
pub(crate) fn own_claim() -> Claim {
    Claim {
        schema: String::from(CLAIM_SCHEMA),
        runner: processes::identity(processes::own_pid(), processes::boot_id()),
        host: crate::host(),
        time: clock::wall(),
    }
}

/// Claims the attempt for this runner. Only one of any number of runners succeeds, also on a network file system.
///
/// The record is written under a temporary name and linked to its own; the link fails if a claim exists. On network file systems the answer
/// to a link may be lost, so the number of links decides. On file systems without links, the file is created exclusively.
///
/// **Errors**: [`AttemptError::Taken`], or the system refuses.
pub(crate) fn claim(folder: &Path, claim: &Claim) -> Result<(), AttemptError> {
    let target = folder.join(CLAIM);
    let taken = || AttemptError::Taken(folder.to_path_buf());
    if target.symlink_metadata().is_ok() {
        return Err(taken());
    }
    let bytes = json(claim);
    let (host, runner) = (claim.host.replace('/', "_"), &claim.runner);
    let (pid, ticks) = (runner.pid, runner.start_ticks);
    let own = folder.join(format!(".claim.{host}.{pid}.{ticks}"));
    aris_fs::create_file(&own, &bytes, MODE)?;
    let linked = rustix::fs::link(&own, &target);
    let links = own.metadata().map_or(0, |data| data.nlink());
    aris_fs::remove_file(&own)?;
    match linked {
        Ok(()) => Ok(()),
        _ if links == 2 => Ok(()),
        Err(Errno::EXIST) => Err(taken()),
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => {
            match aris_fs::create_file(&target, &bytes, MODE) {
                Err(FsError::Write { source, .. })
                    if source.kind() == std::io::ErrorKind::AlreadyExists =>
                {
                    Err(taken())
                }
                other => Ok(other?),
            }
        }
        Err(error) => {
            let action = format!("claim {}", folder.display());
            Err(AttemptError::system(action)(error))
        }
    }
}

/// Records that the command runs. It need not survive a power cut: an attempt of an earlier boot without an exit record is lost in any
/// case.
pub(super) fn start(folder: &Path, start: &Start) -> Result<(), FsError> {
    aris_fs::replace_unsynced(&folder.join(START), &json(start))
}

/// Writes the exit record atomically, for readers on this machine. It is durable after [`sync_exit`].
pub(super) fn exit(folder: &Path, exit: &Exit) -> Result<(), FsError> {
    aris_fs::replace_unsynced(&folder.join(EXIT), &json(exit))
}

/// Makes the exit record durable.
pub(super) fn sync_exit(folder: &Path) -> Result<(), AttemptError> {
    let path = folder.join(EXIT);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    rustix::fs::open(&path, flags, Mode::empty())
        .and_then(rustix::fs::fsync)
        .map_err(AttemptError::system(format!("sync {}", path.display())))?;
    Ok(aris_fs::sync_dir(folder)?)
}

fn json<T: serde::Serialize>(record: &T) -> Vec<u8> {
    // Serializing a record cannot fail.
    let mut bytes = serde_json::to_vec(record).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Sets a file's time to now, on the clock of its file system; gives whether that worked.
pub fn touch(path: &Path) -> bool {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

/// The heartbeat file of a runner, for readers on other machines.
#[derive(Debug)]
pub(super) struct Heartbeat {
    path: PathBuf,
    /// When the next heartbeat is due, on the clock of [`clock::steady`].
    pub(super) next: Duration,
}

impl Heartbeat {
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            path: folder.join(HEARTBEAT_FILE),
            next: clock::steady() + HEARTBEAT,
        }
    }

    /// Touches the file if a heartbeat is due; gives whether it was.
    pub(super) fn beat(&mut self) -> bool {
        let now = clock::steady();
        if now < self.next {
            return false;
        }
        if !touch(&self.path) {
            // If this fails, the next heartbeat tries again.
            aris_fs::write_unsynced(&self.path, b"").unwrap_or_default();
        }
        self.next = now + HEARTBEAT;
        true
    }
}
