//! Errors of fetching papers.

use aris_contract::failure::ErrorBody;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_http::HttpError;
use serde_json::{Map, Value};

/// The error of every helper that asks sources: one that the helper itself finds, a missing answer, or a disk error.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct FetchError(Box<ErrorBody>);

impl FetchError {
    /// An error of this kind; an empty hint means none.
    pub fn told(kind: ErrorKind, what: impl Into<String>, hint: &str) -> Self {
        Self(Box::new(ErrorBody::new(kind, what, hint)))
    }

    /// A usage error: the arguments cannot be used for a request.
    pub fn usage(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::Usage, what, hint)
    }

    /// The requested thing does not exist.
    pub fn absent(what: impl Into<String>, hint: &str) -> Self {
        Self::told(ErrorKind::NotFound, what, hint)
    }

    /// Converts the error of a library.
    pub(crate) fn of(failure: &dyn Failure) -> Self {
        Self(Box::new(ErrorBody::of(failure)))
    }

    /// Adds a machine-readable detail.
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
