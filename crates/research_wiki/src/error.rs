//! What can go wrong.

use std::path::{Path, PathBuf};

use aris_contract::ids::ArxivIdError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_online::FetchError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `research_wiki`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error that is fully described by kind, message and hint.
    #[error(transparent)]
    Told(#[from] FetchError),
    /// Text is not an arXiv identifier.
    #[error(transparent)]
    ArxivId(#[from] ArxivIdError),
    /// Somebody else wrote to a file while it was being changed; their version stays.
    #[error("{} was changed by somebody else meanwhile, and stays as it is now", path.display())]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// The `SQLite` index.
    #[error("the index: {0}")]
    Index(#[from] rusqlite::Error),
    /// The network.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Error {
    /// An error of this kind.
    pub(crate) fn told(kind: ErrorKind, what: impl Into<String>, hint: &str) -> Self {
        FetchError::told(kind, what, hint).into()
    }

    /// A usage error.
    pub(crate) fn usage(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::Usage, what, hint)
    }

    /// There is no such page, edge or paper.
    pub(crate) fn absent(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::NotFound, what, hint)
    }

    /// A page cannot be changed: it is not text, or another file has its name.
    pub(crate) fn page(path: &Path, why: &str) -> Self {
        let what = format!("{} cannot be changed: {why}", path.display());
        let hint = "mend it by hand; nothing was changed";
        Self::told(ErrorKind::Validation, what, hint)
    }

    /// A file of descriptions has none of this paper; the services were not asked.
    pub(crate) fn no_record(path: &Path, id: &str) -> Self {
        let what = format!(
            "{} has no record of {id}; arXiv was not asked",
            path.display()
        );
        let hint = "add the record to the file, or leave --metadata out to ask arXiv";
        Self::told(ErrorKind::Validation, what, hint)
    }

    /// A file of descriptions cannot be read; `hint` says what it must hold.
    pub(crate) fn metadata(path: &Path, line: usize, why: &str, hint: &str) -> Self {
        let what = format!("{}: line {line}: {why}", path.display());
        Self::told(ErrorKind::Validation, what, hint)
    }
}

impl From<askama::Error> for Error {
    fn from(error: askama::Error) -> Self {
        let what = format!("a page of the site cannot be made: {error}");
        Self::told(ErrorKind::Internal, what, "")
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Told(error) => error.kind(),
            Self::ArxivId(_) => ErrorKind::Usage,
            Self::ChangedMeanwhile { .. } => ErrorKind::Precondition,
            Self::Index(_) => ErrorKind::Internal,
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Told(error) => return error.hint(),
            Self::ArxivId(_) => "for example 2501.12345 or hep-th/9901001",
            Self::ChangedMeanwhile { .. } => "call again; nothing of it was overwritten",
            Self::Index(_) => return None,
            Self::Http(error) => return error.hint(),
            Self::Fs(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Told(error) => error.details(),
            Self::Fs(error) => error.details(),
            Self::Http(error) => error.details(),
            _ => Map::new(),
        }
    }
}
