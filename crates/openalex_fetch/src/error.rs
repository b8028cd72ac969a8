//! What can go wrong.

use aris_contract::{ErrorKind, Failure};
use aris_online::SavedError;
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
    /// A saved answer.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// No answer.
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty | Self::Name(_) => ErrorKind::Usage,
            Self::Absent(_) => ErrorKind::NotFound,
            Self::Saved(error) => error.kind(),
            Self::Http(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty => None,
            Self::Name(_) => Some(String::from(
                "give a DOI, W2741809807, or an arXiv identifier; for titles there is search",
            )),
            Self::Absent(_) => Some(String::from("look for its title with search")),
            Self::Saved(error) => error.hint(),
            Self::Http(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Http(error) => error.details(),
            Self::Saved(error) => error.details(),
            _ => Map::new(),
        }
    }
}
