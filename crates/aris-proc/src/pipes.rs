//! The pipes to a child, read and written without blocking.

use std::io::{self, ErrorKind, Read, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::finished::Captured;

/// Receives the pieces of stdout as they arrive; stdout is then not kept.
pub(crate) type Taker<'a, 'b> = Option<&'a mut (dyn FnMut(&[u8]) + 'b)>;

/// One output stream; closed once the other end is.
pub(crate) struct Output<S> {
    stream: Option<S>,
    limit: usize,
    captured: Captured,
}

/// stdout and stderr of a child.
pub(crate) struct Outputs {
    pub(crate) stdout: Output<ChildStdout>,
    pub(crate) stderr: Output<ChildStderr>,
}

impl<S: Read + AsFd> Output<S> {
    pub(crate) fn new(stream: Option<S>, limit: usize) -> io::Result<Self> {
        if let Some(stream) = &stream {
            unblock(stream.as_fd())?;
        }
        Ok(Self {
            stream,
            limit,
            captured: Captured::default(),
        })
    }

    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.stream.as_ref().map(AsFd::as_fd)
    }

    pub(crate) fn captured(self) -> Captured {
        self.captured
    }

    /// Reads the available bytes, at most `rounds` buffers, so that much output on one stream cannot delay the check of the deadline.
    /// The bytes go to `taker` or else are kept.
    pub(crate) fn drain(
        &mut self,
        buffer: &mut [u8],
        rounds: usize,
        mut taker: Taker<'_, '_>,
    ) -> io::Result<()> {
        for _ in 0..rounds {
            let Some(stream) = &mut self.stream else {
                return Ok(());
            };
            match stream.read(buffer) {
                Ok(0) => self.stream = None,
                Ok(count) => {
                    let piece = buffer.get(..count).unwrap_or_default();
                    match &mut taker {
                        Some(take) => take(piece),
                        None => self.keep(piece),
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self
            .limit
            .saturating_sub(self.captured.bytes.len())
            .min(bytes.len());
        let (kept, dropped) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.captured.bytes.extend_from_slice(kept);
        self.captured.dropped += dropped.len() as u64;
    }
}

/// stdin of a child and the bytes that are still to be written to it.
pub(crate) struct Input {
    stream: Option<ChildStdin>,
    bytes: Vec<u8>,
    written: usize,
}

impl Input {
    pub(crate) fn new(stream: Option<ChildStdin>, bytes: Vec<u8>) -> io::Result<Self> {
        if let Some(stream) = &stream {
            unblock(stream.as_fd())?;
        }
        Ok(Self {
            stream: stream.filter(|_| !bytes.is_empty()),
            bytes,
            written: 0,
        })
    }

    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.stream.as_ref().map(AsFd::as_fd)
    }

    /// Writes as much as the pipe accepts; closes it after the last byte, or when the child has closed its end.
    pub(crate) fn feed(&mut self) -> io::Result<()> {
        while let Some(stream) = &mut self.stream {
            match stream.write(self.bytes.get(self.written..).unwrap_or_default()) {
                Ok(count) => {
                    self.written += count;
                    if self.written >= self.bytes.len() {
                        self.stream = None;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::BrokenPipe => self.stream = None,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Sets our end of the pipe to non-blocking. The flag does not affect the child's end, which is a separate open file.
fn unblock(fd: BorrowedFd<'_>) -> io::Result<()> {
    let flags = fcntl_getfl(fd)?;
    Ok(fcntl_setfl(fd, flags | OFlags::NONBLOCK)?)
}
