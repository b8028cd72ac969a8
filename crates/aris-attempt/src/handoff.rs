//! Work on its way from the manager to a runner, through a socket that is the runner's stdin: an attempt's folder with the open leases
//! of its cards. The runner answers with one byte each time it is done; a socket that is closed means that no more will come.
//!
//! A descriptor that is simply inheritable would leak into whatever else the manager starts at that moment, and a card would stay
//! taken for as long as that lives.

use std::ffi::OsStr;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recv, recvmsg, send, sendmsg,
};

use crate::error::AttemptError;

/// Descriptors in one message. **Source**: `SCM_MAX_FD` of Linux is 253; no machine has that many cards.
const MOST: usize = 128;

/// Bytes of a path. **Source**: `PATH_MAX` of Linux, with its end.
const LONGEST: usize = 4096;

/// What ends a path: no path has it inside.
const END: u8 = 0;

/// One attempt to carry out.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) folder: PathBuf,
    pub(crate) leases: Vec<OwnedFd>,
}

/// Both ends of a line: the manager's and the runner's.
pub(crate) fn line() -> Result<(OwnedFd, OwnedFd), AttemptError> {
    let (near, far) = UnixStream::pair().map_err(AttemptError::system("make a socket"))?;
    Ok((near.into(), far.into()))
}

/// Hands an attempt to the runner at the other end.
///
/// **Errors**: nobody is there, or the path is longer than a path can be; then nobody gets it.
pub(crate) fn put(
    line: impl AsFd,
    folder: &Path,
    leases: &[BorrowedFd<'_>],
) -> Result<(), AttemptError> {
    let failed = "hand an attempt over";
    let mut path = folder.as_os_str().as_bytes().to_vec();
    path.push(END);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let fits = leases.is_empty() || control.push(SendAncillaryMessage::ScmRights(leases));
    if !fits || path.len() > LONGEST {
        return Err(AttemptError::system(failed)(Errno::TOOBIG));
    }
    sendmsg(line, &[IoSlice::new(&path)], &mut control, FLAGS)
        .map(drop)
        .map_err(AttemptError::system(failed))
}

/// Whoever does not listen any more is no reason to be ended by a signal, and whoever does not read none to wait.
const FLAGS: SendFlags = SendFlags::NOSIGNAL.union(SendFlags::DONTWAIT);

/// The attempt that waits in `line`; none when there is none, or when it is no such line. Never blocks.
pub(crate) fn take(line: impl AsFd) -> Option<Task> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut bytes = [0_u8; LONGEST];
    let flags = RecvFlags::DONTWAIT;
    #[cfg(target_os = "linux")]
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(
        line,
        &mut [IoSliceMut::new(&mut bytes)],
        &mut control,
        flags,
    );
    let count = received.ok()?.bytes;
    let mut leases = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            leases.extend(rights);
        }
    }
    let path = bytes.get(..count)?.strip_suffix(&[END])?;
    Some(Task {
        folder: PathBuf::from(OsStr::from_bytes(path)),
        leases,
    })
}

/// Says to the manager that this runner has nothing to do.
pub(crate) fn done(line: impl AsFd) {
    // A manager that is gone needs no answer.
    send(line, b"d", FLAGS).map_or_else(drop, drop);
}

/// Whether the runner at the other end has said so since the last call.
pub(crate) fn is_done(line: impl AsFd) -> bool {
    let mut byte = [0_u8; 1];
    recv(line, &mut byte, RecvFlags::DONTWAIT).is_ok_and(|(_, count)| count == 1)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Seek as _, Write as _};

    use super::*;

    #[test]
    fn what_is_put_is_taken_once() {
        let mut file = tempfile::tempfile().expect("temp");
        file.write_all(b"here").expect("written");
        file.rewind().expect("rewound");
        let (near, far) = line().expect("a line");
        put(&near, Path::new("/a\nb"), &[file.as_fd(), file.as_fd()]).expect("put");
        drop(file);
        let task = take(&far).expect("a task");
        assert_eq!(task.folder, Path::new("/a\nb"));
        assert_eq!(task.leases.len(), 2);
        let mut text = String::new();
        std::fs::File::from(task.leases.into_iter().next().expect("one"))
            .read_to_string(&mut text)
            .expect("read");
        assert_eq!(text, "here");
        assert!(take(&far).is_none());
        put(&near, Path::new("/c"), &[]).expect("put");
        assert!(take(&far).is_some_and(|task| task.leases.is_empty()));
        let other = tempfile::tempfile().expect("temp");
        assert!(take(&other).is_none());
    }

    #[test]
    fn a_runner_says_when_it_is_done_and_nobody_waits_for_it() {
        let (near, far) = line().expect("a line");
        assert!(!is_done(&near));
        done(&far);
        assert!(is_done(&near) && !is_done(&near));
        let long = PathBuf::from("x".repeat(LONGEST));
        put(&near, &long, &[]).expect_err("too long");
        drop(far);
        assert!(!is_done(&near));
        put(&near, Path::new("/c"), &[]).expect_err("nobody is there");
        done(&near);
    }
}
