//! What can go wrong when papers are fetched.

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::HttpError;
use aris_sources::deepxiv::DeepxivError;
use serde_json::{Map, Value};

/// The error of every helper that asks sources.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// What the helper itself finds wrong.
    #[error("{}", .0.what)]
    Told(Box<Told>),
    /// No answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// What a helper finds wrong.
#[derive(Debug)]
pub struct Told {
    kind: ErrorKind,
    what: String,
    hint: Option<String>,
    details: Map<String, Value>,
}

impl FetchError {
    /// An error of this kind, with a hint where there is one.
    pub fn told(kind: ErrorKind, what: impl Into<String>, hint: &str) -> Self {
        Self::Told(Box::new(Told {
            kind,
            what: what.into(),
            hint: (!hint.is_empty()).then(|| hint.to_owned()),
            details: Map::new(),
        }))
    }

    /// What was given cannot be asked for.
    pub fn usage(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::Usage, what, hint)
    }

    /// There is no such thing.
    pub fn absent(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::NotFound, what, hint)
    }

    /// With a value for programs that read the envelope.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        if let Self::Told(told) = &mut self {
            told.details.insert(key.to_owned(), value.into());
        }
        self
    }
}

impl From<DeepxivError> for FetchError {
    fn from(error: DeepxivError) -> Self {
        let hint = error.hint().unwrap_or_default();
        Self::told(error.kind(), error.to_string(), &hint)
    }
}

impl From<serde_json::Error> for FetchError {
    fn from(error: serde_json::Error) -> Self {
        let what = format!("the result cannot be written as JSON: {error}");
        Self::told(ErrorKind::Internal, what, "")
    }
}

impl Failure for FetchError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Told(told) => told.kind,
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Told(told) => told.hint.clone(),
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Told(told) => told.details.clone(),
            Self::Http(error) => error.details(),
            Self::Fs(error) => error.details(),
        }
    }
}
