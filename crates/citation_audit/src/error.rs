//! Errors that keep the audit from being written.

use std::path::PathBuf;

use aris_audit::trace::TraceError;
use aris_contract::{ErrorKind, Failure};
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `citation_audit`. Problems of the paper itself are findings of its audit.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The paper folder is not there.
    #[error("{}", aris_fs::no_folder(path))]
    Paper {
        /// The folder as given, absolute.
        path: PathBuf,
    },
    /// The document of `--root` is not there.
    #[error("root document {} does not exist", path.display())]
    Root {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The year of `--as-of` is not one that references can be judged by.
    #[error("--as-of {year}: the year must be 1991 to 9998")]
    AsOf {
        /// The year given.
        year: i16,
    },
    /// The sources cannot be asked: a bad base URL or certificate, or no folder for the cache.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// Artifact, report or trace cannot be written.
    #[error(transparent)]
    Emit(#[from] TraceError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Paper { path } if path.exists() => ErrorKind::Validation,
            Self::Paper { .. } | Self::Root { .. } => ErrorKind::NotFound,
            Self::AsOf { .. } => ErrorKind::Usage,
            Self::Http(error) => error.kind(),
            Self::Emit(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Paper { .. } => Some(String::from(
                "name the folder that holds the paper's LaTeX sources",
            )),
            Self::Root { .. } => Some(String::from("--root is relative to the paper folder")),
            Self::AsOf { .. } => None,
            Self::Http(error) => error.hint(),
            Self::Emit(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Paper { path } | Self::Root { path } => {
                Map::from_iter([(String::from("path"), path.display().to_string().into())])
            }
            Self::Http(error) => error.details(),
            Self::Emit(error) => error.details(),
            Self::AsOf { .. } => Map::new(),
        }
    }
}
