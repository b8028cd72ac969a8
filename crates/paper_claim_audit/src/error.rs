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
    /// Arguments, the paper, its bindings or its results cannot be used.
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

    /// The error of a library that this one is; none where something cannot be made that always can.
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
