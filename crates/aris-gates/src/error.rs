//! Errors of both gates.

use std::path::Path;

use aris_contract::failure::ErrorBody;
use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_review::{HttpError, Trouble};
use aris_statements::disk::DiskError;
use serde_json::{Map, Value};

/// An error of flags, folder, git, GitHub or GitLab.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// GitHub or GitLab failed, or refused a request.
    #[error(transparent)]
    Trouble(#[from] Trouble),
    /// Every other error, as it is reported.
    #[error("{}", .0.message)]
    Told(Box<ErrorBody>),
}

macro_rules! told {
    ($($error:ty),*) => {$(
        impl From<$error> for GateError {
            fn from(error: $error) -> Self {
                Self::Told(Box::new(ErrorBody::of(&error)))
            }
        }
    )*};
}

told!(ProcError, HttpError, DiskError, FsError);

impl GateError {
    /// An error with this message and hint, about no file.
    pub fn refused(kind: ErrorKind, message: String, hint: &str) -> Self {
        Self::Told(Box::new(ErrorBody::new(kind, message, hint)))
    }

    /// The same about a file.
    pub fn refused_at(path: &Path, kind: ErrorKind, message: String, hint: &str) -> Self {
        let place = Value::from(path.display().to_string());
        Self::refused(kind, message, hint).with([(String::from("path"), place)])
    }

    /// The same with more details for programs.
    fn with(mut self, more: impl IntoIterator<Item = (String, Value)>) -> Self {
        if let Self::Told(body) = &mut self {
            body.details.extend(more);
        }
        self
    }

    /// A file is not the expected JSON; `hint` says what to give instead.
    pub fn json(path: &Path, wrong: &JsonError, hint: &str) -> Self {
        let message = format!("{}: {wrong}", path.display());
        Self::refused_at(path, ErrorKind::Validation, message, hint).with(wrong.details())
    }

    /// A product cannot be written as JSON.
    pub fn written(error: serde_json::Error) -> Self {
        let message = format!("the product cannot be written as JSON: {error}");
        Self::refused(ErrorKind::Internal, message, "")
    }
}

impl Failure for GateError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Trouble(_) => ErrorKind::Unavailable,
            Self::Told(body) => body.kind,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Trouble(_) => None,
            Self::Told(body) => body.hint.clone(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Trouble(_) => Map::new(),
            Self::Told(body) => body.details.clone(),
        }
    }
}
