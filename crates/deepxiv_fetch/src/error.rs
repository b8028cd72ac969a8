//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::deepxiv::DeepxivError;
use serde_json::{Map, Value};

/// Errors of `deepxiv_fetch`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Words that are empty, or that the program would take for a flag.
    #[error("{0:?} cannot be searched for")]
    Words(String),
    /// A saved answer that is none.
    #[error("{}: {why}", path.display())]
    Saved {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The program.
    #[error(transparent)]
    Program(#[from] DeepxivError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Words(_) => ErrorKind::Usage,
            Self::Saved { .. } => ErrorKind::Validation,
            Self::Program(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Words(_) => Some(String::from("give words that do not begin with a hyphen")),
            Self::Saved { .. } => Some(String::from("name a saved answer of deepxiv, JSON")),
            Self::Program(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
