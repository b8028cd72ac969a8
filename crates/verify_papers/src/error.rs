//! What can go wrong. What is wrong with a reference is in the report, never here.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `verify_papers`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input cannot be read. The reference leaves with 2 then, and so does this.
    #[error("cannot read {}: {why}", path.display())]
    Input {
        /// The file; `-` for standard input.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// What it must be.
        hint: &'static str,
    },
    /// The input is not there.
    #[error("{} does not exist", path.display())]
    Absent {
        /// The file or folder.
        path: PathBuf,
        /// What to give.
        hint: &'static str,
    },
    /// A result would take the place of what is read.
    #[error("{} would be overwritten, and it is read", path.display())]
    Overwrites {
        /// The file.
        path: PathBuf,
    },
    /// A paper's folder without a document, or without bibliography.
    #[error("{}: {why}", path.display())]
    Paper {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// Offline, and the cache does not have what was asked for.
    #[error("{pending} papers are pending: the cache has no answers for them")]
    OfflinePending {
        /// How many.
        pending: usize,
        /// The report.
        report: Value,
    },
    /// The result cannot be written as JSON.
    #[error("the result cannot be written as JSON")]
    Json(#[from] serde_json::Error),
    /// The client cannot be made.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// A result cannot be written.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Input { .. } | Self::Overwrites { .. } | Self::Paper { .. } => ErrorKind::Usage,
            Self::Absent { .. } => ErrorKind::NotFound,
            Self::OfflinePending { .. } => ErrorKind::Unavailable,
            Self::Json(_) => ErrorKind::Internal,
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Input { hint, .. } | Self::Absent { hint, .. } => Some((*hint).to_owned()),
            Self::Overwrites { .. } => Some(String::from(
                "name another file for the result or the patch",
            )),
            Self::Paper { .. } => Some(String::from(
                "name the folder with the paper's LaTeX sources, or a bibliography with --bib",
            )),
            Self::OfflinePending { .. } => Some(String::from("run once without --offline")),
            Self::Json(_) => None,
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Input { path, .. }
            | Self::Absent { path, .. }
            | Self::Overwrites { path }
            | Self::Paper { path, .. } => {
                Map::from_iter([(String::from("path"), path.display().to_string().into())])
            }
            Self::OfflinePending { report, .. } => {
                Map::from_iter([(String::from("report"), report.clone())])
            }
            Self::Http(error) => error.details(),
            Self::Fs(error) => error.details(),
            Self::Json(_) => Map::new(),
        }
    }
}
