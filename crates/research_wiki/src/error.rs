//! What can go wrong.

use std::path::{Path, PathBuf};

use aris_contract::ids::ArxivIdError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_online::FetchError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

use crate::site::Place;
use crate::wiki::IndexError;

/// Errors of `research_wiki`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What nobody has to tell from other errors.
    #[error(transparent)]
    Told(#[from] FetchError),
    /// An arXiv identifier is none.
    #[error(transparent)]
    ArxivId(#[from] ArxivIdError),
    /// Somebody else wrote to a file while it was being changed; what they wrote stays.
    #[error("{} was changed by somebody else meanwhile, and stays as it is now", path.display())]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// A paper that no source described, and neither did the caller.
    #[error("{id} cannot be described: {source}")]
    Undescribed {
        /// Its identifier.
        id: String,
        /// Why there is no description.
        source: HttpError,
    },
    /// A site, or another export, cannot be put there.
    #[error("{} {why}", path.display())]
    Place {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        why: Place,
    },
    /// A template of the site.
    #[error("a page of the site cannot be made: {0}")]
    Template(#[from] askama::Error),
    /// The index.
    #[error(transparent)]
    Index(#[from] IndexError),
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

    /// A page is to be changed that is not text, or whose place is taken.
    pub(crate) fn page(path: &Path, why: &str) -> Self {
        let what = format!("{} cannot be changed: {why}", path.display());
        let hint = "mend it by hand; nothing was changed";
        Self::told(ErrorKind::Validation, what, hint)
    }

    /// A file of descriptions is none; `hint` says what it must hold.
    pub(crate) fn metadata(path: &Path, line: usize, why: &str, hint: &str) -> Self {
        let what = format!("{}: line {line}: {why}", path.display());
        Self::told(ErrorKind::Validation, what, hint)
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Told(error) => error.kind(),
            Self::ArxivId(_) | Self::Place { .. } => ErrorKind::Usage,
            Self::ChangedMeanwhile { .. } => ErrorKind::Precondition,
            Self::Template(_) | Self::Index(IndexError::Sqlite { .. }) => ErrorKind::Internal,
            Self::Undescribed { source, .. } => source.kind(),
            Self::Http(error) => error.kind(),
            Self::Fs(error) | Self::Index(IndexError::Fs(error)) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Told(error) => return error.hint(),
            Self::ArxivId(_) => "for example 2501.12345 or hep-th/9901001",
            Self::ChangedMeanwhile { .. } => "call again; nothing of it was overwritten",
            Self::Undescribed { .. } => {
                "give --title, --authors and --year, or --metadata FILE; then nobody is asked"
            }
            Self::Place { why, .. } => match why {
                Place::Changed(_) => {
                    "move that file away, or choose another folder; nothing was changed"
                }
                Place::Wiki => "choose a place outside the wiki's pages; nothing was changed",
                _ => {
                    "name a folder that is absent, empty, or an earlier export; nothing was changed"
                }
            },
            Self::Template(_) | Self::Index(IndexError::Sqlite { .. }) => return None,
            Self::Http(error) => return error.hint(),
            Self::Fs(error) | Self::Index(IndexError::Fs(error)) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Told(error) => error.details(),
            Self::Fs(error) => error.details(),
            Self::Http(error) | Self::Undescribed { source: error, .. } => error.details(),
            _ => Map::new(),
        }
    }
}
