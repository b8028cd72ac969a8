//! Leases of cards: one lock file for each card of this machine, shared by all queues and all users.
//!
//! The lock is a `flock` on an open file that all processes of the job inherit. It holds until the last of them ends, whatever other
//! process is killed. The files are never removed. Jobs of one queue that share a card hold a shared lock of its file. The file then
//! contains the queue's name, so that jobs of other queues do not join them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use aris_fs::FsError;
use rustix::fs::{FileType, FlockOperation, Mode, OFlags, RawMode, flock};
use rustix::io::Errno;

use crate::error::AttemptError;

/// Environment variable that names the folder of leases.
pub const LEASES_VARIABLE: &str = "ARIS_QUEUE_LEASES";

/// The default folder of leases. It survives a reboot, and belongs to no user.
pub const DEFAULT_LEASES: &str = "/var/tmp/aris-queue-leases";

/// Every user may create files, and delete only their own.
const FOLDER_MODE: RawMode = 0o1777;

/// Every user may lock a lease file.
const FILE_MODE: RawMode = 0o666;

/// Most bytes of a queue's name in a lease.
const QUEUE_LIMIT: u64 = 4096;

/// Most times a lease file is opened, because another process may be creating or removing it at that moment.
const TRIES: u32 = 16;

/// Most bytes of a card's name: a UUID with its prefix has 40, with the path of a slice fewer than 80.
const LONGEST_NAME: usize = 96;

/// A leased card. The lease ends when this value and all copies of its descriptor in other processes are closed.
#[derive(Debug)]
pub struct Lease {
    path: PathBuf,
    file: OwnedFd,
}

