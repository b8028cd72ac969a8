//! Reasons why a child process gave no exit code.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use aris_contract::{ErrorKind, Failure};

/// A child that could not be started, or that did not exit by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcError {
    /// There is no such program.
    #[error("program {program} is not installed")]
    Absent {
        /// The program as the caller named it.
        program: String,
    },
    /// The working directory is absent or not a directory.
    #[error("cannot run {program}: the working directory {} is not a directory", cwd.display())]
    NoDirectory {
        /// The program.
        program: String,
        /// The working directory.
        cwd: PathBuf,
    },
    /// The system refused to start the program.
    #[error("cannot start {program}")]
    Start {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// The system refused to watch the running child; the child's group has been killed.
    #[error("cannot watch {program}")]
    Watch {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// The child still ran at its deadline and was killed with its group.
    #[error("{program} did not finish within {:.3} s", deadline.as_secs_f64())]
    TimedOut {
        /// The program.
        program: String,
        /// Its deadline.
        deadline: Duration,
    },
    /// A signal that this process did not send ended the child.
    #[error("{program} was ended by signal {signal}")]
    Signalled {
        /// The program.
        program: String,
        /// The signal's number.
        signal: i32,
    },
}

aris_contract::told!(ProcError);

impl Failure for ProcError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Absent { .. }
            | Self::NoDirectory { .. }
            | Self::Start { .. }
            | Self::Watch { .. } => ErrorKind::Precondition,
            Self::TimedOut { .. } => ErrorKind::Timeout,
            Self::Signalled { .. } => ErrorKind::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Absent { program } if program.contains('/') => {
                Some(format!("check that {program} exists"))
            }
            Self::Absent { program } => {
                Some(format!("install {program}, or add its folder to PATH"))
            }
            Self::NoDirectory { cwd, .. } => Some(format!(
                "create {} or name another directory",
                cwd.display()
            )),
            Self::Start { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some(String::from("make the program executable"))
            }
            Self::TimedOut { .. } => {
                Some(String::from("allow it more time, or give it less to do"))
            }
            Self::Start { .. } | Self::Watch { .. } | Self::Signalled { .. } => None,
        }
    }
}
