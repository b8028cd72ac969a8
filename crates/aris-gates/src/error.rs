//! What can go wrong in both helpers.

use std::path::Path;

use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_review::{HttpError, Trouble};
use aris_statements::disk::DiskError;
use serde_json::{Map, Value};

/// An error of flags, folder, git or GitHub.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// A program cannot be run.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// GitHub's interface cannot be asked as it was wanted.
    #[error(transparent)]
    Base(#[from] HttpError),
    /// The service did not do what it was asked.
    #[error(transparent)]
    Trouble(#[from] Trouble),
    /// A product cannot be written as JSON.
    #[error("the product cannot be written as JSON")]
    Written(#[source] serde_json::Error),
    /// A document, or what it is checked against, cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// What only one place refuses, in its words.
    #[error("{message}")]
    Refused {
        /// Its class.
        kind: ErrorKind,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
        /// For programs: the file that it is about, and more.
        details: Box<Map<String, Value>>,
    },
}

impl GateError {
    /// See [`GateError::Refused`]; about no file.
    pub fn refused(kind: ErrorKind, message: String, hint: &str) -> Self {
        Self::Refused {
            kind,
            message,
            hint: hint.to_owned(),
            details: Box::default(),
        }
    }

    /// The same about a file.
    pub fn refused_at(path: &Path, kind: ErrorKind, message: String, hint: &str) -> Self {
        let place = Value::from(path.display().to_string());
        Self::refused(kind, message, hint).with([(String::from("path"), place)])
    }

    /// The same with more for programs.
    fn with(mut self, more: impl IntoIterator<Item = (String, Value)>) -> Self {
        if let Self::Refused { details, .. } = &mut self {
            details.extend(more);
        }
        self
    }

    /// An input is not the JSON that it should be; `hint` says what to give instead.
    pub fn json(path: &Path, wrong: &JsonError, hint: &str) -> Self {
        let message = format!("{}: {wrong}", path.display());
        Self::refused_at(path, ErrorKind::Validation, message, hint).with(wrong.details())
    }
}

impl Failure for GateError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused { kind, .. } => *kind,
            Self::Disk(error) => error.kind(),
            Self::Base(error) => error.kind(),
            Self::Trouble(_) => ErrorKind::Unavailable,
            Self::Written(_) => ErrorKind::Internal,
            Self::Proc(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { hint, .. } => Some(hint.clone()),
            Self::Trouble(_) | Self::Written(_) => None,
            Self::Disk(error) => error.hint(),
            Self::Base(error) => error.hint(),
            Self::Proc(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Refused { details, .. } => Map::clone(details),
            Self::Fs(error) => error.details(),
            Self::Disk(error) => error.details(),
            _ => Map::new(),
        }
    }
}
