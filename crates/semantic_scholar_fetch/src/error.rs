//! What can go wrong.

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_online::SavedError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `semantic_scholar_fetch`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A query, title or name without a character.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// A name that cannot be one.
    #[error("{0:?} names no paper")]
    Name(String),
    /// Semantic Scholar says that there is no such paper.
    #[error("Semantic Scholar has no paper {0:?}")]
    Absent(String),
    /// A saved answer.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// Standard input.
    #[error("cannot read standard input")]
    Stdin(#[source] std::io::Error),
    /// No answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty(_) | Self::Name(_) => ErrorKind::Usage,
            Self::Absent(_) => ErrorKind::NotFound,
            Self::Saved(error) => error.kind(),
            Self::Stdin(_) => ErrorKind::Precondition,
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty(_) | Self::Stdin(_) => None,
            Self::Name(_) => Some(String::from(
                "give a DOI, an arXiv identifier or a name such as CorpusId:219792180; for titles there is match",
            )),
            Self::Absent(_) => Some(String::from("look for it with match or search")),
            Self::Saved(error) => error.hint(),
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Http(error) => error.details(),
            Self::Saved(error) => error.details(),
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
