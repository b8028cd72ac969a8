//! What can go wrong when papers are fetched.

use aris_contract::failure::ErrorBody;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_http::HttpError;
use serde_json::{Map, Value};

/// The error of every helper that asks sources: what the helper itself finds wrong, no answer, or the disk.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct FetchError(Box<ErrorBody>);

impl FetchError {
    /// An error of this kind, with a hint where there is one.
    pub fn told(kind: ErrorKind, what: impl Into<String>, hint: &str) -> Self {
        Self(Box::new(ErrorBody::new(kind, what, hint)))
    }

    /// What was given cannot be asked for.
    pub fn usage(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::Usage, what, hint)
    }

    /// There is no such thing.
    pub fn absent(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::NotFound, what, hint)
    }

    /// The same error as one of a library.
    pub(crate) fn of(failure: &dyn Failure) -> Self {
        Self(Box::new(ErrorBody::of(failure)))
    }

    /// With a value for programs that read the envelope.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(key.to_owned(), value.into());
        self
    }
}

impl From<HttpError> for FetchError {
    fn from(error: HttpError) -> Self {
        Self::of(&error)
    }
}

impl From<FsError> for FetchError {
    fn from(error: FsError) -> Self {
        Self::of(&error)
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
        self.0.kind
    }

    fn hint(&self) -> Option<String> {
        self.0.hint.clone()
    }

    fn details(&self) -> Map<String, Value> {
        self.0.details.clone()
    }
}