impl Lease {
    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl AsFd for Lease {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// The folder of leases.
#[derive(Clone, Debug)]
pub struct Leases {
    folder: PathBuf,
}

impl Leases {
    /// Opens the folder, or creates it for all users of the machine.
    ///
    /// **Errors**: it is a link or no folder, or every user may delete the files of others in it; or the system refuses.
    pub fn open(folder: &Path) -> Result<Self, AttemptError> {
        if folder.symlink_metadata().is_err() {
            create_folder(folder)?;
        }
        let problem = match folder.symlink_metadata() {
            Ok(data) if data.is_symlink() => Some("is a symbolic link"),
            Ok(data) if !data.is_dir() => Some("is not a folder"),
            Ok(data) if data.permissions().mode() & 0o1002 == 0o002 => {
                Some("lets everybody delete the leases of others (no sticky bit)")
            }
            Ok(_) => None,
            Err(error) => {
                let action = format!("look at {}", folder.display());
                return Err(AttemptError::system(action)(error));
            }
        };
        match problem {
            Some(problem) => Err(AttemptError::lease_file(folder, problem)),
            None => Ok(Self {
                folder: folder.to_path_buf(),
            }),
        }
    }

    /// The lock file of the card `uuid`.
    ///
    /// **Errors**: `uuid` cannot be the name of a card.
    fn path(&self, uuid: &str) -> Result<PathBuf, AttemptError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let named = (1..=LONGEST_NAME).contains(&uuid.len()) && uuid.bytes().all(plain);
        let path = self.folder.join(format!("{uuid}.lock"));
        if named {
            return Ok(path);
        }
        Err(AttemptError::lease_file(&path, "is not named after a card"))
    }

    /// Leases a card; `None` if somebody else holds its lease.
    ///
    /// **Errors**: the lock file is no regular file, or `uuid` cannot be the name of a card; or the system refuses.
    pub fn take(&self, uuid: &str) -> Result<Option<Lease>, AttemptError> {
        let path = self.path(uuid)?;
        let file = locked(&path, FlockOperation::NonBlockingLockExclusive)?;
        Ok(file.map(|file| Lease { path, file }))
    }

    /// Leases a card for a job that shares it with other jobs of `queue`; `None` if somebody else holds the lease.
    ///
    /// **Errors**: as [`Leases::take`].
    pub fn share(&self, uuid: &str, queue: &str) -> Result<Option<Lease>, AttemptError> {
        if let Some(first) = self.take(uuid)? {
            write_queue(&first.path, queue)?;
            // Another process may take the lease before it is locked again; the check of the queue's name below notices that.
            drop(first);
        }
        let path = self.path(uuid)?;
        let Some(file) = locked(&path, FlockOperation::NonBlockingLockShared)? else {
            return Ok(None);
        };
        // Nobody writes to the file while it has a shared lock.
        let whose = aris_fs::read(&path, QUEUE_LIMIT)?;
        Ok((whose == queue.as_bytes()).then_some(Lease { path, file }))
    }
}

/// Writes the queue's name into a locked lease. It does not use `O_CREAT`, which `fs.protected_regular` refuses for files of other users.
fn write_queue(path: &Path, queue: &str) -> Result<(), AttemptError> {
    let failed =
        |error| AttemptError::system(format!("write to the lease {}", path.display()))(error);
    let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
    let written = rustix::io::write(&file, queue.as_bytes());
    written.map(drop).map_err(failed)
}

/// Makes the temporary names of folders unique within this process.
static CREATED: AtomicU32 = AtomicU32::new(0);

/// Creates the folder under a temporary name and renames it when its mode is set, so that nobody finds it before all users may write to it.
fn create_folder(folder: &Path) -> Result<(), AttemptError> {
    let mut own = folder.as_os_str().to_owned();
    own.push(format!(
        ".{}.{}.{}",
        crate::processes::own_pid(),
        crate::clock::steady().as_nanos(),
        CREATED.fetch_add(1, Ordering::Relaxed)
    ));
    let own = PathBuf::from(own);
    aris_fs::create_folder(&own)?;
    let refused = AttemptError::system(format!("open {} to all", own.display()));
    let opened = rustix::fs::chmod(&own, Mode::from_raw_mode(FOLDER_MODE)).map_err(refused);
    let ready = opened.and_then(|()| Ok(aris_fs::rename_new(&own, folder)?));
    if let Err(error) = ready {
        aris_fs::remove_empty_folder(&own)?;
        let lost = matches!(&error, AttemptError::Fs(FsError::Write { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists);
        return if lost { Ok(()) } else { Err(error) };
    }
    Ok(())
}

/// Opens the lock file, creating it if it is missing, and locks it; `None` if somebody else holds the lock.
///
/// Every user can write to the folder, so no link is followed, and only regular files are accepted. An existing file is opened for reading
/// only, because `fs.protected_regular` refuses other users more.
fn locked(path: &Path, how: FlockOperation) -> Result<Option<OwnedFd>, AttemptError> {
    let failed = |error| AttemptError::system(format!("open the lease {}", path.display()))(error);
    let problem = |problem| AttemptError::lease_file(path, problem);
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut last = Errno::AGAIN;
    for _ in 0..TRIES {
        let opened = rustix::fs::open(path, flags | OFlags::RDONLY, Mode::empty());
        let file = match opened {
            Ok(file) => file,
            Err(Errno::NOENT) => {
                let create = flags | OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
                let mode = Mode::from_raw_mode(FILE_MODE);
                match rustix::fs::open(path, create, mode) {
                    Ok(file) => {
                        rustix::fs::fchmod(&file, mode).map_err(failed)?;
                        file
                    }
                    Err(Errno::EXIST) => continue,
                    Err(error) => return Err(failed(error)),
                }
            }
            Err(Errno::LOOP) => return Err(problem("is a symbolic link")),
            // Its creator may not have set its mode yet.
            Err(error @ Errno::ACCESS) => {
                last = error;
                continue;
            }
            Err(error) => return Err(failed(error)),
        };
        let opened = rustix::fs::fstat(&file).map_err(failed)?;
        if FileType::from_raw_mode(opened.st_mode) != FileType::RegularFile {
            return Err(problem("is not a regular file"));
        }
        match flock(&file, how) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        if same_file(&file, path) {
            return Ok(Some(file));
        }
        // The file was removed or replaced between opening and locking, so nobody else would find the lock on it.
    }
    Err(failed(last))
}

fn same_file(file: &OwnedFd, path: &Path) -> bool {
    let pair = rustix::fs::fstat(file).and_then(|open| Ok((open, rustix::fs::lstat(path)?)));
    pair.is_ok_and(|(open, found)| (open.st_dev, open.st_ino) == (found.st_dev, found.st_ino))
}

/// The locked leases that a runner's specification names. The `received` ones are used if they are these files; otherwise the leases are
/// taken by name.
///
/// **Errors**: somebody else holds a lease, or one cannot be opened.
pub(crate) fn received_or_taken(
    received: Vec<OwnedFd>,
    paths: &[PathBuf],
) -> Result<Vec<OwnedFd>, AttemptError> {
    let mut pairs = received.iter().zip(paths);
    let these = received.len() == paths.len() && pairs.all(|(file, path)| same_file(file, path));
    if these {
        return Ok(received);
    }
    // Closed first: a lease among them would prevent that it is taken again.
    drop(received);
    let how = FlockOperation::NonBlockingLockExclusive;
    let taken = paths.iter().map(|path| {
        let leased = || AttemptError::leased(path);
        locked(path, how)?.ok_or_else(leased)
    });
    taken.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses<T: std::fmt::Debug>(asked: Result<T, AttemptError>, problem: &str) {
        let error = asked.expect_err("refused").to_string();
        assert!(error.ends_with(&format!(" {problem}")), "{error}");
    }

    #[test]
    fn a_lease_is_given_once_and_again_when_all_copies_are_gone() {
        let folder = tempfile::tempdir().expect("temp");
        let leases = Leases::open(&folder.path().join("leases")).expect("created");
        let mode = leases
            .folder
            .metadata()
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o1777);
        let again = Leases::open(&leases.folder).expect("opened");
        let first = leases.take("GPU-1").expect("works").expect("free");
        assert!(again.take("GPU-1").expect("works").is_none());
        assert!(again.take("GPU-2").expect("works").is_some());
        drop(first);
        let first = again.share("GPU-1", "a").expect("works").expect("free");
        let second = leases.share("GPU-1", "a").expect("works").expect("ours");
        assert!(again.share("GPU-1", "b").expect("works").is_none());
        assert!(again.take("GPU-1").expect("works").is_none());
        drop(first);
        assert!(again.take("GPU-1").expect("works").is_none());
        drop(second);
        assert!(again.take("GPU-1").expect("works").is_some());
        let names = aris_fs::list_sorted(folder.path()).expect("listed");
        assert_eq!(names.len(), 1, "{names:?}");
    }

    #[test]
    fn links_and_other_things_in_the_place_of_a_lease_are_refused() {
        let folder = tempfile::tempdir().expect("temp");
        let leases = Leases::open(&folder.path().join("leases")).expect("created");
        let victim = folder.path().join("victim");
        aris_fs::write_unsynced(&victim, b"mine").expect("written");
        aris_fs::create_link(&victim, &leases.folder.join("GPU-1.lock")).expect("linked");
        refuses(leases.take("GPU-1"), "is a symbolic link");
        aris_fs::create_folder(&leases.folder.join("GPU-2.lock")).expect("created");
        refuses(leases.take("GPU-2"), "is not a regular file");
        for name in ["", "../x", "a/b", "GPU 1", ".", "GPU-1\n", &"x".repeat(97)] {
            refuses(leases.take(name), "is not named after a card");
        }
        assert_eq!(aris_fs::read_text(&victim).expect("there"), "mine");
    }

    #[test]
    fn a_folder_that_is_no_safe_place_is_refused() {
        let folder = tempfile::tempdir().expect("temp");
        let link = folder.path().join("link");
        aris_fs::create_link(folder.path(), &link).expect("linked");
        refuses(Leases::open(&link), "is a symbolic link");
        let file = folder.path().join("file");
        aris_fs::write_unsynced(&file, b"").expect("written");
        refuses(Leases::open(&file), "is not a folder");
        let open = folder.path().join("open");
        aris_fs::create_folder(&open).expect("created");
        rustix::fs::chmod(&open, Mode::from_raw_mode(0o777)).expect("opened");
        let problem = "lets everybody delete the leases of others (no sticky bit)";
        refuses(Leases::open(&open), problem);
    }

    #[test]
    fn of_many_at_once_one_gets_the_card() {
        let folder = tempfile::tempdir().expect("temp");
        let place = folder.path().join("leases");
        let taken: Vec<Lease> = std::thread::scope(|scope| {
            let askers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let leases = Leases::open(&place).expect("opened");
                        leases.take("GPU-1").expect("works")
                    })
                })
                .collect();
            askers
                .into_iter()
                .filter_map(|asker| asker.join().expect("no panic"))
                .collect()
        });
        assert_eq!(taken.len(), 1);
    }
}
