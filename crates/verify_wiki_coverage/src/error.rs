//! Errors. Papers missing from the wiki are not errors.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// Errors of `verify_wiki_coverage`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no wiki.
    #[error("{} {}", path.display(), if path.exists() { "is not a wiki (it has no papers/)" } else { "does not exist" })]
    Wiki {
        /// Where it should be.
        path: PathBuf,
    },
    /// None of the paths to scan exists.
    #[error("{} does not exist, so there is nothing to scan", path.display())]
    Scan {
        /// The first of these paths.
        path: PathBuf,
    },
    /// The files contain too many identifiers to be text.
    #[error(
        "the scanned files name more than {} different identifiers",
        crate::tally::IDS
    )]
    TooMany,
    /// The wiki cannot be listed, or the report cannot be written.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The report cannot be serialised.
    #[error("cannot make the report")]
    Json(#[from] serde_json::Error),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Wiki { .. } | Self::Scan { .. } => ErrorKind::NotFound,
            Self::TooMany => ErrorKind::Validation,
            Self::Fs(error) => error.kind(),
            Self::Json(_) => ErrorKind::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Wiki { .. } => "name the wiki's folder, such as research-wiki/",
            Self::Scan { .. } => "name a file or folder that exists with --scan",
            Self::TooMany => "name fewer paths with --scan",
            Self::Fs(error) => return error.hint(),
            Self::Json(_) => return None,
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            Self::Wiki { path } | Self::Scan { path } => {
                let path = Value::from(path.display().to_string());
                Map::from_iter([(String::from("path"), path)])
            }
            Self::TooMany | Self::Json(_) => Map::new(),
        }
    }
}
