//! The result of a child process: how it ended and its output.

use std::borrow::Cow;
use std::time::Duration;

use crate::error::ProcError;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// A signal that this process did not send ended it.
    Signalled(i32),
    /// It still ran at the deadline; its process group was terminated and then killed.
    TimedOut,
}

/// One output stream of a child: its first bytes, and the number of bytes that were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to the limit of the command.
    pub bytes: Vec<u8>,
    /// Number of further bytes, which were read and discarded.
    pub dropped: u64,
}

impl Captured {
    /// The kept bytes as text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// The whole output as text without line feeds at the end; `None` if it is not UTF-8 or bytes were dropped.
    pub fn whole_text(&self) -> Option<&str> {
        let text = str::from_utf8(&self.bytes).ok()?;
        (self.dropped == 0).then(|| text.trim_end_matches('\n'))
    }
}

/// A child that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Finished {
    /// The program as the caller named it.
    pub program: String,
    /// How it ended.
    pub end: End,
    /// Its stdout.
    pub stdout: Captured,
    /// Its stderr.
    pub stderr: Captured,
    /// Whether a process that the child had started still held an output pipe after the child was gone. The output may then lack
    /// what that process would have written; it was killed unless it had left the process group.
    pub pipe_held: bool,
    /// The deadline of the child.
    pub deadline: Duration,
}

impl Finished {
    /// The exit code of a child that exited by itself.
    ///
    /// **Errors**: [`ProcError::TimedOut`] and [`ProcError::Signalled`] otherwise.
    pub fn code(&self) -> Result<i32, ProcError> {
        match self.end {
            End::Exited(code) => Ok(code),
            End::Signalled(signal) => Err(ProcError::Signalled {
                program: self.program.clone(),
                signal,
            }),
            End::TimedOut => Err(ProcError::TimedOut {
                program: self.program.clone(),
                deadline: self.deadline,
            }),
        }
    }

    /// Whether the child exited by itself with 0.
    pub fn success(&self) -> bool {
        self.end == End::Exited(0)
    }
}
