//! What can go wrong.

use aris_contract::{ErrorKind, Failure};
use aris_online::SavedError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `exa_search`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A query without a word.
    #[error("the query is empty")]
    Empty,
    /// Not an address.
    #[error("{0:?} is no http address")]
    Name(String),
    /// There is no key.
    #[error("Exa answers only with a key, and EXA_API_KEY is not set")]
    Key,
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
            Self::Key => ErrorKind::Precondition,
            Self::Saved(error) => error.kind(),
            Self::Http(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty => None,
            Self::Name(_) => Some(String::from("give an address that begins with https://")),
            Self::Key => Some(String::from("get a key at exa.ai and export EXA_API_KEY")),
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
