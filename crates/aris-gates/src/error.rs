//! What can go wrong in both helpers.

use std::path::{Path, PathBuf};

use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_review::HttpError;
use aris_statements::disk::DiskError;
use serde_json::{Map, Value};

/// An error of flags, folder, git or GitHub.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// An input is not the JSON that it should be.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: JsonError,
        /// What to give instead.
        hint: &'static str,
    },
    /// A program cannot be run.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// GitHub's interface cannot be asked as it was wanted.
    #[error(transparent)]
    Base(#[from] HttpError),
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
        /// The file that it is about.
        path: Option<PathBuf>,
    },
}

impl GateError {
    /// See [`GateError::Refused`]; about no file.
    pub fn refused(kind: ErrorKind, message: String, hint: &str) -> Self {
        Self::Refused {
            kind,
            message,
            hint: hint.to_owned(),
            path: None,
        }
    }

    /// The same about a file.
    pub fn refused_at(path: &Path, kind: ErrorKind, message: String, hint: &str) -> Self {
        Self::Refused {
            kind,
            message,
            hint: hint.to_owned(),
            path: Some(path.to_path_buf()),
        }
    }
}

impl Failure for GateError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused { kind, .. } => *kind,
            Self::Json { .. } => ErrorKind::Validation,
            Self::Disk(error) => error.kind(),
            Self::Base(error) => error.kind(),
            Self::Written(_) => ErrorKind::Internal,
            Self::Proc(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Refused { hint, .. } => hint,
            Self::Json { hint, .. } => *hint,
            Self::Written(_) => return None,
            Self::Disk(error) => return error.hint(),
            Self::Base(error) => return error.hint(),
            Self::Proc(error) => return error.hint(),
            Self::Fs(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = match self {
            Self::Json { source, .. } => source.details(),
            Self::Fs(error) => error.details(),
            Self::Disk(error) => error.details(),
            _ => Map::new(),
        };
        if let Self::Json { path, .. }
        | Self::Refused {
            path: Some(path), ..
        } = self
        {
            details.insert(String::from("path"), path.display().to_string().into());
        }
        details
    }
}
