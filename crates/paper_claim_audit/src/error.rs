//! Errors that keep a command from working. Faults of a paper or its data are in the audit, not here.

use std::path::{Path, PathBuf};

use aris_audit::trace::TraceError;
use aris_claims::project::ProjectError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// Errors of `paper_claim_audit`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Arguments, the paper, its bindings or its results cannot be used.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A file cannot be written.
    #[error("{what} cannot be written to {}: {reason}", path.display())]
    Write {
        /// The kind of file.
        what: &'static str,
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: FsError,
    },
    /// The page or the report cannot be made.
    #[error("the page cannot be made")]
    Page(#[from] askama::Error),
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

    /// The library's error inside; `None` for a failure that should be impossible.
    fn cause(&self) -> Option<&dyn Failure> {
        match self {
            Self::Project(error) => Some(error),
            Self::Write { reason, .. } => Some(reason),
            Self::Page(_) => None,
            Self::Emit(error) => Some(error),
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        self.cause().map_or(ErrorKind::Internal, Failure::kind)
    }

    fn hint(&self) -> Option<String> {
        self.cause()?.hint()
    }

    fn details(&self) -> Map<String, Value> {
        self.cause().map(Failure::details).unwrap_or_default()
    }
}
