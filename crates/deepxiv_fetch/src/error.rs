//! What can go wrong.

use aris_contract::{ErrorKind, Failure};
use aris_online::SavedError;
use aris_sources::deepxiv::DeepxivError;
use serde_json::{Map, Value};

/// Errors of `deepxiv_fetch`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Words that are empty, or that the program would take for a flag.
    #[error("{0:?} cannot be searched for")]
    Words(String),
    /// A saved answer.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// The program.
    #[error(transparent)]
    Program(#[from] DeepxivError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Words(_) => ErrorKind::Usage,
            Self::Saved(error) => error.kind(),
            Self::Program(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Words(_) => Some(String::from("give words that do not begin with a hyphen")),
            Self::Saved(error) => error.hint(),
            Self::Program(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Saved(error) => error.details(),
            _ => Map::new(),
        }
    }
}
