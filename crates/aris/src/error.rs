//! Errors before a helper runs.

use std::io;

use aris_contract::{ErrorKind, Failure};
use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("there is no command or helper {name:?}")]
    Unknown {
        name: String,
        nearest: Option<String>,
    },
    #[error("a text cannot be made: {0}")]
    Made(#[from] io::Error),
    #[error("no temporary folder can be made: {0}")]
    Temporary(io::Error),
    /// The environment names no folder for this user's data.
    #[error("neither XDG_DATA_HOME nor HOME is an absolute path")]
    Homeless,
    #[error("{name} is not UTF-8: launchers could not name the folder")]
    NoText { name: &'static str },
    #[error("this program cannot be found: {0}")]
    Program(io::Error),
    #[error(transparent)]
    Disk(#[from] aris_fs::FsError),
    #[error(transparent)]
    Process(#[from] aris_proc::ProcError),
    /// A step of the demo did not end as expected.
    #[error("{command} exited with {code}, expected {expected}")]
    Demo {
        command: String,
        code: String,
        expected: &'static str,
    },
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unknown { .. } => ErrorKind::Usage,
            // The step reports a disk error, such as a full or read-only disk.
            Self::Demo { code, .. } if code == "5" => ErrorKind::Precondition,
            Self::Made(_) | Self::Demo { .. } => ErrorKind::Internal,
            Self::Homeless | Self::NoText { .. } | Self::Temporary(_) | Self::Program(_) => {
                ErrorKind::Precondition
            }
            Self::Disk(error) => error.kind(),
            Self::Process(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown {
                nearest: Some(name),
                ..
            } => Some(format!("did you mean {name}? aris help lists all")),
            Self::Unknown { nearest: None, .. } => Some(String::from("aris help lists all")),
            Self::Homeless => Some(String::from(
                "set HOME, or give install_aris a source with --aris-repo",
            )),
            Self::Temporary(_) => {
                Some(String::from("set TMPDIR to a folder that you may write to"))
            }
            Self::Made(_) | Self::NoText { .. } | Self::Program(_) | Self::Demo { .. } => None,
            Self::Disk(error) => error.hint(),
            Self::Process(error) => error.hint(),
        }
    }
}
