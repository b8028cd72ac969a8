//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_queue::problem::Invalid;
use serde_json::{Map, Value};

/// Errors of `build_manifest`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The specification has mistakes.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// Specification and manifest are one file.
    #[error("{} is the specification itself", .0.display())]
    Itself(PathBuf),
    /// Something else than a manifest would be overwritten.
    #[error("{} exists and is no manifest", .0.display())]
    InTheWay(PathBuf),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Fs(error) => error.kind(),
            Self::Invalid(error) => error.kind(),
            Self::Itself(_) => ErrorKind::Usage,
            Self::InTheWay(_) => ErrorKind::Precondition,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Fs(error) => error.hint(),
            Self::Invalid(error) => error.hint(),
            Self::Itself(_) | Self::InTheWay(_) => Some(String::from("give --output another name")),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            Self::Invalid(error) => error.details(),
            Self::Itself(path) | Self::InTheWay(path) => {
                let path = Value::from(path.display().to_string());
                Map::from_iter([(String::from("path"), path)])
            }
        }
    }
}
