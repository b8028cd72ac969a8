//! The open leases of an attempt's cards on their way from the manager to its runner, through a socket that is the runner's stdin.
//!
//! A descriptor that is simply inheritable would leak into whatever else the manager starts at that moment, and a card would stay
//! taken for as long as that lives. Given back and taken anew by the runner, a card could go to another queue in between.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::cards::lease::Lease;
use crate::error::AttemptError;

/// Descriptors in one message. **Source**: `SCM_MAX_FD` of Linux is 253; no machine has that many cards.
const MOST: usize = 128;

/// The end of a socket in which the leases lie.
pub(crate) fn put(leases: &[Lease]) -> Result<OwnedFd, AttemptError> {
    let failed = "hand leases over";
    let (near, far) = UnixStream::pair().map_err(AttemptError::system(failed))?;
    let leases: Vec<_> = leases.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !leases.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&leases)) {
        return Err(AttemptError::system(failed)(Errno::TOOBIG));
    }
    let byte = [IoSlice::new(b"l")];
    let sent = sendmsg(&near, &byte, &mut control, SendFlags::NOSIGNAL);
    sent.map_err(AttemptError::system(failed))?;
    Ok(far.into())
}

/// The leases that lie in `socket`; none where there are none, or where it is no such socket. Never blocks.
pub(crate) fn take(socket: impl AsFd) -> Vec<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT;
    #[cfg(target_os = "linux")]
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let mut byte = [0_u8; 1];
    let mut byte = [IoSliceMut::new(&mut byte)];
    let received = recvmsg(socket, &mut byte, &mut control, flags);
    let mut leases = Vec::new();
    if received.is_ok() {
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                leases.extend(rights);
            }
        }
    }
    leases
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::lease::Leases;

    #[test]
    fn what_is_put_is_taken_once_and_holds_the_card() {
        let folder = tempfile::tempdir().expect("temp");
        let leases = Leases::open(&folder.path().join("leases")).expect("created");
        let both = ["GPU-1", "GPU-2"].map(|card| leases.take(card).expect("works").expect("free"));
        let socket = put(&both).expect("put");
        drop(both);
        let taken = take(&socket);
        assert_eq!(taken.len(), 2);
        assert!(take(&socket).is_empty());
        assert!(leases.take("GPU-1").expect("works").is_none());
        drop(taken);
        assert!(leases.take("GPU-1").expect("works").is_some());
        assert!(take(tempfile::tempfile().expect("temp")).is_empty());
        assert!(take(put(&[]).expect("put")).is_empty());
    }
}
