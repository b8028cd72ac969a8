//! Open leases on their way from the manager to a runner: through a socket that is the runner's stdin.
//!
//! A descriptor that is simply inheritable would leak into whatever else the manager starts at that moment, and a card would stay
//! taken for as long as that lives.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::error::AttemptError;

/// Descriptors in one message. **Source**: `SCM_MAX_FD` of Linux is 253; no machine has that many cards.
const MOST: usize = 128;

/// Puts descriptors into a socket; what is given back is for the other process to [`take`] them from.
pub(crate) fn put(leases: &[BorrowedFd<'_>]) -> Result<OwnedFd, AttemptError> {
    let failed = "pass leases on";
    let (near, far) = UnixStream::pair().map_err(AttemptError::system(failed))?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(leases)) {
        return Err(AttemptError::system(failed)(Errno::TOOBIG));
    }
    sendmsg(
        &near,
        &[IoSlice::new(b"l")],
        &mut control,
        SendFlags::empty(),
    )
    .map_err(AttemptError::system(failed))?;
    Ok(far.into())
}

/// The descriptors that wait in `socket`; none when it is no such socket. Never blocks.
pub(crate) fn take(socket: impl AsFd) -> Vec<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0_u8; 1];
    let flags = RecvFlags::DONTWAIT;
    #[cfg(target_os = "linux")]
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    if recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut byte)],
        &mut control,
        flags,
    )
    .is_err()
    {
        return Vec::new();
    }
    let mut taken = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            taken.extend(rights);
        }
    }
    taken
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
        let socket = put(&[file.as_fd(), file.as_fd()]).expect("put");
        drop(file);
        let taken = take(&socket);
        assert_eq!(taken.len(), 2);
        let mut text = String::new();
        std::fs::File::from(taken.into_iter().next().expect("one"))
            .read_to_string(&mut text)
            .expect("read");
        assert_eq!(text, "here");
        assert!(take(&socket).is_empty());
        let other = tempfile::tempfile().expect("temp");
        assert!(take(&other).is_empty());
    }
}
