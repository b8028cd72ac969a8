//! What can go wrong.

use std::path::PathBuf;

use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// Errors of `audit_claims`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An input is not the JSON that it should be.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: JsonError,
    },
    /// A product cannot be written as JSON.
    #[error("the product cannot be written as JSON")]
    Written(#[source] serde_json::Error),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Json { .. } => ErrorKind::Validation,
            Self::Written(_) => ErrorKind::Internal,
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Json { .. } => Some(String::from(
                "give a list of findings, or an object with one under \"findings\"",
            )),
            Self::Written(_) => None,
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Json { path, source } => {
                let mut details = source.details();
                details.insert(String::from("path"), path.display().to_string().into());
                details
            }
            Self::Written(_) => Map::new(),
            Self::Fs(error) => error.details(),
        }
    }
}
