//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `openalex_fetch`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A query without a word.
    #[error("the query is empty")]
    Empty,
    /// A name that cannot be one.
    #[error("{0:?} names no work")]
    Name(String),
    /// OpenAlex says that there is no such work.
    #[error("OpenAlex has no work {0:?}")]
    Absent(String),
    /// A saved answer that is none.
    #[error("{}: {why}", path.display())]
    Saved {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
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
            Self::Empty | Self::Name(_) => ErrorKind::Usage,
            Self::Absent(_) => ErrorKind::NotFound,
            Self::Saved { .. } => ErrorKind::Validation,
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty => None,
            Self::Name(_) => Some(String::from(
                "give a DOI, W2741809807, or an arXiv identifier; for titles there is search",
            )),
            Self::Absent(_) => Some(String::from("look for its title with search")),
            Self::Saved { .. } => Some(String::from("name a saved answer of api.openalex.org")),
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Http(error) => error.details(),
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
