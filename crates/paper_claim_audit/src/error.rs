//! What keeps a command from doing its work at all. What is wrong with a paper or its data is in the audit, never here.

use std::path::{Path, PathBuf};

use aris_audit::trace::TraceError;
use aris_claims::project::ProjectError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// Errors of `paper_claim_audit`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Input that cannot be used.
    #[error("{message}")]
    Input {
        /// What class of error it is.
        kind: ErrorKind,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
        /// The file or folder that it is about, absolute.
        path: Option<PathBuf>,
    },
    /// Bindings or results cannot be used.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A file cannot be written.
    #[error("{what} cannot be written to {}: {reason}", path.display())]
    Write {
        /// What was to be written.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        reason: FsError,
    },
    /// The page or the report cannot be made.
    #[error("the page cannot be made")]
    Page(#[from] askama::Error),
    /// The ledger of runs cannot be read.
    #[error(transparent)]
    Ledger(#[from] FsError),
    /// Artifact, report or trace cannot be written.
    #[error(transparent)]
    Emit(#[from] TraceError),
}

impl Error {
    /// A file that cannot be written.
    pub(crate) fn write(what: &'static str, path: &Path, reason: FsError) -> Self {
        let path = path.to_path_buf();
        Self::Write { what, path, reason }
    }

    /// Input of this class that cannot be used.
    pub(crate) fn input(kind: ErrorKind, message: impl Into<String>, hint: &str) -> Self {
        Self::Input {
            kind,
            message: message.into(),
            hint: hint.to_owned(),
            path: None,
        }
    }

    /// The same about a file or folder.
    pub(crate) fn about(kind: ErrorKind, path: &Path, message: &str, hint: &str) -> Self {
        Self::Input {
            kind,
            message: message.replace("{}", &path.display().to_string()),
            hint: hint.to_owned(),
            path: Some(path.to_path_buf()),
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Input { kind, .. } => *kind,
            Self::Project(error) => error.kind(),
            Self::Write { reason, .. } => reason.kind(),
            Self::Page(_) => ErrorKind::Internal,
            Self::Ledger(error) => error.kind(),
            Self::Emit(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Input { hint, .. } => Some(hint.clone()),
            Self::Project(error) => error.hint(),
            Self::Write { reason, .. } => reason.hint(),
            Self::Page(_) => None,
            Self::Ledger(error) => error.hint(),
            Self::Emit(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Input { path, .. } => {
                let path = path.iter().map(|path| path.display().to_string().into());
                path.map(|path| (String::from("path"), path)).collect()
            }
            Self::Project(error) => error.details(),
            Self::Write { reason, .. } => reason.details(),
            Self::Page(_) => Map::new(),
            Self::Ledger(error) => error.details(),
            Self::Emit(error) => error.details(),
        }
    }
}
