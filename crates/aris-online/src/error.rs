//! What can go wrong when papers are fetched.

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::HttpError;
use aris_sources::deepxiv::DeepxivError;
use serde_json::{Map, Value};

/// The error of every fetcher.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// What the helper itself finds wrong.
    #[error("{what}")]
    Told {
        /// What kind of trouble it is.
        kind: ErrorKind,
        /// The trouble.
        what: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// No answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl FetchError {
    /// An error of this kind, with a hint where there is one.
    pub fn told(kind: ErrorKind, what: impl Into<String>, hint: &str) -> Self {
        Self::Told {
            kind,
            what: what.into(),
            hint: (!hint.is_empty()).then(|| hint.to_owned()),
        }
    }

    /// What was given cannot be asked for.
    pub fn usage(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::Usage, what, hint)
    }

    /// The source says that there is no such thing.
    pub fn absent(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::NotFound, what, hint)
    }
}

impl From<DeepxivError> for FetchError {
    fn from(error: DeepxivError) -> Self {
        Self::Told {
            kind: error.kind(),
            what: error.to_string(),
            hint: error.hint(),
        }
    }
}

impl Failure for FetchError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Told { kind, .. } => *kind,
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Told { hint, .. } => hint.clone(),
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Told { .. } => Map::new(),
            Self::Http(error) => error.details(),
            Self::Fs(error) => error.details(),
        }
    }
}
