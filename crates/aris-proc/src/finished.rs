//! What is left of a child process: how it ended and what it wrote.

use std::borrow::Cow;
use std::time::Duration;

use crate::error::ProcError;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// A signal that did not come from here ended it.
    Signalled(i32),
    /// It was still there at the deadline; its process group was terminated and then killed.
    TimedOut,
}

/// One output stream of a child: its first bytes, and how many followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, at most the limit of the command.
    pub bytes: Vec<u8>,
    /// Number of bytes after them that were read and thrown away.
    pub dropped: u64,
}

impl Captured {
    /// The kept bytes as text; what is not UTF-8 is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// The kept bytes as text without the line feeds at the end, when they are UTF-8 and nothing was dropped.
    pub fn whole_text(&self) -> Option<&str> {
        let text = str::from_utf8(&self.bytes).ok()?;
        (self.dropped == 0).then(|| text.trim_end_matches('\n'))
    }
}

/// A child that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Finished {
    /// The program as it was named.
    pub program: String,
    /// How it ended.
    pub end: End,
    /// What it wrote to stdout.
    pub stdout: Captured,
    /// What it wrote to stderr.
    pub stderr: Captured,
    /// Whether something that the child had started still held an output pipe after the child was gone. The outputs may then
    /// lack what that process would have written; it has been killed unless it left the process group.
    pub pipe_held: bool,
    /// The deadline the child had.
    pub deadline: Duration,
}

impl Finished {
    /// The exit code of a child that left by itself.
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

    /// Whether the child left by itself with 0.
    pub fn success(&self) -> bool {
        self.end == End::Exited(0)
    }
}
