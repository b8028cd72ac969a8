//! The connection between a manager and a runner that it starts: a socket that is the runner's stdin.
//!
//! A runner begins when it receives the leases of its cards, and exits if the connection ends before that. So it can be started while the
//! manager still writes the start to its journal. The manager keeps its end open for as long as it lives.
//!
//! If the descriptors of leases were simply inheritable, any process that the manager starts at that moment would hold the cards, too. If
//! the manager released the leases and the runner took them anew, another queue could take a card in between.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recv, recvmsg, sendmsg,
};

use crate::cards::lease::Lease;
use crate::error::AttemptError;

/// Most descriptors in one message. **Source**: `SCM_MAX_FD` of Linux is 253; no machine has that many cards.
const MOST: usize = 128;

/// Sends the leases to the runner at the other end, which then begins.
pub(crate) fn give(line: &UnixStream, leases: &[Lease]) -> Result<(), AttemptError> {
    let failed = "hand leases over";
    let leases: Vec<_> = leases.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !leases.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&leases)) {
        return Err(AttemptError::system(failed)(Errno::TOOBIG));
    }
    let byte = [IoSlice::new(b"l")];
    let sent = sendmsg(line, &byte, &mut control, SendFlags::NOSIGNAL);
    sent.map(drop).map_err(AttemptError::system(failed))
}

/// Waits for the leases. Empty if stdin is no such socket; `None`: the connection has ended.
pub(crate) fn take(line: impl AsFd) -> Option<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let mut byte = [0_u8; 1];
    let mut byte = [IoSliceMut::new(&mut byte)];
    let received = retry_on_intr(|| recvmsg(&line, &mut byte, &mut control, flags));
    if received.is_ok_and(|received| received.bytes == 0) {
        return None;
    }
    let mut leases = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            leases.extend(rights);
        }
    }
    Some(leases)
}

/// Whether the manager at the other end is alive.
pub(crate) fn is_open(line: impl AsFd) -> bool {
    let mut byte = [0_u8; 1];
    let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK;
    recv(line, &mut byte, flags).is_err_and(|error| error == Errno::AGAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::lease::Leases;

    #[test]
    fn what_is_given_is_taken_once_and_holds_the_card() {
        let folder = tempfile::tempdir().expect("temp");
        let leases = Leases::open(&folder.path().join("leases")).expect("created");
        let both = ["GPU-1", "GPU-2"].map(|card| leases.take(card).expect("works").expect("free"));
        let (near, far) = UnixStream::pair().expect("a line");
        give(&near, &both).expect("given");
        drop(both);
        let taken = take(&far).expect("a line");
        assert_eq!(taken.len(), 2);
        assert!(leases.take("GPU-1").expect("works").is_none());
        drop(taken);
        assert!(leases.take("GPU-1").expect("works").is_some());
        give(&near, &[]).expect("given");
        assert!(take(&far).expect("a line").is_empty());
        assert!(is_open(&far));
        drop(near);
        assert!(take(&far).is_none() && !is_open(&far));
        let file = tempfile::tempfile().expect("temp");
        assert!(take(&file).expect("no line").is_empty() && !is_open(&file));
    }
}
